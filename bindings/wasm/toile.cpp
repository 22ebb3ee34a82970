#include "toile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "body/skinning.h"
#include "body/track_pose.h"
#include "core/checks.h"
#include "core/named_arrays.h"
#include "core/threads.h"
#include "frame/scene.h"

namespace {
std::string error;

int fail(std::string message) {
    error = std::move(message);
    return 0;
}

constexpr double FAR_AWAY = 16;  // from the origin the whole scene is moved back: single precision counts from there [m]
constexpr double NEAR = 1e3;     // nothing may be farther away [m]
constexpr double AGAIN = 0.6;    // from the end of a motion to its beginning [s]

// what a motion's bytes hold, checked
struct Motion {
    std::vector<double> turns, root, offsets;
    std::vector<std::int32_t> parents;
    double fps = 30, start = 0;  // start: where it begins [frames]
    bool loop = false;
    std::size_t frames = 0, joints = 0;
    body::Track track() const { return {frames, joints, turns.data(), root.data(), parents.data(), offsets.data(), loop}; }
    double length() const { return static_cast<double>(frames - 1); }  // [frames]
};

using Matrices = std::vector<double>;  // (joint, 4, 4)

// the product of two rigid transforms
void times(const double *a, const double *b, double *out) {
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 4; ++c) out[4 * r + c] = a[4 * r] * b[c] + a[4 * r + 1] * b[4 + c] + a[4 * r + 2] * b[8 + c] + (c == 3 ? a[4 * r + 3] : 0.0);
    out[12] = out[13] = out[14] = 0, out[15] = 1;
}
void inverse(const double *a, double *out) {
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) out[4 * r + c] = a[4 * c + r];
        out[4 * r + 3] = -(a[r] * a[3] + a[4 + r] * a[7] + a[8 + r] * a[11]);
    }
    out[12] = out[13] = out[14] = 0, out[15] = 1;
}

// A pose is moved over the floor: turned about the vertical (cosine, sine), then shifted [m].
struct Floor {
    double c = 1, s = 0, x = 0, z = 0;
    void move(Matrices &world) const {
        for (std::size_t j = 0; j < world.size(); j += 16) {
            double *m = &world[j];
            for (int k = 0; k < 4 && !(c == 1 && s == 0); ++k) {
                const double front = m[k], across = m[8 + k];
                m[k] = c * front + s * across, m[8 + k] = c * across - s * front;
            }
            m[3] += x, m[11] += z;
        }
    }
};

// how to move a pose so that its first joint stands where that of another one is, facing the same way
Floor onto(const double *root, const double *other) {
    Floor way;
    double both = 0, cross = 0;
    for (int k = 0; k < 3; ++k) both += other[k] * root[k] + other[8 + k] * root[8 + k], cross += other[k] * root[8 + k] - other[8 + k] * root[k];
    const double size = std::sqrt(both * both + cross * cross);
    if (size > 1e-9) way.c = both / size, way.s = cross / size;
    way.x = other[3] - (way.c * root[3] + way.s * root[11]), way.z = other[11] - (way.c * root[11] - way.s * root[3]);
    return way;
}

using Quaternion = std::array<double, 4>;  // w, x, y, z
Quaternion turn_of(const double *m) {
    // from the largest of the four, so that nothing small is divided by (Shepperd 1978)
    const double t[4] = {m[0] + m[5] + m[10], m[0] - m[5] - m[10], m[5] - m[0] - m[10], m[10] - m[0] - m[5]};
    const std::ptrdiff_t most = std::max_element(t, t + 4) - t;
    const double r = std::sqrt(std::max(1 + t[most], 1e-12)), h = 0.5 / r, wx = m[9] - m[6], wy = m[2] - m[8], wz = m[4] - m[1], xy = m[4] + m[1], xz = m[2] + m[8], yz = m[9] + m[6];
    if (most == 0) return {0.5 * r, wx * h, wy * h, wz * h};
    if (most == 1) return {wx * h, 0.5 * r, xy * h, xz * h};
    if (most == 2) return {wy * h, xy * h, 0.5 * r, yz * h};
    return {wz * h, xz * h, yz * h, 0.5 * r};
}

