// Untangling by small steps: off the body along its normals, layers apart by their order, a garment out of itself, and what resists, by
// shortening the curves along which cloth crosses (Volino & Magnenat-Thalmann 2006).
#include "contact/untangle.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "contact/crossing.h"
#include "geometry/predicates.h"
#include "core/threads.h"

namespace surface {
namespace {
constexpr int ORDERLY = 6, FREELY = 12;  // rounds in which garments are parted by their order, and rounds in which by their crossing curves, in turn
constexpr double GIVE = 1.25;  // sides longer than this times their rest length draw their ends along
constexpr double TORN = 1.4;   // … no matter how long they were; longer ones are looked for
constexpr double NEARLY = 1.02;  // times that length, a side counts as drawn in
constexpr int DRAWS = 2;       // sweeps a round, each as wide as a triangle
constexpr double FEW = 0.02;   // of the triangles may be torn
constexpr int MEND = 8;        // rounds in which nothing crosses, but sides are drawn in

// nowhere farther than reach from where it was
Vec3 within(Vec3 place, Vec3 home, double reach) {
    const Vec3 total = place - home;
    const double far = length(total);
    return far > reach ? home + (reach / far) * total : place;
}

Vec3 normal_of(const Tree &tree, std::int32_t t) { return normalised(tree.pseudonormal(t, FACE)); }

// the number of side k of triangle t (3 t + k); both sides of an inner edge have the lower one
std::int32_t edge_number(const Tree &tree, std::int32_t t, int k) {
    const std::int32_t other = tree.across(t, k), own = 3 * t + k;
    if (other < 0) return own;
    for (int n = 0; n < 3; ++n)
        if (tree.across(other, n) == t && tree.triangle(other)[n] == tree.triangle(t)[(k + 1) % 3]) return std::min(own, 3 * other + n);
    return own;
}

// edges of triangle s of one surface that pierce triangle t of another, or of the same
void add_crossings(const Tree &one, std::int32_t s, const Tree &other, std::int32_t t, std::vector<Crossing> &list) {
    const std::int32_t *a = one.triangle(s), *b = other.triangle(t);
    for (int k = 0; k < 3; ++k) {
        const auto p = a[k], q = a[(k + 1) % 3];
        bool shared = false;
        for (int n = 0; n < 3; ++n) shared |= &one == &other && (p == b[n] || q == b[n]);
        if (!shared && segment_meets_triangle(one.vertex(p), one.vertex(q), other.vertex(b[0]), other.vertex(b[1]), other.vertex(b[2])))
            list.push_back({edge_number(one, s, k), t});
    }
}

// Where an edge E pierces a triangle with normal N, the crossing curve runs on into the triangles beside the edge along unit
// directions R. Moving the edge by d shortens the curve by d . G with G = sum of (R - (E . R) / (E . N) N).
Vec3 contour_pull(const Tree &one, const Tree &other, const Crossing &crossing, double &along, double *weight) {
    const auto t = crossing.side / 3;
    const int k = crossing.side % 3;
    const std::int32_t *b = other.triangle(crossing.triangle);
    const Vec3 p = one.vertex(one.triangle(t)[k]), q = one.vertex(one.triangle(t)[(k + 1) % 3]);
    const Vec3 n = normal_of(other, crossing.triangle), origin = other.vertex(b[0]);
    const double from = dot(p - origin, n), to = dot(q - origin, n);
    along = from == to ? 0.5 : std::clamp(from / (from - to), 0.0, 1.0);
    const Vec3 at = p + along * (q - p), e = normalised(q - p);
    const TrianglePoint foot = nearest_on_triangle(at, origin, other.vertex(b[1]), other.vertex(b[2]));
    std::copy_n(foot.weight, 3, weight);
    // an edge that nearly lies in the triangle would have to move very far
    double slant = dot(e, n);
    if (std::abs(slant) < 0.2) slant = slant < 0 ? -0.2 : 0.2;
    Vec3 pull{0, 0, 0};
    for (const auto beside : {t, one.across(t, k)}) {
        if (beside < 0) continue;
        const std::int32_t *v = one.triangle(beside);
        const Vec3 middle = (1.0 / 3) * (one.vertex(v[0]) + one.vertex(v[1]) + one.vertex(v[2]));
        Vec3 inward = middle - p;
        inward = inward - dot(inward, e) * e;
        Vec3 r = normalised(cross(normal_of(one, beside), n));
        if (dot(r, inward) < 0) r = -1.0 * r;
        pull = pull + r - (2 * dot(e, r) / slant) * n;
    }
    return pull;
}
}  // namespace

Untangler::Untangler(const std::int32_t *triangles, std::size_t triangle_count, const double *position,
                     std::size_t particle_count, const std::int32_t *layer, const std::int32_t *label, const double *rest)
    : cloth_(triangles, triangle_count, position, particle_count),
      patches_(triangles, triangle_count, particle_count, label),
      wished_(particle_count, Vec3{0, 0, 0}), wishes_(particle_count, 0), moved_(particle_count, 0) {
    if (layer) layer_.assign(layer, layer + triangle_count);
    if (label) label_.assign(label, label + particle_count);
    if (rest) rest_.assign(rest, rest + 3 * triangle_count);
    if (std::adjacent_find(layer_.begin(), layer_.end(), std::not_equal_to<>()) != layer_.end()) facing_ = Facing(patches_, mean_edge());
}

// as of the cloth, a mean triangle being equilateral [m]
double Untangler::mean_edge() const {
    double area = 0;
    for (std::size_t t = 0; t < cloth_.triangle_count(); ++t) {
        const std::int32_t *v = cloth_.triangle(t);
        area += 0.5 * length(cross(cloth_.vertex(v[1]) - cloth_.vertex(v[0]), cloth_.vertex(v[2]) - cloth_.vertex(v[0])));
    }
    return std::sqrt(area / static_cast<double>(cloth_.triangle_count()) * 4 / std::sqrt(3.0));
}

// The way out of a garment at a triangle of it: where the triangle faces, or, in a fold that has tipped over, the cloth round it.
Vec3 Untangler::out_of(std::int32_t t) const {
    const Vec3 own = normal_of(cloth_, t);
    const std::int32_t particle = cloth_.triangle(t)[0];
    if (!facing_.tipped(particle, {own.x, own.y, own.z})) return own;
    const auto even = facing_.smoothed(particle);
    return normalised({even[0], even[1], even[2]});
}

void Untangler::wish(std::int32_t particle, Vec3 displacement) {
    wished_[particle] = wished_[particle] + displacement;
    wishes_[particle] += 1;
}

// The three corners of a crossing triangle go out along the skin's normal: by how far the farther one of these is wrong,
// a corner below the skin triangle or a skin corner above the cloth triangle.
void Untangler::push_off_body(const Tree &body, const std::vector<TrianglePair> &pairs, double step) {
    for (const auto [c, b] : pairs) {
        const Vec3 out = normal_of(body, b), plane = normal_of(cloth_, c), on_skin = body.vertex(body.triangle(b)[0]);
        const Vec3 on_cloth = cloth_.vertex(cloth_.triangle(c)[0]);
        const double facing = dot(out, plane);
        double depth = 0.1 * step;
        for (int k = 0; k < 3; ++k) {
            depth = std::max(depth, dot(on_skin - cloth_.vertex(cloth_.triangle(c)[k]), out));
            if (std::abs(facing) > 0.3)
                depth = std::max(depth, dot(body.vertex(body.triangle(b)[k]) - on_cloth, plane) / facing);
        }
        for (int k = 0; k < 3; ++k) wish(cloth_.triangle(c)[k], std::min(depth + 0.1 * step, step) * out);
    }
}

// the outer garment goes out of the inner one
void Untangler::part_layers(const std::vector<TrianglePair> &pairs, double step) {
    for (const auto [s, t] : pairs) {
        if (layer_of(s) == layer_of(t)) continue;
        const auto inner = layer_of(s) < layer_of(t) ? s : t, outer = inner == s ? t : s;
        const Vec3 out = out_of(inner);
        for (int k = 0; k < 3; ++k) {
            wish(cloth_.triangle(outer)[k], step * out);
            wish(cloth_.triangle(inner)[k], -0.2 * step * out);
        }
    }
}

// Moves the cloth where edges of one surface pierce triangles of another, so that the curves along which they cross get shorter.
void Untangler::shorten(const Tree &one, const Tree &other, std::vector<Crossing> &list, double step) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end(), [](Crossing p, Crossing q) { return !(p < q) && !(q < p); }), list.end());
    for (const auto &crossing : list) {
        double along, weight[3];
        const Vec3 pull = contour_pull(one, other, crossing, along, weight);
        const double strength = length(pull);
        if (!(strength > 1e-6)) continue;
        // gently where the curve runs nearly straight on
        const Vec3 displacement = (step * std::min(1.0, strength) / strength) * pull;
        const std::int32_t *edge = one.triangle(crossing.side / 3), *b = other.triangle(crossing.triangle);
        const int k = crossing.side % 3;
        if (&one == &cloth_) {
            wish(edge[k], (1 - along) * displacement);
            wish(edge[(k + 1) % 3], along * displacement);
        }
        if (&other == &cloth_)
            for (int n = 0; n < 3; ++n) wish(b[n], -weight[n] * displacement);
    }
}

