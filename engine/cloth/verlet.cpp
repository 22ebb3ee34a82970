// Verlet steps with relaxed lengths (Rodríguez-Navarro et al. 2005): a grid and any mesh, packed once.
#include "cloth/verlet.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "bind.h"
#include "core/lanes.h"
#include "cloth/batches.h"

namespace {

using Indices = In<std::int32_t, -1>;
using Numbers = In<double, -1>;
using Vector3 = In<double, 3>;
constexpr std::size_t SERIAL_BELOW = 2400;  // particles; below, waiting for a second thread costs more than it gives

// what a step does to each particle before its lengths are relaxed, eq. 1
struct Outer {
    double dt, keep;
    const double *gravity, *wind;
    // x_n - x_(n-1) = dt v; drag slows towards the air's velocity; what is pinned keeps its velocity
    double predicted(double x, double v, int a, bool pinned) const {
        return pinned ? x + v * dt : x + (wind[a] * dt + keep * (v - wind[a]) * dt + gravity[a] * dt * dt);
    }
};

// positions are kept relative to the first particle: float32 is exact to 0.1 µm at arm's length
struct Origin {
    double at[3] = {0, 0, 0};
};

template <class Cloth, class T>
nb::tuple advance(Cloth &cloth, Points position, Points velocity, const Outer &outer, int most, T threshold) {
    const std::size_t n = cloth.count();
    require(position.shape(0) == n && velocity.shape(0) == n, "position and velocity need one row per particle");
    require(outer.dt > 0 && std::isfinite(outer.dt) && most >= 1, "dt must be positive, iterations at least 1");
    std::vector<double> x(3 * n), v(3 * n);
    int sweeps = 0;
    {
        nb::gil_scoped_release free_python;
        Origin origin;
        for (int a = 0; a < 3; ++a) origin.at[a] = position.data()[a];
        const int size = n < SERIAL_BELOW ? 1 : thread_count();
        run_team(size, [&](int rank, int team, Barrier &barrier) {
            cloth.load(position.data(), velocity.data(), outer, origin, rank, team);
            barrier.wait();
            const int done = cloth.relax(most, threshold, rank, team, barrier);
            if (rank == 0) sweeps = done;
            barrier.wait();
            cloth.store(position.data(), velocity.data(), outer, origin, x.data(), v.data(), rank, team);
        });
    }
    return nb::make_tuple(own(std::move(x), {n, 3}), own(std::move(v), {n, 3}), sweeps);
}

template <class T>
class VerletGrid {
  public:
    VerletGrid(int rows, int columns, In<double, GRID_CLASSES, -1> rest, In<double, GRID_CLASSES> share) : rows_(rows), columns_(columns) {
        require(rows >= 1 && columns >= 1 && rows <= 1 << 14 && columns <= 1 << 14, "a grid has 1 to 16384 particles a side");
        require(rest.shape(1) == count(), "one rest length per class and particle");
        lanes_ = ((columns + 3) / 4 + LANES - 1) / LANES * LANES;
        point_.assign(stride() * rows + LANES, T(0));
        free_.assign(count(), 1);
        moved_.assign(band_count(rows) + 1, T(0));
        for (int c = 0; c < GRID_CLASSES; ++c) {
            share_[c] = static_cast<T>(share.data()[c]);
            require(share_[c] >= T(0) && share_[c] <= T(0.5), "shares lie between 0 and 0.5");
        }
        set_rest(rest.data());
        set_masks();
    }
    std::size_t count() const { return static_cast<std::size_t>(rows_) * columns_; }

    void pin(Indices particles) {
        require_indices(particles, count(), "a pinned particle does not exist");
        std::fill(free_.begin(), free_.end(), 1);
        for (std::size_t i = 0; i < particles.size(); ++i) free_[particles.data()[i]] = 0;
        weight_.assign(particles.size() ? static_cast<std::size_t>(4) * lanes_ * rows_ + LANES : 0, T(1));
        for (std::size_t p = 0; p < count() && !weight_.empty(); ++p) weight_[weight_place(p)] = T(free_[p]);
    }