// the turn between two, on the shorter way
void mix_turns(const double *a, const double *b, double share, double *out) {
    const Quaternion p = turn_of(a), q = turn_of(b);
    const double sign = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3] < 0 ? -1 : 1;
    Quaternion m;
    double size = 0;
    for (std::size_t k = 0; k < 4; ++k) m[k] = p[k] + share * (sign * q[k] - p[k]), size += m[k] * m[k];
    size = std::sqrt(size);
    const double w = m[0] / size, x = m[1] / size, y = m[2] / size, z = m[3] / size;
    const double rows[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)};
    for (int r = 0; r < 3; ++r) std::copy_n(rows + 3 * r, 3, out + 4 * r);
}

// A pose between two: joints in their parents' axes are mixed, so that limbs keep their lengths. parents: before their joints.
Matrices mixed(const Matrices &a, const Matrices &b, double share, const std::vector<std::int32_t> &parents) {
    Matrices out(a.size());
    double turn[16], one[16], two[16], both[16];
    for (std::size_t j = 0; j < parents.size(); ++j) {
        const auto local = [&](const Matrices &pose, double *to) {
            if (parents[j] < 0) return void(std::copy_n(&pose[16 * j], 16, to));
            inverse(&pose[16 * static_cast<std::size_t>(parents[j])], turn);
            times(turn, &pose[16 * j], to);
        };
        local(a, one), local(b, two);
        for (int k = 0; k < 16; ++k) both[k] = one[k] + share * (two[k] - one[k]);
        mix_turns(one, two, share, both);
        if (parents[j] < 0) std::copy_n(both, 16, &out[16 * j]);
        else times(&out[16 * static_cast<std::size_t>(parents[j])], both, &out[16 * j]);
    }
    return out;
}
}  // namespace

struct toile_scene {
    std::unique_ptr<frame::Scene> scene;
    std::size_t particles = 0, joints = 0;
    std::vector<Motion> motions;
    int playing = 0, before = 0;            // number of the motion, from 1, and of the one that it was before
    double place = 0, place_before = 0;     // [frames]
    double swap = 1, swap_rate = 0;         // share of the new motion, its growth [1/s]
    double speed = 1;
    Floor floor, floor_before;              // where the motion goes on
    std::array<double, 2> travelled{};      // of the whole scene since it was opened, x and z [m]
    Matrices fixed, shown, halted;          // halted: a pose between two motions, from which a third one is gone over to
    int grabbed = -1;                       // particle
    std::array<double, 3> target{};         // of the particle that is grabbed [m]
    frame::Repaired repaired;
    std::vector<float> positions, normals, joint_rows;
    std::array<double, 8> stats{};

    const double *rest() const { return scene->array("joints.rest")->numbers(); }
    const Motion &motion(int number) const { return motions[static_cast<std::size_t>(number - 1)]; }
    Matrices pose_at(int number, double at, const Floor &moved) const {
        Matrices world = body::track_pose(motion(number).track(), at);
        moved.move(world);
        return world;
    }
    Matrices pose() const {
        if (!fixed.empty()) return fixed;
        Matrices now = pose_at(playing, place, floor);
        if (swap >= 1) return now;
        return mixed(halted.empty() ? pose_at(before, place_before, floor_before) : halted, now, swap * swap * (3 - 2 * swap), motion(playing).parents);
    }
    // motions that do not loop stay at their end
    double onward(int number, double at, double by) const {
        const Motion &m = motion(number);
        return m.loop ? at + by * m.fps : std::min(at + by * m.fps, m.length());
    }
    void go_over(int number, double seconds);
    void move_back();
    void stand(double dx, double dz);
};

void toile_scene::go_over(int number, double seconds) {
    halted = swap < 1 ? shown : Matrices{};
    before = playing, place_before = place, floor_before = floor;
    playing = number, place = motion(number).start, swap = 0, swap_rate = 1 / seconds;
    const Matrices first = pose_at(number, place, {});
    if (!shown.empty()) floor = onto(first.data(), shown.data());
}

// the cloth moved along the floor, the skin in the pose that is shown
void toile_scene::stand(double dx, double dz) {
    std::vector<double> all(scene->saved_size());
    scene->save(all.data());
    for (std::size_t p = 0; p < particles; ++p) all[3 * p] += dx, all[3 * p + 2] += dz;
    // the skin of this pose: a frame would go there from the last one
    const std::size_t skin = 6 * particles, vertices = scene->vertex_count();
    const NamedArray *rest_skin = scene->array("body.vertices"), *joint = scene->array("joints.vertex"), *weight = scene->array("joints.weight"), *dual = scene->array("joints.dual");
    const std::vector<double> moved = body::from_rest(shown.data(), rest(), joints);
    body::skin({vertices, weight->size() / std::max<std::size_t>(vertices, 1), rest_skin->numbers(), joint->ints(), weight->numbers()}, moved.data(), joints, dual->ints()[0] != 0, nullptr, 1.0,
               &all[skin], nullptr);
    scene->restore(all);
}

