#include "executor/device/cpu/choices/masked_kernel.hpp"

#include <algorithm>
#include <map>

#include "executor/device/cpu/machine.hpp"
#include "executor/device/cpu/scratch.hpp"
#include "lib/graph/labels.hpp"
#include "lib/graph/summation_order.hpp"
#include "lib/scalar/regions/ranges.hpp"

namespace ein::executor {
namespace {

using scalar::Expr;

std::size_t at(int number) { return static_cast<std::size_t>(number); }

/// Nearly equal pieces of at most `most`: the length of all but the last.
Extent piece_length(Extent length, Extent most) {
    Extent const count = (length + most - 1) / most;
    return (length + count - 1) / count;
}

class MaskedKernel final : public PreparedKernel {
public:
    MaskedKernel(KernelShape const& shape, graph::MaskedProduct const& masked, scalar::Params const& params)
        : other_(at(masked.other)), lengths_(shape.lengths), accumulate_(shape.accumulate) {
        schedule::Kernel const& whole = *shape.kernel;
        mask_ = KernelStep::of(whole, masked.masked, masked.axes, scalar::Agg::sum);
        ranges_.emplace(mask_.kernel.einsum.join, params);
        leaves_out_ = whole.einsum.agg == scalar::Agg::sum && ranges_->chooses_by_index();
        product_ = {whole.node, whole.einsum, whole.compute};
        product_.einsum.inputs = {masked.axes, whole.einsum.inputs[other_]};
        product_.einsum.join = scalar::product(2);
        stored_ = stored_type(shape, masked);
        choose_pieces(shape, masked);
        auto const steps = [&](std::vector<int> const& axes, std::vector<Extent> const& strides, DType type) {
            std::vector<Extent> out = label_strides(axes, strides, lengths_.size());
            for (Extent& step : out) step *= static_cast<Extent>(size_of(type));
            return out;
        };
        for (std::size_t k = 0; k < whole.einsum.operands(); ++k)
            operand_steps_.push_back(steps(whole.einsum.inputs[k], shape.operand_strides[k], shape.operand_dtypes[k]));
        output_steps_ = steps(whole.einsum.output, shape.output_strides, shape.output_dtype);
    }

    /// @return whether products of all pieces have a kernel
    bool prepare(KernelShape const& shape, PrepareKernel const& product, PrepareKernel const& plain) {
        Extent const output_bytes =
            std::max(shape.output_bytes, element_count(lengths_of(product_.einsum.output, lengths_)) *
                                             static_cast<Extent>(size_of(shape.output_dtype)));
        bool found = true;
        for_each_index(counts(kept_), [&](std::vector<Extent> const& kept) {
            for_each_index(counts(summed_), [&](std::vector<Extent> const& summed) {
                if (!found) return;
                Shape const lengths = lengths_at(kept, summed);
                Prepared& piece = pieces_[lengths];
                if (piece.mask) return;
                KernelShape const masked = mask_.shape(shape, lengths, stored_);
                scratch_bytes_ = std::max(scratch_bytes_, element_count(lengths_of(mask_axes(), lengths)) *
                                                              static_cast<Extent>(size_of(stored_)));
                piece.mask = plain(masked);
                KernelShape times = shape;
                times.kernel = &product_;
                times.lengths = lengths;
                times.operand_strides = {masked.output_strides, shape.operand_strides[other_]};
                times.operand_dtypes = {stored_, shape.operand_dtypes[other_]};
                if (pieces() > 1) times.output_bytes = output_bytes;
                piece.first = product(times);
                times.accumulate = true;
                if (piece.first && element_count(counts(summed_)) > 1) piece.further = product(times);
                found = piece.first && (element_count(counts(summed_)) == 1 || piece.further);
            });
        });
        return found;
    }

    void launch(KernelCall const& call, WorkerTeam& team) const override {
        Scratch const scratch(static_cast<std::size_t>(scratch_bytes_));
        std::vector<void const*> operands(call.operands.size());
        std::vector<Extent> begin(call.begin.size());
        Extent const terms = element_count(counts(summed_));
        for_each_index(counts(kept_), [&](std::vector<Extent> const& kept) {
            Extent term = 0;
            bool written = false;
            for_each_index(counts(summed_), [&](std::vector<Extent> const& summed) {
                Shape const lengths = lengths_at(kept, summed);
                std::copy(call.operands.begin(), call.operands.end(), operands.begin());
                std::copy(call.begin.begin(), call.begin.end(), begin.begin());
                auto* output = static_cast<std::byte*>(call.output);
                auto const move = [&](std::vector<Cut> const& cuts, std::vector<Extent> const& index) {
                    for (std::size_t c = 0; c < cuts.size(); ++c) {
                        Extent const by = index[c] * cuts[c].length;
                        begin[at(cuts[c].label)] += by;
                        for (std::size_t k = 0; k < operands.size(); ++k)
                            operands[k] =
                                static_cast<std::byte const*>(operands[k]) + by * operand_steps_[k][at(cuts[c].label)];
                        output += by * output_steps_[at(cuts[c].label)];
                    }
                };
                move(kept_, kept);
                move(summed_, summed);
                ++term;
                bool const must_write = term == terms && !written && !accumulate_;
                if (!must_write && is_left_out(begin, lengths)) return;
                Prepared const& piece = pieces_.at(lengths);
                mask_.launch(*piece.mask, operands, begin, scratch.data(), team);
                void const* const both[] = {scratch.data(), operands[other_]};
                (written ? piece.further : piece.first)->launch({both, output, begin}, team);
                written = true;
                team.pause();
            });
        });
    }

private:
    struct Cut {
        int label;
        Extent length, count;
    };
    struct Prepared {
        std::unique_ptr<PreparedKernel const> mask, first, further;
    };

