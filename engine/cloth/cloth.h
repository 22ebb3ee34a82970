// A garment's constraints, packed once, and the step that advances it. Particles are numbered as the caller likes; how they are kept is a matter of
// speed. Arrays of the models are read while a cloth is made or changed and not kept.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "contact/contact_source.h"

namespace cloth {

constexpr std::size_t STENCIL = 16;  // particles of a bending stencil

struct ClothModel {
    std::span<const std::int32_t> order;  // (particle): in which order they are kept
    std::span<const double> inverse_mass, drag, thickness, friction;  // (particle) [1/kg], [1/s], [m], -
    std::span<const std::int32_t> triangles;                          // (triangle, 3)
    std::span<const double> triangle_weight;     // (triangle, 2, 2): (a1, a2), (b1, b2), Fu = a1 (x1 - x0) + a2 (x2 - x0) [1/m]
    std::span<const double> triangle_stiffness;  // (triangle, 3): weft, warp, shear [N·m]
    std::span<const std::int32_t> stencils;      // (stencil, STENCIL): particles, -1 where there are fewer
    std::span<const double> stencil_weight;      // (stencil, STENCIL) [√(N·m)]
    std::span<const double> stencil_stiffness;   // (stencil) [1/m²]
    std::span<const std::int32_t> stencil_centre;  // (stencil): the particle whose curvature it is
    std::size_t stencils_along = 0;              // how many of them, the last ones, run along a free edge
    std::span<const std::int32_t> seams;         // (seam, 2)
    std::span<const double> seam_rest;           // (seam): gap at first [m]
};

// A rectangle of equal cells, its particles stored row by row: threads, triangles and the stencils that `stencil_of` names are swept without lists.
struct GridModel {
    int rows = 0, columns = 0;
    std::array<double, 2> cell{};       // width, height [m]
    std::array<double, 3> stiffness{};  // of a triangle: weft, warp, shear [N·m]
    std::array<double, 2> bend{};       // weights of a stencil's neighbours
    std::array<double, 2> reach{};      // rest length of long threads [m], 0: none
    std::span<const std::int32_t> stencil_of;  // (particle)
    bool alternate = false;
};

// Cloth that collides with cloth: particles of one label are sewn together, a higher layer lies outside a lower one.
struct LayerModel {
    std::span<const std::int32_t> triangles;     // (triangle, 3)
    std::span<const std::int32_t> label, layer;  // (particle)
    std::span<const double> friction, thickness;  // (particle) -, [m]
};

// Coarse distance limits over the flat cloth.
struct LevelModel {
    std::span<const std::int32_t> triangles;  // (triangle, 3)
    std::span<const double> corner;           // (triangle, 3, 2): flat corners [m]
    std::span<const std::int32_t> panel;      // (triangle)
    std::span<const std::int32_t> flat;       // (triangle, 3): flat points
    int count = 0;
    std::span<const double> worn;             // (particle, 3): where the body holds it stretched limits give way; empty: nowhere [m]
};

// Pairs of particles that may not be farther apart than on the flat cloth.
struct PullModel {
    std::span<const std::int32_t> pairs;  // (pair, 2)
    std::span<const double> rest;         // (pair) [m]
};

struct StepInput {
    double dt = 0;          // [s]
    int substep_count = 1;  // after each contact update
    std::array<double, 3> gravity{}, wind{};  // [m/s²], [m/s]
    double seam_from = 1, seam_to = 1;        // fraction of each seam's first gap at the start and the end
    double speed_limit = 50;                  // [m/s]
    double jolt = std::numeric_limits<double>::infinity();  // skin and constraints change velocities by this at most [m/s²]
    double push_limit = 0.02;    // largest way out of the skin in one substep [m]
    double cloth_radius = 0;     // cloth that can come near within a frame is watched [m]; 0: none
    double watch = 0;            // near cloth is searched for and then watched for so long [s]; 0: what was found before is
    double head_start = 0, compression = 1, evening = 0;  // StepOptions in xpbd.h
    int contact_updates = 1;               // with skin and near cloth
    double skin_time = 0;        // since the skin was asked [s]
    double rubbing = 0;          // rate at which threads that rub slow each other down [1/s]
    double apart = 20;           // how fast cloth that is too near to cloth is moved away [m/s]
    int widest = 5;              // 5: AVX-512 where the machine has it, 2: at most AVX2, 0: neither; the bits are the same
};

struct Stretch {
    double mean, most;  // of how much threads are longer than at rest: mean, 99th percentile
};

// what limits of one level hold
struct LevelLimits {
    std::vector<double> points;  // (point, 3) [m]
    std::vector<std::int32_t> pairs;
    std::vector<double> rest, part, inverse_mass;  // [m], how much of what they ask for they do, of the points [1/kg]
};

enum class Kind { SMALL, FLOAT, DOUBLE };  // single precision counted by 16 bits, by 32 bits, double precision

class Cloth {
  public:
    virtual ~Cloth() = default;
    virtual std::size_t particle_count() const = 0;
    virtual Kind kind() const = 0;

    virtual void set_drag(double drag) = 0;                             // besides the cloth's own [1/s]
    virtual void set_friction(std::span<const double> scale) = 0;       // (particle): what becomes of the cloth's own
    virtual void set_inverse_mass(std::span<const double> values) = 0;  // (particle); set levels anew after this
    virtual void set_grid(const GridModel &grid) = 0;
    virtual void set_layers(const LayerModel &layers) = 0;
    virtual void set_levels(const LevelModel &levels) = 0;
    virtual void set_long_threads(const PullModel &threads) = 0;
    // (particle, 3): what the weighted sum of each particle's stencil is at rest, of cloth that is creased or pleated [√(N·m) m]
    virtual void set_stencil_rest(std::span<const double> rest) = 0;
    // Lets long threads and coarse limits do what the fabric needs besides the sweep (compliance.h), in substeps that ask for the forces of so long [s],
    // until they are stretched by `soft_stretch`; farther they are as hard as they can be. bias: how many times as stiff as the fabric along the bias.
    virtual void set_limit_compliance(double soft_stretch, double substep, double bias) = 0;

    // over every n-th block of eight triangles
    virtual Stretch stretch(std::span<const double> position, std::size_t every) const = 0;
    // Looks at skin and near cloth several times, each followed by substeps: first come the contacts that are given, or those with the ball, later
    // the ball's again, or those that are tracked. position, velocity (particle, 3) [m], [m/s] are changed in place.
    virtual void step(double *position, double *velocity, const StepInput &input, const StepContacts &contacts, const Ball *ball) = 0;

    virtual std::vector<std::pair<std::size_t, std::size_t>> levels() const = 0;  // points and limits of each
    virtual LevelLimits level_limits(std::size_t level, std::span<const double> position) const = 0;
    // the order in which one sweep visits the triangles that the cloth was made of, of a rectangle the particles that threads leave
    virtual std::vector<std::int32_t> triangle_sequence(std::span<const std::int32_t> triangles) const = 0;
    virtual std::vector<std::tuple<std::string, std::size_t>> memory() const = 0;  // bytes held, by part
    virtual std::size_t constraint_count() const = 0;
};

std::unique_ptr<Cloth> make_cloth(Kind kind, const ClothModel &model);

}  // namespace cloth
