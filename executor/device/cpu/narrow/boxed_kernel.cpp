#include "executor/device/cpu/narrow/boxed_kernel.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

#include "executor/device/cpu/gemm/gemm_operation.hpp"
#include "executor/device/cpu/machine.hpp"
#include "executor/device/cpu/narrow/box_move.hpp"
#include "executor/device/cpu/narrow/box_plan.hpp"
#include "executor/device/cpu/narrow/narrow_blocks.hpp"
#include "executor/device/cpu/narrow/narrow_choice.hpp"
#include "executor/device/cpu/narrow/tuning.hpp"
#include "executor/device/cpu/scratch.hpp"
#include "executor/device/kernel/gemm_match.hpp"
#include "executor/device/kernel/gemm_plan.hpp"
#include "lib/base/partition.hpp"

namespace ein::executor {
namespace {

constexpr std::size_t A = 0, B = 1, C = 2;

using Operands = std::array<std::size_t, 2>;  // of the kernel, left and right

/// A matrix's strides in words, in bytes, its labels inside one another as they are now; and how many bytes it takes.
struct Packed {
    std::vector<Extent> strides;
    Extent bytes = sizeof(float);
};
template <class StrideOf>
Packed packed(Nest const& nest, StrideOf const& stride_of) {
    Packed out{std::vector<Extent>(nest.labels.size(), 0)};
    std::vector<std::size_t> order;
    for (std::size_t l = 0; l < nest.labels.size(); ++l)
        if (stride_of(nest.labels[l]) != 0) order.push_back(l);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
        return std::abs(stride_of(nest.labels[x])) < std::abs(stride_of(nest.labels[y]));
    });
    for (std::size_t const l : order) {
        out.strides[l] = out.bytes;
        out.bytes *= nest.labels[l].length;
    }
    return out;
}

/// A matrix on its way to words, or from them.
struct Move {
    std::unique_ptr<BoxMove const> box;  // null: it is of words, and stays where it is
    std::size_t bytes = 0;               // as words, whole cache lines
};

Move move_of(Nest nest, Extent bytes, DType wide) {
    return {BoxMove::make(std::move(nest), wide), lines(static_cast<std::size_t>(bytes))};
}

/// Brings an operand to words, where `inner` is to find it.
Move bring(Nest const& box, std::size_t operand, DType wide, Nest& inner) {
    if (box.operand_dtypes[operand] == wide) return {};
    Packed const to = packed(box, [&](NestLabel const& label) { return label.strides[operand]; });
    Nest nest{{}, {box.operand_dtypes[operand]}, wide, false, 0};
    for (std::size_t l = 0; l < box.labels.size(); ++l) {
        inner.labels[l].strides[operand] = to.strides[l];
        if (to.strides[l] == 0) continue;
        nest.labels.push_back({box.labels[l].length, {box.labels[l].strides[operand]}, to.strides[l], false, -1});
    }
    inner.operand_dtypes[operand] = wide;
    return move_of(std::move(nest), to.bytes, wide);
}

/// Takes the products from where `inner` is to leave them.
Move take(Nest const& box, DType wide, Nest& inner) {
    if (box.output_dtype == wide) return {};
    Packed const from = packed(box, [](NestLabel const& label) { return label.output_stride; });
    Nest nest{{}, {wide}, box.output_dtype, box.accumulate, box.output_bytes};
    for (std::size_t l = 0; l < box.labels.size(); ++l) {
        inner.labels[l].output_stride = from.strides[l];
        if (from.strides[l] == 0) continue;
        nest.labels.push_back({box.labels[l].length, {from.strides[l]}, box.labels[l].output_stride, false, -1});
    }
    inner.output_dtype = wide;
    inner.accumulate = false;
    inner.output_bytes = 0;
    return move_of(std::move(nest), from.bytes, wide);
}

/// A label in parts of a length, the last of them shorter.
struct Parts {
    Extent length = 1, part = 1;
    std::array<Extent, 3> steps{};  // of an iteration, in bytes

    Extent count() const { return parts_of_length(length, part); }
    bool is_cut() const { return part < length; }
    Extent size(Extent number) const { return std::min(part, length - number * part); }
};

/// What is done with boxes of one size.
struct BoxKernels {
    std::array<Move, 3> moves;                          // of the operands, and of the result
    std::unique_ptr<PreparedKernel const> first, more;  // products of the first terms, and of those that are added
};

class BoxedKernel final : public PreparedKernel {
public:
    /// @param labels  those of the batch, of rows and columns as they are taken, outermost first; then those of terms
    BoxedKernel(Operands const& operands, std::size_t operand_count, std::vector<Parts> outputs,
                std::vector<Parts> terms, std::map<std::vector<bool>, BoxKernels> kernels)
        : operands_(operands),
          operand_count_(operand_count),
          outputs_(std::move(outputs)),
          terms_(std::move(terms)),
          kernels_(std::move(kernels)) {
        for (Parts const& parts : outputs_) boxes_ *= parts.count();
        for (Parts const& parts : terms_) term_boxes_ *= parts.count();
        for (auto const& [size, of] : kernels_)
            for (std::size_t side : {A, B, C}) bytes_[side] = std::max(bytes_[side], of.moves[side].bytes);
    }

