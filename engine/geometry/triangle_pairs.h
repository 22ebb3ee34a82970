// Which triangles of two surfaces (or of one) have a point in common, exactly.
#pragma once
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "geometry/bvh.h"

namespace surface {

struct TrianglePair {
    std::int32_t a, b;
    friend bool operator<(TrianglePair p, TrianglePair q) { return p.a != q.a ? p.a < q.a : p.b < q.b; }
};

// closed sets: touching counts; no rounding can change the answer; triangles may be flat or points
bool segment_meets_triangle(Vec3 p, Vec3 q, Vec3 a, Vec3 b, Vec3 c);
bool triangles_meet(const Vec3 *s, const Vec3 *t);

// Triangles i of a and j of b that meet, ascending.
std::vector<TrianglePair> meeting_pairs(const Tree &a, const Tree &b);

// Triangles i < j of one surface that meet where they should not, ascending. Vertices with the same label count as one
// (label may be null: each vertex is its own). Triangles with one label in common meet when the edge across from it passes
// through the other triangle; with two in common when they lie folded flat on each other; with three never.
std::vector<TrianglePair> meeting_pairs_self(const Tree &a, const std::int32_t *label = nullptr);

// The same for chosen triangles of a only (ascending, no doubles): all pairs that one of them belongs to.
std::vector<TrianglePair> meeting_pairs_of(const std::vector<std::int32_t> &chosen, const Tree &a, const Tree &b);
std::vector<TrianglePair> meeting_pairs_self_of(const std::vector<std::int32_t> &chosen, const Tree &a,
                                                const std::int32_t *label = nullptr);

// Those of the given pairs i < j of one surface that meet, ascending.
std::vector<TrianglePair> meeting_among(const std::vector<std::array<std::int32_t, 2>> &pairs, const Tree &a,
                                        const std::int32_t *label = nullptr);

}  // namespace surface
