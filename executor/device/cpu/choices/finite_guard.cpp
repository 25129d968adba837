#include "executor/device/cpu/choices/finite_guard.hpp"

#include <algorithm>

#include "executor/device/cpu/scratch.hpp"
#include "lib/base/threads/mutex.hpp"
#include "lib/graph/labels.hpp"

namespace ein::executor {
namespace {

using scalar::Agg;
using scalar::Expr;
using scalar::Op;

Expr choose(Expr condition, Expr yes, Expr no) {
    return Expr::call(Op::where, {std::move(condition), std::move(yes), std::move(no)});
}
Expr compare(Op op, Expr const& x) { return Expr::call(op, {x, Expr::integer(0)}); }

/// 0 of a number, nan of nan and infinities.
Expr difference_to_itself(Expr const& x) { return x - x; }

Expr real_in_place(Expr const& x) {
    Expr const sign = choose(compare(Op::gt, x), Expr::integer(1), Expr::integer(-1));
    return choose(compare(Op::eq, difference_to_itself(x)), x, sign);
}
/// A finite number in place of each that is not, of its sign; of complex numbers each part by itself.
Expr finite_in_place(Expr const& x, DType compute) {
    if (!is_complex(compute)) return real_in_place(x);
    return Expr::call(Op::complex,
                      {real_in_place(Expr::call(Op::real, {x})), real_in_place(Expr::call(Op::imag, {x}))});
}

/// What runs beside the quick kernel where the operand is not finite. Prepared when it is first wanted.
class Repair {
public:
    Repair(KernelShape const& shape, KernelTypes const& types, std::size_t operand, PrepareKernel const& quick,
           PrepareKernel const& plain)
        : operand_(operand), accumulate_(types.accumulate) {
        schedule::Kernel const& kernel = *shape.kernel;
        Expr const element = Expr::operand(static_cast<int>(operand));
        replaced_ =
            KernelStep::of(kernel, finite_in_place(element, kernel.compute), kernel.einsum.inputs[operand], Agg::sum);
        KernelShape const replaced = replaced_.shape(shape, shape.lengths, shape.operand_dtypes[operand]);
        replace_ = plain(replaced);
        replaced_bytes_ = element_count(lengths_of(kernel.einsum.inputs[operand], shape.lengths)) *
                          static_cast<Extent>(size_of(shape.operand_dtypes[operand]));

        KernelShape finite = shape;
        finite.operand_strides[operand] = replaced.output_strides;
        quick_ = quick(finite);
        if (!quick_) quick_ = plain(finite);  // that layout has none

        terms_ = kernel;
        terms_.einsum.join =
            choose(compare(Op::eq, difference_to_itself(element)), Expr::integer(0), kernel.einsum.join);
        KernelShape terms = shape;
        Shape const result = lengths_of(kernel.einsum.output, shape.lengths);
        terms.kernel = &terms_;
        terms.accumulate = false;
        terms.output_dtype = accumulate_;
        terms.output_strides = row_major_strides(result);
        terms.output_bytes = 0;
        add_terms_ = plain(terms);
        find_few(terms, plain);
        sums_bytes_ = element_count(result) * static_cast<Extent>(size_of(accumulate_));

        merge_ = plain(merge_shape(shape, result));
    }

    void launch(KernelCall const& call, WorkerTeam& team) const {
        Scratch const finite(static_cast<std::size_t>(replaced_bytes_)), sums(static_cast<std::size_t>(sums_bytes_));
        replaced_.launch(*replace_, call.operands, call.begin, finite.data(), team);
        std::vector<void const*> operands(call.operands.begin(), call.operands.end());
        operands[operand_] = finite.data();
        quick_->launch({operands, call.output, call.begin}, team);
        if (!add_few_terms(call, sums.data(), team)) add_terms_->launch({call.operands, sums.data(), call.begin}, team);
        void const* const both[] = {call.output, sums.data()};
        std::vector<Extent> const begin(merged_.einsum.labels.size(), 0);
        merge_->launch({both, call.output, begin}, team);
    }

private:
    static std::size_t at(int label) { return static_cast<std::size_t>(label); }

    /// Prepares for few such numbers: which indices of the operand's longest aggregated label have one, and the terms
    /// of one index. Terms of real numbers are infinite, nan or 0: in which order they are added changes nothing.
    void find_few(KernelShape const& terms, PrepareKernel const& plain) {
        graph::EinSum const& einsum = terms_.einsum;
        for (int label : einsum.inputs[operand_])
            if (!graph::has_label(einsum.output, label) && (along_ < 0 || terms.lengths[at(label)] > length_))
                along_ = label, length_ = terms.lengths[at(label)];
        if (is_complex(accumulate_) || length_ < least_length) along_ = -1;
        if (along_ < 0) return;
        Expr const element = Expr::operand(static_cast<int>(operand_));
        look_ = KernelStep::of(terms_, compare(Op::ne, difference_to_itself(element)), {along_}, Agg::any);
        looks_ = plain(look_.shape(terms, terms.lengths, DType::boolean));
        KernelShape one = terms;
        one.lengths[at(along_)] = 1;
        one.accumulate = true;
        add_one_ = plain(one);
        for (std::size_t k = 0; k < einsum.operands(); ++k) {
            Extent const step =
                label_strides(einsum.inputs[k], terms.operand_strides[k], einsum.labels.size())[at(along_)];
            steps_.push_back(step * static_cast<Extent>(size_of(terms.operand_dtypes[k])));
        }
    }