    void load(const double *x, const double *v, const Outer &outer, const Origin &o, int rank, int team) {
        const Share mine = share(rows_, rank, team);
        for (std::size_t p = mine.begin * columns_; p < mine.end * columns_; ++p) {
            T *to = point_.data() + place(p);
            for (int a = 0; a < 3; ++a)
                to[static_cast<std::size_t>(a) * 4 * lanes_] = static_cast<T>(outer.predicted(x[3 * p + a], v[3 * p + a], a, !free_[p]) - o.at[a]);
        }
    }
    void store(const double *x, const double *v, const Outer &outer, const Origin &o, double *x_new, double *v_new, int rank, int team) const {
        const Share mine = share(rows_, rank, team);
        for (std::size_t p = mine.begin * columns_; p < mine.end * columns_; ++p) {
            const T *from = point_.data() + place(p);
            for (int a = 0; a < 3; ++a) {
                const std::size_t i = 3 * p + a;
                x_new[i] = free_[p] ? static_cast<double>(from[static_cast<std::size_t>(a) * 4 * lanes_]) + o.at[a] : outer.predicted(x[i], v[i], a, true);
                v_new[i] = free_[p] ? (x_new[i] - x[i]) / outer.dt : v[i];
            }
        }
    }
    int relax(int most, T threshold, int rank, int team, Barrier &barrier) {
        if (rank == 0 && threshold > T(0) && before_.empty()) before_.assign(point_.size(), T(0));
        barrier.wait();
        GridView<T> view{rows_, columns_, lanes_, stride(), point_.data(), threshold > T(0) ? before_.data() : nullptr,
                         weight_.empty() ? nullptr : weight_.data(), {}, {}, mask_, {}};
        for (int c = 0; c < GRID_CLASSES; ++c) {
            view.rest[c] = uniform_ ? nullptr : rest_[c].data();
            view.rest_alike[c] = alike_[c];
            view.share[c] = share_[c];
        }
        static const bool fast = machine_has_avx2();
        return fast ? avx2::relax_grid(view, most, threshold, moved_.data(), rank, team, barrier)
                    : plain::relax_grid(view, most, threshold, moved_.data(), rank, team, barrier);
    }
    nb::tuple step(Points position, Points velocity, double dt, double keep, Vector3 gravity, Vector3 wind, int most, double threshold) {
        return advance(*this, position, velocity, {dt, keep, gravity.data(), wind.data()}, most, static_cast<T>(threshold));
    }

  private:
    std::size_t stride() const { return static_cast<std::size_t>(12) * lanes_; }
    std::size_t lane(std::size_t p) const {
        const std::size_t column = p % columns_;
        return column % 4 * lanes_ + column / 4;
    }
    std::size_t place(std::size_t p) const { return p / columns_ * stride() + lane(p); }
    std::size_t weight_place(std::size_t p) const { return p / columns_ * 4 * lanes_ + lane(p); }

