#include "contact/skin_search.h"

#include <algorithm>

#include "core/threads.h"
#include "geometry/bvh_closest.h"

namespace surface {
namespace {
void reserve(SkinContacts &found, std::size_t total, bool triangles) {
    found.particle.take(total), found.triangle.take(triangles ? total : 0), found.gap.take(total), found.normal.take(3 * total), found.velocity.take(3 * total);
}
}  // namespace

SkinContacts find_contacts(const Tree &tree, const AskingPoints &points, double radius, const double *velocity, const EarlierContacts *earlier) {
    struct Contact {
        std::int32_t triangle;
        double gap;
        Vec3 normal, velocity;
    };
    const auto record = [&](const Hit &hit) { return Contact{hit.triangle, hit.gap, hit.normal, speed_at(tree, hit, velocity)}; };
    const FollowedPoints followed(earlier ? *earlier : EarlierContacts{}, earlier ? points.count : 0);
    GroupedSearch<Contact> all(tree, points, radius, record, earlier ? &followed : nullptr);
    SkinContacts found;
    reserve(found, all.total(), true);
    all.each([&](std::size_t c, std::int32_t i, const Contact &one) {
        found.particle[c] = i, found.triangle[c] = one.triangle, found.gap[c] = one.gap;
        store(&found.normal[3 * c], one.normal), store(&found.velocity[3 * c], one.velocity);
    });
    found.hint = std::move(all.hint);
    return found;
}

SkinContacts find_sides(const Tree &tree, const double *points, std::size_t count, double radius, const double *velocity) {
    constexpr std::size_t many = 64;  // points that a thread asks for in one go
    const std::size_t parts = (count + many - 1) / many;
    std::vector<std::vector<Hit>> hits(parts);
    std::vector<std::size_t> end(count);  // of each point's, among those of its part
    for_ranges(parts, SERIAL_POINTS / many, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first * many; i < std::min(count, last * many); ++i) {
            tree.sides(load(points + 3 * i), radius, hits[i / many]);
            end[i] = hits[i / many].size();
        }
    });
    std::size_t total = 0;
    for (const auto &part : hits) total += part.size();
    SkinContacts found;
    reserve(found, total, false);
    std::size_t c = 0;
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t k = i % many ? end[i - 1] : 0; k < end[i]; ++k, ++c) {
            const Hit &hit = hits[i / many][k];
            found.particle[c] = static_cast<std::int32_t>(i), found.gap[c] = hit.gap;
            store(&found.normal[3 * c], hit.normal), store(&found.velocity[3 * c], speed_at(tree, hit, velocity));
        }
    return found;
}

Vec3 mean_of_rows(const double *rows, std::size_t count) {
    double sum[12] = {};
    for (std::size_t i = 0; i < count / 4; ++i)
        for (int k = 0; k < 12; ++k) sum[k] += rows[12 * i + k];
    for (std::size_t i = count / 4 * 4; i < count; ++i)
        for (int k = 0; k < 3; ++k) sum[k] += rows[3 * i + k];
    const double part = count ? 1.0 / static_cast<double>(count) : 0.0;
    const auto all = [&](int k) { return part * (sum[k] + sum[k + 3] + (sum[k + 6] + sum[k + 9])); };
    return {all(0), all(1), all(2)};
}

}  // namespace surface