void Untangler::shrink_contours(const std::vector<TrianglePair> &pairs, bool layers, double step) {
    std::vector<Crossing> list;
    for (const auto [s, t] : pairs) {
        if (layer_of(s) != layer_of(t) && !layers) continue;
        add_crossings(cloth_, s, cloth_, t, list);
        add_crossings(cloth_, t, cloth_, s, list);
    }
    shorten(cloth_, cloth_, list, step);
}

// the same for curves on the skin, which stays
void Untangler::shrink_contours_on(const Tree &body, const std::vector<TrianglePair> &pairs, double step) {
    std::vector<Crossing> into, out_of;
    for (const auto [c, b] : pairs) {
        add_crossings(cloth_, c, body, b, into);
        add_crossings(body, b, cloth_, c, out_of);
    }
    shorten(cloth_, body, into, step);
    shorten(body, cloth_, out_of, step);
}

// each particle goes the mean of what was wished for it
void Untangler::apply(double *position, const double *start, const double *inverse_mass, double step, double reach) {
    for (std::size_t i = 0; i < wishes_.size(); ++i) {
        moved_[i] = 0;
        if (wishes_[i] == 0) continue;
        const bool held = inverse_mass && !(inverse_mass[i] > 0);
        Vec3 displacement = (1 / wishes_[i]) * wished_[i];
        wished_[i] = {0, 0, 0}, wishes_[i] = 0;
        const double size = length(displacement);
        if (held || !(size > 0)) continue;
        if (size > step) displacement = (step / size) * displacement;
        store(position + 3 * i, within(load(position + 3 * i) + displacement, load(start + 3 * i), reach));
        moved_[i] = 1;
    }
}

