// A schedule small enough to check by eye: Z[i] = sum_j X[i, j] on two ranks, X (4 x 3, f64, random) loaded by rank 0, which sends
// the lower half to rank 1; each rank sums its rows and stores them.
#pragma once

#include "lib/schedule/memory/replay.hpp"
#include "lib/schedule/model/schedule.hpp"

namespace ein::test {

inline std::int64_t pool(schedule::Section& section, Box const& box) {
    auto const at = static_cast<std::int64_t>(section.coords.size());
    section.coords.insert(section.coords.end(), box.begin.begin(), box.begin.end());
    section.coords.insert(section.coords.end(), box.length.begin(), box.length.end());
    return at;
}

inline void block(schedule::Section& section, std::int32_t tensor, Box const& box, std::int32_t readers,
                  std::int32_t writers) {
    section.blocks.push_back(
        {tensor, DType::f64, false, readers, writers, static_cast<std::int32_t>(box.order()), pool(section, box)});
}

inline schedule::Task& task(schedule::Section& section, schedule::TaskKind kind, std::int32_t spec,
                            std::vector<std::int32_t> inputs, std::int32_t output, Box const& region = {}) {
    schedule::Task t;
    t.kind = kind;
    t.spec = spec;
    t.first_input = static_cast<std::int32_t>(section.inputs.size());
    t.inputs = static_cast<std::int32_t>(inputs.size());
    section.inputs.insert(section.inputs.end(), inputs.begin(), inputs.end());
    t.output = output;
    t.order = static_cast<std::int32_t>(region.order());
    t.coords = pool(section, region);
    section.tasks.push_back(t);
    return section.tasks.back();
}

inline schedule::Schedule small_schedule() {
    using schedule::TaskKind;
    schedule::Schedule out;
    schedule::Header& h = out.header;
    h.name = "row sums";
    h.graph_text = "{}";
    h.graph_file = "rows.json";
    h.ranks = 2;
    h.strategy = "by hand";
    h.place = "by hand";
    h.params = {{"eta", 0.1}};
    h.tensors = {{"X", {4, 3}, DType::f64}, {"Z", {4}, DType::f64}};
    h.inputs = {{0, tensor::RandomSource{tensor::Distribution::normal, 0, 2, 7}}};
    h.outputs = {{1, "Z"}};
    graph::EinSum sum;
    sum.labels = {"i", "j"};
    sum.extents = {4, 3};
    sum.inputs = {{0, 1}};
    sum.output = {0};
    sum.join = scalar::Expr::operand(0);
    h.kernels = {{"Z", sum, DType::f64}};
    h.movements = {{"X", {{}, {}}}};
    out.sections.resize(2);
    schedule::Section &first = out.sections[0], &second = out.sections[1];
    block(first, 0, {{0, 0}, {4, 3}}, 2, 1);  // X
    block(first, 0, {{2, 0}, {2, 3}}, 1, 1);  // its lower half, cut for rank 1
    block(first, 1, {{0}, {2}}, 1, 1);        // Z[0:2]
    task(first, TaskKind::load, 0, {}, 0);
    task(first, TaskKind::copy, 0, {0}, 1, {{2, 0}, {2, 3}});
    auto& send = task(first, TaskKind::send, -1, {1}, -1);
    send.peer = 1, send.tag = 0;
    task(first, TaskKind::apply, 0, {0}, 2, {{0, 0}, {2, 3}});
    task(first, TaskKind::store, 0, {2}, -1);
    block(second, 0, {{2, 0}, {2, 3}}, 1, 1);
    block(second, 1, {{2}, {2}}, 1, 1);
    auto& receive = task(second, TaskKind::receive, -1, {}, 0);
    receive.peer = 0, receive.tag = 0;
    task(second, TaskKind::apply, 0, {0}, 1, {{2, 0}, {2, 3}});
    task(second, TaskKind::store, 0, {1}, -1);
    h.prediction = {24, {48, 0}, {0, 48}, {1, 0}, {schedule::replay(first).peak, schedule::replay(second).peak},
                    24, 192};
    return out;
}

}  // namespace ein::test
