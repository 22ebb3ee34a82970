#include "cloth/hierarchy.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <utility>

#include "core/fixed_math.h"
#include "core/threads.h"

namespace {

constexpr double REACH = 1.6;  // a coarse point carries finer points up to this many spacings away

struct Graph {
    std::vector<std::size_t> begin;
    std::vector<std::int32_t> to;
    std::vector<double> length;
    std::size_t count() const { return begin.size() - 1; }
};

Graph make_graph(std::size_t count, const std::vector<std::int32_t> &pair, const std::vector<double> &rest) {
    Graph g;
    g.begin.assign(count + 1, 0);
    for (const std::int32_t p : pair) ++g.begin[p + 1];
    for (std::size_t i = 0; i < count; ++i) g.begin[i + 1] += g.begin[i];
    g.to.resize(pair.size()), g.length.resize(pair.size());
    std::vector<std::size_t> next(g.begin.begin(), g.begin.end() - 1);
    for (std::size_t e = 0; e < rest.size(); ++e)
        for (int s = 0; s < 2; ++s) {
            const std::size_t at = next[pair[2 * e + s]]++;
            g.to[at] = pair[2 * e + 1 - s], g.length[at] = rest[e];
        }
    return g;
}

// unique mesh edges with their mean flat length
void mesh_edges(const Sheet &sheet, std::vector<std::int32_t> &pair, std::vector<double> &rest) {
    struct Side {
        std::int32_t a, b;
        double length;
    };
    std::vector<Side> sides;
    sides.reserve(3 * sheet.triangle_count);
    for (std::size_t t = 0; t < sheet.triangle_count; ++t)
        for (int k = 0; k < 3; ++k) {
            const int l = (k + 1) % 3;
            const double *p = sheet.corner + 6 * t + 2 * k, *q = sheet.corner + 6 * t + 2 * l;
            const std::int32_t a = sheet.triangle[3 * t + k], b = sheet.triangle[3 * t + l];
            sides.push_back({std::min(a, b), std::max(a, b), fixed_math::hypot(p[0] - q[0], p[1] - q[1])});
        }
    std::sort(sides.begin(), sides.end(), [](const Side &x, const Side &y) {
        return x.a != y.a ? x.a < y.a : x.b != y.b ? x.b < y.b : x.length < y.length;
    });
    for (std::size_t i = 0; i < sides.size();) {
        std::size_t j = i;
        double sum = 0;
        while (j < sides.size() && sides[j].a == sides[i].a && sides[j].b == sides[i].b) sum += sides[j++].length;
        if (sides[i].a != sides[i].b) {
            pair.push_back(sides[i].a), pair.push_back(sides[i].b);
            rest.push_back(sum / static_cast<double>(j - i));
        }
        i = j;
    }
}

using Found = std::vector<std::pair<double, std::int32_t>>;  // (distance, point)

// shortest paths along the graph up to a radius; `distance` is scratch filled with infinity
void reach(const Graph &g, std::int32_t from, double radius, std::vector<double> &distance, Found &found) {
    found.clear();
    std::priority_queue<std::pair<double, std::int32_t>, Found, std::greater<>> queue;
    distance[from] = 0, queue.push({0.0, from});
    while (!queue.empty()) {
        const auto [d, p] = queue.top();
        queue.pop();
        if (d > distance[p]) continue;
        found.push_back({d, p});
        for (std::size_t e = g.begin[p]; e < g.begin[p + 1]; ++e)
            if (const double to = d + g.length[e]; to <= radius && to < distance[g.to[e]])
                distance[g.to[e]] = to, queue.push({to, g.to[e]});
    }
    for (const auto &[d, p] : found) distance[p] = INFINITY;
}

struct Parents {
    std::vector<std::vector<std::pair<double, std::int32_t>>> of;  // per finer point: (distance, coarse)
    std::vector<std::int32_t> seed;                                // per coarse point: finer point
};

// seeds no closer than the spacing, pinned points first, and for each finer point the seeds within reach
Parents choose(const Graph &g, const std::vector<double> &inverse_mass, double spacing) {
    const std::size_t n = g.count();
    Parents r;
    r.of.resize(n);
    std::vector<char> covered(n, 0);
    std::vector<double> distance(n, INFINITY);
    Found found;
    for (int free = 0; free < 2; ++free)
        for (std::size_t p = 0; p < n; ++p) {
            if (covered[p] || (inverse_mass[p] > 0) != (free == 1)) continue;
            const auto c = static_cast<std::int32_t>(r.seed.size());
            r.seed.push_back(static_cast<std::int32_t>(p));
            reach(g, static_cast<std::int32_t>(p), REACH * spacing, distance, found);
            for (const auto &[d, q] : found) {
                if (d < spacing) covered[q] = 1;
                r.of[q].push_back({d, c});
            }
        }
    // coarse points in the order of their seeds, so that neighbours stay close in memory
    std::vector<std::int32_t> by_seed(r.seed.size()), rank(r.seed.size());
    for (std::size_t c = 0; c < by_seed.size(); ++c) by_seed[c] = static_cast<std::int32_t>(c);
    std::sort(by_seed.begin(), by_seed.end(), [&](std::int32_t a, std::int32_t b) { return r.seed[a] < r.seed[b]; });
    for (std::size_t k = 0; k < by_seed.size(); ++k) rank[by_seed[k]] = static_cast<std::int32_t>(k);
    std::sort(r.seed.begin(), r.seed.end());
    for (auto &list : r.of) {
        for (auto &[d, c] : list) c = rank[c];
        std::sort(list.begin(), list.end());
        if (list.size() > 4) list.resize(4);
    }
    return r;
}

void set_weights(Level &level, const Parents &parents, const std::vector<double> &finer_inverse_mass, double spacing) {
    const std::size_t fine = parents.of.size();
    level.count = parents.seed.size();
    level.spread_point.assign(4 * fine, 0), level.spread_weight.assign(4 * fine, 0.0);
    std::vector<std::vector<std::pair<std::int32_t, double>>> members(level.count);
    std::vector<double> carried(level.count, 0.0);  // mass that a correction of the coarse point moves
    std::vector<char> pinned(level.count, 0);
    for (std::size_t c = 0; c < level.count; ++c)
        if (finer_inverse_mass[parents.seed[c]] == 0) pinned[c] = 1, members[c].push_back({parents.seed[c], 1.0});
    for (std::size_t f = 0; f < fine; ++f) {
        if (finer_inverse_mass[f] == 0) continue;  // a pinned point follows nobody
        const double mass = 1 / finer_inverse_mass[f];
        double sum = 0;
        for (const auto &[d, c] : parents.of[f]) sum += 1 - d / (REACH * spacing);
        int k = 0;
        for (const auto &[d, c] : parents.of[f]) {
            const double w = (1 - d / (REACH * spacing)) / sum;
            level.spread_point[4 * f + k] = c, level.spread_weight[4 * f + k] = w, ++k;
            carried[c] += w * mass;
        }
        const std::int32_t nearest = parents.of[f].front().second;
        if (!pinned[nearest]) members[nearest].push_back({static_cast<std::int32_t>(f), mass});
    }
    level.average_begin.assign(1, 0);
    for (std::size_t c = 0; c < level.count; ++c) {
        double mass = 0;
        for (const auto &[f, m] : members[c]) mass += m;
        level.inverse_mass.push_back(pinned[c] ? 0.0 : 1 / carried[c]);
        for (const auto &[f, m] : members[c])
            level.average_point.push_back(f), level.average_weight.push_back(m / mass);
        level.average_begin.push_back(level.average_point.size());
    }
}

// coarse points as averages of particles: rows of (particle, weight)
using Rows = std::vector<std::vector<std::pair<std::int32_t, double>>>;

Rows compose(const Level &level, const Rows &finer, std::size_t particle_count) {
    Rows rows(level.count);
    std::vector<double> sum(particle_count, 0.0);
    std::vector<std::int32_t> touched;
    for (std::size_t c = 0; c < level.count; ++c) {
        touched.clear();
        for (std::size_t k = level.average_begin[c]; k < level.average_begin[c + 1]; ++k)
            for (const auto &[p, w] : finer[level.average_point[k]]) {
                if (sum[p] == 0.0) touched.push_back(p);
                sum[p] += w * level.average_weight[k];
            }
        std::sort(touched.begin(), touched.end());
        for (const std::int32_t p : touched) rows[c].push_back({p, sum[p]}), sum[p] = 0.0;
    }
    return rows;
}

struct Triangles {
    std::vector<std::size_t> begin;     // (particle + 1)
    std::vector<std::int32_t> corner;   // triangle * 3 + corner
};

Triangles triangles_of(const Sheet &s) {
    Triangles r;
    r.begin.assign(s.particle_count + 1, 0);
    for (std::size_t i = 0; i < 3 * s.triangle_count; ++i) ++r.begin[s.triangle[i] + 1];
    for (std::size_t i = 0; i < s.particle_count; ++i) r.begin[i + 1] += r.begin[i];
    r.corner.resize(3 * s.triangle_count);
    std::vector<std::size_t> next(r.begin.begin(), r.begin.end() - 1);
    for (std::size_t i = 0; i < 3 * s.triangle_count; ++i) r.corner[next[s.triangle[i]]++] = static_cast<std::int32_t>(i);
    return r;
}

// from one point of the flat cloth to another
struct FlatVector {
    double length = -1.0, slant = 0.0;  // [m], less than 0: unknown; sin 2θ
    FlatVector() = default;
    FlatVector(double u, double v) : length(fixed_math::hypot(u, v)), slant(slant_of(u, v)) {}
};

// where each particle lies in the panels that it belongs to (several at a seam)
struct Homes {
    struct Home {
        std::int32_t panel, flat;
        double x, y;
        bool twice;  // a seam joins the panel to itself here: the place is ambiguous
    };
    std::vector<std::vector<Home>> of;

