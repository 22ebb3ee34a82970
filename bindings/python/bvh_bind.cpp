// The box tree for Python: many points at once, on the thread team.
#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <optional>

#include "bind.h"
#include "geometry/bvh.h"
#include "core/checks.h"
#include "contact/obstacles.h"
#include "core/threads.h"

namespace {
using namespace surface;
using Hints = std::optional<In<std::int32_t, -1>>;
using GroupHints = std::optional<In<std::int32_t, -1, -1>>;

constexpr std::size_t SERIAL_POINTS = 256;  // fewer are left to one thread

// numbers that are not set to anything yet
template <class T>
std::unique_ptr<T[]> room(std::size_t size) {
    return std::make_unique_for_overwrite<T[]>(size);
}

void require_radius(double radius) { require(radius >= 0, "radius must not be negative or NaN"); }

template <class Array>
void require_hints(const Array &hint, std::size_t triangle_count) {
    if (!all_name_one_or_none(hint.data(), hint.size(), triangle_count)) throw std::out_of_range("a hint names a triangle that does not exist");
}

void require_finite(const Points &points, const char *message) {
    require(all_finite(points.data(), points.size()), message);
}

Tree *make_tree(Tree *where, Triangles triangles, Points vertices, std::optional<In<std::int32_t, -1>> group) {
    require_indices(triangles, vertices.shape(0), "a triangle names a vertex that does not exist");
    require_finite(vertices, "surface vertices hold NaN or infinite numbers");
    if (group) {
        require(group->shape(0) == triangles.shape(0), "group must have one value per triangle");
        require_indices(*group, Tree::max_groups, "groups are numbered from 0 to 31");
    }
    return new (where) Tree(triangles.data(), triangles.shape(0), vertices.data(), vertices.shape(0),
                            group ? group->data() : nullptr);
}

// raised: vertices that are elsewhere, and where
void refit_tree(Tree &tree, Points vertices, std::optional<In<std::int32_t, -1>> raised, std::optional<Points> place) {
    require(vertices.shape(0) == tree.vertex_count(), "refit needs as many vertices as the tree was built with");
    require_finite(vertices, "surface vertices hold NaN or infinite numbers");
    require(raised.has_value() == place.has_value() && (!raised || raised->shape(0) == place->shape(0)), "raised vertices need one place each");
    if (raised) {
        require_indices(*raised, tree.vertex_count(), "a raised vertex does not exist");
        require_finite(*place, "surface vertices hold NaN or infinite numbers");
    }
    nb::gil_scoped_release release;
    if (raised) tree.refit(vertices.data(), {raised->shape(0), raised->data(), place->data()});
    else tree.refit(vertices.data());
}

auto nearest(const Tree &tree, Points points, double radius, Hints hint) {
    require_radius(radius);
    const std::size_t n = points.shape(0);
    if (hint) {
        require(hint->shape(0) == n, "hint must have one value per point");
        require_hints(*hint, tree.triangle_count());
    }
    std::vector<std::int32_t> triangle(n, -1);
    std::vector<double> gap(n, std::numeric_limits<double>::infinity()), point(3 * n), normal(3 * n), weight(3 * n);
    {
        nb::gil_scoped_release release;
        for_ranges(n, 256, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                Hit hit;
                if (!tree.nearest(load(points.data() + 3 * i), radius, hint ? hint->data()[i] : -1, hit)) continue;
                triangle[i] = hit.triangle;
                gap[i] = hit.gap;
                store(&point[3 * i], hit.point);
                store(&normal[3 * i], hit.normal);
                std::copy_n(hit.weight, 3, &weight[3 * i]);
            }
        });
    }
    return nb::make_tuple(own(std::move(triangle), {n}), own(std::move(gap), {n}), own(std::move(point), {n, 3}),
                          own(std::move(normal), {n, 3}), own(std::move(weight), {n, 3}));
}

using Order = std::optional<In<std::int32_t, -1>>;

