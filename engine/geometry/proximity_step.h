// The hot loops of looking at near cloth (nearest points of vertex and face, edge and edge, eight at a time) and of searching
// for it (proximity_search.h). Compiled once per
// instruction set (proximity_plain.cpp, proximity_avx2.cpp).
#include "core/lanes.h"
#include "contact/pairs_view.h"

namespace TOILE_ISA {
namespace {
static_assert(LANES == PAIR_LANES);

// yes where a < b, else no
template <class T>
inline Lane<T> where_less(const Lane<T> &a, const Lane<T> &b, const Lane<T> &yes, const Lane<T> &no) {
#if TOILE_VECTOR
    return a < b ? yes : no;
#else
    Lane<T> r;
    for (int i = 0; i < LANES; ++i) r[i] = a[i] < b[i] ? yes[i] : no[i];
    return r;
#endif
}

// 0 / 0 becomes 0
template <class T>
inline Lane<T> clamped(const Lane<T> &v) {
    return at_most(at_least(v, splat(T(0))), splat(T(1)));
}

template <class T>
struct V3 {
    Lane<T> x, y, z;
};
template <class T>
inline V3<T> minus(const V3<T> &a, const V3<T> &b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
inline V3<T> along(const V3<T> &a, const Lane<T> &t, const V3<T> &e) {
    return {a.x + t * e.x, a.y + t * e.y, a.z + t * e.z};
}
template <class T>
inline Lane<T> dot(const V3<T> &a, const V3<T> &b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
inline void store(T *to, const Lane<T> &v) {
    std::memcpy(to, &v, sizeof v);
}

// the eight particles in one place of eight pairs; beyond the last pair it is repeated
template <class T>
inline V3<T> corner(const T *point, const std::int32_t *pairs, std::size_t count, int place) {
    std::int32_t index[LANES];
    for (std::size_t i = 0; i < LANES; ++i) index[i] = pairs[4 * (i < count ? i : count - 1) + place];
    const Lanes4<T> p = gather(point, index);
    return {p.x, p.y, p.z};
}

template <class T>
inline void put(const NearCloth<T> &cloth, const std::int32_t *pairs, std::size_t count, const Lane<T> *weight,
                const V3<T> &apart, NearLanes<T> &out) {
    const Lane<T> distance2 = dot(apart, apart), zero = splat(T(0));
    store(out.distance2, distance2);
    bool near = false;
    for (int i = 0; i < LANES; ++i) near |= distance2[i] <= cloth.far * cloth.far;
    if (!near) return;
    V3<T> speed{zero, zero, zero};
    for (int k = 0; k < 4; ++k) {
        store(out.weight[k], weight[k]);
        speed = along(speed, weight[k], corner(cloth.velocity, pairs, count, k));
    }
    store(out.apart[0], apart.x), store(out.apart[1], apart.y), store(out.apart[2], apart.z);
    store(out.speed2, dot(speed, speed));
}

// the foot on the face where it is inside, else the nearest point of the three edges (Ericson 2004, section 5.1.5)
template <class T>
void near_faces(const NearCloth<T> &cloth, const std::int32_t *pairs, std::size_t count, NearLanes<T> &out) {
    const T *point = cloth.point;
    const V3<T> p = corner(point, pairs, count, 0);
    const V3<T> a = minus(corner(point, pairs, count, 1), p), b = minus(corner(point, pairs, count, 2), p),
                c = minus(corner(point, pairs, count, 3), p), ab = minus(b, a), ac = minus(c, a), bc = minus(c, b);
    const Lane<T> zero = splat(T(0)), one = splat(T(1));
    const Lane<T> abab = dot(ab, ab), abac = dot(ab, ac), acac = dot(ac, ac), bcbc = dot(bc, bc);
    const Lane<T> d1 = -dot(ab, a), d2 = -dot(ac, a);
    const Lane<T> s = clamped<T>(d1 / abab), t = clamped<T>(d2 / acac), u = clamped<T>(-dot(bc, b) / bcbc);
    V3<T> to = along(a, s, ab);
    Lane<T> least = dot(to, to), wb = s, wc = zero;
    const auto take = [&](const V3<T> &other, const Lane<T> &b1, const Lane<T> &c1, const Lane<T> &d) {
        wb = where_less<T>(d, least, b1, wb), wc = where_less<T>(d, least, c1, wc);
        to.x = where_less<T>(d, least, other.x, to.x), to.y = where_less<T>(d, least, other.y, to.y);
        to.z = where_less<T>(d, least, other.z, to.z), least = where_less<T>(d, least, d, least);
    };
    const V3<T> on_ac = along(a, t, ac), on_bc = along(b, u, bc);
    take(on_ac, zero, t, dot(on_ac, on_ac));
    take(on_bc, one - u, u, dot(on_bc, on_bc));
    const Lane<T> d3 = d1 - abab, d4 = d2 - abac, d5 = d1 - abac, d6 = d2 - acac;
    const Lane<T> va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2, whole = va + vb + vc;
    const Lane<T> fb = vb / whole, fc = vc / whole;
    const V3<T> foot = along(along(a, fb, ab), fc, ac);
    // outside of the face the foot is no answer
    const Lane<T> far = splat(T(1e30)), inside = at_most(at_most(va, vb), vc);
    take(foot, fb, fc, where_less<T>(zero, inside, dot(foot, foot), far));
    const Lane<T> weight[4] = {one, wb + wc - one, -wb, -wc};
    put(cloth, pairs, count, weight, V3<T>{-to.x, -to.y, -to.z}, out);
}

// nearest points of two segments (Ericson 2004, section 5.1.9)
template <class T>
void near_edges(const NearCloth<T> &cloth, const std::int32_t *pairs, std::size_t count, NearLanes<T> &out) {
    const T *point = cloth.point;
    const V3<T> p = corner(point, pairs, count, 0), u = corner(point, pairs, count, 2);
    const V3<T> d = minus(corner(point, pairs, count, 1), p), e = minus(corner(point, pairs, count, 3), u), r = minus(p, u);
    const Lane<T> dd = dot(d, d), ee = dot(e, e), de = dot(d, e), dr = dot(d, r), er = dot(e, r), one = splat(T(1));
    const Lane<T> first = clamped<T>((de * er - dr * ee) / (dd * ee - de * de));
    const Lane<T> t = clamped<T>((de * first + er) / ee), s = clamped<T>((de * t - dr) / dd);
    const V3<T> apart = along(along(r, s, d), -t, e);
    const Lane<T> weight[4] = {one - s, s, t - one, -t};
    put(cloth, pairs, count, weight, apart, out);
}

template <class T, class Measure>
void each_eight(const NearCloth<T> &cloth, const std::int32_t *pairs, std::size_t count, NearLanes<T> *out, const Measure &measure) {
    for (std::size_t i = 0; i < count; i += LANES)
        measure(cloth, pairs + 4 * i, count - i < LANES ? count - i : LANES, out[i / LANES]);
}
}  // namespace

void measure_faces(const NearCloth<float> &p, const std::int32_t *f, std::size_t n, NearLanes<float> *o) { each_eight(p, f, n, o, near_faces<float>); }
void measure_faces(const NearCloth<double> &p, const std::int32_t *f, std::size_t n, NearLanes<double> *o) { each_eight(p, f, n, o, near_faces<double>); }
void measure_edges(const NearCloth<float> &p, const std::int32_t *f, std::size_t n, NearLanes<float> *o) { each_eight(p, f, n, o, near_edges<float>); }
void measure_edges(const NearCloth<double> &p, const std::int32_t *f, std::size_t n, NearLanes<double> *o) { each_eight(p, f, n, o, near_edges<double>); }
}  // namespace TOILE_ISA

#include "geometry/proximity_search.h"