// A person who walks on and on gets far from the origin, where single precision is coarse: person, cloth and motion are moved back together.
void toile_scene::move_back() {
    if (joints == 0 || !fixed.empty() || !playing) return;
    const double x = shown[3], z = shown[11];
    if (x * x + z * z < FAR_AWAY * FAR_AWAY) return;
    // whole metres: the moved numbers keep most of their bits
    const double dx = -std::round(x), dz = -std::round(z);
    floor.x += dx, floor.z += dz, floor_before.x += dx, floor_before.z += dz, travelled[0] -= dx, travelled[1] -= dz;
    for (std::size_t j = 0; j < halted.size(); j += 16) halted[j + 3] += dx, halted[j + 11] += dz;
    shown = pose();
    stand(dx, dz);
    if (grabbed >= 0) target[0] += dx, target[2] += dz, scene->grab(grabbed, target);
}

namespace {
bool no_scene(const toile_scene *scene) { return scene == nullptr && !fail("there is no scene: it was not opened"); }

// what is wrong with the arrays of a motion, or nothing
std::string read_motion(const NamedArrays &arrays, std::size_t joints, Motion &m) {
    const auto get = [&](const char *name, NumberType type, std::vector<std::size_t> shape) -> const NamedArray * {
        const NamedArray *a = arrays.find(name);
        return a && a->type == type && a->shape == shape ? a : nullptr;
    };
    const NamedArray *turns = arrays.find("motion.turns");
    if (!turns || turns->type != NumberType::FLOAT64 || turns->shape.size() != 3) return "the motion has no turns of joints";
    m.frames = turns->shape[0], m.joints = turns->shape[1];
    if (m.frames < 1 || m.frames > 1'000'000 || m.joints != joints || turns->shape[2] != 4) return "the motion is not for this body: it has another number of joints";
    const NamedArray *root = get("motion.root", NumberType::FLOAT64, {m.frames, 3}), *offsets = get("motion.offsets", NumberType::FLOAT64, {joints, 3});
    const NamedArray *parents = get("motion.parents", NumberType::INT32, {joints}), *loop = get("motion.loop", NumberType::INT32, {1});
    const NamedArray *fps = get("motion.fps", NumberType::FLOAT64, {1}), *start = get("motion.start", NumberType::FLOAT64, {1});
    if (!root || !offsets || !parents || !loop || !fps || !start) return "the motion lacks one of its arrays, or one has the wrong size";
    const auto near = [](const NamedArray *a, double most) {
        for (std::size_t i = 0; i < a->size(); ++i)
            if (!(std::abs(a->numbers()[i]) <= most)) return false;
        return true;
    };
    if (!near(turns, 1.001) || !near(root, NEAR) || !near(offsets, 100) || !(fps->numbers()[0] >= 1 && fps->numbers()[0] <= 1000) || !(start->numbers()[0] >= 0 && start->numbers()[0] <= 1e6)) return "the motion holds numbers that make no sense";
    for (std::size_t i = 0; i < m.frames * joints; ++i) {
        const double *q = turns->numbers() + 4 * i, size = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        if (!(size > 0.99 && size < 1.01)) return "the motion holds a turn that is none";
    }
    for (std::size_t j = 0; j < joints; ++j)
        if (parents->ints()[j] < -1 || parents->ints()[j] >= static_cast<std::int32_t>(j)) return "the motion's joints are not in order";
    m.turns.assign(turns->numbers(), turns->numbers() + turns->size()), m.root.assign(root->numbers(), root->numbers() + root->size());
    m.offsets.assign(offsets->numbers(), offsets->numbers() + offsets->size()), m.parents.assign(parents->ints(), parents->ints() + joints);
    m.fps = fps->numbers()[0], m.start = start->numbers()[0], m.loop = loop->ints()[0] != 0;
    return {};
}
}  // namespace

const char *toile_error(void) { return error.c_str(); }
void *toile_alloc(size_t size) { return ::operator new(size, std::align_val_t{64}, std::nothrow); }
void toile_free(void *memory) { ::operator delete(memory, std::align_val_t{64}); }
uint64_t toile_checksum(const uint8_t *bytes, size_t size) { return checksum(bytes, size); }
void toile_threads(int count) { current_pool().set_thread_count(std::clamp(count, 1, 64)); }

