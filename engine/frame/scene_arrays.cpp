#include "frame/scene_arrays.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <vector>

#include "core/checks.h"

namespace frame {
namespace {
constexpr double ANY = 1e15, TINY = 1e-12;
constexpr NumberType INT = NumberType::INT32, REAL = NumberType::FLOAT64;

constexpr SceneField whole(const char *name, const char *shape, const char *below, int least, const char *group = "") {
    return {name, INT, shape, below, least, 0, 0, group};
}
constexpr SceneField real(const char *name, const char *shape, double low = -ANY, double high = ANY, const char *group = "") {
    return {name, REAL, shape, "", 0, low, high, group};
}
constexpr int ANY_INT = INT32_MIN;

// letters: n particles, t triangles of cloth, s bending stencils, e seams, c long threads, f folds, d triangles at folds, b vertices of the body, l limbs,
// k triangles of skin, h triangles of hand proxies, p pairs of fingertips, r raised vertices, q raised tips, g held particles, j joints, w weights a vertex
constexpr SceneField FIELDS[] = {
    whole("cloth.order", "n", "n", 0),
    real("cloth.inverse_mass", "n", 0, 1e12),
    real("cloth.drag", "n", 0, 1e6),
    real("cloth.thickness", "n", 0, 1),
    real("cloth.friction", "n", 0, 1e6),
    whole("cloth.triangles", "t,3", "n", 0),
    real("cloth.triangle_weight", "t,2,2"),
    real("cloth.triangle_stiffness", "t,3", 1e-30),
    whole("cloth.stencils", "s,16", "n", -1),
    real("cloth.stencil_weight", "s,16"),
    real("cloth.stencil_stiffness", "s", 1e-30),
    whole("cloth.stencil_centre", "s", "n", 0),
    whole("cloth.stencils_along", "1", "", 0),
    whole("cloth.seams", "e,2", "n", 0, "seams"),
    real("cloth.seam_rest", "e", 0, 1e6, "seams"),
    whole("grid.size", "2", "", 2, "grid"),
    real("grid.cell", "2", TINY, 1e6, "grid"),
    real("grid.stiffness", "3", 1e-30, ANY, "grid"),
    real("grid.bend", "2", -ANY, ANY, "grid"),
    real("grid.reach", "2", 0, 1e6, "grid"),
    whole("grid.stencil_of", "n", "s", -1, "grid"),
    whole("grid.alternate", "1", "", 0, "grid"),
    whole("layers.label", "n", "n", 0, "layers"),
    whole("layers.layer", "n", "", ANY_INT, "layers"),
    real("layers.friction", "n", 0, 1e6, "layers"),
    real("layers.thickness", "n", 1e-9, 0.999, "layers"),
    real("levels.corner", "t,3,2"),
    whole("levels.panel", "t", "", ANY_INT),
    whole("levels.flat", "t,3", "", ANY_INT),
    real("levels.worn", "n,3", -ANY, ANY, "worn"),
    whole("threads.pairs", "c,2", "n", 0, "threads"),
    real("threads.rest", "c", 0, 1e6, "threads"),
    whole("folds.particle", "f", "n", 0, "folds"),
    real("folds.curvature", "f", -ANY, ANY, "folds"),
    whole("folds.triangles", "d,3", "n", 0, "folds"),
    whole("solver.double", "1", "", 0),
    whole("solver.few", "1", "", 0),
    real("solver.longest", "1", 1e-7, 1),
    real("solver.worn", "1", 1e-7, 1),
    real("solver.shortest", "1", 1e-7, 1),
    real("solver.resting", "1", 1e-7, 1),
    real("solver.hanging", "1", 1e-7, 1),
    real("solver.stretch", "1", 1e-6, 1e6),
    real("solver.buckling", "1", 0, 1),
    real("solver.substep", "1", 0, 1),
    whole("solver.levels", "1", "", 0),
    real("solver.head_start", "1", 0, 0.5),
    real("solver.compression", "1", 0, 1),
    real("solver.evening", "1", 0, 1),
    whole("solver.contact_queries", "1", "", 1),
    whole("solver.self_collision", "1", "", 0),
    real("solver.cloth_radius", "1", 0, 1e3),
    real("solver.apart", "1", TINY, 1e3),
    real("solver.drag", "1", 0, 1e6),
    real("solver.speed_limit", "1", TINY, 1e6),
    real("body.vertices", "b,3"),
    whole("body.limb", "b", "l", 0),
    whole("body.thin", "l", "", -1),
    whole("skin.triangles", "k,3", "b", 0),
    whole("skin.group", "k", "", 0, "groups"),
    real("skin.grip", "k", 0, 1),
    real("skin.radius", "1", 1e-6, 1),
    whole("hands.triangles", "h,3", "b", 0, "hands"),
    whole("hands.group", "h", "", 0, "hands"),
    real("hands.grip", "h", 0, 1, "hands"),
    whole("hands.watched", "p,2", "b", 0, "hands"),
    real("hands.apart", "p", 0, 1e6, "hands"),
    whole("tips.vertex", "r", "b", 0, "tips"),
    real("tips.rise", "r,3", -ANY, ANY, "tips"),
    whole("tips.tip", "r", "q", 0, "tips"),
    whole("tips.frame", "q,3", "b", 0, "tips"),
    whole("held.particle", "g", "n", 0, "held"),
    whole("held.corners", "g,3", "b", 0, "held"),
    real("held.local", "g,3", -ANY, ANY, "held"),
    whole("repair.layer", "t", "", ANY_INT),
    whole("repair.label", "n", "n", 0),
    real("repair.sides", "t,3", 0),
    whole("repair.on", "1", "", 0),
    real("start.position", "n,3"),
    real("start.velocity", "n,3", -1e6, 1e6, "moving"),
    real("start.skin", "b,3", -ANY, ANY, "moving"),
    real("walk.edge", "1", TINY, 1e3),
    whole("walk.led", "1", "", 0),
    real("joints.rest", "j,4,4", -ANY, ANY, "joints"),
    whole("joints.vertex", "b,w", "j", 0, "joints"),
    real("joints.weight", "b,w", -1e6, 1e6, "joints"),
    whole("joints.dual", "1", "", 0, "joints"),
};

bool belongs_to(ScenePart part, std::string_view name) {
    if (part == ScenePart::ALL) return true;
    const auto of = [&](std::initializer_list<const char *> words) { return std::any_of(words.begin(), words.end(), [&](const char *word) { return name.starts_with(word); }); };
    if (part == ScenePart::CLOTH) return of({"cloth.", "grid.", "layers.", "levels.", "threads.", "folds.", "solver."});
    if (part == ScenePart::SKIN) return name == "body.vertices" || of({"skin.", "hands.", "tips."});
    return name == "cloth.triangles" || of({"body.", "held.", "repair.", "start.", "walk.", "joints."});
}

// what letters stand for so far
class Letters {
  public:
    // whether a shape fits the letters, which become known
    bool fits(const char *shape, const std::vector<std::size_t> &is) {
        std::size_t k = 0;
        for (const char *c = shape; *c; ++c) {
            if (*c == ',') continue;
            if (k == is.size()) return false;
            std::size_t wanted = 0;
            if (*c >= '0' && *c <= '9') {
                for (; *c >= '0' && *c <= '9'; ++c) wanted = 10 * wanted + static_cast<std::size_t>(*c - '0');
                --c;
            } else {
                wanted = known_.try_emplace(*c, is[k]).first->second;
            }
            if (is[k++] != wanted) return false;
        }
        return k == is.size();
    }
    std::size_t operator[](char letter) const {
        const auto found = known_.find(letter);
        return found == known_.end() ? 0 : found->second;
    }

