#include "frame/cloth_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/fixed_math.h"
#include "core/require.h"
#include "core/vector3.h"
#include "frame/step_laws.h"

namespace frame {
namespace {
// from which share of the stated stretch on calm and fast cloth takes more substeps, at which share the most that calm cloth may take, and the most in
// terms of that
constexpr double CALM_ASKS[3] = {0.5, 1.2, 1.0}, FAST_ASKS[3] = {0.0, 0.5, 6.0};
// the normals beside a fold add up to less than this share when it is nearly shut: its direction is kept
constexpr double FLAT = 0.3;
}  // namespace

// what one step goes by
struct ClothSolver::Laws {
    int substeps;
    double swift, head_start, firm, rubbing, evening, buckling, apart, jolt;
};

ClothSolver::ClothSolver(const SolverModel &model) : model_(model), made_(model) {
    prepare();
    friction_.assign(particle_count(), 1.0);
    if (!model.folds.particle.empty()) {
        const std::size_t n = particle_count();
        towards_.assign(3 * model.folds.particle.size(), 0.0), rest_curvature_.assign(3 * n, 0.0), normal_sum_.assign(3 * n, 0.0), normal_size_.assign(n, 0.0);
    }
}

void ClothSolver::prepare() {
    cloth_ = cloth::make_cloth(model_.kind, model_.cloth);
    cloth_->set_drag(model_.settings.drag);
    if (model_.grid) cloth_->set_grid(*model_.grid);
    if (model_.layers) cloth_->set_layers(*model_.layers);
    if (!model_.grid && model_.settings.levels) cloth_->set_long_threads(model_.long_threads);
    levels_ready_ = false;
}

// flat corners of triangles are mostly those of flat points: a sixth of the memory; false: they are not
bool ClothSolver::pack_corners() {
    const cloth::LevelModel &m = model_.levels;
    const auto count = static_cast<std::int32_t>(m.flat.size());
    if (m.corner.size() != 2 * m.flat.size()) return false;
    if (!std::all_of(m.flat.begin(), m.flat.end(), [&](std::int32_t f) { return f >= 0 && f < count; })) return false;
    std::vector<double> points(count ? 2 * (static_cast<std::size_t>(*std::max_element(m.flat.begin(), m.flat.end())) + 1) : 0);
    for (std::size_t i = 0; i < m.flat.size(); ++i) std::copy_n(&m.corner[2 * i], 2, &points[2 * static_cast<std::size_t>(m.flat[i])]);
    for (std::size_t i = 0; i < m.flat.size(); ++i)
        if (!std::equal(&m.corner[2 * i], &m.corner[2 * i] + 2, &points[2 * static_cast<std::size_t>(m.flat[i])])) return false;
    flat_points_ = std::move(points), model_.levels.corner = {};
    return true;
}

std::vector<std::string_view> ClothSolver::forget_arrays() {
    const auto inverse_mass = model_.cloth.inverse_mass;
    model_.cloth = {}, model_.cloth.inverse_mass = inverse_mass;
    if (model_.grid) model_.grid->stencil_of = {};
    model_.layers.reset(), model_.long_threads = {};
    made_ = {};
    std::vector<std::string_view> kept{"cloth.inverse_mass", "cloth.triangles", "levels.panel", "levels.flat", "levels.worn", "folds."};
    if (!pack_corners()) kept.push_back("levels.corner");
    return kept;
}

void ClothSolver::set_fabric(const FabricScale &scale) {
    require(!made_.cloth.order.empty(), "the arrays that this cloth was made of are gone");
    const auto scaled = [](std::span<const double> values, double by) {
        std::vector<double> r(values.begin(), values.end());
        for (double &v : r) v *= by;
        return r;
    };
    const double bend = std::sqrt(scale.bend);
    inverse_mass_ = scaled(made_.cloth.inverse_mass, 1 / scale.mass), triangle_stiffness_ = scaled(made_.cloth.triangle_stiffness, scale.stretch);
    stencil_weight_ = scaled(made_.cloth.stencil_weight, bend), own_friction_ = scaled(made_.cloth.friction, scale.friction);
    model_ = made_;
    model_.cloth.inverse_mass = inverse_mass_, model_.cloth.triangle_stiffness = triangle_stiffness_, model_.cloth.stencil_weight = stencil_weight_;
    model_.cloth.friction = own_friction_;
    if (model_.grid) {
        for (double &k : model_.grid->stiffness) k *= scale.stretch;
        for (double &k : model_.grid->bend) k *= bend;
    }
    prepare();
    cloth_->set_friction(friction_), loose_ = false;
}

void ClothSolver::grab(std::int32_t particle, const std::array<double, 3> &target, std::span<const double> position) {
    target_ = target;
    if (!grabbed_.empty() && grabbed_[0].particle == particle) return;
    constexpr double HAND = 0.06;  // [m]
    grabbed_.assign(1, {particle, 1, {}});
    const surface::Vec3 middle = surface::load(&position[3 * static_cast<std::size_t>(particle)]);
    for (std::size_t p = 0; p < particle_count(); ++p) {
        const surface::Vec3 away = surface::load(&position[3 * p]) - middle;
        const double far = length(away);
        if (far < HAND && p != static_cast<std::size_t>(particle)) grabbed_.push_back({static_cast<std::int32_t>(p), 1 - far / HAND, {away.x, away.y, away.z}});
    }
}

// a spring without swing, as if it acted until the end of dt [s]: stable for any length of it
void ClothSolver::pull(const double *position, double *velocity, double dt) const {
    constexpr double RATE = 200;   // [1/s]; what the hand holds weighs about a gram: some 30 N/m
    constexpr double REACH = 0.15;  // farther away it pulls no more strongly: about as strongly as two fingers [m]
    for (const Grabbed &g : grabbed_) {
        if (!held_.empty() && held_[g.particle]) continue;
        const std::size_t at = 3 * static_cast<std::size_t>(g.particle);
        surface::Vec3 toward = surface::load(target_.data()) + surface::load(g.offset.data()) - surface::load(&position[at]);
        if (const double far = length(toward); far > REACH) toward = (REACH / far) * toward;
        const double to[3] = {toward.x, toward.y, toward.z};
        for (int a = 0; a < 3; ++a) {
            const double pulled = (velocity[at + a] + dt * RATE * RATE * to[a]) / (1 + dt * RATE * (2 + dt * RATE));
            velocity[at + a] += g.share * (pulled - velocity[at + a]);
        }
    }
}

void ClothSolver::pin(std::span<const std::int32_t> particles) {
    std::vector<double> inverse_mass(model_.cloth.inverse_mass.begin(), model_.cloth.inverse_mass.end());
    require_indices(particles.data(), particles.size(), inverse_mass.size(), "a pinned particle does not exist");
    held_.assign(inverse_mass.size(), 0);
    for (const std::int32_t p : particles) inverse_mass[p] = 0, held_[p] = 1;
    cloth_->set_inverse_mass(inverse_mass);
    levels_ready_ = false;
}

void ClothSolver::set_friction(std::span<const double> scale) {
    require(scale.size() == particle_count(), "friction needs one number per particle");
    friction_.assign(scale.begin(), scale.end());
    cloth_->set_friction(friction_);
}

// the coarse limits depend on what is pinned, so they wait for the first step
void ClothSolver::set_levels() {
    levels_ready_ = true;
    cloth::LevelModel levels = model_.levels;
    std::vector<double> corner(flat_points_.empty() ? 0 : 2 * levels.flat.size());
    for (std::size_t i = 0; 2 * i < corner.size(); ++i) std::copy_n(&flat_points_[2 * static_cast<std::size_t>(levels.flat[i])], 2, &corner[2 * i]);
    if (!corner.empty()) levels.corner = corner;
    cloth_->set_levels(levels);
}

double ClothSolver::moving_rate(std::span<const double> position, double whipping, bool over_skin) const {
    const SolverSettings &s = model_.settings;
    // some 2000 triangles are asked
    ++measured_;
    const double most = cloth_->stretch(position, std::max<std::size_t>(4, particle_count() / 1000)).most;
    const double tame = calmness(whipping, FAST);
    double asks[3];
    for (int k = 0; k < 3; ++k) asks[k] = tame * CALM_ASKS[k] + (1.0 - tame) * FAST_ASKS[k];
    const double strain = std::min(std::max((most / s.stretch - asks[0]) / (asks[1] - asks[0]), 0.0), asks[2]);
    const double longest = over_skin ? s.worn : s.longest;
    return 1 / longest + strain * (1 / s.shortest - 1 / longest);
}

double ClothSolver::substep(std::span<const double> position, double speed, double whipping, bool over_skin) const {
    const SolverSettings &s = model_.settings;
    // slow cloth does not ask its stretch, else it trembles, stretched and relieved in turn; all cloth keeps to one number of substeps without limits,
    // which bear what longer substeps do not
    double rate = 1 / (model_.grid ? s.hanging : s.resting);
    if (s.levels && speed > SLOW) rate = between(rate, moving_rate(position, whipping, over_skin), swiftness(speed, SLOW, BRISK));
    return 1 / (rate * fixed_math::power(std::max(1.0, static_cast<double>(particle_count()) / LARGE), 1.0 / 3));
}

ClothSolver::Laws ClothSolver::laws(std::span<const double> position, const double *velocity, bool over_skin, double period) const {
    const SolverSettings &s = model_.settings;
    const auto [speed, whipping] = speeds(velocity, particle_count());
    const bool chosen = !(s.substep > 0);  // what follows the substeps is left alone where the user sets them
    over_skin = over_skin && chosen && !model_.grid;
    Laws l{};
    const double wanted = chosen ? std::floor(period / substep(position, speed, whipping, over_skin) + 0.5) : std::ceil(period / s.substep - 1e-9);
    l.substeps = static_cast<int>(std::clamp(wanted, 1.0, 100000.0));
    l.swift = swiftness(speed, SLOW, BRISK);
    // what carries on from substep to substep also carries on trembling
    l.head_start = s.head_start * l.swift * l.swift;
    l.firm = firmness(speed, over_skin ? WORN_FIRM : FIRM, s.firmer);
    l.rubbing = chosen ? rubbing_drag(speed) : 0.0;
    l.evening = s.levels ? s.evening * std::min(speed / EVENED, 1.0) : 0.0;
    l.buckling = over_skin ? s.buckling : 0.0;
    l.apart = between(AT_ONCE, s.apart, l.swift);
    l.jolt = s.levels && chosen && l.swift < 1 ? between(s.jolt_at_rest, JOLT, l.swift) : std::numeric_limits<double>::infinity();
    return l;
}

// A sharp fold by an angle θ along a line has the curvature 2 sin(θ/2) per unit of length, towards the side to which the cloth is folded. It turns with
// the cloth, so it is set anew before each step.
void ClothSolver::lean_folds(const double *position) {
    using namespace surface;
    const FoldModel &f = model_.folds;
    std::fill(normal_sum_.begin(), normal_sum_.end(), 0.0), std::fill(normal_size_.begin(), normal_size_.end(), 0.0);
    const std::size_t count = f.triangles.size() / 3;
    for (int k = 0; k < 3; ++k)
        for (std::size_t t = 0; t < count; ++t) {
            const auto at = [&](int c) { return load(position + 3 * static_cast<std::size_t>(f.triangles[3 * t + c])); };
            const Vec3 normal = cross(at(1) - at(0), at(2) - at(0));
            const auto p = static_cast<std::size_t>(f.triangles[3 * t + k]);
            store(&normal_sum_[3 * p], load(&normal_sum_[3 * p]) + normal), normal_size_[p] += length(normal);
        }
    for (std::size_t i = 0; i < f.particle.size(); ++i) {
        const auto p = static_cast<std::size_t>(f.particle[i]);
        const Vec3 here = load(&normal_sum_[3 * p]), was = load(&towards_[3 * i]);
        const double size = length(here);
        if (size > FLAT * normal_size_[p] || (was.x == 0 && was.y == 0 && was.z == 0)) {
            const double by = std::max(size, 1e-12);
            store(&towards_[3 * i], Vec3{here.x / by, here.y / by, here.z / by});
        }
        store(&rest_curvature_[3 * p], f.curvature[i] * load(&towards_[3 * i]));
    }
    cloth_->set_stencil_rest(rest_curvature_);
}

// cloth slides on skin that grips less, until the skin is looked at again
void ClothSolver::loosen(const StepContacts &contacts) {
    if (!contacts.grip && !loose_) return;
    loosened_.assign(particle_count(), 1.0);
    for (std::size_t c = 0; contacts.grip && c < contacts.given.count; ++c) {
        double &least = loosened_[contacts.given.particle[c]];
        least = std::min(least, contacts.grip[c]);
    }
    for (std::size_t p = 0; p < loosened_.size(); ++p) loosened_[p] *= friction_[p];
    cloth_->set_friction(loosened_);
    loose_ = contacts.grip != nullptr;
}

// contacts with the skin moved on by time [s]: they were found at the start of a step
void ClothSolver::move_on(StepContacts &contacts, double time) {
    if (time == 0 || !contacts.given.count) return;
    const GivenContacts &g = contacts.given;
    moved_gap_.resize(g.count);
    for (std::size_t c = 0; c < g.count; ++c) moved_gap_[c] = g.gap[c] - dot(surface::load(g.normal + 3 * c), surface::load(g.velocity + 3 * c)) * time;
    contacts.given.gap = moved_gap_.data();
}

void ClothSolver::step(double *position, double *velocity, ContactSource &source, const Air &air, double watch, double dt) {
    const SolverSettings &s = model_.settings;
    require(dt > 0, "dt must be positive");
    if (!levels_ready_) set_levels();
    const std::span<const double> places{position, 3 * particle_count()};
    const bool nowhere = source.nowhere();
    const int parts = nowhere && !s.self_collision ? 1 : static_cast<int>(std::max(1.0, std::ceil(dt / longest_contact_step() - 1e-6)));
    const Laws law = laws(places, velocity, !nowhere, dt / parts);
    // with a head start constraints ask for so much less in each substep (StepOptions::asked_dt2)
    if (s.levels) cloth_->set_limit_compliance(std::min(SOFT_STRETCH * s.firmer / law.firm, MOST_SOFT_STRETCH), dt / parts / law.substeps * std::sqrt(1.0 - law.head_start), law.firm);
    if (!towards_.empty()) lean_folds(position);
    const Ball *ball = source.ball();
    cloth::StepInput in;
    in.substep_count = law.substeps, in.gravity = air.gravity, in.wind = air.wind;
    in.speed_limit = s.speed_limit, in.jolt = law.jolt, in.cloth_radius = s.self_collision ? s.cloth_radius : 0.0;
    in.head_start = law.head_start, in.compression = s.compression * (1.0 - law.buckling), in.rubbing = law.rubbing, in.apart = law.apart;
    for (int part = 0; part < parts; part += in.contact_updates) {
        in.skin_time = part * dt / parts;
        StepContacts contacts = ball ? StepContacts{} : source.find(position);
        move_on(contacts, in.skin_time);
        loosen(contacts);
        // a ball is asked, and contacts are followed over the skin, without coming back here
        in.contact_updates = ball ? parts : contacts.tracked ? std::min(FOLLOWED, parts - part) : 1;
        in.dt = in.contact_updates * dt / parts;
        in.seam_from = seams_now_ + (seams_next_ - seams_now_) * part / parts;
        in.seam_to = seams_now_ + (seams_next_ - seams_now_) * (part + in.contact_updates) / parts;
        in.watch = part ? 0.0 : watch == THIS_STEP ? dt : watch;
        in.evening = part + in.contact_updates == parts ? law.evening : 0.0;
        pull(position, velocity, in.dt);
        cloth_->step(position, velocity, in, contacts, ball);
    }
    seams_now_ = seams_next_;
}

}  // namespace frame
