// A metre of cloth that hangs by two corners, falls on a ball and comes to rest: prints where its corners and its middle are.
#include <cmath>
#include <cstdio>
#include <vector>

#include "cloth/verlet.h"
#include "contact/ball.h"
#include "contact/respond.h"
#include "core/threads.h"

int main() {
    constexpr int SIDE = 33;  // particles
    constexpr double CELL = 1.0 / (SIDE - 1), DT = 1.0 / 120;

    // flat, a metre up, at rest
    std::vector<double> position, velocity(3 * SIDE * SIDE, 0.0);
    for (int row = 0; row < SIDE; ++row)
        for (int column = 0; column < SIDE; ++column) position.insert(position.end(), {column * CELL - 0.5, 1.0, row * CELL - 0.5});
    const std::size_t count = position.size() / 3;

    // lengths along the rows, two cells on, down, both diagonals, two cells down; how much of an error each end mends in a sweep
    const double length[GRID_CLASSES] = {CELL, 2 * CELL, CELL, std::sqrt(2.0) * CELL, std::sqrt(2.0) * CELL, 2 * CELL};
    const double share[GRID_CLASSES] = {0.5, 0.1, 0.5, 0.3, 0.3, 0.1};
    std::vector<double> rest;
    for (const double l : length) rest.insert(rest.end(), count, l);
    VerletGrid<float> cloth(SIDE, SIDE, rest.data(), share);
    const std::int32_t held[] = {0, SIDE - 1};
    cloth.pin({held, 2});

    // threads of its own: other simulations of the process do not wait for it
    ThreadPool pool(2);
    UsePool here(pool);
    const std::vector<double> thickness(count, 0.005), friction(count, 0.4);
    for (int step = 0; step < 600; ++step) {
        if (step == 240) cloth.pin({});  // let go
        cloth.advance({DT, 0.99, {0, -9.81, 0}, {0, 0, 0}, 30, 0.0}, position.data(), velocity.data());
        const ContactList found = ball_contacts({position.data(), count}, {0, 0.2, -0.3}, 0.2, 0.02);
        const ContactsView contacts{{found.particle.data(), found.size()}, {found.gap.data(), found.size()}, {found.normal.data(), found.size()},
                                    {found.velocity.data(), found.size()}};
        respond(contacts, {{thickness.data(), count}, {friction.data(), count}}, DT, position.data(), velocity.data());
        if (step % 120 == 119) {
            std::printf("after %d s:", (step + 1) / 120);
            for (const int p : {0, SIDE - 1, SIDE * SIDE / 2, SIDE * (SIDE - 1), SIDE * SIDE - 1})
                std::printf("  %.3f %.3f %.3f", position[3 * p], position[3 * p + 1], position[3 * p + 2]);
            std::printf("\n");
        }
    }
    return std::isfinite(position[0]) ? 0 : 1;
}
