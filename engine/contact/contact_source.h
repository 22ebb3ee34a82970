// What a step of cloth asks for contacts: the skin, a ball, nothing, or a collider written elsewhere.
#pragma once
#include <cstddef>

#include "contact/obstacles.h"
#include "contact/skin_planes.h"

// contacts of all particles, as they are until the source is asked again
struct StepContacts {
    GivenContacts given{0, nullptr, nullptr, nullptr, nullptr};
    const TrackedContacts *tracked = nullptr;  // lets the step follow them over the skin while it moves on; null: it asks again at each contact update
    const double *grip = nullptr;            // share of the fabric's friction at each; null: all of it
};

class ContactSource {
  public:
    virtual ~ContactSource() = default;
    // there is nothing to touch, so nobody need ask more than once a step
    virtual bool nowhere() const { return false; }
    // the ball that it is, if it is nothing else: the step asks that by itself
    virtual const Ball *ball() const { return nullptr; }
    // position (particle, 3) [m]
    virtual StepContacts find(const double *position) = 0;
};
