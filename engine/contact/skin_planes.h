// Where the cloth touches the skin during one step: planes by particle, packed for the hot loop (ContactView in xpbd.h).
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/uniform_or_each.h"
#include "core/lanes.h"
#include "core/memory.h"
#include "core/vector3.h"
#include "core/threads.h"
#include "cloth/xpbd.h"

// contacts in the caller's order of particles
struct GivenContacts {
    std::size_t count;
    const std::int32_t *particle;
    const double *gap;       // [m]
    const double *normal;    // (count, 3)
    const double *velocity;  // of the skin (count, 3) [m/s]
};

// Which contacts each of the caller's particles has. They are given in the order of the particles; if not, they are sorted.
class FirstContacts {
  public:
    FirstContacts(const GivenContacts &given, std::size_t particles) : first_(particles + 1) {
        const auto particle = [&](std::size_t i) { return static_cast<std::size_t>(given.particle[sorted_.empty() ? i : sorted_[i]]); };
        if (!std::is_sorted(given.particle, given.particle + given.count)) {
            sorted_.resize(given.count);
            std::iota(sorted_.begin(), sorted_.end(), std::uint32_t{0});
            std::stable_sort(sorted_.begin(), sorted_.end(), [&](auto a, auto b) { return given.particle[a] < given.particle[b]; });
        }
        std::size_t filled = 0;
        for (std::size_t i = 0; i < given.count; ++i)
            while (filled <= particle(i)) first_[filled++] = static_cast<std::uint32_t>(i);
        while (filled < first_.size()) first_[filled++] = static_cast<std::uint32_t>(given.count);
    }
    template <class Use>
    void each(std::size_t particle, const Use &use) const {
        for (std::uint32_t i = first_[particle]; i < first_[particle + 1]; ++i) use(std::size_t{sorted_.empty() ? i : sorted_[i]});
    }

    // begins to read what is asked for soon: first which contacts a particle has, then, some particles later, what they are
    void fetch(std::size_t particle) const { begin_to_read(&first_[particle]); }
    void fetch(const GivenContacts &given, std::size_t particle) const {
        if (first_[particle] == first_[particle + 1] || !sorted_.empty()) return;
        const std::size_t c = first_[particle];
        begin_to_read(given.gap + c), begin_to_read(given.normal + 3 * c), begin_to_read(given.velocity + 3 * c);
    }

  private:
    std::vector<std::uint32_t> first_, sorted_;
};

template <class T>
class SkinPlanes {
  public:
    std::vector<std::uint32_t> begin;  // (particle + 1), in the packed order
    Scratch<T> normal;                 // (plane, 3)
    Scratch<T> offset;                 // (plane): normal · x of the skin, from the origin [m]
    surface::Vec3 origin{};            // from where packed particles are measured [m]

    // position, velocity: (particle, 3) in the caller's order; order: which of them each packed particle is. Planes that particles,
    // which keep their thickness [m] off the skin, cannot reach within dt [s] are left out.
    template <class I>
    void read(const GivenContacts &given, const FirstContacts &first, const double *position, const double *velocity, const std::vector<I> &order,
              const UniformOrEach<T> &thickness, double dt) {
        const std::vector<std::uint8_t> near = within_reach(given, velocity, thickness, dt);
        const std::size_t spans = (order.size() + CONTACT_SPAN - 1) / CONTACT_SPAN;
        std::vector<std::uint32_t> kept(spans + 1, 0);  // before each span
        begin.resize(order.size() + 1);
        // use(packed particle, contact)
        const auto each_contact = [&](std::size_t span, const auto &use) {
            for (std::size_t k = span * CONTACT_SPAN; k < std::min(order.size(), (span + 1) * CONTACT_SPAN); ++k)
                first.each(order[k], [&](std::size_t c) { use(k, c); });
        };
        const auto each_span = [&](const auto &use) {
            for_ranges(spans, SERIAL_BELOW / CONTACT_SPAN, [&](std::size_t from, std::size_t to) {
                for (std::size_t s = from; s < to; ++s) use(s);
            });
        };
        each_span([&](std::size_t s) { each_contact(s, [&](std::size_t, std::size_t c) { kept[s + 1] += near[c]; }); });
        for (std::size_t s = 0; s < spans; ++s) kept[s + 1] += kept[s];
        normal.take(3 * kept[spans]), velocity_.take(3 * kept[spans]), offset.take(kept[spans]);
        each_span([&](std::size_t s) {
            std::uint32_t next = kept[s];
            std::size_t filled = s * CONTACT_SPAN;
            each_contact(s, [&](std::size_t k, std::size_t c) {
                if (!near[c]) return;
                while (filled <= k) begin[filled++] = next;
                read_one(given, c, position + 3 * static_cast<std::size_t>(order[k]), next++);
            });
            while (filled < std::min(order.size(), (s + 1) * CONTACT_SPAN)) begin[filled++] = next;
        });
        begin.back() = kept[spans];
    }

