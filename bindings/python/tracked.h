// Contacts that a step may follow over a surface, with the arrays of Python that they point to.
#pragma once
#include <optional>

#include "bind.h"
#include "contact/obstacles.h"

struct KeptTracked {
    TrackedContacts contacts;
    In<std::int32_t, -1> triangle;
    Points velocity;
    std::optional<In<std::int32_t, -1, -1>> hint;
    nb::object owner;  // of the tree
    std::size_t hint_rows() const { return hint ? hint->shape(0) : 0; }
};
