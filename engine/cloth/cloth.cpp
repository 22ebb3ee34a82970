#include "cloth/cloth.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/uniform_or_each.h"
#include "cloth/coarse_levels.h"
#include "cloth/grid.h"
#include "cloth/hierarchy.h"
#include "core/lanes.h"
#include "cloth/membrane.h"
#include "contact/obstacles.h"
#include "cloth/batches.h"
#include "contact/pairs.h"
#include "cloth/particle_order.h"
#include "geometry/proximity.h"
#include "contact/free_space.h"
#include "contact/skin_planes.h"
#include "cloth/bending.h"
#include "cloth/constraint_sets.h"
#include "cloth/xpbd.h"
#include "core/require.h"

namespace cloth {
namespace {

using Indices = std::span<const std::int32_t>;
using Numbers = std::span<const double>;

template <class T>
constexpr T LIMIT_SHARE = T(0.05);
// cloth between two skins is let out where there is less room [m], or less than half an edge: wide triangles would cross them
constexpr double SQUEEZED = 0.006;

constexpr std::size_t SPARE = 4;  // particles that nobody reads, so that loops may go on by several at a time

// I: what counts particles and stencils
template <class T, class I>
class PackedCloth final : public Cloth {
  public:
    explicit PackedCloth(const ClothModel &m) : count_(m.order.size()), chunk_count_(chunk_count_for(count_)) {
        require(count_ > 0, "a cloth needs at least one particle");
        require(count_ <= std::numeric_limits<I>::max(), "a cloth of this kind has fewer particles");
        for (const Numbers a : {m.inverse_mass, m.drag, m.thickness, m.friction})
            require(a.size() == count_, "inverse_mass, drag, thickness and friction need one number per particle");
        order_.set(m.order);
        rows_ = count_ + SPARE;
        point_.assign(4 * rows_, T(0)), velocity_.assign(4 * rows_, T(0)), work_.assign(4 * (rows_ + std::max(rows_, count_ + m.stencils_along)), T(0));
        keep_inverse_mass(m.inverse_mass);
        drag_ = UniformOrEach(order_.numbers(m.drag)), thickness_ = UniformOrEach(order_.numbers(m.thickness)), friction_ = UniformOrEach(order_.numbers(m.friction)), grip_ = friction_;
        pack_triangles(m);
        seams_ = pulls({m.seams, m.seam_rest});
        constraint_count_ += m.seam_rest.size();
        set_stencils(m);
        set_bound();
    }

    std::size_t particle_count() const override { return count_; }
    Kind kind() const override { return sizeof(T) == 8 ? Kind::DOUBLE : sizeof(I) == 2 ? Kind::SMALL : Kind::FLOAT; }

    // besides the cloth's own [1/s]
    void set_drag(double drag) override { air_ = static_cast<T>(drag); }

    // scale: what becomes of the cloth's own friction
    void set_friction(Numbers scale) override {
        require(scale.size() == count_, "friction needs one number per particle");
        std::vector<T> grip = order_.numbers(scale);
        for (std::size_t k = 0; k < count_; ++k) grip[k] *= friction_[k];
        grip_ = UniformOrEach(std::move(grip));
    }

    void set_inverse_mass(Numbers inverse_mass) override {
        require(inverse_mass.size() == count_, "inverse_mass needs one number per particle");
        keep_inverse_mass(inverse_mass);
        set_bound();
        if (grid_.there()) set_grid_weight();
    }

