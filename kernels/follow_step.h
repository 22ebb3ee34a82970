// Included by follow_plain.cpp and follow_avx2.cpp, which set TOILE_ISA. Raw pointers only.
#include "follow.h"
#include "lanes.h"

namespace TOILE_ISA {
namespace {

// force of each spring on its ends: k (|d| - rest) along d
template <class T>
void pull(const FollowView<T> &c, T stiffness) {
    const Lane<T> tiny = splat<T>(T(1e-12)), one = splat<T>(T(1)), k = splat<T>(stiffness);
    for (std::size_t b = 0; b < c.blocks; ++b) {
        const std::int32_t *i = c.index + b * 2 * LANES, *j = i + LANES;
        const Lanes4<T> p = gather(c.point, i), q = gather(c.point, j);
        Lanes4<T> f = gather(c.force, i), g = gather(c.force, j);
        const Lane<T> dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
        const Lane<T> length = at_least<T>(square_root<T>(dx * dx + dy * dy + dz * dz), tiny);
        const Lane<T> s = k * (one - load(c.rest + b * LANES) / length);
        f.x += dx * s, f.y += dy * s, f.z += dz * s;
        g.x -= dx * s, g.y -= dy * s, g.z -= dz * s;
        scatter(c.force, i, f);
        scatter(c.force, j, g);
    }
}

template <class T>
void move(const FollowView<T> &c, const FollowOptions<T> &o) {
    for (std::size_t p = 0; p < c.count; ++p) {
        T *x = c.point + 4 * p, *v = c.velocity + 4 * p, *f = c.force + 4 * p;
        const bool held = c.weight[p] == T(0);
        for (int a = 0; a < 3; ++a) {
            if (!held) v[a] += o.dt * (f[a] * c.weight[p] + o.gravity[a] - c.drag[p] * (v[a] - o.wind[a]));
            x[a] += o.dt * v[a];
            f[a] = T(0);
        }
    }
}

// depth, approach, Coulomb friction: collision/contacts.py; t: time since the planes were found
template <class T>
void meet(const FollowView<T> &c, const FollowOptions<T> &o, T t) {
    for (std::size_t i = 0; i < c.contacts; ++i) {
        const std::size_t p = static_cast<std::size_t>(c.who[i]);
        if (c.weight[p] == T(0)) continue;
        T *x = c.point + 4 * p, *v = c.velocity + 4 * p;
        const T *n = c.normal + 3 * i, *skin = c.skin + 3 * i, *start = c.start + 3 * i;
        T gap = c.gap[i], approach = T(0), u[3];
        for (int a = 0; a < 3; ++a) gap += n[a] * (x[a] - start[a] - t * skin[a]);
        const T depth = o.thickness - gap;
        if (!(depth > T(0))) continue;
        for (int a = 0; a < 3; ++a) u[a] = v[a] - skin[a], approach += n[a] * u[a];
        const T impulse = approach < T(0) ? -approach : T(0), along = approach + impulse;
        T speed = T(0), slide[3];
        for (int a = 0; a < 3; ++a) {
            u[a] += impulse * n[a];
            slide[a] = u[a] - along * n[a];
            speed += slide[a] * slide[a];
        }
        speed = std::sqrt(speed);
        const T most = c.friction[p] * impulse, taken = speed > T(0) ? (most < speed ? most : speed) / speed : T(0);
        for (int a = 0; a < 3; ++a) {
            v[a] = skin[a] + u[a] - taken * slide[a];
            x[a] += depth * n[a] - o.dt * taken * slide[a];
        }
    }
}

template <class T>
void run(const FollowView<T> &c, const FollowOptions<T> &o) {
    for (int k = 1; k <= o.steps; ++k) {
        pull(c, o.stiffness);
        move(c, o);
        meet(c, o, static_cast<T>(k) * o.dt);
    }
}
}  // namespace

void follow(const FollowView<float> &c, const FollowOptions<float> &o) { run(c, o); }
void follow(const FollowView<double> &c, const FollowOptions<double> &o) { run(c, o); }
}  // namespace TOILE_ISA