    void launch(KernelCall const& call, WorkerTeam& team) const override {
        Extent const pieces = std::min<Extent>(boxes_, machine::most_pieces);
        auto const piece = [&](std::int64_t number) {
            Scratch const memory(bytes_[A] + bytes_[B] + bytes_[C]);
            Work work{call, memory.data(), memory.data() + bytes_[A], memory.data() + bytes_[A] + bytes_[B]};
            Extent const first = part_begin(boxes_, pieces, number), end = part_begin(boxes_, pieces, number + 1);
            for (Extent box = first; box < end; ++box) {
                if (box > first) team.pause();
                run(work, box);
            }
        };
        if (pieces > 1) return team.run(pieces, piece);
        piece(0);
    }

private:
    /// What a piece has: room for a box, and what there is in it.
    struct Work {
        KernelCall const& call;
        std::byte *a, *b, *c;
        std::array<std::byte const*, 2> held{};  // where what has been converted came from
        std::array<BoxKernels const*, 2> by{};
    };

    /// The place of a box in one operand or the result, and which of its labels are at their last, shorter part.
    static void locate(std::vector<Parts> const& labels, Extent number, std::array<Extent, 3>& at,
                       std::vector<bool>& last, std::size_t first) {
        for (std::size_t l = labels.size(); l-- > 0;) {
            Parts const& parts = labels[l];
            Extent const index = number % parts.count();
            number /= parts.count();
            for (std::size_t side : {A, B, C}) at[side] += index * parts.part * parts.steps[side];
            last[first + l] = parts.size(index) < parts.part;
        }
    }

    void run(Work& work, Extent box) const {
        SoloWorkerTeam solo;
        std::vector<bool> size(outputs_.size() + terms_.size(), false);
        std::array<Extent, 3> begin{};
        locate(outputs_, box, begin, size, 0);
        auto* const output = static_cast<std::byte*>(work.call.output) + begin[C];
        for (Extent number = 0; number < term_boxes_; ++number) {
            std::array<Extent, 3> at = begin;
            locate(terms_, number, at, size, outputs_.size());
            BoxKernels const& of = kernels_.at(size);
            std::vector<void const*> operands(operand_count_, nullptr);
            for (std::size_t side : {A, B}) {
                void const*& operand = operands[operands_[side]];
                operand = static_cast<std::byte const*>(work.call.operands[operands_[side]]) + at[side];
                if (!of.moves[side].box) continue;
                std::byte* const to = side == A ? work.a : work.b;
                if (work.held[side] != operand || work.by[side] != &of) of.moves[side].box->run(operand, to);
                work.held[side] = static_cast<std::byte const*>(operand);
                work.by[side] = &of;
                operand = to;
            }
            bool const moves = of.moves[C].box != nullptr;
            PreparedKernel const& product = number == 0 ? *of.first : *of.more;
            product.launch({operands, moves ? work.c : output, {}}, solo);
            if (moves && number + 1 == term_boxes_) of.moves[C].box->run(work.c, output);
        }
    }

    Operands operands_;
    std::size_t operand_count_;
    std::vector<Parts> outputs_, terms_;
    std::map<std::vector<bool>, BoxKernels> kernels_;
    Extent boxes_ = 1, term_boxes_ = 1;
    std::array<std::size_t, 3> bytes_{};
};

/// The kernels of boxes of one size. @return nothing where there is no product of words
std::optional<BoxKernels> kernels_of(Nest const& box, Operands const& operands, DType wide, bool adds,
                                     WideProduct const& product) {
    Nest inner = box;
    BoxKernels out;
    for (std::size_t side : {A, B}) out.moves[side] = bring(box, operands[side], wide, inner);
    out.moves[C] = take(box, wide, inner);
    Nest more = inner;
    more.accumulate = true;
    simplify(inner);
    out.first = product(inner);
    if (!out.first) return std::nullopt;
    if (adds) {
        simplify(more);
        out.more = product(more);
        if (!out.more) return std::nullopt;
    }
    return out;
}

/// The operands of a sum of products that may be computed with words of 32 bits; nothing for other kernels.
std::optional<Operands> operands_of(KernelShape const& shape, Nest const& nest, KernelTypes const& types,
                                    scalar::Params const& params) {
    graph::EinSum const& einsum = shape.kernel->einsum;
    DType const type = types.compute;
    if (types.join != type || types.accumulate != type || einsum.agg != scalar::Agg::sum) return std::nullopt;
    bool const of_integers = is_integer(type) && size_of(type) <= size_of(DType::i32) &&
                             is_integer(nest.output_dtype) && size_of(nest.output_dtype) <= size_of(type);
    if (type != DType::f32 && !of_integers) return std::nullopt;
    auto const product = product_of_two(einsum.join, types, params, Conjugates::refused);
    return product ? std::optional(Operands{product->left, product->right}) : std::nullopt;
}

