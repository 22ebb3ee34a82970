// All substeps of a rectangle of equal cells: the equations of xpbd_step.h, by which it is included, without lists.
#pragma once
#include "cloth/grid_coarse.h"
#include "core/threads.h"

namespace TOILE_ISA {
namespace {

// what one thread does
template <class T, class I>
struct GridRun {
    const ClothView<T, I> &cloth;
    const GridView<T> &g;
    const StepOptions<T> &o;
    const int rank, size;
    Barrier &barrier;
    const RowAir<T> air;
    const Wide<T> thread_part;
    const Share bands, coarse_bands;

    GridRun(const ClothView<T, I> &c, const StepOptions<T> &options, int r, int s, Barrier &b)
        : cloth(c), g(c.grid), o(options), rank(r), size(s), barrier(b), air(g, o), thread_part(wide<T>(o.thread_part)),
          bands(share(g.bands.count, r, s)), coarse_bands(share(g.coarse_bands.count, r, s)) {}

    template <class Use>
    void each_band(const Share &mine, const Use &use) {
        for (std::size_t b = mine.begin; b < mine.end; ++b) use(b);
        barrier.wait();
    }
    bool limited() const { return cloth.level_count > 0; }

    // Predicted rows are averaged, and their curvature measured while they are at hand; the outermost rows of a thread wait for
    // their neighbours.
    template <class Predict>
    void predict(bool first_substep, const Predict &row_of) {
        const T dt2 = o.asked_dt2(first_substep);
        const int first = g.bands.begin(bands.begin), past = g.bands.begin(bands.end);
        int measured = first + 1;
        each_band(bands, [&](std::size_t b) {
            for (int r = g.bands.begin(b); r < g.bands.end(b); ++r) row_of(r);
            if (limited())
                for (int r = g.bands.begin(b); r < g.bands.end(b); r += PHASES) average_vertices(g, r / PHASES);
            for (; measured + 1 < g.bands.end(b); ++measured) measure_row(g, measured, dt2);
        });
        if (first < past) {
            measure_row(g, first, dt2);
            if (past - 1 > first) measure_row(g, past - 1, dt2);
        }
    }

    // coarser levels are few points: one thread works on them, the others meanwhile on the border
    void coarsest(bool first_substep) {
        const int helpers = size > 1 ? size - 1 : 1;
        if (rank > 0 || size == 1) {
            const Share mine = share(g.border.count, size > 1 ? rank - 1 : 0, helpers);
            measure_border(g, mine.begin, mine.end, o.asked_dt2(first_substep));
        }
        if (rank == 0 && limited()) {
            Barrier alone(1);
            const LevelView<T, I> &next = cloth.level[1];
            for (int r = 0; r < g.coarser_push.rows; ++r) average_coarse(g, r, next.point, next.start);
            for (int l = 2; l < cloth.level_count; ++l) average(cloth.level[l], cloth.level[l - 1].point, 0, cloth.level[l].count);
            for (int l = cloth.level_count - 1; l > 0; --l) limit_level(cloth, o, l, 0, 1, alone);
            keep_coarser_push(g.coarser_push, next.point, next.start);
        }
        barrier.wait();
    }
    // Two sweeps over the limits of bands of coarse rows, the second shifted by half a band: what joins two bands after one sweep lies
    // within a band of the other, so that threads wait for each other three times, not five.
    int middle(std::size_t band) const { return (g.coarse_bands.begin(band) + g.coarse_bands.end(band)) / 2; }
    void limit() {
        const std::size_t last = g.coarse_bands.count - 1;
        each_band(coarse_bands, [&](std::size_t b) {
            for (int r = g.coarse_bands.begin(b); r < g.coarse_bands.end(b); ++r) place_coarse(g, b, r);
            limit_within(g, g.coarse_bands.begin(b), g.coarse_bands.end(b), COARSE_OFFSET_COUNT, o.pulls);
        });
        each_band(coarse_bands, [&](std::size_t b) {
            if (b == 0) limit_within(g, 0, middle(0), COARSE_OFFSETS_TWICE, o.pulls);
            if (b < last) limit_across(g, g.coarse_bands.end(b), COARSE_OFFSET_COUNT, o.pulls);
            limit_within(g, middle(b), b < last ? middle(b + 1) : g.coarse.rows, COARSE_OFFSETS_TWICE, o.pulls);
        });
        each_band(coarse_bands, [&](std::size_t b) {
            limit_across(g, middle(b), COARSE_OFFSETS_TWICE, o.pulls);
            for (int r = g.coarse_bands.begin(b); r < g.coarse_bands.end(b); ++r) keep_push(g, r);
        });
    }
    void sweep(bool first_substep) {
        const T inverse_dt2 = T(1) / o.asked_dt2(first_substep);
        each_band(bands, [&](std::size_t b) {
            bend_border(g, b);
            for (int r = g.bands.begin(b); r < g.bands.end(b); ++r) carry_row(g, b, r, limited());
            sweep_band(g, b, inverse_dt2, o.compression, o.pulls, thread_part);
        });
        each_band(bands, [&](std::size_t b) {
            if (g.bands.end(b) < g.fine.rows) join_bands(g, b, inverse_dt2, o.compression, o.pulls, thread_part);
        });
    }

