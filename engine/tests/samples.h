// A square of cloth as a grid of particles, row by row, lying flat.
#pragma once
#include <cmath>
#include <vector>

#include "cloth/verlet.h"

struct Square {
    int side;
    double cell;
    std::vector<double> position, velocity;

    Square(int particles_a_side, double size) : side(particles_a_side), cell(size / (particles_a_side - 1)) {
        for (int row = 0; row < side; ++row)
            for (int column = 0; column < side; ++column) position.insert(position.end(), {column * cell, 1.0, row * cell});
        velocity.assign(position.size(), 0.0);
    }
    std::size_t count() const { return position.size() / 3; }
    double distance(std::size_t a, std::size_t b) const {
        double square = 0;
        for (int k = 0; k < 3; ++k) square += (position[3 * a + k] - position[3 * b + k]) * (position[3 * a + k] - position[3 * b + k]);
        return std::sqrt(square);
    }
    VerletGrid<double> cloth() const {
        const double length[GRID_CLASSES] = {cell, 2 * cell, cell, std::sqrt(2.0) * cell, std::sqrt(2.0) * cell, 2 * cell};
        const double share[GRID_CLASSES] = {0.5, 0.1, 0.5, 0.3, 0.3, 0.1};
        std::vector<double> rest;
        for (const double l : length) rest.insert(rest.end(), count(), l);
        return {side, side, rest.data(), share};
    }
};
