// How often a closed surface encloses a point, by signed crossings along rays. All decisions are exact: a ray through an
// edge or a corner crosses exactly one of the triangles there, so a closed surface gives the same number along every ray.
#include <algorithm>
#include <bit>

#include "geometry/bvh.h"
#include "core/float4.h"
#include "geometry/predicates.h"

namespace surface {
namespace {

struct Flat {
    double x, y;
};
Flat project(Vec3 p, int axis) { return axis == 0 ? Flat{p.y, p.z} : axis == 1 ? Flat{p.z, p.x} : Flat{p.x, p.y}; }

// how often the triangle's shadow winds round the origin of the ray: edges belong to one of their two sides only
int shadow_winding(Flat p, const Flat *corner) {
    int sum = 0;
    for (int k = 0; k < 3; ++k) {
        const Flat a = corner[k], b = corner[(k + 1) % 3];
        const bool up = a.y <= p.y && b.y > p.y, down = a.y > p.y && b.y <= p.y;
        if (!up && !down) continue;
        const int side = orient2d(a.x, a.y, b.x, b.y, p.x, p.y);
        if (up && side > 0) ++sum;
        if (down && side < 0) --sum;
    }
    return sum;
}

int crossing(Vec3 p, int axis, Vec3 a, Vec3 b, Vec3 c) {
    const Flat shadow[3] = {project(a, axis), project(b, axis), project(c, axis)};
    const int winding = shadow_winding(project(p, axis), shadow);
    // ahead of p, not behind it
    return winding != 0 && orient3d(a, b, c, p) * winding > 0 ? winding : 0;
}

}  // namespace

int Tree::ray_winding(Vec3 p, int axis) const {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    const double at[3] = {p.x, p.y, p.z};
    const float slack = static_cast<float>(3e-7 * std::max(extent_, std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)})));
    const auto low = [&](int k) { return Float4(static_cast<float>(at[k]) - slack); };
    const auto high = [&](int k) { return Float4(static_cast<float>(at[k]) + slack); };
    const Float4 ahead = low(axis), u_low = low(u), u_high = high(u), v_low = low(v), v_high = high(v);
    std::int32_t open[open_limit];
    int count = 0, sum = 0;
    for (const auto root : roots_) {
        if (root < 0) continue;
        open[count++] = root;
        while (count > 0) {
            const auto top = open[--count];
            if (top < 0) {
                const Leaf &leaf = leaves_[~top];
                for (int k = 0; k < leaf.count(); ++k) {
                    const std::int32_t *t = triangle(leaf.triangle[k]);
                    sum += crossing(p, axis, vertex(t[0]), vertex(t[1]), vertex(t[2]));
                }
                continue;
            }
            const Node &node = nodes_[top];
            int bits = less_equal(ahead, Float4::load(node.hi[axis]));
            bits &= less_equal(u_low, Float4::load(node.hi[u])) & less_equal(Float4::load(node.lo[u]), u_high);
            bits &= less_equal(v_low, Float4::load(node.hi[v])) & less_equal(Float4::load(node.lo[v]), v_high);
            for (; bits; bits &= bits - 1) open[count++] = node.child[std::countr_zero(static_cast<unsigned>(bits))];
        }
    }
    return sum;
}

int Tree::winding(Vec3 p) const {
    if (!(std::abs(p.x) < 1e15 && std::abs(p.y) < 1e15 && std::abs(p.z) < 1e15)) return 0;
    const int x = ray_winding(p, 0), z = ray_winding(p, 2);
    if (x == z) return x;
    // the surface has a hole: the middle one of three opinions
    const int y = ray_winding(p, 1);
    return std::max(std::min(x, z), std::min(std::max(x, z), y));
}

}  // namespace surface
