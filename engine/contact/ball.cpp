#include "contact/ball.h"

#include <algorithm>
#include <cmath>

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
}  // namespace

ContactList ball_contacts(PointsView position, surface::Vec3 centre, double radius, double reach) {
    const double far = radius + reach;
    const Asked ball{{centre.x, centre.y, centre.z}, radius, far > 0 ? far * far : -1};
    const std::size_t points = position.rows(), stretches = (points + STRETCH - 1) / STRETCH;
    const auto each = [&](const auto &use) {
        for_ranges(stretches, 4, [&](std::size_t first, std::size_t last) {
            for (std::size_t s = first; s < last; ++s) {
                double away[3], square;
                for (std::size_t p = s * STRETCH; p < std::min(points, (s + 1) * STRETCH); ++p)
                    if (ball.near(position.row(p), away, square)) use(s, p, away, square);
            }
        });
    };
    std::vector<std::size_t> next(stretches + 1, 0);
    each([&](std::size_t s, std::size_t, const double *, double) { ++next[s + 1]; });
    for (std::size_t s = 0; s < stretches; ++s) next[s + 1] += next[s];
    ContactList found;
    const std::size_t count = next[stretches];
    found.particle.resize(count), found.gap.resize(count), found.normal.resize(3 * count), found.velocity.resize(3 * count);
    each([&](std::size_t s, std::size_t p, double *away, double square) {
        const std::size_t c = next[s]++;
        const double distance = std::sqrt(square);
        if (distance < 1e-12) away[0] = away[2] = 0, away[1] = 1;  // at the centre every way out is as short: take up
        const double scale = distance < 1e-12 ? 1 : 1 / distance;
        found.particle[c] = static_cast<std::int32_t>(p), found.gap[c] = distance - radius;
        for (int a = 0; a < 3; ++a) found.normal[3 * c + a] = away[a] * scale;
    });
    return found;
}
