// Cloth: a garment's constraints, packed once, and the step that advances it (xpbd_step.h).
#include "cloth/xpbd.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "core/uniform_or_each.h"
#include "bind.h"
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

namespace {

using Indices = In<std::int32_t, -1>;
using Rows = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Weights = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Numbers = In<double, -1>;

template <class T>
constexpr T LIMIT_SHARE = T(0.05);
// cloth between two skins is let out where there is less room [m], or less than half an edge: wide triangles would cross them
constexpr double SQUEEZED = 0.006;

constexpr std::size_t SPARE = 4;  // particles that nobody reads, so that loops may go on by several at a time

// I: what counts particles and stencils
template <class T, class I>
class Cloth {
  public:
    Cloth(Indices order, Numbers inverse_mass, Numbers drag, Numbers thickness, Numbers friction,
          Triangles triangles, In<double, -1, 2, 2> triangle_weight, Points triangle_stiffness, Rows stencils, Weights stencil_weight, Numbers stencil_stiffness, Indices stencil_centre, std::size_t stencil_along, Rows seams,
          Numbers seam_rest)
        : count_(order.size()), chunk_count_(chunk_count_for(count_)) {
        require(count_ > 0, "a cloth needs at least one particle");
        require(count_ <= std::numeric_limits<I>::max(), "a cloth of this kind has fewer particles");
        for (const Numbers *a : {&inverse_mass, &drag, &thickness, &friction})
            require(a->size() == count_, "inverse_mass, drag, thickness and friction need one number per particle");
        order_.set(order);
        rows_ = count_ + SPARE;
        point_.assign(4 * rows_, T(0)), velocity_.assign(4 * rows_, T(0)), work_.assign(4 * (rows_ + std::max(rows_, count_ + stencil_along)), T(0));
        keep_inverse_mass(inverse_mass);
        drag_ = UniformOrEach(order_.numbers(drag)), thickness_ = UniformOrEach(order_.numbers(thickness)), friction_ = UniformOrEach(order_.numbers(friction)), grip_ = friction_;
        pack_triangles(triangles, triangle_weight, triangle_stiffness);
        seams_ = pulls(seams, seam_rest);
        constraint_count_ += seam_rest.size();
        set_stencils(stencils, stencil_weight, stencil_stiffness, stencil_centre, stencil_along);
        set_bound();
    }

    // besides the cloth's own [1/s]
    void set_drag(double drag) { air_ = static_cast<T>(drag); }

    // scale: what becomes of the cloth's own friction
    void set_friction(Numbers scale) {
        require(scale.size() == count_, "friction needs one number per particle");
        std::vector<T> grip = order_.numbers(scale);
        for (std::size_t k = 0; k < count_; ++k) grip[k] *= friction_[k];
        grip_ = UniformOrEach(std::move(grip));
    }

    void set_inverse_mass(Numbers inverse_mass) {
        require(inverse_mass.size() == count_, "inverse_mass needs one number per particle");
        keep_inverse_mass(inverse_mass);
        set_bound();
        if (grid_.there()) set_grid_weight();
    }

    // The cloth is a rectangle of equal cells, its particles stored row by row: threads, triangles and the stencils that `stencil_of`
    // names are swept without lists. cell: width, height [m]; stiffness of a triangle: weft, warp, shear [N·m]; bend: weights
    // of a stencil's neighbours; reach: rest length of long threads [m], 0: none. The lists go.
    void set_grid(int rows, int columns, In<double, 2> cell, In<double, 3> stiffness, In<double, 2> bend, In<double, 2> reach,
                  Indices stencil_of, bool alternate) {
        require(rows > 1 && columns > 1 && static_cast<std::size_t>(rows) * columns == count_, "grid: rows times columns must be the particles");
        require(stencil_of.size() == count_, "grid: stencil_of needs one number per particle");
        require(cell(0) > 0 && cell(1) > 0 && reach(0) >= 0 && reach(1) >= 0, "grid: lengths must be positive");
        std::vector<bool> known(count_);
        for (std::size_t k = 0; k < count_; ++k) {
            require(static_cast<std::size_t>(order_.particles()[k]) == k, "grid: particles must be in their own order");
            require(stencil_of.data()[k] < static_cast<std::int32_t>(stencil_count_), "grid: a stencil does not exist");
            known[k] = stencil_of.data()[k] >= 0;
        }
        require(drag_.uniform(), "grid: all particles must have the same drag");
        GridView<T> shape;
        for (int a = 0; a < 2; ++a) {
            shape.per_cell[a] = static_cast<T>(1 / cell(a)), shape.bend[a] = static_cast<T>(bend(a)), shape.reach[a] = static_cast<T>(reach(a));
        }
        for (int k = 0; k < 3; ++k) shape.compliance[k] = compliance(2 * stiffness(k));
        grid_.set(rows, columns, shape, alternate);
        set_grid_weight();
        stencils_.leave_out(std::move(known), columns, shape.bend, chunk_count_);
        grid_.border.set(grid_.fine(), grid_.bands(), [&](const auto &use) { stencils_.each_listed(use); });
        set_bound();
        triangles_ = {}, long_threads_ = {}, levels_.clear();
    }