    // the lists of what the rectangle sweeps go
    void set_grid(const GridModel &g) override {
        require(g.rows > 1 && g.columns > 1 && static_cast<std::size_t>(g.rows) * g.columns == count_, "grid: rows times columns must be the particles");
        require(g.stencil_of.size() == count_, "grid: stencil_of needs one number per particle");
        require(g.cell[0] > 0 && g.cell[1] > 0 && g.reach[0] >= 0 && g.reach[1] >= 0, "grid: lengths must be positive");
        std::vector<bool> known(count_);
        for (std::size_t k = 0; k < count_; ++k) {
            require(static_cast<std::size_t>(order_.particles()[k]) == k, "grid: particles must be in their own order");
            require(g.stencil_of[k] < static_cast<std::int32_t>(stencil_count_), "grid: a stencil does not exist");
            known[k] = g.stencil_of[k] >= 0;
        }
        require(drag_.uniform(), "grid: all particles must have the same drag");
        GridView<T> shape;
        for (int a = 0; a < 2; ++a) {
            shape.per_cell[a] = static_cast<T>(1 / g.cell[a]), shape.bend[a] = static_cast<T>(g.bend[a]), shape.reach[a] = static_cast<T>(g.reach[a]);
        }
        for (int k = 0; k < 3; ++k) shape.compliance[k] = compliance(2 * g.stiffness[k]);
        grid_.set(g.rows, g.columns, shape, g.alternate);
        set_grid_weight();
        stencils_.leave_out(std::move(known), g.columns, shape.bend, chunk_count_);
        grid_.border.set(grid_.fine(), grid_.bands(), [&](const auto &use) { stencils_.each_listed(use); });
        set_bound();
        triangles_ = {}, long_threads_ = {}, levels_.clear();
    }

    void set_stencil_rest(Numbers rest) override {
        require(!grid_.there(), "a rectangle has no creases");
        require(rest.size() == 3 * count_, "a particle's stencil needs one vector of rest curvature");
        stencils_.set_rest(rest.data(), order_.particles());
    }

    void set_layers(const LayerModel &m) override {
        require(m.label.size() == count_ && m.layer.size() == count_ && m.friction.size() == count_ && m.thickness.size() == count_,
                "label, layer, friction and thickness need one value per particle");
        require_indices(m.triangles.data(), m.triangles.size(), count_, "layers: a triangle names a particle that does not exist");
        require_indices(m.label.data(), m.label.size(), count_, "layers: labels go from 0 to the number of particles");
        const std::vector<std::int32_t> faces = order_.places(m.triangles);
        std::vector<std::int32_t> sewn(count_), worn(count_);
        for (std::size_t k = 0; k < count_; ++k) sewn[k] = m.label[order_.particles()[k]], worn[k] = m.layer[order_.particles()[k]];
        layer_ = UniformOrEach(std::move(worn)), cloth_friction_ = UniformOrEach(order_.numbers(m.friction)), cloth_thickness_ = UniformOrEach(order_.numbers(m.thickness));
        for (const T h : cloth_thickness_.values()) require(h > T(0) && h < T(1), "layers: thickness must be positive [m]");
        pairs_.clear();
        patches_ = std::make_unique<surface::Patches>(faces.data(), faces.size() / 3, count_, sewn.data());
        patches_->forget_numbers();
        facing_ = !layer_.uniform() ? Facing(*patches_, edge_) : Facing();
    }

    void set_long_threads(const PullModel &threads) override { long_threads_ = pulls(threads); }

    void set_levels(const LevelModel &m) override {
        const std::size_t triangles = m.panel.size();
        require(m.triangles.size() == 3 * triangles && m.corner.size() == 6 * triangles && m.flat.size() == 3 * triangles,
                "levels need the flat corners, the panel and the flat points of each triangle");
        require(m.count >= 0 && m.count <= LEVEL_LIMIT, "there are 0 to 8 levels");
        require_indices(m.triangles.data(), m.triangles.size(), count_, "levels: a triangle names a particle that does not exist");
        std::vector<double> w(count_);
        for (std::size_t k = 0; k < count_; ++k) w[k] = inverse_mass(k);
        grid_.forget_coarse();
        std::vector<Level> levels = grid_.there() ? grid_hierarchy(m, w) : sheet_hierarchy(m, w);
        if (!m.worn.empty()) {
            require(m.worn.size() == 3 * count_, "worn positions need one row per particle");
            use_worn_shape(levels, order_.points(m.worn));
        }
        levels_.set(std::move(levels), grid_, mean_mass(), flat_area_);
    }

