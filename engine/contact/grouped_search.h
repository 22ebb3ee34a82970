// One hit for each point and group of a surface within a radius, found in packets of points that threads work on.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/threads.h"
#include "geometry/bvh.h"

namespace surface {

// Points that ask a surface. order: points one after the other are near each other; it decides how long the search takes, not what it finds; hint: a
// triangle that is probably near, or -1, for each point and group. Either may be null.
struct AskingPoints {
    const double *at = nullptr;  // (count, 3) [m]
    std::size_t count = 0;
    const std::int32_t *order = nullptr, *hint = nullptr;
};

// Contacts that were found a moment ago, and which points are searched again all the same: those in one of the boxes, and those that have gone
// farther than slip [m] past the surface as a whole.
struct EarlierContacts {
    std::size_t count = 0;
    const std::int32_t *particle = nullptr, *triangle = nullptr;  // ascending by point, those of a point by group
    const double *asked = nullptr;                                // where points were then (point, 3) [m]
    Vec3 drift{0, 0, 0};                                          // of the surface as a whole since [m]
    double slip = 0;
    std::size_t box_count = 0;
    const double *boxes = nullptr;  // (box, 2, 3): low and high corners [m]
};

class FollowedPoints {
  public:
    FollowedPoints(const EarlierContacts &earlier, std::size_t points) : earlier_(earlier), first_(points + 1, 0) {
        for (std::size_t i = 0; i < earlier.count; ++i) ++first_[static_cast<std::size_t>(earlier.particle[i]) + 1];
        for (std::size_t p = 0; p < points; ++p) first_[p + 1] += first_[p];
    }
    bool searched(std::size_t i, Vec3 p) const {
        const Vec3 displacement = p - load(earlier_.asked + 3 * i) - earlier_.drift;
        if (!(dot(displacement, displacement) <= earlier_.slip * earlier_.slip)) return true;
        for (std::size_t b = 0; b < earlier_.box_count; ++b) {
            const double *low = earlier_.boxes + 6 * b, *high = low + 3;
            if (p.x > low[0] && p.x < high[0] && p.y > low[1] && p.y < high[1] && p.z > low[2] && p.z < high[2]) return true;
        }
        return false;
    }
    int follow(const Tree &tree, std::size_t i, Vec3 p, double radius, Hit *hits) const {
        return tree.follow(p, radius, earlier_.triangle + first_[i], static_cast<int>(first_[i + 1] - first_[i]), hits);
    }

  private:
    EarlierContacts earlier_;
    std::vector<std::uint32_t> first_;
};

constexpr std::size_t SERIAL_POINTS = 256;  // fewer are left to one thread

// Record: what is kept of a hit, made by record(hit).
template <class Record>
struct GroupedSearch {
    static constexpr std::size_t packet = Tree::packet_size;
    struct One {
        std::int32_t point;
        Record what;
    };
    struct Part {
        std::size_t thread, begin, end;
    };
    std::vector<std::int32_t> hint;       // (point, group), for the next time
    std::vector<std::vector<One>> found;  // by each thread
    std::vector<Part> part;               // of each packet
    std::vector<std::size_t> start;       // first contact of each point, and the end

    template <class Make>
    GroupedSearch(const Tree &tree, const AskingPoints &points, double radius, const Make &record, const FollowedPoints *before = nullptr, int widest = 5) {
        const std::size_t n = points.count, groups = static_cast<std::size_t>(tree.group_count()), packets = (n + packet - 1) / packet;
        if (points.hint) hint.assign(points.hint, points.hint + n * groups);
        else hint.assign(n * groups, -1);
        const int size = n < SERIAL_POINTS ? 1 : thread_count();
        found.resize(size), part.resize(packets), start.assign(n + 1, 0);
        // each thread has packets that lie next to each other, and takes another's only when it is done
        std::vector<std::atomic<std::size_t>> taken(size);
        run_team(size, [&](int rank, int team, Barrier &) {
            std::vector<Hit> hits(packet * groups);
            std::vector<One> &into = found[rank];
            into.reserve(n / team + packet);
            Vec3 p[packet];
            std::int32_t index[packet], *known[packet];
            int count[packet];
            const auto keep = [&](std::int32_t point, const Hit *hit, int many) {
                start[point + 1] = many;
                for (int k = 0; k < many; ++k) into.push_back({point, record(hit[k])});
            };
            const auto each_packet = [&](const auto &use) {
                for (int offset = 0; offset < team; ++offset) {
                    const int whose = (rank + offset) % team;
                    const Share own = share(packets, whose, team);
                    for (std::size_t k; (k = taken[whose].fetch_add(1)) < own.end - own.begin;) use(own.begin + k);
                }
            };
            each_packet([&](std::size_t b) {
                int searched = 0;
                part[b] = {static_cast<std::size_t>(rank), into.size(), 0};
                for (std::size_t k = b * packet; k < std::min(n, (b + 1) * packet); ++k) {
                    const auto point = points.order ? points.order[k] : static_cast<std::int32_t>(k);
                    const Vec3 place = load(points.at + 3 * std::size_t(point));
                    if (!before || before->searched(point, place)) {
                        index[searched] = point, p[searched] = place, known[searched++] = &hint[point * groups];
                        continue;
                    }
                    const int many = before->follow(tree, point, place, radius, hits.data());
                    for (int h = 0; h < many; ++h) hint[point * groups + tree.group_of(hits[h].triangle)] = hits[h].triangle;
                    keep(point, hits.data(), many);
                }
                tree.nearest_per_group(p, searched, radius, known, hits.data(), count, widest);
                for (int i = 0; i < searched; ++i) keep(index[i], &hits[i * groups], count[i]);
                part[b].end = into.size();
            });
        });
        for (std::size_t i = 0; i < n; ++i) start[i + 1] += start[i];
    }
    std::size_t total() const { return start.back(); }
    // use(contact, point, record)
    template <class Use>
    void each(const Use &use) const {
        for_ranges(part.size(), 16, [&](std::size_t begin, std::size_t end) {
            for (std::size_t b = begin; b < end; ++b) {
                std::int32_t last = -1;
                std::size_t place = 0;
                for (std::size_t k = part[b].begin; k < part[b].end; ++k) {
                    const One &one = found[part[b].thread][k];
                    place = one.point == last ? place + 1 : start[one.point];
                    last = one.point;
                    use(place, one.point, one.what);
                }
            }
        });
    }
};

}  // namespace surface
