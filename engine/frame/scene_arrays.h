// The arrays of a prepared scene: their names, types, shapes and ranges, in one table that who writes them and who reads them agree on.
//
// A scene is checked as a whole before anything is made of it. What comes from elsewhere (a file, a page, Python) may be anything; what has passed makes
// the engine neither stop nor read outside its arrays.
#pragma once
#include <span>
#include <string>

#include "core/named_arrays.h"
#include "frame/walker.h"

namespace frame {

// One array. Shapes are written in letters and numbers, such as "t,3": a letter stands for the same number wherever it occurs. Whole numbers go from
// `least` to one less than the letter `below` stands for ("": any), other numbers from `low` to `high`, and are finite.
struct SceneField {
    const char *name;
    NumberType type;
    const char *shape;
    const char *below;
    int least;
    double low, high;
    // "": always there; else arrays that are there together, or not at all, have the same word
    const char *group;
};

std::span<const SceneField> scene_fields();

enum class ScenePart { ALL, CLOTH, SKIN, WALK };

// What is wrong with a scene, or with the part of it that makes a solver, a skin, or a walk with another solver alone: one line that names the array; nothing: it is sound.
std::string check_scene(const NamedArrays &arrays, ScenePart part = ScenePart::ALL);

// Models of a scene that was checked; they point into its arrays.
SolverModel solver_model(const NamedArrays &arrays);
SkinModel skin_model(const NamedArrays &arrays);
WalkerModel walker_model(const NamedArrays &arrays);
RepairModel repair_model(const NamedArrays &arrays);

}  // namespace frame
