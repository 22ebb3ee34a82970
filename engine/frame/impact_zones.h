// Cloth that cannot be moved apart travels as one piece: rigid zones of impact (Provot 1997; Bridson, Fedkiw & Anderson 2002).
//
// In an armpit a fold of a sleeve has no room, and its two sides pass through each other in every frame. When the frame began they did not. So what
// crosses, and the cloth round it, is put back into the shape that it had then, where it is now: a rigid motion makes nothing cross that did not.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "frame/body_steps.h"
#include "geometry/triangle_pairs.h"

namespace frame {

using Marks = std::vector<std::uint8_t>;  // (particle)

// What is known of the cloth in which zones are.
struct ZoneCloth {
    std::span<const std::int32_t> triangles;  // (triangle, 3)
    std::span<const std::int32_t> label;      // (particle): sewn particles have the same
    Marks free;                               // particles that may be moved
};

// Which particles belong to zones: the old ones, what crosses (pairs of triangles), one ring round both, and the other sides of their seams.
void widen(const ZoneCloth &cloth, const std::vector<surface::TrianglePair> &crossing, Marks &zone);

// Puts each zone into the shape that it had at the start (particle, 3) [m], where it is at the end; a zone has one velocity, too: its particles have
// shared their momentum.
void carry_zones(const ZoneCloth &cloth, const Marks &zone, const std::vector<surface::TrianglePair> &crossing, const double *start, const ClothState &end);

}  // namespace frame
