#include "body/track_pose.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/fixed_math.h"
#include "core/vector3.h"

namespace body {
namespace {
using surface::cross;
using surface::load;
using surface::Vec3;

using Quaternion = std::array<double, 4>;  // unit quaternion w, x, y, z

Quaternion times(const Quaternion &a, const Quaternion &b) {
    return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
}
Quaternion opposite(const Quaternion &q) { return {q[0], -q[1], -q[2], -q[3]}; }
Quaternion yaw(double angle) {
    const auto [sine, cosine] = fixed_math::sine_cosine(0.5 * angle);
    return {cosine, 0, sine, 0};
}
Vec3 rotated(const Quaternion &q, Vec3 v) {
    const Vec3 axis{q[1], q[2], q[3]}, twice = 2.0 * cross(axis, v);
    return v + q[0] * twice + cross(axis, twice);
}
Quaternion normalised(const Quaternion &q) {
    const double size = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(size > 1e-12)) return {1, 0, 0, 0};
    return {q[0] / size, q[1] / size, q[2] / size, q[3] / size};
}

// level: a turn about the vertical, then a shift
struct Travel {
    double angle = 0;
    Vec3 shift{0, 0, 0};
    // of so many loops, negative: backwards
    Travel power(int count) const {
        if (!(std::abs(angle) > 1e-9)) return {0, static_cast<double>(count) * shift};
        Travel all{count * angle, {0, 0, 0}};
        for (int k = 0; k < count; ++k) all.shift = all.shift + rotated(yaw(angle * k), shift);
        for (int k = count; k < 0; ++k) all.shift = all.shift - rotated(yaw(angle * k), shift);
        return all;
    }
};

struct Frame {
    std::vector<Quaternion> rotation;  // of each joint in its parent's axes
    Vec3 root;
};

// a motion's frames; beyond the ends a loop goes on, and other motions go on for one frame as they came
class Frames {
  public:
    Frames(const double *rotations, const double *root, std::size_t frames, std::size_t joints, bool loop)
        : rotations_(rotations), root_(root), last_(static_cast<int>(frames) - 1), joints_(joints), loop_(loop && frames > 1) {
        if (!loop_) return;
        const Quaternion all = times(rotation(last_, 0), opposite(rotation(0, 0)));
        travel_.angle = 2.0 * fixed_math::atan2(all[2], all[0]);
        const Vec3 shift = place(last_) - rotated(yaw(travel_.angle), place(0));
        travel_.shift = {shift.x, 0, shift.z};
    }
    // at a time in frames: a cubic through the four nearest (Catmull & Rom 1974), turns of one sign
    Frame at(double time) const {
        int loops = 0;
        if (loop_) loops = static_cast<int>(std::floor(time / last_)), time -= static_cast<double>(loops) * last_;
        time = std::clamp(time, 0.0, static_cast<double>(last_));
        const int first = std::min(static_cast<int>(time), std::max(last_ - 1, 0));
        const double t = time - first, t2 = t * t, t3 = t2 * t;
        const double weight[4] = {0.5 * (-t + 2 * t2 - t3), 0.5 * (2 - 5 * t2 + 3 * t3), 0.5 * (t + 4 * t2 - 3 * t3), 0.5 * (-t2 + t3)};
        const Frame near[4] = {frame(first - 1), frame(first), frame(first + 1), frame(first + 2)};
        Frame mean{std::vector<Quaternion>(joints_, Quaternion{}), {0, 0, 0}};
        for (int k = 0; k < 4; ++k) mean.root = mean.root + weight[k] * near[k].root;
        for (std::size_t j = 0; j < joints_; ++j) {
            for (int k = 0; k < 4; ++k) {
                double along = 0;
                for (int c = 0; c < 4; ++c) along += near[k].rotation[j][c] * near[1].rotation[j][c];
                for (int c = 0; c < 4; ++c) mean.rotation[j][c] += weight[k] * (along < 0 ? -near[k].rotation[j][c] : near[k].rotation[j][c]);
            }
            mean.rotation[j] = normalised(mean.rotation[j]);
        }
        return loops ? moved(std::move(mean), travel_.power(loops)) : mean;
    }

  private:
    Quaternion rotation(int frame, std::size_t joint) const {
        const double *q = rotations_ + 4 * (static_cast<std::size_t>(frame) * joints_ + joint);
        return {q[0], q[1], q[2], q[3]};
    }
    Vec3 place(int frame) const { return load(root_ + 3 * static_cast<std::size_t>(frame)); }
    Frame stored(int index) const {
        Frame one{std::vector<Quaternion>(joints_), place(index)};
        for (std::size_t j = 0; j < joints_; ++j) one.rotation[j] = rotation(index, j);
        return one;
    }
    static Frame moved(Frame one, const Travel &travel) {
        one.rotation[0] = times(yaw(travel.angle), one.rotation[0]);
        one.root = rotated(yaw(travel.angle), one.root) + travel.shift;
        return one;
    }
    Frame frame(int index) const {
        if (index >= 0 && index <= last_) return stored(index);
        const int count = index < 0 ? -1 : 1;
        if (loop_) return moved(stored(index - count * last_), travel_.power(count));
        const int edge = index < 0 ? 0 : last_, inner = index < 0 ? std::min(1, last_) : std::max(last_ - 1, 0);
        Frame one = stored(edge);
        for (std::size_t j = 0; j < joints_; ++j) {
            for (int c = 0; c < 4; ++c) one.rotation[j][c] = 2.0 * one.rotation[j][c] - rotation(inner, j)[c];
            one.rotation[j] = normalised(one.rotation[j]);
        }
        one.root = 2.0 * one.root - place(inner);
        return one;
    }

    const double *rotations_, *root_;
    int last_;
    std::size_t joints_;
    bool loop_;
    Travel travel_;
};

// joint after joint from the root outwards: world_from_joint (j, 4, 4)
std::vector<double> placed(const Frame &frame, const std::int32_t *parents, const double *offsets) {
    std::vector<double> world(16 * frame.rotation.size(), 0.0);
    for (std::size_t j = 0; j < frame.rotation.size(); ++j) {
        const auto [w, x, y, z] = frame.rotation[j];
        const Vec3 at = j == 0 ? frame.root : load(offsets + 3 * j);
        const double local[3][4] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), at.x},
                                    {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), at.y},
                                    {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y), at.z}};
        double *m = &world[16 * j];
        m[15] = 1;
        if (parents[j] < 0) {
            for (int r = 0; r < 3; ++r) std::copy_n(local[r], 4, m + 4 * r);
            continue;
        }
        const double *above = &world[16 * static_cast<std::size_t>(parents[j])];
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 4; ++c) {
                const double *row = above + 4 * r;
                m[4 * r + c] = row[0] * local[0][c] + row[1] * local[1][c] + row[2] * local[2][c] + (c == 3 ? row[3] : 0.0);
            }
    }
    return world;
}
}  // namespace

std::vector<double> track_pose(const Track &t, double time) {
    return placed(Frames(t.rotations, t.root, t.frame_count, t.joint_count, t.loop).at(time), t.parents, t.offsets);
}

}  // namespace body
