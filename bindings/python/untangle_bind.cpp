// Untangling for Python.
#include <cmath>

#include "bind.h"
#include "contact/untangle.h"
#include "core/checks.h"

namespace {
using namespace surface;

nb::dict run(Untangler &untangler, Out<double, -1, 3> position, std::optional<In<double, -1>> inverse_mass,
             const Tree *body, int rounds, double step, double reach) {
    const std::size_t n = untangler.particle_count();
    require(position.shape(0) == n, "position must have one row per particle");
    require(!inverse_mass || inverse_mass->shape(0) == n, "inverse_mass must have one value per particle");
    require(rounds >= 0 && step > 0 && reach > 0, "rounds, step and reach must be positive");
    require(all_finite(position.data(), position.size()), "positions hold NaN or infinite numbers");
    UntangleReport r;
    {
        nb::gil_scoped_release release;
        r = untangler.run(position.data(), inverse_mass ? inverse_mass->data() : nullptr, body, {rounds, step, reach});
    }
    std::vector<std::int32_t> left;
    for (const auto [a, b] : r.left) left.push_back(a), left.push_back(b);
    nb::dict report;
    report["left"] = own(std::move(left), {r.left.size(), 2});
    report["rounds"] = r.rounds;
    report["body_before"] = r.body_before, report["body_after"] = r.body_after;
    report["cloth_before"] = r.cloth_before, report["cloth_after"] = r.cloth_after;
    report["moved"] = r.moved;
    return report;
}
}  // namespace

void bind_untangle(nb::module_ &m) {
    nb::class_<Untangler>(m, "Untangler", "Moves crossing cloth apart. Not to be used by two threads at once.")
        .def("__init__", [](Untangler *where, Triangles triangles, Points position, std::optional<In<std::int32_t, -1>> layer,
                            std::optional<In<std::int32_t, -1>> label, std::optional<In<double, -1, 3>> rest) {
                require_indices(triangles, position.shape(0), "a triangle names a particle that does not exist");
                require(!layer || layer->shape(0) == triangles.shape(0), "layer must have one value per triangle");
                if (label) {
                    require(label->shape(0) == position.shape(0), "label must have one value per particle");
                    require_indices(*label, position.shape(0), "labels are particle numbers");
                }
                if (rest) {
                    require(rest->shape(0) == triangles.shape(0), "rest must have one row per triangle");
                    require(all_finite(rest->data(), rest->size()), "rest lengths hold NaN or infinite numbers");
                }
                for (std::size_t i = 0; i < position.size(); ++i)
                    require(std::abs(position.data()[i]) < 1e15, "positions hold NaN or infinite numbers");
                new (where) Untangler(triangles.data(), triangles.shape(0), position.data(), position.shape(0),
                                      layer ? layer->data() : nullptr, label ? label->data() : nullptr, rest ? rest->data() : nullptr);
            }, nb::arg("triangles"), nb::arg("position"), nb::arg("layer").none() = nb::none(),
             nb::arg("label").none() = nb::none(), nb::arg("rest").none() = nb::none())
        .def("run", &run, nb::arg("position"), nb::arg("inverse_mass").none() = nb::none(), nb::arg("body").none() = nb::none(),
             nb::arg("rounds") = 12, nb::arg("step") = 0.001, nb::arg("reach") = 0.015,
             "moves position (n, 3) in place -> {rounds, body_before, body_after, cloth_before, cloth_after, moved, "
             "left: pairs of triangles that still cross (k, 2), (t, t): one that crosses the skin}");
}
