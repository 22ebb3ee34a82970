// What a cloth that is a rectangle of equal cells keeps between steps (grid_view.h).
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "core/uniform_or_each.h"
#include "cloth/compliance.h"
#include "cloth/grid_view.h"
#include "cloth/hierarchy.h"
#include "core/memory.h"
#include "contact/skin_planes.h"

// planes of the skin by place (GridPlanes)
template <class T>
class GridSkin {
  public:
    void pack(const GridLayout &fine, const SkinPlanes<T> &planes, const UniformOrEach<T> &thickness, const UniformOrEach<T> &friction) {
        begin_.assign(fine.rows + 1, 0);
        const auto each_row = [&](const auto &use) {
            for_ranges(fine.rows, 16, [&](std::size_t first, std::size_t last) {
                for (std::size_t r = first; r < last; ++r) use(static_cast<int>(r));
            });
        };
        each_row([&](int r) { each_block(fine, planes, r, [&](std::ptrdiff_t, int, int, std::size_t) { ++begin_[r + 1]; }); });
        for (int r = 0; r < fine.rows; ++r) begin_[r + 1] += begin_[r];
        place_.take(begin_.back()), plane_.take(begin_.back() * CONTACT_ROWS * WIDEST);
        each_row([&](int r) {
            std::size_t b = begin_[r];
            each_block(fine, planes, r, [&](std::ptrdiff_t at, int column, int lanes, std::size_t round) {
                T *to = plane_.data() + b * CONTACT_ROWS * WIDEST;
                place_[b++] = static_cast<std::int32_t>(at);
                for (int lane = 0; lane < WIDEST; ++lane) {
                    const std::size_t p = static_cast<std::size_t>(r) * fine.columns + column + PHASES * lane;
                    T rows[CONTACT_ROWS] = {T(0), T(0), T(0), T(-1)};  // never reached
                    if (lane < lanes && planes.begin[p] + round < planes.begin[p + 1]) planes.figures(planes.begin[p] + round, thickness[p], friction[p], rows);
                    for (int n = 0; n < CONTACT_ROWS; ++n) to[n * WIDEST + lane] = rows[n];
                }
            });
        });
    }
    void clear(const GridLayout &fine) { begin_.assign(fine.rows + 1, 0); }
    GridPlanes<T> view() const { return {begin_.data(), place_.data(), plane_.data()}; }
    std::size_t bytes() const { return bytes_of(begin_, place_, plane_); }

  private:
    // use(place, column, vertices, round) for vertices side by side of which one has skin: the first plane of each, the second ones …
    template <class Use>
    static void each_block(const GridLayout &fine, const SkinPlanes<T> &planes, int row, const Use &use) {
        const auto *begin = planes.begin.data() + static_cast<std::size_t>(row) * fine.columns;
        if (begin[0] == begin[fine.columns]) return;
        for (int phase = 0; phase < PHASES; ++phase)
            for (int k = 0; k < fine.count(phase); k += WIDEST) {
                const int column = phase + PHASES * k, lanes = std::min<int>(fine.count(phase) - k, WIDEST);
                std::size_t most = 0;
                for (int lane = 0; lane < lanes; ++lane) {
                    const int c = column + PHASES * lane;
                    most = std::max<std::size_t>(most, begin[c + 1] - begin[c]);
                }
                for (std::size_t round = 0; round < most; ++round) use(fine.at(row, phase) + k, column, lanes, round);
            }
    }
    std::vector<std::size_t> begin_;
    Scratch<std::int32_t> place_;
    Scratch<T> plane_;
};

