#include "executor/device/cpu/loops/scan_shape.hpp"

#include <algorithm>
#include <cmath>

namespace ein::executor {
namespace {

/// The operand and the region of a join where(c, x, identity), either way round.
std::optional<ScanShape> scan_of(graph::EinSum const& einsum, KernelTypes const& types) {
    scalar::Expr const& join = einsum.join;
    if (join.op() != scalar::Op::where || einsum.aggregated().size() != 1) return std::nullopt;
    auto const& args = join.args();
    bool const first = args[2].op() == scalar::Op::number;
    scalar::Expr const &kept = args[first ? 1 : 2], &fill = args[first ? 2 : 1];
    if (kept.op() != scalar::Op::operand || fill.op() != scalar::Op::number) return std::nullopt;
    scalar::Scalar const identity = scalar::identity(einsum.agg, types.accumulate);
    double const begins = identity.is_integer ? static_cast<double>(identity.integer) : identity.number.real();
    if (fill.node().value != std::complex<double>(begins) || types.join != types.accumulate) return std::nullopt;
    std::optional<scalar::Prefix> const prefix = scalar::as_prefix(args[0], einsum.aggregated().front(), first);
    if (!prefix) return std::nullopt;
    ScanShape out;
    out.operand = static_cast<std::size_t>(kept.node().slot);
    out.prefix = *prefix;
    out.output_label = static_cast<std::size_t>(prefix->output);
    out.term_label = static_cast<std::size_t>(einsum.aggregated().front());
    return out;
}

}  // namespace

std::optional<ScanShape> scan_shape(graph::EinSum const& einsum, Nest const& nest, KernelTypes const& types) {
    if (nest.accumulate || einsum.agg == scalar::Agg::logsumexp) return std::nullopt;
    std::optional<ScanShape> scan = scan_of(einsum, types);
    if (!scan) return std::nullopt;
    bool has_outputs = false, has_terms = false;
    for (NestLabel const& label : nest.labels) {
        Extent const in = label.strides[scan->operand];
        if (label.index == static_cast<int>(scan->output_label)) {
            if (in != 0 || label.aggregated) return std::nullopt;  // the operand has the label: a diagonal band
            scan->outputs = label.length, scan->out_step = label.output_stride, has_outputs = true;
        } else if (label.index == static_cast<int>(scan->term_label)) {
            scan->terms = label.length, scan->in_step = in, has_terms = true;
        } else {
            if (label.aggregated || label.index >= 0) return std::nullopt;
            scan->beside.push_back({label.length, in, label.output_stride});
        }
    }
    if (!has_outputs || !has_terms) return std::nullopt;
    std::stable_sort(scan->beside.begin(), scan->beside.end(),
                     [](Beside const& a, Beside const& b) { return std::abs(a.out) > std::abs(b.out); });
    return scan;
}

}  // namespace ein::executor