    // what the weighted sum of each particle's stencil is at rest: cloth that is creased or pleated [√(N·m) m]
    void set_stencil_rest(Points rest) {
        require(!grid_.there(), "a rectangle has no creases");
        require(rest.shape(0) == count_, "a particle's stencil needs one vector of rest curvature");
        stencils_.set_rest(rest.data(), order_.particles());
    }

    // lets cloth collide with cloth: particles of one label are sewn together; a higher layer lies outside a lower one
    void set_layers(Triangles triangles, Indices label, Indices layer, Numbers friction, Numbers thickness) {
        require(label.size() == count_ && layer.size() == count_ && friction.size() == count_ && thickness.size() == count_,
                "label, layer, friction and thickness need one value per particle");
        require_indices(triangles, count_, "layers: a triangle names a particle that does not exist");
        require_indices(label, count_, "layers: labels go from 0 to the number of particles");
        const std::vector<std::int32_t> faces = order_.places(triangles);
        std::vector<std::int32_t> sewn(count_), worn(count_);
        for (std::size_t k = 0; k < count_; ++k) sewn[k] = label.data()[order_.particles()[k]], worn[k] = layer.data()[order_.particles()[k]];
        layer_ = UniformOrEach(std::move(worn)), cloth_friction_ = UniformOrEach(order_.numbers(friction)), cloth_thickness_ = UniformOrEach(order_.numbers(thickness));
        for (const T h : cloth_thickness_.values()) require(h > T(0) && h < T(1), "layers: thickness must be positive [m]");
        pairs_.clear();
        patches_ = std::make_unique<surface::Patches>(faces.data(), faces.size() / 3, count_, sewn.data());
        patches_->forget_numbers();
        facing_ = !layer_.uniform() ? Facing(*patches_, edge_) : Facing();
    }

    // pairs of particles along a thread, a few edges apart, that may not be farther apart than on the flat cloth
    void set_long_threads(Rows pairs, Numbers rest) { long_threads_ = pulls(pairs, rest); }

    // coarse distance limits over the flat cloth; call again after pinning
    void set_levels(Triangles triangles, In<double, -1, 3, 2> corner, Indices panel, Triangles flat, int level_count,
                    std::optional<Points> worn) {
        require(corner.shape(0) == triangles.shape(0) && panel.size() == triangles.shape(0) && flat.shape(0) == triangles.shape(0),
                "levels need the flat corners, the panel and the flat points of each triangle");
        require(level_count >= 0 && level_count <= LEVEL_LIMIT, "there are 0 to 8 levels");
        require_indices(triangles, count_, "levels: a triangle names a particle that does not exist");
        std::vector<double> w(count_);
        for (std::size_t k = 0; k < count_; ++k) w[k] = inverse_mass(k);
        grid_.forget_coarse();
        std::vector<Level> levels = grid_.there() ? grid_hierarchy(corner, w, level_count) : sheet_hierarchy(triangles, corner, panel, flat, w, level_count);
        if (worn) {
            require(worn->shape(0) == count_, "worn positions need one row per particle");
            use_worn_shape(levels, order_.points(*worn));
        }
        levels_.set(std::move(levels), grid_, mean_mass(), flat_area_);
    }

    // Lets long threads and coarse limits do what the fabric needs besides the sweep (compliance.h), in substeps that ask for the forces of so long [s], until they are
    // stretched by `soft_stretch`; farther they are as hard as they can be.
    void set_limit_compliance(double soft_stretch, double substep, double bias) {
        require(soft_stretch >= 0 && substep > 0 && bias > 0, "soft_stretch must not be negative, substep and bias must be positive");
        soft_stretch_ = static_cast<T>(soft_stretch);
        if (soft_stretch > 0) levels_.share_out({fabric_.threads, bias * fabric_.bias}, substep, grid_);
    }