    // is there a partner for this particle in this class?
    bool paired(int c, std::size_t p) const {
        const int row = static_cast<int>(p / columns_), column = static_cast<int>(p % columns_);
        const int right = c == ACROSS || c == FALLING || c == RISING ? 1 : c == ACROSS2 ? 2 : 0;
        const int down = c == DOWN || c == FALLING || c == RISING ? 1 : c == DOWN2 ? 2 : 0;
        return row + down < rows_ && column + right < columns_;
    }
    // one number per class where all lengths agree, else one per pair
    void set_rest(const double *rest) {
        uniform_ = true;
        for (int c = 0; c < GRID_CLASSES; ++c) {
            double low = std::numeric_limits<double>::infinity(), high = 0;
            for (std::size_t p = 0; p < count(); ++p)
                if (paired(c, p)) {
                    const double r = rest[c * count() + p];
                    require(r > 0 && std::isfinite(r), "rest lengths must be positive");
                    low = std::min(low, r), high = std::max(high, r);
                }
            alike_[c] = high > 0 ? static_cast<T>(0.5 * (low + high)) : T(1);
            if (high > 0 && high - low > 1e-6 * high) uniform_ = false;
        }
        for (int c = 0; c < GRID_CLASSES && !uniform_; ++c) {
            rest_[c].assign(static_cast<std::size_t>(4) * lanes_ * rows_ + LANES, T(1));
            for (std::size_t p = 0; p < count(); ++p)
                if (paired(c, p)) rest_[c][weight_place(p)] = static_cast<T>(rest[c * count() + p]);
        }
    }
    void set_masks() {
        for (int distance = 1; distance <= 2; ++distance)
            for (int phase = 0; phase < 4; ++phase)
                for (int i = 0; i < 2 * LANES; ++i)
                    mask_[((distance - 1) * 4 + phase) * 2 * LANES + i] = T(4 * (lanes_ - 2 * LANES + i) + phase + distance < columns_);
    }

    int rows_, columns_, lanes_;
    bool uniform_ = true;
    std::vector<T> point_, before_, weight_, moved_, rest_[GRID_CLASSES];
    std::vector<char> free_;
    T alike_[GRID_CLASSES], share_[GRID_CLASSES], mask_[2 * 4 * 2 * LANES];
};

template <class T>
class VerletMesh {
  public:
    VerletMesh(Indices order, In<std::int32_t, -1, 2> pairs, Numbers rest, double share) : share_(static_cast<T>(share)) {
        const std::size_t n = order.size();
        require(n > 0 && rest.size() == pairs.shape(0), "one rest length per pair");
        require(share > 0 && share <= 0.5, "the share lies between 0 and 0.5");
        require_indices(order, n, "the order names a particle that does not exist");
        require_indices(pairs, n, "a pair names a particle that does not exist");
        order_.assign(order.data(), order.data() + n);
        std::vector<std::int32_t> rank_of(n, -1);
        for (std::size_t i = 0; i < n; ++i) {
            require(rank_of[order_[i]] < 0, "the order names a particle twice");
            rank_of[order_[i]] = static_cast<std::int32_t>(i);
        }
        std::vector<std::int32_t> own_pairs(pairs.size());
        for (std::size_t i = 0; i < pairs.size(); ++i) own_pairs[i] = rank_of[pairs.data()[i]];
        chunks_ = chunk_count_for(n);
        packed_ = pack(own_pairs, 2, n, chunks_);
        rest_.assign(packed_.source.size(), T(0));
        for (std::size_t i = 0; i < rest_.size(); ++i) rest_[i] = static_cast<T>(rest.data()[packed_.source[i]]);
        point_.assign(4 * n, T(0));
        free_.assign(n, 1);
        moved_.assign(chunks_ + 1, T(0));
    }
    std::size_t count() const { return order_.size(); }

    void pin(Indices particles) {
        require_indices(particles, count(), "a pinned particle does not exist");
        std::fill(free_.begin(), free_.end(), 1);
        for (std::size_t i = 0; i < particles.size(); ++i) free_[particles.data()[i]] = 0;
    }

