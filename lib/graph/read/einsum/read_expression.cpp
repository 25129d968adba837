#include "lib/graph/read/einsum/read_expression.hpp"

#include "lib/base/limits.hpp"

namespace ein::graph {
namespace {

std::string indented(std::string const& lines) {
    std::string out = "\n  ";
    for (char c : lines) out += c == '\n' ? std::string("\n  ") : std::string(1, c);
    return out;
}

}  // namespace

std::optional<ReadExpression> read_expression(Cursor const& at, scalar::Names const& names, MendFaults const& mend) {
    auto const text = at.string();
    if (!text) return std::nullopt;
    if (text->size() > static_cast<std::size_t>(most(Limit::expression))) {
        at.fail("an expression of " + at_most(Limit::expression), amount_text(Limit::expression, text->size()),
                "split it into several nodes, or " + how_to_allow(Limit::expression, text->size()));
        return std::nullopt;
    }
    scalar::ParseResult result = scalar::parse(*text, names, scalar::max_join_depth);
    if (mend && !result.faults.empty()) mend(*text, result.faults);
    for (scalar::ParseFault const& fault : result.faults)
        at.fail(fault.expected, fault.found, fault.fix + indented(scalar::with_caret(*text, fault.where)));
    if (!result.faults.empty()) return std::nullopt;
    return ReadExpression{std::move(result.expr), std::move(result.places)};
}

std::string caret_below(Cursor const& at, scalar::AddressGaps const& places, scalar::Node const* where) {
    auto const place = places.find(where);
    if (place == places.end()) return "";
    return indented(scalar::with_caret(at.value().get_ref<std::string const&>(), place->second));
}

}  // namespace ein::graph
