// Kernels as one task and taken apart again, by hand: blocks, counts, loops and moments follow; each way in which a
// fused task may be wrong is found.
#include "lib/schedule/fusion/fold.hpp"

#include <functional>

#include "lib/schedule/fusion/members.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/schedule_builder.hpp"

using namespace ein;
using namespace ein::schedule;

namespace {

graph::EinSum einsum(std::vector<Extent> extents, std::vector<std::vector<int>> inputs, std::vector<int> output) {
    graph::EinSum out;
    for (std::size_t k = 0; k < extents.size(); ++k) out.labels.push_back(std::string(1, static_cast<char>('i' + k)));
    out.extents = std::move(extents);
    out.inputs = std::move(inputs);
    out.output = std::move(output);
    out.join = scalar::product(static_cast<int>(out.inputs.size()));
    return out;
}

/// W = X; in a loop that is run twice: Y = W, M = sum_j Y[i, j], Z[i, j] = Y[i, j] * M[i], which is the next W.
schedule::Schedule sums_and_products() {
    test::ScheduleBuilder b(1);
    b.tensor("X", {6, 4});
    b.tensor("Y", {6, 4});
    b.tensor("M", {6});
    b.tensor("Z", {6, 4});
    auto const copy = b.kernel("Y", einsum({6, 4}, {{0, 1}}, {0, 1})),
               sum = b.kernel("M", einsum({6, 4}, {{0, 1}}, {0})),
               product = b.kernel("Z", einsum({6, 4}, {{0, 1}, {0}}, {0, 1}));
    Box const all{{0, 0}, {6, 4}};
    b.load(0, "x", "X", all);
    b.block(0, "w", "Z", all);
    b.block(0, "y", "Y", all);
    b.block(0, "m", "M", {{0}, {6}});
    b.block(0, "z", "Z", all);
    auto const loop = b.loop("twice", 2);
    b.apply(0, copy, all, {"x"}, "w");
    b.begin_loop(0, loop);
    b.apply(0, copy, all, {"w"}, "y");
    b.apply(0, sum, all, {"y"}, "m");
    b.apply(0, product, all, {"y", "m"}, "z");
    b.end_loop(0, {{"w", "z"}});
    b.store(0, "z");
    return b.finish();
}

/// The same with the sum and the product as one task, cut along i.
schedule::Schedule fused() {
    schedule::Schedule out = sums_and_products();
    FusionSpec spec;
    spec.members = {{KernelId{1}, {{false, 0}}, TensorId{2}, DType::f64},
                    {KernelId{2}, {{false, 0}, {true, 0}}, TensorId{3}, DType::f64}};
    spec.axes = {{{0, 0}, 3}};
    FusionId const id = out.header.fusions.add(spec);
    Section& section = out.sections[Rank{0}];
    section.moments = {};
    section = folded(section, {{id, {TaskId{3}, TaskId{4}}, {BlockId{2}}}});
    out.header.prediction.peak_bytes = {replay(section).peak};
    return out;
}

}  // namespace

TEST_CASE("members of a fused task and what is between them leave the section", "[schedule][fusion]") {
    schedule::Schedule const schedule = fused();
    Section const& section = schedule.sections[Rank{0}];
    CHECK(faults_of(schedule).empty());
    REQUIRE(section.tasks.size() == 6);  // load, W, Y, fused, iterate, store
    REQUIRE(section.tasks[TaskId{3}].is<Fused>());
    CHECK(section.blocks.size() == 4);
    CHECK(section.loops[LoopId{0}].first == TaskId{2});
    CHECK(section.loops[LoopId{0}].last == TaskId{4});
    CHECK(replay(section).peak == 2 * 24 * 8);
    auto const task = section.as<Fused>(section.tasks[TaskId{3}]);
    CHECK(nodes_of(schedule.header, task) == std::vector<std::string>{"M", "Z"});
    IterationCounts const twice(1, 2);
    schedule::Schedule const before = sums_and_products();
    Section const& single = before.sections[Rank{0}];
    CHECK(flops(schedule.header, section, Runs(section, twice)) == flops(before.header, single, Runs(single, twice)));
}

