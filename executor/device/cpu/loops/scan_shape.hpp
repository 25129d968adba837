// Which EinSums are scans, and as what: the operand, the region, and the labels with their steps. Leaves how they are
// computed to scan_kernel.hpp. Example: "jc->ic" with where([j] <= [i], x, 0): terms j, outputs i, beside them c.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "executor/device/kernel/kernel_types.hpp"
#include "executor/device/kernel/nest.hpp"
#include "lib/scalar/regions/prefix.hpp"

namespace ein::executor {

/// A label beside the scanned ones.
struct Beside {
    Extent length = 1, in = 0, out = 0;  // bytes an index
};

struct ScanShape {
    std::size_t operand = 0;
    scalar::Prefix prefix;
    Extent outputs = 1, terms = 1;                 // indices of the output's label, and of the aggregated one
    Extent out_step = 0, in_step = 0;              // bytes an index
    std::vector<Beside> beside;                    // outermost first
    std::size_t output_label = 0, term_label = 0;  // of the EinSum
};

/// @param nest  simplified  @return nothing for what is no scan
std::optional<ScanShape> scan_shape(graph::EinSum const& einsum, Nest const& nest, KernelTypes const& types);

}  // namespace ein::executor