    explicit Homes(const Sheet &s) : of(s.particle_count) {
        for (std::size_t i = 0; i < 3 * s.triangle_count; ++i) {
            auto &list = of[s.triangle[i]];
            const std::int32_t panel = s.panel[i / 3];
            const auto known = std::find_if(list.begin(), list.end(), [&](const Home &h) { return h.panel == panel; });
            if (known == list.end()) list.push_back({panel, s.flat[i], s.corner[2 * i], s.corner[2 * i + 1], false});
            else if (known->flat != s.flat[i]) known->twice = true;
        }
    }
    // average of a row inside one panel; false where part of it lies elsewhere
    bool average(const std::vector<std::pair<std::int32_t, double>> &row, std::int32_t panel, double &x, double &y) const {
        x = y = 0;
        for (const auto &[p, w] : row) {
            const auto &list = of[p];
            const auto home = std::find_if(list.begin(), list.end(), [&](const Home &h) { return h.panel == panel; });
            if (home == list.end() || home->twice) return false;
            x += w * home->x, y += w * home->y;
        }
        return true;
    }
    // the vector between two averages that lie in one panel; false where none has both
    bool flat_vector(const std::vector<std::pair<std::int32_t, double>> &a, const std::vector<std::pair<std::int32_t, double>> &b, FlatVector &found) const {
        if (a.empty() || b.empty()) return false;
        for (const Home &h : of[a.front().first]) {
            double x, y, u, v;
            if (average(a, h.panel, x, y) && average(b, h.panel, u, v)) return found = FlatVector(u - x, v - y), true;
        }
        return false;
    }
};

// where a panel lies on a chart: chart = placement · flat + shift
struct PanelPlacement {
    double cos = 1, sin = 0, x = 0, y = 0;
};

// a flat map of the cloth around one particle: panels are laid down outwards, nearest first, hinged at their seams.
// A panel is moved as a whole (not triangle by triangle: rounding errors would grow exponentially).
struct Chart {
    std::vector<double> uv;       // (n, 2)
    std::vector<double> far;      // (n) distance from the start, infinity where not reached
    std::vector<PanelPlacement> placement;       // (n) how the panel lies that the particle was placed with
    std::vector<std::int32_t> flat;  // (n) the flat point that was placed
    std::vector<std::int32_t> reached;

