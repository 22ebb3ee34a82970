// Cloth that follows the body: springs in Euler steps over contact planes; see cloth/follow.py.
#include "cloth/follow.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "bind.h"
#include "core/lanes.h"
#include "core/threads.h"

namespace {

using Numbers = In<double, -1>;
using Indices = In<std::int32_t, -1>;
using Vector3 = In<double, 3>;

// particles with as many neighbours side by side, so that blocks of eight need little padding
std::vector<std::int32_t> by_degree(const std::vector<int> &degree) {
    std::vector<std::int32_t> order(degree.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return degree[a] > degree[b]; });
    return order;
}

template <class T>
class FollowCloth {
  public:
    FollowCloth(In<std::int32_t, -1, 2> edges, Numbers rest, Numbers mass, Numbers drag, Numbers friction) {
        const std::size_t n = mass.size();
        require(n > 0 && rest.size() == edges.shape(0), "one rest length per edge");
        require(drag.size() == n && friction.size() == n, "one mass, drag and friction per particle");
        require_indices(edges, n, "an edge names a particle that does not exist");
        for (std::size_t p = 0; p < n; ++p) require(mass.data()[p] > 0, "masses must be positive");
        std::vector<int> degree(n, 0);
        for (std::size_t i = 0; i < edges.size(); ++i) ++degree[edges.data()[i]];
        const std::vector<std::int32_t> order = by_degree(degree);
        place_.resize(n);
        for (std::size_t k = 0; k < n; ++k) place_[order[k]] = static_cast<std::int32_t>(k);
        const std::size_t blocks = (n + LANES - 1) / LANES;
        point_.assign(4 * (LANES * blocks + LANES), T(0)), next_ = point_, velocity_ = point_;
        own_.resize(LANES * blocks), std::iota(own_.begin(), own_.end(), 0);
        weight_.assign(LANES * blocks, T(0)), drag_ = weight_, free_.assign(LANES * blocks, T(0));
        for (std::size_t p = 0; p < n; ++p) {
            weight_[place_[p]] = static_cast<T>(1 / mass.data()[p]), drag_[place_[p]] = static_cast<T>(drag.data()[p]);
            free_[place_[p]] = T(1);
            friction_.push_back(static_cast<T>(friction.data()[p]));
        }
        list_neighbours(edges, rest, blocks);
    }
    void hold(In<bool, -1> held) {
        require(held.size() == place_.size(), "one flag per particle");
        for (std::size_t p = 0; p < place_.size(); ++p) free_[place_[p]] = held.data()[p] ? T(0) : T(1);
    }
    nb::tuple step(Points position, Points velocity, int steps, double dt, double stiffness, double thickness, double near, double share,
                   Vector3 gravity, Vector3 wind, Indices who, Numbers gap, Points normal, Points skin, Numbers grip) {
        const std::size_t n = place_.size(), c = who.size();
        require(position.shape(0) == n && velocity.shape(0) == n, "position and velocity need one row per particle");
        require(gap.size() == c && normal.shape(0) == c && skin.shape(0) == c && grip.size() == c, "one gap, normal, velocity and grip per contact");
        require(steps >= 1 && dt > 0, "at least one step of positive length");
        require_indices(who, n, "a contact names a particle that does not exist");
        std::vector<double> x(3 * n), v(3 * n);
        {
            nb::gil_scoped_release free_python;
            // relative to the first particle: float32 is exact to 0.1 µm at arm's length
            const double origin[3] = {position.data()[0], position.data()[1], position.data()[2]};
            for (std::size_t p = 0; p < n; ++p)
                for (std::size_t a = 0, i = 4 * static_cast<std::size_t>(place_[p]); a < 3; ++a) {
                    point_[i + a] = static_cast<T>(position.data()[3 * p + a] - origin[a]);
                    velocity_[i + a] = static_cast<T>(velocity.data()[3 * p + a]);
                }
            follow_skin(who, gap, skin, grip, near, share);
            load_contacts(who, gap, normal, skin, grip);
            const T *last = run({steps, static_cast<T>(dt), static_cast<T>(stiffness), static_cast<T>(thickness), {}, {}}, gravity, wind);
            for (std::size_t p = 0; p < n; ++p) {
                const std::size_t at = 4 * static_cast<std::size_t>(place_[p]);
                const bool held = free_[place_[p]] == T(0);
                for (std::size_t a = 0, i = 3 * p; a < 3; ++a, ++i) {
                    v[i] = held ? velocity.data()[i] : static_cast<double>(velocity_[at + a]);
                    x[i] = held ? position.data()[i] + steps * dt * v[i] : static_cast<double>(last[at + a]) + origin[a];
                }
            }
        }
        return nb::make_tuple(own(std::move(x), {n, 3}), own(std::move(v), {n, 3}));
    }

