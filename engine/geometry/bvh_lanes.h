// The part of a search for the nearest triangle that is the same for many boxes and triangles, compiled once per instruction set
// (bvh_lanes_step.h). Float32, only to find out which triangles deserve a look in double.
#pragma once
#include <cmath>
#include <cstdint>

namespace surface {
constexpr int BOXES_AT_ONCE = 16, LEAVES_AT_ONCE = 4, HINTS_AT_ONCE = 16, FEET_AT_ONCE = 8;

// four triangles side by side, rounded to float32: only to find out which ones deserve a look in double
struct alignas(16) Leaf {
    float corner[3][3][4];  // corner, axis, place; unused places repeat the last triangle
    std::int32_t triangle[4];
    int count() const { return 1 + (triangle[1] != triangle[0]) + (triangle[2] != triangle[1]) + (triangle[3] != triangle[2]); }
};

// boxes side by side: low and high corners, axis after axis, `stride` numbers apart; as many as BOXES_AT_ONCE divides
struct BoxRows {
    const float *low, *high;
    int stride, count;
};

// leaves near some points, and their boxes
struct Shelf {
    static constexpr int capacity = 256;
    alignas(64) float low[3][capacity], high[3][capacity];
    const Leaf *leaf[capacity];
    int count = 0;
};

// The triangles that can be nearest to a point, by their distances in float32, which may be wrong by slack [m] either way.
struct Candidates {
    static constexpr int capacity = 64;
    float p[3], slack;
    float limit, least;  // squared distances: still worth a look; least so far
    int count;
    std::int32_t triangle[capacity];
    float distance2[capacity];
};
// each instruction set has its own
static inline float enlarged(float distance2, float slack) {
    const float d = std::sqrt(distance2) + slack;
    return d * d * 1.000001f;
}

// Points and a triangle each, side by side, in double: the nearest point of the triangle where it is inside the face.
struct alignas(64) FaceFeet {
    double p[3][FEET_AT_ONCE], corner[3][3][FEET_AT_ONCE];  // given: axis; corner, axis
    double inside[FEET_AT_ONCE];                            // positive: it is; else the rest means nothing
    double weight[3][FEET_AT_ONCE], point[3][FEET_AT_ONCE], normal[3][FEET_AT_ONCE], distance2[FEET_AT_ONCE], gap[FEET_AT_ONCE];
};

// a triangle that others are held against: a corner, the unit normal, its box, and how much rounding may take [m]
struct Blade {
    float origin[3], normal[3], low[3], high[3], slack;
};
}  // namespace surface

#define TOILE_LEAF_SEARCH                                                                                              \
    /* the triangles of a shelf that can be nearest to a point; false: more of them than there is capacity for */          \
    bool near_triangles(const surface::Shelf &shelf, surface::Candidates &found);                                      \
    /* squared distances of points (axis, point) to a triangle each: its corners in `rounded` (vertex, 4) */           \
    void hint_distances2(const float *rounded, const std::int32_t *const *triangle, const float (*p)[surface::HINTS_AT_ONCE], float *distance2); \
    void face_feet(surface::FaceFeet &feet);                                                                           \
    /* squared distances of p to the four triangles of a leaf: corner, axis, place */                                  \
    void leaf_distance2(const float *corners, const float *p, float *distance2);                                       \
    /* numbers of the boxes that touch a box; how many */                                                              \
    int touched_boxes(const surface::BoxRows &boxes, const float *low, const float *high, std::int32_t *found);        \
    /* of the triangles of four leaves, bit k: neither its box nor the plane of the blade parts it from the blade */   \
    unsigned not_parted(const float *const *corners, const surface::Blade &blade);
namespace plain {
TOILE_LEAF_SEARCH
}  // namespace plain
namespace avx2 {
TOILE_LEAF_SEARCH
}  // namespace avx2
namespace avx512 {
TOILE_LEAF_SEARCH
}  // namespace avx512
#undef TOILE_LEAF_SEARCH