    // (points, limits) of each level
    std::vector<std::tuple<std::size_t, std::size_t>> levels() const {
        std::vector<std::tuple<std::size_t, std::size_t>> r;
        for (std::size_t l = 0; l < levels_.size(); ++l) {
            std::size_t limits = 0;
            levels_.each_limit(l, grid_, [&](std::int32_t, std::int32_t, T, T) { ++limits; });
            r.emplace_back(levels_[l].count, limits);
        }
        return r;
    }

    // coarse points, limits (pairs), rest lengths [m] of one level at the given positions, how much of what they ask for they do (compliance.h), and 1 / mass of the points [1/kg]
    nb::tuple level_limits(std::size_t which, Points position) {
        require(which < levels_.size() && position.shape(0) == count_, "no such level, or not one position per particle");
        std::vector<double> coarse = levels_.points(which, grid_, order_.points(position));
        std::vector<std::int32_t> pair;
        std::vector<double> rest, parts, mass(levels_[which].count);
        for (std::size_t c = 0; c < mass.size(); ++c) mass[c] = static_cast<double>(levels_[which].point[4 * c + 3]);
        levels_.each_limit(which, grid_, [&](std::int32_t i, std::int32_t j, T length, T part) { pair.push_back(i), pair.push_back(j), rest.push_back(length), parts.push_back(part); });
        const std::size_t limits = rest.size();
        return nb::make_tuple(own(std::move(coarse), {levels_[which].count, 3}), own(std::move(pair), {limits, 2}), own(std::move(rest), {limits}),
                              own(std::move(parts), {limits}), own(std::move(mass), {levels_[which].count}));
    }

    // the order in which one sweep visits the triangles that the cloth was made of, of a rectangle the particles that threads
    // leave, for reference computations
    std::vector<std::int32_t> triangle_sequence(Triangles triangles) const {
        std::vector<std::int32_t> r;
        if (grid_.there()) {
            grid_.each_corner([&](int row, int column) { r.push_back(row * grid_.columns() + column); });
            return r;
        }
        require_indices(triangles, count_, "a triangle names a particle that does not exist");
        pack(order_.places(triangles), 3, count_, chunk_count_).each([&](std::int32_t k) { r.push_back(k); });
        return r;
    }

    // mean and 99th percentile of how much the threads (weft and warp of each triangle) are longer than at rest, over every
    // n-th block of eight triangles
    std::tuple<double, double> stretch(Points position, std::size_t every) const {
        require(position.shape(0) == count_, "position needs one row per particle");
        require(every > 0, "every must be positive");
        const std::size_t blocks = grid_.there() ? (grid_.triangle_count() + LANES - 1) / LANES : triangles_.block_count();
        if (grid_.there() && every > 1) every |= 1;  // not always the same columns
        return stretch_of_blocks((blocks + every - 1) / every, [&](std::size_t b, std::vector<std::uint32_t> &counts) {
            return grid_.there() ? block_stretch(grid_, every * b, position.data(), counts)
                                 : triangles_.stretch(every * b, order_.particles(), position.data(), counts);
        });
    }

