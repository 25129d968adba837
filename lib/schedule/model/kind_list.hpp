// Kinds as structs in a list: the place of a struct in the list is its number in memory and in schedule files.
// Example: place_in<Send>(KindList<Load, Send>()) is 1.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

namespace ein::schedule {

template <class... Kind>
struct KindList {};

namespace detail {

template <class T, class... Kind>
constexpr std::uint8_t place_in(KindList<Kind...>) {
    static_assert((std::is_same_v<T, Kind> || ...), "a struct of the list");
    std::uint8_t place = 0;
    (void)((std::is_same_v<T, Kind> || (++place, false)) || ...);
    return place;
}

/// What each struct of the list declares of itself, in the list's order.
template <class First, class... Rest>
constexpr auto traits_of_all(KindList<First, Rest...>) {
    return std::array{First::traits, Rest::traits...};
}

}  // namespace detail
}  // namespace ein::schedule
