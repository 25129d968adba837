// How products of a large tensor and a small one are cut into boxes, for gate_kernel.hpp, and how a box lies in both
// large tensors. Example: "abcdef,xyce->abxdyf" of extents 2, with large steps 32, ..., 1: rows a, b, d and f of which
// the inner ones are lanes, terms c and e, columns x and y.
#pragma once

#include <optional>
#include <vector>

#include "executor/device/cpu/gemm/gate_loops.hpp"
#include "executor/device/kernel/nest.hpp"

namespace ein::executor {

/// A label with its steps in the large operand, the small one and the output, in elements.
struct GateLabel {
    Extent length = 1, large = 0, small = 0, output = 0;
};
using GateLabels = std::vector<GateLabel>;

inline Extent count_of(GateLabels const& labels) {
    Extent count = 1;
    for (GateLabel const& label : labels) count *= label.length;
    return count;
}

/// By what the small operand and the output have of them.
struct GateKinds {
    GateLabels rows, columns, terms, batch;
};

/// @param element  bytes of one  @return nothing where a sum is over labels of one operand alone
std::optional<GateKinds> kinds_of(Nest const& nest, std::size_t large, std::size_t small, Extent element);

/// Whether so many terms are not cut where a box has at most `most` of them: a quarter more is left whole.
constexpr bool stay_whole(Extent terms, Extent most) { return 4 * terms <= 5 * most; }

/// Steps of all iterations of labels in C order, in one tensor.
std::vector<GateIndex> places_of(GateLabels const& labels, Extent GateLabel::*step);

/// How a kernel is walked: rows in the lanes of vectors, other rows of a box, and rows around boxes. Of many terms a
/// box has a part, and all parts of its rows follow one another. A label that is too long is cut: the first label of
/// `lanes` or `inside` is then a part of one of `around`, whose last part is shorter; the first one of `terms` a part
/// of the last one of `term_parts`.
struct GatePlan {
    GateLabels lanes, inside, around, terms, term_parts;
    int cut_lanes = -1, cut_inside = -1;                     // labels of `around` that are cut
    Extent last_lanes = 0, last_inside = 0, last_terms = 0;  // how long the last part of them is; 0: not cut
    bool in_parts_of_lines = false;                          // of a quarter and less: whole ones would be too many

    bool is_last_of_terms(Extent part) const { return last_terms > 0 && (part + 1) % term_parts.back().length == 0; }
    /// Of a part of the terms, the last one of a label that is cut or another.
    GateLabels terms_of(bool last) const {
        GateLabels all = terms;
        if (last) all.front().length = last_terms;
        return all;
    }
};

/// How large boxes are, in elements.
struct GateSizes {
    bool in_second_level = false;  // of the caches; else in the first
    Extent least_lanes = 16, most_lanes = 96;
    Extent run = 16, grain = 1;              // that lies side by side in the other tensor; what parts are multiples of
    Extent long_run = 16, run_of_large = 1;  // where there is room: in the other tensor, in the large operand
    Extent elements = 12 << 10;              // of both tensors
    Extent terms = 1 << 10;                  // of a box, at most, or a quarter more
};

/// @param lanes  the tensor whose innermost rows are lanes  @param other  the other one
GatePlan plan_gate(GateKinds const& kinds, Extent GateLabel::*lanes, Extent GateLabel::*other, GateSizes const& sizes);

/// What brings elements to lanes, or takes them from there: runs of lanes, or pieces of elements that are turned.
class GateMoves {
public:
    GateMoves() = default;
    /// @param elements  where those of a box lie  @param lanes  where the lanes do  @param vector  lanes of one
    GateMoves(std::vector<GateIndex> elements, std::vector<GateIndex> lanes, int vector);

    std::size_t elements() const { return at_.size(); }
    bool direct() const { return direct_; }
    double cost() const { return cost_; }  // of an element, in instructions, about
    /// The lines that a box touches, where each begins. @param line  elements of one
    std::vector<GateIndex> lines(GateIndex line) const;
    GateSide side() const;

private:
    void find_runs();
    void find_pieces(int most);
    GateIndex lane_step() const;

    std::vector<GateIndex> at_, lane_;
    std::vector<GatePiece> pieces_;
    std::vector<GateRun> runs_;
    bool direct_ = false;
    double cost_ = 0;
};

}  // namespace ein::executor
