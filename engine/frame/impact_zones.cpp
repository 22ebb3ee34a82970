#include "frame/impact_zones.h"

#include <numeric>

#include "core/vector3.h"
#include "geometry/nearest_rotation.h"

namespace frame {
namespace {
using namespace surface;

constexpr std::size_t FEWEST = 3;  // particles of a zone: fewer do not tell how it has turned

// numbers of things that hang together
class Groups {
  public:
    explicit Groups(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), std::int32_t{0}); }
    std::int32_t of(std::int32_t i) {
        while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
        return i;
    }
    // a group has the number of its lowest member
    void link(std::int32_t i, std::int32_t j) {
        i = of(i), j = of(j);
        if (i < j) parent_[j] = i;
        else parent_[i] = j;
    }

  private:
    std::vector<std::int32_t> parent_;
};

// the particles of each zone: what hangs together, is sewn to each other or crosses
std::vector<std::vector<std::int32_t>> pieces(const ZoneCloth &cloth, const Marks &zone, const std::vector<TrianglePair> &crossing) {
    Groups groups(zone.size());
    for (std::size_t t = 0; t < cloth.triangles.size(); t += 3) {
        const std::int32_t *v = &cloth.triangles[t];
        if (zone[v[0]] && zone[v[1]] && zone[v[2]]) groups.link(v[0], v[1]), groups.link(v[1], v[2]);
    }
    for (const auto [a, b] : crossing) groups.link(cloth.triangles[3 * a], cloth.triangles[3 * b]);
    for (std::size_t p = 0; p < zone.size(); ++p) groups.link(static_cast<std::int32_t>(p), cloth.label[p]);
    std::vector<std::int32_t> number(zone.size(), -1);
    std::vector<std::vector<std::int32_t>> all;
    for (std::size_t p = 0; p < zone.size(); ++p) {
        if (!zone[p]) continue;
        std::int32_t &mine = number[groups.of(static_cast<std::int32_t>(p))];
        if (mine < 0) mine = static_cast<std::int32_t>(all.size()), all.emplace_back();
        all[mine].push_back(static_cast<std::int32_t>(p));
    }
    return all;
}

Vec3 mean(const double *rows, const std::vector<std::int32_t> &members) {
    Vec3 sum{0, 0, 0};
    for (const std::int32_t p : members) sum = sum + load(rows + 3 * p);
    const auto count = static_cast<double>(members.size());
    return {sum.x / count, sum.y / count, sum.z / count};
}
}  // namespace

void widen(const ZoneCloth &cloth, const std::vector<TrianglePair> &crossing, Marks &zone) {
    for (const auto [a, b] : crossing)
        for (int k = 0; k < 3; ++k) zone[cloth.triangles[3 * a + k]] = zone[cloth.triangles[3 * b + k]] = 1;
    Marks wider = zone;
    for (std::size_t t = 0; t < cloth.triangles.size(); t += 3) {
        const std::int32_t *v = &cloth.triangles[t];
        if (zone[v[0]] || zone[v[1]] || zone[v[2]]) wider[v[0]] = wider[v[1]] = wider[v[2]] = 1;
    }
    // both sides of a seam, or it would open
    Marks sewn(zone.size(), 0);
    for (std::size_t p = 0; p < zone.size(); ++p)
        if (wider[p]) sewn[cloth.label[p]] = 1;
    for (std::size_t p = 0; p < zone.size(); ++p) zone[p] = sewn[cloth.label[p]];
}

void carry_zones(const ZoneCloth &cloth, const Marks &zone, const std::vector<TrianglePair> &crossing, const double *start, const ClothState &end) {
    for (const std::vector<std::int32_t> &mine : pieces(cloth, zone, crossing)) {
        if (mine.size() < FEWEST) continue;
        const Vec3 middle = mean(start, mine), at = mean(end.position.data(), mine), speed = mean(end.velocity.data(), mine);
        Matrix3 sum{};
        for (const std::int32_t p : mine) {
            const Vec3 from = load(start + 3 * p) - middle, to = load(end.position.data() + 3 * p) - at;
            const double f[3] = {from.x, from.y, from.z}, t[3] = {to.x, to.y, to.z};
            for (int a = 0; a < 3; ++a)
                for (int b = 0; b < 3; ++b) sum[a][b] += f[a] * t[b];
        }
        const Matrix3 rotation = nearest_rotation(sum);
        const auto row = [&](int r, Vec3 v) { return rotation[r][0] * v.x + rotation[r][1] * v.y + rotation[r][2] * v.z; };
        for (const std::int32_t p : mine) {
            if (!cloth.free[p]) continue;
            const Vec3 from = load(start + 3 * p) - middle;
            store(&end.position[3 * p], Vec3{row(0, from), row(1, from), row(2, from)} + at);
            store(&end.velocity[3 * p], speed);
        }
    }
}

}  // namespace frame
