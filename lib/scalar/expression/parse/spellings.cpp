#include "lib/scalar/expression/parse/spellings.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <unordered_map>

#include "lib/base/error.hpp"
#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/expression/parse/parse.hpp"

namespace ein::scalar {
namespace {

constexpr Taken operators[]{
    {"x ** y", "x^y"},
    {"x % y", "mod(x, y)"},
    {"x and y", "x && y"},
    {"x or y", "x || y"},
    {"not x", "!x"},
    {"not x == y", "!(x == y)"},
    {"x if z else y", "where(z, x, y)"},
    {"z ? x : y", "where(z, x, y)"},
    {"x < y <= z", "x < y && y <= z"},
    {"x.real", "real(x)"},
    {"x.conj()", "conj(x)"},
    {"x.clip(y, z)", "min(max(x, y), z)"},
    {"np.exp(x)", "exp(x)"},
    {"2j", "complex(0.0, 2.0)"},
    {"1_000", "1000"},
};

/// Meanings use our functions alone.
constexpr Taken functions[]{
    {"absolute(x)", "abs(x)"},
    {"add(x, y)", "x + y"},
    {"angle(x)", "atan2(imag(x), real(x))"},
    {"arccos(x)", "atan2(sqrt((1 - x)*(1 + x)), x)"},
    {"arccosh(x)", "acosh(x)"},
    {"arcsin(x)", "atan2(x, sqrt((1 - x)*(1 + x)))"},
    {"arcsinh(x)", "asinh(x)"},
    {"arctan(x)", "atan(x)"},
    {"arctan2(x, y)", "atan2(x, y)"},
    {"arctanh(x)", "atanh(x)"},
    {"acos(x)", "atan2(sqrt((1 - x)*(1 + x)), x)"},
    {"asin(x)", "atan2(x, sqrt((1 - x)*(1 + x)))"},
    {"around(x)", "round(x)"},
    {"clamp(x, y, z)", "min(max(x, y), z)"},
    {"clip(x, y, z)", "min(max(x, y), z)"},
    {"conjugate(x)", "conj(x)"},
    {"deg2rad(x)", "x*(pi/180)"},
    {"degrees(x)", "x*(180/pi)"},
    {"divide(x, y)", "x/y"},
    {"elu(x)", "where(x > 0, x, expm1(x))"},
    {"elu(x, y)", "where(x > 0, x, y*expm1(x))"},
    {"eq(x, y)", "x == y"},
    {"equal(x, y)", "x == y"},
    {"expit(x)", "sigmoid(x)"},
    {"fabs(x)", "abs(x)"},
    {"fix(x)", "where(x < 0, ceil(x), floor(x))"},
    {"fmax(x, y)", "where(x != x, y, where(y != y, x, max(x, y)))"},
    {"fmin(x, y)", "where(x != x, y, where(y != y, x, min(x, y)))"},
    {"fmod(x, y)",
     "where(x < 0, mod(x, -abs(y)), where(x == 0 && abs(y) > 0, x, where(y < 0, -mod(-x, y), mod(x, y))))"},
    {"ge(x, y)", "x >= y"},
    {"greater(x, y)", "x > y"},
    {"greater_equal(x, y)", "x >= y"},
    {"gt(x, y)", "x > y"},
    {"heaviside(x, y)", "where(x < 0, 0, where(x > 0, 1, where(x == 0, y, x)))"},
    {"hypot(x, y)", "abs(complex(x, y))"},
    {"isfinite(x)", "abs(real(x)) < inf && abs(imag(x)) < inf"},
    {"isinf(x)", "abs(real(x)) == inf || abs(imag(x)) == inf"},
    {"isnan(x)", "x != x"},
    {"le(x, y)", "x <= y"},
    {"leaky_relu(x, y)", "where(x > 0, x, y*x)"},
    {"less(x, y)", "x < y"},
    {"less_equal(x, y)", "x <= y"},
    {"ln(x)", "log(x)"},
    {"log10(x)", "log(x)/log(10)"},
    {"log_sigmoid(x)", "-softplus(-x)"},
    {"logaddexp(x, y)", "where(x == y, x/2 + y/2 + log(2), max(x, y) + log1p(exp(-abs(x - y))))"},
    {"logical_and(x, y)", "x && y"},
    {"logical_not(x)", "!x"},
    {"logical_or(x, y)", "x || y"},
    {"logical_xor(x, y)", "!x != !y"},
    {"logit(x)", "log(x/(1 - x))"},
    {"logsigmoid(x)", "-softplus(-x)"},
    {"lt(x, y)", "x < y"},
    {"maximum(x, y)", "max(x, y)"},
    {"minimum(x, y)", "min(x, y)"},
    {"mish(x)", "x*tanh(softplus(x))"},
    {"mul(x, y)", "x*y"},
    {"multiply(x, y)", "x*y"},
    {"ne(x, y)", "x != y"},
    {"neg(x)", "-x"},
    {"negative(x)", "-x"},
    {"not_equal(x, y)", "x != y"},
    {"positive(x)", "x"},
    {"power(x, y)", "x^y"},
    {"rad2deg(x)", "x*(180/pi)"},
    {"radians(x)", "x*(pi/180)"},
    {"reciprocal(x)", "1/x"},
    {"relu6(x)", "min(max(x, 0), 6)"},
    {"remainder(x, y)", "mod(x, y)"},
    {"rint(x)", "round(x)"},
    {"sgn(x)", "sign(x)"},
    {"sinc(x)", "where(x == 0, 1, sin(pi*x)/(pi*x))"},
    {"softsign(x)", "x/(1 + abs(x))"},
    {"square(x)", "x^2"},
    {"sub(x, y)", "x - y"},
    {"subtract(x, y)", "x - y"},
    {"swish(x)", "silu(x)"},
    {"true_divide(x, y)", "x/y"},
    {"trunc(x)", "where(x < 0, ceil(x), floor(x))"},
};

constexpr Taken constants[]{
    {"True", "1"},       {"true", "1"},       {"False", "0"},   {"false", "0"}, {"Inf", "inf"}, {"INFINITY", "inf"},
    {"Infinity", "inf"}, {"infinity", "inf"}, {"infty", "inf"}, {"NaN", "nan"}, {"NAN", "nan"}, {"M_PI", "pi"},
};

constexpr TwoMeanings ambiguous[]{
    {"//", "floor(x/y), which rounds x/y first", "(x - mod(x, y))/y, which is Python's"},
    {"floor_divide", "floor(x/y), which rounds x/y first", "(x - mod(x, y))/y, which is NumPy's"},
    {"lg", "log2(x)", "log10(x)"},
    {"leaky_relu", "leaky_relu(x, 0.01), as in PyTorch and JAX", "leaky_relu(x, 0.2), as in TensorFlow"},
    {"rem", "mod(x, y), with the sign of y", "fmod(x, y), with the sign of x"},
    {"float", "cast_f64(x), as in Python and NumPy", "cast_f32(x), as in PyTorch and C"},
    {"int", "cast_i64(x), as in Python and NumPy", "cast_i32(x), as in PyTorch and C"},
    {"select", "where(x, y, z), as in JAX", "where(z, y, x), as in OpenCL"},
};

std::string_view name_of(std::string_view written) { return written.substr(0, written.find('(')); }
std::size_t arguments_of(std::string_view written) {
    return static_cast<std::size_t>(std::count(written.begin(), written.end(), ',')) + 1;
}

struct Meaning {
    std::size_t arguments;
    Expr expr;
};

Expr meaning_of(Taken const& row) {
    ParseResult read = parse(row.means, {static_cast<int>(arguments_of(row.written)), {}, {}});
    promise(read.faults.empty(), "the meaning of a taken spelling is an expression");
    return std::move(read.expr);
}

std::unordered_map<std::string_view, std::vector<Meaning>> const& meanings() {
    static auto const table = [] {
        std::unordered_map<std::string_view, std::vector<Meaning>> out;
        for (Taken const& row : functions)
            out[name_of(row.written)].push_back({arguments_of(row.written), meaning_of(row)});
        return out;
    }();
    return table;
}

std::vector<FunctionForm> make_forms() {
    std::vector<FunctionForm> forms;
    for (std::string const& name : function_names()) {
        auto const op = function_from_name(name);
        if (!op) continue;
        auto const arity = static_cast<std::size_t>(info(*op).arity);
        bool const folds = *op == Op::min || *op == Op::max;
        forms.push_back({name, arity, folds ? std::numeric_limits<std::size_t>::max() : arity});
    }
    for (Taken const& row : functions) {
        std::size_t const arguments = arguments_of(row.written);
        forms.push_back({name_of(row.written), arguments, arguments});
    }
    return forms;
}

}  // namespace

std::span<Taken const> taken_operators() { return operators; }
std::span<Taken const> taken_functions() { return functions; }
std::span<Taken const> taken_constants() { return constants; }
std::span<TwoMeanings const> ambiguous_spellings() { return ambiguous; }

std::optional<TwoMeanings> two_meanings(std::string_view written) {
    for (TwoMeanings const& row : ambiguous)
        if (row.written == written) return row;
    return std::nullopt;
}

std::span<FunctionForm const> function_forms() {
    static std::vector<FunctionForm> const forms = make_forms();
    return forms;
}

Expr taken_function(std::string_view name, std::size_t arguments) {
    auto const found = meanings().find(name);
    if (found == meanings().end()) return {};
    for (Meaning const& meaning : found->second)
        if (meaning.arguments == arguments) return meaning.expr;
    return {};
}

std::vector<std::size_t> taken_arities(std::string_view name) {
    std::vector<std::size_t> out;
    if (auto const found = meanings().find(name); found != meanings().end())
        for (Meaning const& meaning : found->second) out.push_back(meaning.arguments);
    return out;
}

}  // namespace ein::scalar
