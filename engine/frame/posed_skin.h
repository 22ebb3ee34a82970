// The skin of a body at one instant: a value that is handed on, never a state of the contact.
#pragma once
#include <cstddef>
#include <memory>
#include <utility>

namespace frame {

class PosedSkin {
  public:
    PosedSkin() = default;
    PosedSkin(std::shared_ptr<const double> vertices, std::size_t count) : vertices_(std::move(vertices)), count_(count) {}
    // (count, 3) [m]
    const double *data() const { return vertices_.get(); }
    std::size_t count() const { return count_; }
    explicit operator bool() const { return vertices_ != nullptr; }
    // the very same array, not only the same numbers
    bool is(const PosedSkin &other) const { return vertices_ == other.vertices_; }

  private:
    std::shared_ptr<const double> vertices_;
    std::size_t count_ = 0;
};

// room for the vertices of a pose, to be filled before it is handed on
inline std::shared_ptr<double> reserve_vertices(std::size_t count) {
    return {new double[3 * count], std::default_delete<double[]>()};
}

}  // namespace frame
