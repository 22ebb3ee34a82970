// Cloth that follows the body: springs along mesh edges in Euler steps over contact planes (Rudomín & Castillo 2002; docs/solver-follow.md).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cloth/follow_view.h"
#include "contact/contact_list.h"

struct FollowSprings {
    PairsView edges;
    NumbersView rest;  // [m]
};
struct FollowParticles {
    NumbersView mass, drag, friction;  // [kg], [1/s], Coulomb coefficient
};

struct FollowSteps {
    int count;
    double dt, stiffness, thickness;  // of each step [s], [N/m], distance kept from the skin [m]
    double near, share;               // particles with a gap below `near` first take over this share of the skin's velocity, times its grip
    surface::Vec3 gravity, wind;
};

template <class T>
class FollowCloth {
  public:
    FollowCloth(const FollowSprings &springs, const FollowParticles &particles);
    void hold(FlagsView held);
    std::size_t particle_count() const { return place_.size(); }
    // position and velocity (n, 3) are changed in place; grip: of each contact, how much of skin's motion and friction reaches the cloth
    void advance(const FollowSteps &steps, const ContactsView &contacts, NumbersView grip, double *position, double *velocity);

  private:
    void list_neighbours(const FollowSprings &springs, std::size_t blocks);
    void follow_skin(const FollowSteps &steps, const ContactsView &contacts, NumbersView grip);
    void load_contacts(const ContactsView &contacts, NumbersView grip);
    void load_contact(std::size_t block, std::size_t lane, std::int32_t i, const ContactsView &contacts, double grip);
    const T *run(const FollowSteps &steps);

    std::vector<std::int32_t> place_, own_, neighbour_, who_, parent_;
    std::vector<int> seen_;
    std::vector<std::size_t> slot_begin_;
    std::vector<std::vector<std::int32_t>> rounds_;
    std::vector<T> rest_, weight_, drag_, free_, friction_, point_, next_, velocity_, normal_, skin_, level_, rise_, rub_;
};
