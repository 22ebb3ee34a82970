// The exact fallbacks: every product of coordinates is written as a sum of doubles without rounding, and all are added up
// in an expansion (a sum of doubles whose bits do not overlap, smallest first), whose last term has the sign of the whole.
#include "geometry/predicates.h"

namespace surface {
namespace {

struct Pair {
    double high, low;
};

Pair two_sum(double a, double b) {
    const double high = a + b, part = high - a;
    return {high, (a - (high - part)) + (b - part)};
}

// halves of 26 bits, so that products of halves are exact (Dekker 1971)
Pair halves(double a) {
    const double c = 134217729.0 * a, high = c - (c - a);
    return {high, a - high};
}

Pair two_product(double a, double b) {
    const double high = a * b;
    const Pair p = halves(a), q = halves(b);
    const double rest = ((high - p.high * q.high) - p.low * q.high) - p.high * q.low;
    return {high, p.low * q.low - rest};
}

class Expansion {
  public:
    void add(double value) {
        int kept = 0;
        for (int i = 0; i < count_; ++i) {
            const Pair s = two_sum(value, term_[i]);
            if (s.low != 0) term_[kept++] = s.low;
            value = s.high;
        }
        if (value != 0) term_[kept++] = value;
        count_ = kept;
    }
    void add_product(double a, double b, double sign) {
        const Pair p = two_product(a, b);
        add(sign * p.low);
        add(sign * p.high);
    }
    void add_product(double a, double b, double c, double sign) {
        const Pair p = two_product(a, b);
        add_product(p.low, c, sign);
        add_product(p.high, c, sign);
    }
    int sign() const { return count_ == 0 ? 0 : term_[count_ - 1] > 0 ? 1 : -1; }

  private:
    double term_[128];  // at most 24 products of three numbers, each four terms
    int count_ = 0;
};

// determinant of the rows a, b, c, times sign
void add_determinant(Expansion &sum, Vec3 a, Vec3 b, Vec3 c, double sign) {
    sum.add_product(a.x, b.y, c.z, sign);
    sum.add_product(a.y, b.z, c.x, sign);
    sum.add_product(a.z, b.x, c.y, sign);
    sum.add_product(a.z, b.y, c.x, -sign);
    sum.add_product(a.y, b.x, c.z, -sign);
    sum.add_product(a.x, b.z, c.y, -sign);
}

}  // namespace

int orient3d_exact(Vec3 a, Vec3 b, Vec3 c, Vec3 d) {
    // |a 1; b 1; c 1; d 1| by its last column
    Expansion sum;
    add_determinant(sum, a, b, c, 1);
    add_determinant(sum, a, b, d, -1);
    add_determinant(sum, a, c, d, 1);
    add_determinant(sum, b, c, d, -1);
    return sum.sign();
}

int orient2d_exact(double ax, double ay, double bx, double by, double cx, double cy) {
    Expansion sum;
    sum.add_product(ax, by, 1), sum.add_product(ay, bx, -1);
    sum.add_product(bx, cy, 1), sum.add_product(by, cx, -1);
    sum.add_product(cx, ay, 1), sum.add_product(cy, ax, -1);
    return sum.sign();
}

}  // namespace surface
