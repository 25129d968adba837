#include "lib/scalar/expression/agg.hpp"

#include <array>

namespace ein::scalar {
namespace {
constexpr std::array<std::string_view, 7> names{"sum", "prod", "min", "max", "any", "all", "logsumexp"};
}

std::string_view name(Agg agg) { return names.at(static_cast<std::size_t>(agg)); }

std::optional<Agg> agg_from_name(std::string_view text) {
    for (std::size_t k = 0; k < names.size(); ++k) {
        if (names[k] == text) return static_cast<Agg>(k);
    }
    return std::nullopt;
}

DType accumulate_dtype(Agg agg, DType join) {
    if (agg == Agg::any || agg == Agg::all) return DType::boolean;
    bool const exact = kind(join) == Kind::integer || kind(join) == Kind::boolean;
    return agg == Agg::logsumexp && exact ? DType::f64 : join;  // the logarithm of integers is not one
}

}  // namespace ein::scalar
