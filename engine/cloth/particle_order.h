// In which order a cloth keeps its particles, so that neighbours are close in memory, and what the caller gives and gets in his own order.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/memory.h"
#include "core/require.h"
#include "core/threads.h"

// from where positions are measured [m]
using Origin = std::array<double, 3>;

// A point on a raster near the middle of some particles. Single precision rounds a position to a ten-millionth of its distance from the origin; a hundredth of
// a millimetre, eighty metres into a walk, would let cloth that stands tremble.
inline Origin middle_of(const double *position, std::size_t count) {
    constexpr double raster = 0.125;  // [m]; cloth that moves a little keeps its origin
    constexpr std::size_t every = 16;
    Origin middle{};
    for (int a = 0; a < 3; ++a) {
        double least = HUGE_VAL, most = -HUGE_VAL;
        for (std::size_t p = 0; p < count; p += every) least = std::min(least, position[3 * p + a]), most = std::max(most, position[3 * p + a]);
        const double rounded = raster * std::nearbyint((least + most) / (2 * raster));
        if (std::isfinite(rounded)) middle[a] = rounded;
    }
    return middle;
}

template <class T, class I>
class ParticleOrder {
  public:
    using Indices = std::span<const std::int32_t>;
    using Numbers = std::span<const double>;

    void set(Indices order) {
        particle_.assign(order.size(), I(0)), place_ = particle_;
        std::vector<bool> taken(order.size());
        for (std::size_t k = 0; k < order.size(); ++k) {
            const std::int32_t p = order[k];
            require(p >= 0 && static_cast<std::size_t>(p) < order.size() && !taken[p], "order must be a permutation of the particles");
            particle_[k] = static_cast<I>(p), place_[p] = static_cast<I>(k), taken[p] = true;
        }
    }
    // (place): the caller's particle
    const std::vector<I> &particles() const { return particle_; }
    I place(std::int32_t particle) const { return place_[particle]; }
    std::size_t bytes() const { return bytes_of(particle_, place_); }

    std::vector<T> numbers(Numbers values) const {
        std::vector<T> r(particle_.size());
        for (std::size_t k = 0; k < r.size(); ++k) r[k] = static_cast<T>(values[particle_[k]]);
        return r;
    }
    std::vector<double> points(Numbers position) const {
        std::vector<double> r(3 * particle_.size());
        for (std::size_t k = 0; k < particle_.size(); ++k)
            std::copy_n(position.data() + 3 * static_cast<std::size_t>(particle_[k]), 3, r.data() + 3 * k);
        return r;
    }
    // places of particles that are known to exist, or (below 0) are none; others throw
    std::vector<std::int32_t> places(Indices rows) const {
        std::vector<std::int32_t> r(rows.size());
        for (std::size_t i = 0; i < r.size(); ++i) {
            const std::int32_t p = rows[i];
            if (p >= 0 && static_cast<std::size_t>(p) >= place_.size()) detail::refuse<std::out_of_range>("a constraint names a particle that does not exist");
            r[i] = p < 0 ? -1 : place_[p];
        }
        return r;
    }

    // The first three of each particle's four numbers, measured from an origin. Both ways go through the caller's arrays from end to end, which are twice as
    // large and seldom in the cache, and jump in our own.
    void read(const double *rows, const Origin &from, std::vector<T> &to) const {
        each([&](std::size_t p, std::size_t k) {
            for (int a = 0; a < 3; ++a) to[4 * k + a] = static_cast<T>(rows[3 * p + a] - from[a]);
        });
    }
    void write(const std::vector<T> &rows, const Origin &from, double *to) const {
        each([&](std::size_t p, std::size_t k) {
            for (int a = 0; a < 3; ++a) to[3 * p + a] = rows[4 * k + a] + from[a];
        });
    }

  private:
    // use(particle, place)
    template <class Use>
    void each(const Use &use) const {
        for_ranges(place_.size(), SERIAL_BELOW, [&](std::size_t first, std::size_t last) {
            const I *place = place_.data();
            for (std::size_t p = first; p < last; ++p) use(p, place[p]);
        });
    }
    std::vector<I> particle_, place_;
};
