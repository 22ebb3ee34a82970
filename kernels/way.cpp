// How far the skin near a cloth moves against it: what decides how often it must be looked at.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>

#include "bind.h"
#include "team.h"

namespace {

struct Box {
    std::array<double, 3> low, high;
    Box() { low.fill(std::numeric_limits<double>::infinity()), high.fill(-low[0]); }
    void add(const double *p) {
        for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
    }
    void add(const Box &other) {
        for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], other.low[k]), high[k] = std::max(high[k], other.high[k]);
    }
    void grow(double by) {
        for (int k = 0; k < 3; ++k) low[k] -= by, high[k] += by;
    }
    bool holds(const double *p) const {
        bool in = true;
        for (int k = 0; k < 3; ++k) in &= (p[k] > low[k]) & (p[k] < high[k]);
        return in;
    }
    bool empty() const { return !(low[0] <= high[0]); }
};

constexpr int LIMIT = 32;             // thin limbs
constexpr std::size_t STRETCH = 1024;  // skin vertices that a thread takes at a time

// of some hundred rows evenly taken from all
std::array<double, 3> median(Points rows) {
    std::array<double, 3> r{};
    const std::size_t every = std::max<std::size_t>(1, rows.shape(0) / 1000), n = (rows.shape(0) + every - 1) / every, half = n / 2;
    std::vector<double> column(n);
    for (int k = 0; k < 3; ++k) {
        for (std::size_t i = 0; i < n; ++i) column[i] = rows.data()[3 * every * i + k];
        std::nth_element(column.begin(), column.begin() + half, column.end());
        r[k] = column[half];
        if (n % 2 == 0) r[k] = 0.5 * (r[k] + *std::max_element(column.begin(), column.begin() + half));
    }
    return r;
}

// what one thread finds
struct Seen {
    Box cloth, reach[LIMIT];
    double broadest = 0, thinnest = 0;  // squared
};

class Way {
  public:
    Way(Points before, Points after, const std::int32_t *limb, const std::int32_t *thin, Points position, Points velocity, double dt, double near)
        : before_(before.data()), after_(after.data()), limb_(limb), thin_(thin), count_(before.shape(0)), position_(position), velocity_(velocity),
          dt_(dt), near_(near), speed_(3 * count_), boxed_(count_) {
        const int size = count_ + position.shape(0) < 4 * STRETCH ? 1 : thread_count();
        std::vector<Seen> seen(size);
        run_team(size, [&](int rank, int team, Barrier &barrier) {
            const Share mine = share(position.shape(0), rank, team);
            for (std::size_t i = mine.begin; i < mine.end; ++i) seen[rank].cloth.add(position.data() + 3 * i);
            barrier.wait();
            if (rank == 0) join(seen);
            barrier.wait();
            if (rank == 0) drift_ = median(velocity_);  // others begin with the skin meanwhile
            each_stretch(next_[0], [&](std::size_t first, std::size_t last) { find(first, last, seen[rank].reach); });
            barrier.wait();
            if (rank == 0) choose(seen);
            barrier.wait();
            each_stretch(next_[1], [&](std::size_t first, std::size_t last) { measure(first, last, seen[rank]); });
        });
        for (const Seen &one : seen) broad = std::max(broad, std::sqrt(one.broadest)), thinnest = std::max(thinnest, std::sqrt(one.thinnest));
    }
    double broad = 0, thinnest = 0;
    std::vector<double> take_speed() { return std::move(speed_); }
    // round thin limbs that matter, with room for skin and cloth to come near: low, high corner of each
    std::vector<double> boxes() const {
        std::vector<double> r;
        for (int k = 0; k < LIMIT; ++k)
            if (matters_[k]) r.insert(r.end(), reach_[k].low.begin(), reach_[k].low.end()), r.insert(r.end(), reach_[k].high.begin(), reach_[k].high.end());
        return r;
    }

