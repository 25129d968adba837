#include "executor/device/cuda/source/loops.hpp"

#include <algorithm>

namespace ein::executor::cuda {
namespace {

Extent product_of_lengths(std::vector<Loop> const& loops) {
    Extent count = 1;
    for (Loop const& loop : loops) count *= loop.length;
    return count;
}

/// The elements from an operand's (or the output's) first to its last.
Extent reach(Loops const& loops, int operand) {
    Extent last = 0;
    for (std::size_t loop = 0; loop < loops.count(); ++loop)
        last += std::max<Extent>(0, loops.at(loop).length - 1) * step_of(loops.at(loop), operand);
    return last;
}

}  // namespace

Extent step_of(Loop const& loop, int operand) {
    return operand < 0 ? loop.output_step : loop.steps[static_cast<std::size_t>(operand)];
}

Extent Loops::outputs() const { return product_of_lengths(outer); }
Extent Loops::terms() const { return product_of_lengths(inner); }

int Loops::main_operand() const {
    int main = -1;
    double most = 0;
    for (std::size_t k = 0; k < operands.size(); ++k) {
        double bytes = static_cast<double>(size_of(dtypes[k]));
        for (std::size_t loop = 0; loop < count(); ++loop)
            if (at(loop).steps[k] != 0) bytes *= static_cast<double>(at(loop).length);
        if (bytes > most) {
            main = static_cast<int>(k);
            most = bytes;
        }
    }
    return main;
}

bool Loops::in_runs(int operand, int lane_loop, int lanes) const {
    if (static_cast<std::size_t>(lane_loop) >= count() || lanes == 1) return false;
    for (std::size_t loop = 0; loop < count(); ++loop) {
        Extent const step = step_of(at(loop), operand);
        if (static_cast<int>(loop) == lane_loop ? step != 1 : step % lanes != 0) return false;
    }
    return true;
}

bool Loops::fit(Extent most) const {
    bool fit = outputs() < most && terms() < most;
    for (int operand = -1; operand < static_cast<int>(operands.size()); ++operand)
        fit = fit && reach(*this, operand) < most;
    return fit;
}

Loops loops_of(Nest const& nest, scalar::Expr const& join) {
    Loops loops;
    loops.operands = scalar::operands_of(join);
    for (int operand : loops.operands) loops.dtypes.push_back(nest.operand_dtypes[static_cast<std::size_t>(operand)]);
    for (NestLabel const& label : nest.labels) {
        Loop loop{label.length, {}, label.output_stride / static_cast<Extent>(size_of(nest.output_dtype)), label.index};
        for (std::size_t k = 0; k < loops.operands.size(); ++k)
            loop.steps.push_back(label.strides[static_cast<std::size_t>(loops.operands[k])] /
                                 static_cast<Extent>(size_of(loops.dtypes[k])));
        (label.aggregated ? loops.inner : loops.outer).push_back(std::move(loop));
    }
    return loops;
}

Loops reordered(Loops loops, std::vector<std::size_t> const& order) {
    auto const sort = [&](auto& list) {
        auto const before = list;
        for (std::size_t k = 0; k < order.size(); ++k) list[k] = before[order[k]];
    };
    sort(loops.operands);
    sort(loops.dtypes);
    for (auto* side : {&loops.outer, &loops.inner})
        for (Loop& loop : *side) sort(loop.steps);
    return loops;
}

void sort_by_steps(std::vector<Loop>& loops, int operand) {
    std::stable_sort(loops.begin(), loops.end(), [&](Loop const& a, Loop const& b) {
        Extent const left = step_of(a, operand), right = step_of(b, operand);
        return left == 0 ? right != 0 : right != 0 && left > right;
    });
}

}  // namespace ein::executor::cuda
