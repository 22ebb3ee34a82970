// How far coarse limits (hierarchy.h) and long threads give when cloth comes to rest.
//
// A sweep over threads and triangles is as stiff as m / dt² at most, whatever the fabric. What it cannot bear is left to long threads and coarse
// limits, the finest first: each level does so much of what it asks for that all together are as stiff as the fabric, along its threads and
// along the bias. The shorter the substeps, the less is left to them: cloth at rest converges to the shape of its forces alone.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

// a limit with less slant² (sin² 2θ) than this holds threads, one with more shears with the cloth
constexpr double ALONG = 0.02;

// Constraints that are swept one after the other are stiffer than all at once by about this, measured on squares of 32² and 64² vertices that hang by two
// corners: with 1 they hang too high, with 2 too low.
constexpr double SWEEP_STIFFNESS = 1.5;

// Stiffness along threads and along the bias: of a fabric [N/m]; times the square of a substep [kg], of what is projected all at once; and which share
// of what they ask for limits do.
struct Stiffness {
    double threads = 0.0, bias = 0.0;

    // a limit of a length [m], over an area [m²]; of those that shear every second is slack. Those with little slant do more (`part`), so that all bear the same.
    void add_limit(double rest, double slant, double inverse_mass, double area) {
        const double each = rest * rest / (inverse_mass * area);
        if (slant * slant < ALONG) threads += each / 2;
        else bias += each / 8;
    }
    // what a limit does, in a row of what it does along the threads and along the bias
    double part(double slant) const {
        const double q2 = slant * slant;
        return threads > 0 && bias > 0 ? std::min(1.0, 1.0 / ((1 - q2) / threads + q2 / bias)) : q2 < ALONG ? threads : bias;
    }
};

// how much of what they ask for levels of limits do, the finest first; dt2: square of a substep [s²]
inline std::vector<Stiffness> share_stiffness(const Stiffness &fabric, const Stiffness &sweep, const std::vector<Stiffness> &levels, double dt2) {
    dt2 /= SWEEP_STIFFNESS;
    // a sweep and the fabric are springs in a row: what both together miss is left
    const auto missing = [&](double stiffness, double most) { return stiffness * stiffness / (stiffness + most / dt2); };
    Stiffness left{missing(fabric.threads, sweep.threads), missing(fabric.bias, sweep.bias)};
    const auto take = [&](double &from, double most) {
        const double part = std::min(from, most / dt2);
        from -= part;
        return most > 0 ? part * dt2 / most : 0.0;
    };
    std::vector<Stiffness> parts;
    for (const Stiffness &level : levels) parts.push_back({take(left.threads, level.threads), take(left.bias, level.bias)});
    return parts;
}
