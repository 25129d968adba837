#include "lib/scalar/expression/ops.hpp"

#include <vector>

#include "lib/scalar/operations/table.hpp"

namespace ein::scalar {
namespace {

/// cast has a dtype in its name; position is for joins that are made here, not written.
bool is_written(Operation const& row) {
    return row.spelling == Spelling::function && row.op != Op::cast && row.op != Op::position;
}

std::vector<std::string> make_function_names() {
    std::vector<std::string> names{"pow", "size"};
    for (Operation const& row : operations)
        if (is_written(row)) names.emplace_back(row.name);
    for (int k = 0; k < dtype_count; ++k) names.push_back("cast_" + std::string(ein::name(static_cast<DType>(k))));
    return names;
}

}  // namespace

Operation const& info(Op op) { return operations.at(static_cast<std::size_t>(op)); }

bool is_truth(Op op) { return info(op).type == TypeRule::truth || info(op).type == TypeRule::comparison; }

Form form(Op op) {
    switch (info(op).type) {
        case TypeRule::leaf: return Form::leaf;
        case TypeRule::cast: return Form::cast;
        case TypeRule::truth: return Form::logic;
        case TypeRule::choice: return Form::choice;
        case TypeRule::position: return Form::position;
        case TypeRule::negation:
        case TypeRule::same:
        case TypeRule::part:
        case TypeRule::ordered:
        case TypeRule::real:
        case TypeRule::analytic:
        case TypeRule::arithmetic:
        case TypeRule::comparison:
        case TypeRule::make_complex: break;
    }
    return Form::computed;
}

std::string quoted(Op op) { return "'" + std::string(info(op).name) + "'"; }

std::optional<Op> function_from_name(std::string_view name) {
    if (name == "pow") return Op::pow;
    for (Operation const& row : operations)
        if (row.op != Op::cast && row.spelling == Spelling::function && row.name == name) return row.op;
    return std::nullopt;
}

std::optional<Infix> infix_from_text(std::string_view text) {
    auto const of = [](Op op, Binds binds) { return Infix{op, static_cast<int>(binds)}; };
    if (text == "and") return of(Op::logical_and, Binds::both);
    if (text == "or") return of(Op::logical_or, Binds::either);
    if (text == "%") return of(Op::mod, Binds::product);
    for (Operation const& row : operations)
        if (row.op != Op::pow && row.spelling == Spelling::infix && row.name == text) return of(row.op, row.binds);
    return std::nullopt;
}

std::span<std::string const> function_names() {
    static std::vector<std::string> const names = make_function_names();
    return names;
}

}  // namespace ein::scalar
