#include <algorithm>
#include <cmath>
#include <thread>
#include <vector>

#include "check.h"
#include "cloth/spring.h"
#include "contact/ball.h"
#include "contact/respond.h"
#include "core/threads.h"
#include "samples.h"

namespace {
constexpr double G = 9.81, DT = 1.0 / 60;

VerletStep falling(double keep = 1.0) { return {DT, keep, {0, -G, 0}, {0, 0, 0}, 20, 0.0}; }

// a square that hangs by two corners for so many steps, damped
std::vector<double> hung(int side, int steps) {
    Square square(side, 1.0);
    VerletGrid<double> cloth = square.cloth();
    const std::int32_t pinned[] = {0, side - 1};
    cloth.pin({pinned, 2});
    for (int k = 0; k < steps; ++k) cloth.advance(falling(0.95), square.position.data(), square.velocity.data());
    return square.position;
}
}  // namespace

TEST(free_fall) {
    // in steps v_n = -n g dt, y_n = y_0 - g dt² n (n + 1) / 2
    Square square(9, 1.0);
    VerletGrid<double> cloth = square.cloth();
    for (int k = 0; k < 30; ++k) cloth.advance(falling(), square.position.data(), square.velocity.data());
    for (std::size_t p = 0; p < square.count(); ++p) {
        CHECK(std::abs(square.position[3 * p + 1] - (1.0 - G * DT * DT * 30 * 31 / 2)) < 1e-9);
        CHECK(std::abs(square.velocity[3 * p + 1] + 30 * G * DT) < 1e-9);
    }
}

TEST(what_is_pinned_stays_and_the_rest_hangs_below) {
    const std::vector<double> x = hung(17, 120);
    CHECK(x[0] == 0.0 && x[1] == 1.0 && x[2] == 0.0);
    CHECK(x[3 * 16] == 1.0 && x[3 * 16 + 1] == 1.0);
    double lowest = 1.0;
    for (std::size_t i = 1; i < x.size(); i += 3) lowest = std::min(lowest, x[i]);
    CHECK(-0.3 < lowest && lowest < 0.3);
}

TEST(two_simulations_at_once_are_those_that_run_alone) {
    const std::vector<double> alone = hung(50, 20);
    std::vector<double> at_once[2];
    std::vector<std::thread> callers;
    for (int k = 0; k < 2; ++k)
        callers.emplace_back([&, k] {
            ThreadPool pool(k + 1);
            UsePool here(pool);
            at_once[k] = hung(50, 20);
        });
    for (std::thread &caller : callers) caller.join();
    CHECK(at_once[0] == alone && at_once[1] == alone);
}

TEST(a_spring_pulls_back_by_what_it_is_stretched) {
    // two particles 0.2 m apart, rest length 0.1 m, 50 N/m, 1 kg each: a = ±5 m/s²
    const std::int32_t ends[] = {0, 1};
    const double rest[] = {0.1}, stiffness[] = {50}, one[] = {1, 1}, none[] = {0, 0};
    const bool limited[] = {false};
    SpringCloth cloth({{ends, 1}, {rest, 1}, {stiffness, 1}, {limited, 1}}, {{one, 2}, {none, 2}, {none, 2}}, {});
    double x[] = {0, 0, 0, 0.2, 0, 0}, v[6] = {};
    cloth.advance({1, 0.01, 0, {0, 0, 0}, {0, 0, 0}}, {}, {}, x, v);
    CHECK(std::abs(v[0] - 0.05) < 1e-12 && std::abs(v[3] + 0.05) < 1e-12);
    CHECK(std::abs(x[0] - 0.0005) < 1e-12);
}

TEST(a_point_inside_a_ball_comes_out_along_the_normal) {
    const double inside[] = {0, 0.9, 0, 5, 5, 5};
    const ContactList found = ball_contacts({inside, 2}, {0, 0, 0}, 1.0, 0.05);
    CHECK(found.size() == 1 && found.particle[0] == 0);
    CHECK(std::abs(found.gap[0] + 0.1) < 1e-12 && found.normal[1] == 1.0);
    const double thickness[] = {0.01, 0.01}, friction[] = {0, 0};
    double x[] = {0, 0.9, 0, 5, 5, 5}, v[] = {1, -2, 0, 0, 0, 0};
    const ContactsView contacts{{found.particle.data(), 1}, {found.gap.data(), 1}, {found.normal.data(), 1}, {found.velocity.data(), 1}};
    respond(contacts, {{thickness, 2}, {friction, 2}}, 0.01, x, v);
    CHECK(std::abs(x[1] - 1.01) < 1e-12 && v[0] == 1.0 && std::abs(v[1]) < 1e-12);
}
