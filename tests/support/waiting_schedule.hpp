// A rank that waits for a message though it has something to compute, at its peak: the loss of both ranks is put
// together before the slope is begun. Example: loss_before_slope(8): rank 0 has x of 64 bytes and tasks load x (0),
// loss (1), receive (2), reduce (3), slope (4) and two stores.
#pragma once

#include "tests/support/schedule_builder.hpp"

namespace ein::test {

inline schedule::Schedule loss_before_slope(Extent length) {
    ScheduleBuilder b(2);
    b.tensor("X", {1, length}), b.tensor("Loss", {1}), b.tensor("Slope", {1});
    auto const total = b.kernel("total", sum_of_products("ki->k", {{'k', 1}, {'i', length}}));
    auto const add = b.kernel("total", sum_of_products("k->k", {{'k', 1}}));
    Box const all{{0, 0}, {1, length}}, one{{0}, {1}};
    for (int rank : {0, 1}) b.load(rank, "x", "X", all);
    b.block(1, "theirs", "Loss", one), b.block(0, "loss", "Loss", one), b.block(0, "slope", "Slope", one);
    b.apply(1, total, all, {"x"}, "theirs");
    b.apply(0, total, all, {"x"}, "loss");
    b.transfer(1, "theirs", 0);
    b.reduce(0, add, one, "theirs", "loss", true);
    b.apply(0, total, all, {"x"}, "slope");
    b.store(0, "loss"), b.store(0, "slope");
    return b.finish();
}

/// @param bytes  whatever they are: the schedule's prediction says so too
inline void give_room(schedule::Schedule& schedule, Rank rank, std::int64_t bytes) {
    schedule.sections[rank].room = bytes;
    schedule.header.prediction.peak_bytes[static_cast<std::size_t>(rank.value())] += bytes;
}

}  // namespace ein::test
