// The one contact response (collision/contacts.py, respond): depth, approach, Coulomb friction. A particle's contacts come one
// after the other; particles are independent.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "bind.h"
#include "core/vector3.h"
#include "core/threads.h"

namespace {

using surface::dot;
using surface::load;
using surface::Vec3;

void meet(double *x, double *v, Vec3 start, Vec3 n, Vec3 skin, double gap, double thickness, double friction, double dt) {
    Vec3 at = load(x);
    const double depth = std::max(thickness - (gap + dot(n, at - start)), 0.0);
    if (!(depth > 0)) return;
    at = at + depth * n;
    // stop what approaches, then let friction act on what slides
    Vec3 relative = load(v) - skin;
    const double impulse = std::max(-dot(n, relative), 0.0);
    relative = relative + impulse * n;
    const Vec3 slide = relative - dot(n, relative) * n;
    const double speed = std::sqrt(dot(slide, slide));
    const double share = speed > 0 ? std::min(friction * impulse, speed) / speed : 0.0;
    surface::store(v, skin + relative - share * slide);
    surface::store(x, at - (dt * share) * slide);
}

nb::tuple respond(Points position, Points velocity, In<std::int32_t, -1> particle, In<double, -1> gap, Points normal, Points skin,
                  In<double, -1> thickness, In<double, -1> friction, double dt) {
    const std::size_t n = position.shape(0), c = particle.size();
    require(velocity.shape(0) == n && thickness.size() == n && friction.size() == n, "one velocity, thickness and friction per particle");
    require(gap.size() == c && normal.shape(0) == c && skin.shape(0) == c, "one gap, normal and velocity per contact");
    require_indices(particle, n, "a contact names a particle that does not exist");
    for (std::size_t i = 1; i < c; ++i) require(particle.data()[i - 1] <= particle.data()[i], "contacts must ascend by particle");
    std::vector<double> x(position.data(), position.data() + 3 * n), v(velocity.data(), velocity.data() + 3 * n);
    {
        nb::gil_scoped_release free_python;
        const std::int32_t *p = particle.data();
        for_ranges(c, 4096, [&](std::size_t begin, std::size_t end) {
            // a particle belongs to the range in which its first contact lies
            while (begin > 0 && begin < end && p[begin] == p[begin - 1]) ++begin;
            if (begin < end)
                while (end < c && p[end] == p[end - 1]) ++end;
            for (std::size_t i = begin; i < end; ++i) {
                const std::size_t k = p[i];
                meet(x.data() + 3 * k, v.data() + 3 * k, load(position.data() + 3 * k), load(normal.data() + 3 * i), load(skin.data() + 3 * i),
                     gap.data()[i], thickness.data()[k], friction.data()[k], dt);
            }
        });
    }
    return nb::make_tuple(own(std::move(x), {n, 3}), own(std::move(v), {n, 3}));
}

}  // namespace

void bind_respond(nb::module_ &m) {
    m.def("respond", &respond, nb::arg("position"), nb::arg("velocity"), nb::arg("particle"), nb::arg("gap"), nb::arg("normal"),
          nb::arg("skin_velocity"), nb::arg("thickness"), nb::arg("friction"), nb::arg("dt"), "-> position, velocity after contact");
}
