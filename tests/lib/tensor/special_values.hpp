// What is no finite number, for tests.
#pragma once

#include <cmath>
#include <limits>

namespace ein::test {

inline double const not_a_number = std::nan("");
inline constexpr double inf = std::numeric_limits<double>::infinity();

}  // namespace ein::test
