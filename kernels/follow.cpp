// Cloth that follows the body: springs in Euler steps over contact planes; see cloth/follow.py.
#include "follow.h"

#include <cmath>
#include <vector>

#include "bind.h"
#include "lanes.h"
#include "pack.h"
#include "team.h"

namespace {

using Numbers = In<double, -1>;
using Vector3 = In<double, 3>;

template <class T>
class FollowCloth {
  public:
    FollowCloth(In<std::int32_t, -1, 2> edges, Numbers rest, Numbers mass, Numbers drag, Numbers friction) {
        const std::size_t n = mass.size();
        require(n > 0 && rest.size() == edges.shape(0), "one rest length per edge");
        require(drag.size() == n && friction.size() == n, "one mass, drag and friction per particle");
        require_indices(edges, n, "an edge names a particle that does not exist");
        for (std::size_t p = 0; p < n; ++p) {
            require(mass.data()[p] > 0, "masses must be positive");
            free_weight_.push_back(static_cast<T>(1 / mass.data()[p]));
            drag_.push_back(static_cast<T>(drag.data()[p])), friction_.push_back(static_cast<T>(friction.data()[p]));
        }
        weight_ = free_weight_;
        packed_ = pack(std::vector<std::int32_t>(edges.data(), edges.data() + edges.size()), 2, n, 1);
        rest_.assign(packed_.source.size(), T(0));
        for (std::size_t i = 0; i < rest_.size(); ++i)
            if (packed_.source[i] >= 0) rest_[i] = static_cast<T>(rest.data()[packed_.source[i]]);
        point_.assign(4 * (n + 2), T(0)), velocity_ = point_, force_ = point_;
    }
    void hold(In<bool, -1> held) {
        require(held.size() == weight_.size(), "one flag per particle");
        for (std::size_t p = 0; p < weight_.size(); ++p) weight_[p] = held.data()[p] ? T(0) : free_weight_[p];
    }
    nb::tuple step(Points position, Points velocity, int steps, double dt, double stiffness, double thickness, Vector3 gravity, Vector3 wind,
                   In<std::int32_t, -1> who, Numbers gap, Points normal, Points skin) {
        const std::size_t n = weight_.size(), c = who.size();
        require(position.shape(0) == n && velocity.shape(0) == n, "position and velocity need one row per particle");
        require(gap.size() == c && normal.shape(0) == c && skin.shape(0) == c, "one gap, normal and velocity per contact");
        require(steps >= 1 && dt > 0, "at least one step of positive length");
        require_indices(who, n, "a contact names a particle that does not exist");
        std::vector<double> x(3 * n), v(3 * n);
        {
            nb::gil_scoped_release free_python;
            // relative to the first particle: float32 is exact to 0.1 µm at arm's length
            const double origin[3] = {position.data()[0], position.data()[1], position.data()[2]};
            for (std::size_t p = 0; p < n; ++p)
                for (int a = 0; a < 3; ++a) {
                    point_[4 * p + a] = static_cast<T>(position.data()[3 * p + a] - origin[a]);
                    velocity_[4 * p + a] = static_cast<T>(velocity.data()[3 * p + a]);
                }
            load_contacts(who, gap, normal, skin);
            const FollowView<T> view{n, packed_.block_count(), point_.data(), velocity_.data(), force_.data(), packed_.index.data(), rest_.data(),
                                     weight_.data(), drag_.data(), friction_.data(), c, who.data(), gap_.data(), start_.data(), normal_.data(), skin_.data()};
            FollowOptions<T> o{steps, static_cast<T>(dt), static_cast<T>(stiffness), static_cast<T>(thickness), {}, {}};
            for (int a = 0; a < 3; ++a) o.gravity[a] = static_cast<T>(gravity.data()[a]), o.wind[a] = static_cast<T>(wind.data()[a]);
            static const bool fast = machine_has_avx2();
            fast ? avx2::follow(view, o) : plain::follow(view, o);
            for (std::size_t p = 0; p < n; ++p)
                for (int a = 0; a < 3; ++a) {
                    const std::size_t i = 3 * p + a;
                    const bool held = weight_[p] == T(0);
                    v[i] = held ? velocity.data()[i] : static_cast<double>(velocity_[4 * p + a]);
                    x[i] = held ? position.data()[i] + steps * dt * v[i] : static_cast<double>(point_[4 * p + a]) + origin[a];
                }
        }
        return nb::make_tuple(own(std::move(x), {n, 3}), own(std::move(v), {n, 3}));
    }

  private:
    void load_contacts(const In<std::int32_t, -1> &who, const Numbers &gap, const Points &normal, const Points &skin) {
        const std::size_t c = who.size();
        gap_.resize(c), start_.resize(3 * c), normal_.resize(3 * c), skin_.resize(3 * c);
        for (std::size_t i = 0; i < c; ++i) {
            gap_[i] = static_cast<T>(gap.data()[i]);
            for (int a = 0; a < 3; ++a) {
                start_[3 * i + a] = point_[4 * static_cast<std::size_t>(who.data()[i]) + a];
                normal_[3 * i + a] = static_cast<T>(normal.data()[3 * i + a]);
                skin_[3 * i + a] = static_cast<T>(skin.data()[3 * i + a]);
            }
        }
    }
    Packed packed_;
    std::vector<T> rest_, weight_, free_weight_, drag_, friction_, point_, velocity_, force_, gap_, start_, normal_, skin_;
};

template <class T>
void bind_kind(nb::module_ &m, const char *name) {
    nb::class_<FollowCloth<T>>(m, name, "Particles and edges as springs; see cloth/follow.py.")
        .def(nb::init<In<std::int32_t, -1, 2>, Numbers, Numbers, Numbers, Numbers>(), nb::arg("edges"), nb::arg("rest"), nb::arg("mass"),
             nb::arg("drag"), nb::arg("friction"))
        .def("hold", &FollowCloth<T>::hold, nb::arg("held"))
        .def("step", &FollowCloth<T>::step, nb::arg("position"), nb::arg("velocity"), nb::arg("steps"), nb::arg("dt"), nb::arg("stiffness"),
             nb::arg("thickness"), nb::arg("gravity"), nb::arg("wind"), nb::arg("who"), nb::arg("gap"), nb::arg("normal"),
             nb::arg("skin_velocity"), "-> position, velocity");
}

}  // namespace

void bind_follow(nb::module_ &m) {
    bind_kind<float>(m, "FollowClothFloat");
    bind_kind<double>(m, "FollowClothDouble");
}
