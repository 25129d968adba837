#include "lib/scalar/expression/parse/resolve.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <complex>
#include <cstdlib>
#include <limits>
#include <numbers>

#include "lib/base/error.hpp"
#include "lib/base/text/letters.hpp"
#include "lib/base/text/near_names.hpp"
#include "lib/scalar/expression/agg.hpp"
#include "lib/scalar/expression/ops.hpp"

namespace ein::scalar {
namespace {

std::string_view trimmed(std::string_view text) {
    auto const first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

constexpr std::size_t most_suggested = 1000;  // names that the nearest is looked for among

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

/// For words that nearest_name cannot guess.
std::string_view other_spelling(std::string_view name) {
    if (name == "and" || name == "or" || name == "not" || name == "if" || name == "else")
        return "complete the expression";
    if (name == "T" || name == "transpose") return "axes are the business of \"einsum\": \"ij->ji\"";
    if (name == "shape" || name == "len") return "write size(label) for a label's extent";
    if (name == "cumsum" || name == "cumprod" || name == "tril" || name == "triu" || name == "sort" ||
        name == "median" || name == "argsort" || name == "topk")
        return "it needs other elements too: write a node of its own; {\"op\": NAME} says how";
    if (name == "softmax" || name == "log_softmax") return "it needs a whole axis: write a node {\"op\": \"softmax\"}";
    if (name == "lambda") return "write what it gives, of x, y, ...";
    if (name.size() > 1 && dtype_from_name(name)) return "write cast_f32(x) and the like to convert";
    return {};
}

std::string suggestion(std::string_view name, std::vector<std::string> const& known) {
    if (auto const other = other_spelling(name); !other.empty()) return std::string(other);
    return mend_name(name.substr(0, 100), known);
}

/// Whether some input is called as another one is counted: x and y are not taken for tensors then.
bool counts_otherwise(Names const& names) {
    for (std::size_t k = 0; k < names.tensors.size(); ++k) {
        auto const number = operand_number(names.tensors[k]);
        if (number && *number < names.operands && *number != static_cast<long>(k)) return true;
    }
    return false;
}

/// The operands that a tensor's name stands for.
std::vector<int> operands_called(std::string_view name, Names const& names) {
    std::vector<int> out;
    if (operand_number(name) && counts_otherwise(names)) return out;
    for (std::size_t k = 0; k < names.tensors.size(); ++k)
        if (names.tensors[k] == name) out.push_back(static_cast<int>(k));
    return out;
}

/// Whether a tensor's name, as 'g/W' or 'W-next', is an expression of words of which one is this.
bool has_word(std::string_view tensor, std::string_view word) {
    for (std::size_t at = tensor.find(word); at != tensor.npos; at = tensor.find(word, at + 1)) {
        std::size_t const end = at + word.size();
        bool const begins = at == 0 || !is_word_character(tensor[at - 1]);
        bool const ends = end == tensor.size() || !is_word_character(tensor[end]);
        if (begins && ends && word.size() < tensor.size()) return true;
    }
    return false;
}

/// For a word of an input's name that no expression can have.
std::string part_of_tensor(std::string_view name, Names const& names) {
    for (std::size_t k = 0; k < names.tensors.size(); ++k)
        if (has_word(names.tensors[k], name))
            return quoted_text(names.tensors[k]) + " is inputs/" + std::to_string(k) + ": write " +
                   operand_name(static_cast<int>(k), names.operands) + " in its place";
    return {};
}

/// "x is 'W' and y is 'g/W': write one of these; ", where they are few.
std::string operands_told(Names const& names) {
    constexpr std::size_t most = 4;
    if (names.tensors.empty() || names.tensors.size() > most) return "correct the name; ";
    std::string out;
    for (std::size_t k = 0; k < names.tensors.size(); ++k)
        out += (k == 0                          ? ""
                : k + 1 == names.tensors.size() ? " and "
                                                : ", ") +
               operand_name(static_cast<int>(k), names.operands) + " is " + quoted_text(names.tensors[k]);
    return out + (names.tensors.size() == 1 ? ": write that; " : ": write one of these; ");
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

std::optional<Infix> infix_of(Token const& token) {
    bool const may_be = token.kind == TokenKind::symbol || token.kind == TokenKind::name;
    return may_be ? infix_from_text(token.text) : std::nullopt;
}

bool is_aggregation(std::string_view name) {
    constexpr std::array made_of_others{"mean", "var", "std", "norm", "count", "argmax", "argmin"};
    return agg_from_name(name) || std::ranges::find(made_of_others, name) != made_of_others.end();
}

std::optional<double> constant_value(std::string_view name) {
    if (name == "inf") return std::numeric_limits<double>::infinity();
    if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (name == "pi") return std::numbers::pi;
    if (name == "e") return std::numbers::e;
    return std::nullopt;
}

bool is_imaginary(std::string_view text) { return text.ends_with('j') || text.ends_with('J'); }

Expr number_from(std::string_view written, bool negative) {
    std::string text(written);
    std::erase(text, '_');
    if (is_imaginary(text)) {
        text.pop_back();
        return Expr::number(std::complex(0.0, std::strtod(text.c_str(), nullptr)));
    }
    std::uint64_t whole = 0;
    char const* const end = text.data() + text.size();
    auto const integer = std::from_chars(text.data(), end, whole);
    constexpr auto limit = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    bool const fits = integer.ec == std::errc{} && integer.ptr == end && whole <= limit + (negative ? 1 : 0);
    if (fits && !(negative && whole == 0)) {  // -0 stays the number -0.0
        return Expr::integer(static_cast<std::int64_t>(negative ? 0 - whole : whole));
    }
    double value = 0;
    auto const real = std::from_chars(text.data(), end, value);
    if (real.ec == std::errc::result_out_of_range) value = std::strtod(text.c_str(), nullptr);
    if (negative) value = -value;
    bool const digits = text.find_first_not_of("0123456789") == std::string::npos;
    return digits && !fits ? Expr::large_integer((negative ? "-" : "") + text, value) : Expr::number(value);
}

Expr resolve_name(std::string_view name, Names const& names) {
    if (auto const number = operand_number(name); number && *number < names.operands) {
        return Expr::operand(static_cast<int>(*number));
    }
    if (auto const value = constant_value(name)) return Expr::number(*value);
    if (std::find(names.params.begin(), names.params.end(), name) != names.params.end())
        return Expr::param(std::string(name));
    if (auto const called = operands_called(name, names); !called.empty()) return Expr::operand(called.front());
    for (Taken const& constant : taken_constants())
        if (constant.written == name) {
            auto const value = constant_value(constant.means);
            return value ? Expr::number(*value) : number_from(constant.means, false);
        }
    return {};
}

std::optional<ParseFault> ambiguous_name(std::string_view name, std::size_t where, Names const& names) {
    if (auto const number = operand_number(name); number && *number < names.operands) return std::nullopt;
    auto const called = operands_called(name, names);
    if (called.empty()) return std::nullopt;
    std::string const first = operand_name(called[0], names.operands);
    std::string const wanted = "a name that means one thing";
    if (called.size() > 1) {
        std::string const second = operand_name(called[1], names.operands);
        return ParseFault{where, wanted,
                          quoted_text(name) + ", which is input " + std::to_string(called[0]) + " and input " +
                              std::to_string(called[1]),
                          "write " + first + " or " + second};
    }
    bool const param = std::find(names.params.begin(), names.params.end(), name) != names.params.end();
    if (!param && !constant_value(name)) return std::nullopt;
    std::string const other = param ? "a param" : "a number";
    return ParseFault{where, wanted,
                      quoted_text(name) + ", which is " + other + " and input " + std::to_string(called[0]),
                      "write " + first + " for the input; rename the tensor if " + other + " is meant"};
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
    bool const ours = std::find(function_names().begin(), function_names().end(), name) != function_names().end();
    if (ours || !taken_arities(name).empty()) {
        return {where, "'(' after the function " + quoted_text(name), "none", "write " + std::string(name) + "(...)"};
    }
    std::vector<std::string> known = operand_names(names.operands);
    known.insert(known.end(), names.params.begin(), names.params.end());
    std::vector<std::string> near = known;
    for (std::string const& tensor : names.tensors)
        if (near.size() < most_suggested) near.push_back(tensor);
    std::string fix;
    if (std::find(names.labels.begin(), names.labels.end(), name) != names.labels.end()) {
        fix = "write [" + std::string(name) + "] for the index of label " + quoted_text(name);
    } else {
        fix = part_of_tensor(name, names);
        if (fix.empty()) fix = suggestion(name, near);
        if (fix.empty()) fix = operands_told(names) + "a number of that name belongs into \"params\"";
    }
    known.insert(known.end(), {"inf", "nan", "pi", "e"});
    return {where, join_names(known), quoted_text(name), fix};
}

ParseFault unknown_label(std::string_view label, std::size_t where, Names const& names) {
    if (names.labels.empty())
        return {where, "no index values here", quoted_text(label), "remove it: no labels are known"};
    std::string const near = nearest_name(label.substr(0, 100), names.labels);
    return {where, "a label of the node (" + join_names(names.labels) + ")", quoted_text(label),
            near.empty() ? "correct the label" : did_you_mean("[" + near + "]")};
}

ParseFault unknown_extent(std::string_view label, std::size_t where, Names const& names) {
    if (names.extents.empty())
        return {where, "no size() here: the extents of labels are not known", quoted_text(label), "write the number"};
    ParseFault fault = unknown_label(label, where, names);
    std::string const near = nearest_name(label.substr(0, 100), names.labels);
    if (!near.empty()) fault.fix = did_you_mean("size(" + near + ")");
    return fault;
}

namespace {

/// An aggregation is of the whole join, or of a node of its own.
std::string mend_aggregation(std::string_view name, std::size_t where) {
    std::string const text(name);
    std::string const node = "a node of its own, {\"op\": \"" + text +
                             "\", \"axis\": N} for the axis that it is over, as another input of this one";
    if (name == "min" || name == "max")
        return "write " + text + "(x, y) of two numbers, or \"agg\": \"" + text + "\" beside the join, or " + node;
    if (where == 0) return "write \"agg\": \"" + text + "\" beside the join that it is of, or " + node;
    return "write " + node + " (\"agg\": \"" + text + "\" beside the join is of the whole join)";
}

}  // namespace

ParseFault unknown_function(std::string_view name, std::size_t where) {
    std::vector<std::string> known(function_names().begin(), function_names().end());
    if (name.starts_with("cast_")) {
        return {where, "cast_ and one of " + dtype_names(), quoted_text(name), suggestion(name, known)};
    }
    if (is_aggregation(name))
        return {where, "a function of one element", quoted_text(name) + ", an aggregation",
                mend_aggregation(name, where), FaultKind::aggregation};
    for (FunctionForm const& form : function_forms()) known.emplace_back(form.name);
    std::string fix = suggestion(name, known);
    bool const of_axis = name == "softmax" || name == "log_softmax";
    return {where, "a function", quoted_text(name), fix.empty() ? "see the list of functions of \"join\"" : fix,
            of_axis ? FaultKind::aggregation : FaultKind::other};
}

ParseFault ambiguous_spelling(TwoMeanings const& meanings, std::size_t where) {
    return {where, "a spelling that means one thing", quoted_text(meanings.written),
            "write " + std::string(meanings.one) + ", or " + std::string(meanings.other)};
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
