// Included by ellipsoids_plain.cpp and ellipsoids_avx2.cpp, which set TOILE_ISA. Raw pointers only.
#include "contact/ellipsoid_rows.h"
#include "core/lanes.h"

namespace TOILE_ISA {

float ray_distances(const EllipsoidRows &e, std::size_t begin, std::size_t end, const float *point, float *distance) {
    using V = Lane<float>;
    const V px = splat(point[0]), py = splat(point[1]), pz = splat(point[2]), tiny = splat(1e-18f);
    V least = splat(3e38f);
    for (std::size_t k = begin; k < end; k += LANES) {
        const V x = px - load(e.c[0] + k), y = py - load(e.c[1] + k), z = pz - load(e.c[2] + k);
        const V u = load(e.m[0] + k) * x + load(e.m[1] + k) * y + load(e.m[2] + k) * z;
        const V v = load(e.m[3] + k) * x + load(e.m[4] + k) * y + load(e.m[5] + k) * z;
        const V w = load(e.m[6] + k) * x + load(e.m[7] + k) * y + load(e.m[8] + k) * z;
        const V far = x * x + y * y + z * z, size = u * u + v * v + w * w + tiny;
        const V d = square_root(far) - square_root(far / size);
        least = at_most(least, d);
        std::memcpy(distance + k, &d, sizeof d);
    }
    float smallest = least[0];
    for (int i = 1; i < LANES; ++i) smallest = least[i] < smallest ? least[i] : smallest;
    return smallest;
}

}  // namespace TOILE_ISA
