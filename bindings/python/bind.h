// What all files here share: array aliases, checks, and the list of bind functions.
// <name>_bind.cpp shows one part of the engine to Python: it checks shapes and indices, hands over views, and gives results as arrays.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "core/checks.h"
#include "core/require.h"
#include "core/views.h"

namespace nb = nanobind;

// read-only inputs (row-major, on the CPU); the binding refuses other dtypes and shapes with a TypeError
template <class T, int... N>
using In = nb::ndarray<const T, nb::shape<N...>, nb::c_contig, nb::device::cpu>;
// outputs written in place
template <class T, int... N>
using Out = nb::ndarray<T, nb::shape<N...>, nb::c_contig, nb::device::cpu>;

using Points = In<double, -1, 3>;
using Triangles = In<std::int32_t, -1, 3>;
using IndexPairs = In<std::int32_t, -1, 2>;
using Numbers = In<double, -1>;
using Indices = In<std::int32_t, -1>;
using Flags = In<bool, -1>;
using Vector3 = In<double, 3>;

// the same array as functions of the engine are given it; all lengths but the first are known
template <class T, Py_ssize_t... N>
RowsView<T, (std::size_t{1} * ... * std::size_t(N))> view(const nb::ndarray<const T, nb::shape<-1, N...>, nb::c_contig, nb::device::cpu> &array) {
    return {array.data(), array.shape(0)};
}

template <class Array>
void require_indices(const Array &index, std::size_t count, const char *message) {
    require_indices(index.data(), index.size(), count, message);
}

// a NumPy array that owns its memory
template <class T>
nb::ndarray<nb::numpy, T> own(std::vector<T> &&values, std::initializer_list<std::size_t> shape) {
    auto *kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void *p) noexcept { delete static_cast<std::vector<T> *>(p); });
    return nb::ndarray<nb::numpy, T>(kept->data(), shape, owner);
}

// the same of numbers that were never set to anything else
template <class T>
nb::ndarray<nb::numpy, T> own(std::unique_ptr<T[]> &&values, std::initializer_list<std::size_t> shape) {
    T *kept = values.release();
    nb::capsule owner(kept, [](void *p) noexcept { delete[] static_cast<T *>(p); });
    return nb::ndarray<nb::numpy, T>(kept, shape, owner);
}

void bind_raster(nb::module_ &m);
void bind_follow(nb::module_ &m);
void bind_implicit(nb::module_ &m);
void bind_ellipsoids(nb::module_ &m);
void bind_spring(nb::module_ &m);
void bind_verlet(nb::module_ &m);
void bind_respond(nb::module_ &m);
void bind_ball(nb::module_ &m);
void bind_boxes(nb::module_ &m);
void bind_limb_maps(nb::module_ &m);
void bind_colouring(nb::module_ &m);
void bind_threads(nb::module_ &m);
void bind_bvh(nb::module_ &m);
void bind_triangle_pairs(nb::module_ &m);
void bind_proximity(nb::module_ &m);
void bind_untangle(nb::module_ &m);
void bind_cloth(nb::module_ &m);
void bind_contact(nb::module_ &m);
void bind_walker(nb::module_ &m);
void bind_scene(nb::module_ &m);
void bind_skinning(nb::module_ &m);
void bind_pose(nb::module_ &m);
void bind_skin_travel(nb::module_ &m);
void bind_figure(nb::module_ &m);