    // bytes held, by part
    std::vector<std::tuple<std::string, std::size_t>> memory() const {
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

    std::size_t constraint_count() const { return constraint_count_; }

    // Looks at skin and near cloth `looks` times, each followed by substep_count substeps: first come the contacts that are given, or
    // those with the ball, later the ball's again, or tracked ones': the skin was asked skin_time [s] before the step.
    nb::tuple step(Points position, Points velocity, double dt, int substep_count, In<double, 3> gravity, In<double, 3> wind,
                   Indices contact_particle, Numbers contact_gap, Points contact_normal, Points contact_velocity,
                   double seam_from, double seam_to, double speed_limit, double jolt, double push_limit, double cloth_radius,
                   double watch, double head_start, double compression, double evening, int widest, int looks, const Ball *ball, const TrackedContacts *tracked, double skin_time, double rubbing, double apart) {
        require(position.shape(0) == count_ && velocity.shape(0) == count_, "position and velocity need one row per particle");
        require(dt > 0 && substep_count > 0 && substep_count <= 100000 && looks > 0, "dt, substep_count and looks must be positive");
        require(jolt > 0, "velocities change by something");
        require(rubbing >= 0 && apart >= 0, "rubbing and the speed at which cloth is moved apart must not be negative");
        require(looks == 1 || ball || tracked, "more than one look needs a ball or tracked contacts");
        const std::size_t contact_count = contact_particle.size();
        require(contact_gap.size() == contact_count && contact_normal.shape(0) == contact_count && contact_velocity.shape(0) == contact_count,
                "contacts: arrays differ in length");
        require(!tracked || (tracked->triangle.size() == contact_count && (!tracked->hint || tracked->hint->shape(0) == count_)),
                "tracked contacts need a triangle each, and hints of each particle");
        require_indices(contact_particle, count_, "contacts: a particle does not exist");
        const Origin origin = middle_of(position), still{};
        order_.read(position, origin, point_), order_.read(velocity, still, velocity_);
        planes_.origin = {origin[0], origin[1], origin[2]};
        const PackedPoints<T> points{point_.data(), planes_.origin};
        const auto answer = [&] { return nb::make_tuple(order_.written(point_, origin), order_.written(velocity_, still)); };
        const GivenContacts given{contact_count, contact_particle.data(), contact_gap.data(), contact_normal.data(), contact_velocity.data()};
        const double look_dt = dt / looks, substep = look_dt / substep_count;
        StepOptions<T> o{};
        o.dt = static_cast<T>(substep), o.substep_count = substep_count;
        for (int a = 0; a < 3; ++a) o.gravity[a] = static_cast<T>(gravity(a)), o.wind[a] = static_cast<T>(wind(a));
        o.speed_limit = static_cast<T>(speed_limit), o.jolt = static_cast<T>(jolt * substep), o.push_limit = static_cast<T>(push_limit);
        o.pulls = {LIMIT_SHARE<T>, soft_stretch_}, o.thread_part = levels_.thread_part(), o.head_start = static_cast<T>(head_start), o.compression = static_cast<T>(compression);
        o.rubbed = static_cast<T>(1 + substep * rubbing), o.apart = static_cast<T>(apart);
        set_kept(o);
        if (grid_.there()) grid_.ball = {};
        if (ball && meets_ball(cloth_radius)) {
            o.substep_count *= looks, o.evening = static_cast<T>(evening);
            set_ball(*ball, skin_time);
            run_substeps(o, dt, 0.0, 0.0, widest);
            return answer();
        }
        const FirstContacts first(given, count_);
        for (int look = 0; look < looks; ++look) {
            const double time = look * look_dt;
            if (ball) planes_.collect(count_, BallContacts<T>{*ball, skin_time + time, points}, velocity_.data(), thickness_, look_dt);
            else if (look == 0) planes_.read(given, first, position.data(), velocity.data(), order_.particles(), thickness_, look_dt);
            else planes_.collect(count_, TrackedContactUpdates<T, I>{*tracked, skin_time + time, given, first, order_.particles(), position.data(), time, points},
                                 velocity_.data(), thickness_, look_dt);
            const auto closing = [&](int k) { return static_cast<T>(seam_from + (seam_to - seam_from) * k / looks); };
            o.seam_from = closing(look), o.seam_to = closing(look + 1);
            o.evening = static_cast<T>(look + 1 == looks ? evening : 0.0);
            run_substeps(o, look_dt, cloth_radius, look ? 0.0 : watch, widest);
        }
        return answer();
    }

  private:
    using Set = ConstraintSet<T>;

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
        {
            nb::gil_scoped_release release;
            const int size = count_ < SERIAL_BELOW ? 1 : std::min(thread_count(), grid_.there() ? grid_.bands().count : chunk_count_);
            run_team(size, [&](int rank, int team, Barrier &barrier) {
                if (wide && widest >= 5 && machine_has_avx512()) return avx512::step(cloth, o, rank, team, barrier);
                wide ? avx2::step(cloth, o, rank, team, barrier) : plain::step(cloth, o, rank, team, barrier);
            });
        }
        planes_.release_memory(), pairs_.release_memory();
        watched_for_ -= dt;
        if (watched_for_ < 0.5 * dt) pairs_.forget(), facing_.forget();
    }

