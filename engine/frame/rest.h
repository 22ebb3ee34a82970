// Rest is made: cloth on a body that stands still must not tremble.
//
// In a crease of the skin the nearest skin is one side in one frame and the other side in the next: the cloth meets all (skin_sides.h). In a fold narrower
// than the mesh the solver closes in every frame what the repair opens in every frame, by millimetres, each time a little otherwise: the cloth goes a part
// of the solver's way, until it touches, and stays as it was from then on; on coarse meshes the frame is computed again round it (walker.h). Cloth that
// hardly moves any more falls asleep: it stays where it is until skin or air move.
#pragma once
#include <span>
#include <vector>

#include "frame/impact_zones.h"
#include "frame/skin_contact.h"
#include "geometry/bvh.h"

namespace frame {

// Position and velocity of a cloth (particle, 3) [m], [m/s].
struct StateArrays {
    std::vector<double> position, velocity;
    ClothState view() { return {position, velocity}; }
    bool operator==(const StateArrays &) const = default;
};

// whether no skin moves between two poses
bool stands_still(const PosedSkin &before, const PosedSkin &after);
// whether two poses are the same to the bit
bool same_skin(const PosedSkin &one, const PosedSkin &other);

// Keeps one garment from trembling while its body stands still.
class Rest {
  public:
    // triangles (triangle, 3), label (particle): sewn particles have the same; position (particle, 3) [m]
    Rest(std::span<const std::int32_t> triangles, std::span<const std::int32_t> label, std::span<const double> position, SkinContact &skin);

    // Changes the end of a frame of dt seconds: slow cloth that had to be repaired stays, or nearly. free: where the solver left the cloth, before the
    // repair (particle, 3) [m]. Nothing crosses in what comes of it; the start of the frame is as clean as the end of the one before. Returns whether
    // anything was changed.
    bool stay(const StateArrays &start, StateArrays &end, const std::vector<double> &free, const PosedSkin &pose, double dt);

    // Whether cloth stays at the start of a frame of dt seconds, which ends clean. The rounding of single precision keeps it trembling for ever, by
    // hundredths of a millimetre. From rest it would go half as far with the acceleration that threads hold; cloth that swings turns round faster. The skin
    // must stand still to the bit: cloth that sleeps would not notice how it creeps up.
    bool asleep(const StateArrays &start, const StateArrays &end, const PosedSkin &before, const PosedSkin &after, double dt);

  private:
    // marks the particles of triangles that cross others or the body; returns whether there are any
    bool mark_crossing(const std::vector<double> &position, const PosedSkin &pose, Marks &marks);

    std::span<const std::int32_t> triangles_, label_;
    SkinContact &skin_;
    surface::Tree tree_;
};

}  // namespace frame
