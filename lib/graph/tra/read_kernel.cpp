#include "lib/graph/tra/read_kernel.hpp"

#include <algorithm>
#include <array>

#include "lib/base/text/near_names.hpp"
#include "lib/graph/read/einsum/read_join.hpp"
#include "lib/graph/read/einsum/subscripts.hpp"
#include "lib/graph/read/fields.hpp"

namespace ein::graph {
namespace {

using scalar::Agg;
using tra::Kernel;

struct NamedKernel {
    std::string_view name;
    int operands;
    Kernel (*make)();
};

std::array<NamedKernel, 13> constexpr named_kernels{{{"matMul", 2, tra::kernels::mat_mul},
                                                     {"matTranMulL", 2, tra::kernels::mat_tran_mul_left},
                                                     {"matTranMulR", 2, tra::kernels::mat_tran_mul_right},
                                                     {"matAdd", 2, tra::kernels::mat_add},
                                                     {"matSub", 2, tra::kernels::mat_sub},
                                                     {"elemMul", 2, tra::kernels::elem_mul},
                                                     {"elemMin", 2, tra::kernels::elem_min},
                                                     {"matVecSub", 2, tra::kernels::mat_vec_sub},
                                                     {"relu", 1, tra::kernels::relu},
                                                     {"relu'", 1, tra::kernels::relu_gradient},
                                                     {"sigmoid", 1, tra::kernels::sigmoid},
                                                     {"diag", 1, tra::kernels::diag},
                                                     {"rowSum", 1, tra::kernels::row_sum}}};

std::string arrays(int count) { return count == 1 ? "one array" : std::to_string(count) + " arrays"; }

std::vector<Kernel> operands(int count) {
    std::vector<Kernel> list;
    for (int k = 0; k < count; ++k) list.push_back(Kernel::operand(k));
    return list;
}

scalar::Expr const& join_of(Kernel const& kernel) {
    tra::BlockOp const& op = kernel.op();
    if (auto const* act = std::get_if<tra::Elementwise>(&op.act)) return act->join;
    return std::get<tra::Contraction>(op.act).join;
}

bool typed(Cursor const& at, ReadExpression const& join, KernelPlace const& place) {
    if (!place.dtype) return true;
    std::vector<DType> const inputs(static_cast<std::size_t>(place.operands), *place.dtype);
    return check_expression_type(at, join, inputs, *place.dtype).has_value();
}

bool is_word(std::string const& text) {
    return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c == '\''; });
}

std::optional<Kernel> read_named_kernel(Cursor const& at, NamedKernel const& named, KernelPlace const& place) {
    if (named.operands != place.operands) {
        at.fail("a kernel of " + arrays(place.operands), quote(named.name) + ", of " + arrays(named.operands),
                "join has kernels of two arrays, transform of one; or write an expression");
        return std::nullopt;
    }
    Kernel kernel = named.make();
    return typed(at, {join_of(kernel), {}}, place) ? std::optional(std::move(kernel)) : std::nullopt;
}

std::optional<Kernel> read_text(Cursor const& at, std::string const& text, KernelPlace const& place) {
    std::vector<std::string> names;
    for (NamedKernel const& named : named_kernels) {
        if (named.name == text) return read_named_kernel(at, named, place);
        names.emplace_back(named.name);
    }
    scalar::Names const known{place.operands, {}, place.params};
    if (is_word(text) && !scalar::parse(text, known).faults.empty()) {
        at.fail("a kernel: a scalar expression of x and y, or " + one_of(names), quote(text),
                mend_name(text, names, "write one of these, or an expression"));
        return std::nullopt;
    }
    auto read = read_expression(at, known);
    if (!read || !typed(at, *read, place)) return std::nullopt;
    return Kernel::apply({text, tra::Elementwise{place.operands, std::move(read->expr)}}, operands(place.operands));
}

/// Subscripts with numbers for labels; nothing, and a fault, for what arrays do not have.
std::optional<tra::Contraction> numbered(Cursor const& at, Subscripts const& subscripts,
                                         std::vector<std::string>& labels) {
    tra::Contraction made;
    auto const number = [&](std::string const& label) {
        auto const found = std::find(labels.begin(), labels.end(), label);
        if (found == labels.end()) return labels.push_back(label), static_cast<int>(labels.size()) - 1;
        return static_cast<int>(found - labels.begin());
    };
    for (auto const& term : subscripts.inputs) {
        made.inputs.emplace_back();
        for (std::string const& label : term) made.inputs.back().push_back(number(label));
    }
    std::size_t const known = labels.size();
    for (std::string const& label : subscripts.output) made.output.push_back(number(label));
    bool const dots = std::find(labels.begin(), labels.end(), ellipsis) != labels.end();
    if (!dots && labels.size() == known) return made;
    at.fail(dots ? "a label for every axis of an array" : "output labels that an array has",
            dots ? "'...'" : quote(labels[known]), dots ? "name the axes" : "correct the output");
    return std::nullopt;
}

std::optional<Agg> read_kernel_agg(Cursor const& kernel, std::optional<DType> dtype) {
    auto const at = optional_at(kernel, "agg");
    if (!at) return Agg::sum;
    auto const text = at->string();
    if (!text) return std::nullopt;
    std::vector<std::string> const names = scalar::agg_names();
    auto const agg = scalar::agg_from_name(*text);
    if (!agg) at->fail(one_of(names), quote(*text), mend_name(*text, names, "write one of these"));
    if (!agg || !scalar::info(*agg).ordered || !dtype || !is_complex(*dtype)) return agg;
    at->fail("sum, prod, any or all of complex numbers", *text + " (they have no order)", "aggregate real numbers");
    return std::nullopt;
}

std::optional<Kernel> read_einsum_kernel(Cursor const& at, KernelPlace const& place) {
    at.only_keys({"einsum", "join", "agg"});
    auto const agg = read_kernel_agg(at, place.dtype);
    auto const einsum = required(at, "einsum", "write what is done to the arrays' axes: \"einsum\": \"ij,jk->ik\"");
    if (!einsum) return std::nullopt;
    std::vector<std::optional<std::size_t>> const orders(static_cast<std::size_t>(place.operands));
    auto const subscripts = read_subscripts(*einsum, orders);
    if (!subscripts) return std::nullopt;
    if (subscripts->inputs.size() != orders.size()) {
        einsum->fail("subscripts of " + arrays(place.operands), std::to_string(subscripts->inputs.size()),
                     "write one term for each array");
        return std::nullopt;
    }
    std::vector<std::string> labels;
    auto made = numbered(*einsum, *subscripts, labels);
    auto join = read_join(at, {place.operands, labels, place.params});
    if (!made || !join || !agg || !typed(at.has("join") ? at.at("join") : at, *join, place)) return std::nullopt;
    made->join = std::move(join->expr);
    made->agg = *agg;
    return Kernel::apply({brief(einsum->value()), std::move(*made)}, operands(place.operands));
}

}  // namespace

std::optional<tra::Kernel> read_kernel(Cursor const& at, KernelPlace const& place) {
    if (at.value().is_string()) return read_text(at, at.value().get<std::string>(), place);
    if (at.value().is_object()) return read_einsum_kernel(at, place);
    at.fail("a kernel", describe(at.value()),
            "write \"matMul\", an expression such as \"x + y\", or {\"einsum\": \"ij,jk->ik\"}");
    return std::nullopt;
}

}  // namespace ein::graph
