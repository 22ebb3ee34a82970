// How far the skin near a cloth moves against it: what decides how often it must be looked at.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>

#include "bind.h"
#include "core/threads.h"

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
    double broadest = 0, thinnest[LIMIT] = {};  // squared, of broad limbs and of each thin one
};

class SkinTravel {
  public:
    SkinTravel(Points before, Points after, const std::int32_t *limb, const std::int32_t *thin, Points position, Points velocity, double dt, double near)
        : before_(before.data()), after_(after.data()), limb_(limb), thin_(thin), count_(before.shape(0)), position_(position), dt_(dt), near_(near),
          speed_(std::make_unique_for_overwrite<double[]>(3 * count_)) {
        const int size = count_ + position.shape(0) < 4 * STRETCH ? 1 : thread_count();
        std::vector<Seen> seen(size);
        run_team(size, [&](int rank, int team, Barrier &barrier) {
            if (rank == 0) drift_ = median(velocity);
            // the others look at the cloth meanwhile
            const Share mine = team == 1 ? Share{0, position.shape(0)} : rank ? share(position.shape(0), rank - 1, team - 1) : Share{0, 0};
            for (std::size_t i = mine.begin; i < mine.end; ++i) seen[rank].cloth.add(position.data() + 3 * i);
            barrier.wait();
            Box cloth;
            for (const Seen &one : seen) cloth.add(one.cloth);
            cloth.grow(near_);
            for (std::size_t first; (first = next_.fetch_add(STRETCH)) < count_;) measure(first, std::min(count_, first + STRETCH), cloth, seen[rank]);
        });
        for (const Seen &one : seen) broad = std::max(broad, std::sqrt(one.broadest));
        for (int k = 0; k < LIMIT; ++k) choose(k, seen);
    }
    double broad = 0, thinnest = 0;
    std::vector<double> boxes;  // round thin limbs that matter, with room for skin and cloth to come near: low, high corner of each
    std::unique_ptr<double[]> take_speed() { return std::move(speed_); }

  private:
    // skin that is or comes near the box round the cloth: how far it moves against the cloth, and where thin limbs are
    void measure(std::size_t first, std::size_t last, const Box &cloth, Seen &seen) {
        const double rate = 1.0 / dt_, drift[3] = {dt_ * drift_[0], dt_ * drift_[1], dt_ * drift_[2]};
        for (std::size_t i = first; i < last; ++i) {
            const double *start = before_ + 3 * i, *end = after_ + 3 * i;
            double square = 0;
            for (int k = 0; k < 3; ++k) {
                const double travel = end[k] - start[k], own = travel - drift[k];
                speed_[3 * i + k] = travel * rate;
                square += own * own;
            }
            if (!(cloth.holds(start) | cloth.holds(end))) continue;
            const auto number = thin_[limb_[i]];
            if (number >= 0) seen.reach[number].add(start), seen.reach[number].add(end);
            double &most = number < 0 ? seen.broadest : seen.thinnest[number];
            most = std::max(most, square);
        }
    }
    // a hand beside the cloth matters only when some cloth is close to it
    void choose(int k, const std::vector<Seen> &seen) {
        Box reach;
        double square = 0;
        for (const Seen &one : seen) reach.add(one.reach[k]), square = std::max(square, one.thinnest[k]);
        if (reach.empty()) return;
        reach.grow(near_);
        bool matters = false;
        for (std::size_t i = 0; i < position_.shape(0) && !matters; ++i) matters = reach.holds(position_.data() + 3 * i);
        if (!matters) return;
        thinnest = std::max(thinnest, std::sqrt(square));
        boxes.insert(boxes.end(), reach.low.begin(), reach.low.end()), boxes.insert(boxes.end(), reach.high.begin(), reach.high.end());
    }

    const double *before_, *after_;
    const std::int32_t *limb_, *thin_;
    std::size_t count_;
    Points position_;
    double dt_, near_;
    std::unique_ptr<double[]> speed_;
    std::atomic<std::size_t> next_{0};
    std::array<double, 3> drift_{};
};

nb::tuple skin_travel(Points before, Points after, In<std::int32_t, -1> limb, In<std::int32_t, -1> thin, Points position, Points velocity, double dt,
                   double near) {
    const std::size_t n = before.shape(0);
    require(after.shape(0) == n && limb.size() == n, "before, after and limb need one row per skin vertex");
    require(position.shape(0) == velocity.shape(0) && position.shape(0) > 0, "position and velocity need one row per particle");
    require(dt > 0, "dt must be positive");
    require_indices(limb, thin.size(), "a skin vertex names a limb that does not exist");
    for (std::size_t k = 0; k < thin.size(); ++k) require(thin(k) >= -1 && thin(k) < LIMIT, "thin limbs are numbered from 0 to 31");
    SkinTravel travel(before, after, limb.data(), thin.data(), position, velocity, dt, near);
    const std::size_t box_count = travel.boxes.size() / 6;
    return nb::make_tuple(travel.broad, travel.thinnest, own(travel.take_speed(), {n, 3}), own(std::move(travel.boxes), {box_count, 2, 3}));
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

void bind_skin_travel(nb::module_ &m) {
    m.def("skin_travel", &skin_travel, nb::arg("before"), nb::arg("after"), nb::arg("limb"), nb::arg("thin"), nb::arg("position"),
          nb::arg("velocity"), nb::arg("dt"), nb::arg("near"),
          "-> how far skin near the cloth moves against the cloth's median motion [m]: of broad limbs (thin[limb] -1), of thin ones; "
          "velocity of the skin (n, 3) [m/s]; boxes (k, 2, 3), low and high corner, of cloth that may come near thin limbs");
    m.def("mean_squares", &mean_squares, nb::arg("rows"), "-> mean of the squared lengths of rows (n, 3), and of their distances from the mean row");
}