TEST_CASE("a fused task alone has its members on blocks of their own", "[schedule][fusion]") {
    schedule::Schedule const schedule = fused();
    Section const& section = schedule.sections[Rank{0}];
    Section const alone = unfolded(schedule.header, section, section.as<Fused>(section.tasks[TaskId{3}]));
    REQUIRE(alone.tasks.size() == 2);
    REQUIRE(alone.blocks.size() == 3);  // operand, result, inside
    CHECK(alone.box_of(alone.blocks[BlockId{2}]) == Box{{0}, {6}});
    CHECK(alone.as<Apply>(alone.tasks[TaskId{1}]).result == BlockId{1});
    CHECK(alone.blocks[BlockId{0}].readers == 2);
}

TEST_CASE("taken apart, the section is that of before but for the order of blocks", "[schedule][fusion]") {
    schedule::Schedule schedule = fused();
    Section const apart = with_members_apart(schedule.header, schedule.sections[Rank{0}]);
    Section const before = sums_and_products().sections[Rank{0}];
    REQUIRE(apart.tasks.size() == before.tasks.size());
    for (TaskId t : apart.tasks.ids()) CHECK(apart.tasks[t].kind() == before.tasks[t].kind());
    CHECK(apart.loops[LoopId{0}].first == before.loops[LoopId{0}].first);
    CHECK(apart.loops[LoopId{0}].last == before.loops[LoopId{0}].last);
    CHECK(replay(apart).live == replay(before).live);
    schedule.sections[Rank{0}] = apart;
    schedule.header.prediction.peak_bytes = {replay(apart).peak};
    CHECK(faults_of(schedule).empty());
}

TEST_CASE("moments keep their places among the tasks that stay", "[schedule][fusion]") {
    Section section = sums_and_products().sections[Rank{0}];
    for (int before : {1, 2, 3, 5, 6}) section.moments.add(TaskId{before});
    Section const one = folded(section, {{FusionId{0}, {TaskId{3}, TaskId{4}}, {BlockId{2}}}});
    CHECK(one.moments.list() == std::vector{TaskId{1}, TaskId{2}, TaskId{3}, TaskId{4}, TaskId{5}});
}

TEST_CASE("every way in which a fused task may be wrong is found", "[schedule][fusion][verify]") {
    using Break = std::function<void(schedule::Schedule&)>;
    auto const spec = [](schedule::Schedule& s) -> FusionSpec& { return s.header.fusions[FusionId{0}]; };
    auto const coord = [](schedule::Schedule& s, std::size_t k) -> Extent& {
        Section& section = s.sections[Rank{0}];
        return section.coords[static_cast<std::size_t>(section.tasks[TaskId{3}].record().coords) + k];
    };
    std::vector<Break> const breaks{
        [&](schedule::Schedule& s) { spec(s).members.clear(); },
        [&](schedule::Schedule& s) { spec(s).members[0].kernel = KernelId{7}; },
        [&](schedule::Schedule& s) { spec(s).members[0].tensor = TensorId{-1}; },
        [&](schedule::Schedule& s) { spec(s).members[0].tensor = TensorId{1}; },  // of another shape
        [&](schedule::Schedule& s) { spec(s).members[1].operands.pop_back(); },
        [&](schedule::Schedule& s) { spec(s).members[1].operands[0].place = 1; },
        [&](schedule::Schedule& s) { spec(s).members[1].operands[1].place = 1; },
        [&](schedule::Schedule& s) { spec(s).members[0].operands[0].is_inside = true; },
        [&](schedule::Schedule& s) { spec(s).axes[0].labels.pop_back(); },
        [&](schedule::Schedule& s) { spec(s).axes[0].labels[1] = 1; },  // M has no j
        [&](schedule::Schedule& s) { spec(s).axes[0].parts = 0; },
        [&](schedule::Schedule& s) { spec(s).axes[0].parts = 7; },
        [&](schedule::Schedule& s) { coord(s, 0) = 1; },  // begins of M's i, j and Z's i, j; then lengths
        [&](schedule::Schedule& s) { coord(s, 2) = -1; },
        [&](schedule::Schedule& s) { coord(s, 4) = 5; },
        [&](schedule::Schedule& s) { coord(s, 6) = Extent{1} << 62; },
    };
    for (std::size_t k = 0; k < breaks.size(); ++k) {
        schedule::Schedule broken = fused();
        breaks[k](broken);
        INFO("way " << k);
        CHECK_FALSE(faults_of(broken).empty());
    }
}