// stencils at the border (BorderStencils)
template <class T>
class GridBorder {
  public:
    // each(use) calls use(stencil, particle, weight) for all of them, stencil by stencil; most have weights of nothing across the border
    template <class Each>
    void set(const GridLayout &fine, const Bands &bands, const Each &each) {
        *this = {};
        begin_.assign(1, 0), force_begin_.assign(1, 0), band_begin_.assign(1, 0);
        struct Force {
            std::size_t particle;
            std::int32_t stencil;
            T weight;
        };
        std::vector<Force> forces;
        T largest = T(0);
        each([&](std::int32_t, std::int32_t, T c) { largest = std::max(largest, std::abs(c)); });
        each([&](std::int32_t stencil, std::int32_t p, T c) {
            if (std::abs(c) < T(1e-6) * largest) return;
            if (stencils_.empty() || stencils_.back() != stencil) stencils_.push_back(stencil), begin_.push_back(begin_.back());
            place_.push_back(static_cast<std::int32_t>(fine.place(p / fine.columns, p % fine.columns))), weight_.push_back(c), ++begin_.back();
            forces.push_back({static_cast<std::size_t>(p), static_cast<std::int32_t>(stencils_.size() - 1), c});
        });
        std::stable_sort(forces.begin(), forces.end(), [](const Force &a, const Force &b) { return a.particle < b.particle; });
        std::size_t k = 0;
        for (int band = 0; band < bands.count; ++band) {
            for (; k < forces.size() && static_cast<int>(forces[k].particle / fine.columns) < bands.end(band); ++k) {
                if (k == 0 || forces[k - 1].particle != forces[k].particle) {
                    const auto p = static_cast<int>(forces[k].particle);
                    to_.push_back(static_cast<std::int32_t>(fine.place(p / fine.columns, p % fine.columns))), force_begin_.push_back(force_begin_.back());
                }
                stencil_.push_back(forces[k].stencil), force_weight_.push_back(forces[k].weight), ++force_begin_.back();
            }
            band_begin_.push_back(static_cast<std::int32_t>(to_.size()));
        }
        stiffness_.assign(stencils_.size(), T(0)), most_ = stiffness_, moment_.assign(4 * stencils_.size(), T(0));
    }
    // stiffness(stencil), most(stencil)
    template <class Stiffness, class Most>
    void set_stiffness(const Stiffness &stiffness, const Most &most) {
        for (std::size_t s = 0; s < stencils_.size(); ++s) stiffness_[s] = stiffness(stencils_[s]), most_[s] = most(stencils_[s]);
    }
    BorderStencils<T> view() {
        return {stencils_.size(), begin_.data(), place_.data(), weight_.data(), stiffness_.data(), most_.data(), moment_.data(), band_begin_.data(),
                to_.data(), force_begin_.data(), stencil_.data(), force_weight_.data()};
    }
    std::size_t bytes() const {
        return bytes_of(stencils_, begin_, place_, band_begin_, to_, force_begin_, stencil_, weight_, stiffness_, most_, moment_, force_weight_);
    }

  private:
    std::vector<std::int32_t> stencils_, begin_, place_, band_begin_, to_, force_begin_, stencil_;
    std::vector<T> weight_, stiffness_, most_, moment_, force_weight_;
};

// room for GridPush
template <class T>
class Push {
  public:
    void set(int rows, int columns, int finer_bands) {
        // whole lines of the cache: two threads that write to one would wait for each other
        rows_ = rows, columns_ = columns, pitch_ = (columns + 2 + (PHASES + 1) * WIDEST - 1) / WIDEST * WIDEST;
        for (auto &push : push_) push.assign(rows * pitch_, T(0));
        between_.assign(3 * finer_bands * pitch_, T(0));
    }
    GridPush<T> view() { return {rows_, columns_, pitch_, {push_[0].data(), push_[1].data(), push_[2].data()}, between_.data()}; }
    std::size_t bytes() const { return bytes_of(push_[0], push_[1], push_[2], between_); }

  private:
    int rows_ = 0, columns_ = 0;
    std::ptrdiff_t pitch_ = 0;
    AlignedVector<T> push_[3], between_;
};

template <class T>
class Grid {
  public:
    bool there() const { return view_.fine.rows > 0; }
    int columns() const { return view_.fine.columns; }
    int rows() const { return view_.fine.rows; }
    GridLayout fine() const { return view_.fine; }
    Bands bands() const { return view_.bands; }

