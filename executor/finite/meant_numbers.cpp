#include "executor/finite/meant_numbers.hpp"

#include <cmath>

namespace ein::executor {

using tensor::NonFinite;

namespace {

NonFinite kind_of(std::complex<double> value) {
    if (std::isnan(value.real()) || std::isnan(value.imag())) return {.nan = 1};
    if (std::isinf(value.real()) || std::isinf(value.imag())) return {.infinite = 1};
    return {};
}

}  // namespace

NonFinite meant_numbers(scalar::Expr const& join, scalar::Params const& params) {
    scalar::Node const& node = join.node();
    if (node.op == scalar::Op::number) return node.integral ? NonFinite{} : kind_of(node.value);
    if (node.op == scalar::Op::param) {
        auto const param = params.find(node.name);
        return param == params.end() ? NonFinite{} : kind_of(param->second);
    }
    NonFinite out;
    for (scalar::Expr const& argument : node.args) out += meant_numbers(argument, params);
    return out;
}

NonFinite meant_numbers(schedule::Header const& header) {
    NonFinite out;
    for (schedule::Kernel const& kernel : header.kernels) out += meant_numbers(kernel.einsum.join, header.params);
    auto const add = [&](scalar::Scalar const& value) {
        if (!value.is_integer) out += kind_of(value.number);
    };
    for (schedule::FillSpec const& fill : header.fills) add(fill.value);
    for (schedule::Input const& input : header.inputs)
        if (auto const& fill = header.tensors[input.tensor].fill) add(*fill);
    return out;
}

}  // namespace ein::executor
