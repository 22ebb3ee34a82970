// How far the skin near a cloth moves, for Python.
#include "bind.h"
#include "body/skin_travel.h"

namespace {
nb::tuple skin_travel(Points before, Points after, In<std::int32_t, -1> limb, In<std::int32_t, -1> thin, Points position, Points velocity, double dt, double near) {
    const std::size_t n = before.shape(0);
    require(after.shape(0) == n && limb.size() == n, "before, after and limb need one row per skin vertex");
    require(position.shape(0) == velocity.shape(0) && position.shape(0) > 0, "position and velocity need one row per particle");
    require(dt > 0, "dt must be positive");
    require_indices(limb, thin.size(), "a skin vertex names a limb that does not exist");
    for (std::size_t k = 0; k < thin.size(); ++k) require(thin(k) >= -1 && thin(k) < body::MOST_THIN_LIMBS, "thin limbs are numbered from 0 to 31");
    auto speed = std::make_unique_for_overwrite<double[]>(3 * n);
    body::SkinTravel found;
    {
        nb::gil_scoped_release release;
        found = body::skin_travel({n, before.data(), after.data(), limb.data(), thin.data(), position.shape(0), position.data(), velocity.data()}, dt, near, speed.get());
    }
    const std::size_t boxes = found.boxes.size() / 6;
    return nb::make_tuple(found.broad, found.thin, own(std::move(speed), {n, 3}), own(std::move(found.boxes), {boxes, 2, 3}));
}

nb::tuple mean_squares(Points rows) {
    const auto [all, own_] = body::mean_squares(rows.data(), rows.shape(0));
    return nb::make_tuple(all, own_);
}
}  // namespace

void bind_skin_travel(nb::module_ &m) {
    m.def("skin_travel", &skin_travel, nb::arg("before"), nb::arg("after"), nb::arg("limb"), nb::arg("thin"), nb::arg("position"),
          nb::arg("velocity"), nb::arg("dt"), nb::arg("near"),
          "-> how far skin near the cloth moves against the cloth's median motion [m]: of broad limbs (thin[limb] -1), of thin ones; "
          "velocity of the skin (n, 3) [m/s]; boxes (k, 2, 3), low and high corner, of cloth that may come near thin limbs");
    m.def("mean_squares", &mean_squares, nb::arg("rows"), "-> mean of the squared lengths of rows (n, 3), and of their distances from the mean row");
}