// Contacts that were found a moment ago, and which points are searched again all the same: those in one of the boxes, and those that have gone
// farther than slip [m] past the surface as a whole.
class Known {
  public:
    Known(const Tree &tree, const Points &points, In<std::int32_t, -1> particle, In<std::int32_t, -1> triangle, Points asked, Vec3 drift, double slip,
          In<double, -1, 2, 3> boxes)
        : triangle_(triangle), asked_(asked), boxes_(boxes), drift_(drift), slip2_(slip * slip), first_(points.shape(0) + 1, 0) {
        const std::size_t n = points.shape(0);
        require(asked.shape(0) == n && particle.size() == triangle.size(), "each point was somewhere, each contact has a particle and a triangle");
        require_indices(particle, n, "a contact names a point that does not exist");
        require_indices(triangle, tree.triangle_count(), "a contact names a triangle that does not exist");
        for (std::size_t i = 0; i < particle.size(); ++i) {
            require(i == 0 || particle(i - 1) <= particle(i), "contacts must ascend by point");
            require(i == 0 || particle(i - 1) < particle(i) || tree.group_of(triangle(i - 1)) < tree.group_of(triangle(i)), "contacts of a point must ascend by group");
            ++first_[particle(i) + 1];
        }
        for (std::size_t p = 0; p < n; ++p) first_[p + 1] += first_[p];
    }
    bool searched(std::size_t i, Vec3 p) const {
        const Vec3 way = p - load(asked_.data() + 3 * i) - drift_;
        if (!(dot(way, way) <= slip2_)) return true;
        for (std::size_t b = 0; b < boxes_.shape(0); ++b) {
            const double *low = boxes_.data() + 6 * b, *high = low + 3;
            if (p.x > low[0] && p.x < high[0] && p.y > low[1] && p.y < high[1] && p.z > low[2] && p.z < high[2]) return true;
        }
        return false;
    }
    int follow(const Tree &tree, std::size_t i, Vec3 p, double radius, Hit *hits) const {
        return tree.follow(p, radius, triangle_.data() + first_[i], static_cast<int>(first_[i + 1] - first_[i]), hits);
    }

  private:
    In<std::int32_t, -1> triangle_;
    Points asked_;
    In<double, -1, 2, 3> boxes_;
    Vec3 drift_;
    double slip2_;
    std::vector<std::uint32_t> first_;
};

// One hit for each point and group within radius, in packets of points that threads work on; hints are read and updated.
// order: points one after the other are near each other; it decides how long the search takes, not what it finds.
// Record: what is kept of a hit, made by record(hit).
template <class Record>
struct Grouped {
    static constexpr std::size_t packet = Tree::packet_size;
    struct One {
        std::int32_t point;
        Record what;
    };
    struct Part {
        std::size_t thread, begin, end;
    };
    std::vector<std::int32_t> hint;
    std::vector<std::vector<One>> found;  // by each thread
    std::vector<Part> part;               // of each packet
    std::vector<std::size_t> start;       // first contact of each point, and the end

