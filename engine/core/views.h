// Arrays that belong to the caller: what functions of the engine are given. Whoever calls from outside (a binding) has checked shapes and indices.
#pragma once
#include <cstddef>
#include <cstdint>

// `rows` rows of Width numbers each, one after the other
template <class T, std::size_t Width = 1>
class RowsView {
  public:
    RowsView() = default;
    RowsView(const T *data, std::size_t rows) : data_(data), rows_(rows) {}
    const T *data() const { return data_; }
    const T *row(std::size_t i) const { return data_ + Width * i; }
    const T &operator[](std::size_t i) const { return data_[i]; }
    std::size_t rows() const { return rows_; }
    std::size_t size() const { return Width * rows_; }

  private:
    const T *data_ = nullptr;
    std::size_t rows_ = 0;
};

using NumbersView = RowsView<double>;
using IndicesView = RowsView<std::int32_t>;
using FlagsView = RowsView<bool>;
using PointsView = RowsView<double, 3>;
using PairsView = RowsView<std::int32_t, 2>;
using TrianglesView = RowsView<std::int32_t, 3>;
