#include "frame/skin_sides.h"

#include <algorithm>

namespace frame {
namespace {
constexpr double FACED = 0.008;  // sides within this of a point are looked for [m]: twice what cloth keeps off the skin
}

StepContacts SkinSides::find(const double *position) {
    const surface::SkinContacts &found = contact_.find(skin_, velocity_, position, particles_);
    near_.clear(), place_.clear();
    for (std::size_t c = 0; c < found.count(); ++c) {
        const std::int32_t p = found.particle[c];
        if (!(found.gap[c] < FACED) || (!near_.empty() && near_.back() == p)) continue;
        near_.push_back(p), place_.insert(place_.end(), position + 3 * p, position + 3 * p + 3);
    }
    const surface::SkinContacts sides = surface::find_sides(contact_.tree(skin_), place_.data(), near_.size(), FACED, velocity_);
    particle_.clear(), gap_.clear(), normal_.clear(), velocity_of_.clear();
    const auto add = [&](const surface::SkinContacts &from, std::size_t c, std::int32_t particle) {
        particle_.push_back(particle), gap_.push_back(from.gap[c]);
        normal_.insert(normal_.end(), &from.normal[3 * c], &from.normal[3 * c] + 3);
        velocity_of_.insert(velocity_of_.end(), &from.velocity[3 * c], &from.velocity[3 * c] + 3);
    };
    std::size_t side = 0;
    const auto add_sides = [&](std::int32_t before) {
        for (; side < sides.count() && near_[sides.particle[side]] < before; ++side) add(sides, side, near_[sides.particle[side]]);
    };
    for (std::size_t c = 0; c < found.count(); ++c) {
        add_sides(found.particle[c]);
        // what is near is among the sides, but for skin that a point is inside of
        if (!(found.gap[c] < FACED) || found.gap[c] <= 0) add(found, c, found.particle[c]);
    }
    add_sides(static_cast<std::int32_t>(particles_));
    return {{particle_.size(), particle_.data(), gap_.data(), normal_.data(), velocity_of_.data()}, nullptr, nullptr};
}

}  // namespace frame
