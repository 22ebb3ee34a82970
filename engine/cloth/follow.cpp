#include "cloth/follow.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/lanes.h"
#include "core/threads.h"

namespace {
// particles with as many neighbours side by side, so that blocks of eight need little padding
std::vector<std::int32_t> by_degree(const std::vector<int> &degree) {
    std::vector<std::int32_t> order(degree.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return degree[a] > degree[b]; });
    return order;
}
}  // namespace

template <class T>
FollowCloth<T>::FollowCloth(const FollowSprings &springs, const FollowParticles &particles) {
    const std::size_t n = particles.mass.rows();
    std::vector<int> degree(n, 0);
    for (std::size_t i = 0; i < springs.edges.size(); ++i) ++degree[springs.edges[i]];
    const std::vector<std::int32_t> order = by_degree(degree);
    place_.resize(n);
    for (std::size_t k = 0; k < n; ++k) place_[order[k]] = static_cast<std::int32_t>(k);
    const std::size_t blocks = (n + LANES - 1) / LANES;
    point_.assign(4 * (LANES * blocks + LANES), T(0)), next_ = point_, velocity_ = point_;
    own_.resize(LANES * blocks), std::iota(own_.begin(), own_.end(), 0);
    weight_.assign(LANES * blocks, T(0)), drag_ = weight_, free_.assign(LANES * blocks, T(0));
    for (std::size_t p = 0; p < n; ++p) {
        weight_[place_[p]] = static_cast<T>(1 / particles.mass[p]), drag_[place_[p]] = static_cast<T>(particles.drag[p]);
        free_[place_[p]] = T(1);
        friction_.push_back(static_cast<T>(particles.friction[p]));
    }
    list_neighbours(springs, blocks);
}

template <class T>
void FollowCloth<T>::hold(FlagsView held) {
    for (std::size_t p = 0; p < place_.size(); ++p) free_[place_[p]] = held[p] ? T(0) : T(1);
}

template <class T>
void FollowCloth<T>::advance(const FollowSteps &steps, const ContactsView &contacts, NumbersView grip, double *position, double *velocity) {
    const std::size_t n = place_.size();
    // relative to the first particle: float32 is exact to 0.1 µm at arm's length
    const double origin[3] = {position[0], position[1], position[2]};
    for (std::size_t p = 0; p < n; ++p)
        for (std::size_t a = 0, i = 4 * static_cast<std::size_t>(place_[p]); a < 3; ++a) {
            point_[i + a] = static_cast<T>(position[3 * p + a] - origin[a]);
            velocity_[i + a] = static_cast<T>(velocity[3 * p + a]);
        }
    follow_skin(steps, contacts, grip);
    load_contacts(contacts, grip);
    const T *last = run(steps);
    for (std::size_t p = 0; p < n; ++p) {
        const std::size_t at = 4 * static_cast<std::size_t>(place_[p]);
        const bool held = free_[place_[p]] == T(0);
        for (std::size_t a = 0, i = 3 * p; a < 3; ++a, ++i) {
            if (!held) velocity[i] = static_cast<double>(velocity_[at + a]);
            position[i] = held ? position[i] + steps.count * steps.dt * velocity[i] : static_cast<double>(last[at + a]) + origin[a];
        }
    }
}

template <class T>
void FollowCloth<T>::list_neighbours(const FollowSprings &springs, std::size_t blocks) {
    struct Link {
        std::int32_t to;
        double rest;
    };
    std::vector<std::vector<Link>> links(LANES * blocks);
    for (std::size_t e = 0; e < springs.edges.rows(); ++e) {
        const std::int32_t a = place_[springs.edges[2 * e]], b = place_[springs.edges[2 * e + 1]];
        links[a].push_back({b, springs.rest[e]}), links[b].push_back({a, springs.rest[e]});
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
template <class T>
void FollowCloth<T>::follow_skin(const FollowSteps &steps, const ContactsView &contacts, NumbersView grip) {
    parent_.assign(place_.size(), -1);
    for (std::size_t i = 0; i < contacts.particle.rows(); ++i) {
        std::int32_t &best = parent_[contacts.particle[i]];
        if (contacts.gap[i] < steps.near && (best < 0 || contacts.gap[i] < contacts.gap[best])) best = static_cast<std::int32_t>(i);
    }
    for (std::size_t p = 0; p < place_.size(); ++p) {
        if (parent_[p] < 0 || free_[place_[p]] == T(0)) continue;
        T *v = velocity_.data() + 4 * static_cast<std::size_t>(place_[p]);
        const T part = static_cast<T>(steps.share * grip[parent_[p]]);
        for (int a = 0; a < 3; ++a) v[a] += part * (static_cast<T>(contacts.velocity[3 * static_cast<std::size_t>(parent_[p]) + a]) - v[a]);
    }
}

// rounds: the first contact of every particle, then the second of those that have two …
template <class T>
void FollowCloth<T>::load_contacts(const ContactsView &contacts, NumbersView grip) {
    rounds_.clear();
    seen_.assign(place_.size(), 0);
    for (std::size_t i = 0; i < contacts.particle.rows(); ++i) {
        const std::int32_t p = contacts.particle[i];
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
            load_contact(block + k / LANES, k % LANES, round[k], contacts, grip[round[k]]);
        block += (round.size() + LANES - 1) / LANES;
    }
}

template <class T>
void FollowCloth<T>::load_contact(std::size_t block, std::size_t lane, std::int32_t i, const ContactsView &contacts, double grip) {
    const std::int32_t p = contacts.particle[i];
    const std::size_t at = block * LANES + lane;
    const T *x = point_.data() + 4 * static_cast<std::size_t>(place_[p]);
    double level = -contacts.gap[i], rise = 0;
    for (int a = 0; a < 3; ++a) {
        const double n = contacts.normal[3 * static_cast<std::size_t>(i) + a], u = contacts.velocity[3 * static_cast<std::size_t>(i) + a];
        level += n * static_cast<double>(x[a]), rise += n * u;
        normal_[(3 * block + a) * LANES + lane] = static_cast<T>(n), skin_[(3 * block + a) * LANES + lane] = static_cast<T>(u);
    }
    who_[at] = place_[p], level_[at] = static_cast<T>(level), rise_[at] = static_cast<T>(rise), rub_[at] = static_cast<T>(grip) * friction_[p];
}

template <class T>
const T *FollowCloth<T>::run(const FollowSteps &steps) {
    FollowOptions<T> o{steps.count, static_cast<T>(steps.dt), static_cast<T>(steps.stiffness), static_cast<T>(steps.thickness), {}, {}};
    surface::store(o.gravity, steps.gravity), surface::store(o.wind, steps.wind);
    const FollowView<T> view{slot_begin_.size() - 1, who_.size() / LANES, point_.data(), next_.data(), velocity_.data(), slot_begin_.data(),
                             neighbour_.data(), rest_.data(), own_.data(), weight_.data(), drag_.data(), free_.data(), who_.data(),
                             normal_.data(), skin_.data(), level_.data(), rise_.data(), rub_.data()};
    static const bool fast = machine_has_avx2();
    return fast ? avx2::follow(view, o) : plain::follow(view, o);
}

template class FollowCloth<float>;
template class FollowCloth<double>;
