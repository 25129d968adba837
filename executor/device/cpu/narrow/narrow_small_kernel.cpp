#include "executor/device/cpu/narrow/narrow_small_kernel.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>
#include <vector>

#include "executor/device/cpu/machine.hpp"
#include "executor/device/cpu/narrow/narrow_blocks.hpp"
#include "executor/device/cpu/narrow/narrow_choice.hpp"
#include "executor/device/cpu/narrow/tuning.hpp"
#include "executor/device/cpu/scratch.hpp"
#include "lib/base/partition.hpp"

namespace ein::executor {
namespace {

using SmallLoop = std::ptrdiff_t (*)(NarrowSmall const&);
using Steps = std::array<Extent, 3>;  // in both operands and in the result, in elements

struct BatchLabel {
    Extent length = 1;
    Steps steps{};
};

/// The only label of each role, and those of the batch.
struct SmallLabels {
    NestLabel rows, columns, terms;
    std::vector<BatchLabel> batch;  // outermost first
};

std::optional<SmallLabels> labels_of(Nest const& nest, std::array<std::size_t, 2> const& operands) {
    auto const [a, b] = operands;
    auto const elements = [](Extent bytes, DType type) { return bytes / static_cast<Extent>(size_of(type)); };
    SmallLabels out;
    std::array<int, 3> found{};
    for (NestLabel const& label : nest.labels) {
        bool const in_a = label.strides[a] != 0, in_b = label.strides[b] != 0, in_c = label.output_stride != 0;
        if (in_a && in_b && in_c) {
            out.batch.push_back({label.length,
                                 {elements(label.strides[a], nest.operand_dtypes[a]),
                                  elements(label.strides[b], nest.operand_dtypes[b]),
                                  elements(label.output_stride, nest.output_dtype)}});
            continue;
        }
        std::size_t const role = in_a && in_c ? 0 : in_b && in_c ? 1 : 2;
        if ((role == 2 && !(in_a && in_b)) || found[role]++ > 0) return std::nullopt;
        (role == 0 ? out.rows : role == 1 ? out.columns : out.terms) = label;
    }
    if (found != std::array{1, 1, 1} || out.batch.empty()) return std::nullopt;
    std::stable_sort(out.batch.begin(), out.batch.end(), [](BatchLabel const& x, BatchLabel const& y) {
        return std::abs(x.steps[2]) > std::abs(y.steps[2]);
    });
    return out;
}

class SmallKernel final : public PreparedKernel {
public:
    /// @param run  a run of products, along the innermost label of the batch
    SmallKernel(NarrowSmall const& run, std::array<std::size_t, 2> operands, std::vector<BatchLabel> outer,
                SmallLoop loop, SmallLoop careful)
        : run_(run), operands_(operands), outer_(std::move(outer)), loop_(loop), careful_(careful) {
        for (BatchLabel const& label : outer_) products_ *= label.length;
        double const work = 2.0 * static_cast<double>(run_.rows * run_.columns * run_.terms);
        each_ = std::max<Extent>(1, static_cast<Extent>(narrow_tuning::small_operations / work));
    }

    void launch(KernelCall const& call, WorkerTeam& team) const override {
        Extent const pieces = std::min<Extent>(machine::most_pieces, parts_of_length(products_, each_));
        auto const piece = [&](std::int64_t number) {
            Scratch const memory(4 * static_cast<std::size_t>(small_words(run_)));
            NarrowSmall part = run_;
            part.words = reinterpret_cast<std::uint32_t*>(memory.data());
            Extent const end = part_begin(products_, pieces, number + 1);
            for (Extent at = part_begin(products_, pieces, number); at < end; at += part.count) {
                part.count = std::min(end - at, run_.count - at % run_.count);
                multiply(placed(part, call, at));
            }
        };
        if (pieces > 1) return team.run(pieces, piece);
        piece(0);
    }

private:
    static NarrowSmall moved(NarrowSmall part, Steps const& steps) {
        auto const size = [](NarrowType type) { return type == NarrowType::f32 ? Extent{4} : Extent{2}; };
        part.a = static_cast<std::byte const*>(part.a) + steps[0] * size(part.a_type);
        part.b = static_cast<std::byte const*>(part.b) + steps[1] * size(part.b_type);
        part.c = static_cast<std::byte*>(part.c) + steps[2] * size(part.c_type);
        return part;
    }
    static Steps along(NarrowSmall const& part, Extent products) {
        return {products * part.a_next, products * part.b_next, products * part.c_next};
    }