    explicit Chart(std::size_t n) : uv(2 * n), far(n, INFINITY), placement(n), flat(n) {}

    void unfold(const Sheet &s, const Triangles &around, std::int32_t start, double radius) {
        for (const std::int32_t p : reached) far[p] = INFINITY;
        reached.clear();
        if (around.begin[start] == around.begin[start + 1]) return;
        std::priority_queue<std::pair<double, std::int32_t>, Found, std::greater<>> queue;
        const std::int32_t first = around.corner[around.begin[start]];
        PanelPlacement home;
        home.x = -s.corner[2 * first], home.y = -s.corner[2 * first + 1];
        lay(s, first / 3, home, radius, queue);
        while (!queue.empty()) {
            const std::int32_t p = queue.top().second;
            queue.pop();
            for (std::size_t i = around.begin[p]; i < around.begin[p + 1]; ++i) {
                const std::int32_t t = around.corner[i] / 3;
                PanelPlacement how = placement[p];
                if (s.flat[around.corner[i]] == flat[p] || hinge(s, t, around.corner[i] % 3, how)) lay(s, t, how, radius, queue);
            }
        }
    }

    // the corners of a triangle that are not on the chart yet
    template <class Queue>
    void lay(const Sheet &s, std::int32_t t, const PanelPlacement &how, double radius, Queue &queue) {
        for (int k = 0; k < 3; ++k) {
            const std::int32_t p = s.triangle[3 * t + k];
            if (far[p] != INFINITY) continue;
            const double *c = s.corner + 6 * t + 2 * k;
            uv[2 * p] = how.cos * c[0] - how.sin * c[1] + how.x;
            uv[2 * p + 1] = how.sin * c[0] + how.cos * c[1] + how.y;
            far[p] = fixed_math::hypot(uv[2 * p], uv[2 * p + 1]), placement[p] = how, flat[p] = s.flat[3 * t + k];
            reached.push_back(p);
            if (far[p] <= radius) queue.push({far[p], p});
        }
    }

