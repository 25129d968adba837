#include "executor/fusion/carried_state.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "executor/device/cpu/scratch.hpp"
#include "executor/fusion/clip_elements.hpp"

namespace ein::executor {
namespace {

using scalar::Agg;
using scalar::Expr;
using scalar::Op;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double drops = -1;  // in place of a change, which is never negative

double identity_of(Agg agg) {
    switch (agg) {
        case Agg::prod:
        case Agg::all: return 1;
        case Agg::min: return infinity;
        case Agg::max:
        case Agg::logsumexp: return -infinity;
        case Agg::sum:
        case Agg::any: break;
    }
    return 0;
}

/// Of what it was (x) and is (y): what sums under it are multiplied by.
Expr change_under(Agg extreme) {
    Expr const x = Expr::operand(0), y = Expr::operand(1);
    Expr const met_nothing = Expr::call(Op::eq, {x, Expr::number(identity_of(extreme))});
    return Expr::call(Op::where,
                      {met_nothing, Expr::number(drops), Expr::call(Op::exp, {extreme == Agg::max ? x - y : y - x})});
}

/// Of a sum (x), a piece's part of it (y) and the change (z).
Expr changed_sum() {
    Expr const x = Expr::operand(0), y = Expr::operand(1), z = Expr::operand(2);
    return Expr::call(Op::where, {Expr::call(Op::eq, {z, Expr::number(drops)}), y, x * z + y});
}

}  // namespace

/// Lays out memory and prepares kernels.
class CarriedState::Making {
public:
    Making(std::vector<FusedStep> const& plan, std::vector<CarriedStep> const& carried,
           std::vector<KernelShape> const& shapes, Device& device, scalar::Params const& params, CarriedState& out)
        : plan_(plan), carried_(carried), shapes_(shapes), device_(device), params_(params), out_(out) {}

    void lay_out() {
        for (CarriedStep const& step : carried_)
            if (step.shift) shifts_.push_back(step.shift->step);
        for (std::size_t k = 0; k < plan_.size(); ++k) {
            bool const is_last = k + 1 == plan_.size();
            Step& step = out_.steps_.emplace_back();
            step.is_carried = carried_[k].is_carried;
            step.is_shifted = carried_[k].shift.has_value();
            step.shifts_others = std::find(shifts_.begin(), shifts_.end(), k) != shifts_.end();
            step.agg = plan_[k].kernel.einsum.agg;
            step.type = plan_[k].output;
            step.elements = 1;
            for (Extent length : lengths_of(k)) step.elements *= length;
            if (!step.is_carried && (carried_[k].label >= 0 || is_last)) continue;
            if (plan_[k].in_place) {
                step.so_far = step.finished = out_.finished(static_cast<std::size_t>(plan_[k].operands[0].step));
                continue;
            }
            step.so_far = step.finished = room(step);
            if (step.shifts_others) {
                step.before = room(step);
                step.change = room(step);
            }
            if (!carried_[k].scales.empty() && !is_last) step.finished = room(step);
        }
    }

    void prepare(KernelShape const& result) {
        for (std::size_t k = 0; k < plan_.size(); ++k) {
            Step& step = out_.steps_[k];
            if (!step.is_carried) continue;
            KernelShape inside;
            inside.output_strides = row_major_strides(lengths_of(k));
            inside.output_dtype = step.type;
            KernelShape combining = inside;
            combining.accumulate = !step.is_shifted;
            if (step.is_shifted) {
                CarriedStep::Factor const& shift = *carried_[k].shift;
                Step const& by = out_.steps_[shift.step];
                step.combine = small(k, changed_sum(), {own(k, step.so_far), own(k, 0), read(k, shift, by.change)},
                                     std::move(combining));
            } else {
                step.combine = small(k, Expr::operand(0), {own(k, 0)}, std::move(combining));
            }
            if (step.shifts_others)
                step.changes = small(k, change_under(step.agg), {own(k, step.before), own(k, step.so_far)}, inside);
            bool const is_last = k + 1 == plan_.size();
            if (is_last || !carried_[k].scales.empty()) prepare_finish(k, is_last ? result : inside);
        }
    }

private:
    struct Read {
        std::size_t place;
        std::vector<int> axes;  // of the step's output
        DType type;
    };

