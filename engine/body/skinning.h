// Skinning: linear blend or dual quaternion, velocities against a previous pose, vertex normals.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace body {

// Rest vertices of a skin and the joints that move each; weights of a vertex add up to 1.
struct SkinWeights {
    std::size_t vertex_count = 0, per_vertex = 0;
    const double *rest = nullptr;         // (vertex, 3) [m]
    const std::int32_t *joint = nullptr;  // (vertex, per_vertex)
    const double *weight = nullptr;       // (vertex, per_vertex)
};

// world_from_rest (joint, 12), 3x4 by rows: world_from_joint (joint, 4, 4) times the inverse of the rest frames, all rigid
std::vector<double> from_rest(const double *world, const double *rest, std::size_t joints);

// Moves the skin. pose: world_from_rest; dual: blend dual quaternions. velocity may be null; it is (new - previous) / dt, 0 where previous is null.
void skin(const SkinWeights &weights, const double *pose, std::size_t joints, bool dual, const double *previous, double dt, double *position, double *velocity);

// Triangles round each vertex: face[start[i]..start[i + 1]), ascending.
struct VertexFaces {
    const std::int32_t *start = nullptr, *face = nullptr;
};
// Unit normals (vertex, 3), area-weighted means of the triangles round each vertex.
std::vector<double> vertex_normals(const double *position, std::size_t vertex_count, const std::int32_t *triangles, std::size_t triangle_count,
                                   const VertexFaces &faces);

}  // namespace body
