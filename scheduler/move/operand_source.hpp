// A part of an operand that a rank would get as a block of its own: what lies where before anything is brought.
#pragma once

#include "lib/base/box.hpp"
#include "lib/base/ids.hpp"

namespace ein::scheduler {

struct OperandSource {
    Box box;
    Rank rank;         // where it lies
    Rank home = rank;  // where it was made or loaded: what came from there for another call may still be on its way
};

}  // namespace ein::scheduler
