// Where a loop kernel has machine code of its own for its program: how that meets operands, labels and results.
#include <algorithm>
#include <cstdlib>

#include "executor/device/cpu/loops/loop_kernel.hpp"
#include "executor/device/cpu/machine.hpp"

namespace ein::executor {
namespace {

/// Where labels stand for operands behind the others.
std::size_t first_label(Nest const& nest, LoopBody const& body) {
    return body.program->asks_for_labels() ? nest.operand_dtypes.size() : 0;
}

}  // namespace

/// A loop of integers is for labels beside them alone, and its results are as they are stored.
bool LoopBody::is_of_integers() const { return program != nullptr && is_exact(program->operand_registers()); }

bool LoopBody::becomes_a_loop(Nest const& nest) const {
    if (program == nullptr || std::max(points, nest.elements()) < machine::points_for_a_loop || !loops) return false;
    scalar::VectorLoop::Use use;
    use.labels = first_label(nest, *this);
    use.from.assign(nest.operand_dtypes.begin(), nest.operand_dtypes.end());
    for (DType const type : nest.operand_dtypes) use.constant.push_back(type == DType::i64);
    if (is_of_integers()) use.to = nest.output_dtype;
    return scalar::VectorLoop::possible(*program, use);
}

/// What an operand's labels span in memory, in bytes.
Extent LoopKernel::extent_of(std::size_t operand) const {
    Extent last = 0;
    for (NestLabel const& label : nest_.labels) last += (label.length - 1) * std::abs(label.strides[operand]);
    return last + static_cast<Extent>(size_of(nest_.operand_dtypes[operand]));
}

/// Whether an operand that lies along vector tiles is asked for before its turn. Where all of a vector tile becomes one
/// output or few, the processor reads ahead by itself: asking it took 1.4 to 1.5 times as long (measured, Zen 4). Where
/// it meets as many accumulators, the second-level cache is asked for it (0.7 of the time).
bool LoopKernel::asks_ahead(std::size_t operand) const {
    if (plan_.grain != LoopPlan::none || extent_of(operand) < machine::operand_fetched_ahead) return false;
    auto const aggregated = [&](std::size_t l) { return l != LoopPlan::none && nest_.labels[l].aggregated; };
    return !aggregated(plan_.inner) && !aggregated(plan_.outer);
}

/// Whether a loop can write them as they are stored.
bool LoopKernel::results_stay_narrow() const {
    if (body_.is_of_integers())
        return lie_adjacent() && scalar::VectorLoop::writes_whole(nest_.output_dtype, body_.accumulate);
    return lie_adjacent() && body_.join_registers() == body_.accumulate &&
           scalar::VectorLoop::writes(nest_.output_dtype, body_.accumulate);
}

/// Rows of a vector tile that are long enough for a loop each, where that spares gathering an operand: one whose rows
/// lie apart or are all the same, or one with an element for each row.
bool LoopKernel::goes_by_row() const {
    if (plan_.outer == LoopPlan::none || plan_.middle != LoopPlan::none || !turned_.empty()) return false;
    Extent const shortest =
        scalar::VectorLoop::has_tails() ? machine::shortest_row_with_tail : machine::shortest_looped_row;
    if (nest_.labels[plan_.inner].length < shortest) return false;
    bool spares = false;
    for (std::size_t k : body_.used) {
        if (fetches_[k] != Fetch::gather) continue;
        DType const type = nest_.operand_dtypes[k];
        Extent const inner = step_along(k), size = static_cast<Extent>(size_of(type));
        bool const as_it_is = type == body_.compute && type == body_.operand_registers();
        bool const is_read = as_it_is || (!narrowed_[k] && scalar::VectorLoop::reads(type, body_.compute));
        if (inner == 0 ? !as_it_is : inner != size || !is_read) return false;
        bool const in_one_run = inner == size && is_one_run(inner, nest_.labels[plan_.outer].strides[k]);
        spares = spares || !in_one_run;
    }
    return spares;
}

void LoopKernel::make_loops() {
    bool const all_constant = std::all_of(body_.used.begin(), body_.used.end(),
                                          [&](std::size_t k) { return fetches_[k] == Fetch::constant; });
    bool const along_label = plan_.inner != LoopPlan::none && nest_.labels[plan_.inner].index >= 0;
    bool const narrow = results_stay_narrow();
    if ((all_constant && !along_label) || !body_.becomes_a_loop(nest_)) return;
    if (body_.is_of_integers() && !narrow) return;
    by_row_ = goes_by_row() && !body_.is_of_integers();
    scalar::VectorLoop::Use use = use_of_operands();
    use.by_row = by_row_;
    Extent const row_bytes =
        by_row_ ? nest_.labels[plan_.inner].length * static_cast<Extent>(size_of(body_.compute)) : 0;
    use.with_tails = row_bytes % static_cast<Extent>(scalar::VectorLoop::longest_vector) != 0;
    if (narrow) use.to = nest_.output_dtype;
    bool const truths =
        (body_.finds >= 0 && !body_.best) || (body_.values == DType::boolean && body_.join != DType::boolean);
    truths_as_bytes_ = truths && scalar::VectorLoop::writes(DType::boolean, body_.compute);
    if (truths_as_bytes_) use.to = DType::boolean;
    loop_ = scalar::VectorLoop::make(*body_.program, use);
    truths_as_bytes_ = truths_as_bytes_ && loop_ != nullptr;
    accumulates_joined_ = accumulates_joined_ || (truths_as_bytes_ && body_.finds < 0);
    by_row_ = by_row_ && loop_ != nullptr;
    if (loop_ == nullptr) return;
    if (by_row_) {
        row_steps_.resize(use.constant.size());  // 0 for what stands for all rows
        for (std::size_t k : body_.used) row_steps_[k] = nest_.labels[plan_.outer].strides[k];
    }
    looped_labels_ = body_.program->asks_for_labels();
    if (body_.is_of_integers()) accumulates_joined_ = true;
    made_bytes_ = size_of(use.to.value_or(body_.join_registers()));
    for (std::size_t k = 0; k < fetches_.size(); ++k) {
        if (use.from[k] && !use.constant[k]) fetches_[k] = Fetch::direct;
        if (fetches_[k] == Fetch::constant && is_in_registers(k)) fetches_[k] = Fetch::element;
        if (!by_row_ || fetches_[k] != Fetch::gather) continue;
        fetches_[k] = use.constant[k] ? Fetch::element : Fetch::direct;
    }
    ahead_ = use.ahead;
    use.past_cache = true;
    bool const in_lines =
        !by_row_ || nest_.labels[plan_.inner].length * static_cast<Extent>(made_bytes_) % machine::cache_line == 0;
    if (past_cache_ && in_lines && (narrow || results_stay()))
        streaming_ = scalar::VectorLoop::make(*body_.program, use);
    in_place_ = in_place_ || (narrow && streaming_ == nullptr);
}

/// Operands that lie adjacent in a type that loops read need not be converted first.
scalar::VectorLoop::Use LoopKernel::use_of_operands() const {
    scalar::VectorLoop::Use use;
    use.ahead = ahead_;
    use.second_level = nest_.aggregates();
    use.from.resize(fetches_.size());
    for (std::size_t k = 0; k < fetches_.size(); ++k) {
        bool const of_row = by_row_ && fetches_[k] == Fetch::gather && step_along(k) == 0;
        use.constant.push_back(fetches_[k] == Fetch::constant || of_row);
        DType const type = nest_.operand_dtypes[k];
        auto const stride = [&](std::size_t l) { return l == LoopPlan::none ? 0 : nest_.labels[l].strides[k]; };
        bool const adjacent = step_along(k) == static_cast<Extent>(size_of(type)) &&
                              (by_row_ || is_one_run(step_along(k), stride(plan_.outer)));
        bool const whole = body_.is_of_integers();
        if (whole && fetches_[k] == Fetch::constant && !narrowed_[k]) use.from[k] = type;
        if (fetches_[k] != Fetch::gather || narrowed_[k] || !adjacent) continue;
        if (whole ? !is_exact(type) : !scalar::VectorLoop::reads(type, body_.compute)) continue;
        use.from[k] = type;
        use.ahead[k] = asks_ahead(k);
    }
    use.labels = first_label(nest_, body_);
    if (use.labels == 0) return use;
    use.along = plan_.inner == LoopPlan::none ? -1 : nest_.labels[plan_.inner].index;
    use.constant.resize(use.labels + body_.indices, true);
    use.constant.push_back(false);
    use.ahead.resize(use.constant.size(), false);
    return use;
}

/// A loop that reads operands where they lie and writes results where they stay needs no room for a vector tile: it is
/// begun less often.
void LoopKernel::lengthen_vector_tiles() {
    bool const gathers =
        std::any_of(body_.used.begin(), body_.used.end(), [&](std::size_t k) { return fetches_[k] == Fetch::gather; });
    if (loop_ == nullptr || gathers || !(in_place_ || streaming_ != nullptr) || levels_.empty()) return;
    Level& last = levels_.back();
    if (last.label != plan_.inner || plan_.outer != LoopPlan::none || last.index >= 0) return;
    bool const cut = plan_.pieces > 1 && plan_.cut + 1 == levels_.size();
    Extent const shares = cut ? 4 * plan_.pieces : 1, most = std::min(machine::longest_run, last.length / shares);
    last.block = std::max(last.block, most / last.block * last.block);
}

/// Whether all labels are what loops of 32 bits hold.
bool LoopKernel::fit_loops(std::span<Extent const> begin) const {
    return std::ranges::none_of(nest_.labels, [&](NestLabel const& label) {
        if (label.index < 0) return false;
        return begin[static_cast<std::size_t>(label.index)] + label.length > scalar::VectorLoop::most_of_a_label;
    });
}

}  // namespace ein::executor
