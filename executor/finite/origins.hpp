// In which nodes NaN and infinities begin, by what all ranks have seen. A node is at fault when it has some although no
// tensor that it reads has any, then or before, and its own join has no such number: infinities do not count where
// `inf` stands in it, NaN not where `nan` does. NaN out of inputs that are infinite is no fault, but is reported. A
// tensor is looked at as a whole, so that the verdict is the same however it is cut and on however many ranks. Example:
// Y = 1/x of {0, 1}, Z = Y - Y: Y is at fault, with one infinite element; Z has NaN out of infinities.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "executor/finite/seen_non_finite.hpp"
#include "lib/tensor/non_finite.hpp"

namespace ein::executor {

struct Origin {
    std::string node;
    schedule::KernelId kernel{0};  // the node's first: of two nodes in one iteration the lower one runs first
    tensor::NonFinite count;       // of elements, at that moment; of kinds that begin here
    Moment first;
    std::vector<int> ranks;         // that saw them
    bool inputs_are_finite = true;  // a fault; else NaN out of infinities
    bool has_infinity = false;      // its own join does, as a mask that multiplies by it
};

/// By kernel. @param seen  by rank
std::vector<Origin> origins(schedule::Header const& header, std::vector<SeenNonFinite> const& seen);

/// The fault that came first; nullptr where there is none.
Origin const* first_fault(std::vector<Origin> const& origins);

/// "12 elements (3 NaN, 9 infinite)", or "12 of 24 elements (...)".
std::string text_of(tensor::NonFinite const& count, std::optional<std::int64_t> of = {});
/// " in iteration 3 of loop 'train'", or "".
std::string text_of(Moment const& moment, schedule::Header const& header);
/// What first_fault, which there must be, is reported as.
std::string fault_text(std::vector<Origin> const& origins, schedule::Header const& header);

}  // namespace ein::executor
