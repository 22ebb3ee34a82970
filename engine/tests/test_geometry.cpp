#include <cstdint>
#include <vector>

#include "check.h"
#include "cloth/colouring.h"
#include "geometry/predicates.h"
#include "geometry/raster.h"

TEST(a_triangle_covers_the_pixels_whose_centres_it_holds) {
    // the lower left half of a square of 8 pixels, 2 m away
    const double points[] = {0, 0, 2, 0, 8, 2, 8, 8, 2};
    const std::int32_t triangle[] = {0, 1, 2};
    std::vector<std::int32_t> ids(64);
    std::vector<float> depth(64);
    raster::draw({{points, 3}, {triangle, 1}}, false, {8, 8, 0, ids.data(), depth.data()});
    int inside = 0;
    for (int row = 0; row < 8; ++row)
        for (int column = 0; column < 8; ++column) {
            const bool seen = ids[8 * row + column] == 0;
            inside += seen;
            if (column < row) CHECK(seen && depth[8 * row + column] == 2.0f);
            if (column > row) CHECK(!seen);
        }
    CHECK(inside == 28 || inside == 36);  // the diagonal belongs to one of two triangles that share it
}

TEST(constraints_of_one_colour_share_no_vertex) {
    std::vector<std::int32_t> pairs;
    for (std::int32_t i = 0; i < 50; ++i)
        for (const std::int32_t step : {1, 7}) pairs.push_back(i), pairs.push_back((i + step) % 50);
    const std::size_t count = pairs.size() / 2;
    const std::vector<std::int32_t> of = colour(pairs.data(), count, 2, 50);
    for (std::size_t a = 0; a < count; ++a)
        for (std::size_t b = a + 1; b < count; ++b)
            if (of[a] == of[b])
                for (const int i : {0, 1})
                    for (const int j : {0, 1}) CHECK(pairs[2 * a + i] != pairs[2 * b + j]);
}

TEST(orientation_is_exact_where_rounding_is_not) {
    // a point off the plane of three others by the last bit of a coordinate
    const surface::Vec3 a{0.1, 0.1, 0.5}, b{1.1, 0.1, 0.5}, c{0.1, 1.1, 0.5};
    const double up = 0.5 + 1.0 / (std::int64_t{1} << 53) * 2;
    CHECK(surface::orient3d(a, b, c, {0.3, 0.3, 0.5}) == 0);
    CHECK(surface::orient3d(a, b, c, {0.3, 0.3, up}) != 0);
}