    // across a seam: the triangle's panel turned so that its side at corner k meets the side already on the chart
    bool hinge(const Sheet &s, std::int32_t t, int k, PanelPlacement &how) const {
        const std::int32_t *v = s.triangle + 3 * t;
        for (int step = 1; step < 3; ++step) {
            const int l = (k + step) % 3;
            if (far[v[l]] == INFINITY) continue;
            const double *a = s.corner + 6 * t + 2 * k, *b = s.corner + 6 * t + 2 * l;
            const double ex = b[0] - a[0], ey = b[1] - a[1];
            const double fx = uv[2 * v[l]] - uv[2 * v[k]], fy = uv[2 * v[l] + 1] - uv[2 * v[k] + 1];
            const double size = fixed_math::hypot(ex, ey) * fixed_math::hypot(fx, fy);
            if (size <= 0) continue;
            how.cos = (ex * fx + ey * fy) / size, how.sin = (ex * fy - ey * fx) / size;
            how.x = uv[2 * v[k]] - how.cos * a[0] + how.sin * a[1];
            how.y = uv[2 * v[k] + 1] - how.sin * a[0] - how.cos * a[1];
            return true;
        }
        return false;
    }

    // average of a row in this chart and its spread (root mean square); false where part of it was not reached
    bool average(const std::vector<std::pair<std::int32_t, double>> &row, double &x, double &y, double &spread) const {
        x = y = spread = 0;
        for (const auto &[p, w] : row) {
            if (far[p] == INFINITY) return false;
            x += w * uv[2 * p], y += w * uv[2 * p + 1];
        }
        for (const auto &[p, w] : row) {
            const double dx = uv[2 * p] - x, dy = uv[2 * p + 1] - y;
            spread += w * (dx * dx + dy * dy);
        }
        spread = std::sqrt(spread);
        return true;
    }
};

// neighbours: coarse points that share a finer point
std::vector<std::int32_t> neighbours(const Level &level) {
    std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
    for (std::size_t f = 0; f < level.spread_point.size() / 4; ++f)
        for (int a = 0; a < 4; ++a)
            for (int b = 0; b < a; ++b) {
                const std::int32_t p = level.spread_point[4 * f + a], q = level.spread_point[4 * f + b];
                if (level.spread_weight[4 * f + a] > 0 && level.spread_weight[4 * f + b] > 0 && p != q)
                    pairs.push_back({std::min(p, q), std::max(p, q)});
            }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    std::vector<std::int32_t> flat;
    for (const auto &[a, b] : pairs) flat.push_back(a), flat.push_back(b);
    return flat;
}

void set_limits(Level &level, const Sheet &sheet, const Triangles &around, const Homes &homes, const Rows &rows,
                const std::vector<std::int32_t> &seed_particle, double spacing) {
    const std::vector<std::int32_t> pairs = neighbours(level);
    // each pair is measured on the charts of both its points
    struct Use {
        std::size_t pair;
        std::int32_t other;
    };
    std::vector<std::vector<Use>> uses(level.count);
    std::vector<FlatVector> flat_vector(pairs.size());
    for (std::size_t e = 0; e < pairs.size() / 2; ++e) {
        // most pairs lie in one panel: no chart needed
        if (homes.flat_vector(rows[pairs[2 * e]], rows[pairs[2 * e + 1]], flat_vector[2 * e])) {
            flat_vector[2 * e + 1] = flat_vector[2 * e];
            continue;
        }
        for (int s = 0; s < 2; ++s) uses[pairs[2 * e + s]].push_back({2 * e + s, pairs[2 * e + 1 - s]});
    }
    // how far each average is spread on its own chart: one that is wider on another chart is torn apart there, at the
    // back of a tube, where the two ways round meet
    std::vector<double> own(level.count, 0.0);
    const auto with_charts = [&](double radius, const auto &measure) {
        for_ranges(level.count, 64, [&](std::size_t first, std::size_t last) {
            Chart chart(sheet.particle_count);
            for (std::size_t c = first; c < last; ++c) {
                if (uses[c].empty()) continue;
                chart.unfold(sheet, around, seed_particle[c], radius * spacing);
                measure(chart, c);
            }
        });
    };
    with_charts(2, [&](const Chart &chart, std::size_t c) {
        double x, y;
        if (!chart.average(rows[c], x, y, own[c]) || own[c] > spacing) own[c] = 0.0;
    });
    with_charts(4, [&](const Chart &chart, std::size_t c) {
        double x, y, u, v, spread;
        if (!chart.average(rows[c], x, y, spread) || spread > 1.02 * own[c]) return;
        for (const Use &use : uses[c])
            if (chart.average(rows[use.other], u, v, spread) && spread <= 1.02 * own[use.other])
                flat_vector[use.pair] = FlatVector(u - x, v - y);
    });
    for (std::size_t e = 0; e < flat_vector.size() / 2; ++e) {
        const bool swapped = flat_vector[2 * e].length > flat_vector[2 * e + 1].length;
        const FlatVector &shorter = flat_vector[2 * e + swapped], &longer = flat_vector[2 * e + !swapped];
        // no limit where the cloth has no flat map (darts, curved seams tear it differently from both sides)
        if (shorter.length < 0.2 * spacing || longer.length > 1.01 * shorter.length) continue;
        level.pair.push_back(pairs[2 * e]), level.pair.push_back(pairs[2 * e + 1]);
        level.rest.push_back(longer.length), level.slant.push_back(longer.slant);
    }
}
}  // namespace

