// A parameter of a gate: a number, pi, parameters of the definition it stands in, + - * / ^, and functions of one
// argument. Kept in postfix form, to be computed for each call of the definition.
// Example: of "-lambda/2 + pi" with lambda = 1, value({1.0}) is 2.64....
#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/eintool/qasm/tokens.hpp"

namespace ein::apps::tool::qasm {

class Angle {
public:
    /// Reads one expression. `^` binds most and to the right, then the sign.
    /// @param parameters  names that it may use  @throws InputError
    static Angle read(Tokens& tokens, std::span<std::string const> parameters);

    /// @param parameters  values, in the order of the names  @throws InputError for a result that is not finite
    double value(std::span<double const> parameters) const;

private:
    enum class Step { number, parameter, negate, add, subtract, multiply, divide, power, sin, cos, tan, exp, ln, sqrt };
    struct Part {
        Step step;
        double number = 0;          // of a number
        std::size_t parameter = 0;  // of a parameter
    };
    class Reader;

    std::vector<Part> parts_;
    Place place_;
};

}  // namespace ein::apps::tool::qasm
