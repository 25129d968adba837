// How many elements are NaN or infinite. Goes over finite elements about as fast as memory gives them.
// Example: count_non_finite(DType::f32, bytes of {1, inf, nan, nan}, 4) is {.nan = 2, .infinite = 1}.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/base/dtype.hpp"

namespace ein::tensor {

struct NonFinite {
    std::int64_t nan = 0;       // a complex element of which a part is NaN counts here
    std::int64_t infinite = 0;  // of which none is, and a part is infinite

    bool any() const { return nan != 0 || infinite != 0; }
    std::int64_t elements() const { return nan + infinite; }
    NonFinite& operator+=(NonFinite const& more) {
        nan += more.nan, infinite += more.infinite;
        return *this;
    }
    friend bool operator==(NonFinite const&, NonFinite const&) = default;
};

/// Nothing in integers and bool.
NonFinite count_non_finite(DType dtype, std::byte const* bytes, std::size_t elements);

}  // namespace ein::tensor
