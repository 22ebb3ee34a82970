#include "contact/free_space.h"

#include <algorithm>
#include <cmath>

#include "core/threads.h"

namespace {
constexpr double OPPOSED = -0.5;   // cosine: two skins face each other
constexpr double TILT = 0.4;       // of both planes towards the mouth
constexpr double MOUTH = 0.1;      // least length of the sum of two unit normals that tells where the mouth is
constexpr double SLIP = 0.0015;    // how far squeezed cloth is let out in one go, at most [m]
constexpr double LACK = 0.002;     // with less room missing it is let out more gently, or it would go to and fro [m]
constexpr double KEPT = 1.3;       // of a rise where there is little room: two sheets need more than the cautious rise between them
constexpr double DEEPEST = 0.004;  // skins that overlap by more are treated as if by this [m]

struct Plane {
    double n[3], gap;
    double thickness, rise;  // kept from the skin, and for cloth in between [m]
    double height() const { return thickness + rise; }
};

double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// the two planes of one particle at x share the room between them; false: there is enough. With more room than `least`
// cloth is not squeezed out.
bool squeeze(const double *x, Plane &a, Plane &b, double least) {
    const double need = a.height() + b.height(), rises = a.rise + b.rise, space = a.gap + b.gap;
    if (space >= need || !(need > rises)) return false;
    double mouth[3], size = 0;
    for (int k = 0; k < 3; ++k) mouth[k] = a.n[k] + b.n[k], size += mouth[k] * mouth[k];
    size = std::sqrt(size);
    const bool opens = size > MOUTH && space < least;
    const double tilt = opens ? TILT * std::min(1.0, (need - space) / LACK) : 0;
    const double have = std::min(need, std::max(space, -DEEPEST) + 2 * tilt * SLIP);
    // sheets keep off each other first, or all would lie in the middle and cross; the skins share what is left
    const double between = KEPT * std::min(rises, std::max(have, 0.0) / 2);
    for (Plane *plane : {&a, &b}) {
        double height = (have - between) * plane->thickness / (need - rises);
        if (rises > 0) height += between * plane->rise / rises;
        // the plane turns about the place where it now meets the particle's normal through it
        double pivot[3], length = 0;
        for (int k = 0; k < 3; ++k) {
            pivot[k] = x[k] + (height - plane->gap) * plane->n[k];
            if (opens) plane->n[k] += tilt * mouth[k] / size;
            length += plane->n[k] * plane->n[k];
        }
        for (double &v : plane->n) v /= std::sqrt(length);
        plane->gap = dot(plane->n, x) - dot(plane->n, pivot);
    }
    return true;
}
}  // namespace

template <class T>
void share_free_space(const T *point, const std::vector<std::uint32_t> &begin, const UniformOrEach<T> &thickness,
               const std::vector<T> &rise, double least, T *normal, T *offset) {
    const auto share_out = [&](std::size_t p) {
        if (begin[p + 1] - begin[p] < 2 && rise.empty()) return;  // most
        const double x[3] = {double(point[4 * p]), double(point[4 * p + 1]), double(point[4 * p + 2])};
        for (std::size_t i = begin[p]; i < begin[p + 1]; ++i) {
            for (std::size_t j = i + 1; j < begin[p + 1]; ++j) {
                Plane planes[2];
                for (int side = 0; side < 2; ++side) {
                    const std::size_t c = side ? j : i;
                    Plane &plane = planes[side];
                    for (int k = 0; k < 3; ++k) plane.n[k] = normal[3 * c + k];
                    plane.gap = dot(plane.n, x) - offset[c];
                    plane.thickness = thickness[p], plane.rise = rise.empty() ? 0 : rise[c];
                }
                if (dot(planes[0].n, planes[1].n) > OPPOSED || !squeeze(x, planes[0], planes[1], least)) continue;
                for (int side = 0; side < 2; ++side) {
                    const std::size_t c = side ? j : i;
                    for (int k = 0; k < 3; ++k) normal[3 * c + k] = static_cast<T>(planes[side].n[k]);
                    // thickness and rise are added again by others
                    offset[c] = static_cast<T>(dot(planes[side].n, x) - planes[side].gap - thickness[p]);
                    if (!rise.empty()) offset[c] -= rise[c];
                }
            }
        }
        for (std::size_t c = begin[p]; c < begin[p + 1] && !rise.empty(); ++c) offset[c] += rise[c];
    };
    for_ranges(begin.size() - 1, 4000, [&](std::size_t first, std::size_t last) {
        for (std::size_t p = first; p < last; ++p) share_out(p);
    });
}

template void share_free_space(const float *, const std::vector<std::uint32_t> &, const UniformOrEach<float> &,
                        const std::vector<float> &, double, float *, float *);
template void share_free_space(const double *, const std::vector<std::uint32_t> &, const UniformOrEach<double> &,
                        const std::vector<double> &, double, double *, double *);