    void even_out() {
        const auto each_row = [&](const auto &use) {
            each_band(bands, [&](std::size_t b) {
                for (int r = g.bands.begin(b); r < g.bands.end(b); ++r) use(r);
            });
        };
        each_row([&](int r) { even_row(g, r, o); });
        each_row([&](int r) { settle_row(g, r); });
    }

    // cloth against cloth works on particles
    void show_particles() {
        each_band(bands, [&](std::size_t b) {
            for (int r = g.bands.begin(b); r < g.bands.end(b); ++r)
                write_row(g.fine, g.x, g.weight, cloth.point, r), write_row(g.fine, g.before, g.weight, cloth.before, r);
        });
        const Share mine = share(cloth.pairs.block_count, rank, size);
        measure_pairs(cloth.pairs, cloth.point, cloth.before, o, mine.begin, mine.end);
        barrier.wait();
    }
    void push_apart(int row) {
        const std::size_t first = static_cast<std::size_t>(row) * g.fine.columns;
        for (std::size_t p = first; p < first + g.fine.columns; ++p)
            if (cloth.point[4 * p + 3] != T(0)) apply_pairs(cloth.pairs, p, cloth.point + 4 * p, cloth.before + 4 * p);
        read_row(g.fine, cloth.point, g.x, row), read_row(g.fine, cloth.before, g.before, row);
    }
    void finish(int row, T time, bool last) {
        const bool pairs = cloth.pairs.block_count;
        if (pairs) ask_row(g, air.dt, row), push_apart(row);
        finish_row(g, o, air, row, time, pairs, last);
    }

    void run() {
        predict(true, [&](int r) {
            read_row(g.fine, cloth.point, g.x, r), read_row(g.fine, cloth.velocity, g.before, r);
            start_row(g, air, r);
        });
        for (int s = 0; s < o.substep_count; ++s) {
            const bool last = s + 1 == o.substep_count;
            const T time = o.dt * T(s + 1);
            coarsest(s == 0);
            if (limited()) limit();
            sweep(s == 0);
            if (last && o.evening > T(0)) even_out();
            if (cloth.pairs.block_count) show_particles();
            if (!last) predict(false, [&](int r) { finish(r, time, false); });
            else
                each_band(bands, [&](std::size_t b) {
                    for (int r = g.bands.begin(b); r < g.bands.end(b); ++r) {
                        finish(r, time, true);
                        write_row(g.fine, g.x, g.weight, cloth.point, r), write_row(g.fine, g.before, g.weight, cloth.velocity, r);
                    }
                });
        }
    }
};
}  // namespace
}  // namespace TOILE_ISA