/// What tiles of words take that are there already: as they lie, or with the operands exchanged.
double seconds_in_tiles(Nest const& nest, Operands const& operands, DType wide) {
    PairProduct const tiles = pair_product(PairJoin::multiply, scalar::Agg::sum, wide);
    if (tiles.run == nullptr) return std::numeric_limits<double>::infinity();
    auto const plan = plan_tiles({nest, operands[A], operands[B], wide}, tiles),
               other = plan_tiles({nest, operands[B], operands[A], wide}, tiles);
    auto const seconds = [](auto const& of) { return of ? of->seconds : std::numeric_limits<double>::infinity(); };
    return std::min(seconds(plan), seconds(other));
}

/// What panels of narrow words take. Infinite where there are none.
double seconds_in_panels(KernelShape const& shape, KernelTypes const& types, scalar::Params const& params,
                         ProductSides const& sides) {
    std::optional<NarrowChoice> const narrow = choose_narrow(shape, types, params);
    if (!narrow) return std::numeric_limits<double>::infinity();
    TermBlocks const blocks = term_blocks(narrow->loops, {1, 1, narrow_tuning::block_terms, 1});
    return seconds_in_panels(sides, narrow->loops.rate, blocks.each);
}

/// Labels that are cut, in the order of their boxes: the batch, then rows and columns as the plan has them, then terms;
/// in each those with the longest steps outside.
std::vector<std::size_t> cut_labels(BoxPlan const& plan, ProductSides const& sides) {
    std::vector<std::size_t> order;
    for (std::size_t l = 0; l < plan.parts.size(); ++l)
        if (plan.parts[l] < sides.lengths()[l]) order.push_back(l);
    auto const rank = [&](std::size_t l) {
        if (sides.in_batch(l)) return 0;
        return !sides.has(l, C) ? 3 : sides.has(l, A) == plan.rows_inside ? 2 : 1;
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
        return std::pair(rank(x), -sides.longest_step(x)) < std::pair(rank(y), -sides.longest_step(y));
    });
    return order;
}

/// The size of a box, of which some labels that are cut are at their last part; nothing where that is as long as
/// others.
std::optional<Nest> box_of(Nest nest, BoxPlan const& plan, std::vector<std::size_t> const& cut,
                           std::vector<bool> const& last) {
    for (std::size_t i = 0; i < cut.size(); ++i) {
        std::size_t const l = cut[i];
        Extent const rest = nest.labels[l].length % plan.parts[l];
        if (last[i] && rest == 0) return std::nullopt;
        nest.labels[l].length = last[i] ? rest : plan.parts[l];
    }
    return nest;
}

}  // namespace

std::unique_ptr<PreparedKernel const> make_boxed_kernel(KernelShape const& shape, Nest const& nest,
                                                        KernelTypes const& types, scalar::Params const& params,
                                                        WideProduct const& product) {
    DType const wide = types.compute == DType::f32 ? DType::f32 : DType::i32;
    std::optional<Operands> const found = nest.keeps_order() ? std::nullopt : operands_of(shape, nest, types, params);
    if (!found) return nullptr;
    Operands const operands = *found;
    ProductSides const sides(nest, operands);
    auto const is_wide = [&](DType dtype) { return dtype == wide; };
    bool const as_it_is = is_wide(nest.output_dtype) && is_wide(nest.operand_dtypes[operands[A]]) &&
                          is_wide(nest.operand_dtypes[operands[B]]);
    if (as_it_is && wide == DType::f32) return nullptr;
    double const in_panels = seconds_in_panels(shape, types, params, sides);
    if (as_it_is) return seconds_in_tiles(nest, operands, wide) < in_panels ? product(nest) : nullptr;
    double const rate = narrow_tuning::rate_in_boxes * pair_product(PairJoin::multiply, scalar::Agg::sum, wide).rate;
    std::optional<BoxPlan> const plan = rate > 0 ? plan_boxes(sides, rate) : std::nullopt;
    if (!plan || plan->seconds >= in_panels) return nullptr;

    std::vector<std::size_t> const cut = cut_labels(*plan, sides);
    std::vector<Parts> outputs, terms;
    for (std::size_t const l : cut) {
        NestLabel const& label = nest.labels[l];
        (sides.has(l, C) ? outputs : terms)
            .push_back({label.length,
                        plan->parts[l],
                        {label.strides[operands[0]], label.strides[operands[1]], label.output_stride}});
    }
    std::map<std::vector<bool>, BoxKernels> kernels;
    for (std::size_t number = 0; number < std::size_t{1} << cut.size(); ++number) {
        std::vector<bool> last;
        for (std::size_t i = 0; i < cut.size(); ++i) last.push_back((number >> i) % 2 != 0);
        std::optional<Nest> const box = box_of(nest, *plan, cut, last);
        if (!box) continue;
        std::optional<BoxKernels> of = kernels_of(*box, operands, wide, !terms.empty(), product);
        if (!of) return nullptr;
        kernels.emplace(std::move(last), std::move(*of));
    }
    return std::make_unique<BoxedKernel>(operands, nest.operand_dtypes.size(), std::move(outputs), std::move(terms),
                                         std::move(kernels));
}

}  // namespace ein::executor
