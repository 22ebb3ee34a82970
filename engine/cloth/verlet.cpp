#include "cloth/verlet.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/lanes.h"

namespace {
// where a step takes a particle before lengths are relaxed, eq. 1: x_n - x_(n-1) = dt v; drag slows towards the air's velocity; what is pinned keeps
// its velocity
double predicted(const VerletStep &step, double x, double v, int a, bool pinned) {
    const double wind = (&step.wind.x)[a], gravity = (&step.gravity.x)[a], dt = step.dt;
    return pinned ? x + v * dt : x + (wind * dt + step.keep * (v - wind) * dt + gravity * dt * dt);
}

template <class T, class Cloth>
int advance_cloth(Cloth &cloth, const VerletStep &step, double *position, double *velocity) {
    int sweeps = 0;
    const VerletStop<T> stop{step.iterations, step.check_every, step.moving, static_cast<T>(step.threshold)};
    VerletOrigin origin;
    for (int a = 0; a < 3; ++a) origin.at[a] = position[a];
    run_team(cloth.count() < SERIAL_BELOW ? 1 : thread_count(), [&](int rank, int team, Barrier &barrier) {
        cloth.load(position, velocity, step, origin, rank, team);
        barrier.wait();
        const int done = cloth.relax(stop, rank, team, barrier);
        if (rank == 0) sweeps = done;
        barrier.wait();
        cloth.store(step, origin, position, velocity, rank, team);
    });
    return sweeps;
}
}  // namespace

template <class T>
VerletGrid<T>::VerletGrid(int rows, int columns, const double *rest, const double *share) : rows_(rows), columns_(columns) {
    lanes_ = ((columns + 3) / 4 + LANES - 1) / LANES * LANES;
    point_.assign(stride() * rows + LANES, T(0));
    free_.assign(count(), 1);
    moved_.assign(band_count(rows) + 1, T(0));
    for (int c = 0; c < GRID_CLASSES; ++c) {
        share_[c] = static_cast<T>(share[c]);
    }
    set_rest(rest);
    set_masks();
}

template <class T>
void VerletGrid<T>::pin(IndicesView particles) {
    std::fill(free_.begin(), free_.end(), 1);
    for (std::size_t i = 0; i < particles.size(); ++i) free_[particles[i]] = 0;
    weight_.assign(particles.size() ? static_cast<std::size_t>(4) * lanes_ * rows_ + LANES : 0, T(1));
    for (std::size_t p = 0; p < count() && !weight_.empty(); ++p) weight_[weight_place(p)] = T(free_[p]);
}

template <class T>
void VerletGrid<T>::load(const double *x, const double *v, const VerletStep &step, const VerletOrigin &o, int rank, int team) {
    const Share mine = share(rows_, rank, team);
    for (std::size_t p = mine.begin * columns_; p < mine.end * columns_; ++p) {
        T *to = point_.data() + place(p);
        for (int a = 0; a < 3; ++a)
            to[static_cast<std::size_t>(a) * 4 * lanes_] = static_cast<T>(predicted(step, x[3 * p + a], v[3 * p + a], a, !free_[p]) - o.at[a]);
    }
}

template <class T>
void VerletGrid<T>::store(const VerletStep &step, const VerletOrigin &o, double *x, double *v, int rank, int team) const {
    const Share mine = share(rows_, rank, team);
    for (std::size_t p = mine.begin * columns_; p < mine.end * columns_; ++p) {
        const T *from = point_.data() + place(p);
        for (int a = 0; a < 3; ++a) {
            const std::size_t i = 3 * p + a;
            const double before = x[i];
            x[i] = free_[p] ? static_cast<double>(from[static_cast<std::size_t>(a) * 4 * lanes_]) + o.at[a] : predicted(step, x[i], v[i], a, true);
            if (free_[p]) v[i] = (x[i] - before) / step.dt;
        }
    }
}

template <class T>
int VerletGrid<T>::relax(const VerletStop<T> &stop, int rank, int team, Barrier &barrier) {
    if (rank == 0 && stop.threshold > T(0) && before_.empty()) before_.assign(point_.size(), T(0));
    barrier.wait();
    VerletGridView<T> view{rows_, columns_, lanes_, stride(), point_.data(), stop.threshold > T(0) ? before_.data() : nullptr,
                     weight_.empty() ? nullptr : weight_.data(), {}, {}, mask_, {}};
    for (int c = 0; c < GRID_CLASSES; ++c) {
        view.rest[c] = uniform_ ? nullptr : rest_[c].data();
        view.uniform_rest[c] = equal_rest_[c];
        view.share[c] = share_[c];
    }
    static const bool fast = machine_has_avx2();
    return fast ? avx2::relax_grid(view, stop, moved_.data(), rank, team, barrier)
                : plain::relax_grid(view, stop, moved_.data(), rank, team, barrier);
}

template <class T>
int VerletGrid<T>::advance(const VerletStep &step, double *position, double *velocity) {
    return advance_cloth<T>(*this, step, position, velocity);
}

template <class T>
bool VerletGrid<T>::paired(int rows, int columns, int c, std::size_t p) {
    const int row = static_cast<int>(p / columns), column = static_cast<int>(p % columns);
    const int right = c == ACROSS || c == FALLING || c == RISING ? 1 : c == ACROSS2 ? 2 : 0;
    const int down = c == DOWN || c == FALLING || c == RISING ? 1 : c == DOWN2 ? 2 : 0;
    return row + down < rows && column + right < columns;
}

