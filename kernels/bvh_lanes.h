// The part of a search for the nearest triangle that is the same for many boxes and triangles, compiled once per instruction set
// (bvh_lanes_step.h). Float32, only to find out which triangles deserve a look in double.
#pragma once
#include <cstdint>

namespace surface {
constexpr int BOXES_AT_ONCE = 16, LEAVES_AT_ONCE = 4;

// boxes side by side: low and high corners, axis after axis, `stride` numbers apart; as many as BOXES_AT_ONCE divides
struct BoxRows {
    const float *low, *high;
    int stride, count;
};

// a triangle that others are held against: a corner, the unit normal, its box, and how much rounding may take [m]
struct Blade {
    float origin[3], normal[3], low[3], high[3], slack;
};
}  // namespace surface

#define TOILE_LEAF_SEARCH                                                                                              \
    /* numbers of the boxes within the square root of `limit` of p; how many */                                        \
    int near_boxes(const surface::BoxRows &boxes, const float *p, float limit, std::int32_t *found);                   \
    /* squared distances of p to the four triangles of a leaf: corner, axis, place */                                  \
    void leaf_distance2(const float *corners, const float *p, float *distance2);                                       \
    /* … of four leaves */                                                                                             \
    void leaf_distances2(const float *const *corners, const float *p, float *distance2);                               \
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
