#include "bind.h"
#include "cloth/colouring.h"

namespace {
nb::ndarray<nb::numpy, std::int32_t> colour_of_each(In<std::int32_t, -1, -1> constraints, std::size_t vertex_count) {
    const std::size_t count = constraints.shape(0);
    if (!all_name_one_or_none(constraints.data(), constraints.size(), vertex_count)) throw std::out_of_range("a constraint names a vertex that does not exist");
    return own(colour(constraints.data(), count, constraints.shape(1), vertex_count), {count});
}
}  // namespace

void bind_colouring(nb::module_ &m) {
    m.def("colour", &colour_of_each, nb::arg("constraints"), nb::arg("vertex_count"),
          "Return a colour per constraint (c, k); constraints of one colour share no vertex. -1: no vertex.");
}