  private:
    std::map<char, std::size_t> known_;
};

std::string wrong_values(const SceneField &f, const NamedArray &a, const Letters &letters) {
    const std::string name = f.name;
    if (f.type == REAL) {
        if (!all_finite(a.numbers(), a.size())) return name + " holds NaN or infinite numbers";
        for (std::size_t i = 0; i < a.size(); ++i)
            if (a.numbers()[i] < f.low || a.numbers()[i] > f.high) return name + " holds a number beyond what it may be";
        return {};
    }
    const std::int64_t end = *f.below ? static_cast<std::int64_t>(letters[*f.below]) : std::int64_t{INT32_MAX} + 1;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a.ints()[i] < f.least || a.ints()[i] >= end) return name + " holds " + std::to_string(a.ints()[i]) + ", which names nothing that there is";
    return {};
}

// what the table cannot say
std::string wrong_cloth(const NamedArrays &arrays) {
    const auto whole_of = [&](const char *name) { return arrays.find(name)->ints()[0]; };
    const std::size_t n = arrays.find("cloth.order")->size();
    if (n == 0 || n > 4'000'000) return "cloth.order: a cloth has 1 to 4 million particles";
    std::vector<bool> taken(n);
    for (std::size_t k = 0; k < n; ++k) {
        const auto p = static_cast<std::size_t>(arrays.find("cloth.order")->ints()[k]);
        if (taken[p]) return "cloth.order must name each particle once";
        taken[p] = true;
    }
    if (whole_of("solver.levels") > 8) return "solver.levels: there are 0 to 8 levels";
    if (whole_of("solver.contact_queries") > 1000) return "solver.contact_queries: at most 1000";
    const NamedArray *weights = arrays.find("cloth.triangle_weight");
    for (std::size_t t = 0; t < weights->shape[0]; ++t) {
        const double *w = weights->numbers() + 4 * t;
        if (!(std::abs(w[0] * w[3] - w[1] * w[2]) > 1e-30)) return "cloth.triangle_weight: a triangle has no area";
    }
    if (const NamedArray *size = arrays.find("grid.size"); size && static_cast<std::uint64_t>(size->ints()[0]) * static_cast<std::uint64_t>(size->ints()[1]) != n)
        return "grid.size: rows times columns must be the particles";
    // bending stencils that do not run along an edge have a centre each
    const NamedArray *centre = arrays.find("cloth.stencil_centre");
    const std::size_t along = static_cast<std::size_t>(whole_of("cloth.stencils_along")), stencils = centre->size();
    if (along > stencils) return "cloth.stencils_along is more than there are stencils";
    std::vector<bool> has(n);
    for (std::size_t s = 0; s + along < stencils; ++s) {
        const auto p = static_cast<std::size_t>(centre->ints()[s]);
        if (has[p]) return "cloth.stencil_centre: two stencils have one centre";
        has[p] = true;
    }
    return {};
}

std::string wrong_skin(const NamedArrays &arrays) {
    for (const char *name : {"skin.group", "hands.group"})
        if (const NamedArray *group = arrays.find(name))
            for (std::size_t i = 0; i < group->size(); ++i)
                if (group->ints()[i] >= surface::Tree::max_groups) return std::string(name) + ": groups are numbered from 0 to 31";
    if (arrays.find("skin.triangles")->size() == 0) return "skin.triangles: a body has a skin";
    return {};
}

std::string wrong_walk(const NamedArrays &arrays) {
    for (std::size_t i = 0; i < arrays.find("body.thin")->size(); ++i)
        if (arrays.find("body.thin")->ints()[i] >= body::MOST_THIN_LIMBS) return "body.thin: thin limbs are numbered from 0 to 31";
    if (arrays.find("cloth.triangles")->size() == 0) return "cloth.triangles: a cloth that is worn has triangles";
    if (static_cast<std::size_t>(arrays.find("walk.led")->ints()[0]) > arrays.find("repair.label")->size()) return "walk.led is more than there are particles";
    return {};
}

std::span<const std::int32_t> ints(const NamedArrays &arrays, std::string_view name) {
    const NamedArray *a = arrays.find(name);
    return a ? std::span{a->ints(), a->size()} : std::span<const std::int32_t>{};
}
std::span<const double> numbers(const NamedArrays &arrays, std::string_view name) {
    const NamedArray *a = arrays.find(name);
    return a ? std::span{a->numbers(), a->size()} : std::span<const double>{};
}
template <std::size_t N>
std::array<double, N> few(const NamedArrays &arrays, std::string_view name) {
    std::array<double, N> r{};
    std::copy_n(numbers(arrays, name).data(), N, r.begin());
    return r;
}

SolverSettings settings_of(const NamedArrays &a) {
    const auto real = [&](const char *name) { return numbers(a, name)[0]; };
    const auto whole = [&](const char *name) { return ints(a, name)[0]; };
    SolverSettings s;
    s.longest = real("solver.longest"), s.worn = real("solver.worn"), s.shortest = real("solver.shortest"), s.resting = real("solver.resting");
    s.hanging = real("solver.hanging"), s.stretch = real("solver.stretch"), s.buckling = real("solver.buckling"), s.substep = real("solver.substep");
    s.levels = whole("solver.levels"), s.head_start = real("solver.head_start"), s.compression = real("solver.compression"), s.evening = real("solver.evening");
    s.contact_queries = whole("solver.contact_queries"), s.self_collision = whole("solver.self_collision") != 0;
    s.cloth_radius = real("solver.cloth_radius"), s.apart = real("solver.apart"), s.drag = real("solver.drag"), s.speed_limit = real("solver.speed_limit");
    return s;
}
}  // namespace

