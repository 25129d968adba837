#include "executor/device/cpu/narrow/box_move.hpp"

#include <algorithm>

#include "executor/device/cpu/narrow/tuning.hpp"

namespace ein::executor {

std::unique_ptr<BoxMove const> BoxMove::make(Nest nest, DType wide) {
    simplify(nest);
    auto move = std::make_unique<BoxMove>();
    DType const from = nest.operand_dtypes.front(), to = nest.output_dtype;
    for (NestLabel const& label : nest.labels)
        move->labels_.push_back({label.length, label.strides.front(), label.output_stride});
    std::stable_sort(move->labels_.begin(), move->labels_.end(), [](Label const& x, Label const& y) {
        return std::max(x.from_step, x.to_step) > std::max(y.from_step, y.to_step);
    });
    bool const adjacent = !move->labels_.empty() &&
                          move->labels_.back().from_step == static_cast<Extent>(size_of(from)) &&
                          move->labels_.back().to_step == static_cast<Extent>(size_of(to));
    bool const runs = adjacent && move->labels_.back().length >= narrow_tuning::least_box_run;
    move->convert_ = runs && !nest.accumulate ? best_convert_loop(from, to) : nullptr;
    if (move->convert_ == nullptr) {
        move->loops_ = LoopKernel::make(std::move(nest), LoopBody::identity(wide));
        return move;
    }
    move->run_ = static_cast<std::size_t>(move->labels_.back().length);
    move->labels_.pop_back();
    return move;
}

void BoxMove::run(void const* from, void* to) const {
    if (loops_) {
        SoloWorkerTeam solo;
        return loops_->launch(std::span(&from, 1), to, {}, solo);
    }
    run(0, static_cast<std::byte const*>(from), static_cast<std::byte*>(to));
}

void BoxMove::run(std::size_t label, std::byte const* from, std::byte* to) const {
    if (label == labels_.size()) return convert_(from, to, run_);
    Label const& at = labels_[label];
    if (label + 1 == labels_.size()) {
        for (Extent i = 0; i < at.length; ++i) convert_(from + i * at.from_step, to + i * at.to_step, run_);
        return;
    }
    for (Extent i = 0; i < at.length; ++i) run(label + 1, from + i * at.from_step, to + i * at.to_step);
}

}  // namespace ein::executor