    Shape lengths_of(std::size_t k) const {
        Shape out;
        for (int label : plan_[k].kernel.einsum.output)
            out.push_back(shapes_[k].lengths[static_cast<std::size_t>(label)]);
        return out;
    }
    std::size_t room(Step const& step) {
        std::size_t const at = out_.bytes_;
        out_.bytes_ += lines(static_cast<std::size_t>(step.elements) * size_of(step.type));
        return at;
    }
    Read own(std::size_t k, std::size_t place) const {
        std::vector<int> axes(plan_[k].kernel.einsum.output.size());
        std::iota(axes.begin(), axes.end(), 0);
        return {place, std::move(axes), plan_[k].output};
    }
    Read read(std::size_t k, CarriedStep::Factor const& factor, std::size_t place) const {
        Read out{place, {}, plan_[factor.step].output};
        std::vector<int> const& output = plan_[k].kernel.einsum.output;
        for (int label : factor.labels)
            out.axes.push_back(static_cast<int>(std::find(output.begin(), output.end(), label) - output.begin()));
        return out;
    }

    void prepare_finish(std::size_t k, KernelShape const& to) {
        std::vector<Read> reads{own(k, out_.steps_[k].so_far)};
        Expr join = Expr::operand(0);
        for (CarriedStep::Factor const& scale : carried_[k].scales) {
            Expr const by = Expr::operand(static_cast<int>(reads.size()));
            reads.push_back(read(k, scale, out_.finished(scale.step)));
            for (int power = scale.power; power != 0; power += power > 0 ? -1 : 1)
                join = power > 0 ? join * by : join / by;
        }
        out_.steps_[k].finish = small(k, join, reads, to);
    }

    Small small(std::size_t k, Expr const& join, std::vector<Read> const& reads, KernelShape shape) {
        Small out;
        schedule::Kernel kernel;
        kernel.node = plan_[k].kernel.node;
        kernel.compute = plan_[k].kernel.compute;
        kernel.einsum.extents = shape.lengths = lengths_of(k);
        kernel.einsum.output = own(k, 0).axes;
        for (int label : plan_[k].kernel.einsum.output)
            kernel.einsum.labels.push_back(plan_[k].kernel.einsum.labels[static_cast<std::size_t>(label)]);
        kernel.einsum.join = join;
        kernel.einsum.agg = plan_[k].kernel.einsum.agg;
        for (Read const& read : reads) {
            Shape of;
            for (int axis : read.axes) of.push_back(shape.lengths[static_cast<std::size_t>(axis)]);
            kernel.einsum.inputs.push_back(read.axes);
            shape.operand_strides.push_back(row_major_strides(of));
            shape.operand_dtypes.push_back(read.type);
            out.operands.push_back(read.place);
        }
        out.rank = shape.lengths.size();
        out.kernel = std::make_unique<schedule::Kernel const>(std::move(kernel));
        shape.kernel = out.kernel.get();
        out.prepared = device_.prepare(shape, params_);
        return out;
    }

    std::vector<FusedStep> const& plan_;
    std::vector<CarriedStep> const& carried_;
    std::vector<KernelShape> const& shapes_;
    Device& device_;
    scalar::Params const& params_;
    CarriedState& out_;
    std::vector<std::size_t> shifts_;
};

CarriedState::CarriedState(std::vector<FusedStep> const& steps, std::vector<CarriedStep> const& carried,
                           std::vector<KernelShape> const& shapes, KernelShape const& result, Device& device,
                           scalar::Params const& params) {
    Making making(steps, carried, shapes, device, params, *this);
    making.lay_out();
    making.prepare(result);
}

void CarriedState::begin(std::byte* memory) const {
    for (Step const& step : steps_)
        if (step.is_carried)
            fill_elements(identity_of(step.agg), step.type, memory + step.so_far, {step.elements},
                          {static_cast<Extent>(size_of(step.type))});
}

void CarriedState::combine(std::size_t k, std::byte const* part, std::byte* memory) const {
    Step const& step = steps_[k];
    std::byte* const so_far = memory + step.so_far;
    if (step.shifts_others)
        std::memcpy(memory + step.before, so_far, static_cast<std::size_t>(step.elements) * size_of(step.type));
    if (step.is_shifted)
        launch(step.combine, {so_far, part, memory + step.combine.operands[2]}, so_far);
    else
        launch(step.combine, {part}, so_far);
    if (step.shifts_others) launch(step.changes, {memory + step.before, so_far}, memory + step.change);
}

void CarriedState::finish(std::size_t k, std::byte* memory, std::byte* result) const {
    Step const& step = steps_[k];
    if (step.finish.prepared == nullptr) return;
    std::vector<void const*> operands;
    for (std::size_t place : step.finish.operands) operands.push_back(memory + place);
    launch(step.finish, operands, result != nullptr ? result : memory + step.finished);
}

void CarriedState::launch(Small const& small, std::vector<void const*> const& operands, void* output) {
    SoloWorkerTeam solo;
    std::vector<Extent> const begin(small.rank, 0);
    small.prepared->launch({operands, output, begin, {}}, solo);
}

}  // namespace ein::executor
