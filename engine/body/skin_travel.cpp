#include "body/skin_travel.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>

#include "core/threads.h"

namespace body {
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

constexpr std::size_t STRETCH = 1024;  // skin vertices that a thread takes at a time

// of some hundred rows evenly taken from all
std::array<double, 3> median(const double *rows, std::size_t count) {
    std::array<double, 3> r{};
    const std::size_t every = std::max<std::size_t>(1, count / 1000), n = (count + every - 1) / every, half = n / 2;
    std::vector<double> column(n);
    for (int k = 0; k < 3; ++k) {
        for (std::size_t i = 0; i < n; ++i) column[i] = rows[3 * every * i + k];
        std::nth_element(column.begin(), column.begin() + half, column.end());
        r[k] = column[half];
        if (n % 2 == 0) r[k] = 0.5 * (r[k] + *std::max_element(column.begin(), column.begin() + half));
    }
    return r;
}

// what one thread finds
struct Seen {
    Box cloth, reach[MOST_THIN_LIMBS];
    double broadest = 0, thinnest[MOST_THIN_LIMBS] = {};  // squared, of broad limbs and of each thin one
};

class Measuring {
  public:
    Measuring(const SkinAndCloth &both, double dt, double near, double *speed) : both_(both), dt_(dt), near_(near), speed_(speed) {
        const std::size_t skin = both.vertex_count, cloth = both.particle_count;
        const int size = skin + cloth < 4 * STRETCH ? 1 : thread_count();
        std::vector<Seen> seen(size);
        run_team(size, [&](int rank, int team, Barrier &barrier) {
            if (rank == 0) drift_ = median(both.velocity, cloth);
            // the others look at the cloth meanwhile
            const Share mine = team == 1 ? Share{0, cloth} : rank ? share(cloth, rank - 1, team - 1) : Share{0, 0};
            for (std::size_t i = mine.begin; i < mine.end; ++i) seen[rank].cloth.add(both.position + 3 * i);
            barrier.wait();
            Box reach;
            for (const Seen &one : seen) reach.add(one.cloth);
            reach.grow(near_);
            for (std::size_t first; (first = next_.fetch_add(STRETCH)) < skin;) measure(first, std::min(skin, first + STRETCH), reach, seen[rank]);
        });
        for (const Seen &one : seen) found.broad = std::max(found.broad, std::sqrt(one.broadest));
        for (int k = 0; k < MOST_THIN_LIMBS; ++k) choose(k, seen);
    }
    SkinTravel found;  // boxes: round thin limbs that matter, with room for skin and cloth to come near

  private:
    // skin that is or comes near the box round the cloth: how far it moves against the cloth, and where thin limbs are
    void measure(std::size_t first, std::size_t last, const Box &cloth, Seen &seen) {
        const double rate = 1.0 / dt_, drift[3] = {dt_ * drift_[0], dt_ * drift_[1], dt_ * drift_[2]};
        for (std::size_t i = first; i < last; ++i) {
            const double *start = both_.before + 3 * i, *end = both_.after + 3 * i;
            double square = 0;
            for (int k = 0; k < 3; ++k) {
                const double displacement = end[k] - start[k], own = displacement - drift[k];
                speed_[3 * i + k] = displacement * rate;
                square += own * own;
            }
            if (!(cloth.holds(start) | cloth.holds(end))) continue;
            const auto number = both_.thin[both_.limb[i]];
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
        for (std::size_t i = 0; i < both_.particle_count && !matters; ++i) matters = reach.holds(both_.position + 3 * i);
        if (!matters) return;
        found.thin = std::max(found.thin, std::sqrt(square));
        found.boxes.insert(found.boxes.end(), reach.low.begin(), reach.low.end()), found.boxes.insert(found.boxes.end(), reach.high.begin(), reach.high.end());
    }

    const SkinAndCloth &both_;
    double dt_, near_;
    double *speed_;
    std::atomic<std::size_t> next_{0};
    std::array<double, 3> drift_{};
};

}  // namespace

SkinTravel skin_travel(const SkinAndCloth &both, double dt, double near, double *velocity) {
    return std::move(Measuring(both, dt, near, velocity).found);
}

MeanSquares mean_squares(const double *rows, std::size_t row_count) {
    double sum[12] = {}, square[12] = {};
    const double *v = rows;
    const std::size_t whole = 3 * row_count / 12;
    for (std::size_t i = 0; i < whole; ++i, v += 12)
        for (int k = 0; k < 12; ++k) sum[k] += v[k], square[k] += v[k] * v[k];
    for (std::size_t k = 0; k < 3 * row_count % 12; ++k) sum[k] += v[k], square[k] += v[k] * v[k];
    const auto count = static_cast<double>(std::max<std::size_t>(row_count, 1));
    double all = 0, together = 0;
    for (const double part : square) all += part / count;
    for (int a = 0; a < 3; ++a) {
        const double mean = (sum[a] + sum[3 + a] + sum[6 + a] + sum[9 + a]) / count;
        together += mean * mean;
    }
    return {all, std::max(all - together, 0.0)};
}
}  // namespace body