    // The same from contacts that are found here: find(first, last, reaches, emit) calls emit(particle, place, gap, normal, velocity of
    // the skin) for packed particles in their order; reaches(particle, gap, velocity) tells beforehand whether that is worth while.
    // velocity: (particle, 4).
    template <class Find>
    void collect(std::size_t particles, const Find &find, const T *velocity, const UniformOrEach<T> &thickness, double dt) {
        const double still = beside(thickness);
        const std::size_t spans = (particles + CONTACT_SPAN - 1) / CONTACT_SPAN;
        std::vector<std::vector<Found>> found(spans);
        const auto each_span = [&](const auto &use) {
            for_ranges(spans, SERIAL_BELOW / CONTACT_SPAN, [&](std::size_t from, std::size_t to) {
                for (std::size_t s = from; s < to; ++s) use(s, s * CONTACT_SPAN, std::min(particles, (s + 1) * CONTACT_SPAN));
            });
        };
        const auto reaches = [&](std::size_t k, double gap, const auto &v) {
            const T *own = velocity + 4 * k;
            return comes_near(gap - still, own[0] - v.x, own[1] - v.y, own[2] - v.z, dt);
        };
        each_span([&](std::size_t s, std::size_t first, std::size_t last) {
            found[s].reserve(CONTACT_SPAN);
            find(first, last, reaches, [&](std::size_t k, const auto &x, double gap, const auto &n, const auto &v) {
                if (!reaches(k, gap, v)) return;
                found[s].push_back({static_cast<std::uint32_t>(k), {T(n.x), T(n.y), T(n.z)}, static_cast<T>(dot(n, x - origin) - gap), {T(v.x), T(v.y), T(v.z)}});
            });
        });
        std::vector<std::uint32_t> kept(spans + 1, 0);  // before each span
        for (std::size_t s = 0; s < spans; ++s) kept[s + 1] = kept[s] + static_cast<std::uint32_t>(found[s].size());
        normal.take(3 * kept[spans]), velocity_.take(3 * kept[spans]), offset.take(kept[spans]);
        begin.resize(particles + 1);
        each_span([&](std::size_t s, std::size_t filled, std::size_t last) {
            std::uint32_t c = kept[s];
            for (const Found &one : found[s]) {
                while (filled <= one.particle) begin[filled++] = c;
                for (int a = 0; a < 3; ++a) normal[3 * c + a] = one.normal[a], velocity_[3 * c + a] = one.velocity[a];
                offset[c++] = one.offset;
            }
            while (filled < last) begin[filled++] = c;
        });
        begin.back() = kept[spans];
    }

    // none
    void clear(std::size_t particles) { begin.assign(particles + 1, 0); }

    // thickness [m] and friction by particle
    void pack(const UniformOrEach<T> &thickness, const UniformOrEach<T> &friction) {
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
        ::release_memory(begin, normal, offset, velocity_);
    }
    // after the substeps: the next step reads its own
    void release_memory() { ::release_memory(block_begin_, particle_, plane_); }

    // the numbers of one plane (CONTACT_ROWS)
    void figures(std::size_t c, T thickness, T friction, T *rows) const {
        const T *n = normal.data() + 3 * c, *v = velocity_.data() + 3 * c;
        const T all[CONTACT_ROWS] = {n[0], n[1], n[2], offset[c] + thickness, n[0] * v[0] + n[1] * v[1] + n[2] * v[2], v[0], v[1], v[2], friction};
        std::copy_n(all, CONTACT_ROWS, rows);
    }

    std::size_t bytes() const { return bytes_of(begin, normal, offset, velocity_, block_begin_, particle_, plane_); }
    ContactView<T> view() const { return {block_begin_.data(), particle_.data(), plane_.data()}; }

  private:
    struct Found {
        std::uint32_t particle;
        T normal[3], offset, velocity[3];
    };
    // skin within this [m] is near, however slowly cloth moves: it may be jerked
    static double beside(const UniformOrEach<T> &thickness) {
        constexpr double jerk = 0.01;  // [m]
        return jerk + *std::max_element(thickness.values().begin(), thickness.values().end());
    }
    // whether a particle comes as far as this [m] at twice its speed against the skin (x, y, z)
    static bool comes_near(double far, double x, double y, double z, double dt) {
        const double distance = std::max(far, 0.0);
        return distance * distance <= 4 * dt * dt * (x * x + y * y + z * z);
    }
    static std::vector<std::uint8_t> within_reach(const GivenContacts &given, const double *velocity, const UniformOrEach<T> &thickness, double dt) {
        const double still = beside(thickness);
        std::vector<std::uint8_t> near(given.count);
        for_ranges(given.count, SERIAL_BELOW, [&](std::size_t first, std::size_t last) {
            for (std::size_t c = first; c < last; ++c) {
                const double *v = velocity + 3 * static_cast<std::size_t>(given.particle[c]), *skin = given.velocity + 3 * c;
                near[c] = comes_near(given.gap[c] - still, v[0] - skin[0], v[1] - skin[1], v[2] - skin[2], dt);
            }
        });
        return near;
    }
    void read_one(const GivenContacts &given, std::size_t c, const double *x, std::size_t to) {
        offset[to] = static_cast<T>(dot(surface::load(given.normal + 3 * c), surface::load(x) - origin) - given.gap[c]);
        for (int a = 0; a < 3; ++a) {
            normal[3 * to + a] = static_cast<T>(given.normal[3 * c + a]);
            velocity_[3 * to + a] = static_cast<T>(given.velocity[3 * c + a]);
        }
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
    void pack_span(std::size_t span, const UniformOrEach<T> &thickness, const UniformOrEach<T> &friction) {
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