  private:
    std::int32_t thin(std::size_t vertex) const { return thin_[limb_[vertex]]; }
    template <class Use>
    void each_stretch(std::atomic<std::size_t> &next, const Use &use) const {
        for (std::size_t first; (first = next.fetch_add(STRETCH)) < count_;) use(first, std::min(count_, first + STRETCH));
    }
    void join(const std::vector<Seen> &seen) {
        for (const Seen &one : seen) cloth_.add(one.cloth);
        cloth_.grow(near_);
    }
    // skin that is or comes near the box round the cloth
    void find(std::size_t first, std::size_t last, Box *reach) {
        const double rate = 1.0 / dt_;
        for (std::size_t i = 3 * first; i < 3 * last; ++i) speed_[i] = (after_[i] - before_[i]) * rate;
        for (std::size_t i = first; i < last; ++i) {
            const double *start = before_ + 3 * i, *end = after_ + 3 * i;
            boxed_[i] = cloth_.holds(start) | cloth_.holds(end);
            if (const auto number = thin(i); boxed_[i] && number >= 0) reach[number].add(start), reach[number].add(end);
        }
    }
    // a hand beside the cloth matters only when some cloth is close to it
    void choose(const std::vector<Seen> &seen) {
        for (int k = 0; k < LIMIT; ++k) {
            Box &reach = reach_[k];
            for (const Seen &one : seen) reach.add(one.reach[k]);
            reach.grow(near_);
            matters_[k] = false;
            if (reach.empty()) continue;
            for (std::size_t i = 0; i < position_.shape(0) && !matters_[k]; ++i) matters_[k] = reach.holds(position_.data() + 3 * i);
        }
    }
    void measure(std::size_t first, std::size_t last, Seen &seen) const {
        for (std::size_t i = first; i < last; ++i) {
            if (!boxed_[i] || (thin(i) >= 0 && !matters_[thin(i)])) continue;
            double square = 0;
            for (int k = 0; k < 3; ++k) {
                const double way = after_[3 * i + k] - before_[3 * i + k] - dt_ * drift_[k];
                square += way * way;
            }
            double &most = thin(i) < 0 ? seen.broadest : seen.thinnest;
            most = std::max(most, square);
        }
    }

    const double *before_, *after_;
    const std::int32_t *limb_, *thin_;
    std::size_t count_;
    Points position_, velocity_;
    double dt_, near_;
    std::vector<double> speed_;
    std::vector<std::uint8_t> boxed_;
    std::atomic<std::size_t> next_[2] = {0, 0};
    Box cloth_;
    std::array<double, 3> drift_{};
    Box reach_[LIMIT];
    bool matters_[LIMIT];
};

nb::tuple skin_way(Points before, Points after, In<std::int32_t, -1> limb, In<std::int32_t, -1> thin, Points position, Points velocity, double dt,
                   double near) {
    const std::size_t n = before.shape(0);
    require(after.shape(0) == n && limb.size() == n, "before, after and limb need one row per skin vertex");
    require(position.shape(0) == velocity.shape(0) && position.shape(0) > 0, "position and velocity need one row per particle");
    require(dt > 0, "dt must be positive");
    require_indices(limb, thin.size(), "a skin vertex names a limb that does not exist");
    for (std::size_t k = 0; k < thin.size(); ++k) require(thin(k) >= -1 && thin(k) < LIMIT, "thin limbs are numbered from 0 to 31");
    Way way(before, after, limb.data(), thin.data(), position, velocity, dt, near);
    std::vector<double> boxes = way.boxes();
    const std::size_t box_count = boxes.size() / 6;
    return nb::make_tuple(way.broad, way.thinnest, own(way.take_speed(), {n, 3}), own(std::move(boxes), {box_count, 2, 3}));
}

// of rows (n, 3), always added up in the same order: the mean of their squared lengths, and of those from the mean row
nb::tuple mean_squares(Points rows) {
    double sum[12] = {}, square[12] = {};
    const double *v = rows.data();
    const std::size_t whole = rows.size() / 12;
    for (std::size_t i = 0; i < whole; ++i, v += 12)
        for (int k = 0; k < 12; ++k) sum[k] += v[k], square[k] += v[k] * v[k];
    for (std::size_t k = 0; k < rows.size() % 12; ++k) sum[k] += v[k], square[k] += v[k] * v[k];
    const auto count = static_cast<double>(std::max<std::size_t>(rows.shape(0), 1));
    double all = 0, together = 0;
    for (const double part : square) all += part / count;
    for (int a = 0; a < 3; ++a) {
        const double mean = (sum[a] + sum[3 + a] + sum[6 + a] + sum[9 + a]) / count;
        together += mean * mean;
    }
    return nb::make_tuple(all, std::max(all - together, 0.0));
}
}  // namespace

void bind_way(nb::module_ &m) {
    m.def("skin_way", &skin_way, nb::arg("before"), nb::arg("after"), nb::arg("limb"), nb::arg("thin"), nb::arg("position"),
          nb::arg("velocity"), nb::arg("dt"), nb::arg("near"),
          "-> how far skin near the cloth moves against the cloth's median motion [m]: of broad limbs (thin[limb] -1), of thin ones; "
          "velocity of the skin (n, 3) [m/s]; boxes (k, 2, 3), low and high corner, of cloth that may come near thin limbs");
    m.def("mean_squares", &mean_squares, nb::arg("rows"), "-> mean of the squared lengths of rows (n, 3), and of their distances from the mean row");
}
