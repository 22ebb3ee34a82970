// Bending as two sparse products, part of xpbd_step.h. Whatever is read again and again stands in locals: a stored vector might be
// anything for the compiler, which would read every pointer again after it.
#pragma once
#include "core/wide.h"
#include "cloth/xpbd.h"

namespace TOILE_ISA {
namespace {

template <class T, int length, class N>
TOILE_INLINE Four<T> row_sum(const T *source, const N *at, const T *weight) {
    const auto point = [&](int k) { return load4(source + 4 * static_cast<std::size_t>(at[k])); };
    Four<T> sum = four<T>(weight[0]) * point(0);
    for (int k = 1; k < length; ++k) sum += four<T>(weight[k]) * point(k);
    return sum;
}

template <class T, int length, class N, class Use>
TOILE_INLINE void run_rows(const RowList<T, N> &rows, const RowRun &run, std::size_t from, const T *source, const Use &use) {
    const N *at = rows.at + run.entry, *target = rows.target + run.first, *const end = rows.target + run.last;
    const T *weight = rows.weight + run.entry;
    source += 4 * from;
    for (; target < end; ++target, at += length, weight += length) use(from + *target, row_sum<T, length>(source, at, weight));
}
// of any length
template <class T, class N, class Use>
TOILE_INLINE void run_any_rows(const RowList<T, N> &rows, const RowRun &run, std::size_t from, const T *source, const Use &use) {
    for (std::size_t r = run.first, e = run.entry; r < run.last; ++r) {
        Four<T> sum = four<T>(T(0));
        for (int n = 0; n < run.length; ++n, ++e) sum += four<T>(rows.weight[e]) * load4(source + 4 * (from + rows.at[e]));
        use(from + rows.target[r], sum);
    }
}

// calls use(target, sum) for every row of a chunk
template <class T, class I, class Use>
TOILE_INLINE void each_row(const SparseRows<T, I> &both, int chunk, const T *source, const Use &use) {
    const RowList<T, std::uint16_t> rows = both.near;
    if constexpr (!SparseRows<T, I>::SMALL)
        for (std::size_t k = both.far.run_begin[chunk]; k < both.far.run_begin[chunk + 1]; ++k) run_any_rows<T>(both.far, both.far.run[k], 0, source, use);
    for (std::size_t k = rows.run_begin[chunk]; k < rows.run_begin[chunk + 1]; ++k) {
        const RowRun run = rows.run[k];
        const std::size_t from = SparseRows<T, I>::SMALL ? 0 : run.from;
        switch (run.length) {
            case 4: run_rows<T, 4>(rows, run, from, source, use); break;
            case 5: run_rows<T, 5>(rows, run, from, source, use); break;
            case 6: run_rows<T, 6>(rows, run, from, source, use); break;
            case 7: run_rows<T, 7>(rows, run, from, source, use); break;
            case 8: run_rows<T, 8>(rows, run, from, source, use); break;
            case 9: run_rows<T, 9>(rows, run, from, source, use); break;
            case 10: run_rows<T, 10>(rows, run, from, source, use); break;
            default: run_any_rows<T>(rows, run, from, source, use);
        }
    }
}

// use(stencil, Σ c x - rest) for the stencils of a chunk
template <class T, class I, class Use>
TOILE_INLINE void each_curvature(const Bending<T, I> &b, int chunk, const T *point, const Use &use) {
    const SparseRows<T, I> rows = b.curvature;
    const T *const rest = b.rest;
    if (rest == nullptr) return each_row<T>(rows, chunk, point, use);
    each_row<T>(rows, chunk, point, [=](std::size_t stencil, const Four<T> &sum) TOILE_HERE { use(stencil, sum - load4(rest + 4 * stencil)); });
}

// curvature vectors of a chunk's stencils, times what they weigh in a substep (BendingStencils::stiffness); the fourth number of a point must stay as it is
template <class T, class I>
void measure_bending(const Bending<T, I> &b, int chunk, const T *point, T step2) {
    T *const moment = b.moment;
    const T *const stiffness = b.stiffness, *const most = b.most;
    const Four<T> part = {T(1), T(1), T(1), T(0)};
    each_curvature<T>(b, chunk, point, [=](std::size_t stencil, Four<T> sum) TOILE_HERE {
        const T gain = stiffness[stencil] * step2;
        sum = sum * (four<T>(gain < most[stencil] ? gain : most[stencil]) * part);
        store4(moment + 4 * stencil, sum);
    });
}

inline float fourth_root(float x) { return __builtin_sqrtf(__builtin_sqrtf(x)); }
inline double fourth_root(double x) { return __builtin_sqrt(__builtin_sqrt(x)); }

// h C x, and h
template <class T, class I>
void measure_smooth(const Bending<T, I> &b, int chunk, const T *point, T step2) {
    const T *const full = b.smoothing.full, *const rate = b.smoothing.rate, root = fourth_root(step2);
    T *const source = b.smoothing.source;
    const Four<T> part = {T(1), T(1), T(1), T(0)}, last = {T(0), T(0), T(0), T(1)};
    each_curvature<T>(b, chunk, point, [=](std::size_t stencil, const Four<T> &sum) TOILE_HERE {
        const T s = root < full[stencil] ? root : full[stencil], h = rate[stencil] * (s * s * s);
        store4(source + 4 * stencil, four<T>(h) * (sum * part + last));
    });
}
// Their moments, when all are measured; chunk_count: between which edge stencils are shared out.
template <class T, class I>
void smooth_bending(const Bending<T, I> &b, int chunk, int chunk_count, T step2) {
    const Smoothing<T, I> how = b.smoothing;
    T *const moment = b.moment;
    const T *const source = how.source, *const full = how.full, *const stiffness = b.stiffness, root = fourth_root(step2);
    const Four<T> part = {T(1), T(1), T(1), T(0)};
    const auto keep = [=](std::size_t stencil, const Four<T> &sum) TOILE_HERE {
        const Four<T> u = load4(source + 4 * stencil);
        const T s = root < full[stencil] ? root : full[stencil], gain = stiffness[stencil] * (s * s) * (s * s);
        store4(moment + 4 * stencil, (u * four<T>(gain / u[3]) + sum * four<T>(u[3])) * part);
    };
    const std::size_t own = how.particle_count;
    each_row<T>(b.curvature, chunk, source, [=](std::size_t stencil, const Four<T> &sum) TOILE_HERE {
        if (stencil < own) keep(stencil, sum);
    });
    const std::size_t first = how.edge_count * chunk / chunk_count, past = how.edge_count * (chunk + 1) / chunk_count;
    for (const I *edge = how.edge + 3 * first; edge < how.edge + 3 * past; edge += 3) {
        const auto at = [=](int k) { return load4(source + 4 * static_cast<std::size_t>(edge[k])); };
        keep(edge[0], at(1) + at(2) - at(0) - at(0));
    }
}
}  // namespace
}  // namespace TOILE_ISA
