// By what the default solver decides how to step: figures that follow from how fast the cloth moves, and from nothing else, so that a run that is
// resumed decides alike.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "body/skin_travel.h"
#include "core/fixed_math.h"

namespace frame {

// Cloth slower than the first on the mean [m/s] takes resting substeps, faster than the second as many as its stretch asks for, in between by the
// logarithm of its speed: another number of substeps is another stiffness, and where that changes steeply cloth whose speed rises and falls is kept
// going by it.
constexpr double SLOW = 0.04, BRISK = 0.16;
// Skin and constraints change velocities of slow and of brisk cloth by this at most [m/s²], six times the weight; faster cloth's by any. What long
// substeps leave stretched, shorter ones take back at once: as speed it would keep cloth going.
constexpr double JOLT_AT_REST = 60, JOLT = 600;
// Cloth that whips by more than twice this [m/s, against its own mean motion] is stretched for a moment only, and takes as many substeps as that asks
// for; slower cloth would tremble, stretched and relieved in turn.
constexpr double FAST = 0.35;
// Cloth of more particles takes more substeps, by the third root: tension has more edges to go along.
constexpr double LARGE = 32768;
// Cloth slower than the first speed on the mean is as stiff as its fabric, faster than the second it is held to its length, garments over skin from the
// third on; in between by the logarithm of its speed [m/s]: cloth that goes soft sinks, and if it went soft at once it would gain so much speed that it
// never came to rest.
constexpr double SOFT = 0.03, FIRM = 0.8, WORN_FIRM = 0.3;
constexpr double FIRMER = 75;  // how many times as stiff as its fabric firm cloth is along the bias
// Until they are stretched by this, long threads and coarse limits of firm cloth bear only what that needs besides the sweep (cloth/compliance.h), beyond
// they are hard; those of softer cloth give as much more, up to the second.
constexpr double SOFT_STRETCH = 0.003, MOST_SOFT_STRETCH = 0.1;
// Edges of cloth as fast as this on the mean [m/s] share their stretch as much as they may, of slower cloth less: they are pushed by that, and slow cloth
// would go on trembling.
constexpr double EVENED = 0.4;
// How fast slow cloth that is too near to cloth is moved away [m/s]; if it is moved by and by it shivers.
constexpr double AT_ONCE = 20;
// Threads rub on each other, constraints do not: by how much that slows down cloth that moves and cloth that is nearly still [m/s²]; dry friction, so that
// small swings end.
constexpr double RUBBING = 0.04, STICKING = 0.08;
// The mean speed below which cloth sticks [m/s], less and less up to twice this; the highest rate [1/s].
constexpr double NEARLY_STILL = 0.03, HARDEST_BRAKE = 5;
// The skin is searched once in so many contact updates at least, and followed from there: cloth itself whips.
constexpr int FOLLOWED = 2;

struct Speeds {
    double mean, whipping;
};
// The root of the mean square of velocities (count, 3) [m/s], and of those against their mean: of cloth that whips; cloth that is carried along as a
// whole does not.
inline Speeds speeds(const double *velocity, std::size_t count) {
    const auto [all, own] = body::mean_squares(velocity, count);
    return {std::sqrt(all), std::sqrt(own)};
}
// how calm cloth of a mean speed is: 1 up to slow, 0 from twice that [m/s]
inline double calmness(double speed, double slow) { return std::min(std::max(2.0 - speed / slow, 0.0), 1.0); }
// 0 for cloth of a mean speed up to slow, 1 from fast on [m/s], by its logarithm between
inline double swiftness(double speed, double slow, double fast) {
    return fixed_math::log(std::min(std::max(speed, slow), fast) / slow) / fixed_math::log(fast / slow);
}
// what lies between two figures, by their ratio: the first at 0, the second at 1
inline double between(double at_rest, double brisk, double swift) { return at_rest * fixed_math::power(brisk / at_rest, swift); }
// how many times as stiff as the fabric cloth of a mean speed is along the bias; firm: from which speed on it is held to its length [m/s]
inline double firmness(double speed, double firm, double firmer = FIRMER) { return fixed_math::power(firmer, swiftness(speed, SOFT, firm)); }
// the rate at which threads that rub slow down cloth of a mean speed [m/s], [1/s]
inline double rubbing_drag(double speed) {
    const double slows = RUBBING + (STICKING - RUBBING) * calmness(speed, NEARLY_STILL);
    return slows >= HARDEST_BRAKE * speed ? HARDEST_BRAKE : slows / speed;
}

}  // namespace frame
