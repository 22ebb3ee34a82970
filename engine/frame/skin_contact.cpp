#include "frame/skin_contact.h"

#include <algorithm>
#include <cmath>

#include "body/riding_points.h"

namespace frame {
namespace {
constexpr double SLIP = 0.3;  // of the radius: points that have gone farther than this past the body are searched again
constexpr double BEND = 0.004;  // fingertips that move by more than this against each other bend [m]

template <class T>
std::vector<T> copy(std::span<const T> values) {
    return {values.begin(), values.end()};
}
}  // namespace

std::vector<std::int32_t> packet_order(const double *points, std::size_t count, std::size_t packet) {
    // halved, so that the widest of all heaps is still a number; what is not finite counts as 0
    std::vector<double> finite(3 * count);
    for (std::size_t i = 0; i < finite.size(); ++i) finite[i] = std::isfinite(points[i]) ? 0.5 * points[i] : 0.0;
    std::vector<std::int32_t> order(count);
    for (std::size_t i = 0; i < count; ++i) order[i] = static_cast<std::int32_t>(i);
    struct Heap {
        std::size_t begin, end;
    };
    std::vector<Heap> heaps{{0, count}};
    while (!heaps.empty()) {
        const auto [begin, end] = heaps.back();
        heaps.pop_back();
        const std::size_t packets = (end - begin + packet - 1) / packet;
        if (packets < 2) continue;
        int widest = 0;
        double most = -1;
        for (int axis = 0; axis < 3; ++axis) {
            double low = HUGE_VAL, high = -HUGE_VAL;
            for (std::size_t k = begin; k < end; ++k) low = std::min(low, finite[3 * order[k] + axis]), high = std::max(high, finite[3 * order[k] + axis]);
            if (high - low > most) most = high - low, widest = axis;
        }
        const std::size_t half = begin + packets / 2 * packet;
        const auto key = [&](std::int32_t p) { return finite[3 * static_cast<std::size_t>(p) + widest]; };
        // points at one place go by their number: the same order with every library
        std::nth_element(order.begin() + begin, order.begin() + half, order.begin() + end,
                         [&](std::int32_t p, std::int32_t q) { return key(p) != key(q) ? key(p) < key(q) : p < q; });
        heaps.push_back({begin, half}), heaps.push_back({half, end});
    }
    return order;
}

SkinContact::SkinContact(const SkinModel &m)
    : radius_(m.radius), rest_(copy(m.rest)), watched_(copy(m.watched)), raised_(copy(m.raised)), raised_tip_(copy(m.raised_tip)), tip_frame_(copy(m.tip_frame)),
      apart_(copy(m.apart)), rise_(copy(m.rise)), place_(rise_.size()), has_proxy_(!m.hand_proxy.triangles.empty()), gloved_(has_proxy_) {
    const SurfaceModel *models[2] = {&m.skin, &m.hand_proxy};
    for (int k = 0; k < 2; ++k) kept_[k] = {copy(models[k]->triangles), copy(models[k]->group), copy(models[k]->grip)};
    trees_[gloved_] = make(kept_[gloved_].triangles, kept_[gloved_].group, kept_[gloved_].grip);
}

SkinContact::Surface SkinContact::make(const std::vector<std::int32_t> &triangles, const std::vector<std::int32_t> &group, const std::vector<double> &grip) const {
    Surface made;
    made.tree = std::make_unique<surface::Tree>(triangles.data(), triangles.size() / 3, rest_.data(), rest_.size() / 3, group.empty() ? nullptr : group.data());
    if (std::any_of(grip.begin(), grip.end(), [](double g) { return g < 1.0; })) made.grip = grip;
    return made;
}

bool SkinContact::fingers_straight(const PosedSkin &skin) const {
    return body::most_bent(skin.data(), watched_.data(), apart_.data(), apart_.size()) < BEND;
}

void SkinContact::fit(const PosedSkin &skin) {
    // one frame ends in the pose with which the next begins
    if (posed_.is(skin)) return;
    const std::size_t gloved = has_proxy_ && fingers_straight(skin);
    if (!trees_[gloved]) trees_[gloved] = make(kept_[gloved].triangles, kept_[gloved].group, kept_[gloved].grip);
    if (gloved != gloved_) gloved_ = gloved, forget_hints();
    surface::Tree &tree = *trees_[gloved_]->tree;
    if (raised_.empty()) tree.refit(skin.data());
    else {
        body::ride(skin.data(), tip_frame_.data(), raised_tip_.data(), rise_.data(), raised_.data(), raised_.size(), place_.data());
        tree.refit(skin.data(), {raised_.size(), raised_.data(), place_.data()});
    }
    posed_ = skin;
}

const surface::Tree &SkinContact::tree(const PosedSkin &skin) {
    fit(skin);
    return tree();
}

const surface::SkinContacts &SkinContact::find(const PosedSkin &skin, const double *velocity, const double *points, std::size_t count) {
    fit(skin);
    const bool known = known_ == count && count > 0;
    if (order_.size() != count || !known) order_ = packet_order(points, count, surface::Tree::packet_size);
    const surface::AskingPoints asking{points, count, order_.data(), known ? hint_.data() : nullptr};
    all_ = surface::find_contacts(tree(), asking, radius_, velocity);
    asked_.assign(points, points + 3 * count), all_of_ = &tree(), last_ = &all_;
    hint_.swap(all_.hint), known_ = count;
    return all_;
}

const surface::SkinContacts &SkinContact::follow(const PosedSkin &skin, const double *velocity, const double *points, std::size_t count, const Meanwhile &meanwhile) {
    fit(skin);
    if (known_ != count || count == 0 || asked_.size() != 3 * count || all_of_ != &tree()) return find(skin, velocity, points, count);
    const surface::AskingPoints asking{points, count, order_.data(), hint_.data()};
    const surface::EarlierContacts earlier{all_.count(), all_.particle.data(), all_.triangle.data(), asked_.data(),
                                           meanwhile.since * surface::mean_of_rows(velocity, vertex_count()), SLIP * radius_, meanwhile.boxes.size() / 6, meanwhile.boxes.data()};
    followed_ = surface::find_contacts(tree(), asking, radius_, velocity, &earlier);
    last_ = &followed_, hint_.swap(followed_.hint);
    return followed_;
}

const double *SkinContact::grip() {
    const std::vector<double> &by_triangle = trees_[gloved_]->grip;
    if (by_triangle.empty()) return nullptr;
    grip_.resize(last_->count());
    bool less = false;
    for (std::size_t c = 0; c < grip_.size(); ++c) grip_[c] = by_triangle[last_->triangle[c]], less |= grip_[c] != 1.0;
    return less ? grip_.data() : nullptr;
}

TrackedContacts SkinContact::tracked(const double *velocity) const {
    return {&tree(), last_->triangle.data(), last_->count(), velocity, radius_, SLIP * radius_, hint_.data(), surface::mean_of_rows(velocity, vertex_count())};
}

}  // namespace frame