// one number per class where all lengths agree, else one per pair
template <class T>
void VerletGrid<T>::set_rest(const double *rest) {
    uniform_ = true;
    for (int c = 0; c < GRID_CLASSES; ++c) {
        double low = std::numeric_limits<double>::infinity(), high = 0;
        for (std::size_t p = 0; p < count(); ++p)
            if (paired(rows_, columns_, c, p)) {
                const double r = rest[c * count() + p];
                low = std::min(low, r), high = std::max(high, r);
            }
        equal_rest_[c] = high > 0 ? static_cast<T>(0.5 * (low + high)) : T(1);
        if (high > 0 && high - low > 1e-6 * high) uniform_ = false;
    }
    for (int c = 0; c < GRID_CLASSES && !uniform_; ++c) {
        rest_[c].assign(static_cast<std::size_t>(4) * lanes_ * rows_ + LANES, T(1));
        for (std::size_t p = 0; p < count(); ++p)
            if (paired(rows_, columns_, c, p)) rest_[c][weight_place(p)] = static_cast<T>(rest[c * count() + p]);
    }
}

template <class T>
void VerletGrid<T>::set_masks() {
    for (int distance = 1; distance <= 2; ++distance)
        for (int phase = 0; phase < 4; ++phase)
            for (int i = 0; i < 2 * LANES; ++i)
                mask_[((distance - 1) * 4 + phase) * 2 * LANES + i] = T(4 * (lanes_ - 2 * LANES + i) + phase + distance < columns_);
}

template <class T>
VerletMesh<T>::VerletMesh(IndicesView order, PairsView pairs, NumbersView low, NumbersView high, double share) : share_(static_cast<T>(share)) {
    const std::size_t n = order.rows();
    order_.assign(order.data(), order.data() + n);
    std::vector<std::int32_t> rank_of(n, -1);
    for (std::size_t i = 0; i < n; ++i) rank_of[order_[i]] = static_cast<std::int32_t>(i);
    std::vector<std::int32_t> own_pairs(pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) own_pairs[i] = rank_of[pairs[i]];
    chunks_ = chunk_count_for(n);
    packed_ = pack(own_pairs, 2, n, chunks_);
    low_.assign(packed_.source.size(), T(0)), high_ = low_;
    for (std::size_t i = 0; i < low_.size(); ++i)
        low_[i] = static_cast<T>(low[packed_.source[i]]), high_[i] = static_cast<T>(high[packed_.source[i]]);
    point_.assign(4 * n, T(0));
    free_.assign(n, 1);
    moved_.assign(chunks_ + 1, T(0));
}

template <class T>
void VerletMesh<T>::pin(IndicesView particles) {
    std::fill(free_.begin(), free_.end(), 1);
    for (std::size_t i = 0; i < particles.size(); ++i) free_[particles[i]] = 0;
}

template <class T>
void VerletMesh<T>::load(const double *x, const double *v, const VerletStep &step, const VerletOrigin &o, int rank, int team) {
    const Share mine = share(count(), rank, team);
    for (std::size_t i = mine.begin; i < mine.end; ++i) {
        const std::size_t p = order_[i];
        T *to = point_.data() + 4 * i;
        for (int a = 0; a < 3; ++a) to[a] = static_cast<T>(predicted(step, x[3 * p + a], v[3 * p + a], a, !free_[p]) - o.at[a]);
        to[3] = T(free_[p]);
    }
}

template <class T>
void VerletMesh<T>::store(const VerletStep &step, const VerletOrigin &o, double *x, double *v, int rank, int team) const {
    const Share mine = share(count(), rank, team);
    for (std::size_t i = mine.begin; i < mine.end; ++i) {
        const std::size_t p = order_[i];
        for (int a = 0; a < 3; ++a) {
            const std::size_t k = 3 * p + a;
            const double before = x[k];
            x[k] = free_[p] ? static_cast<double>(point_[4 * i + a]) + o.at[a] : predicted(step, x[k], v[k], a, true);
            if (free_[p]) v[k] = (x[k] - before) / step.dt;
        }
    }
}

template <class T>
int VerletMesh<T>::relax(const VerletStop<T> &stop, int rank, int team, Barrier &barrier) {
    if (rank == 0 && stop.threshold > T(0) && before_.empty()) before_.assign(4 * count(), T(0));
    barrier.wait();
    const VerletMeshView<T> view{count(), chunks_, point_.data(), stop.threshold > T(0) ? before_.data() : nullptr, packed_.index.data(),
                           packed_.begin.data(), low_.data(), high_.data(), share_};
    static const bool fast = machine_has_avx2();
    return fast ? avx2::relax_mesh(view, stop, moved_.data(), rank, team, barrier)
                : plain::relax_mesh(view, stop, moved_.data(), rank, team, barrier);
}

template <class T>
int VerletMesh<T>::advance(const VerletStep &step, double *position, double *velocity) {
    return advance_cloth<T>(*this, step, position, velocity);
}

template <class T>
std::vector<std::int32_t> VerletMesh<T>::sequence() const {
    std::vector<std::int32_t> found;
    packed_.each([&](std::int32_t pair) { found.push_back(pair); });
    return found;
}

template class VerletGrid<float>;
template class VerletGrid<double>;
template class VerletMesh<float>;
template class VerletMesh<double>;
