// Functions that other programs take from the C library, whose last digits differ from one library to the next. Cloth that whips multiplies such a
// difference a million times within a second, so whatever moves cloth takes these: additions, multiplications, divisions and square roots in a fixed
// order, which IEEE 754 rounds alike on every machine (the build allows neither fused nor reordered operations).
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace fixed_math {

constexpr double PI = 3.141592653589793;

namespace detail {
constexpr double LN2_HIGH = 0x1.62e42fefp-1, LN2_LOW = 0x1.473de6af278edp-34;  // ln 2 in two parts: whole multiples of the first are exact

// c[0] + x (c[1] + x (c[2] + …))
template <int N>
constexpr double polynomial(const double (&c)[N], double x) {
    double sum = c[N - 1];
    for (int k = N - 2; k >= 0; --k) sum = c[k] + x * sum;
    return sum;
}
// x · 2^k, where the result is a normal number
inline double scaled(double x, int k) { return x * std::bit_cast<double>(static_cast<std::uint64_t>(1023 + k) << 52); }
}  // namespace detail

// Natural logarithm of a positive normal number, within a unit in the last place, or 1e-16.
inline double log(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    int exponent = static_cast<int>(bits >> 52) - 1023;
    double mantissa = std::bit_cast<double>((bits & 0xfffffffffffffull) | 0x3ff0000000000000ull);
    if (mantissa > 1.4142135623730951) mantissa *= 0.5, ++exponent;
    // ln m = 2 artanh s, s = (m - 1) / (m + 1), at most 0.172
    const double s = (mantissa - 1) / (mantissa + 1), s2 = s * s;
    constexpr double c[] = {2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21};
    const double small = s * s2 * detail::polynomial(c, s2);
    return exponent * detail::LN2_HIGH + (2 * s + (small + exponent * detail::LN2_LOW));
}

// e^x for |x| up to 700, within a unit in the last place.
inline double exp(double x) {
    const double power = std::floor(x * 1.4426950408889634 + 0.5), rest = (x - power * detail::LN2_HIGH) - power * detail::LN2_LOW;
    constexpr double c[] = {1.0 / 2,        1.0 / 6,         1.0 / 24,         1.0 / 120,         1.0 / 720,          1.0 / 5040,
                            1.0 / 40320,    1.0 / 362880,    1.0 / 3628800,    1.0 / 39916800,    1.0 / 479001600,    1.0 / 6227020800};
    return detail::scaled(1 + (rest + rest * rest * detail::polynomial(c, rest)), static_cast<int>(power));
}

// base^exponent of a positive base, within 2e-15 of the result while |exponent · ln base| < 12; exact for the exponents 0 and 1.
inline double power(double base, double exponent) { return exponent == 1 ? base : exp(exponent * log(base)); }

// Length of (x, y) whose squares neither overflow nor vanish, within one and a half units in the last place.
inline double hypot(double x, double y) { return std::sqrt(x * x + y * y); }

// Of numbers from 0 on, within a unit in the last place.
inline double fourth_root(double x) { return std::sqrt(std::sqrt(x)); }

// Arc tangent, within 5e-16.
inline double atan(double t) {
    const double size = std::abs(t), inner = size > 1 ? 1 / size : size;
    // twice half the angle: by then the argument is below 0.2
    double a = inner;
    for (int k = 0; k < 2; ++k) a = a / (1 + std::sqrt(1 + a * a));
    constexpr double c[] = {1.0,       -1.0 / 3,  1.0 / 5,  -1.0 / 7,  1.0 / 9,  -1.0 / 11, 1.0 / 13,
                            -1.0 / 15, 1.0 / 17, -1.0 / 19, 1.0 / 21, -1.0 / 23, 1.0 / 25};
    const double angle = 4 * a * detail::polynomial(c, a * a);
    return std::copysign(size > 1 ? 0.5 * PI - angle : angle, t);
}

// Angle of the direction (x, y) in (-π, π], within 1e-15; 0 for (0, 0).
inline double atan2(double y, double x) {
    if (x == 0 && y == 0) return 0;
    if (std::abs(y) > std::abs(x)) return std::copysign(0.5 * PI, y) - atan(x / y);
    const double angle = atan(y / x);
    if (x > 0) return angle;
    return y < 0 ? angle - PI : angle + PI;
}

struct SineCosine {
    double sine, cosine;
};
// Of angles up to 1e6 in size, within 3e-16.
inline SineCosine sine_cosine(double angle) {
    constexpr double HALF_PI_HIGH = 0x1.921fb544p+0, HALF_PI_LOW = 0x1.0b4611a626331p-34;
    const double quarters = std::floor(angle / (0.5 * PI) + 0.5), r = (angle - quarters * HALF_PI_HIGH) - quarters * HALF_PI_LOW, r2 = r * r;
    constexpr double s[] = {-1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000};
    constexpr double c[] = {-1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000};
    const double sine = r + r * r2 * detail::polynomial(s, r2), cosine = 1 + r2 * detail::polynomial(c, r2);
    switch (static_cast<std::int64_t>(quarters) & 3) {
        case 0: return {sine, cosine};
        case 1: return {cosine, -sine};
        case 2: return {-sine, -cosine};
        default: return {-cosine, sine};
    }
}

}  // namespace fixed_math
