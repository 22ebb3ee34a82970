#include "frame/rest.h"

#include <algorithm>
#include <cmath>

#include "frame/step_laws.h"
#include "geometry/triangle_pairs.h"

namespace frame {
namespace {
constexpr double STILL_SKIN = 1e-5;  // skin that moves less in a frame stands still [m]
constexpr double STILL = 0.0003;     // cloth that moves more in a frame does not sleep [m]
constexpr std::size_t SAMPLE = 128;  // one of so many skin vertices is looked at first
// of the solver's way that are tried for a fold before it stays: one that was crumpled when the body stopped would pull at the cloth round it for ever
constexpr double PARTS[] = {0.5, 0.25, 0.125};
constexpr int ROUNDS = 4;  // in which what crosses because something stayed stays too

// some of the particles at another place, without speed
template <class Place>
void put(StateArrays &state, const Marks &some, const Place &place) {
    for (std::size_t i = 0; i < state.position.size(); ++i)
        if (some[i / 3]) state.position[i] = place(i), state.velocity[i] = 0;
}
double mean_speed(const std::vector<double> &velocity) { return speeds(velocity.data(), velocity.size() / 3).mean; }
}  // namespace

bool stands_still(const PosedSkin &before, const PosedSkin &after) {
    // most bodies move: some of their skin tells that at once
    for (const std::size_t every : {SAMPLE, std::size_t{1}})
        for (std::size_t v = 0; v < after.count(); v += every)
            for (int a = 0; a < 3; ++a)
                if (!(std::abs(after.data()[3 * v + a] - before.data()[3 * v + a]) <= STILL_SKIN)) return false;
    return true;
}

bool same_skin(const PosedSkin &one, const PosedSkin &other) {
    return one.is(other) || (one.count() == other.count() && std::equal(one.data(), one.data() + 3 * one.count(), other.data()));
}

Rest::Rest(std::span<const std::int32_t> triangles, std::span<const std::int32_t> label, std::span<const double> position, SkinContact &skin)
    : triangles_(triangles), label_(label), skin_(skin), tree_(triangles.data(), triangles.size() / 3, position.data(), position.size() / 3) {}

bool Rest::mark_crossing(const std::vector<double> &position, const PosedSkin &pose, Marks &marks) {
    tree_.refit(position.data());
    bool any = false;
    const auto mark = [&](std::int32_t triangle) {
        any = true;
        for (int k = 0; k < 3; ++k) marks[triangles_[3 * static_cast<std::size_t>(triangle) + k]] = 1;
    };
    for (const auto [a, b] : surface::meeting_pairs_self(tree_, label_.data())) mark(a), mark(b);
    for (const auto [a, b] : surface::meeting_pairs(tree_, skin_.tree(pose))) mark(a);
    return any;
}

bool Rest::stay(const StateArrays &start, StateArrays &end, const std::vector<double> &free, const PosedSkin &pose, double dt) {
    const std::size_t n = label_.size();
    Marks stays(n, 0);
    std::vector<double> speed;  // those that had to be repaired are thrown to and fro: the others tell whether the cloth rests
    bool repaired = false;
    for (std::size_t p = 0; p < n; ++p) {
        for (int a = 0; a < 3; ++a) stays[p] |= free[3 * p + a] != end.position[3 * p + a];
        repaired |= stays[p] != 0;
        for (int a = 0; a < 3 && !stays[p]; ++a) speed.push_back((end.position[3 * p + a] - start.position[3 * p + a]) / dt);
    }
    if (!repaired || mean_speed(speed) >= BRISK) return false;
    Marks crossing(n, 0);
    StateArrays state;
    for (const double part : PARTS) {
        state = end, put(state, stays, [&](std::size_t i) { return start.position[i] + part * (free[i] - start.position[i]); });
        if (!mark_crossing(state.position, pose, crossing)) {
            end = std::move(state);
            return true;
        }
    }
    for (int round = 0; round < ROUNDS; ++round) {
        state = end, put(state, stays, [&](std::size_t i) { return start.position[i]; });
        crossing.assign(n, 0);
        if (!mark_crossing(state.position, pose, crossing)) {
            end = std::move(state);
            return true;
        }
        for (std::size_t p = 0; p < n; ++p) stays[p] |= crossing[p];
    }
    return false;
}

bool Rest::asleep(const StateArrays &start, const StateArrays &end, const PosedSkin &before, const PosedSkin &after, double dt) {
    std::vector<double> displacement(end.position.size());
    double most = 0;
    for (std::size_t i = 0; i < displacement.size(); ++i) displacement[i] = end.position[i] - start.position[i], most = std::max(most, std::abs(displacement[i]));
    if (!(mean_speed(displacement) < STICKING * dt * dt) || !(most < STILL) || !same_skin(before, after)) return false;
    Marks crossing(label_.size(), 0);
    return !mark_crossing(start.position, after, crossing);
}

}  // namespace frame
