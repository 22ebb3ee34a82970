// Where the cloth touches the skin during one step: planes by particle, packed for the hot loop (ContactView in xpbd.h).
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "alike.h"
#include "lanes.h"
#include "memory.h"
#include "team.h"
#include "xpbd.h"

constexpr std::size_t SERIAL_BELOW = 2400;  // particles; below, waiting for a second thread costs more than it gives

// contacts in the caller's order of particles
struct GivenContacts {
    std::size_t count;
    const std::int32_t *particle;
    const double *gap;       // [m]
    const double *normal;    // (count, 3)
    const double *velocity;  // of the skin (count, 3) [m/s]
};

template <class T>
class SkinPlanes {
  public:
    std::vector<std::uint32_t> begin;  // (particle + 1), in the packed order
    Scratch<T> normal;                 // (plane, 3)
    Scratch<T> offset;                 // (plane): normal · x of the skin [m]

    // position: (particle, 3) in the caller's order; place: where the caller's particles are in the packed order
    template <class I>
    void read(const GivenContacts &given, const double *position, const std::vector<I> &place) {
        begin.assign(place.size() + 1, 0);
        for (std::size_t c = 0; c < given.count; ++c) ++begin[place[given.particle[c]] + 1];
        for (std::size_t k = 0; k < place.size(); ++k) begin[k + 1] += begin[k];
        normal.take(3 * given.count), velocity_.take(3 * given.count), offset.take(given.count);
        std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1), home(given.count);
        for (std::size_t c = 0; c < given.count; ++c) home[c] = next[place[given.particle[c]]]++;
        for_ranges(given.count, SERIAL_BELOW, [&](std::size_t first, std::size_t last) {
            for (std::size_t c = first; c < last; ++c) read_one(given, c, position + 3 * static_cast<std::size_t>(given.particle[c]), home[c]);
        });
    }

    // thickness [m] and friction by particle
    void pack(const Alike<T> &thickness, const Alike<T> &friction) {
        const std::size_t spans = (thickness.size() + CONTACT_SPAN - 1) / CONTACT_SPAN;
        block_begin_.assign(spans + 1, 0);
        for_ranges(spans, SERIAL_BELOW / CONTACT_SPAN, [&](std::size_t first, std::size_t last) {
            for (std::size_t s = first; s < last; ++s)
                each(s, [&](std::size_t block, std::size_t, std::size_t, std::size_t) { block_begin_[s + 1] = block + 1; });
        });
        for (std::size_t s = 0; s < spans; ++s) block_begin_[s + 1] += block_begin_[s];
        particle_.take(block_begin_[spans] * LANES), plane_.take(block_begin_[spans] * CONTACT_ROWS * LANES);
        for_ranges(spans, SERIAL_BELOW / CONTACT_SPAN, [&](std::size_t first, std::size_t last) {
            for (std::size_t s = first; s < last; ++s) pack_span(s, thickness, friction);
        });
        ::give_back(begin, normal, offset, velocity_);
    }
    // after the substeps: the next step reads its own
    void give_back() { ::give_back(block_begin_, particle_, plane_); }

    // the numbers of one plane (CONTACT_ROWS)
    void figures(std::size_t c, T thickness, T friction, T *rows) const {
        const T *n = normal.data() + 3 * c, *v = velocity_.data() + 3 * c;
        const T all[CONTACT_ROWS] = {n[0], n[1], n[2], offset[c] + thickness, n[0] * v[0] + n[1] * v[1] + n[2] * v[2], v[0], v[1], v[2], friction};
        std::copy_n(all, CONTACT_ROWS, rows);
    }

    std::size_t bytes() const { return bytes_of(begin, normal, offset, velocity_, block_begin_, particle_, plane_); }
    ContactView<T> view() const { return {block_begin_.data(), particle_.data(), plane_.data()}; }

  private:
    void read_one(const GivenContacts &given, std::size_t c, const double *x, std::size_t to) {
        double along = -given.gap[c];
        for (int a = 0; a < 3; ++a) {
            along += given.normal[3 * c + a] * x[a];
            normal[3 * to + a] = static_cast<T>(given.normal[3 * c + a]);
            velocity_[3 * to + a] = static_cast<T>(given.velocity[3 * c + a]);
        }
        offset[to] = static_cast<T>(along);
    }
    // use(block of the span, lane, particle, plane): the first plane of every particle, then the second ones in new blocks
    template <class Use>
    void each(std::size_t span, const Use &use) const {
        const std::size_t end = std::min(begin.size() - 1, (span + 1) * CONTACT_SPAN);
        std::size_t block = 0;
        bool more = true;
        for (std::size_t round = 0; more; ++round) {
            more = false;
            std::size_t lane = 0;
            for (std::size_t k = span * CONTACT_SPAN; k < end; ++k) {
                const std::size_t c = begin[k] + round;
                if (c >= begin[k + 1]) continue;
                more |= c + 1 < begin[k + 1];
                use(block + lane / LANES, lane % LANES, k, c), ++lane;
            }
            block += (lane + LANES - 1) / LANES;
        }
    }
    void pack_span(std::size_t span, const Alike<T> &thickness, const Alike<T> &friction) {
        std::int32_t *particle = particle_.data() + LANES * block_begin_[span];
        T *plane = plane_.data() + CONTACT_ROWS * LANES * block_begin_[span];
        // unused lanes: a plane that nothing reaches, on a pinned particle that nobody reads (two: each of two threads has its half of the spans)
        const std::size_t blocks = block_begin_[span + 1] - block_begin_[span], dummy = thickness.size() + (span >= (block_begin_.size() - 1) / 2);
        std::fill_n(particle, LANES * blocks, static_cast<std::int32_t>(dummy));
        std::fill_n(plane, CONTACT_ROWS * LANES * blocks, T(-1));
        each(span, [&](std::size_t block, std::size_t lane, std::size_t k, std::size_t c) {
            T rows[CONTACT_ROWS];
            figures(c, thickness[k], friction[k], rows);
            particle[LANES * block + lane] = static_cast<std::int32_t>(k);
            for (int r = 0; r < CONTACT_ROWS; ++r) plane[(CONTACT_ROWS * block + r) * LANES + lane] = rows[r];
        });
    }

    Scratch<T> velocity_;  // (plane, 3)
    // packed
    std::vector<std::size_t> block_begin_;
    Scratch<std::int32_t> particle_;
    Scratch<T> plane_;
};
