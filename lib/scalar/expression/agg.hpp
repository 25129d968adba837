// Aggregations: what an EinSum does over the labels that its output lacks. All are associative and commutative, so
// partial results combine in any grouping; argmin, argmax and mean become others when a graph is read
// (graph/read/einsum). One row each: what a row cannot say (combining two values, the derivative, kernels) is a switch
// that the compiler checks. Example: combine(max, 2, 5) is 5; identity(min, f32) is inf; the sum of no elements is 0.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/dtype.hpp"

namespace ein::scalar {

enum class Agg : std::uint8_t { sum, prod, min, max, any, all, logsumexp };

struct AggInfo {
    Agg agg;
    std::string_view name;
    bool rounds = false;   // combining two partial results rounds; truth values and integers count in the output's type
    bool ordered = false;  // has no meaning for complex numbers
    bool needs_elements = false;   // has no value over none
    bool asks = false;             // whether elements are not 0: gives bool
    bool by_exponentials = false;  // partial results are logarithms: combining two takes as long as exp does
};

inline constexpr std::array aggregations{
    AggInfo{.agg = Agg::sum, .name = "sum", .rounds = true},
    AggInfo{.agg = Agg::prod, .name = "prod", .rounds = true},
    AggInfo{.agg = Agg::min, .name = "min", .ordered = true, .needs_elements = true},
    AggInfo{.agg = Agg::max, .name = "max", .ordered = true, .needs_elements = true},
    AggInfo{.agg = Agg::any, .name = "any", .asks = true},
    AggInfo{.agg = Agg::all, .name = "all", .asks = true},
    AggInfo{.agg = Agg::logsumexp, .name = "logsumexp", .rounds = true, .ordered = true, .by_exponentials = true},
};
inline constexpr int agg_count = static_cast<int>(aggregations.size());

AggInfo const& info(Agg agg);
std::string_view name(Agg agg);
std::optional<Agg> agg_from_name(std::string_view text);
/// In the order of the table.
std::vector<std::string> agg_names();

/// The type in which partial results are kept: bool for any and all; f64 for logsumexp of integers;
/// the join's type otherwise (sums of bool are "or", as NumPy's einsum has it).
DType accumulate_dtype(Agg agg, DType join);

}  // namespace ein::scalar
