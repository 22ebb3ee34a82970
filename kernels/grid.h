// What a cloth that is a rectangle of equal cells keeps between steps (grid_view.h).
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "grid_view.h"
#include "memory.h"

template <class T>
class Grid {
  public:
    bool there() const { return view_.rows > 0; }
    int columns() const { return view_.columns; }
    const std::vector<std::int32_t> &star_of() const { return star_of_; }

    // star_of (vertex): the star that is the stencil `bend`, -1: none
    void set(const GridView<T> &shape, std::vector<std::int32_t> star_of) {
        view_ = shape, star_of_ = std::move(star_of);
        constexpr std::ptrdiff_t widest = 16;
        view_.pitch = (view_.count(0) + 1 + widest - 1) / widest * widest;
        // a row of nothing before and after, for neighbours of the border
        const std::ptrdiff_t size = view_.at(view_.rows + 2, 0) + widest;
        for (auto *a : {&x_[0], &x_[1], &x_[2], &moment_[0], &moment_[1], &moment_[2], &gain_, &weight_}) a->assign(size, T(0));
        next_.assign(PHASES * view_.pitch, T(0)), after_next_ = next_;
        for (int c = 0; c < view_.columns; ++c) {
            const std::ptrdiff_t k = c % PHASES * view_.pitch + c / PHASES;
            next_[k] = T(c + 1 < view_.columns), after_next_[k] = T(c + 2 < view_.columns);
        }
    }
    void set_weight(const std::vector<T> &inverse_mass) { fill(weight_, [&](std::size_t p) { return inverse_mass[p]; }); }
    void set_gain(const std::vector<T> &gain) {
        fill(gain_, [&](std::size_t p) { return star_of_[p] < 0 ? T(0) : gain[star_of_[p]]; });
    }
    std::size_t bytes() const {
        return bytes_of(star_of_, x_[0], x_[1], x_[2], moment_[0], moment_[1], moment_[2], gain_, weight_, next_, after_next_);
    }
    GridView<T> view() {
        GridView<T> v = view_;
        if (!there()) return v;
        const std::ptrdiff_t first = v.at(1, 0);
        for (int a = 0; a < 3; ++a) v.x[a] = x_[a].data() + first, v.moment[a] = moment_[a].data() + first;
        v.gain = gain_.data() + first, v.weight = weight_.data() + first;
        v.next = next_.data(), v.after_next = after_next_.data();
        return v;
    }
    // calls use(row, column, upper) for all triangles in the order of the sweep
    template <class Use>
    void each_triangle(const Use &use) const {
        const auto cells = [&](int row, int phase) {
            for (int c = phase; c + 1 < view_.columns; c += PHASES)
                for (int upper = 0; upper < 2; ++upper) use(row, c, upper);
        };
        const auto rows = [&](int first, int last) {
            for (int odd = 0; odd < 2; ++odd)
                for (const int phase : {0, 2, 1, 3})
                    for (int r = first + odd; r < last; r += 2) cells(r, phase);
        };
        for (int b = 0; b < view_.band_count(); ++b) rows(b * BAND, std::min((b + 1) * BAND, view_.rows) - 1);
        for (int r = BAND - 1; r + 1 < view_.rows; r += BAND) rows(r, r + 1);
    }

  private:
    template <class Value>
    void fill(std::vector<T> &to, const Value &value) {
        for (int r = 0; r < view_.rows; ++r)
            for (int c = 0; c < view_.columns; ++c)
                to[view_.at(r + 1, c % PHASES) + c / PHASES] = value(static_cast<std::size_t>(r) * view_.columns + c);
    }
    GridView<T> view_;
    std::vector<std::int32_t> star_of_;
    std::vector<T> x_[3], moment_[3], gain_, weight_, next_, after_next_;
};
