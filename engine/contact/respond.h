// The one contact response of all solvers (docs/collision.md): depth, approach, Coulomb friction. A particle's contacts come one
// after the other; particles are independent.
#pragma once
#include "contact/contact_list.h"

// of each particle: the distance that it keeps [m], its Coulomb coefficient
struct Touched {
    NumbersView thickness, friction;
};

// contacts must ascend by particle; position and velocity (n, 3) are changed in place
void respond(const ContactsView &contacts, const Touched &touched, double dt, double *position, double *velocity);
