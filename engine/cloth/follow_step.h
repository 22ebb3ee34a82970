// Included by follow_plain.cpp and follow_avx2.cpp, which set TOILE_ISA. Raw pointers only.
#include <utility>

#include "cloth/follow_view.h"
#include "core/lanes.h"

namespace TOILE_ISA {
namespace {

// 1 where x is positive, else 0
template <class T>
inline Lane<T> positive(const Lane<T> &x) {
    const Lane<T> one = splat<T>(T(1)), none = splat<T>(T(0));
#if TOILE_VECTOR
    return x > none ? one : none;
#else
    Lane<T> r = none;
    for (int i = 0; i < LANES; ++i)
        if (x[i] > T(0)) r[i] = one[i];
    return r;
#endif
}

template <class T>
inline bool any(const Lane<T> &x) {
    T sum = T(0);
    for (int i = 0; i < LANES; ++i) sum += x[i];
    return sum != T(0);
}

// springs k (|d| - rest) along d, gravity, drag; Euler: v += h a, x += h v
template <class T>
void move(const FollowView<T> &c, const FollowOptions<T> &o) {
    const Lane<T> tiny = splat<T>(T(1e-12)), one = splat<T>(T(1)), k = splat<T>(o.stiffness), h = splat<T>(o.dt);
    Lane<T> gravity[3], wind[3];
    for (int a = 0; a < 3; ++a) gravity[a] = splat<T>(o.gravity[a]), wind[a] = splat<T>(o.wind[a]);
    for (std::size_t b = 0; b < c.blocks; ++b) {
        const std::int32_t *own = c.own + b * LANES;
        Lanes4<T> p = gather(c.point, own), v = gather(c.velocity, own);
        Lane<T> fx = splat<T>(T(0)), fy = fx, fz = fx;
        for (std::size_t s = c.slot_begin[b]; s < c.slot_begin[b + 1]; ++s) {
            const Lanes4<T> q = gather(c.point, c.neighbour + s * LANES);
            const Lane<T> dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
            const Lane<T> length = at_least(square_root(dx * dx + dy * dy + dz * dz), tiny);
            const Lane<T> pull = one - load(c.rest + s * LANES) / length;
            fx += dx * pull, fy += dy * pull, fz += dz * pull;
        }
        const Lane<T> w = k * load(c.weight + b * LANES), drag = load(c.drag + b * LANES), gain = h * load(c.free + b * LANES);
        v.x += gain * (fx * w + gravity[0] - drag * (v.x - wind[0]));
        v.y += gain * (fy * w + gravity[1] - drag * (v.y - wind[1]));
        v.z += gain * (fz * w + gravity[2] - drag * (v.z - wind[2]));
        p.x += h * v.x, p.y += h * v.y, p.z += h * v.z;
        scatter(c.velocity, own, v);
        scatter(c.next, own, p);
    }
}

// depth, approach, Coulomb friction: collision/contacts.py; t: time since the planes were found
template <class T>
void meet(const FollowView<T> &c, const FollowOptions<T> &o, T time) {
    const Lane<T> none = splat<T>(T(0)), tiny = splat<T>(T(1e-30)), h = splat<T>(o.dt), thickness = splat<T>(o.thickness), t = splat<T>(time);
    for (std::size_t b = 0; b < c.contact_blocks; ++b) {
        const std::int32_t *who = c.who + b * LANES;
        const T *n = c.normal + b * 3 * LANES, *skin = c.skin + b * 3 * LANES;
        Lanes4<T> x = gather(c.next, who);
        const Lane<T> nx = load(n), ny = load(n + LANES), nz = load(n + 2 * LANES);
        const Lane<T> gap = nx * x.x + ny * x.y + nz * x.z - load(c.level + b * LANES) - t * load(c.rise + b * LANES);
        const Lane<T> depth = at_least(thickness - gap, none), hit = positive<T>(depth);
        if (!any<T>(hit)) continue;
        Lanes4<T> v = gather(c.velocity, who);
        Lane<T> ux = v.x - load(skin), uy = v.y - load(skin + LANES), uz = v.z - load(skin + 2 * LANES);
        const Lane<T> approach = nx * ux + ny * uy + nz * uz, impulse = at_least(-approach, none), along = approach + impulse;
        ux += impulse * nx - along * nx, uy += impulse * ny - along * ny, uz += impulse * nz - along * nz;
        const Lane<T> speed = square_root(ux * ux + uy * uy + uz * uz);
        const Lane<T> taken = hit * at_most(load(c.friction + b * LANES) * impulse, speed) / at_least(speed, tiny);
        const Lane<T> stop = hit * impulse, back = h * taken;
        v.x += stop * nx - taken * ux, v.y += stop * ny - taken * uy, v.z += stop * nz - taken * uz;
        x.x += depth * nx - back * ux, x.y += depth * ny - back * uy, x.z += depth * nz - back * uz;
        scatter(c.velocity, who, v);
        scatter(c.next, who, x);
    }
}

template <class T>
T *run(FollowView<T> c, const FollowOptions<T> &o) {
    for (int k = 1; k <= o.steps; ++k) {
        move(c, o);
        if ((o.steps - k) % STEPS_PER_PUSH == 0) meet(c, o, static_cast<T>(k) * o.dt);
        std::swap(c.point, c.next);
    }
    return c.point;
}
}  // namespace

float *follow(FollowView<float> c, const FollowOptions<float> &o) { return run(c, o); }
double *follow(FollowView<double> c, const FollowOptions<double> &o) { return run(c, o); }
}  // namespace TOILE_ISA
