// Joints of a body in motion at any time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace body {

// A motion's frames on a skeleton whose parents come before their joints.
struct Track {
    std::size_t frame_count = 0, joint_count = 0;
    const double *rotations = nullptr;          // (frame, joint, 4): unit quaternions w, x, y, z in the parent's axes
    const double *root = nullptr;           // (frame, 3) [m]
    const std::int32_t *parents = nullptr;  // (joint), -1: a root
    const double *offsets = nullptr;        // (joint, 3): from the parent [m]
    bool loop = false;                      // beyond the ends it goes on; other motions go on for one frame as they came
};

// world_from_joint (joint, 4, 4) at a time [frames]
std::vector<double> track_pose(const Track &track, double time);

}  // namespace body
