// Mass-spring cloth in explicit steps (Vassilev et al. 2001): forces, over-elongation, contact planes; see docs/solver-spring.md, whose
// formulas these are. Springs are visited in the given order, one thread: the papers' garments have a few thousand particles.
// Contacts come from outside, or from front and back maps that are looked up before every step (spring and maps in one loop).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "contact/contact_list.h"
#include "contact/map_lookup.h"

// what is done to springs that are too long: nothing, or which speeds or places their ends get
enum class Elongation { LEAVE, ZERO, AVERAGE, DIRECTIONAL, POSITION };

struct Springs {
    PairsView ends;
    NumbersView rest, stiffness;  // [m], [N/m]
    FlagsView limited;            // whether it may not be too long
};
struct SpringParticles {
    NumbersView mass, air, friction;  // [kg]; strength of the wind; Coulomb coefficient
};
struct SpringFaces {
    TrianglesView triangles;
    RowsView<std::int32_t, 4> faces;  // corners, -1 last for triangles; their middles may have contacts
};

struct SpringOptions {
    double damping = 0, threshold = 0.1, thickness = 0, speed_limit = 1e9, slide = 1, reflection = 0, grip = 0;
    Elongation rule = Elongation::LEAVE;
    int sweeps = 1;
    bool gravity_directs = false, by_velocity = false;
};

class SpringCloth {
    using Vec3 = surface::Vec3;

  public:
    SpringCloth(const Springs &springs, const SpringParticles &particles, const SpringFaces &faces);
    void pin(FlagsView pinned) { pinned_.assign(pinned.data(), pinned.data() + pinned.size()); }
    void set_options(const SpringOptions &options) { option_ = options; }
    // pairs are pulled together in every step from now on
    struct Seams {
        double rate = 0, speed = 0;  // by velocity: at a rate [1/s] up to a speed [m/s]
        double stiffness = 0;        // more than 0: by elastic forces instead [N/m], damped along the seam
    };
    void set_seams(PairsView pairs, const Seams &how);

    std::size_t particle_count() const { return mass_.size(); }
    std::size_t face_count() const { return face_.size() / 4; }
    std::size_t seam_count() const { return seam_.size() / 2; }
    double seam_gap() const;

    struct Steps {
        int count;
        double dt, since;  // [s]; since: time since contacts were found
        Vec3 gravity, wind;
    };
    // Position and velocity (n, 3) are changed in place. Contacts of face f have the particle number particle_count() + f; grip: of each
    // contact, the share of the friction that acts.
    void advance(const Steps &steps, const ContactsView &contacts, NumbersView grip, double *position, double *velocity);
    // samples maps in the world's frame before every step; ends early when no seam is wider open than `closed` [m]; returns the number of steps
    struct Maps {
        map_lookup::View view;
        map_lookup::MapOptions o;
        Vec3 travel{};  // of the body as a whole since the maps were drawn [m/s]: they are asked where a point would have been then
    };
    int advance_in_maps(const Steps &steps, const Maps &maps, double closed, double *position, double *velocity);

  private:
    struct Options : SpringOptions {
        double dt = 0;
        Vec3 gravity{}, wind{};
    };
    // a plane that the skin carries on: gap + n · (x - start - t v)
    struct Plane {
        std::int32_t who;  // particle, or face
        double gap;
        Vec3 start, normal, skin;
        double grip = 1;  // share of the friction that acts
        double at(Vec3 x, double t) const { return gap + dot(normal, x - start - t * skin); }
    };
    struct TooLong {
        std::int32_t spring;
        Vec3 along;
        double cosine;
    };

    void find_forces(const Options &o);
    void blow(const Options &o);
    void react(const Options &o, double t);
    void find_objects(const Options &o, double t);
    Vec3 direction(const Options &o, std::size_t spring) const;
    void modify_velocities(const Options &o);
    void pull_seams();
    void add_seam_forces();
    void sample_maps(const Maps &maps, double t);
    Options begin(const Steps &steps, const double *position, const double *velocity);
    void result(double *position, double *velocity) const;
    void modify_positions(const Options &o);
    void limit_speed(const Options &o);
    void respond_by_velocity(const Options &o, double t);
    void respond(const Options &o, double t);
    void answer(std::int32_t p, Vec3 velocity) { answer_[p] = answer_[p] + velocity, ++answers_[p]; }
    Vec3 middle(const std::vector<Vec3> &of, std::int32_t face) const;
    double share(std::int32_t a, std::int32_t b) const;
    void substep(const Options &o, double t);

    std::vector<std::int32_t> ends_, triangle_, face_;
    std::vector<double> rest_, stiffness_, mass_, air_, friction_;
    std::vector<char> limited_, pinned_;
    bool blown_ = false;
    std::vector<Vec3> x_, v_, force_, normal_, object_, answer_;
    std::vector<char> touching_;
    std::vector<int> answers_;
    std::vector<Plane> planes_, face_planes_;
    std::vector<TooLong> long_;
    SpringOptions option_;
    std::vector<std::int32_t> seam_;                 // (m, 2)
    std::vector<std::vector<std::int32_t>> stitch_;  // particles that become one
    Seams seams_;
};
