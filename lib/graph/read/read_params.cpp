#include "lib/graph/read/read_params.hpp"

#include <algorithm>

#include "lib/graph/read/fields.hpp"
#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/expression/parse/resolve.hpp"

namespace ein::graph {
namespace {

bool is_identifier(std::string const& name) {
    auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    auto digit = [](char c) { return c >= '0' && c <= '9'; };
    return !name.empty() && letter(name[0]) &&
           std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || digit(c); });
}

/// What else an expression means by this name, or "".
std::string other_meaning(std::string const& name) {
    if (scalar::operand_number(name)) return "an operand";
    if (scalar::constant_value(name)) return "a constant";
    if (name == "size") return "";  // a label in parentheses follows where the function is meant
    auto const functions = scalar::function_names();
    return std::find(functions.begin(), functions.end(), name) != functions.end() || name == "position" ? "a function"
                                                                                                        : "";
}

double read_number(Cursor const& at, std::string const& name) {
    if (!at.value().is_array() || at.size() < 2) return at.number().value_or(0);
    at.fail("a number", brief(at.value()),
            "make it a tensor, with a term in \"einsum\": \"tensors\": {" + Json(name).dump() +
                ": {\"data\": {\"values\": " + brief(at.value()) + "}}}");
    return 0;
}

}  // namespace

scalar::Params read_params(Cursor const& params) {
    scalar::Params result;
    if (!params.expect_object(R"({"eta": 0.1})")) return result;
    for (auto const& [name, unused] : params.value().items()) {
        if (name.starts_with("x-")) continue;
        Cursor const at = params.at(name);
        std::string const meaning = other_meaning(name);
        if (!is_identifier(name))
            at.fail("a name of letters, digits and _", quote(name), "rename it");
        else if (!meaning.empty())
            at.fail("a name that means nothing else in an expression", quote(name) + ", " + meaning, "rename it");
        else
            result[name] = read_number(at, name);
    }
    return result;
}

}  // namespace ein::graph
