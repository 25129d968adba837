// Sums that may be computed in a quicker way if an operand is finite: it is looked through before each call. Where it
// has nan or infinities, the quick way runs with 1 or -1 in their places, by their sign, and terms with them are added
// afterwards: what such terms make of an element, nan or an infinity, no finite term changes. So an element that no
// such term belongs to has the same bits, whatever the others hold. Example: where([i] >= [j], x*y, 0) is where([i] >=
// [j], x, 0)*y of a finite y.
#pragma once

#include "executor/device/cpu/choices/kernel_step.hpp"
#include "executor/device/kernel/kernel_types.hpp"

namespace ein::executor {

/// @param operand  whose elements must be finite
/// @param quick  a kernel of these shapes; nothing: there is none
/// @param plain  any kernel
/// @return the quick kernel itself where the operand's type has neither nan nor infinity; nothing where there is none
std::unique_ptr<PreparedKernel const> guard_finite(KernelShape const& shape, KernelTypes const& types,
                                                   std::size_t operand, PrepareKernel const& quick,
                                                   PrepareKernel const& plain);

}  // namespace ein::executor
