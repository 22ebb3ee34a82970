// How far the skin near a cloth moves against it: what decides how often it must be looked at.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "bind.h"

namespace {

struct Box {
    std::array<double, 3> low, high;
    Box() { low.fill(std::numeric_limits<double>::infinity()), high.fill(-low[0]); }
    void add(const double *p) {
        for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
    }
    void grow(double by) {
        for (int k = 0; k < 3; ++k) low[k] -= by, high[k] += by;
    }
    bool holds(const double *p) const {
        bool in = true;
        for (int k = 0; k < 3; ++k) in &= p[k] > low[k] && p[k] < high[k];
        return in;
    }
};

constexpr int LIMIT = 32;  // thin limbs

// of some hundred rows evenly taken from all
std::array<double, 3> median(Points rows) {
    std::array<double, 3> r{};
    const std::size_t every = std::max<std::size_t>(1, rows.shape(0) / 1000), n = (rows.shape(0) + every - 1) / every, half = n / 2;
    std::vector<double> column(n);
    for (int k = 0; k < 3; ++k) {
        for (std::size_t i = 0; i < n; ++i) column[i] = rows.data()[3 * every * i + k];
        std::nth_element(column.begin(), column.begin() + half, column.end());
        r[k] = column[half];
        if (n % 2 == 0) r[k] = 0.5 * (r[k] + *std::max_element(column.begin(), column.begin() + half));
    }
    return r;
}

// farthest way of broad and of thin limbs [m]
std::tuple<double, double> skin_way(Points before, Points after, In<std::int32_t, -1> thin, Points position, Points velocity,
                                    double dt, double near) {
    const std::size_t n = before.shape(0);
    require(after.shape(0) == n && thin.size() == n, "before, after and thin need one row per skin vertex");
    require(position.shape(0) == velocity.shape(0) && position.shape(0) > 0, "position and velocity need one row per particle");
    for (std::size_t i = 0; i < n; ++i) require(thin.data()[i] >= -1 && thin.data()[i] < LIMIT, "thin limbs are numbered from 0 to 31");
    Box cloth;
    for (std::size_t i = 0; i < position.shape(0); ++i) cloth.add(position.data() + 3 * i);
    cloth.grow(near);
    Box reach[LIMIT];
    std::vector<std::int32_t> boxed;
    for (std::size_t i = 0; i < n; ++i) {
        const double *start = before.data() + 3 * i, *end = after.data() + 3 * i;
        if (!cloth.holds(start) && !cloth.holds(end)) continue;
        boxed.push_back(static_cast<std::int32_t>(i));
        if (const auto limb = thin.data()[i]; limb >= 0) reach[limb].add(start), reach[limb].add(end);
    }
    // a hand beside the cloth matters only when some cloth is close to it
    bool matters[LIMIT];
    for (int k = 0; k < LIMIT; ++k) {
        reach[k].grow(near);
        matters[k] = false;
        if (!(reach[k].low[0] <= reach[k].high[0])) continue;
        for (std::size_t i = 0; i < position.shape(0) && !matters[k]; ++i) matters[k] = reach[k].holds(position.data() + 3 * i);
    }
    const auto drift = boxed.empty() ? std::array<double, 3>{} : median(velocity);
    double broadest = 0, thinnest = 0;
    for (const auto i : boxed) {
        const auto limb = thin.data()[i];
        if (limb >= 0 && !matters[limb]) continue;
        double square = 0;
        for (int k = 0; k < 3; ++k) {
            const double way = after.data()[3 * i + k] - before.data()[3 * i + k] - dt * drift[k];
            square += way * way;
        }
        double &most = limb < 0 ? broadest : thinnest;
        most = std::max(most, std::sqrt(square));
    }
    return {broadest, thinnest};
}
}  // namespace

void bind_way(nb::module_ &m) {
    m.def("skin_way", &skin_way, nb::arg("before"), nb::arg("after"), nb::arg("thin"), nb::arg("position"), nb::arg("velocity"),
          nb::arg("dt"), nb::arg("near"),
          "-> how far skin near the cloth moves against the cloth's median motion [m]: of broad limbs (thin -1), of thin ones");
}