    void set_limit_compliance(double soft_stretch, double substep, double bias) override {
        require(soft_stretch >= 0 && substep > 0 && bias > 0, "soft_stretch must not be negative, substep and bias must be positive");
        soft_stretch_ = static_cast<T>(soft_stretch);
        if (soft_stretch > 0) levels_.share_out({fabric_.threads, bias * fabric_.bias}, substep, grid_);
    }

    std::vector<std::pair<std::size_t, std::size_t>> levels() const override {
        std::vector<std::pair<std::size_t, std::size_t>> r;
        for (std::size_t l = 0; l < levels_.size(); ++l) {
            std::size_t limits = 0;
            levels_.each_limit(l, grid_, [&](std::int32_t, std::int32_t, T, T) { ++limits; });
            r.emplace_back(levels_[l].count, limits);
        }
        return r;
    }

    LevelLimits level_limits(std::size_t which, Numbers position) const override {
        require(which < levels_.size() && position.size() == 3 * count_, "no such level, or not one position per particle");
        LevelLimits found;
        found.points = levels_.points(which, grid_, order_.points(position));
        found.inverse_mass.resize(levels_[which].count);
        for (std::size_t c = 0; c < found.inverse_mass.size(); ++c) found.inverse_mass[c] = static_cast<double>(levels_[which].point[4 * c + 3]);
        levels_.each_limit(which, grid_, [&](std::int32_t i, std::int32_t j, T length, T part) {
            found.pairs.push_back(i), found.pairs.push_back(j), found.rest.push_back(length), found.part.push_back(part);
        });
        return found;
    }

    std::vector<std::int32_t> triangle_sequence(Indices triangles) const override {
        std::vector<std::int32_t> r;
        if (grid_.there()) {
            grid_.each_corner([&](int row, int column) { r.push_back(row * grid_.columns() + column); });
            return r;
        }
        require_indices(triangles.data(), triangles.size(), count_, "a triangle names a particle that does not exist");
        pack(order_.places(triangles), 3, count_, chunk_count_).each([&](std::int32_t k) { r.push_back(k); });
        return r;
    }

    Stretch stretch(Numbers position, std::size_t every) const override {
        require(position.size() == 3 * count_, "position needs one row per particle");
        require(every > 0, "every must be positive");
        const std::size_t blocks = grid_.there() ? (grid_.triangle_count() + LANES - 1) / LANES : triangles_.block_count();
        if (grid_.there() && every > 1) every |= 1;  // not always the same columns
        const auto [mean, most] = stretch_of_blocks((blocks + every - 1) / every, [&](std::size_t b, std::vector<std::uint32_t> &counts) {
            return grid_.there() ? block_stretch(grid_, every * b, position.data(), counts)
                                 : triangles_.stretch(every * b, order_.particles(), position.data(), counts);
        });
        return {mean, most};
    }

    std::vector<std::tuple<std::string, std::size_t>> memory() const override {
        return {{"particles", order_.bytes() + bytes_of(point_, velocity_, work_, kept_) + drag_.bytes() + thickness_.bytes() + friction_.bytes() + grip_.bytes() +
                                  layer_.bytes() + cloth_friction_.bytes() + cloth_thickness_.bytes()},
                {"triangles", triangles_.bytes()},
                {"threads and seams", long_threads_.bytes() + seams_.bytes()},
                {"bending", stencils_.bytes()},
                {"coarse limits", levels_.bytes()},
                {"rectangle", grid_.bytes()},
                {"patches", patches_ ? patches_->bytes() : 0},
                {"layers", facing_.bytes()},
                {"near cloth", pairs_.bytes()},
                {"skin", planes_.bytes()}};
    }

