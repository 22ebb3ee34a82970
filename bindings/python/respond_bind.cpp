#include "bind.h"
#include "contact/respond.h"

namespace {
auto respond_to(Points position, Points velocity, Indices particle, Numbers gap, Points normal, Points skin, Numbers thickness, Numbers friction,
                     double dt) {
    const std::size_t n = position.shape(0), c = particle.size();
    require(velocity.shape(0) == n && thickness.size() == n && friction.size() == n, "one velocity, thickness and friction per particle");
    require(gap.size() == c && normal.shape(0) == c && skin.shape(0) == c, "one gap, normal and velocity per contact");
    require_indices(particle, n, "a contact names a particle that does not exist");
    for (std::size_t i = 1; i < c; ++i) require(particle.data()[i - 1] <= particle.data()[i], "contacts must ascend by particle");
    std::vector<double> x(position.data(), position.data() + 3 * n), v(velocity.data(), velocity.data() + 3 * n);
    {
        nb::gil_scoped_release free_python;
        respond({view(particle), view(gap), view(normal), view(skin)}, {view(thickness), view(friction)}, dt, x.data(), v.data());
    }
    return std::make_tuple(own(std::move(x), {n, 3}), own(std::move(v), {n, 3}));
}
}  // namespace

void bind_respond(nb::module_ &m) {
    m.def("respond", &respond_to, nb::arg("position"), nb::arg("velocity"), nb::arg("particle"), nb::arg("gap"), nb::arg("normal"),
          nb::arg("skin_velocity"), nb::arg("thickness"), nb::arg("friction"), nb::arg("dt"), "-> position, velocity after contact");
}