std::span<const SceneField> scene_fields() { return FIELDS; }

std::string check_scene(const NamedArrays &arrays, ScenePart part) {
    Letters letters;
    std::map<std::string_view, bool> groups;
    for (const SceneField &f : FIELDS) {
        if (!belongs_to(part, f.name)) continue;
        const NamedArray *a = arrays.find(f.name);
        if (!*f.group && !a) return std::string("the scene lacks ") + f.name;
        if (*f.group && groups.try_emplace(f.group, a != nullptr).first->second != (a != nullptr)) return std::string(f.name) + " must be there with what belongs to it, or nothing of it";
        if (!a) continue;
        if (a->type != f.type) return std::string(f.name) + (f.type == INT ? " must hold whole numbers of 32 bits" : " must hold numbers of 64 bits");
        if (!letters.fits(f.shape, a->shape)) return std::string(f.name) + " must have the shape " + f.shape + " that goes with the other arrays";
    }
    for (const SceneField &f : FIELDS)
        if (const NamedArray *a = arrays.find(f.name); a && belongs_to(part, f.name))
            if (std::string wrong = wrong_values(f, *a, letters); !wrong.empty()) return wrong;
    std::string wrong;
    const bool all = part == ScenePart::ALL;
    if (all || part == ScenePart::CLOTH) wrong = wrong_cloth(arrays);
#if defined(__wasm__)
    if (wrong.empty() && all && ints(arrays, "solver.double")[0]) wrong = "the scene wants double precision, which pages do not have";
#endif
    if (wrong.empty() && (all || part == ScenePart::SKIN)) wrong = wrong_skin(arrays);
    if (wrong.empty() && (all || part == ScenePart::WALK)) wrong = wrong_walk(arrays);
    return wrong;
}

