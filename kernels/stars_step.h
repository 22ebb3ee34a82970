// Bending as two sparse products, part of xpbd_step.h. Whatever is read again and again stands in locals: a stored vector might be
// anything for the compiler, which would read every pointer again after it.
#pragma once
#include "wide.h"
#include "xpbd.h"

namespace TOILE_ISA {
namespace {

template <class T, int length, class I>
TOILE_INLINE Four<T> row_sum(const T *source, const I *at, const T *weight) {
    const auto point = [&](int k) { return load4(source + 4 * static_cast<std::size_t>(at[k])); };
    Four<T> sum = four<T>(weight[0]) * point(0);
    for (int k = 1; k < length; ++k) sum += four<T>(weight[k]) * point(k);
    return sum;
}

template <class T, int length, class I, class Use>
TOILE_INLINE void run_rows(const SparseRows<T, I> &rows, const RowRun &run, const T *source, const Use &use) {
    const I *at = rows.at + run.entry, *target = rows.target + run.first, *const end = rows.target + run.last;
    const T *weight = rows.weight + run.entry;
    for (; target < end; ++target, at += length, weight += length) use(*target, row_sum<T, length>(source, at, weight));
}

// calls use(target, sum) for every row of a chunk
template <class T, class I, class Use>
TOILE_INLINE void each_row(const SparseRows<T, I> &rows, int chunk, const T *source, const Use &use) {
    for (std::size_t k = rows.run_begin[chunk]; k < rows.run_begin[chunk + 1]; ++k) {
        const RowRun run = rows.run[k];
        switch (run.length) {
            case 4: run_rows<T, 4>(rows, run, source, use); break;
            case 5: run_rows<T, 5>(rows, run, source, use); break;
            case 6: run_rows<T, 6>(rows, run, source, use); break;
            case 7: run_rows<T, 7>(rows, run, source, use); break;
            case 8: run_rows<T, 8>(rows, run, source, use); break;
            case 9: run_rows<T, 9>(rows, run, source, use); break;
            case 10: run_rows<T, 10>(rows, run, source, use); break;
            default:
                for (std::size_t r = run.first, e = run.entry; r < run.last; ++r) {
                    Four<T> sum = four<T>(T(0));
                    for (int n = 0; n < run.length; ++n, ++e) sum += four<T>(rows.weight[e]) * load4(source + 4 * static_cast<std::size_t>(rows.at[e]));
                    use(rows.target[r], sum);
                }
        }
    }
}

// curvature vectors of a chunk's stars, times what they weigh in a substep (Stars::stiffness); the fourth number of a point must stay as it is
template <class T, class I>
void measure_bending(const Bending<T, I> &b, int chunk, const T *point, T step2) {
    T *const moment = b.moment;
    const T *const stiffness = b.stiffness, *const most = b.most, *const rest = b.rest;
    const Four<T> part = {T(1), T(1), T(1), T(0)};
    const auto keep = [=](std::int32_t star, Four<T> sum) TOILE_HERE {
        const T gain = stiffness[star] * step2;
        sum = sum * (four<T>(gain < most[star] ? gain : most[star]) * part);
        store4(moment + 4 * static_cast<std::size_t>(star), sum);
    };
    const SparseRows<T, I> rows = b.curvature;
    if (rest == nullptr)
        each_row<T>(rows, chunk, point, keep);
    else
        each_row<T>(rows, chunk, point,
                    [=](std::int32_t star, Four<T> sum) TOILE_HERE { keep(star, sum - load4(rest + 4 * static_cast<std::size_t>(star))); });
}
}  // namespace
}  // namespace TOILE_ISA