    std::vector<Level> sheet_hierarchy(const Triangles &triangles, const In<double, -1, 3, 2> &corner, const Indices &panel, const Triangles &flat,
                                       const std::vector<double> &w, int level_count) const {
        const std::vector<std::int32_t> t = order_.places(triangles);
        const std::vector<double> mirrored = turned_outside(corner.data(), triangles.shape(0));
        return make_hierarchy({count_, triangles.shape(0), t.data(), mirrored.data(), w.data(), panel.data(), flat.data()}, level_count);
    }
    // all cells are like the first triangle's
    std::vector<Level> grid_hierarchy(const In<double, -1, 3, 2> &corner, const std::vector<double> &w, int level_count) const {
        require(corner.shape(0) > 0, "levels of a grid need its triangles");
        double cell[2];
        for (int a = 0; a < 2; ++a) {
            const auto [least, most] = std::minmax({corner(0, 0, a), corner(0, 1, a), corner(0, 2, a)});
            cell[a] = most - least;
        }
        return make_grid_hierarchy(grid_.rows(), grid_.columns(), cell, w, level_count);
    }
    double mean_mass() const {
        double sum = 0.0;
        for (std::size_t k = 0; k < count_; ++k)
            if (inverse_mass(k) > T(0)) sum += 1.0 / static_cast<double>(inverse_mass(k));
        return sum / static_cast<double>(count_);
    }
    // the fourth number of each point; no step changes it
    T inverse_mass(std::size_t k) const { return point_[4 * k + 3]; }
    void keep_inverse_mass(const Numbers &values) {
        for (std::size_t k = 0; k < count_; ++k) {
            const T w = static_cast<T>(values.data()[order_.particles()[k]]);
            require(w >= T(0) && std::isfinite(w), "inverse_mass must be finite and not negative");
            point_[4 * k + 3] = w;
        }
    }
    // weight (a1, a2), (b1, b2): Fu = a1 (x1 - x0) + a2 (x2 - x0) [1/m]; stiffness: weft, warp, shear [N·m]
    void pack_triangles(const Triangles &rows, const In<double, -1, 2, 2> &weight, const Points &stiffness) {
        require(weight.shape(0) == rows.shape(0) && stiffness.shape(0) == rows.shape(0),
                "triangles need two pairs of weights and three stiffnesses each");
        require_indices(rows, count_, "a triangle names a particle that does not exist");
        flat_area_ = area_of(weight.data(), rows.shape(0)), fabric_ = fabric_of(stiffness.data(), rows.shape(0), flat_area_);
        if (rows.shape(0)) edge_ = std::sqrt(flat_area_ / static_cast<double>(rows.shape(0)) * 4 / std::sqrt(3.0));
        constraint_count_ += 3 * rows.shape(0);
        for (std::size_t i = 0; i < stiffness.size(); ++i) compliance(stiffness.data()[i]);  // throws where there is none
        triangles_.set(order_.places(rows), weight.data(), stiffness.data(), count_, chunk_count_);
    }

    Set pulls(const Rows &rows, const Numbers &rest) const {
        require(rows.shape(1) == 2 && rest.size() == rows.shape(0), "seams and long threads need two particles and a length each");
        const auto particles = order_.places(rows);
        for (const std::int32_t p : particles) require(p >= 0, "a seam or long thread names a particle that does not exist");
        return packed_pulls<T>(pack(particles, 2, count_, chunk_count_), rest.data());
    }
    static T compliance(double stiffness) {
        require(stiffness > 0 && std::isfinite(stiffness), "stiffness must be positive");
        return static_cast<T>(1.0 / stiffness);
    }

