// Included by verlet_plain.cpp and verlet_avx2.cpp, which set TOILE_ISA. Raw pointers only: a library template instantiated here
// could be linked into code that runs on older machines.
#include "core/lanes.h"
#include "cloth/batches.h"
#include "cloth/verlet_view.h"

namespace TOILE_ISA {
namespace {

template <class T>
inline void put(T *p, const Lane<T> &v) {
    std::memcpy(p, &v, sizeof v);
}

template <class T>
struct Pair {
    T *a, *b;                 // x of the first pair's particles
    const T *wa, *wb, *rest;  // may be null
    T equal_rest;
    const T *mask;  // for the last sixteen; null: all are pairs
    T share;
};

// eq. 2 over `lanes` pairs that share no particle: d = b - a, both ends move by share (|d| - rest) along d
template <class T, bool pinned, bool uniform>
inline void project(const Pair<T> &p, int lanes, std::size_t y, std::size_t z) {
    const Lane<T> tiny = splat<T>(T(1e-12)), share = splat<T>(p.share), scaled = splat<T>(p.share * p.equal_rest);
    for (int k = 0; k < lanes; k += LANES) {
        T *a = p.a + k, *b = p.b + k;
        Lane<T> ax = load(a), ay = load(a + y), az = load(a + z), bx = load(b), by = load(b + y), bz = load(b + z);
        const Lane<T> dx = bx - ax, dy = by - ay, dz = bz - az;
        const Lane<T> length = at_least(square_root(dx * dx + dy * dy + dz * dz), tiny);
        Lane<T> s = share - (uniform ? scaled : share * load(p.rest + k)) / length;
        if (p.mask && k + 2 * LANES >= lanes) s *= load(p.mask + (k + 2 * LANES - lanes));
        Lane<T> sa = s, sb = s;
        if (pinned) {
            const Lane<T> wa = load(p.wa + k), wb = load(p.wb + k), sum = at_least(wa + wb, tiny);
            s = s * splat<T>(T(2)) / sum;
            sa = s * wa, sb = s * wb;
        }
        ax += dx * sa, ay += dy * sa, az += dz * sa;
        bx -= dx * sb, by -= dy * sb, bz -= dz * sb;
        put<T>(a, ax), put<T>(a + y, ay), put<T>(a + z, az);
        put<T>(b, bx), put<T>(b + y, by), put<T>(b + z, bz);
    }
}

template <class T, bool pinned, bool uniform>
struct Grid {
    const VerletGridView<T> &g;
    std::size_t y, z;

    // particles (row0, column) and (row1, column + shift); first: where the column of the class starts counting
    void link(GridClass kind, int row0, int row1, int from, int to) const {
        if (g.share[kind] == T(0) || row1 >= g.rows) return;
        T *upper = g.point + row0 * g.stride, *lower = g.point + row1 * g.stride;
        const std::size_t weights = static_cast<std::size_t>(4) * g.lanes;
        const T *wu = pinned ? g.weight + row0 * weights : nullptr, *wl = pinned ? g.weight + row1 * weights : nullptr;
        const T *rest = uniform ? nullptr : g.rest[kind] + row0 * weights;
        const int distance = from > to ? from - to : to - from;
        for (int phase = 0; phase < 4; ++phase) {
            const std::size_t a = place(phase + from), b = place(phase + to);
            const T *mask = distance ? g.mask + ((distance - 1) * 4 + phase) * 2 * LANES : nullptr;
            project<T, pinned, uniform>({upper + a, lower + b, wu + (pinned ? a : 0), wl + (pinned ? b : 0),
                                         uniform ? nullptr : rest + place(phase), g.uniform_rest[kind], mask, g.share[kind]},
                                        g.lanes, y, z);
        }
    }
    // where a column's lane starts: phases beyond the fourth are the next particle of an earlier phase
    std::size_t place(int phase) const { return static_cast<std::size_t>(phase % 4) * g.lanes + phase / 4; }

