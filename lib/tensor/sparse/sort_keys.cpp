#include "lib/tensor/sparse/sort_keys.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace ein::tensor {
namespace {

constexpr int digit_bits = 11;
constexpr std::size_t digits = std::size_t{1} << digit_bits;
constexpr std::size_t few = 256;  // keys that are sorted by comparisons

struct Keyed {
    std::uint64_t key;
    std::size_t place;
};

/// One pass of a radix sort: by the digit at `shift`.
void sort_by_digit(std::vector<Keyed> const& from, std::vector<Keyed>& to, int shift) {
    std::array<std::size_t, digits> starts{};
    for (Keyed const& keyed : from) ++starts[(keyed.key >> shift) % digits];
    std::exclusive_scan(starts.begin(), starts.end(), starts.begin(), std::size_t{0});
    for (Keyed const& keyed : from) to[starts[(keyed.key >> shift) % digits]++] = keyed;
}

}  // namespace

std::vector<std::size_t> sorted_order(std::span<std::uint64_t const> keys) {
    if (std::is_sorted(keys.begin(), keys.end())) return {};
    std::vector<std::size_t> order(keys.size());
    if (keys.size() <= few) {
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
        return order;
    }
    std::vector<Keyed> now(keys.size()), next(keys.size());
    for (std::size_t place = 0; place < keys.size(); ++place) now[place] = {keys[place], place};
    int const bits = std::bit_width(*std::max_element(keys.begin(), keys.end()));
    for (int shift = 0; shift < bits; shift += digit_bits) {
        sort_by_digit(now, next, shift);
        now.swap(next);
    }
    for (std::size_t k = 0; k < now.size(); ++k) order[k] = now[k].place;
    return order;
}

}  // namespace ein::tensor
