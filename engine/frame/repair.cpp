#include "frame/repair.h"

#include <algorithm>

#include "core/require.h"
#include "core/vector3.h"

namespace frame {
namespace {
constexpr int PATIENCE = 48;     // rounds of untangling, at most: few frames take more than 12, and zones stretch the cloth round them
constexpr int ZONES = 6;         // times that what still crosses is carried along as one piece, each time with one more ring round it: once is enough as a rule
constexpr int LIFTS = 4;         // rounds in which what is left inside the skin is put onto it
constexpr double ABOVE = 0.0002;  // how far above the skin [m]
}  // namespace

Repair::Repair(const RepairModel &m, std::span<const double> position, std::span<const std::int32_t> pinned)
    : untangler_(m.triangles.data(), m.triangles.size() / 3, position.data(), position.size() / 3, m.layer.data(), m.label.data(), m.sides.data()),
      cloth_{m.triangles, m.label, {}} {
    set_pinned(pinned);
}

void Repair::set_pinned(std::span<const std::int32_t> pinned) {
    const std::size_t n = untangler_.particle_count();
    require_indices(pinned.data(), pinned.size(), n, "a pinned particle does not exist");
    inverse_mass_.assign(n, 1.0), cloth_.free.assign(n, 1);
    for (const std::int32_t p : pinned) inverse_mass_[p] = 0, cloth_.free[p] = 0;
}

Repaired Repair::run(const ClothState &cloth, SkinContact &skin, const PosedSkin &pose, const double *start) {
    given_.assign(cloth.position.begin(), cloth.position.end());
    const surface::Tree &body = skin.tree(pose);
    Repaired last = untangle(cloth.position, body);
    if (!last.left()) return last;
    if (start) last = carry(cloth, body, start, last);
    if (last.body_after) lift(cloth.position, skin, pose);
    last.moved = 0;
    for (std::size_t i = 0; i < given_.size(); i += 3)
        last.moved = std::max(last.moved, length(surface::load(&cloth.position[i]) - surface::load(&given_[i])));
    return last;
}

Repaired Repair::untangle(std::span<double> position, const surface::Tree &body) {
    surface::UntangleOptions options;
    options.rounds = PATIENCE;
    surface::UntangleReport report = untangler_.run(position.data(), inverse_mass_.data(), &body, options);
    crossing_ = std::move(report.left);
    return {report.body_before, report.cloth_before, report.body_after, report.cloth_after, report.moved};
}

// what crosses is carried along in the shape that it had at the start
Repaired Repair::carry(const ClothState &cloth, const surface::Tree &body, const double *start, const Repaired &first) {
    const std::vector<double> position(cloth.position.begin(), cloth.position.end()), velocity(cloth.velocity.begin(), cloth.velocity.end());
    std::vector<surface::TrianglePair> crossing = crossing_;
    std::vector<double> tried, tried_velocity;
    Repaired best = first;
    Marks zone(position.size() / 3, 0);
    for (int k = 0; k < ZONES && best.left(); ++k) {
        widen(cloth_, crossing, zone);
        tried = position, tried_velocity = velocity;
        carry_zones(cloth_, zone, crossing, start, {tried, tried_velocity});
        const Repaired now = untangle(tried, body);
        crossing.insert(crossing.end(), crossing_.begin(), crossing_.end());
        if (now.left() >= best.left()) continue;
        best = now;
        std::copy(tried.begin(), tried.end(), cloth.position.begin()), std::copy(tried_velocity.begin(), tried_velocity.end(), cloth.velocity.begin());
    }
    best.body_before = first.body_before, best.cloth_before = first.cloth_before;
    return best;
}

// What is still inside the skin is put onto it: what crosses must not lie deep as well. Each round goes the way out of the limb in which a particle is
// deepest; between limbs that overlap there is none, so a few rounds are all.
void Repair::lift(std::span<double> position, SkinContact &skin, const PosedSkin &pose) {
    using namespace surface;
    still_.assign(3 * pose.count(), 0.0);
    for (int k = 0; k < LIFTS; ++k) {
        const SkinContacts &found = skin.find(pose, still_.data(), position.data(), position.size() / 3);
        std::vector<std::int32_t> deepest(position.size() / 3, -1);
        bool inside = false;
        for (std::size_t c = 0; c < found.count(); ++c) {
            const std::int32_t p = found.particle[c];
            if (!(found.gap[c] < 0) || !cloth_.free[p]) continue;
            if (deepest[p] < 0 || found.gap[c] <= found.gap[deepest[p]]) deepest[p] = static_cast<std::int32_t>(c);
            inside = true;
        }
        if (!inside) return;
        for (std::size_t p = 0; p < deepest.size(); ++p)
            if (const std::int32_t c = deepest[p]; c >= 0)
                store(&position[3 * p], load(&position[3 * p]) + (ABOVE - found.gap[c]) * load(&found.normal[3 * c]));
    }
}

}  // namespace frame