    std::vector<int> mask_axes() const {
        std::vector<int> out;
        for (int label : mask_.kernel.einsum.output) out.push_back(mask_.labels[at(label)]);
        return out;
    }
    static Shape counts(std::vector<Cut> const& cuts) {
        Shape out;
        for (Cut const& cut : cuts) out.push_back(cut.count);
        return out;
    }
    Extent pieces() const { return element_count(counts(kept_)) * element_count(counts(summed_)); }
    Shape lengths_at(std::vector<Extent> const& kept, std::vector<Extent> const& summed) const {
        Shape out = lengths_;
        auto const cut = [&](std::vector<Cut> const& cuts, std::vector<Extent> const& index) {
            for (std::size_t c = 0; c < cuts.size(); ++c) {
                Extent& length = out[at(cuts[c].label)];
                length = std::min(cuts[c].length, length - index[c] * cuts[c].length);
            }
        };
        cut(kept_, kept);
        cut(summed_, summed);
        return out;
    }

    /// An operand that is masked as it is keeps its type.
    static DType stored_type(KernelShape const& shape, graph::MaskedProduct const& masked) {
        Expr const& value = masked.masked.args()[1];
        DType const compute = shape.kernel->compute;
        if (value.op() != scalar::Op::operand) return compute;
        DType const type = shape.operand_dtypes[at(value.node().slot)];
        return type == DType::f16 || type == DType::bf16 ? type : compute;
    }

    /// What is masked stays in the cache: batches are cut first, then rows. Where indices alone may make zeros, rows
    /// and terms are cut so that pieces of zeros are left out; never the terms of sums that keep their order.
    void choose_pieces(KernelShape const& shape, graph::MaskedProduct const& masked) {
        graph::EinSum const& einsum = shape.kernel->einsum;
        std::map<int, Extent> most;
        Extent bytes = static_cast<Extent>(size_of(stored_));
        for (int label : masked.axes) bytes *= most[label] = std::max<Extent>(1, lengths_[at(label)]);
        auto const cut_to = [&](int label, Extent length) {
            Extent const shorter = piece_length(most[label], std::max<Extent>(1, std::min(length, most[label])));
            bytes = bytes / most[label] * shorter;
            most[label] = shorter;
        };
        std::vector<int> const& in_other = einsum.inputs[other_];
        for (int label : masked.axes)
            if (graph::has_label(einsum.output, label) && graph::has_label(in_other, label) &&
                bytes > machine::masked_piece)
                cut_to(label, machine::masked_piece * most[label] / bytes);
        bool const keeps_order = shape.keeps_order && graph::depends_on_order(einsum.agg, shape.kernel->compute);
        std::vector<int> const indexed = scalar::labels_of(masked.masked);
        for (int label : masked.axes) {
            bool const is_row = graph::has_label(einsum.output, label) && !graph::has_label(in_other, label);
            bool const is_term = !graph::has_label(einsum.output, label) && graph::has_label(in_other, label);
            if (!leaves_out_ || !graph::has_label(indexed, label)) continue;
            if (is_row || (is_term && !keeps_order))
                cut_to(label, std::max(machine::least_masked_run, most[label] / machine::masked_parts));
        }
        for (int label : masked.axes)
            if (graph::has_label(einsum.output, label) && !graph::has_label(in_other, label) &&
                bytes > machine::masked_piece)
                cut_to(label, std::max(machine::least_masked_run, machine::masked_piece * most[label] / bytes));
        for (int label : masked.axes) {
            Extent const length = lengths_[at(label)];
            if (most[label] >= length) continue;
            (graph::has_label(einsum.output, label) ? kept_ : summed_)
                .push_back({label, most[label], (length + most[label] - 1) / most[label]});
        }
    }

    bool is_left_out(std::vector<Extent> const& begin, Shape const& lengths) const {
        if (!leaves_out_) return false;
        std::vector<scalar::IndexRange> box;
        for (int label : mask_.labels) box.push_back({begin[at(label)], begin[at(label)] + lengths[at(label)]});
        scalar::Range const range = ranges_->on(box);
        return range.is_point() && range.least == 0;
    }

    std::size_t other_;
    Shape lengths_;
    bool accumulate_;
    DType stored_ = DType::f32;
    KernelStep mask_;
    std::optional<scalar::ExprRanges> ranges_;  // of the masked side
    bool leaves_out_ = false;
    schedule::Kernel product_;
    std::vector<Cut> kept_, summed_;
    std::map<Shape, Prepared> pieces_;  // by lengths
    Extent scratch_bytes_ = 0;
    std::vector<std::vector<Extent>> operand_steps_;
    std::vector<Extent> output_steps_;
};

}  // namespace

std::unique_ptr<PreparedKernel const> make_masked_kernel(KernelShape const& shape, graph::MaskedProduct const& masked,
                                                         scalar::Params const& params, PrepareKernel const& product,
                                                         PrepareKernel const& plain) {
    auto kernel = std::make_unique<MaskedKernel>(shape, masked, params);
    return kernel->prepare(shape, product, plain) ? std::move(kernel) : nullptr;
}

}  // namespace ein::executor