    std::size_t constraint_count() const override { return constraint_count_; }

    void step(double *position, double *velocity, const StepInput &in, const StepContacts &contacts, const Ball *ball) override {
        require(in.dt > 0 && in.substep_count > 0 && in.substep_count <= 100000 && in.contact_updates > 0, "dt, substep_count and contact_updates must be positive");
        require(in.jolt > 0, "jolt must be positive");
        require(in.rubbing >= 0 && in.apart >= 0, "rubbing and the speed at which cloth is moved apart must not be negative");
        require(in.contact_updates == 1 || ball || contacts.tracked, "more than one contact update needs a ball or tracked contacts");
        const Origin origin = middle_of(position, count_), still{};
        order_.read(position, origin, point_), order_.read(velocity, still, velocity_);
        planes_.origin = {origin[0], origin[1], origin[2]};
        const double update_dt = in.dt / in.contact_updates;
        StepOptions<T> o = options(in, update_dt / in.substep_count);
        set_kept(o);
        if (grid_.there()) grid_.ball = {};
        if (ball && meets_ball(in.cloth_radius)) {
            o.substep_count *= in.contact_updates, o.evening = static_cast<T>(in.evening);
            set_ball(*ball, in.skin_time);
            run_substeps(o, in.dt, 0.0, 0.0, in.widest);
        } else {
            update_contacts_and_step(position, velocity, in, update_dt, contacts, ball, o);
        }
        order_.write(point_, origin, position), order_.write(velocity_, still, velocity);
    }

  private:
    using Set = ConstraintSet<T>;

    StepOptions<T> options(const StepInput &in, double substep) const {
        StepOptions<T> o{};
        o.dt = static_cast<T>(substep), o.substep_count = in.substep_count;
        for (int a = 0; a < 3; ++a) o.gravity[a] = static_cast<T>(in.gravity[a]), o.wind[a] = static_cast<T>(in.wind[a]);
        o.speed_limit = static_cast<T>(in.speed_limit), o.jolt = static_cast<T>(in.jolt * substep), o.push_limit = static_cast<T>(in.push_limit);
        o.pulls = {LIMIT_SHARE<T>, soft_stretch_}, o.thread_part = levels_.thread_part(), o.head_start = static_cast<T>(in.head_start), o.compression = static_cast<T>(in.compression);
        o.rubbed = static_cast<T>(1 + substep * in.rubbing), o.apart = static_cast<T>(in.apart);
        return o;
    }
    // position, velocity: in the caller's order, as they were when the step began
    void update_contacts_and_step(const double *position, const double *velocity, const StepInput &in, double update_dt, const StepContacts &contacts, const Ball *ball, StepOptions<T> o) {
        const FirstContacts first(contacts.given, count_);
        const PackedPoints<T> points{point_.data(), planes_.origin};
        for (int update = 0; update < in.contact_updates; ++update) {
            const double time = update * update_dt;
            if (ball) planes_.collect(count_, BallContacts<T>{*ball, in.skin_time + time, points}, velocity_.data(), thickness_, update_dt);
            else if (update == 0) planes_.read(contacts.given, first, position, velocity, order_.particles(), thickness_, update_dt);
            else planes_.collect(count_, TrackedContactUpdates<T, I>{*contacts.tracked, in.skin_time + time, contacts.given, first, order_.particles(), position, time, points},
                                 velocity_.data(), thickness_, update_dt);
            const auto closing = [&](int k) { return static_cast<T>(in.seam_from + (in.seam_to - in.seam_from) * k / in.contact_updates); };
            o.seam_from = closing(update), o.seam_to = closing(update + 1);
            o.evening = static_cast<T>(update + 1 == in.contact_updates ? in.evening : 0.0);
            run_substeps(o, update_dt, in.cloth_radius, update ? 0.0 : in.watch, in.widest);
        }
    }

