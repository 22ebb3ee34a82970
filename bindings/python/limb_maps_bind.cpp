#include "bind.h"
#include "contact/limb_maps.h"

namespace {
using map_lookup::kValues;

void make(PartMaps *where, Triangles triangles, Indices triangle_part, int part_count, std::size_t vertex_count, Triangles behind,
          Indices behind_part) {
    require(part_count > 0 && part_count <= 256, "1 to 256 parts");
    require(triangle_part.shape(0) == triangles.shape(0) && behind_part.shape(0) == behind.shape(0), "one part per triangle");
    require(vertex_count < (std::size_t{1} << 31), "too many vertices");
    for (const Triangles &t : {triangles, behind}) require_indices(t, vertex_count, "a triangle names a vertex that does not exist");
    for (const Indices &p : {triangle_part, behind_part}) require_indices(p, part_count, "a triangle names a part that does not exist");
    new (where) PartMaps({view(triangles), view(triangle_part)}, {view(behind), view(behind_part)}, part_count, vertex_count);
}

void set_options(PartMaps &maps, double pixel, double tolerance, double reach, double silhouette, int rim, bool refine, bool by_depth) {
    require(pixel > 1e-5 && pixel < 1, "a pixel has a side between 0.01 mm and 1 m");
    require(reach > 0 && reach < 1 && tolerance >= 0 && tolerance < 1 && silhouette >= 0 && silhouette < 1,
            "reach, tolerance and silhouette are lengths below 1 m");
    require(rim >= 0 && rim <= 16, "0 to 16 pixels of rim");
    maps.set_options({pixel, tolerance, reach, silhouette, rim, refine, by_depth});
}

void pose(PartMaps &maps, Points vertices, Points velocity, In<double, -1, 4, 3> frames) {
    require(vertices.shape(0) == maps.vertex_count() && velocity.shape(0) == maps.vertex_count(), "wrong number of vertices");
    require(frames.shape(0) == maps.part_count(), "one frame per part");
    nb::gil_scoped_release free_python;
    maps.pose(view(vertices), view(velocity), frames.data());
}

void draw(PartMaps &maps, Flags wanted) {
    require(wanted.shape(0) == maps.part_count(), "one flag per part");
    bool done;
    {
        nb::gil_scoped_release free_python;
        done = maps.draw(view(wanted));
    }
    require(done, "a part needs more than 4096 pixels a side: choose larger pixels");
}

nb::ndarray<nb::numpy, bool> touched(const PartMaps &maps, Points points, std::size_t every) {
    require(every > 0, "every must be at least 1");
    std::vector<char> found;
    {
        nb::gil_scoped_release free_python;
        found = maps.touched(view(points), every);
    }
    auto flags = std::make_unique<bool[]>(found.size());
    std::copy(found.begin(), found.end(), flags.get());
    return own(std::move(flags), {found.size()});
}

auto arrays(ContactList &&found) {
    const std::size_t c = found.size();
    return std::make_tuple(own(std::move(found.particle), {c}), own(std::move(found.gap), {c}), own(std::move(found.normal), {c, 3}),
                          own(std::move(found.velocity), {c, 3}));
}

auto look_up(const PartMaps &maps, Points points, bool cull) {
    PartMaps::Contacts found;
    {
        nb::gil_scoped_release free_python;
        found = maps.look_up(view(points), cull);
    }
    const std::size_t c = found.size();
    auto part = own(std::move(found.part), {c});
    return std::tuple_cat(arrays(std::move(found)), std::make_tuple(part));
}

nb::ndarray<nb::numpy, double> boxes(const PartMaps &maps) { return own(maps.boxes(), {maps.part_count(), 2, 3}); }

auto texels(const PartMaps &maps, int part) {
    require(part >= 0 && part < static_cast<int>(maps.part_count()), "no such part");
    require(maps.drawn(part), "the part has not been drawn");
    const map_lookup::View map = maps.map(part);
    const std::size_t h = map.height, w = map.width;
    std::vector<float> copy(map.pixel, map.pixel + h * w * 2 * kValues);
    return std::make_tuple(map.left, map.top, own(std::move(copy), {h, w, 2, std::size_t(kValues)}));
}

auto look_up_one(Points points, In<float, -1, -1, 2, kValues> texels, double left, double top, double pixel, double reach, double silhouette,
                      bool refine, bool by_depth) {
    require(pixel > 0 && reach > 0, "pixel and reach must be positive");
    ContactList found;
    {
        nb::gil_scoped_release free_python;
        const map_lookup::View map{static_cast<int>(texels.shape(1)), static_cast<int>(texels.shape(0)), left, top, texels.data()};
        found = look_up_map(view(points), map, {pixel, 0, reach, silhouette, 0, refine, by_depth});
    }
    return arrays(std::move(found));
}

}  // namespace

void bind_limb_maps(nb::module_ &m) {
    nb::class_<PartMaps>(m, "PartMaps", "Front and back maps of parts of a body. Not to be posed or drawn while being asked.")
        .def("__init__", &make, nb::arg("triangles"), nb::arg("triangle_part"), nb::arg("part_count"), nb::arg("vertex_count"),
             nb::arg("behind"), nb::arg("behind_part"),
             "behind: skin of neighbours, that a part shows where only one of its cameras sees skin of its own")
        .def("set_options", &set_options, nb::arg("pixel"), nb::arg("tolerance"), nb::arg("reach"),
             nb::arg("silhouette"), nb::arg("rim"), nb::arg("refine"), nb::arg("by_depth") = false)
        .def("pose", &pose, nb::arg("vertices"), nb::arg("velocity"), nb::arg("frames"),
             "frames (parts, 4, 3): x, y, z axes in the world, origin; y is up in the maps, the front camera looks along -z")
        .def("draw", &draw, nb::arg("wanted"), "draws the wanted parts that are not drawn yet for this pose")
        .def("touched", &touched, nb::arg("points"), nb::arg("every") = 1,
             "parts whose box, widened by reach, holds one of the points (of every n-th)")
        .def("look_up", &look_up, nb::arg("points"), nb::arg("cull") = true,
             "-> particle (c,), gap (c,), normal (c, 3), velocity (c, 3), part (c,); particles ascend, then parts")
        .def("boxes", &boxes, "lowest and highest corner in each part's frame, (parts, 2, 3)")
        .def("texels", &texels, nb::arg("part"),
             "-> left [m], top [m], (h, w, side, 8): normal, offset, depth (infinite: unseen), velocity; side 0 is the front")
        .def_prop_ro("part_count", &PartMaps::part_count);
    m.def("look_up_map", &look_up_one, nb::arg("points"), nb::arg("texels"), nb::arg("left"), nb::arg("top"), nb::arg("pixel"), nb::arg("reach"),
          nb::arg("silhouette"), nb::arg("refine"), nb::arg("by_depth") = false,
          "-> particle (c,), gap (c,), normal (c, 3), velocity (c, 3) from a map that texels() returned");
}
