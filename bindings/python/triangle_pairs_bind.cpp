// Exact tests of triangles for Python.
#include <algorithm>

#include "bind.h"
#include "geometry/triangle_pairs.h"

namespace {
using namespace surface;

nb::tuple listed(const std::vector<TrianglePair> &pairs, std::size_t limit) {
    const std::size_t n = std::min(pairs.size(), limit);
    std::vector<std::int32_t> flat(2 * n);
    for (std::size_t i = 0; i < n; ++i) flat[2 * i] = pairs[i].a, flat[2 * i + 1] = pairs[i].b;
    return nb::make_tuple(pairs.size(), own(std::move(flat), {n, 2}));
}

nb::tuple pairs_between(const Tree &a, const Tree &b, std::size_t limit) {
    std::vector<TrianglePair> pairs;
    {
        nb::gil_scoped_release release;
        pairs = meeting_pairs(a, b);
    }
    return listed(pairs, limit);
}

nb::tuple pairs_within(const Tree &tree, std::optional<In<std::int32_t, -1>> label, std::size_t limit) {
    require(!label || label->shape(0) == tree.vertex_count(), "label must have one value per vertex");
    std::vector<TrianglePair> pairs;
    {
        nb::gil_scoped_release release;
        pairs = meeting_pairs_self(tree, label ? label->data() : nullptr);
    }
    return listed(pairs, limit);
}

bool pair_meets(In<double, 3, 3> s, In<double, 3, 3> t) {
    Vec3 a[3], b[3];
    for (int k = 0; k < 3; ++k) a[k] = load(s.data() + 3 * k), b[k] = load(t.data() + 3 * k);
    return triangles_meet(a, b);
}
}  // namespace

void bind_triangle_pairs(nb::module_ &m) {
    m.def("triangles_meet", &pair_meets, nb::arg("s"), nb::arg("t"), "do two triangles (3, 3) have a common point? exact");
    m.def("meeting_pairs", &pairs_between, nb::arg("a"), nb::arg("b"), nb::arg("limit") = 100000,
          "-> number of pairs, (k, 2) triangles of tree a and tree b that have a common point, ascending");
    m.def("meeting_pairs_self", &pairs_within, nb::arg("tree"), nb::arg("label").none() = nb::none(),
          nb::arg("limit") = 100000, "-> number of pairs, (k, 2) triangles i < j of one tree that meet where they should not");
}
