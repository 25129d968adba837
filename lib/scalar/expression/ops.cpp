#include "lib/scalar/expression/ops.hpp"

#include <array>
#include <vector>

namespace ein::scalar {
namespace {

using enum Spelling;

constexpr std::array<OpInfo, op_count> infos{{
    {"operand", 0, leaf},      {"index", 0, leaf},    {"number", 0, leaf},      {"param", 0, leaf},
    {"-", 1, prefix},          {"!", 1, prefix},      {"abs", 1, function},     {"sign", 1, function},
    {"floor", 1, function},    {"ceil", 1, function}, {"round", 1, function},   {"sqrt", 1, function},
    {"rsqrt", 1, function},    {"cbrt", 1, function}, {"exp", 1, function},     {"exp2", 1, function},
    {"expm1", 1, function},    {"log", 1, function},  {"log2", 1, function},    {"log1p", 1, function},
    {"sin", 1, function},      {"cos", 1, function},  {"tan", 1, function},     {"atan", 1, function},
    {"sinh", 1, function},     {"cosh", 1, function}, {"tanh", 1, function},    {"erf", 1, function},
    {"sigmoid", 1, function},  {"relu", 1, function}, {"silu", 1, function},    {"gelu", 1, function},
    {"softplus", 1, function}, {"conj", 1, function}, {"real", 1, function},    {"imag", 1, function},
    {"cast", 1, function},     {"+", 2, infix},       {"-", 2, infix},          {"*", 2, infix},
    {"/", 2, infix},           {"^", 2, infix},       {"mod", 2, function},     {"atan2", 2, function},
    {"min", 2, function},      {"max", 2, function},  {"<", 2, infix},          {"<=", 2, infix},
    {">", 2, infix},           {">=", 2, infix},      {"==", 2, infix},         {"!=", 2, infix},
    {"&&", 2, infix},          {"||", 2, infix},      {"complex", 2, function}, {"position", 2, function},
    {"where", 3, function},
}};

std::vector<std::string> make_function_names() {
    std::vector<std::string> names{"pow"};
    for (int k = 0; k < op_count; ++k) {
        Op const op = static_cast<Op>(k);
        if (info(op).spelling == function && op != Op::cast && op != Op::position) names.emplace_back(info(op).name);
    }
    for (int k = 0; k < dtype_count; ++k) names.push_back("cast_" + std::string(ein::name(static_cast<DType>(k))));
    return names;
}

}  // namespace

OpInfo const& info(Op op) { return infos.at(static_cast<std::size_t>(op)); }

std::string quoted(Op op) { return "'" + std::string(info(op).name) + "'"; }

std::optional<Op> function_from_name(std::string_view name) {
    if (name == "pow") return Op::pow;
    for (int k = 0; k < op_count; ++k) {
        Op const op = static_cast<Op>(k);
        if (op != Op::cast && info(op).spelling == function && info(op).name == name) return op;
    }
    return std::nullopt;
}

std::span<std::string const> function_names() {
    static std::vector<std::string> const names = make_function_names();
    return names;
}

}  // namespace ein::scalar
