// In which order a cloth keeps its particles, so that neighbours are close in memory, and what the caller gives and gets in his own order.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "bind.h"
#include "core/memory.h"
#include "core/threads.h"

// from where positions are measured [m]
using Origin = std::array<double, 3>;

// A point on a raster near the middle of some particles. Single precision rounds a position to a ten-millionth of its distance from the origin; a hundredth of
// a millimetre, eighty metres into a walk, would let cloth that stands tremble.
inline Origin middle_of(const Points &position) {
    constexpr double raster = 0.125;  // [m]; cloth that moves a little keeps its origin
    constexpr std::size_t every = 16;
    Origin middle{};
    for (int a = 0; a < 3; ++a) {
        double least = HUGE_VAL, most = -HUGE_VAL;
        for (std::size_t p = 0; p < position.shape(0); p += every) least = std::min(least, position(p, a)), most = std::max(most, position(p, a));
        const double rounded = raster * std::nearbyint((least + most) / (2 * raster));
        if (std::isfinite(rounded)) middle[a] = rounded;
    }
    return middle;
}

template <class T, class I>
class ParticleOrder {
  public:
    using Indices = In<std::int32_t, -1>;
    using Numbers = In<double, -1>;

    void set(const Indices &order) {
        particle_.assign(order.size(), I(0)), place_ = particle_;
        std::vector<bool> taken(order.size());
        for (std::size_t k = 0; k < order.size(); ++k) {
            const std::int32_t p = order.data()[k];
            require(p >= 0 && static_cast<std::size_t>(p) < order.size() && !taken[p], "order must be a permutation of the particles");
            particle_[k] = static_cast<I>(p), place_[p] = static_cast<I>(k), taken[p] = true;
        }
    }
    // (place): the caller's particle
    const std::vector<I> &particles() const { return particle_; }
    I place(std::int32_t particle) const { return place_[particle]; }
    std::size_t bytes() const { return bytes_of(particle_, place_); }

    std::vector<T> numbers(const Numbers &values) const {
        std::vector<T> r(particle_.size());
        for (std::size_t k = 0; k < r.size(); ++k) r[k] = static_cast<T>(values.data()[particle_[k]]);
        return r;
    }
    std::vector<double> points(const Points &position) const {
        std::vector<double> r(3 * particle_.size());
        for (std::size_t k = 0; k < particle_.size(); ++k)
            std::copy_n(position.data() + 3 * static_cast<std::size_t>(particle_[k]), 3, r.data() + 3 * k);
        return r;
    }
    // places of particles that are known to exist, or (below 0) are none; others throw
    template <class Rows>
    std::vector<std::int32_t> places(const Rows &rows) const {
        std::vector<std::int32_t> r(rows.size());
        for (std::size_t i = 0; i < r.size(); ++i) {
            const std::int32_t p = rows.data()[i];
            if (p >= 0 && static_cast<std::size_t>(p) >= place_.size()) throw std::out_of_range("a constraint names a particle that does not exist");
            r[i] = p < 0 ? -1 : place_[p];
        }
        return r;
    }

    // The first three of each particle's four numbers, measured from an origin. Both ways go through the caller's arrays from end to end, which are twice as
    // large and seldom in the cache, and jump in our own.
    void read(const Points &rows, const Origin &from, std::vector<T> &to) const {
        each([&](std::size_t p, std::size_t k) {
            for (int a = 0; a < 3; ++a) to[4 * k + a] = static_cast<T>(rows.data()[3 * p + a] - from[a]);
        });
    }
    nb::ndarray<nb::numpy, double> written(const std::vector<T> &rows, const Origin &from) const {
        auto r = std::make_unique_for_overwrite<double[]>(3 * place_.size());
        each([&](std::size_t p, std::size_t k) {
            for (int a = 0; a < 3; ++a) r[3 * p + a] = rows[4 * k + a] + from[a];
        });
        return own(std::move(r), {place_.size(), 3});
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