    void set_stencils(const Rows &rows, const Weights &weight, const Numbers &stiffness, const Indices &centre, std::size_t along) {
        stencil_count_ = rows.shape(0);
        require(rows.shape(1) == 16 && weight.shape(0) == stencil_count_ && weight.shape(1) == 16 && stiffness.size() == stencil_count_ &&
                    centre.size() == stencil_count_ && along <= stencil_count_, "stencils need 16 particles (-1: none), 16 weights, a stiffness and a centre each");
        require_indices(centre, count_, "the centre of a stencil does not exist");
        std::vector<std::int32_t> middle(stencil_count_);
        std::vector<T> stiff(stencil_count_);
        for (std::size_t s = 0; s < stencil_count_; ++s)
            middle[s] = order_.place(centre.data()[s]), stiff[s] = T(1) / compliance(stiffness.data()[s]);
        constraint_count_ += stencil_count_;
        stencils_.set(order_.places(rows), weight.data(), 16, middle, stiff, along, count_, chunk_count_);
        require(stencils_.count() == count_ + along, "stencils that do not run along an edge have a centre each");
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
        pairs_.look({count_, point_.data(), velocity_.data(), layer_, cloth_thickness_, cloth_friction_, &facing_},
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

template <class T, class I>
void bind_cloth(nb::module_ &m, const char *name) {
    using C = Cloth<T, I>;
    nb::class_<C>(m, name)
        .def(nb::init<Indices, Numbers, Numbers, Numbers, Numbers, Triangles, In<double, -1, 2, 2>, Points, Rows, Weights, Numbers, Indices, std::size_t, Rows, Numbers>(),
             nb::arg("order"), nb::arg("inverse_mass"), nb::arg("drag"), nb::arg("thickness"), nb::arg("friction"),
             nb::arg("triangles"), nb::arg("triangle_weight"), nb::arg("triangle_stiffness"), nb::arg("stencils"),
             nb::arg("stencil_weight"), nb::arg("stencil_stiffness"), nb::arg("stencil_centre"), nb::arg("stencil_along"), nb::arg("seams"), nb::arg("seam_rest"))
        .def("set_drag", &C::set_drag, nb::arg("drag"))
        .def("set_friction", &C::set_friction, nb::arg("scale"))
        .def("set_inverse_mass", &C::set_inverse_mass, nb::arg("inverse_mass"))
        .def("set_long_threads", &C::set_long_threads, nb::arg("pairs"), nb::arg("rest"))
        .def("set_stencil_rest", &C::set_stencil_rest, nb::arg("rest"))
        .def("set_grid", &C::set_grid, nb::arg("rows"), nb::arg("columns"), nb::arg("cell"), nb::arg("stiffness"), nb::arg("bend"),
             nb::arg("reach"), nb::arg("stencil_of"), nb::arg("alternate"))
        .def("set_levels", &C::set_levels, nb::arg("triangles"), nb::arg("corner"), nb::arg("panel"),
             nb::arg("flat"), nb::arg("level_count"), nb::arg("worn").none() = nb::none())
        .def("set_limit_compliance", &C::set_limit_compliance, nb::arg("soft_stretch"), nb::arg("substep"), nb::arg("bias") = 1.0)
        .def("level_limits", &C::level_limits, nb::arg("level"), nb::arg("position"))
        .def("triangle_sequence", &C::triangle_sequence, nb::arg("triangles"))
        .def_prop_ro("memory", &C::memory, "-> bytes held, by part")
        .def("set_layers", &C::set_layers, nb::arg("triangles"), nb::arg("label"), nb::arg("layer"), nb::arg("friction"),
             nb::arg("thickness"))
        .def("stretch", &C::stretch, nb::arg("position"), nb::arg("every") = 1)
        .def_prop_ro("levels", &C::levels)
        .def_prop_ro("constraint_count", &C::constraint_count)
        .def("step", &C::step, nb::arg("position"), nb::arg("velocity"), nb::arg("dt"), nb::arg("substep_count"),
             nb::arg("gravity"), nb::arg("wind"), nb::arg("contact_particle"), nb::arg("contact_gap"),
             nb::arg("contact_normal"), nb::arg("contact_velocity"), nb::arg("seam_from") = 1.0, nb::arg("seam_to") = 1.0,
             nb::arg("speed_limit") = 50.0, nb::arg("jolt") = std::numeric_limits<double>::infinity(), nb::arg("push_limit") = 0.02,
             nb::arg("cloth_radius") = 0.0, nb::arg("watch") = 0.0,
             nb::arg("head_start") = 0.0, nb::arg("compression") = 1.0, nb::arg("evening") = 0.0, nb::arg("widest") = 5, nb::arg("looks") = 1,
             nb::arg("ball").none() = nb::none(), nb::arg("tracked").none() = nb::none(), nb::arg("skin_time") = 0.0,
             nb::arg("rubbing") = 0.0, nb::arg("apart") = 20.0);
}
}  // namespace

void bind_xpbd(nb::module_ &m) {
    bind_cloth<float, std::uint16_t>(m, "ClothSmall");
    bind_cloth<float, std::int32_t>(m, "ClothFloat");
    bind_cloth<double, std::int32_t>(m, "ClothDouble");
}