    // shape: the figures of a cell; every second cell is cut along the other diagonal where they alternate
    void set(int rows, int columns, const GridView<T> &shape, bool alternate) {
        *this = {};
        view_ = shape, alternate_ = alternate;
        view_.fine = GridLayout(rows, columns), view_.bands = Bands::of(rows, PHASES, 3);
        const GridLayout &f = view_.fine;
        // a row of nothing before and after, for neighbours of the border
        const std::ptrdiff_t size = f.at(rows + 2, 0) + 2 * WIDEST;
        for (auto *part : {x_, before_, velocity_, moment_})
            for (int a = 0; a < 3; ++a) part[a].assign(size, T(0));
        stiffness_.assign(size, T(0)), most_ = stiffness_, weight_ = stiffness_, share_ = stiffness_;
        next_.assign(PHASES * f.pitch + WIDEST, T(0)), after_next_ = next_, half_.assign(next_.size(), T(1));
        for (int c = 0; c < columns; ++c) {
            const std::ptrdiff_t k = f.place(0, c);
            next_[k] = T(c + 1 < columns), after_next_[k] = T(c + 2 < columns);
            if (c == 0 || c + 1 == columns) half_[k] = T(2);
        }
    }
    // inverse_mass(vertex) [1/kg]
    template <class Value>
    void set_weight(const Value &inverse_mass) {
        fill(weight_, inverse_mass);
    }
    // of the stencil of each vertex that is the stencil `bend`, 0: none
    template <class Stiffness, class Most>
    void set_stiffness(const Stiffness &stiffness, const Most &most) {
        fill(stiffness_, stiffness), fill(most_, most);
        view_.soft_dt2 = std::numeric_limits<T>::max();
        for (std::size_t k = 0; k < stiffness_.size(); ++k)
            if (stiffness_[k] > T(0)) view_.soft_dt2 = std::min(view_.soft_dt2, most_[k] / stiffness_[k]);
    }
    // the finest level of coarse points; its limits go from row to row as COARSE_OFFSETS says
    void set_coarse(const Level &level) {
        const GridLayout &f = view_.fine;
        GridLayout &c = view_.coarse;
        c = GridLayout((f.rows + PHASES - 1) / PHASES, (f.columns + PHASES - 1) / PHASES);
        view_.coarse_bands = Bands::of(c.rows, 1, 6);
        const std::ptrdiff_t size = c.at(c.rows + 2, 0) + 2 * WIDEST;
        for (int a = 0; a < 3; ++a) coarse_x_[a].assign(size, T(0)), average_[a].assign(size, T(0));
        push_.set(c.rows, c.columns, view_.bands.count), coarser_push_ = {};
        coarse_weight_.assign(size, T(0)), coarse_share_ = {}, std::fill(share_.begin(), share_.end(), T(0));
        for (int k = 0; k < COARSE_OFFSET_COUNT; ++k) coarse_rest2_[k].assign(size, FAR), coarse_part_[k].assign(size, T(1));
        std::vector<T> slant[COARSE_OFFSET_COUNT];
        for (auto &of_kind : slant) of_kind.assign(size, T(0));
        for (std::size_t k = 0; k < level.count; ++k) {
            coarse_weight_[coarse_place(k)] = static_cast<T>(level.inverse_mass[k]);
            for (std::size_t e = level.average_begin[k]; e < level.average_begin[k + 1]; ++e)
                share_[inside(level.average_point[e])] = static_cast<T>(level.average_weight[e]);
        }
        for (std::size_t e = 0; e < level.rest.size(); ++e) {
            const int one = level.pair[2 * e], two = level.pair[2 * e + 1];
            const std::ptrdiff_t at = coarse_place(one);
            const int k = kind_of(one, two);
            if (k < COARSE_OFFSET_COUNT) coarse_rest2_[k][at] = static_cast<T>(level.rest[e] * level.rest[e]), slant[k][at] = static_cast<T>(level.slant[e]);
        }
        for (int k = 0; k < COARSE_OFFSET_COUNT; ++k) slant_[k] = UniformOrEach(std::move(slant[k]));
    }
    // the next coarser points, one to three by three of them
    void set_coarser(const Level &level) {
        const GridLayout &c = view_.coarse;
        coarser_push_.set((c.rows + PHASES - 1) / PHASES, c.count(0), view_.coarse_bands.count);
        coarse_share_.assign(coarse_weight_.size(), T(0));
        for (std::size_t k = 0; k < level.count; ++k)
            for (std::size_t e = level.average_begin[k]; e < level.average_begin[k + 1]; ++e)
                coarse_share_[coarse_place(level.average_point[e])] = static_cast<T>(level.average_weight[e]);
    }
    void forget_coarse() { view_.coarse = {}; }
    // how often the limit between two points of the finest level is swept in a substep
    int sweeps(std::int32_t one, std::int32_t two) const { return kind_of(one, two) < COARSE_OFFSETS_TWICE ? 2 : 1; }
    // limits of the finest level do so much of what they ask for
    void set_parts(const Stiffness &parts) {
        for (int k = 0; k < COARSE_OFFSET_COUNT; ++k) slant_[k].map([&](T slant) { return static_cast<T>(parts.part(slant)); }, coarse_part_[k].data());
    }
    // calls use(first point, second point, rest length, part) for every limit of the finest level
    template <class Use>
    void each_limit(const Use &use) const {
        const GridLayout &c = view_.coarse;
        for (int one = 0; one < c.rows * c.columns; ++one)
            for (int k = 0; k < COARSE_OFFSET_COUNT; ++k)
                if (const T rest2 = coarse_rest2_[k][coarse_place(one)]; rest2 < FAR)
                    use(one, one + COARSE_OFFSETS[k].rows * c.columns + COARSE_OFFSETS[k].columns, std::sqrt(rest2), coarse_part_[k][coarse_place(one)]);
    }
    // points of the finest level from vertices (n, 3)
    std::vector<double> averages(const std::vector<double> &x) const {
        const GridLayout &f = view_.fine, &c = view_.coarse;
        std::vector<double> coarse(3 * static_cast<std::size_t>(c.rows) * c.columns, 0.0);
        for (int p = 0; p < f.rows * f.columns; ++p)
            for (int a = 0; a < 3; ++a)
                coarse[3 * (p / f.columns / PHASES * c.columns + p % f.columns / PHASES) + a] += static_cast<double>(share_[inside(p)]) * x[3 * static_cast<std::size_t>(p) + a];
        return coarse;
    }
    std::size_t triangle_count() const { return 2 * static_cast<std::size_t>(rows() - 1) * (columns() - 1); }
    // how long the weft (0) and the warp (1) of a triangle are, squared and compared with their length at rest; x (vertex, 3) [m]
    void threads(std::size_t triangle, const double *x, double *length2) const {
        const std::size_t cell = triangle / 2, wide = columns(), row = cell / (wide - 1), column = cell % (wide - 1);
        const bool upper = triangle % 2, rising = !alternate_ || (row + column) % 2 == 0;
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
    // calls use(row, column) for the corners of all cells in the order of the sweep; see project_corner in grid_step.h
    template <class Use>
    void each_corner(const Use &use) const {
        const auto sweep = [&](int first, int last) {
            for (int odd = 0; odd < 2; ++odd)
                for (int phase = 0; phase < PHASES; ++phase)
                    for (int r = first + odd; r < last; r += 2)
                        for (int c = phase; c < columns(); c += PHASES) use(r, c);
        };
        const Bands &bands = view_.bands;
        for (int b = 0; b < bands.count; ++b) sweep(bands.begin(b), bands.end(b) - (bands.end(b) < rows()));
        for (int b = 0; b + 1 < bands.count; ++b) sweep(bands.end(b) - 1, bands.end(b));
    }
    std::size_t bytes() const {
        std::size_t sum = bytes_of(stiffness_, most_, weight_, share_, next_, after_next_, half_, coarse_weight_, coarse_share_) + push_.bytes() + coarser_push_.bytes() + border.bytes() + skin.bytes();
        for (const auto *part : {x_, before_, velocity_, moment_, coarse_x_, average_})
            for (int a = 0; a < 3; ++a) sum += bytes_of(part[a]);
        for (int k = 0; k < COARSE_OFFSET_COUNT; ++k) sum += bytes_of(coarse_rest2_[k], coarse_part_[k]) + slant_[k].bytes();
        return sum;
    }
    GridView<T> view() {
        GridView<T> v = view_;
        if (!there()) return v;
        const std::ptrdiff_t first = v.fine.at(1, 0);
        for (int a = 0; a < 3; ++a) {
            v.x[a] = x_[a].data() + first, v.before[a] = before_[a].data() + first;
            v.velocity[a] = velocity_[a].data() + first, v.moment[a] = moment_[a].data() + first;
        }
        v.stiffness = stiffness_.data() + first, v.most = most_.data() + first, v.weight = weight_.data() + first, v.share = share_.data() + first;
        v.next = next_.data(), v.after_next = after_next_.data(), v.half = half_.data();
        v.border = border.view(), v.planes = skin.view(), v.ball = ball;
        if (!v.coarse.rows) return v;
        const std::ptrdiff_t first_coarse = v.coarse.at(1, 0);
        for (int a = 0; a < 3; ++a) v.coarse_x[a] = coarse_x_[a].data() + first_coarse, v.average[a] = average_[a].data() + first_coarse;
        v.coarse_weight = coarse_weight_.data() + first_coarse, v.push = push_.view(), v.coarser_push = coarser_push_.view();
        if (v.coarser_push.rows) v.coarse_share = coarse_share_.data() + first_coarse;
        for (int k = 0; k < COARSE_OFFSET_COUNT; ++k) v.coarse_rest2[k] = coarse_rest2_[k].data() + first_coarse, v.coarse_part[k] = coarse_part_[k].data() + first_coarse;
        return v;
    }

    GridBorder<T> border;
    GridSkin<T> skin;
    GridBall<T> ball;

  private:
    static constexpr T FAR = T(1e9);
    // which of COARSE_OFFSETS leads from one point of the finest level to another; COARSE_OFFSET_COUNT: none
    int kind_of(std::int32_t one, std::int32_t two) const {
        const int columns = view_.fine.count(0), down = two / columns - one / columns, along = two % columns - one % columns;
        int kind = 0;
        while (kind < COARSE_OFFSET_COUNT && (COARSE_OFFSETS[kind].rows != down || COARSE_OFFSETS[kind].columns != along)) ++kind;
        return kind;
    }
    // where a vertex, and a coarse point, is in the arrays here, which begin with a row of nothing
    std::ptrdiff_t inside(std::size_t p) const { return view_.fine.place(static_cast<int>(p / columns()) + 1, static_cast<int>(p % columns())); }
    std::ptrdiff_t coarse_place(std::size_t k) const {
        return view_.coarse.place(static_cast<int>(k / view_.coarse.columns) + 1, static_cast<int>(k % view_.coarse.columns));
    }
    template <class Value>
    void fill(AlignedVector<T> &to, const Value &value) {
        std::size_t p = 0;
        for (int r = 0; r < rows(); ++r)
            for (int c = 0; c < columns(); ++c) to[view_.fine.place(r + 1, c)] = value(p++);
    }
    GridView<T> view_;
    bool alternate_ = false;
    AlignedVector<T> x_[3], before_[3], velocity_[3], moment_[3], stiffness_, most_, weight_, share_, next_, after_next_, half_;
    AlignedVector<T> coarse_x_[3], average_[3], coarse_weight_, coarse_share_, coarse_rest2_[COARSE_OFFSET_COUNT], coarse_part_[COARSE_OFFSET_COUNT];
    UniformOrEach<T> slant_[COARSE_OFFSET_COUNT];  // sin 2θ of each limit
    Push<T> push_, coarser_push_;
};