    NarrowSmall placed(NarrowSmall part, KernelCall const& call, Extent product) const {
        part.a = call.operands[operands_[0]];
        part.b = call.operands[operands_[1]];
        part.c = call.output;
        Steps steps = along(part, product % run_.count);
        Extent rest = product / run_.count;
        for (auto label = outer_.rbegin(); label != outer_.rend(); rest /= label->length, ++label)
            for (std::size_t side = 0; side < 3; ++side) steps[side] += rest % label->length * label->steps[side];
        return moved(part, steps);
    }

    /// Products with subnormal operands, which some processors take for 0, are multiplied as floats.
    void multiply(NarrowSmall part) const {
        while (part.count > 0) {
            std::ptrdiff_t const done = loop_(part);
            part = moved(part, along(part, done));
            part.count -= done;
            if (part.count == 0) return;
            NarrowSmall one = part;
            one.count = 1;
            careful_(one);
            part = moved(part, along(part, 1));
            part.count -= 1;
        }
    }

    NarrowSmall run_;
    std::array<std::size_t, 2> operands_;
    std::vector<BatchLabel> outer_;
    SmallLoop loop_, careful_;
    Extent products_ = run_.count, each_ = 1;
};

}  // namespace

std::unique_ptr<PreparedKernel const> make_narrow_small(KernelShape const& shape, Nest const& nest,
                                                        KernelTypes const& types, scalar::Params const& params) {
    if (types.compute != DType::f32 || nest.keeps_order() || nest.accumulate) return nullptr;
    std::optional<NarrowChoice> choice = choose_narrow(shape, types, params);
    SmallLoop const careful = small_loop(NarrowFormat::floats);
    if (!choice || careful == nullptr) return nullptr;
    auto const is_float = [](NarrowType type) { return type <= NarrowType::bf16; };
    if (!is_float(choice->types[0]) || !is_float(choice->types[1]) || !is_float(choice->output)) return nullptr;
    std::optional<SmallLabels> labels = labels_of(nest, choice->operands);
    if (!labels) return nullptr;
    auto const size = static_cast<Extent>(size_of(nest.output_dtype));
    if (labels->columns.output_stride != size) {  // the transposed product
        std::swap(choice->operands[0], choice->operands[1]);
        std::swap(choice->types[0], choice->types[1]);
        labels = labels_of(nest, choice->operands);
    }
    auto const step = [&](NestLabel const& label, std::size_t side) {
        std::size_t const operand = choice->operands[side];
        return label.strides[operand] / static_cast<Extent>(size_of(nest.operand_dtypes[operand]));
    };
    BatchLabel const inner = labels->batch.back();
    NarrowSmall run;
    run.count = inner.length;
    run.a_next = inner.steps[0];
    run.b_next = inner.steps[1];
    run.c_next = inner.steps[2];
    run.rows = labels->rows.length;
    run.columns = labels->columns.length;
    run.terms = labels->terms.length;
    run.a_row = step(labels->rows, 0);
    run.a_term = step(labels->terms, 0);
    run.b_column = step(labels->columns, 1);
    run.b_term = step(labels->terms, 1);
    run.c_row = labels->rows.output_stride / size;
    run.a_type = choice->types[0];
    run.b_type = choice->types[1];
    run.c_type = choice->output;
    run.scale = static_cast<float>(choice->factor);
    bool const adjacent = (run.a_row == 1 || run.a_term == 1) && (run.b_column == 1 || run.b_term == 1) &&
                          labels->columns.output_stride == size;
    bool const small = std::max({run.rows, run.columns, run.terms}) <= narrow_tuning::small_side &&
                       run.columns >= narrow_tuning::least_small_columns;
    if (!adjacent || !small) return nullptr;
    labels->batch.pop_back();
    return std::make_unique<SmallKernel>(run, choice->operands, std::move(labels->batch), small_loop(choice->format),
                                         careful);
}

}  // namespace ein::executor