  private:
    void list_neighbours(const In<std::int32_t, -1, 2> &edges, const Numbers &rest, std::size_t blocks) {
        struct Link {
            std::int32_t to;
            double rest;
        };
        std::vector<std::vector<Link>> links(LANES * blocks);
        for (std::size_t e = 0; e < edges.shape(0); ++e) {
            const std::int32_t a = place_[edges.data()[2 * e]], b = place_[edges.data()[2 * e + 1]];
            links[a].push_back({b, rest.data()[e]}), links[b].push_back({a, rest.data()[e]});
        }
        slot_begin_.assign(1, 0);
        for (std::size_t b = 0; b < blocks; ++b) {
            std::size_t most = 0;
            for (int l = 0; l < LANES; ++l) most = std::max(most, links[LANES * b + l].size());
            for (std::size_t s = 0; s < most; ++s)
                for (int l = 0; l < LANES; ++l) {
                    const std::size_t p = LANES * b + l;
                    const bool real = s < links[p].size();
                    neighbour_.push_back(real ? links[p][s].to : static_cast<std::int32_t>(p));
                    rest_.push_back(real ? static_cast<T>(links[p][s].rest) : T(0));
                }
            slot_begin_.push_back(slot_begin_.back() + most);
        }
    }
    // Particles near the skin take over a part of its velocity at the nearest contact, the parent's (section 2.4), less where it grips less.
    void follow_skin(const Indices &who, const Numbers &gap, const Points &skin, const Numbers &grip, double near, double share) {
        parent_.assign(place_.size(), -1);
        for (std::size_t i = 0; i < who.size(); ++i) {
            std::int32_t &best = parent_[who.data()[i]];
            if (gap.data()[i] < near && (best < 0 || gap.data()[i] < gap.data()[best])) best = static_cast<std::int32_t>(i);
        }
        for (std::size_t p = 0; p < place_.size(); ++p) {
            if (parent_[p] < 0 || free_[place_[p]] == T(0)) continue;
            T *v = velocity_.data() + 4 * static_cast<std::size_t>(place_[p]);
            const T part = static_cast<T>(share * grip.data()[parent_[p]]);
            for (int a = 0; a < 3; ++a) v[a] += part * (static_cast<T>(skin.data()[3 * static_cast<std::size_t>(parent_[p]) + a]) - v[a]);
        }
    }
    // rounds: the first contact of every particle, then the second of those that have two …
    void load_contacts(const Indices &who, const Numbers &gap, const Points &normal, const Points &skin, const Numbers &grip) {
        rounds_.clear();
        seen_.assign(place_.size(), 0);
        for (std::size_t i = 0; i < who.size(); ++i) {
            const std::int32_t p = who.data()[i];
            if (free_[place_[p]] == T(0)) continue;
            const std::size_t round = static_cast<std::size_t>(seen_[p]++);
            if (rounds_.size() <= round) rounds_.resize(round + 1);
            rounds_[round].push_back(static_cast<std::int32_t>(i));
        }
        std::size_t blocks = 0;
        for (const auto &round : rounds_) blocks += (round.size() + LANES - 1) / LANES;
        const std::int32_t spare = static_cast<std::int32_t>(own_.size());
        who_.assign(LANES * blocks, 0);
        for (std::size_t i = 0; i < who_.size(); ++i) who_[i] = spare + static_cast<std::int32_t>(i % LANES);
        // what pads is infinitely far away
        level_.assign(LANES * blocks, T(-1e9)), rise_.assign(LANES * blocks, T(0)), rub_ = rise_;
        normal_.assign(3 * LANES * blocks, T(0)), skin_ = normal_;
        std::size_t block = 0;
        for (const auto &round : rounds_) {
            for (std::size_t k = 0; k < round.size(); ++k)
                load_contact((block + k / LANES), k % LANES, round[k], who.data()[round[k]], gap.data(), normal.data(), skin.data(), grip.data());
            block += (round.size() + LANES - 1) / LANES;
        }
    }
    void load_contact(std::size_t block, std::size_t lane, std::int32_t i, std::int32_t p, const double *gap, const double *normal, const double *skin,
                      const double *grip) {
        const std::size_t at = block * LANES + lane;
        const T *x = point_.data() + 4 * static_cast<std::size_t>(place_[p]);
        double level = -gap[i], rise = 0;
        for (int a = 0; a < 3; ++a) {
            const double n = normal[3 * static_cast<std::size_t>(i) + a], u = skin[3 * static_cast<std::size_t>(i) + a];
            level += n * static_cast<double>(x[a]), rise += n * u;
            normal_[(3 * block + a) * LANES + lane] = static_cast<T>(n), skin_[(3 * block + a) * LANES + lane] = static_cast<T>(u);
        }
        who_[at] = place_[p], level_[at] = static_cast<T>(level), rise_[at] = static_cast<T>(rise), rub_[at] = static_cast<T>(grip[i]) * friction_[p];
    }
    const T *run(FollowOptions<T> o, const Vector3 &gravity, const Vector3 &wind) {
        for (int a = 0; a < 3; ++a) o.gravity[a] = static_cast<T>(gravity.data()[a]), o.wind[a] = static_cast<T>(wind.data()[a]);
        const FollowView<T> view{slot_begin_.size() - 1, who_.size() / LANES, point_.data(), next_.data(), velocity_.data(), slot_begin_.data(),
                                 neighbour_.data(), rest_.data(), own_.data(), weight_.data(), drag_.data(), free_.data(), who_.data(),
                                 normal_.data(), skin_.data(), level_.data(), rise_.data(), rub_.data()};
        static const bool fast = machine_has_avx2();
        return fast ? avx2::follow(view, o) : plain::follow(view, o);
    }

