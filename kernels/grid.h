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

    void set(const GridView<T> &shape) {
        view_ = shape;
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
    // inverse_mass(vertex) [1/kg]
    template <class Value>
    void set_weight(const Value &inverse_mass) {
        fill(weight_, inverse_mass);
    }
    // gain(vertex) of the star that is the stencil `bend`; 0: none
    template <class Value>
    void set_gain(const Value &gain) {
        fill(gain_, gain);
    }
    std::size_t triangle_count() const { return 2 * static_cast<std::size_t>(view_.rows - 1) * (view_.columns - 1); }
    // how long the weft (0) and the warp (1) of a triangle are, squared and compared with their length at rest; x (vertex, 3) [m]
    void threads(std::size_t triangle, const double *x, double *length2) const {
        const std::size_t cell = triangle / 2, wide = view_.columns, row = cell / (wide - 1), column = cell % (wide - 1);
        const bool upper = triangle % 2, rising = !view_.alternate || (row + column) % 2 == 0;
        const std::size_t weft = (row + upper) * wide + column, warp = row * wide + column + (rising != upper);
        const std::size_t side[2][2] = {{weft, weft + 1}, {warp, warp + wide}};
        for (int k = 0; k < 2; ++k) {
            length2[k] = 0.0;
            for (int a = 0; a < 3; ++a) {
                const double d = (x[3 * side[k][1] + a] - x[3 * side[k][0] + a]) * static_cast<double>(view_.per_cell[k]);
                length2[k] += d * d;
            }
        }
    }
    std::size_t bytes() const {
        return bytes_of(x_[0], x_[1], x_[2], moment_[0], moment_[1], moment_[2], gain_, weight_, next_, after_next_);
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
    std::vector<T> x_[3], moment_[3], gain_, weight_, next_, after_next_;
};
