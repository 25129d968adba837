#include "executor/device/kernel/product_labels.hpp"

#include <algorithm>

namespace ein::executor {
namespace {

constexpr std::size_t A = 0, B = 1, C = 2;

constexpr Sides sides_of(Role role) {
    switch (role) {
        case Role::batch: return {true, true, true};
        case Role::left: return {true, false, true};
        case Role::right: return {false, true, true};
        case Role::contracted: return {true, true, false};
        case Role::alone:
        case Role::broadcast: break;
    }
    return {false, false, false};
}

bool join_one_pair(std::vector<Run>& runs) {
    for (std::size_t outer = 0; outer < runs.size(); ++outer)
        for (std::size_t inner = 0; inner < runs.size(); ++inner) {
            bool adjacent = outer != inner;
            for (std::size_t side : {A, B, C})
                adjacent = adjacent && runs[outer].strides[side] == runs[inner].strides[side] * runs[inner].length;
            if (!adjacent) continue;
            runs[inner].labels.insert(runs[inner].labels.begin(), runs[outer].labels.begin(), runs[outer].labels.end());
            runs[inner].length *= runs[outer].length;
            runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(outer));
            return true;
        }
    return false;
}

}  // namespace

ProductLabels::ProductLabels(GemmProblem const& problem) : problem_(problem) {
    Nest const& nest = problem.nest;
    must_pack_ = {nest.operand_dtypes[problem.left] != problem.stored[A],
                  nest.operand_dtypes[problem.right] != problem.stored[B],
                  nest.output_dtype != problem.stored[C] || problem.pack_output};
    bool contracted = false, crossed = false, fits = true;
    for (std::size_t l = 0; l < nest.labels.size(); ++l) {
        bool const in_a = stride(l, A) != 0, in_b = stride(l, B) != 0, in_c = !nest.labels[l].aggregated;
        bool const only_one = in_a != in_b && !in_c;
        fits =
            fits && (in_a || in_b || in_c) && !(only_one && !problem.sums_products);  // else it repeats the whole sum
        Role const role = in_a && in_b ? (in_c ? Role::batch : Role::contracted)
                          : in_c       ? (in_a   ? Role::left
                                          : in_b ? Role::right
                                                 : Role::broadcast)
                                       : Role::alone;
        roles_.push_back(role);
        contracted = contracted || role == Role::contracted;
        crossed = crossed || role == Role::left || role == Role::right;
        if (role == Role::alone) must_pack_[in_a ? A : B] = true;
        if (role == Role::broadcast) must_pack_[C] = true;
    }
    is_product_ = fits && contracted && crossed;
}

Extent ProductLabels::stride(std::size_t label, std::size_t side) const {
    NestLabel const& at = problem_.nest.labels[label];
    return side == C ? at.output_stride : at.strides[side == A ? problem_.left : problem_.right];
}

bool ProductLabels::has(Role role, std::size_t side) { return sides_of(role)[side]; }

std::vector<Run> ProductLabels::runs_of(Role role, Sides const& packed) const {
    std::vector<std::size_t> labels;
    for (std::size_t l = 0; l < roles_.size(); ++l)
        if (roles_[l] == role) labels.push_back(l);
    std::vector<Run> runs = runs_in_order(labels, packed);
    while (join_one_pair(runs)) {
    }
    return runs;
}

std::vector<Run> ProductLabels::runs_in_order(std::vector<std::size_t> const& labels, Sides const& packed) const {
    std::vector<Run> runs;
    for (std::size_t l : labels) {
        Run run{{l}, problem_.nest.labels[l].length, {}};
        for (std::size_t side : {A, B, C})
            if (has(roles_[l], side) && !packed[side]) run.strides[side] = stride(l, side) / size(side);
        runs.push_back(run);
    }
    return runs;
}

Extent ProductLabels::lay_out(std::size_t side, std::vector<Run*> const& runs, std::vector<Extent>& strides) const {
    strides.assign(roles_.size(), 0);
    Extent elements = 1;
    for (Run* const run : runs) {
        run->strides[side] = elements;
        for (auto label = run->labels.rbegin(); label != run->labels.rend(); ++label) {
            strides[*label] = elements;
            elements *= problem_.nest.labels[*label].length;
        }
    }
    return elements;
}

double ProductLabels::packed_bytes(std::size_t side) const {
    double bytes = static_cast<double>(size(side));
    for (std::size_t l = 0; l < roles_.size(); ++l)
        if (side == C ? !problem_.nest.labels[l].aggregated : stride(l, side) != 0)
            bytes *= static_cast<double>(problem_.nest.labels[l].length);
    return bytes;
}

bool ProductLabels::adjacent_in_memory(Run const& run, std::size_t side) const {
    Nest const& nest = problem_.nest;
    DType const type = side == C ? nest.output_dtype : nest.operand_dtypes[side == A ? problem_.left : problem_.right];
    return std::any_of(run.labels.begin(), run.labels.end(),
                       [&](std::size_t label) { return stride(label, side) == static_cast<Extent>(size_of(type)); });
}

}  // namespace ein::executor
