// Springs along mesh edges in Euler steps over contact planes (Rudomín & Castillo 2002): raw views only, compiled once per
// instruction set (follow_step.h).
#pragma once
#include <cstddef>
#include <cstdint>

template <class T>
struct FollowView {
    std::size_t count, blocks;
    T *point, *velocity, *force;  // (particle + dummies, 4)
    const std::int32_t *index;    // (block, 2, lane)
    const T *rest;                // (block, lane) [m]
    const T *weight;              // (particle): 1 / mass, 0 where held
    const T *drag, *friction;     // (particle)
    std::size_t contacts;
    const std::int32_t *who;      // (contact)
    const T *gap, *start, *normal, *skin;  // (contact), (contact, 3) each
};

template <class T>
struct FollowOptions {
    int steps;
    T dt, stiffness, thickness;
    T gravity[3], wind[3];
};

namespace plain {
void follow(const FollowView<float> &, const FollowOptions<float> &);
void follow(const FollowView<double> &, const FollowOptions<double> &);
}  // namespace plain
namespace avx2 {
void follow(const FollowView<float> &, const FollowOptions<float> &);
void follow(const FollowView<double> &, const FollowOptions<double> &);
}  // namespace avx2
