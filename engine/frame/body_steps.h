// Into how many steps a frame is cut, so that no fast limb passes through the cloth, and the frame in these steps.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "body/skin_travel.h"
#include "frame/cloth_solver.h"
#include "frame/posed_skin.h"
#include "frame/skin_contact.h"

namespace frame {

// One step of a frame, during which the skin is looked for at one instant.
struct BodyStep {
    double at;        // share of the way between the two poses where the skin is looked for
    double length;    // [s]
    double watch;     // for how long near cloth that is found now is gone on with [s]; 0: with what was found before
    double since;     // time since the skin was searched as a whole [s]
    bool follow;      // contacts are followed from then, not searched
};

struct FramePlan {
    int searches = 1, broad = 1;   // of the skin; of these for broad limbs: thin ones alone ask for the others
    std::vector<double> boxes;     // (box, 2, 3): cloth that thin limbs may touch in this frame [m]
    std::vector<double> velocity;  // of the skin (vertex, 3) [m/s]
    std::vector<BodyStep> steps;
};

// Only skin that is or comes near the cloth counts (thin limbs: near some of it), and only its motion against the cloth as a whole, which travels with a
// walking body. longest_contact_step, followed_updates: of the solver; followed_updates is 1 where the contacts cannot be followed.
FramePlan plan_frame(const body::SkinAndCloth &both, double dt, double longest_contact_step, int followed_updates);

// The skin between two poses; velocity: of its vertices [m/s].
struct MovingSkin {
    PosedSkin before, after;
    std::span<const std::int32_t> limb, thin;  // (vertex), (limb): number of a thin limb, -1: broad
};

// What a frame asks about contacts: the nearest skin of each limb, or, of a body that stands still, all sides of creases (skin_sides.h).
class SkinSource : public ContactSource {
  public:
    SkinSource(SkinContact &contact, std::size_t particles) : contact_(contact), particles_(particles) {}
    // where the skin is now; velocity must live as long as it is asked
    void pose(PosedSkin skin, const double *velocity) { skin_ = std::move(skin), velocity_ = velocity, follow_ = false; }
    void follow(const Meanwhile &meanwhile) { meanwhile_ = meanwhile, follow_ = true; }
    StepContacts find(const double *position) override;

  protected:
    SkinContact &contact_;
    std::size_t particles_;
    PosedSkin skin_;
    const double *velocity_ = nullptr;

  private:
    Meanwhile meanwhile_;
    bool follow_ = false;
    TrackedContacts tracked_;
};

struct ClothState {
    std::span<double> position, velocity;  // (particle, 3) [m], [m/s]
};

// Takes the cloth dt [s] on while the body goes from one pose to the next. follows: contacts of the source may be followed.
FramePlan advance(ClothSolver &solver, SkinSource &source, bool follows, const ClothState &cloth, const MovingSkin &skin, const Air &air, double dt);

}  // namespace frame
