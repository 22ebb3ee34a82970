// Which triangles of a cloth cross a body, exactly: the same pairs as meeting_pairs of two trees, found without a tree of the cloth and in a third of the
// time. Cloth lies beside skin almost everywhere, so that the plane of one of its triangles parts it from all the skin in its box.
#pragma once
#include <vector>

#include "geometry/bvh.h"
#include "geometry/proximity.h"
#include "geometry/triangle_pairs.h"

namespace surface {

// position: finite, of the particles that the patches were made of (particle, 3) [m]; triangles are numbered as given to the patches. Ascending.
// widest: registers that may be used, 5: AVX-512, 2: AVX2; the same is found with all of them.
std::vector<TrianglePair> crossing_skin(const Patches &patches, const double *position, const Tree &body, int widest = 5);

}  // namespace surface
