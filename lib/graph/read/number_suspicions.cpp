#include "lib/graph/read/number_suspicions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/expression/walk.hpp"
#include "lib/tensor/host_tensor.hpp"

namespace ein::graph {
namespace {

using scalar::Expr;
using scalar::Op;

/// Whether its values are whole numbers (and finite), whatever type it is computed in.
bool is_whole(Expr const& join, scalar::Params const& params) {
    auto const whole = [](double value) { return std::nearbyint(value) == value && std::isfinite(value); };
    std::map<scalar::Node const*, bool> known;
    for (Expr const* part : scalar::arguments_first(join)) {
        scalar::Node const& node = part->node();
        auto const all = [&](std::size_t from) {
            return std::all_of(node.args.begin() + static_cast<std::ptrdiff_t>(from), node.args.end(),
                               [&](Expr const& of) { return known.at(&of.node()); });
        };
        bool& is = known[&node];
        switch (node.op) {
            case Op::number: is = node.value.imag() == 0 && whole(node.value.real()); break;
            case Op::param: is = params.contains(node.name) && whole(params.at(node.name)); break;
            case Op::cast: is = is_exact(node.cast_to) || all(0); break;
            case Op::div:  // 0/1 of bools and the like
                is = all(0) && scalar::is_number(node.args[1], 1);
                break;
            case Op::where: is = all(1); break;
            case Op::pow:
                is = all(0) && node.args[1].op() == Op::number && node.args[1].node().value.real() >= 0;
                break;
            case Op::neg:
            case Op::abs:
            case Op::relu:
            case Op::add:
            case Op::sub:
            case Op::mul:
            case Op::mod:
            case Op::min:
            case Op::max:
            case Op::real:
            case Op::conj:
            case Op::position: is = all(0); break;
            case Op::operand:  // the node's type would be real if one of them were
            case Op::index:
            case Op::floor:
            case Op::ceil:
            case Op::round:
            case Op::sign: is = true; break;
            default:  // sqrt, exp, ...
                is = scalar::is_truth(node.op);
        }
    }
    return known.at(&join.node());
}

/// Real numbers that become integers because a node's dtype is that of its inputs, and nothing says otherwise.
void note_fractions_lost(NodeContext const& context, scalar::Params const& params, std::vector<std::string>& notes) {
    WrittenEinSum const& written = *context.written;
    auto const agg = scalar::agg_from_name(written.agg);  // others have a type of their own
    bool const logic = agg == scalar::Agg::any || agg == scalar::Agg::all;
    if (context.node.has("dtype") || !is_exact(written.output) || is_exact(written.join) || !agg || logic) return;
    if (written.einsum.join.op() == Op::cast || is_whole(written.einsum.join, params)) return;
    std::string const output(name(written.output));
    DType const real = kind(context.default_dtype) == kind(written.join) ? context.default_dtype
                       : is_complex(written.join)                        ? DType::c64
                                                                         : DType::f32;
    notes.push_back("node '" + context.name + "': its join gives " + (is_complex(written.join) ? "complex" : "real") +
                    " numbers, which are stored as " + output + ", its inputs' dtype, without what " + output +
                    " does not hold; give the node \"dtype\": \"" + std::string(name(real)) +
                    "\", or write floor(...) in its join where whole numbers are meant");
}

/// The least and the largest whole number of a type of integers.
std::pair<double, double> range_of_integers(DType dtype) {
    if (dtype == DType::u8) return {0, 255};
    double const most = std::exp2(8.0 * static_cast<double>(size_of(dtype)) - 1);
    return {-most, most - 1};
}

/// A real number that is added in a node of integers that cannot hold it: with digits alone it would be refused.
void note_numbers_too_large(NodeContext const& context, std::vector<std::string>& notes) {
    WrittenEinSum const& written = *context.written;
    if (context.node.has("dtype") || !is_integer(written.output) || is_exact(written.join)) return;
    auto const [least, most] = range_of_integers(written.output);
    for (Expr const* part : scalar::arguments_first(written.einsum.join)) {
        if (part->op() != Op::add && part->op() != Op::sub) continue;
        for (Expr const& argument : part->args()) {
            if (argument.op() != Op::number) continue;
            double const value = argument.node().value.real();
            if (!std::isfinite(value) || (value >= least && value <= most)) continue;
            std::string const output(name(written.output));
            return notes.push_back("node '" + context.name + "': its join adds " + Json(value).dump() + ", which " +
                                   output +
                                   ", its inputs' dtype, does not hold: its results wrap; give the node "
                                   "\"dtype\": \"i64\", or " +
                                   output + " if that is meant");
        }
    }
}

constexpr double unknown = std::numeric_limits<double>::infinity();

/// The largest value of a narrow type of integers; nothing for others, whose sums hardly leave them.
std::optional<double> narrow_most(DType dtype) {
    if (dtype == DType::u8) return 255;
    if (dtype == DType::i8) return 127;
    if (dtype == DType::i16) return 32767;
    return std::nullopt;
}

/// Where a value's elements come from, if it is a tensor of the file.
tensor::Source const* source_of(GraphBuilder const& graph, ValueId id) {
    if (graph.producer(id) != nullptr) return nullptr;
    auto const leaf = std::ranges::find(graph.graph().leaves, id, &Leaf::value);
    return leaf == graph.graph().leaves.end() ? nullptr : &leaf->source;
}

/// Whether all its elements may be as large as the largest one: some values of a list hardly are.
bool is_alike(GraphBuilder const& graph, ValueId id) {
    tensor::Source const* const source = source_of(graph, id);
    return source != nullptr && (std::holds_alternative<tensor::FillSource>(*source) ||
                                 std::holds_alternative<tensor::RandomSource>(*source));
}

/// How large elements of a value are, where the graph has its data.
std::optional<double> most_of_data(GraphBuilder const& graph, ValueId id) {
    tensor::Source const* const source = source_of(graph, id);
    if (source == nullptr) return std::nullopt;
    if (auto const* const fill = std::get_if<tensor::FillSource>(source)) return std::abs(fill->value);
    auto const* const random = std::get_if<tensor::RandomSource>(source);
    if (random != nullptr && random->distribution == tensor::Distribution::uniform)
        return std::max(std::abs(random->a), std::abs(random->b));
    auto const* const values = std::get_if<tensor::ValuesSource>(source);
    if (values == nullptr) return std::nullopt;
    Value const& value = graph.value(id);
    tensor::HostTensor tensor(value.dtype, value.shape);
    tensor.bytes() = values->bytes;
    double most = 0;
    for (Extent k = 0; k < element_count(value.shape); ++k)
        most = std::max(most, is_exact(value.dtype) ? std::abs(static_cast<double>(tensor.at(k).integer))
                                                    : std::abs(tensor.at(k).number));
    return most;
}

/// The same by its data, else by its type.
double most_of(GraphBuilder const& graph, ValueId id) {
    DType const dtype = graph.value(id).dtype;
    double const of_type = dtype == DType::boolean ? 1 : narrow_most(dtype).value_or(unknown);
    return most_of_data(graph, id).value_or(of_type);
}

/// How large a power may be: finite where base and exponent are.
double most_of_power(double base, double exponent) {
    if (base == unknown || exponent == unknown) return unknown;
    return std::min(std::pow(std::max(base, 1.0), exponent), std::numeric_limits<double>::max());
}

using MostOfParts = std::map<scalar::Node const*, double>;

/// How large the values of a join's parts may be.
MostOfParts most_of_parts(Expr const& join, NodeContext const& context, scalar::Params const& params) {
    MostOfParts known;
    for (Expr const* part : scalar::arguments_first(join)) {
        scalar::Node const& node = part->node();
        auto const of = [&](std::size_t k) { return known.at(&node.args[k].node()); };
        double& most = known[&node];
        switch (node.op) {
            case Op::operand:
                most = most_of(context.graph, *context.inputs[static_cast<std::size_t>(node.slot)]);
                break;
            case Op::number: most = std::abs(node.value); break;
            case Op::param: most = params.contains(node.name) ? std::abs(params.at(node.name)) : unknown; break;
            case Op::index:
                most = static_cast<double>(context.written->einsum.extents[static_cast<std::size_t>(node.slot)]);
                break;
            case Op::add:
            case Op::sub: most = of(0) + of(1); break;
            case Op::mul: most = of(0) * of(1); break;
            case Op::pow: most = most_of_power(of(0), of(1)); break;
            case Op::div: most = node.args[1].op() == Op::number && of(1) > 0 ? of(0) / of(1) : unknown; break;
            case Op::where: most = std::max(of(1), of(2)); break;
            case Op::min:
            case Op::max: most = std::max(of(0), of(1)); break;
            case Op::mod: most = of(1); break;
            case Op::neg:
            case Op::abs:
            case Op::relu:
            case Op::floor:
            case Op::ceil:
            case Op::round:
            case Op::cast: most = of(0); break;
            case Op::sign: most = 1; break;
            default: most = scalar::is_truth(node.op) ? 1 : unknown;
        }
    }
    return known;
}

double terms_of_a_sum(EinSum const& einsum) {
    double terms = 1;
    for (int const label : einsum.aggregated())
        terms *= static_cast<double>(einsum.extents[static_cast<std::size_t>(label)]);
    return terms;
}

constexpr int few_terms = 16;

/// Whether all inputs are.
bool are_alike(NodeContext const& context) {
    return std::ranges::all_of(context.inputs, [&](auto const& id) { return is_alike(context.graph, *id); });
}

/// Sums of narrow integers, which wrap, and of truth values, which are no counts. Few terms hardly wrap, where
/// nobody knows how large they are.
void note_narrow_sums(NodeContext const& context, scalar::Params const& params, std::vector<std::string>& notes) {
    WrittenEinSum const& written = *context.written;
    EinSum const& einsum = written.einsum;
    double const terms = terms_of_a_sum(einsum);
    if (written.agg != "sum" || context.node.has("dtype") || terms < 2) return;
    bool const counts = einsum.operands() == 1 || context.node.has("join");  // else it asks for a path, as in a graph
    if (written.output == DType::boolean && counts)
        notes.push_back("node '" + context.name +
                        "': a sum of truth values is one, true where any is; give the node \"dtype\": \"i64\" to "
                        "count, or \"agg\": \"any\" if that is meant");
    auto const most = narrow_most(written.output);
    double const each = most && (are_alike(context) || terms >= few_terms)
                            ? most_of_parts(einsum.join, context, params).at(&einsum.join.node())
                            : unknown;
    if (each == unknown || each * terms <= *most) return;
    std::string const output(name(written.output));
    notes.push_back("node '" + context.name + "' adds " + std::to_string(static_cast<Extent>(std::min(terms, 9e18))) +
                    " elements in " + output + ", which wraps beyond " + std::to_string(static_cast<int>(*most)) +
                    "; give the node \"dtype\": \"i64\", or " + output + " if that is meant");
}

/// x^2, x*x, and x*y of one value twice.
bool is_power(Expr const& part, NodeContext const& context) {
    if (part.op() == Op::pow) return !scalar::operands_of(part).empty();
    if (part.op() != Op::mul) return false;
    Expr const &a = part.args()[0], &b = part.args()[1];
    auto const value = [&](Expr const& of) { return *context.inputs[static_cast<std::size_t>(of.node().slot)]; };
    if (a.op() == Op::operand && b.op() == Op::operand && value(a) == value(b)) return true;
    return a == b && !scalar::operands_of(a).empty();
}

/// Powers of narrow integers, which wrap at the square of 16 already. Few elements hardly wrap, as in sums.
void note_narrow_powers(NodeContext const& context, scalar::Params const& params, std::vector<std::string>& notes) {
    WrittenEinSum const& written = *context.written;
    auto const most = narrow_most(written.output);
    if (!most || context.node.has("dtype")) return;
    double elements = 1;
    for (Extent const extent : written.einsum.extents) elements *= static_cast<double>(extent);
    if (elements < few_terms && !are_alike(context)) return;
    MostOfParts const known = most_of_parts(written.einsum.join, context, params);
    for (auto const* part : scalar::arguments_first(written.einsum.join)) {
        double const value = known.at(&part->node());
        if (value == unknown || value <= *most || !is_power(*part, context)) continue;
        std::string const output(name(written.output));
        return notes.push_back("node '" + context.name + "': its join takes powers in " + output +
                               ", which wraps beyond " + std::to_string(static_cast<int>(*most)) +
                               "; give the node \"dtype\": \"i64\", or " + output + " if that is meant");
    }
}

/// A difference of unsigned numbers wraps wherever the second is the larger one, half of the time.
void note_unsigned_differences(NodeContext const& context, std::vector<std::string>& notes) {
    WrittenEinSum const& written = *context.written;
    if (written.join != DType::u8 || written.output != DType::u8 || context.node.has("dtype")) return;
    for (Expr const* part : scalar::arguments_first(written.einsum.join)) {
        bool const subtracts = part->op() == Op::sub;
        bool const from_most = subtracts && part->args()[0].op() == Op::number &&
                               part->args()[0].node().value.real() >= *narrow_most(DType::u8);
        if ((!subtracts || from_most) && part->op() != Op::neg) continue;
        return notes.push_back("node '" + context.name +
                               "': its join subtracts in u8, where 3 - 5 is 254; give the node \"dtype\": \"i16\", or "
                               "\"u8\" if that is meant");
    }
}

/// A dtype that has no imaginary parts is hardly how to take real ones.
void note_imaginary_lost(NodeContext const& context, std::vector<std::string>& notes) {
    WrittenEinSum const& written = *context.written;
    bool const truth = written.agg == "any" || written.agg == "all";
    if (!is_complex(written.join) || is_complex(written.output) || truth) return;
    notes.push_back("node '" + context.name + "': its join is complex, and " + std::string(name(written.output)) +
                    " keeps the real part alone; write real(...) if that is meant, or abs(...)");
}

bool is_infinite(Expr const& expr) {
    if (expr.op() == Op::neg) return is_infinite(expr.args()[0]);
    return expr.op() == Op::number && std::isinf(expr.node().value.real());
}

/// A product with inf, as masks are written that are nan where they are 0.
void note_infinite_factors(NodeContext const& context, std::vector<std::string>& notes) {
    if (!context.node.has("join")) return;
    for (Expr const* part : scalar::arguments_first(context.written->einsum.join)) {
        if (part->op() != Op::mul) continue;
        Expr const &a = part->args()[0], &b = part->args()[1];
        if (is_infinite(a) == is_infinite(b) || scalar::operands_of(is_infinite(a) ? b : a).empty()) continue;
        return notes.push_back("node '" + context.name +
                               "': its join multiplies by inf, and 0*inf is nan; write where(MASK, x, -inf) for a "
                               "mask that keeps x");
    }
}

}  // namespace

std::vector<std::string> number_suspicions(NodeContext const& context, scalar::Params const& params) {
    std::vector<std::string> notes;
    note_fractions_lost(context, params, notes);
    if (notes.empty()) note_numbers_too_large(context, notes);
    std::size_t const before = notes.size();
    note_narrow_sums(context, params, notes);
    if (notes.size() == before) note_narrow_powers(context, params, notes);
    note_infinite_factors(context, notes);
    note_unsigned_differences(context, notes);
    note_imaginary_lost(context, notes);
    return notes;
}

}  // namespace ein::graph
