#include "bind.h"
#include "geometry/raster.h"

namespace {

void require_size(int width, int height) {
    require(width > 0 && height > 0 && width <= 32768 && height <= 32768, "a picture has 1 to 32768 pixels a side");
}

auto visible(Points points, Triangles triangles, int width, int height, bool farthest, int cull) {
    require_size(width, height);
    require_indices(triangles, points.shape(0), "a triangle names a point that does not exist");
    const std::size_t h = height, w = width;
    std::vector<std::int32_t> ids(h * w);
    std::vector<float> depth(h * w);
    {
        nb::gil_scoped_release free_python;
        raster::draw({view(points), view(triangles)}, farthest, {width, height, cull, ids.data(), depth.data()});
    }
    return std::make_tuple(own(std::move(ids), {h, w}), own(std::move(depth), {h, w}));
}

nb::ndarray<nb::numpy, float> pixel_weights(Indices pixel, Indices id, Points points, Triangles triangles, Numbers inverse_w, int width, int height) {
    require_size(width, height);
    const std::size_t count = pixel.shape(0), n = points.shape(0);
    require(id.shape(0) == count, "one triangle per pixel");
    require(inverse_w.shape(0) == n || inverse_w.shape(0) == 0, "one 1/w per point, or none");
    require_indices(triangles, n, "a triangle names a point that does not exist");
    require_indices(id, triangles.shape(0), "a pixel names a triangle that does not exist");
    require_indices(pixel, static_cast<std::size_t>(width) * height, "a pixel lies outside the picture");
    std::vector<float> weights(2 * count);
    {
        nb::gil_scoped_release free_python;
        raster::pixel_weights({view(points), view(triangles)}, {width, height, view(pixel), view(id)}, inverse_w.shape(0) ? inverse_w.data() : nullptr,
                              weights.data());
    }
    return own(std::move(weights), {count, 2});
}

nb::ndarray<nb::numpy, float> mix(Indices id, In<float, -1, 2> weights, Triangles triangles, In<float, -1, -1> values) {
    const std::size_t count = id.shape(0), k = values.shape(1);
    require(weights.shape(0) == count, "one pair of shares per pixel");
    require_indices(triangles, values.shape(0), "a triangle names a point that does not exist");
    require_indices(id, triangles.shape(0), "a pixel names a triangle that does not exist");
    std::vector<float> out(count * k);
    {
        nb::gil_scoped_release free_python;
        raster::mix(view(id), weights.data(), view(triangles), {values.data(), k}, out.data());
    }
    return own(std::move(out), {count, k});
}

nb::ndarray<nb::numpy, float> unhidden(In<float, -1, -1> depth, Points points, double bias) {
    const std::size_t n = points.shape(0);
    std::vector<float> out(n);
    {
        nb::gil_scoped_release free_python;
        raster::unhidden({depth.data(), static_cast<int>(depth.shape(1)), static_cast<int>(depth.shape(0))}, view(points), bias, out.data());
    }
    return own(std::move(out), {n});
}

}  // namespace

void bind_raster(nb::module_ &m) {
    m.def("visible", &visible, nb::arg("points"), nb::arg("triangles"), nb::arg("width"), nb::arg("height"),
          nb::arg("farthest") = false, nb::arg("cull") = 0,
          "triangle (-1: none) and depth seen at each pixel; points are x, y in pixels (y down) and depth; cull 1 keeps "
          "triangles that are counter-clockwise to the viewer, -1 the others");
    m.def("pixel_weights", &pixel_weights, nb::arg("pixel"), nb::arg("id"), nb::arg("points"), nb::arg("triangles"),
          nb::arg("inverse_w"), nb::arg("width"), nb::arg("height"),
          "shares of corners 1 and 2 of the triangle at each pixel (flat index)");
    m.def("mix", &mix, nb::arg("id"), nb::arg("weights"), nb::arg("triangles"), nb::arg("values"),
          "point values interpolated at pixels");
    m.def("unhidden", &unhidden, nb::arg("depth"), nb::arg("points"), nb::arg("bias"),
          "shadow look-up: share of the depth map round each point that lies not before it");
}