    std::vector<std::int32_t> place_, own_, neighbour_, who_, parent_;
    std::vector<int> seen_;
    std::vector<std::size_t> slot_begin_;
    std::vector<std::vector<std::int32_t>> rounds_;
    std::vector<T> rest_, weight_, drag_, free_, friction_, point_, next_, velocity_, normal_, skin_, level_, rise_, rub_;
};

template <class T>
void bind_kind(nb::module_ &m, const char *name) {
    nb::class_<FollowCloth<T>>(m, name, "Particles and edges as springs; see cloth/follow.py.")
        .def(nb::init<In<std::int32_t, -1, 2>, Numbers, Numbers, Numbers, Numbers>(), nb::arg("edges"), nb::arg("rest"), nb::arg("mass"),
             nb::arg("drag"), nb::arg("friction"))
        .def("hold", &FollowCloth<T>::hold, nb::arg("held"))
        .def("step", &FollowCloth<T>::step, nb::arg("position"), nb::arg("velocity"), nb::arg("steps"), nb::arg("dt"), nb::arg("stiffness"),
             nb::arg("thickness"), nb::arg("near"), nb::arg("share"), nb::arg("gravity"), nb::arg("wind"), nb::arg("who"), nb::arg("gap"),
             nb::arg("normal"), nb::arg("skin_velocity"), nb::arg("grip"),
             "-> position, velocity; particles with a gap below `near` first take over the part `share` of the skin's velocity, times its grip");
}

}  // namespace

void bind_follow(nb::module_ &m) {
    bind_kind<float>(m, "FollowClothFloat");
    bind_kind<double>(m, "FollowClothDouble");
}
