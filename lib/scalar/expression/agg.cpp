#include "lib/scalar/expression/agg.hpp"

namespace ein::scalar {

/// The rows stand in the order of Agg: found by number.
static_assert([] {
    for (std::size_t k = 0; k < aggregations.size(); ++k)
        if (aggregations[k].agg != static_cast<Agg>(k)) return false;
    return aggregations.back().agg == Agg::logsumexp;
}());

AggInfo const& info(Agg agg) { return aggregations.at(static_cast<std::size_t>(agg)); }

std::string_view name(Agg agg) { return info(agg).name; }

std::optional<Agg> agg_from_name(std::string_view text) {
    for (AggInfo const& row : aggregations)
        if (row.name == text) return row.agg;
    return std::nullopt;
}

std::vector<std::string> agg_names() {
    std::vector<std::string> names;
    for (AggInfo const& row : aggregations) names.emplace_back(row.name);
    return names;
}

DType accumulate_dtype(Agg agg, DType join) {
    if (info(agg).asks) return DType::boolean;
    bool const exact = kind(join) == Kind::integer || kind(join) == Kind::boolean;
    return info(agg).by_exponentials && exact ? DType::f64 : join;  // the logarithm of integers is not one
}

}  // namespace ein::scalar
