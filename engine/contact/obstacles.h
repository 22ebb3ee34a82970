// What the engine asks by itself when it updates contacts more than once in a step: a ball, and contacts with a skin that moves on.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "geometry/bvh.h"
#include "geometry/bvh_closest.h"
#include "contact/skin_planes.h"

// a ball that moves; points farther than reach from its surface do not touch it
struct Ball {
    surface::Vec3 centre, velocity;  // [m], [m/s]
    double radius, reach;            // [m]
};

// Contacts with a skin as they were found, in the order in which they are given to the step, and how that skin moves on.
struct TrackedContacts {
    const surface::Tree *tree = nullptr;
    const std::int32_t *triangle = nullptr;  // of each contact
    std::size_t count = 0;                   // of contacts
    const double *velocity = nullptr;        // of each skin vertex [m/s]
    double radius = 0, slip = 0;             // points that have gone farther than slip [m] past the skin are searched again
    const std::int32_t *hint = nullptr;      // (particle, group); null: nothing is known
    surface::Vec3 going{0, 0, 0};            // mean of the velocities
};

// where packed particles are, which are measured from an origin [m]
template <class T>
struct PackedPoints {
    const T *point;  // (particle, 4)
    surface::Vec3 origin;
    surface::Vec3 operator[](std::size_t k) const { return surface::load(point + 4 * k) + origin; }
};

// emits (particle, place, gap [m], normal, velocity of the obstacle) for packed particles first to last
template <class T>
struct BallContacts {
    const Ball &ball;
    double time;  // since it was where it is said to be [s]
    PackedPoints<T> points;
    template <class Reaches, class Emit>
    void operator()(std::size_t first, std::size_t last, const Reaches &, const Emit &emit) const {
        using namespace surface;
        const Vec3 centre = ball.centre + time * ball.velocity;
        const double far = ball.radius + ball.reach;
        for (std::size_t k = first; k < last; ++k) {
            const Vec3 x = points[k], away = x - centre;
            const double square = dot(away, away);
            if (!(square < far * far)) continue;
            const double distance = std::sqrt(square);
            // at the centre every way out is as short: take up
            emit(k, x, distance - ball.radius, distance < 1e-12 ? Vec3{0, 1, 0} : (1 / distance) * away, ball.velocity);
        }
    }
};

constexpr double UNSURE = 0.003;  // skin is not flat, and does not move on straight [m]

template <class T, class I>
struct TrackedContactUpdates {
    const TrackedContacts &tracked;
    double time;                 // since the tree was fitted [s]
    const GivenContacts &given;
    const FirstContacts &first;  // by the caller's particles
    const std::vector<I> &order;
    const double *asked;  // where the caller's particles were then (particle, 3)
    double since;         // [s]
    PackedPoints<T> points;
    template <class Reaches, class Emit>
    void operator()(std::size_t from, std::size_t to, const Reaches &reaches, const Emit &emit) const {
        using namespace surface;
        const Tree &tree = *tracked.tree;
        const double *velocity = tracked.velocity;
        const auto groups = static_cast<std::size_t>(tree.group_count());
        // contacts that are followed side by side
        int batch = 0;
        std::size_t particle[FEET_AT_ONCE];
        Vec3 place[FEET_AT_ONCE];
        std::int32_t triangle[FEET_AT_ONCE];
        Hit hits[Tree::max_groups];
        static_assert(FEET_AT_ONCE <= Tree::max_groups);
        const auto follow = [&] {
            if (batch) tree.follow(place, triangle, batch, velocity, time, hits);
            for (int i = 0; i < batch; ++i) emit(particle[i], place[i], hits[i].gap, hits[i].normal, speed_at(tree, hits[i], velocity));
            batch = 0;
        };
        constexpr std::size_t soon = 8;
        for (std::size_t k = from; k < to; ++k) {
            const auto p = static_cast<std::size_t>(order[k]);
            // the caller's numbers lie in another order
            if (k + 2 * soon < to) first.fetch(order[k + 2 * soon]), begin_to_read(asked + 3 * static_cast<std::size_t>(order[k + 2 * soon]));
            if (k + soon < to) first.fetch(given, order[k + soon]);
            const Vec3 x = points[k], gone = x - load(asked + 3 * p), displacement = gone - since * tracked.going;
            if (dot(displacement, displacement) <= tracked.slip * tracked.slip) {
                first.each(p, [&](std::size_t c) {
                    // by the plane that was given the skin is about as far off now
                    const Vec3 skin = load(given.velocity + 3 * c);
                    if (!reaches(k, given.gap[c] + dot(load(given.normal + 3 * c), gone - since * skin) - UNSURE, skin)) return;
                    particle[batch] = k, place[batch] = x, triangle[batch++] = tracked.triangle[c];
                    if (batch == FEET_AT_ONCE) follow();
                });
                continue;
            }
            follow();
            // skin may be near that was too far; the tree knows it where it was when it was fitted
            std::int32_t hint[Tree::max_groups];
            if (tracked.hint) std::copy_n(tracked.hint + p * groups, groups, hint);
            const int count = tree.nearest_per_group(x - time * tracked.going, tracked.radius, tracked.hint ? hint : nullptr, hits);
            for (int i = 0; i < count; ++i) {
                const Vec3 speed = speed_at(tree, hits[i], velocity);
                emit(k, x, hits[i].gap - time * dot(hits[i].normal, speed - tracked.going), hits[i].normal, speed);
            }
        }
        follow();
    }
};
