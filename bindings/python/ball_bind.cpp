#include "bind.h"
#include "contact/ball.h"
#include "contact/obstacles.h"

namespace {
auto contacts(Points position, Vector3 centre, double radius, double reach) {
    ContactList found;
    {
        nb::gil_scoped_release free_python;
        found = ball_contacts(view(position), surface::load(centre.data()), radius, reach);
    }
    const std::size_t count = found.size();
    return std::make_tuple(own(std::move(found.particle), {count}), own(std::move(found.gap), {count}), own(std::move(found.normal), {count, 3}));
}
}  // namespace

void bind_ball(nb::module_ &m) {
    nb::class_<Ball>(m, "Ball", "A ball that the engine asks by itself.")
        .def("__init__", [](Ball *where, Vector3 centre, double radius, double reach, Vector3 velocity) {
                new (where) Ball{surface::load(centre.data()), surface::load(velocity.data()), radius, reach};
            }, nb::arg("centre"), nb::arg("radius"), nb::arg("reach"), nb::arg("velocity"));
    m.def("ball_contacts", &contacts, nb::arg("position"), nb::arg("centre"), nb::arg("radius"), nb::arg("reach"),
          "-> particle (c,), gap [m], (c,), normal (c, 3)");
}
