#include "frame/walker.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "body/riding_points.h"
#include "core/require.h"
#include "core/vector3.h"

namespace frame {
namespace {
// edges longer than this [m] cannot follow the skin, and zones of them are so large that carrying them along shakes the whole garment
constexpr double COARSE = 0.045;
// meshes of longer edges [m] are shaken by what stays in them; in finer ones it is too small a part, and laying out limits round it would take longer than
// a frame
constexpr double SHAKEN = 0.02;

// whether two states differ in nothing, and nothing moves
bool unmoved(const StateArrays &before, const StateArrays &after) {
    const auto still = [](const std::vector<double> &velocity) { return std::all_of(velocity.begin(), velocity.end(), [](double v) { return v == 0; }); };
    return still(after.velocity) && still(before.velocity) && before.position == after.position;
}

// how far a particle gets at most [m]
double farthest(const StateArrays &start, const StateArrays &end) {
    double most = 0;
    for (std::size_t i = 0; i < start.position.size(); i += 3)
        most = std::max(most, length(surface::load(&end.position[i]) - surface::load(&start.position[i])));
    return most;
}

bool same_air(const Air &a, const Air &b) { return a.gravity == b.gravity && a.wind == b.wind; }
}  // namespace

void DefaultStepper::advance(const ClothState &cloth, const MovingSkin &skin, bool all_sides, const Air &air, double dt) {
    frame::advance(solver_, all_sides ? static_cast<SkinSource &>(sides_) : near_, !all_sides, cloth, skin, air, dt);
}

Walker::Walker(const WalkerModel &model, SkinContact *contact, MakeStepper make)
    : model_(model), contact_(contact), make_(std::move(make)), free_(make_()), rides_(model.held.particle.size()), targets_(3 * rides_.size()) {
    std::iota(rides_.begin(), rides_.end(), 0);
    state_.position.assign(model.start.begin(), model.start.end());
    state_.velocity.assign(model.start.size(), 0.0);
    before_ = pose_of(model.skin_rest);
    set_pinned();
    if (!model.repair || !contact_) return;
    repair_ = std::make_unique<Repair>(model.cloth, model.start, pinned_);
    rest_ = std::make_unique<Rest>(model.cloth.triangles, model.cloth.label, model.start, *contact_);
}

void Walker::set_pinned() {
    pinned_.assign(model_.held.particle.begin(), model_.held.particle.end());
    for (std::size_t p = 0; p < model_.led_count; ++p) pinned_.push_back(static_cast<std::int32_t>(p));
    pinned_.insert(pinned_.end(), user_pins_.begin(), user_pins_.end());
    std::sort(pinned_.begin(), pinned_.end());
    pinned_.erase(std::unique(pinned_.begin(), pinned_.end()), pinned_.end());
    if (!pinned_.empty()) free_->pin(pinned_);
}

void Walker::pin(std::span<const std::int32_t> particles) {
    require_indices(particles.data(), particles.size(), model_.start.size() / 3, "a pinned particle does not exist");
    user_pins_.assign(particles.begin(), particles.end());
    set_pinned();
    if (pinned_.empty()) free_->pin({});
    for (const std::int32_t p : user_pins_) std::fill_n(&state_.velocity[3 * static_cast<std::size_t>(p)], 3, 0.0);
    if (repair_) repair_->set_pinned(pinned_);
    stays_.clear(), asleep_ = false;
}

PosedSkin Walker::pose(std::span<const double> world) const {
    const std::size_t joints = model_.rest_frames.size() / 16, vertices = model_.skin_rest.size() / 3;
    require(joints > 0 && world.size() == model_.rest_frames.size(), "a pose needs one transform per joint");
    const std::shared_ptr<double> place = reserve_vertices(vertices);
    const std::vector<double> pose = body::from_rest(world.data(), model_.rest_frames.data(), joints);
    body::skin({vertices, model_.weight.size() / std::max<std::size_t>(vertices, 1), model_.skin_rest.data(), model_.weight_joint.data(), model_.weight.data()}, pose.data(), joints,
               model_.dual, nullptr, 1.0, place.get(), nullptr);
    return {place, vertices};
}

PosedSkin Walker::pose_of(std::span<const double> vertices) const {
    require(vertices.size() == model_.skin_rest.size(), "a pose needs one place per vertex");
    const std::shared_ptr<double> place = reserve_vertices(vertices.size() / 3);
    std::copy(vertices.begin(), vertices.end(), place.get());
    return {place, vertices.size() / 3};
}

void Walker::go_to(StateArrays state, PosedSkin skin) {
    require(state.position.size() == state_.position.size() && state.velocity.size() == state_.velocity.size() && skin.count() == before_.count(),
            "a state needs one row per particle, a pose one per vertex");
    state_ = std::move(state), before_ = std::move(skin), asleep_ = false;
}

Repaired Walker::frame(const FrameInput &input, double dt) {
    require(dt > 0 && input.skin.count() == before_.count(), "a frame takes some time, and a pose one place per vertex");
    require(input.led.empty() || input.led.size() == 3 * model_.led_count, "led particles need one place each");
    const bool same_pose = same_skin(before_, input.skin);
    Repaired repaired;
    // a frame that ended as it had begun, with nothing led: those like it need not be computed
    if (!(asleep_ && input.led.empty() && same_pose && same_air(slept_in_, input.air))) {
        const StateArrays start = state_;
        carry(input, dt);
        repaired = advance(input, dt);
        asleep_ = input.led.empty() && same_pose && unmoved(start, state_), slept_in_ = input.air;
    }
    before_ = input.skin;
    return repaired;
}

// what is held or led moves so that it reaches its place in dt [s]
void Walker::carry(const FrameInput &input, double dt) {
    const auto lead = [&](std::size_t p, const double *target) {
        for (int a = 0; a < 3; ++a) state_.velocity[3 * p + a] = (target[a] - state_.position[3 * p + a]) / dt;
    };
    const HeldModel &held = model_.held;
    body::ride(input.skin.data(), held.corners.data(), rides_.data(), held.local.data(), nullptr, rides_.size(), targets_.data());
    for (std::size_t h = 0; h < rides_.size(); ++h) lead(static_cast<std::size_t>(held.particle[h]), &targets_[3 * h]);
    for (std::size_t p = 0; p < input.led.size() / 3; ++p) lead(p, &input.led[3 * p]);
}

// the frame, and what the repair left of its crossings
Repaired Walker::advance(const FrameInput &input, double dt) {
    const bool rests = rest_ && input.led.empty() && stands_still(before_, input.skin);
    const StateArrays start = state_;
    Repaired found = compute(*free_, state_, input, rests, dt);
    if (!rests || found.left()) return found;
    StateArrays kept = state_;
    if (rest_->stay(start, kept, repair_->given(), input.skin, dt) && model_.edge > SHAKEN) {
        StateArrays again;
        Repaired left;
        // cloth between particles that are held may be thrown about, whether or not the repair brings it back: then it is left as it was kept
        const double far = std::max(farthest(start, state_), model_.edge / 2);
        if (round(start, kept, input, dt, again, left) && std::max(farthest(start, again), left.moved) <= far) kept = std::move(again), found = left;
    }
    if (rest_->asleep(start, kept, before_, input.skin, dt)) kept.position = start.position, std::fill(kept.velocity.begin(), kept.velocity.end(), 0.0);
    state_ = std::move(kept);
    return found;
}

// the end of a frame, repaired
Repaired Walker::compute(Stepper &stepper, StateArrays &state, const FrameInput &input, bool rests, double dt) {
    const std::vector<double> start = state.position;
    stepper.advance(state.view(), {before_, input.skin, model_.skin_limb, model_.thin_limb}, rests, input.air, dt);
    std::copy(input.led.begin(), input.led.end(), state.position.begin());
    if (!repair_) return {};
    return repair_->run(state.view(), *contact_, input.skin, model_.edge < COARSE ? start.data() : nullptr);
}

// The frame computed again round what stays in it, which is pinned: free, it is pulled at until the frame ends and pulls at the cloth round it, which would
// tremble for ever. Returns false if nothing stays, or the frame is not clean.
bool Walker::round(const StateArrays &start, const StateArrays &kept, const FrameInput &input, double dt, StateArrays &again, Repaired &found) {
    std::vector<std::int32_t> held = pinned_;
    again = start;
    for (std::size_t p = 0; p < start.position.size() / 3; ++p) {
        const double *was = &start.position[3 * p], *is = &kept.position[3 * p];
        if (was[0] != is[0] || was[1] != is[1] || was[2] != is[2] || std::binary_search(pinned_.begin(), pinned_.end(), static_cast<std::int32_t>(p))) continue;
        held.push_back(static_cast<std::int32_t>(p));
        std::fill_n(&again.velocity[3 * p], 3, 0.0);
    }
    if (held.size() == pinned_.size()) return false;
    std::sort(held.begin(), held.end());
    if (!holding_) holding_ = make_();
    // limits depend on what is pinned and take long: mostly the same particles stay in frame after frame
    if (held != stays_) holding_->pin(held), stays_ = std::move(held);
    const StateArrays begin = again;
    found = compute(*holding_, again, input, true, dt);
    if (found.left()) return false;
    rest_->stay(begin, again, repair_->given(), input.skin, dt);
    return true;
}

}  // namespace frame