    // whether a ball is met by each vertex where it is, at every substep: layers between skin and cloth would need planes
    bool meets_ball(double cloth_radius) const {
        return grid_.there() && !(patches_ && cloth_radius > 0) && thickness_.uniform() && grip_.uniform();
    }
    // time: since it was where it is said to be [s]
    void set_ball(const Ball &ball, double time) {
        const surface::Vec3 centre = ball.centre + time * ball.velocity - planes_.origin;
        const auto number = [](double v) { return static_cast<T>(v); };
        grid_.ball = {number(ball.radius) + thickness_[0], {number(centre.x), number(centre.y), number(centre.z)},
                      {number(ball.velocity.x), number(ball.velocity.y), number(ball.velocity.z)}, grip_[0]};
        planes_.clear(count_);
    }
    // the planes of skin are known; near cloth is looked at for the next dt [s]
    void run_substeps(const StepOptions<T> &o, double dt, double cloth_radius, double watch, int widest) {
        const bool wide = widest >= 2 && machine_has_avx2();
        find_pairs(dt, cloth_radius, watch, wide);
        std::vector<T> rise;
        if (pairs_.count())
            rise = pairs_.stack(point_.data(), planes_.begin, planes_.normal.data(), planes_.offset.data(), thickness_);
        share_free_space(point_.data(), planes_.begin, thickness_, rise, std::max(SQUEEZED, 0.5 * edge_), planes_.normal.data(), planes_.offset.data());
        if (grid_.there()) grid_.skin.pack(grid_.fine(), planes_, thickness_, grip_);
        else planes_.pack(thickness_, grip_);
        const ClothView<T, I> cloth = view(o.asked_dt2(true));
        const int size = count_ < SERIAL_BELOW ? 1 : std::min(thread_count(), grid_.there() ? grid_.bands().count : chunk_count_);
        run_team(size, [&](int rank, int team, Barrier &barrier) {
            if (wide && widest >= 5 && machine_has_avx512()) return avx512::step(cloth, o, rank, team, barrier);
            wide ? avx2::step(cloth, o, rank, team, barrier) : plain::step(cloth, o, rank, team, barrier);
        });
        planes_.release_memory(), pairs_.release_memory();
        watched_for_ -= dt;
        if (watched_for_ < 0.5 * dt) pairs_.forget(), facing_.forget();
    }

    std::vector<Level> sheet_hierarchy(const LevelModel &m, const std::vector<double> &w) const {
        const std::vector<std::int32_t> t = order_.places(m.triangles);
        const std::vector<double> mirrored = turned_outside(m.corner.data(), m.panel.size());
        return make_hierarchy({count_, m.panel.size(), t.data(), mirrored.data(), w.data(), m.panel.data(), m.flat.data()}, m.count);
    }
    // all cells are like the first triangle's
    std::vector<Level> grid_hierarchy(const LevelModel &m, const std::vector<double> &w) const {
        require(!m.corner.empty(), "levels of a grid need its triangles");
        double cell[2];
        for (int a = 0; a < 2; ++a) {
            const auto [least, most] = std::minmax({m.corner[a], m.corner[2 + a], m.corner[4 + a]});
            cell[a] = most - least;
        }
        return make_grid_hierarchy(grid_.rows(), grid_.columns(), cell, w, m.count);
    }
    double mean_mass() const {
        double sum = 0.0;
        for (std::size_t k = 0; k < count_; ++k)
            if (inverse_mass(k) > T(0)) sum += 1.0 / static_cast<double>(inverse_mass(k));
        return sum / static_cast<double>(count_);
    }
    // the fourth number of each point; no step changes it
    T inverse_mass(std::size_t k) const { return point_[4 * k + 3]; }
    void keep_inverse_mass(Numbers values) {
        for (std::size_t k = 0; k < count_; ++k) {
            const T w = static_cast<T>(values[order_.particles()[k]]);
            require(w >= T(0) && std::isfinite(w), "inverse_mass must be finite and not negative");
            point_[4 * k + 3] = w;
        }
    }
    void pack_triangles(const ClothModel &m) {
        const std::size_t triangles = m.triangles.size() / 3;
        require(m.triangles.size() == 3 * triangles && m.triangle_weight.size() == 4 * triangles && m.triangle_stiffness.size() == 3 * triangles,
                "triangles need two pairs of weights and three stiffnesses each");
        require_indices(m.triangles.data(), m.triangles.size(), count_, "a triangle names a particle that does not exist");
        flat_area_ = area_of(m.triangle_weight.data(), triangles), fabric_ = fabric_of(m.triangle_stiffness.data(), triangles, flat_area_);
        if (triangles) edge_ = std::sqrt(flat_area_ / static_cast<double>(triangles) * 4 / std::sqrt(3.0));
        constraint_count_ += 3 * triangles;
        for (const double stiffness : m.triangle_stiffness) compliance(stiffness);  // refuses what is none
        triangles_.set(order_.places(m.triangles), m.triangle_weight.data(), m.triangle_stiffness.data(), count_, chunk_count_);
    }

