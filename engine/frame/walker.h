// A dressed body in motion, one frame at a time: skin, held particles, body steps, substeps with contact, repair, rest and sleep.
//
// What a frame does follows from position and velocity of the cloth, the skin before and after, and the air; creased cloth also remembers which way folds
// lean. So a run goes on from any frame of which these are known, with the same bits on every machine and any number of threads.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "body/skinning.h"
#include "frame/body_steps.h"
#include "frame/cloth_solver.h"
#include "frame/repair.h"
#include "frame/rest.h"
#include "frame/skin_contact.h"
#include "frame/skin_sides.h"

namespace frame {

// Takes a cloth through one frame; any solver with any collider may stand behind it.
class Stepper {
  public:
    virtual ~Stepper() = default;
    // all_sides: the body stands still, and cloth meets all sides of its creases
    virtual void advance(const ClothState &cloth, const MovingSkin &skin, bool all_sides, const Air &air, double dt) = 0;
    virtual void pin(std::span<const std::int32_t> particles) = 0;
};

// The default solver over the skin itself.
class DefaultStepper final : public Stepper {
  public:
    DefaultStepper(const SolverModel &model, SkinContact &contact)
        : solver_(model), near_(contact, solver_.particle_count()), sides_(contact, solver_.particle_count()) {}
    void advance(const ClothState &cloth, const MovingSkin &skin, bool all_sides, const Air &air, double dt) override;
    void pin(std::span<const std::int32_t> particles) override { solver_.pin(particles); }
    ClothSolver &solver() { return solver_; }

  private:
    ClothSolver solver_;
    SkinSource near_;
    SkinSides sides_;
};

// Particles that ride on the skin: waistbands and other held edges.
struct HeldModel {
    std::span<const std::int32_t> particle;  // (held)
    std::span<const std::int32_t> corners;   // (held, 3): vertices of the triangle that each rides on
    std::span<const double> local;           // (held, 3): seen from its middle, in its axes [m]
};

// All of it must live as long as the walker.
struct WalkerModel {
    std::span<const double> start;                                   // (particle, 3): the garment as it was dressed in the rest pose [m]
    double edge = 0.015;                                             // of a mean triangle [m]
    std::span<const double> skin_rest;                               // (vertex, 3) [m]
    std::span<const std::int32_t> skin_limb, thin_limb;              // (vertex), (limb): number of a thin limb, -1: broad
    HeldModel held;
    std::size_t led_count = 0;  // particles, the first ones, that are led from outside (a walk that was recorded before)
    RepairModel cloth;
    bool repair = true;
    // how joints move the skin; empty: poses come as vertices
    std::span<const double> rest_frames;        // (joint, 4, 4)
    std::span<const std::int32_t> weight_joint;  // (vertex, k)
    std::span<const double> weight;              // (vertex, k)
    bool dual = false;                           // dual quaternions instead of matrices
};

// What a frame was told from outside.
struct FrameInput {
    PosedSkin skin;               // at its end
    Air air;
    std::span<const double> led;  // (led_count, 3): where led particles are at its end [m]; empty: nothing is led
};

class Walker {
  public:
    using MakeStepper = std::function<std::unique_ptr<Stepper>()>;
    // contact: of the body's skin; null: another collider, without repair and rest. make: asked for a second one when cloth first rests.
    Walker(const WalkerModel &model, SkinContact *contact, MakeStepper make);

    // the skin with its joints at these transforms (joint, 4, 4)
    PosedSkin pose(std::span<const double> world_from_joint) const;
    // a copy of vertices that the caller has posed (vertex, 3) [m]
    PosedSkin pose_of(std::span<const double> vertices) const;

    // Computes the next frame, dt [s] long; it begins where the last one ended.
    Repaired frame(const FrameInput &input, double dt);

    // position and velocity (particle, 3) [m], [m/s]
    const StateArrays &state() const { return state_; }
    const PosedSkin &skin() const { return before_; }
    bool sleeps() const { return asleep_; }
    // goes on from a state of the cloth and the pose that it had then
    void go_to(StateArrays state, PosedSkin skin);

    // besides what is held and led these particles stay where they are; frees those of the last call
    void pin(std::span<const std::int32_t> particles);
    Stepper &stepper() { return *free_; }
    // computes the next frame even if the last one ended as it had begun
    void wake() { asleep_ = false; }
    // the cloth has changed: the solver for what rests is made anew when it is asked for
    void forget_second() { holding_.reset(), stays_.clear(); }
    const std::vector<std::int32_t> &pinned() const { return pinned_; }

  private:
    void carry(const FrameInput &input, double dt);
    Repaired advance(const FrameInput &input, double dt);
    Repaired compute(Stepper &stepper, StateArrays &state, const FrameInput &input, bool rests, double dt);
    bool round(const StateArrays &start, const StateArrays &kept, const FrameInput &input, double dt, StateArrays &again, Repaired &found);
    void set_pinned();

    WalkerModel model_;
    SkinContact *contact_;
    MakeStepper make_;
    std::unique_ptr<Stepper> free_, holding_;
    std::unique_ptr<Repair> repair_;
    std::unique_ptr<Rest> rest_;
    std::vector<std::int32_t> rides_, user_pins_, pinned_, stays_;
    std::vector<double> targets_;
    StateArrays state_;
    PosedSkin before_;
    Air slept_in_;
    bool asleep_ = false;
};

}  // namespace frame