SolverModel solver_model(const NamedArrays &a) {
    SolverModel m;
    m.settings = settings_of(a);
    m.cloth = {ints(a, "cloth.order"), numbers(a, "cloth.inverse_mass"), numbers(a, "cloth.drag"), numbers(a, "cloth.thickness"), numbers(a, "cloth.friction"),
               ints(a, "cloth.triangles"), numbers(a, "cloth.triangle_weight"), numbers(a, "cloth.triangle_stiffness"), ints(a, "cloth.stencils"),
               numbers(a, "cloth.stencil_weight"), numbers(a, "cloth.stencil_stiffness"), ints(a, "cloth.stencil_centre"),
               static_cast<std::size_t>(ints(a, "cloth.stencils_along")[0]), ints(a, "cloth.seams"), numbers(a, "cloth.seam_rest")};
    // so many particles and stencils are counted by 16 bits, at most as many as these can
    const auto most = std::min<std::size_t>(static_cast<std::size_t>(ints(a, "solver.few")[0]), 65'000);
    const bool few_enough = m.cloth.order.size() + m.cloth.stencils_along <= most;
    m.kind = ints(a, "solver.double")[0] ? cloth::Kind::DOUBLE : few_enough ? cloth::Kind::SMALL : cloth::Kind::FLOAT;
    if (const auto size = ints(a, "grid.size"); !size.empty())
        m.grid = {size[0], size[1], few<2>(a, "grid.cell"), few<3>(a, "grid.stiffness"), few<2>(a, "grid.bend"), few<2>(a, "grid.reach"), ints(a, "grid.stencil_of"), ints(a, "grid.alternate")[0] != 0};
    if (const auto label = ints(a, "layers.label"); !label.empty() && m.settings.self_collision)
        m.layers = {m.cloth.triangles, label, ints(a, "layers.layer"), numbers(a, "layers.friction"), numbers(a, "layers.thickness")};
    m.levels = {m.cloth.triangles, numbers(a, "levels.corner"), ints(a, "levels.panel"), ints(a, "levels.flat"), m.settings.levels, numbers(a, "levels.worn")};
    m.long_threads = {ints(a, "threads.pairs"), numbers(a, "threads.rest")};
    m.folds = {ints(a, "folds.particle"), numbers(a, "folds.curvature"), ints(a, "folds.triangles")};
    return m;
}

SkinModel skin_model(const NamedArrays &a) {
    SkinModel m;
    m.rest = numbers(a, "body.vertices");
    m.skin = {ints(a, "skin.triangles"), ints(a, "skin.group"), numbers(a, "skin.grip")};
    m.hand_proxy = {ints(a, "hands.triangles"), ints(a, "hands.group"), numbers(a, "hands.grip")};
    // without groups a surface has one
    if (m.skin.group.empty()) m.hand_proxy.group = {};
    m.watched = ints(a, "hands.watched"), m.apart = numbers(a, "hands.apart");
    m.raised = ints(a, "tips.vertex"), m.rise = numbers(a, "tips.rise"), m.raised_tip = ints(a, "tips.tip"), m.tip_frame = ints(a, "tips.frame");
    m.radius = numbers(a, "skin.radius")[0];
    return m;
}

RepairModel repair_model(const NamedArrays &a) { return {ints(a, "cloth.triangles"), ints(a, "repair.layer"), ints(a, "repair.label"), numbers(a, "repair.sides")}; }

WalkerModel walker_model(const NamedArrays &a) {
    WalkerModel m;
    m.start = numbers(a, "start.position"), m.edge = numbers(a, "walk.edge")[0];
    m.skin_rest = numbers(a, "body.vertices"), m.skin_limb = ints(a, "body.limb"), m.thin_limb = ints(a, "body.thin");
    m.held = {ints(a, "held.particle"), ints(a, "held.corners"), numbers(a, "held.local")};
    m.led_count = static_cast<std::size_t>(ints(a, "walk.led")[0]);
    m.cloth = repair_model(a), m.repair = ints(a, "repair.on")[0] != 0;
    if (const auto rest = numbers(a, "joints.rest"); !rest.empty())
        m.rest_frames = rest, m.weight_joint = ints(a, "joints.vertex"), m.weight = numbers(a, "joints.weight"), m.dual = ints(a, "joints.dual")[0] != 0;
    return m;
}

}  // namespace frame
