#include "frame/scene.h"

#include <algorithm>
#include <utility>

#include "core/checks.h"

namespace frame {

std::unique_ptr<Scene> Scene::open(std::vector<std::uint8_t> bytes, std::string &wrong) {
    std::unique_ptr<Scene> scene(new Scene);
    scene->bytes_ = std::move(bytes);
    wrong = scene->arrays_.read(scene->bytes_.data(), scene->bytes_.size());
    if (wrong.empty()) wrong = check_scene(scene->arrays_);
    if (!wrong.empty()) return nullptr;
    scene->model_ = walker_model(scene->arrays_);
    scene->contact_ = std::make_unique<SkinContact>(skin_model(scene->arrays_));
    const auto make = [s = scene.get()]() -> std::unique_ptr<Stepper> { return std::make_unique<DefaultStepper>(solver_model(s->arrays_), *s->contact_); };
    scene->walker_ = std::make_unique<Walker>(scene->model_, scene->contact_.get(), make);
    if (const NamedArray *velocity = scene->arrays_.find("start.velocity")) {
        StateArrays state = scene->walker_->state();
        std::copy_n(velocity->numbers(), state.velocity.size(), state.velocity.begin());
        const NamedArray *skin = scene->arrays_.find("start.skin");
        scene->walker_->go_to(std::move(state), scene->walker_->pose_of({skin->numbers(), skin->size()}));
    }
    return scene;
}

bool Scene::pose(std::span<const double> world) {
    if (joint_count() == 0 || world.size() != model_.rest_frames.size() || !all_finite(world.data(), world.size())) return false;
    const PosedSkin skin = walker_->pose(world);
    if (!all_finite(skin.data(), 3 * skin.count())) return false;
    next_ = skin;
    return true;
}

bool Scene::pose_vertices(std::span<const double> vertices) {
    if (vertices.size() != 3 * vertex_count() || !all_finite(vertices.data(), vertices.size())) return false;
    next_ = walker_->pose_of(vertices);
    return true;
}

Repaired Scene::frame(double dt) {
    // a frame is one between two poses, even if these are alike
    if (!next_) next_ = walker_->pose_of({skin().data(), 3 * skin().count()});
    const Repaired found = walker_->frame({std::exchange(next_, PosedSkin{}), air_, {}}, dt);
    ++counts_.frames;
    counts_.repaired += found.body_before + found.cloth_before > 0, counts_.left += found.left() > 0;
    return found;
}

std::size_t Scene::saved_size() const {
    auto &solver = static_cast<DefaultStepper &>(walker_->stepper()).solver();
    return 6 * particle_count() + 3 * vertex_count() + solver.fold_directions().size();
}

void Scene::save(double *to) const {
    const auto put = [&](const auto &from) { to = std::copy(from.begin(), from.end(), to); };
    put(state().position), put(state().velocity), put(std::span{skin().data(), 3 * skin().count()});
    put(static_cast<DefaultStepper &>(walker_->stepper()).solver().fold_directions());
}

bool Scene::restore(std::span<const double> numbers) {
    if (numbers.size() != saved_size() || !all_finite(numbers.data(), numbers.size())) return false;
    const std::size_t n = 3 * particle_count(), b = 3 * vertex_count();
    StateArrays state{{numbers.begin(), numbers.begin() + n}, {numbers.begin() + n, numbers.begin() + 2 * n}};
    walker_->go_to(std::move(state), walker_->pose_of(numbers.subspan(2 * n, b)));
    std::copy(numbers.begin() + 2 * n + b, numbers.end(), stepper().solver().fold_directions().begin());
    next_ = {};
    return true;
}

bool Scene::grab(std::int32_t particle, const std::array<double, 3> &target) {
    if (particle < 0 || static_cast<std::size_t>(particle) >= particle_count() || !all_finite(target.data(), 3)) return false;
    walker_->wake();
    stepper().solver().grab(particle, target, state().position);
    return true;
}

void Scene::let_go() {
    walker_->wake();
    stepper().solver().let_go();
}

bool Scene::pin(std::span<const std::int32_t> particles) {
    if (!all_name_one(particles.data(), particles.size(), particle_count())) return false;
    walker_->pin(particles);
    return true;
}

bool Scene::set_fabric(const FabricScale &scale) {
    for (const double s : {scale.mass, scale.stretch, scale.bend, scale.friction})
        if (!(s >= 1e-3 && s <= 1e3)) return false;
    walker_->wake();
    stepper().solver().set_fabric(scale);
    if (!walker_->pinned().empty()) stepper().pin(walker_->pinned());
    walker_->forget_second();
    return true;
}

}  // namespace frame
