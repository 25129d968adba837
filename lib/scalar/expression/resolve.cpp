#include "lib/scalar/expression/resolve.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <numbers>

#include "lib/base/error.hpp"
#include "lib/scalar/expression/ops.hpp"

namespace ein::scalar {
namespace {

std::string_view trimmed(std::string_view text) {
    auto const first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string> operand_names(int operands) {
    std::vector<std::string> list;
    for (int k = 0; k < std::min(operands, 8); ++k) list.push_back(operand_name(k, operands));
    return list;
}

std::string join_names(std::vector<std::string> const& list) {
    constexpr std::size_t most = 12;
    if (list.size() <= most) return one_of(list);
    std::string out;
    for (std::size_t k = 0; k < most; ++k) out += list[k] + ", ";
    return out + "...";
}

/// For words of other languages that nearest_name cannot guess.
std::string_view other_spelling(std::string_view name) {
    if (name == "and") return "write && for 'and'";
    if (name == "or") return "write || for 'or'";
    if (name == "not") return "write ! for 'not'";
    if (name == "if" || name == "else") return "write where(condition, a, b)";
    if (name == "true" || name == "True") return "write 1";
    if (name == "false" || name == "False") return "write 0";
    if (name == "maximum" || name == "fmax") return "write max";
    if (name == "minimum" || name == "fmin") return "write min";
    if (name == "ln") return "write log";
    if (name == "power") return "write pow or ^";
    return {};
}

std::string suggestion(std::string_view name, std::vector<std::string> const& known) {
    if (auto const other = other_spelling(name); !other.empty()) return std::string(other);
    std::string const near = nearest_name(name.substr(0, 100), known);
    return near.empty() ? "" : "did you mean '" + near + "'?";
}

std::string operands_present(int operands) {
    if (operands == 0) return "the node has no inputs";
    if (operands == 1) return "the node has one input, x";
    return "the node has " + std::to_string(operands) + " inputs, " + operand_name(0, operands) + " to " +
           operand_name(operands - 1, operands);
}

}  // namespace

std::optional<long> operand_number(std::string_view name) {
    if (name == "x") return 0;
    if (name == "y") return 1;
    if (name == "z") return 2;
    if (name.size() < 2 || name.front() != 'x' || (name[1] == '0' && name.size() > 2)) return std::nullopt;
    long number = 0;
    auto const [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), number);
    if (end != name.data() + name.size() || number < 0) return std::nullopt;
    return error == std::errc{} ? number : std::numeric_limits<long>::max();
}

std::string operand_name(int number, int operands) {
    if (operands <= 3 && number < 3) return std::string(1, static_cast<char>('x' + number));
    return "x" + std::to_string(number);
}

std::optional<double> constant_value(std::string_view name) {
    if (name == "inf") return std::numeric_limits<double>::infinity();
    if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (name == "pi") return std::numbers::pi;
    if (name == "e") return std::numbers::e;
    return std::nullopt;
}

Expr resolve_name(std::string_view name, Names const& names) {
    if (auto const number = operand_number(name); number && *number < names.operands) {
        return Expr::operand(static_cast<int>(*number));
    }
    if (auto const value = constant_value(name)) return Expr::number(*value);
    bool const known = std::find(names.params.begin(), names.params.end(), name) != names.params.end();
    return known ? Expr::param(std::string(name)) : Expr{};
}

Expr resolve_label(std::string_view label, Names const& names) {
    for (std::string_view const text : {label, trimmed(label)}) {
        auto const at = std::find(names.labels.begin(), names.labels.end(), text);
        if (at != names.labels.end()) return Expr::index(static_cast<int>(at - names.labels.begin()));
    }
    return {};
}

std::optional<std::int64_t> resolve_extent(std::string_view label, Names const& names) {
    Expr const index = resolve_label(label, names);
    auto const slot = index.empty() ? names.extents.size() : static_cast<std::size_t>(index.node().slot);
    return slot < names.extents.size() ? std::optional(names.extents[slot]) : std::nullopt;
}

ParseFault unknown_name(std::string_view name, std::size_t where, Names const& names) {
    if (operand_number(name)) {
        return {where, "an operand of the node", quoted_text(name),
                operands_present(names.operands) + "; add an input or use one that is there"};
    }
    std::vector<std::string> const functions(function_names().begin(), function_names().end());
    if (std::find(functions.begin(), functions.end(), name) != functions.end()) {
        return {where, "'(' after the function " + quoted_text(name), "none", "write " + std::string(name) + "(...)"};
    }
    std::vector<std::string> known = operand_names(names.operands);
    known.insert(known.end(), names.params.begin(), names.params.end());
    std::string mend;
    if (std::find(names.labels.begin(), names.labels.end(), name) != names.labels.end()) {
        mend = "write [" + std::string(name) + "] for the index of label " + quoted_text(name);
    } else {
        mend = suggestion(name, known);
        if (mend.empty()) mend = "add it to \"params\" or correct the name";
    }
    known.insert(known.end(), {"inf", "nan", "pi", "e"});
    return {where, join_names(known), quoted_text(name), mend};
}

ParseFault unknown_label(std::string_view label, std::size_t where, Names const& names) {
    if (names.labels.empty())
        return {where, "no index values here", quoted_text(label), "remove it: no labels are known"};
    std::string const near = nearest_name(label.substr(0, 100), names.labels);
    return {where, "a label of the node (" + join_names(names.labels) + ")", quoted_text(label),
            near.empty() ? "correct the label" : "did you mean [" + near + "]?"};
}

ParseFault unknown_extent(std::string_view label, std::size_t where, Names const& names) {
    if (names.extents.empty())
        return {where, "no size() here: the extents of labels are not known", quoted_text(label), "write the number"};
    ParseFault fault = unknown_label(label, where, names);
    std::string const near = nearest_name(label.substr(0, 100), names.labels);
    if (!near.empty()) fault.mend = "did you mean size(" + near + ")?";
    return fault;
}

ParseFault unknown_function(std::string_view name, std::size_t where) {
    std::vector<std::string> const known(function_names().begin(), function_names().end());
    if (name.starts_with("cast_")) {
        return {where, "cast_ and one of " + dtype_names(), quoted_text(name), suggestion(name, known)};
    }
    std::string mend = suggestion(name, known);
    return {where, "a function", quoted_text(name), mend.empty() ? "see the list of functions of \"join\"" : mend};
}

std::string quoted_text(std::string_view text) {
    constexpr std::size_t most = 40;
    constexpr std::string_view hex = "0123456789abcdef";
    std::string out = "'";
    for (char const c : text.substr(0, most)) {
        auto const byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f) {
            out += "\\x";
            out += hex[byte >> 4];
            out += hex[byte & 15];
        } else {
            out += c;
        }
    }
    return out + (text.size() > most ? "...'" : "'");
}

}  // namespace ein::scalar
