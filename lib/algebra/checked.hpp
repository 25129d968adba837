// A value, or what is wrong: inference never throws, so that every fault of an expression can be reported at once,
// and so that a rewrite can be tried.
// Example: Checked<Shape> bound = bound_of(kernel, operands); if (Problem const* p = problem(bound)) ...
#pragma once

#include <string>
#include <variant>

namespace ein::tra {

/// The three parts of a Fault that do not depend on the place.
struct Problem {
    std::string expected;
    std::string found;
    std::string fix;
};

template <class T>
using Checked = std::variant<T, Problem>;

template <class T>
Problem const* problem(Checked<T> const& checked) {
    return std::get_if<Problem>(&checked);
}

template <class T>
T const& value(Checked<T> const& checked) {
    return std::get<T>(checked);
}

}  // namespace ein::tra
