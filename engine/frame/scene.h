// A prepared scene that lives: a dressed body, its motion's poses from outside, and hands that reach in (wind, grabbing, pinning, another fabric).
//
// This is what a page or a game opens; it needs no Python. Python opens the same classes over its own arrays.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "frame/scene_arrays.h"
#include "frame/walker.h"

namespace frame {

struct SceneCounts {
    std::uint64_t frames = 0, repaired = 0, left = 0;  // frames, those in which something crossed, those in which something was left crossing
};

class Scene {
  public:
    // Takes the bytes of a file (core/named_arrays.h). Returns null and says why in `wrong` if it is not a sound scene.
    static std::unique_ptr<Scene> open(std::vector<std::uint8_t> bytes, std::string &wrong);

    std::size_t particle_count() const { return walker_->state().position.size() / 3; }
    std::size_t vertex_count() const { return walker_->skin().count(); }
    std::size_t joint_count() const { return model_.rest_frames.size() / 16; }
    // any array of the scene by its name, those too that the engine does not use itself; null: there is none
    const NamedArray *array(std::string_view name) const { return arrays_.find(name); }

    // The body's joints at the end of the next frame (joint, 4, 4), or its skin (vertex, 3) [m]. What is not finite is refused: false.
    bool pose(std::span<const double> world_from_joint);
    bool pose_vertices(std::span<const double> vertices);
    // computes a frame of dt [s], in which the body goes from its last pose to the one that was given since, or stands still
    Repaired frame(double dt);

    const StateArrays &state() const { return walker_->state(); }
    const PosedSkin &skin() const { return walker_->skin(); }
    bool sleeps() const { return walker_->sleeps(); }
    const SceneCounts &counts() const { return counts_; }

    // Everything that changes with time: position, velocity (particle, 3), skin (vertex, 3), directions of folds (fold, 3), one after the other.
    std::size_t saved_size() const;
    void save(double *numbers) const;
    bool restore(std::span<const double> numbers);

    void set_wind(const std::array<double, 3> &wind) { air_.wind = wind; }
    void set_gravity(const std::array<double, 3> &gravity) { air_.gravity = gravity; }
    // Pulls one particle, and gently those round it, towards a place [m], until let_go.
    bool grab(std::int32_t particle, const std::array<double, 3> &target);
    void let_go();
    bool pin(std::span<const std::int32_t> particles);
    // The cloth becomes that many times as heavy, as stiff against stretch and against bending, and as rough as it was when the scene was opened.
    bool set_fabric(const FabricScale &scale);

  private:
    Scene() = default;
    DefaultStepper &stepper() { return static_cast<DefaultStepper &>(walker_->stepper()); }

    std::vector<std::uint8_t> bytes_;
    NamedArrays arrays_;
    WalkerModel model_;
    std::unique_ptr<SkinContact> contact_;
    std::unique_ptr<Walker> walker_;
    PosedSkin next_;
    Air air_;
    SceneCounts counts_;
};

}  // namespace frame
