// The last correction of a frame: what still crosses is moved apart, by exact triangles.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "contact/untangle.h"
#include "frame/impact_zones.h"
#include "frame/skin_contact.h"

namespace frame {

struct RepairModel {
    std::span<const std::int32_t> triangles;  // (triangle, 3)
    std::span<const std::int32_t> layer;      // (triangle): higher lies outside
    std::span<const std::int32_t> label;      // (particle): sewn particles have the same
    std::span<const double> sides;            // (triangle, 3): rest lengths of their sides [m]
};

// What one repair found and left.
struct Repaired {
    std::size_t body_before = 0, cloth_before = 0;  // crossing triangle pairs of cloth and body, of cloth and cloth
    std::size_t body_after = 0, cloth_after = 0;
    double moved = 0;  // farthest that a particle was moved [m]
    std::size_t left() const { return body_after + cloth_after; }
};

// Untangles one garment on one body after each frame; gives up after a few rounds rather than tear.
class Repair {
  public:
    // position (particle, 3) [m]: somewhere near where the garment will be; pinned particles stay where they are
    Repair(const RepairModel &model, std::span<const double> position, std::span<const std::int32_t> pinned);

    // Removes crossings; velocities stay, so nothing is flung away, but for those of zones. start: where the cloth was shortly before, with nothing
    // crossing (particle, 3) [m]; null: unknown.
    Repaired run(const ClothState &cloth, SkinContact &skin, const PosedSkin &pose, const double *start);

    // where the cloth was before the last repair [m], (particle, 3)
    const std::vector<double> &given() const { return given_; }
    void set_pinned(std::span<const std::int32_t> pinned);

  private:
    Repaired untangle(std::span<double> position, const surface::Tree &body);
    Repaired carry(const ClothState &cloth, const surface::Tree &body, const double *start, const Repaired &first);
    void lift(std::span<double> position, SkinContact &skin, const PosedSkin &pose);

    surface::Untangler untangler_;
    ZoneCloth cloth_;
    std::vector<double> inverse_mass_, given_, still_;
    std::vector<surface::TrianglePair> crossing_;  // left by the last untangling
};

}  // namespace frame