    void load(const double *x, const double *v, const Outer &outer, const Origin &o, int rank, int team) {
        const Share mine = share(count(), rank, team);
        for (std::size_t i = mine.begin; i < mine.end; ++i) {
            const std::size_t p = order_[i];
            T *to = point_.data() + 4 * i;
            for (int a = 0; a < 3; ++a) to[a] = static_cast<T>(outer.predicted(x[3 * p + a], v[3 * p + a], a, !free_[p]) - o.at[a]);
            to[3] = T(free_[p]);
        }
    }
    void store(const double *x, const double *v, const Outer &outer, const Origin &o, double *x_new, double *v_new, int rank, int team) const {
        const Share mine = share(count(), rank, team);
        for (std::size_t i = mine.begin; i < mine.end; ++i) {
            const std::size_t p = order_[i];
            for (int a = 0; a < 3; ++a) {
                const std::size_t k = 3 * p + a;
                x_new[k] = free_[p] ? static_cast<double>(point_[4 * i + a]) + o.at[a] : outer.predicted(x[k], v[k], a, true);
                v_new[k] = free_[p] ? (x_new[k] - x[k]) / outer.dt : v[k];
            }
        }
    }
    int relax(int most, T threshold, int rank, int team, Barrier &barrier) {
        if (rank == 0 && threshold > T(0) && before_.empty()) before_.assign(4 * count(), T(0));
        barrier.wait();
        const MeshView<T> view{count(), chunks_, point_.data(), threshold > T(0) ? before_.data() : nullptr, packed_.index.data(),
                               packed_.begin.data(), rest_.data(), share_};
        static const bool fast = machine_has_avx2();
        return fast ? avx2::relax_mesh(view, most, threshold, moved_.data(), rank, team, barrier)
                    : plain::relax_mesh(view, most, threshold, moved_.data(), rank, team, barrier);
    }
    nb::tuple step(Points position, Points velocity, double dt, double keep, Vector3 gravity, Vector3 wind, int most, double threshold) {
        return advance(*this, position, velocity, {dt, keep, gravity.data(), wind.data()}, most, static_cast<T>(threshold));
    }
    // the order in which pairs are visited by one thread, for the reference in the tests
    nb::ndarray<nb::numpy, std::int32_t> sequence() const {
        std::vector<std::int32_t> found;
        packed_.each([&](std::int32_t pair) { found.push_back(pair); });
        const std::size_t n = found.size();
        return own(std::move(found), {n});
    }

  private:
    int chunks_ = 1;
    T share_;
    Packed packed_;
    std::vector<std::int32_t> order_;
    std::vector<T> point_, before_, rest_, moved_;
    std::vector<char> free_;
};

template <class T>
void bind_kind(nb::module_ &m, const char *grid, const char *mesh) {
    nb::class_<VerletGrid<T>>(m, grid, "A grid of particles, row by row; see cloth/verlet.py.")
        .def(nb::init<int, int, In<double, GRID_CLASSES, -1>, In<double, GRID_CLASSES>>(), nb::arg("rows"), nb::arg("columns"),
             nb::arg("rest"), nb::arg("share"))
        .def("pin", &VerletGrid<T>::pin, nb::arg("particles"))
        .def("step", &VerletGrid<T>::step, nb::arg("position"), nb::arg("velocity"), nb::arg("dt"), nb::arg("keep"),
             nb::arg("gravity"), nb::arg("wind"), nb::arg("iterations"), nb::arg("threshold"), "-> position, velocity, sweeps");
    nb::class_<VerletMesh<T>>(m, mesh, "Particles joined by pairs; see cloth/verlet.py.")
        .def(nb::init<Indices, In<std::int32_t, -1, 2>, Numbers, double>(), nb::arg("order"), nb::arg("pairs"), nb::arg("rest"),
             nb::arg("share"))
        .def("pin", &VerletMesh<T>::pin, nb::arg("particles"))
        .def("sequence", &VerletMesh<T>::sequence)
        .def("step", &VerletMesh<T>::step, nb::arg("position"), nb::arg("velocity"), nb::arg("dt"), nb::arg("keep"),
             nb::arg("gravity"), nb::arg("wind"), nb::arg("iterations"), nb::arg("threshold"), "-> position, velocity, sweeps");
}

}  // namespace

void bind_verlet(nb::module_ &m) {
    bind_kind<float>(m, "VerletGridFloat", "VerletMeshFloat");
    bind_kind<double>(m, "VerletGridDouble", "VerletMeshDouble");
}