std::vector<Level> make_hierarchy(const Sheet &sheet, int level_count) {
    std::vector<Level> levels;
    std::vector<std::int32_t> pair;
    std::vector<double> rest;
    mesh_edges(sheet, pair, rest);
    if (rest.empty()) return levels;
    double spacing = 0;
    for (const double r : rest) spacing += r / static_cast<double>(rest.size());
    const Triangles around = triangles_of(sheet);
    const Homes homes(sheet);
    std::vector<double> inverse_mass(sheet.inverse_mass, sheet.inverse_mass + sheet.particle_count);
    std::vector<std::int32_t> particle(sheet.particle_count);  // the particle at each point of the current level
    Rows rows(sheet.particle_count);
    for (std::size_t p = 0; p < sheet.particle_count; ++p)
        particle[p] = static_cast<std::int32_t>(p), rows[p] = {{static_cast<std::int32_t>(p), 1.0}};
    for (int l = 0; l < level_count; ++l) {
        spacing *= 3;
        const Graph graph = make_graph(inverse_mass.size(), pair, rest);
        Parents parents = choose(graph, inverse_mass, spacing);
        for (int wider = 0; wider < 8 && parents.seed.size() > MOST_COARSE; ++wider) parents = choose(graph, inverse_mass, spacing *= 1.25);
        if (parents.seed.size() < FEWEST_COARSE || parents.seed.size() > MOST_COARSE) break;
        Level level;
        set_weights(level, parents, inverse_mass, spacing);
        rows = compose(level, rows, sheet.particle_count);
        std::vector<std::int32_t> seed_particle(level.count);
        for (std::size_t c = 0; c < level.count; ++c) seed_particle[c] = particle[parents.seed[c]];
        set_limits(level, sheet, around, homes, rows, seed_particle, spacing);
        pair = level.pair, rest = level.rest, inverse_mass = level.inverse_mass, particle = seed_particle;
        levels.push_back(std::move(level));
        if (levels.back().rest.empty()) break;
    }
    return levels;
}