toile_scene *toile_open(const uint8_t *bytes, size_t size) {
    error.clear();
    auto made = std::make_unique<toile_scene>();
    made->scene = frame::Scene::open({bytes, bytes + size}, error);
    if (!made->scene) return nullptr;
    made->particles = made->scene->particle_count(), made->joints = made->scene->joint_count();
    return made.release();
}

void toile_close(toile_scene *scene) { delete scene; }

int toile_particle_count(const toile_scene *scene) { return no_scene(scene) ? 0 : static_cast<int>(scene->particles); }
int toile_joint_count(const toile_scene *scene) { return no_scene(scene) ? 0 : static_cast<int>(scene->joints); }

int toile_motion(toile_scene *scene, const uint8_t *bytes, size_t size) {
    if (no_scene(scene)) return 0;
    if (!scene->joints) return fail("the scene's body has no joints that a motion could move");
    std::vector<std::uint64_t> kept(size / 8 + 1, 0);
    std::copy_n(bytes, size, reinterpret_cast<std::uint8_t *>(kept.data()));
    NamedArrays arrays;
    Motion motion;
    std::string wrong = arrays.read(reinterpret_cast<const std::uint8_t *>(kept.data()), size);
    if (wrong.empty()) wrong = read_motion(arrays, scene->joints, motion);
    if (!wrong.empty()) return fail(std::move(wrong));
    scene->motions.push_back(std::move(motion));
    if (!scene->playing) {
        // the cloth was dressed for the motion's first frame
        scene->playing = 1, scene->place = scene->motions[0].start, scene->shown = scene->pose();
        scene->stand(0, 0);
    }
    return static_cast<int>(scene->motions.size());
}

int toile_play(toile_scene *scene, int motion, double seconds) {
    if (no_scene(scene)) return 0;
    if (motion < 1 || motion > static_cast<int>(scene->motions.size()) || !(seconds >= 0.05 && seconds <= 10)) return fail("there is no such motion, or no such time to go over to it");
    if (motion != scene->playing) scene->go_over(motion, seconds);
    return 1;
}

int toile_speed(toile_scene *scene, double speed) {
    if (no_scene(scene)) return 0;
    if (!(speed >= 0 && speed <= 3)) return fail("the speed of a motion is 0 to 3");
    scene->speed = speed;
    return 1;
}

int toile_pose(toile_scene *scene, const double *world) {
    if (no_scene(scene)) return 0;
    if (!world) return scene->fixed.clear(), 1;
    if (!scene->joints) return fail("the scene's body has no joints");
    for (std::size_t i = 0; i < 16 * scene->joints; ++i)
        if (!(std::abs(world[i]) <= NEAR)) return fail("a pose holds numbers that make no sense");
    scene->fixed.assign(world, world + 16 * scene->joints);
    return 1;
}

int toile_wind(toile_scene *scene, double x, double y, double z) {
    if (no_scene(scene)) return 0;
    if (!(x * x + y * y + z * z <= 40.0 * 40)) return fail("a wind is at most 40 m/s");
    scene->scene->set_wind({x, y, z});
    return 1;
}

int toile_grab(toile_scene *scene, int particle) {
    if (no_scene(scene)) return 0;
    if (particle < 0 || particle >= static_cast<int>(scene->particles)) return fail("there is no such particle to pull at");
    std::copy_n(&scene->scene->state().position[3 * static_cast<std::size_t>(particle)], 3, scene->target.begin());
    scene->scene->let_go();
    scene->grabbed = particle;
    return scene->scene->grab(particle, scene->target) ? 1 : fail("there is no such particle to pull at");
}

int toile_drag(toile_scene *scene, double x, double y, double z) {
    if (no_scene(scene)) return 0;
    if (scene->grabbed < 0) return fail("nothing is pulled at");
    if (!(std::abs(x) <= NEAR && std::abs(y) <= NEAR && std::abs(z) <= NEAR)) return fail("nobody can pull at the cloth from there");
    scene->target = {x, y, z};
    return scene->scene->grab(scene->grabbed, scene->target);
}

int toile_release(toile_scene *scene) {
    if (no_scene(scene)) return 0;
    scene->grabbed = -1;
    scene->scene->let_go();
    return 1;
}

int toile_pin(toile_scene *scene, const int32_t *particles, int count) {
    if (no_scene(scene)) return 0;
    return scene->scene->pin({particles, static_cast<std::size_t>(std::max(count, 0))}) ? 1 : fail("there is no such particle to pin");
}