    template <class Make>
    Grouped(const Tree &tree, const Points &points, double radius, const GroupHints &given, const Order &order, const Make &record, const Known *before = nullptr,
            int widest = 5) {
        nb::gil_scoped_release release;
        const std::size_t n = points.shape(0), groups = tree.group_count(), packets = (n + packet - 1) / packet;
        if (given) hint.assign(given->data(), given->data() + n * groups);
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
                for (int turn = 0; turn < team; ++turn) {
                    const int whose = (rank + turn) % team;
                    const Share own = share(packets, whose, team);
                    for (std::size_t k; (k = taken[whose].fetch_add(1)) < own.end - own.begin;) use(own.begin + k);
                }
            };
            each_packet([&](std::size_t b) {
                int searched = 0;
                part[b] = {static_cast<std::size_t>(rank), into.size(), 0};
                for (std::size_t k = b * packet; k < std::min(n, (b + 1) * packet); ++k) {
                    const auto point = order ? order->data()[k] : static_cast<std::int32_t>(k);
                    const Vec3 place = load(points.data() + 3 * std::size_t(point));
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
        nb::gil_scoped_release release;
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

void require_order(const Points &points, const Order &order) {
    if (!order) return;
    require(order->shape(0) == points.shape(0), "order must name each point once");
    std::vector<std::uint8_t> seen(points.shape(0), 0);
    for (std::size_t i = 0; i < seen.size(); ++i) {
        const auto p = static_cast<std::size_t>(order->data()[i]);
        require(p < seen.size() && !seen[p], "order must name each point once");
        seen[p] = 1;
    }
}

void require_group_hints(const Tree &tree, const Points &points, const GroupHints &hint) {
    if (!hint) return;
    require(hint->shape(0) == points.shape(0) && hint->shape(1) == static_cast<std::size_t>(tree.group_count()),
            "hint must have the shape (points, groups)");
    require_hints(*hint, tree.triangle_count());
}

auto nearest_per_group(const Tree &tree, Points points, double radius, GroupHints hint, Order order, int widest) {
    require_radius(radius);
    require_group_hints(tree, points, hint);
    require_order(points, order);
    Grouped<Hit> all(tree, points, radius, hint, order, [](const Hit &hit) { return hit; }, nullptr, widest);
    const std::size_t total = all.total(), n = points.shape(0);
    std::vector<std::int32_t> particle(total), triangle(total);
    std::vector<double> gap(total), point(3 * total), normal(3 * total), weight(3 * total);
    all.each([&](std::size_t c, std::int32_t i, const Hit &hit) {
        particle[c] = i;
        triangle[c] = hit.triangle;
        gap[c] = hit.gap;
        store(&point[3 * c], hit.point);
        store(&normal[3 * c], hit.normal);
        std::copy_n(hit.weight, 3, &weight[3 * c]);
    });
    return nb::make_tuple(own(std::move(particle), {total}), own(std::move(gap), {total}),
                          own(std::move(normal), {total, 3}), own(std::move(point), {total, 3}),
                          own(std::move(triangle), {total}), own(std::move(weight), {total, 3}),
                          own(std::move(all.hint), {n, static_cast<std::size_t>(tree.group_count())}));
}

// the same with the surface's velocity at each contact instead of the place
auto listed(const Tree &tree, const Points &points, double radius, const Points &velocity, const GroupHints &hint, const Order &order, const Known *before = nullptr) {
    struct Contact {
        std::int32_t triangle;
        double gap;
        Vec3 normal, velocity;
    };
    Grouped<Contact> all(tree, points, radius, hint, order,
                         [&](const Hit &hit) { return Contact{hit.triangle, hit.gap, hit.normal, speed_at(tree, hit, velocity.data())}; }, before);
    const std::size_t total = all.total(), n = points.shape(0);
    auto particle = room<std::int32_t>(total), triangle = room<std::int32_t>(total);
    auto gap = room<double>(total), normal = room<double>(3 * total), speed = room<double>(3 * total);
    all.each([&](std::size_t c, std::int32_t i, const Contact &one) {
        particle[c] = i, triangle[c] = one.triangle, gap[c] = one.gap;
        store(&normal[3 * c], one.normal), store(&speed[3 * c], one.velocity);
    });
    return nb::make_tuple(own(std::move(particle), {total}), own(std::move(gap), {total}), own(std::move(normal), {total, 3}),
                          own(std::move(speed), {total, 3}), own(std::move(triangle), {total}),
                          own(std::move(all.hint), {n, static_cast<std::size_t>(tree.group_count())}));
}

void require_asked(const Tree &tree, const Points &points, double radius, const Points &velocity, const GroupHints &hint, const Order &order) {
    require_radius(radius);
    require_group_hints(tree, points, hint);
    require_order(points, order);
    require(velocity.shape(0) == tree.vertex_count(), "velocity must have one row per vertex");
}

auto contacts(const Tree &tree, Points points, double radius, Points velocity, GroupHints hint, Order order) {
    require_asked(tree, points, radius, velocity, hint, order);
    return listed(tree, points, radius, velocity, hint, order);
}

// of the rows of (n, 3)
Vec3 mean(const Points &rows) {
    const std::size_t n = rows.shape(0);
    double sum[12] = {};
    for (std::size_t i = 0; i < n / 4; ++i)
        for (int k = 0; k < 12; ++k) sum[k] += rows.data()[12 * i + k];
    for (std::size_t i = n / 4 * 4; i < n; ++i)
        for (int k = 0; k < 3; ++k) sum[k] += rows.data()[3 * i + k];
    const double part = n ? 1.0 / static_cast<double>(n) : 0.0;
    const auto all = [&](int k) { return part * (sum[k] + sum[k + 3] + (sum[k + 6] + sum[k + 9])); };
    return {all(0), all(1), all(2)};
}

// the same a moment later, since [s]: contacts (particle, triangle) are followed over the surface where nothing else can have come near
auto contacts_tracked(const Tree &tree, Points points, double radius, Points velocity, In<std::int32_t, -1> particle, In<std::int32_t, -1> triangle, Points asked,
                        double since, double slip, In<double, -1, 2, 3> boxes, GroupHints hint, Order order) {
    require_asked(tree, points, radius, velocity, hint, order);
    require(since >= 0 && slip >= 0, "since and slip must not be negative");
    const Known before(tree, points, particle, triangle, asked, since * mean(velocity), slip, boxes);
    return listed(tree, points, radius, velocity, hint, order, &before);
}

void make_tracked(TrackedContacts *where, const Tree &tree, In<std::int32_t, -1> triangle, Points velocity, double radius, double slip, GroupHints hint) {
    require_radius(radius);
    require(velocity.shape(0) == tree.vertex_count(), "velocity must have one row per vertex");
    require_indices(triangle, tree.triangle_count(), "a contact names a triangle that does not exist");
    if (hint) {
        require(hint->shape(1) == static_cast<std::size_t>(tree.group_count()), "hint must have the shape (points, groups)");
        require_hints(*hint, tree.triangle_count());
    }
    new (where) TrackedContacts{&tree, triangle, velocity, radius, slip, hint, mean(velocity)};
}

auto sides(const Tree &tree, Points points, double radius, Points velocity) {
    require_radius(radius);
    require(velocity.shape(0) == tree.vertex_count(), "velocity must have one row per vertex");
    constexpr std::size_t many = 64;  // points that a thread asks for in one go
    const std::size_t n = points.shape(0), parts = (n + many - 1) / many;
    std::vector<std::vector<Hit>> found(parts);
    std::vector<std::size_t> end(n);  // of each point's, among those of its part
    {
        nb::gil_scoped_release release;
        for_ranges(parts, SERIAL_POINTS / many, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first * many; i < std::min(n, last * many); ++i) {
                tree.sides(load(points.data() + 3 * i), radius, found[i / many]);
                end[i] = found[i / many].size();
            }
        });
    }
    std::vector<std::int32_t> particle;
    std::vector<double> gap, normal, speed;
    const auto put = [](std::vector<double> &rows, Vec3 v) { rows.insert(rows.end(), {v.x, v.y, v.z}); };
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = i % many ? end[i - 1] : 0; k < end[i]; ++k) {
            const Hit &hit = found[i / many][k];
            particle.push_back(static_cast<std::int32_t>(i)), gap.push_back(hit.gap);
            put(normal, hit.normal), put(speed, speed_at(tree, hit, velocity.data()));
        }
    const std::size_t total = particle.size();
    return nb::make_tuple(own(std::move(particle), {total}), own(std::move(gap), {total}), own(std::move(normal), {total, 3}),
                          own(std::move(speed), {total, 3}));
}

auto winding(const Tree &tree, Points points) {
    const std::size_t n = points.shape(0);
    std::vector<std::int32_t> number(n);
    {
        nb::gil_scoped_release release;
        for_ranges(n, 256, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) number[i] = tree.winding(load(points.data() + 3 * i));
        });
    }
    return own(std::move(number), {n});
}
}  // namespace