    void row(int r) const {
        link(ACROSS, r, r, 0, 1);
        link(ACROSS2, r, r, 0, 2);
        link(DOWN, r, r + 1, 0, 0);
        link(FALLING, r, r + 1, 0, 1);
        link(RISING, r, r + 1, 1, 0);
        link(DOWN2, r, r + 2, 0, 0);
    }
};

// how many of `count` points went farther than the threshold; the three coordinates of a point lie `apart`
template <class T>
int moving(const T *now, const T *before, std::size_t count, std::size_t step, std::size_t apart, T threshold) {
    int found = 0;
    const T least = threshold * threshold;
    for (std::size_t i = 0; i < count; ++i) {
        const T *a = now + i * step, *b = before + i * step;
        const T x = a[0] - b[0], y = a[apart] - b[apart], z = a[2 * apart] - b[2 * apart];
        found += x * x + y * y + z * z >= least;
    }
    return found;
}

template <class T>
bool still(const T *moved, int count, int allowed) {
    T total = T(0);
    for (int i = 0; i < count; ++i) total += moved[i];
    return total <= T(allowed);
}

template <class T, bool pinned, bool uniform>
int sweeps(const VerletGridView<T> &g, const VerletStop<T> &stop, T *moved, int rank, int size, Barrier &barrier) {
    const Grid<T, pinned, uniform> grid{g, static_cast<std::size_t>(4) * g.lanes, static_cast<std::size_t>(8) * g.lanes};
    const int bands = band_count(g.rows);
    const int first = bands * rank / size, last = bands * (rank + 1) / size;
    const auto end = [&](int band) { return band + 1 == bands ? g.rows : (band + 1) * BAND_ROWS; };
    for (int sweep = 1; sweep <= stop.most; ++sweep) {
        for (int band = first; band < last; ++band) {
            const std::size_t at = static_cast<std::size_t>(band) * BAND_ROWS * g.stride;
            if (g.before && stop.checks(sweep))
                std::memcpy(g.before + at, g.point + at, ((end(band) - band * BAND_ROWS) * g.stride) * sizeof(T));
            // rows whose constraints stay inside the band; the last band has no neighbour
            const int inner = band + 1 == bands ? g.rows : end(band) - 2;
            for (int r = band * BAND_ROWS; r < inner; ++r) grid.row(r);
        }
        barrier.wait();
        for (int band = first; band < last && band + 1 < bands; ++band)
            for (int r = end(band) - 2; r < end(band); ++r) grid.row(r);
        barrier.wait();
        if (!g.before || !stop.checks(sweep)) continue;
        for (int band = first; band < last; ++band) {
            const std::size_t at = static_cast<std::size_t>(band) * BAND_ROWS * g.stride;
            const std::size_t row = static_cast<std::size_t>(4) * g.lanes;
            int found = 0;
            for (std::size_t r = at; r < static_cast<std::size_t>(end(band)) * g.stride; r += g.stride)
                found += moving<T>(g.point + r, g.before + r, row, 1, row, stop.threshold);
            moved[band] = T(found);
        }
        barrier.wait();
        const bool done = still<T>(moved, bands, stop.moving);
        barrier.wait();
        if (done) return sweep;
    }
    return stop.most;
}

template <class T>
struct PairBlock {
    const std::int32_t *index;
    Lanes4<T> i, j;
    inline void project(const VerletMeshView<T> &m, std::size_t b) {
        const Lane<T> tiny = splat<T>(T(1e-12)), share = splat<T>(T(2) * m.share);
        index = m.index + b * 2 * LANES;
        i = gather(m.point, index), j = gather(m.point, index + LANES);
        const Lane<T> dx = j.x - i.x, dy = j.y - i.y, dz = j.z - i.z;
        const Lane<T> length = at_least(square_root(dx * dx + dy * dy + dz * dz), tiny);
        const Lane<T> sum = at_least(i.w + j.w, tiny);
        const Lane<T> wanted = at_most(at_least(length, load(m.low + b * LANES)), load(m.high + b * LANES));
        const Lane<T> s = share * (length - wanted) / (length * sum);
        const Lane<T> si = s * i.w, sj = s * j.w;
        i.x += dx * si, i.y += dy * si, i.z += dz * si;
        j.x -= dx * sj, j.y -= dy * sj, j.z -= dz * sj;
    }
    inline void write(T *point) { scatter(point, index, i), scatter(point, index + LANES, j); }
};
template <class T>
void project_pairs(const VerletMeshView<T> &m, int group) {
    for (std::size_t b = m.begin[group]; b < m.begin[group + 1]; b += BLOCKS_AT_ONCE) {
        PairBlock<T> one, two;
        one.project(m, b), two.project(m, b + 1);
        one.write(m.point), two.write(m.point);
    }
}

template <class T>
int sweeps(const VerletMeshView<T> &m, const VerletStop<T> &stop, T *moved, int rank, int size, Barrier &barrier) {
    const int first = m.chunks * rank / size, last = m.chunks * (rank + 1) / size;
    const auto begin = [&](int chunk) { return m.count * chunk / m.chunks; };
    for (int sweep = 1; sweep <= stop.most; ++sweep) {
        if (m.before && stop.checks(sweep))
            std::memcpy(m.before + 4 * begin(first), m.point + 4 * begin(first), 4 * (begin(last) - begin(first)) * sizeof(T));
        for (int chunk = first; chunk < last; ++chunk) project_pairs(m, chunk);
        barrier.wait();
        for (int chunk = first; chunk < last; ++chunk) project_pairs(m, m.chunks + chunk);
        barrier.wait();
        // what reaches farther than from a chunk to the next, alone
        if (rank == 0) project_pairs(m, 2 * m.chunks);
        barrier.wait();
        if (!m.before || !stop.checks(sweep)) continue;
        for (int chunk = first; chunk < last; ++chunk)
            moved[chunk] = T(moving<T>(m.point + 4 * begin(chunk), m.before + 4 * begin(chunk), begin(chunk + 1) - begin(chunk), 4, 1, stop.threshold));
        barrier.wait();
        const bool done = still<T>(moved, m.chunks, stop.moving);
        barrier.wait();
        if (done) return sweep;
    }
    return stop.most;
}

template <class T>
int choose(const VerletGridView<T> &g, const VerletStop<T> &stop, T *moved, int rank, int size, Barrier &barrier) {
    const bool uniform = g.rest[0] == nullptr;
    if (g.weight)
        return uniform ? sweeps<T, true, true>(g, stop, moved, rank, size, barrier)
                       : sweeps<T, true, false>(g, stop, moved, rank, size, barrier);
    return uniform ? sweeps<T, false, true>(g, stop, moved, rank, size, barrier)
                   : sweeps<T, false, false>(g, stop, moved, rank, size, barrier);
}
}  // namespace

int relax_grid(const VerletGridView<float> &g, const VerletStop<float> &stop, float *moved, int rank, int size, Barrier &b) {
    return choose(g, stop, moved, rank, size, b);
}
int relax_grid(const VerletGridView<double> &g, const VerletStop<double> &stop, double *moved, int rank, int size, Barrier &b) {
    return choose(g, stop, moved, rank, size, b);
}
int relax_mesh(const VerletMeshView<float> &m, const VerletStop<float> &stop, float *moved, int rank, int size, Barrier &b) {
    return sweeps(m, stop, moved, rank, size, b);
}
int relax_mesh(const VerletMeshView<double> &m, const VerletStop<double> &stop, double *moved, int rank, int size, Barrier &b) {
    return sweeps(m, stop, moved, rank, size, b);
}
}  // namespace TOILE_ISA
