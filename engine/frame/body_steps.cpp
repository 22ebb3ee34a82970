#include "frame/body_steps.h"

#include <algorithm>
#include <cmath>

#include "body/riding_points.h"

namespace frame {
namespace {
constexpr double LONGEST_SKIN_STEP = 0.02;  // the skin moves at most so far between two contact updates [m]: a quarter of a forearm's thickness
constexpr double THIN_SKIN_STEP = 0.012;    // … for thin limbs [m]: two fifths of a hand's thickness
constexpr int BROAD_PERIOD = 3;  // near cloth is searched for once in so many contact updates, and at the start of each frame
constexpr double NEAR = 0.05;               // skin farther than this from the box round the cloth is not looked at [m]
constexpr int MOST_STEPS = 100000;

int pieces(double distance, double longest) { return static_cast<int>(std::clamp(std::ceil(distance / longest), 1.0, double{MOST_STEPS})); }
}  // namespace

FramePlan plan_frame(const body::SkinAndCloth &both, double dt, double longest_contact_step, int followed_updates) {
    FramePlan plan;
    const bool moving = both.before != both.after;
    plan.velocity.assign(3 * both.vertex_count, 0.0);
    if (moving && both.particle_count) {
        body::SkinTravel travel = body::skin_travel(both, dt, NEAR, plan.velocity.data());
        plan.broad = pieces(travel.broad, LONGEST_SKIN_STEP);
        plan.searches = std::max(plan.broad, pieces(travel.thin, THIN_SKIN_STEP));
        plan.boxes = std::move(travel.boxes);
    }
    // a solver that updates contacts often gets the skin where it is then, not where it was when the frame began
    const int count = std::max(plan.searches, moving ? pieces(dt / longest_contact_step - 1e-6, 1) : 1);
    // hardly any skin comes near before the next search that was too far: contacts are followed meanwhile
    const int period = std::min(count / plan.searches, followed_updates);
    int watched = 0, searched = 0;
    for (int step = 0; step < count; step += period) {
        const int taken = std::min(period, count - step);
        BodyStep one{static_cast<double>(step) / count, taken * dt / count, 0, 0, false};
        // a swinging hand asks for more searches than the rest: these are for the cloth near it
        if (followed_updates > 1 && 0 < step && step < searched + count / plan.broad) one.follow = true, one.since = (step - searched) * dt / count;
        else searched = step;
        if (step + taken > watched) watched = step + std::max(BROAD_PERIOD, taken), one.watch = dt / count * std::min(watched - step, count - step);
        plan.steps.push_back(one);
    }
    return plan;
}

StepContacts SkinSource::find(const double *position) {
    const surface::SkinContacts &found =
        follow_ ? contact_.follow(skin_, velocity_, position, particles_, meanwhile_) : contact_.find(skin_, velocity_, position, particles_);
    tracked_ = contact_.tracked(velocity_);
    return {{found.count(), found.particle.data(), found.gap.data(), found.normal.data(), found.velocity.data()}, &tracked_, contact_.grip()};
}

FramePlan advance(ClothSolver &solver, SkinSource &source, bool follows, const ClothState &cloth, const MovingSkin &skin, const Air &air, double dt) {
    const std::size_t vertices = skin.after.count();
    const body::SkinAndCloth both{vertices, skin.before.data(), skin.after.data(), skin.limb.data(), skin.thin.data(), cloth.position.size() / 3, cloth.position.data(), cloth.velocity.data()};
    FramePlan plan = plan_frame(both, dt, solver.longest_contact_step(), follows ? solver.followed_updates() : 1);
    for (const BodyStep &step : plan.steps) {
        PosedSkin now = skin.before;
        if (step.at > 0) {
            const std::shared_ptr<double> place = reserve_vertices(vertices);
            body::between(skin.before.data(), skin.after.data(), step.at, 3 * vertices, place.get());
            now = {place, vertices};
        }
        source.pose(now, plan.velocity.data());
        if (step.follow) source.follow({step.since, plan.boxes});
        solver.step(cloth.position.data(), cloth.velocity.data(), source, air, step.watch, step.length);
    }
    return plan;
}

}  // namespace frame