void bind_bvh(nb::module_ &m) {
    nb::class_<Tree>(m, "SurfaceTree", "Tree of boxes over a triangle surface. Not to be refitted while being asked.")
        .def("__init__", [](Tree *where, Triangles t, Points v, std::optional<In<std::int32_t, -1>> g) {
                make_tree(where, t, v, g);
            }, nb::arg("triangles"), nb::arg("vertices"), nb::arg("group").none() = nb::none())
        .def("refit", &refit_tree, nb::arg("vertices"), nb::arg("raised").none() = nb::none(), nb::arg("place").none() = nb::none(),
             "new places of all vertices (n, 3); raised (v,) are at place (v, 3) instead")
        .def("nearest", &nearest, nb::arg("points"), nb::arg("radius"), nb::arg("hint").none() = nb::none(),
             "-> triangle (n,), gap (n,), point (n, 3), normal (n, 3), weight (n, 3); triangle -1 and gap inf beyond radius")
        .def("nearest_per_group", &nearest_per_group, nb::arg("points"), nb::arg("radius"),
             nb::arg("hint").none() = nb::none(), nb::arg("order").none() = nb::none(), nb::arg("widest") = 5,
             "-> particle (c,), gap (c,), normal (c, 3), point (c, 3), triangle (c,), weight (c, 3), hint (n, groups)")
        .def("contacts", &contacts, nb::arg("points"), nb::arg("radius"), nb::arg("velocity"), nb::arg("hint").none() = nb::none(),
             nb::arg("order").none() = nb::none(),
             "-> particle (c,), gap (c,), normal (c, 3), velocity of the surface there (c, 3), triangle (c,), hint (n, groups)")
        .def("contacts_tracked", &contacts_tracked, nb::arg("points"), nb::arg("radius"), nb::arg("velocity"), nb::arg("particle"), nb::arg("triangle"),
             nb::arg("asked"), nb::arg("since"), nb::arg("slip"), nb::arg("boxes"), nb::arg("hint").none() = nb::none(), nb::arg("order").none() = nb::none(),
             "the same some time after points were at asked (n, 3) and had contacts (particle, triangle): these are followed over the surface; points in boxes "
             "(k, 2, 3) and those that have gone farther than slip past the surface are searched again")
        .def("sides", &sides, nb::arg("points"), nb::arg("radius"), nb::arg("velocity"),
             "-> particle (c,), gap (c,), normal (c, 3), velocity of the surface (c, 3) at all places of the surface that are nearer than the surface round them, seen from outside")
        .def("winding", &winding, nb::arg("points"),
             "-> how often the surface encloses each point (n,): 0 outside, 1 inside, 2 where two limbs overlap")
        .def_prop_ro("triangle_count", &Tree::triangle_count)
        .def_prop_ro("vertex_count", &Tree::vertex_count)
        .def_prop_ro("group_count", &Tree::group_count);
    nb::class_<TrackedContacts>(m, "TrackedContacts", "Contacts that a step may follow over a surface that moves on.")
        .def("__init__", &make_tracked, nb::arg("tree"), nb::arg("triangle"), nb::arg("velocity"), nb::arg("radius"), nb::arg("slip"),
             nb::arg("hint").none() = nb::none(), nb::keep_alive<1, 2>());
}
