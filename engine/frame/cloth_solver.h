// The default solver: a cloth (cloth/cloth.h), and by which laws it is stepped: substeps, contact updates, stiffness of limits, rubbing.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cloth/cloth.h"
#include "contact/contact_source.h"
#include "frame/step_laws.h"

namespace frame {

struct SolverSettings {
    // How short substeps are: where the cloth hardly stretches, the same of garments over skin, where it stretches 1.2 times as much as stated, of slow
    // cloth, of slow rectangles, which hang free [s].
    double longest = 1.0 / 480, worn = 1.0 / 840, shortest = 1.0 / 1200, resting = 1.0 / 4800, hanging = 1.0 / 4800;
    double stretch = 0.02;   // 99 % of the threads should stretch less
    double buckling = 0.5;   // share of their resistance to being pushed together that threads of worn garments do without
    double substep = 0;      // longest substep as the user sets it [s]; 0: as above
    int levels = 4;          // of coarse limits; 0: neither these nor long threads nor evening, pure physics
    double head_start = 0.45, compression = 0.3, evening = 0.75;
    int contact_queries = 2;  // contact updates per 1/60 s
    bool self_collision = true;
    double cloth_radius = 0.01, apart = 0.1, drag = 0, speed_limit = 20;  // [m], [m/s], [1/s], [m/s]
    double firmer = FIRMER, jolt_at_rest = JOLT_AT_REST;  // laws that tests take others of
};

// Creases and pleats: particles whose stencil rests at a curvature across the fold instead of flat.
struct FoldModel {
    std::span<const std::int32_t> particle;   // (fold)
    std::span<const double> curvature;        // (fold) [√(N·m) m]
    std::span<const std::int32_t> triangles;  // (triangle, 3): those that touch these particles
};

// All of it must live as long as the solver.
struct SolverModel {
    cloth::Kind kind = cloth::Kind::SMALL;
    cloth::ClothModel cloth;
    std::optional<cloth::GridModel> grid;
    std::optional<cloth::LayerModel> layers;
    cloth::LevelModel levels;
    cloth::PullModel long_threads;  // without a rectangle only
    FoldModel folds;
    SolverSettings settings;
};

struct Air {
    std::array<double, 3> gravity{0, -9.81, 0}, wind{};  // [m/s²], [m/s]
};

// By how much cloth differs from what it was made as.
struct FabricScale {
    double mass = 1, stretch = 1, bend = 1, friction = 1;
};

constexpr double THIS_STEP = -1;  // near cloth is watched for the step that is asked for

class ClothSolver {
  public:
    explicit ClothSolver(const SolverModel &model);

    std::size_t particle_count() const { return cloth_->particle_count(); }
    cloth::Cloth &cloth() { return *cloth_; }
    // Lets go of the arrays that it was made of, but for those whose names begin as the result says (frame/scene_arrays.h): set_fabric is refused from
    // then on.
    std::vector<std::string_view> forget_arrays();

    SolverSettings &settings() { return model_.settings; }
    // how often the stretch of the cloth has been measured
    std::size_t measured() const { return measured_; }
    // the longest time between two contact updates [s], and in how many of them the skin is searched once
    double longest_contact_step() const { return 1.0 / (60 * model_.settings.contact_queries); }
    int followed_updates() const { return FOLLOWED; }
    // lays the coarse limits out round what is pinned; the next step would
    void set_levels();

    // these particles move with their velocity, whatever pulls at them; all others are free again
    void pin(std::span<const std::int32_t> particles);
    void set_drag(double drag) { cloth_->set_drag(drag); }
    // scale of the fabric's friction against skin (particle)
    void set_friction(std::span<const double> scale);
    // the seams shrink to this fraction of their first gap during the next step
    void close_seams(double fraction) { seams_next_ = fraction; }

    // position, velocity (particle, 3) [m], [m/s] become those dt [s] later. watch: for how long near cloth that is found now is gone on with [s]; 0: with
    // what was found before.
    void step(double *position, double *velocity, ContactSource &contacts, const Air &air, double watch, double dt);

    // how long substeps are now [s]; from the state alone, so that a resumed run takes them too
    double substep(std::span<const double> position, double speed, double whipping, bool over_skin) const;

    // Pulls a particle, and gently those within a hand's breadth of it, towards a place [m]; position (particle, 3) is where the cloth is. Nothing is laid
    // out anew: the target is soft, and cloth that is held stays where it is.
    void grab(std::int32_t particle, const std::array<double, 3> &target, std::span<const double> position);
    void let_go() { grabbed_.clear(); }
    // Makes the cloth of another fabric where it is; what was pinned must be pinned again.
    void set_fabric(const FabricScale &scale);

    // which way folds lean that are nearly shut (fold, 3): the only thing besides position and velocity that a step remembers
    std::span<double> fold_directions() { return towards_; }

  private:
    struct Laws;
    Laws laws(std::span<const double> position, const double *velocity, bool over_skin, double period) const;
    double moving_rate(std::span<const double> position, double whipping, bool over_skin) const;
    void lean_folds(const double *position);
    void loosen(const StepContacts &contacts);
    void move_on(StepContacts &contacts, double time);
    void prepare();
    void pull(const double *position, double *velocity, double dt) const;

    struct Grabbed {
        std::int32_t particle;
        double share;                  // of the pull
        std::array<double, 3> offset;  // from the particle that was grabbed, when it was [m]
    };

    bool pack_corners();
    std::vector<double> flat_points_;  // (flat point, 2) [m] instead of model_.levels.corner, once the arrays are gone
    SolverModel model_, made_;  // as it is now, as it was made
    std::vector<double> inverse_mass_, triangle_stiffness_, stencil_weight_, own_friction_;  // of another fabric
    std::vector<std::uint8_t> held_;  // (particle); empty: none is
    std::vector<Grabbed> grabbed_;
    std::array<double, 3> target_{};
    std::unique_ptr<cloth::Cloth> cloth_;
    std::vector<double> friction_, loosened_, moved_gap_;
    std::vector<double> towards_, rest_curvature_, normal_sum_, normal_size_;
    bool loose_ = false, levels_ready_ = false;
    mutable std::size_t measured_ = 0;
    double seams_now_ = 1, seams_next_ = 1;
};

}  // namespace frame