// triangles that a moved particle is a corner of
std::vector<std::int32_t> Untangler::changed() const {
    std::vector<std::int32_t> list;
    for (std::size_t t = 0; t < cloth_.triangle_count(); ++t) {
        const std::int32_t *v = cloth_.triangle(t);
        if (moved_[v[0]] || moved_[v[1]] || moved_[v[2]]) list.push_back(static_cast<std::int32_t>(t));
    }
    return list;
}

// whether a side is far too long: hooked by a fingertip, thrown by a swinging hand
bool Untangler::is_torn(const double *position, std::size_t t) const {
    for (int k = 0; k < 3; ++k) {
        const std::size_t i = cloth_.triangle(t)[k], j = cloth_.triangle(t)[(k + 1) % 3];
        const Vec3 side = load(position + 3 * j) - load(position + 3 * i);
        const double most = NEARLY * longest_ * rest_[3 * t + k];
        if (dot(side, side) > most * most) return true;
    }
    return false;
}

std::vector<std::int32_t> Untangler::torn(const double *position) const {
    std::vector<std::uint8_t> far(rest_.size() / 3, 0);
    for_ranges(far.size(), 4000, [&](std::size_t first, std::size_t last) {
        for (std::size_t t = first; t < last; ++t) far[t] = is_torn(position, t);
    });
    std::vector<std::int32_t> list;
    for (std::size_t t = 0; t < far.size(); ++t)
        if (far[t]) list.push_back(static_cast<std::int32_t>(t));
    return list;
}

// What is moved takes its neighbours along before a side is stretched: one particle alone would be drawn out to a spike.
bool Untangler::draw_along(double *position, const double *start, const double *inverse_mass, double reach, const std::vector<std::int32_t> &triangles) {
    bool drawn = false;
    if (rest_.empty()) return drawn;
    for (const auto t : triangles)
        for (int k = 0; k < 3; ++k) {
            const std::size_t i = cloth_.triangle(t)[k], j = cloth_.triangle(t)[(k + 1) % 3];
            const Vec3 side = load(position + 3 * j) - load(position + 3 * i);
            const double rest = rest_[3 * std::size_t(t) + k];
            const double longest = std::max(GIVE * rest, std::min(longest_ * rest, length(load(start + 3 * j) - load(start + 3 * i))));
            const double now = length(side), free_i = inverse_mass && !(inverse_mass[i] > 0) ? 0 : 1, free_j = inverse_mass && !(inverse_mass[j] > 0) ? 0 : 1;
            if (!(now > longest) || free_i + free_j == 0) continue;
            const Vec3 displacement = ((now - longest) / (now * (free_i + free_j))) * side;
            const auto move = [&](std::size_t p, Vec3 by) {
                store(position + 3 * p, within(load(position + 3 * p) + by, load(start + 3 * p), reach));
                moved_[p] = 1;
            };
            if (free_i > 0) move(i, displacement);
            if (free_j > 0) move(j, -1.0 * displacement);
            drawn = true;
        }
    return drawn;
}