int toile_fabric(toile_scene *scene, double mass, double stretch, double bend, double friction) {
    if (no_scene(scene)) return 0;
    return scene->scene->set_fabric({mass, stretch, bend, friction}) ? 1 : fail("a fabric differs by a thousandth to a thousand times at most");
}

int toile_frame(toile_scene *scene, double dt) {
    if (no_scene(scene)) return 0;
    if (!(dt >= 1.0 / 240.001 && dt <= 1.0 / 19.999)) return fail("a frame takes 1/240 to 1/20 s");
    toile_scene &s = *scene;
    if (s.playing) {
        s.place = s.onward(s.playing, s.place, s.speed * dt);
        if (s.before) s.place_before = s.onward(s.before, s.place_before, s.speed * dt);
        s.swap = std::min(1.0, s.swap + s.swap_rate * dt);
        // from their end motions go over to their beginning
        const Motion &m = s.motion(s.playing);
        if (!m.loop && m.length() > 0 && s.place >= m.length() && s.swap >= 1) s.go_over(s.playing, AGAIN);
    }
    if (s.playing || !s.fixed.empty()) s.shown = s.pose();
    if (!s.shown.empty() && !s.scene->pose(s.shown)) return fail("the pose holds numbers that make no sense");
    s.repaired = s.scene->frame(dt);
    if (!all_finite(s.scene->state().position.data(), 3 * s.particles)) return fail("the cloth's places are no longer numbers: the scene must be opened again");
    s.move_back();
    return 1;
}

const double *toile_state(const toile_scene *scene) { return no_scene(scene) ? nullptr : scene->scene->state().position.data(); }
const double *toile_velocity(const toile_scene *scene) { return no_scene(scene) ? nullptr : scene->scene->state().velocity.data(); }

const float *toile_positions(toile_scene *scene) {
    if (no_scene(scene)) return nullptr;
    const std::vector<double> &x = scene->scene->state().position;
    scene->positions.assign(x.begin(), x.end());
    return scene->positions.data();
}

// the sum of the normals of the triangles round a particle, which weigh as much as they are large
const float *toile_normals(toile_scene *scene) {
    if (no_scene(scene)) return nullptr;
    const float *x = toile_positions(scene);
    const NamedArray *triangles = scene->scene->array("cloth.triangles");
    std::vector<float> &n = scene->normals;
    n.assign(3 * scene->particles, 0);
    for (std::size_t t = 0; t < triangles->size(); t += 3) {
        const std::int32_t *v = triangles->ints() + t;
        const float *a = x + 3 * v[0], *b = x + 3 * v[1], *c = x + 3 * v[2];
        const float u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, w[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
        const float cross[3] = {u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]};
        for (int k = 0; k < 3; ++k)
            for (int axis = 0; axis < 3; ++axis) n[3 * static_cast<std::size_t>(v[k]) + axis] += cross[axis];
    }
    for (std::size_t p = 0; p < scene->particles; ++p) {
        float *m = &n[3 * p];
        const float size = std::max(std::sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]), 1e-20f);
        m[0] /= size, m[1] /= size, m[2] /= size;
    }
    return n.data();
}

const float *toile_joints(toile_scene *scene) {
    if (no_scene(scene)) return nullptr;
    scene->joint_rows.assign(12 * scene->joints, 0);
    const double *rest = scene->joints ? scene->rest() : nullptr;
    double back[16], moved[16];
    for (std::size_t j = 0; j < scene->joints; ++j) {
        inverse(rest + 16 * j, back);
        times(scene->shown.empty() ? rest + 16 * j : &scene->shown[16 * j], back, moved);
        std::copy_n(moved, 12, &scene->joint_rows[12 * j]);
    }
    return scene->joint_rows.data();
}

const double *toile_skin(const toile_scene *scene, int *count) {
    if (no_scene(scene)) return nullptr;
    if (count) *count = static_cast<int>(scene->scene->skin().count());
    return scene->scene->skin().data();
}

const double *toile_stats(const toile_scene *scene) {
    if (no_scene(scene)) return nullptr;
    toile_scene &s = *const_cast<toile_scene *>(scene);
    const double fps = s.playing ? s.motion(s.playing).fps : 1;
    s.stats = {static_cast<double>(s.scene->counts().frames), static_cast<double>(s.repaired.body_before + s.repaired.cloth_before), static_cast<double>(s.repaired.left()), s.repaired.moved,
               s.scene->sleeps() ? 1.0 : 0.0, s.place / fps, s.travelled[0], s.travelled[1]};
    return s.stats.data();
}