    Set pulls(const PullModel &m) const {
        require(m.pairs.size() == 2 * m.rest.size(), "seams and long threads need two particles and a length each");
        const auto particles = order_.places(m.pairs);
        for (const std::int32_t p : particles) require(p >= 0, "a seam or long thread names a particle that does not exist");
        return packed_pulls<T>(pack(particles, 2, count_, chunk_count_), m.rest.data());
    }
    static T compliance(double stiffness) {
        require(stiffness > 0 && std::isfinite(stiffness), "stiffness must be positive");
        return static_cast<T>(1.0 / stiffness);
    }

    void set_stencils(const ClothModel &m) {
        stencil_count_ = m.stencil_stiffness.size();
        require(m.stencils.size() == STENCIL * stencil_count_ && m.stencil_weight.size() == STENCIL * stencil_count_ && m.stencil_centre.size() == stencil_count_ &&
                    m.stencils_along <= stencil_count_,
                "stencils need 16 particles (-1: none), 16 weights, a stiffness and a centre each");
        require_indices(m.stencil_centre.data(), stencil_count_, count_, "the centre of a stencil does not exist");
        std::vector<std::int32_t> middle(stencil_count_);
        std::vector<T> stiff(stencil_count_);
        for (std::size_t s = 0; s < stencil_count_; ++s)
            middle[s] = order_.place(m.stencil_centre[s]), stiff[s] = T(1) / compliance(m.stencil_stiffness[s]);
        constraint_count_ += stencil_count_;
        stencils_.set(order_.places(m.stencils), m.stencil_weight.data(), STENCIL, middle, stiff, m.stencils_along, count_, chunk_count_);
        require(stencils_.count() == count_ + m.stencils_along, "stencils that do not run along an edge have a centre each");
        require(stencils_.count() <= std::numeric_limits<I>::max(), "a cloth of this kind has fewer stencils");
    }
    void set_bound() {
        stencils_.set_bound(count_, [&](std::size_t p) { return inverse_mass(p); });
        if (!grid_.there()) return;
        const auto stiffness = [&](std::size_t s) { return stencils_.stiffness(s); };
        const auto most = [&](std::size_t s) { return stencils_.most(s); };
        const auto known = [&](const auto &value) { return [&](std::size_t p) { return stencils_.known(p) ? value(p) : T(0); }; };
        grid_.set_stiffness(known(stiffness), known(most)), grid_.border.set_stiffness(stiffness, most);
    }
    void set_grid_weight() { grid_.set_weight([&](std::size_t p) { return inverse_mass(p); }); }
    void set_kept(const StepOptions<T> &o) {
        kept_.resize(drag_.uniform() ? SPARE : count_ + SPARE);
        const auto kept = [&](std::size_t p) { return T(1) / (o.rubbed + o.dt * (drag_[p] + air_)); };
        if (drag_.uniform()) std::fill(kept_.begin(), kept_.end(), kept(0));
        else for (std::size_t p = 0; p < count_; ++p) kept_[p] = kept(p);
    }
    // Near cloth for the next dt [s]. It is searched for when something is to be watched, for so long [s]; else what was found
    // last time is looked at again, until that time is over.
    void find_pairs(double dt, double radius, double watch, bool wide) {
        if (!patches_ || !(radius > 0)) return pairs_.clear();
        if (watch > 0) {
            const double thickest = 2 * *std::max_element(cloth_thickness_.values().begin(), cloth_thickness_.values().end());
            // what hurries on meanwhile has twice the thickness to go
            if constexpr (std::is_same_v<T, float>) patches_->borrow(work_.data(), work_.size());
            surface::Near near;
            patches_->find_ahead(point_.data(), velocity_.data(), 4, thickest, watch, std::max(2 * radius, thickest), near);
            facing_.smooth(), facing_.find_folds(near, layer_);
            pairs_.watch(near, count_);
            watched_for_ = watch;
        }
        pairs_.search({count_, point_.data(), velocity_.data(), layer_, cloth_thickness_, cloth_friction_, &facing_},
                    static_cast<T>(dt), static_cast<T>(radius), wide);
    }