// one round: what was found wishes particles away, and what they are then
void Untangler::move(double *position, const double *start, const double *inverse_mass, const Tree *body, const UntangleOptions &options, int round, Found &found) {
    // what resists small steps gets larger ones
    const double patience = std::min(1.0, round / 6.0), longer = (1 + 2 * patience) * options.step;
    // What order leaves is a crease of the inner garment, as a rule, that has come through the outer one: its two sides face two ways, and neither
    // is the way out, but the curve round it is short. Along a straight ridge curves do not get shorter: then it is order's turn again. Skin that
    // crosses itself is inside out, and its normals lead farther in: what has slipped under it goes back along its curve, too.
    const bool orderly = round % (ORDERLY + FREELY) <= ORDERLY;
    if (orderly) part_layers(found.cloth, options.step);
    if (body && orderly) push_off_body(*body, found.skin, options.step);
    if (body && !orderly) shrink_contours_on(*body, found.skin, longer);
    shrink_contours(found.cloth, !orderly, longer);
    apply(position, start, inverse_mass, longer, options.reach);
    const auto draw = [&](const std::vector<std::int32_t> &list) { return draw_along(position, start, inverse_mass, options.reach, list); };
    draw(found.torn);
    // only what moved can have changed
    std::vector<std::int32_t> now = changed();
    for (int k = 0; k < DRAWS && draw(now); ++k) now = changed();
    std::vector<std::uint8_t> is_changed(cloth_.triangle_count(), 0);
    for (const auto t : now) is_changed[t] = 1;
    cloth_.refit_part(position, now);
    const auto keep = [&](std::vector<TrianglePair> &old, std::vector<TrianglePair> pairs, bool both) {
        for (const auto p : old)
            if (!is_changed[p.a] && !(both && is_changed[p.b])) pairs.push_back(p);
        std::sort(pairs.begin(), pairs.end());
        old = std::move(pairs);
    };
    keep(found.cloth, meeting_pairs_self_of(now, cloth_, label()), true);
    if (body) keep(found.skin, meeting_pairs_of(now, cloth_, *body), false);
    if (rest_.empty()) return;
    found.torn.insert(found.torn.end(), now.begin(), now.end());
    std::sort(found.torn.begin(), found.torn.end());
    found.torn.erase(std::unique(found.torn.begin(), found.torn.end()), found.torn.end());
    found.torn.erase(std::remove_if(found.torn.begin(), found.torn.end(), [&](std::int32_t t) { return !is_torn(position, t); }), found.torn.end());
}

UntangleReport Untangler::run(double *position, const double *inverse_mass, const Tree *body, const UntangleOptions &options) {
    const std::size_t size = 3 * particle_count();
    cloth_.place(position);
    longest_ = TORN;
    std::vector<std::array<std::int32_t, 2>> near;
    patches_.find_touching_boxes(position, near);
    Found found{{}, meeting_among(near, cloth_, label()), torn(position)};
    if (body) found.skin = crossing_skin(patches_, position, *body);
    UntangleReport report;
    report.body_before = report.body_after = found.skin.size();
    report.cloth_before = report.cloth_after = found.cloth.size();
    // a garment that is too small all over is not torn
    const bool small = found.torn.size() > FEW * static_cast<double>(cloth_.triangle_count());
    longest_ = small ? std::numeric_limits<double>::infinity() : TORN;
    if (small) found.torn.clear();
    if (!found.crossings() && found.torn.empty()) return report;
    const std::vector<double> start(position, position + size);
    std::vector<double> best = start;
    std::size_t torn_after = found.torn.size();
    const auto note = [&] {
        report.left = found.cloth;
        for (const auto [c, b] : found.skin) report.left.push_back({c, c});
    };
    note();
    cloth_.refit(position), facing_.smooth();
    while (report.rounds < options.rounds && (found.crossings() || (!found.torn.empty() && report.rounds < MEND))) {
        move(position, start.data(), inverse_mass, body, options, ++report.rounds, found);
        const std::size_t crossings = report.body_after + report.cloth_after;
        if (found.crossings() > crossings || (found.crossings() == crossings && found.torn.size() >= torn_after)) continue;
        report.body_after = found.skin.size(), report.cloth_after = found.cloth.size(), torn_after = found.torn.size();
        std::copy_n(position, size, best.data());
        note();
    }
    std::copy_n(best.data(), size, position);
    for (std::size_t i = 0; i < particle_count(); ++i)
        report.moved = std::max(report.moved, length(load(position + 3 * i) - load(&start[3 * i])));
    return report;
}

}  // namespace surface
