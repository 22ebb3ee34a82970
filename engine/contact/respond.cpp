#include "contact/respond.h"

#include <algorithm>
#include <cmath>

#include "core/threads.h"
#include "core/vector3.h"

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

}  // namespace

void respond(const ContactsView &contacts, const Touched &touched, double dt, double *position, double *velocity) {
    const std::int32_t *p = contacts.particle.data();
    const std::size_t count = contacts.particle.rows();
    for_ranges(count, 4096, [&](std::size_t begin, std::size_t end) {
        // a particle belongs to the range in which its first contact lies
        while (begin > 0 && begin < end && p[begin] == p[begin - 1]) ++begin;
        if (begin < end)
            while (end < count && p[end] == p[end - 1]) ++end;
        Vec3 start{};
        for (std::size_t i = begin; i < end; ++i) {
            const std::size_t k = p[i];
            if (i == begin || p[i] != p[i - 1]) start = load(position + 3 * k);
            meet(position + 3 * k, velocity + 3 * k, start, load(contacts.normal.row(i)), load(contacts.velocity.row(i)), contacts.gap[i],
                 touched.thickness[k], touched.friction[k], dt);
        }
    });
}
