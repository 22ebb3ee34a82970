// Contacts with a ball: benchmarks and demonstrations drop cloth on one, and there NumPy took longer than the cloth.
#include <cmath>
#include <vector>

#include "bind.h"

namespace {
// points (n, 3) nearer than reach to the ball's surface: who, gap = |x - centre| - radius, and normal = (x - centre) / |x - centre|
nb::tuple ball_contacts(Points position, In<double, 3> centre, double radius, double reach) {
    const double far = radius + reach, far2 = far > 0 ? far * far : -1;
    std::vector<std::int32_t> particle;
    std::vector<double> gap, normal;
    particle.reserve(position.shape(0)), gap.reserve(position.shape(0)), normal.reserve(position.size());
    for (std::size_t p = 0; p < position.shape(0); ++p) {
        double away[3], square = 0;
        for (int a = 0; a < 3; ++a) away[a] = position.data()[3 * p + a] - centre(a), square += away[a] * away[a];
        if (!(square < far2)) continue;
        const double distance = std::sqrt(square);
        if (distance < 1e-12) away[0] = away[2] = 0, away[1] = 1;  // at the centre every way out is as short: take up
        const double scale = distance < 1e-12 ? 1 : 1 / distance;
        particle.push_back(static_cast<std::int32_t>(p)), gap.push_back(distance - radius);
        for (const double d : away) normal.push_back(d * scale);
    }
    const std::size_t count = particle.size();
    return nb::make_tuple(own(std::move(particle), {count}), own(std::move(gap), {count}), own(std::move(normal), {count, 3}));
}
}  // namespace

void bind_ball(nb::module_ &m) {
    m.def("ball_contacts", &ball_contacts, nb::arg("position"), nb::arg("centre"), nb::arg("radius"), nb::arg("reach"),
          "-> particle (c,), gap [m], (c,), normal (c, 3)");
}
