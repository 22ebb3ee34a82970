// Springs along mesh edges in Euler steps over contact planes (Rudomín & Castillo 2002): raw views only, compiled once per
// instruction set (follow_step.h).
#pragma once
#include <cstddef>
#include <cstdint>

// Particles come in blocks of eight; a block lists its particles' neighbours slot by slot, eight at a time, padded with the particle
// itself (no length, no force). Contacts come in rounds: within a block of eight no particle comes twice, padding is a spare particle.
template <class T>
struct FollowView {
    std::size_t blocks, contact_blocks;
    T *point, *next, *velocity;          // (particle, 4); next: where the following step's positions go
    const std::size_t *slot_begin;       // slots of block b are slot_begin[b] .. slot_begin[b + 1]
    const std::int32_t *neighbour;       // (slot, lane)
    const T *rest;                       // (slot, lane) [m]
    const std::int32_t *own;             // (block, lane): the particles themselves
    const T *weight, *drag, *free;       // (block, lane): 1 / mass; 1/s; 0 where held, else 1
    const std::int32_t *who;             // (contact block, lane)
    const T *normal, *skin;              // (contact block, 3, lane)
    const T *level, *rise, *friction;    // (contact block, lane): gap = n · x - level - t rise
};

// the paper pushes out once per frame; here every third Euler step, the last included
constexpr int STEPS_PER_PUSH = 3;

template <class T>
struct FollowOptions {
    int steps;
    T dt, stiffness, thickness;
    T gravity[3], wind[3];
};

// leaves the last positions in view.point or view.next: returns where
namespace plain {
float *follow(FollowView<float>, const FollowOptions<float> &);
double *follow(FollowView<double>, const FollowOptions<double> &);
}  // namespace plain
namespace avx2 {
float *follow(FollowView<float>, const FollowOptions<float> &);
double *follow(FollowView<double>, const FollowOptions<double> &);
}  // namespace avx2
