// A schedule small enough to check by eye: Z[i] = sum_j X[i, j] on two ranks, X (4 x 3, f64, random) loaded by rank 0,
// which sends the lower half to rank 1; each rank sums its rows and stores them.
#pragma once

#include "lib/schedule/memory/replay.hpp"
#include "lib/schedule/model/schedule.hpp"

namespace ein::test {

/// A dense block of f64. What is added to the section counts its readers and writers.
inline BlockId block(schedule::Section& section, schedule::TensorId tensor, Box const& box) {
    return section.blocks.add({.tensor = tensor,
                               .dtype = DType::f64,
                               .order = static_cast<std::int32_t>(box.order()),
                               .coords = section.add_box(view(box))});
}

/// A call of kernel 0.
inline TaskId apply(schedule::Section& section, std::vector<BlockId> const& operands, BlockId result,
                    Box const& region = {}) {
    return section.add(schedule::Apply{schedule::KernelId{0}, operands, result, view(region)});
}

inline schedule::Schedule small_schedule() {
    using namespace schedule;
    Schedule out;
    TensorId const x{0}, z{1};
    Header& h = out.header;
    h.name = "row sums";
    h.graph_text = "{}";
    h.graph_file = "rows.json";
    h.ranks = 2;
    h.strategy = "by hand";
    h.place = "by hand";
    h.params = {{"eta", 0.1}};
    h.tensors.add({"X", {4, 3}, DType::f64});
    h.tensors.add({"Z", {4}, DType::f64});
    h.inputs.add({x, tensor::RandomSource{tensor::Distribution::normal, 0, 2, 7}});
    h.outputs.add({z, "Z"});
    graph::EinSum sum;
    sum.labels = {"i", "j"};
    sum.extents = {4, 3};
    sum.inputs = {{0, 1}};
    sum.output = {0};
    sum.join = scalar::Expr::operand(0);
    h.kernels.add({"Z", sum, DType::f64});
    h.movements.add({"X", {{}, {}}});
    out.sections.resize(2);
    Section &first = out.sections[Rank{0}], &second = out.sections[Rank{1}];
    Box const lower{{2, 0}, {2, 3}};
    {
        BlockId const whole = block(first, x, {{0, 0}, {4, 3}}), cut = block(first, x, lower),
                      sums = block(first, z, {{0}, {2}});
        first.add(Load{InputId{0}, whole});
        first.add(Copy{MovementId{0}, whole, cut, view(lower)});
        first.add(Send{.block = cut, .to = Rank{1}, .tag = MessageTag{0}, .part = {}});
        apply(first, {whole}, sums, {{0, 0}, {2, 3}});
        first.add(Store{OutputId{0}, sums});
    }
    {
        BlockId const received = block(second, x, lower), sums = block(second, z, {{2}, {2}});
        second.add(Receive{.block = received, .from = Rank{0}, .tag = MessageTag{0}, .part = {}});
        apply(second, {received}, sums, lower);
        second.add(Store{OutputId{0}, sums});
    }
    h.prediction = {24, {48, 0}, {0, 48}, {1, 0}, {replay(first).peak, replay(second).peak}, 24, 192};
    return out;
}

}  // namespace ein::test
