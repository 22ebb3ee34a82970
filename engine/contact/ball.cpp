// Contacts with a ball: benchmarks and demonstrations drop cloth on one, and there NumPy took longer than the cloth.
#include <algorithm>
#include <cmath>
#include <vector>

#include "bind.h"
#include "contact/obstacles.h"
#include "core/threads.h"

namespace {
constexpr std::size_t STRETCH = 1024;  // points that are looked at together, so that their contacts keep the points' order

struct Asked {
    double centre[3], radius, far2;
    // the way from the centre to a point, its square; whether the point is near
    bool near(const double *x, double *away, double &square) const {
        square = 0;
        for (int a = 0; a < 3; ++a) away[a] = x[a] - centre[a], square += away[a] * away[a];
        return square < far2;
    }
};

// points (n, 3) nearer than reach to the ball's surface: who, gap = |x - centre| - radius, and normal = (x - centre) / |x - centre|
nb::tuple ball_contacts(Points position, In<double, 3> centre, double radius, double reach) {
    const double far = radius + reach;
    const Asked ball{{centre(0), centre(1), centre(2)}, radius, far > 0 ? far * far : -1};
    const std::size_t points = position.shape(0), stretches = (points + STRETCH - 1) / STRETCH;
    const auto each = [&](const auto &use) {
        for_ranges(stretches, 4, [&](std::size_t first, std::size_t last) {
            for (std::size_t s = first; s < last; ++s) {
                double away[3], square;
                for (std::size_t p = s * STRETCH; p < std::min(points, (s + 1) * STRETCH); ++p)
                    if (ball.near(position.data() + 3 * p, away, square)) use(s, p, away, square);
            }
        });
    };
    std::vector<std::size_t> next(stretches + 1, 0);
    each([&](std::size_t s, std::size_t, const double *, double) { ++next[s + 1]; });
    for (std::size_t s = 0; s < stretches; ++s) next[s + 1] += next[s];
    const std::size_t count = next[stretches];
    std::vector<std::int32_t> particle(count);
    std::vector<double> gap(count), normal(3 * count);
    each([&](std::size_t s, std::size_t p, double *away, double square) {
        const std::size_t c = next[s]++;
        const double distance = std::sqrt(square);
        if (distance < 1e-12) away[0] = away[2] = 0, away[1] = 1;  // at the centre every way out is as short: take up
        const double scale = distance < 1e-12 ? 1 : 1 / distance;
        particle[c] = static_cast<std::int32_t>(p), gap[c] = distance - radius;
        for (int a = 0; a < 3; ++a) normal[3 * c + a] = away[a] * scale;
    });
    return nb::make_tuple(own(std::move(particle), {count}), own(std::move(gap), {count}), own(std::move(normal), {count, 3}));
}
}  // namespace

void bind_ball(nb::module_ &m) {
    nb::class_<Ball>(m, "Ball", "A ball that the engine asks by itself.")
        .def("__init__", [](Ball *where, In<double, 3> centre, double radius, double reach, In<double, 3> velocity) {
                new (where) Ball{surface::load(centre.data()), surface::load(velocity.data()), radius, reach};
            }, nb::arg("centre"), nb::arg("radius"), nb::arg("reach"), nb::arg("velocity"));
    m.def("ball_contacts", &ball_contacts, nb::arg("position"), nb::arg("centre"), nb::arg("radius"), nb::arg("reach"),
          "-> particle (c,), gap [m], (c,), normal (c, 3)");
}