    /// @return whether they are few: else all terms are gone through
    bool add_few_terms(KernelCall const& call, std::byte* sums, WorkerTeam& team) const {
        if (along_ < 0) return false;
        Scratch const found(static_cast<std::size_t>(length_));
        look_.launch(*looks_, call.operands, call.begin, found.data(), team);
        if (length_ - std::count(found.data(), found.data() + length_, std::byte{0}) > length_ / few_of) return false;
        std::fill_n(sums, sums_bytes_, std::byte{0});
        for (Extent index = 0; index < length_; ++index) {
            if (found.data()[index] == std::byte{0}) continue;
            std::vector<void const*> operands(call.operands.begin(), call.operands.end());
            for (std::size_t k = 0; k < operands.size(); ++k)
                operands[k] = static_cast<std::byte const*>(operands[k]) + index * steps_[k];
            std::vector<Extent> begin(call.begin.begin(), call.begin.end());
            begin[at(along_)] += index;
            add_one_->launch({operands, sums, begin}, team);
        }
        return true;
    }

    /// Elements without such terms stay as they are, a zero's sign too.
    KernelShape merge_shape(KernelShape const& shape, Shape const& result) {
        merged_.node = shape.kernel->node;
        merged_.compute = accumulate_;
        merged_.einsum = graph::identity_einsum(result);
        merged_.einsum.inputs.push_back(merged_.einsum.output);
        Expr const x = Expr::operand(0), y = Expr::operand(1);
        merged_.einsum.join = choose(compare(Op::eq, y), x, x + y);
        KernelShape merge;
        merge.kernel = &merged_;
        merge.lengths = result;
        merge.operand_strides = {shape.output_strides, row_major_strides(result)};
        merge.output_strides = shape.output_strides;
        merge.operand_dtypes = {shape.output_dtype, accumulate_};
        merge.output_dtype = shape.output_dtype;
        merge.over = 0;
        return merge;
    }

    std::size_t operand_;
    DType accumulate_;
    KernelStep replaced_;
    schedule::Kernel terms_, merged_;
    Extent replaced_bytes_ = 0, sums_bytes_ = 0;
    std::unique_ptr<PreparedKernel const> replace_, quick_, add_terms_, merge_;

    static constexpr Extent least_length = 16, few_of = 16;
    int along_ = -1;  // the label whose indices are looked at one by one; -1: none
    Extent length_ = 0;
    KernelStep look_;
    std::unique_ptr<PreparedKernel const> looks_, add_one_;
    std::vector<Extent> steps_;  // of each operand from one index to the next, in bytes
};

class GuardedKernel final : public PreparedKernel {
public:
    GuardedKernel(KernelShape shape, KernelTypes const& types, std::size_t operand,
                  std::unique_ptr<PreparedKernel const> prepared, PrepareKernel quick, PrepareKernel plain)
        : shape_(std::move(shape)),
          types_(types),
          operand_(operand),
          quick_(std::move(prepared)),
          prepare_quick_(std::move(quick)),
          prepare_plain_(std::move(plain)) {
        Expr const element = Expr::operand(static_cast<int>(operand));
        look_ = KernelStep::of(*shape_.kernel, compare(Op::ne, difference_to_itself(element)), {}, Agg::any);
        looks_ = prepare_plain_(look_.shape(shape_, shape_.lengths, DType::boolean));
    }

    void launch(KernelCall const& call, WorkerTeam& team) const override {
        alignas(16) std::uint8_t found[16] = {};
        look_.launch(*looks_, call.operands, call.begin, found, team);
        if (found[0] == 0) return quick_->launch(call, team);
        repair().launch(call, team);
    }

private:
    Repair const& repair() const {
        MutexLock const lock(mutex_);
        if (!repair_) repair_ = std::make_unique<Repair>(shape_, types_, operand_, prepare_quick_, prepare_plain_);
        return *repair_;
    }

    KernelShape shape_;
    KernelTypes types_;
    std::size_t operand_;
    std::unique_ptr<PreparedKernel const> quick_;
    PrepareKernel prepare_quick_, prepare_plain_;
    KernelStep look_;
    std::unique_ptr<PreparedKernel const> looks_;
    mutable Mutex mutex_;
    mutable std::unique_ptr<Repair const> repair_ EIN_GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<PreparedKernel const> guard_finite(KernelShape const& shape, KernelTypes const& types,
                                                   std::size_t operand, PrepareKernel const& quick,
                                                   PrepareKernel const& plain) {
    std::vector<int> axes = shape.kernel->einsum.inputs[operand];
    std::sort(axes.begin(), axes.end());
    bool const is_diagonal = std::adjacent_find(axes.begin(), axes.end()) != axes.end();
    bool const looks = !is_exact(shape.operand_dtypes[operand]);
    bool const can_repair = shape.kernel->einsum.agg == Agg::sum && !is_diagonal && !is_exact(shape.output_dtype) &&
                            is_complex(shape.output_dtype) == is_complex(types.accumulate);
    if (looks && !can_repair) return nullptr;
    auto prepared = quick(shape);
    if (!prepared || !looks) return prepared;
    return std::make_unique<GuardedKernel>(shape, types, operand, std::move(prepared), quick, plain);
}

}  // namespace ein::executor