    ClothView<T, I> view(T dt2) {
        ClothView<T, I> v{count_, chunk_count_, point_.data(), work_.data(), velocity_.data(), kept_.data(),
                       static_cast<std::size_t>(!drag_.uniform()),
                       triangles_.view(), seams_.view(), long_threads_.view(), stencils_.view(work_.data() + 4 * rows_, dt2),
                       static_cast<int>(levels_.size()), {}, pairs_.view(), planes_.view(), grid_.view()};
        for (std::size_t l = 0; l < levels_.size(); ++l) v.level[l] = levels_[l].view();
        v.grid.kept = kept_[0];
        return v;
    }

    std::size_t count_, rows_ = 0;  // rows_: with those that nobody reads
    int chunk_count_;
    double edge_ = 0.0, flat_area_ = 0.0;  // of a mean triangle on the flat cloth [m], of all [m²]
    Stiffness fabric_;
    T soft_stretch_ = T(0);  // by how much limits are stretched before they are hard
    std::size_t constraint_count_ = 0, stencil_count_ = 0;
    ParticleOrder<T, I> order_;
    std::vector<T> work_;  // where particles were before a substep, moments of stencils; free between the steps
    std::vector<T> point_, velocity_, kept_;
    UniformOrEach<T> drag_, thickness_, friction_, grip_;  // of the fabric; grip: its friction now
    T air_ = T(0);                                 // drag besides the fabric's [1/s]
    Membrane<T> triangles_;
    Set seams_, long_threads_;
    BendingStencils<T, I> stencils_;
    Grid<T> grid_;
    CoarseLevels<T, I> levels_;
    std::unique_ptr<surface::Patches> patches_;
    UniformOrEach<std::int32_t> layer_;
    UniformOrEach<T> cloth_friction_, cloth_thickness_;
    Facing facing_;
    Pairs<T> pairs_;
    double watched_for_ = 0.0;  // how long the pairs found last are still looked at [s]
    SkinPlanes<T> planes_;
};

}  // namespace

std::unique_ptr<Cloth> make_cloth(Kind kind, const ClothModel &model) {
    if (kind == Kind::SMALL) return std::make_unique<PackedCloth<float, std::uint16_t>>(model);
    if (kind == Kind::FLOAT) return std::make_unique<PackedCloth<float, std::int32_t>>(model);
#if defined(__wasm__)
    // a quarter of what a page would load; frame/scene_arrays.cpp refuses scenes that want it
    __builtin_trap();
#else
    return std::make_unique<PackedCloth<double, std::int32_t>>(model);
#endif
}

}  // namespace cloth
