// Sections that repeat tasks, by hand: what they stand for, that counting them once agrees with counting all of that,
// and what is refused.
#include "lib/schedule/repeat/unrolled.hpp"

#include <limits>

#include "lib/base/error.hpp"
#include "lib/schedule/file/file.hpp"
#include "lib/schedule/memory/live_bytes.hpp"
#include "lib/schedule/memory/room.hpp"
#include "lib/schedule/memory/spill.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/limits_set.hpp"
#include "tests/support/waiting_schedule.hpp"

using namespace ein;
using schedule::InputId;
using schedule::KernelId;
using schedule::MomentId;
using schedule::Schedule;
using schedule::Section;
using schedule::TensorId;

namespace {

Box const line_of_four{{0}, {4}};
constexpr int tasks_of_a_round = 3, blocks_of_a_round = 3;

/// x' = x w v: in each round rank 0 multiplies with one weight and sends, rank 1 with another and sends back. Of so
/// many rounds those that are there; moments stand between them.
Schedule turns_of(int all, std::vector<int> const& there) {
    test::ScheduleBuilder b(2);
    auto const name = [](std::string const& of, int round) { return of + std::to_string(round); };
    b.tensor("X0", {4});
    for (int k = 0; k < all; ++k)
        for (char const* of : {"W", "V", "H", "Y"}) b.tensor(name(of, k), {4});
    std::vector<KernelId> kernels;
    for (int k = 0; k < all; ++k) kernels.push_back(b.kernel(name("L", k), test::einsum("i,i->i", {{4}, {4}})));
    b.load(0, "x", "X0", line_of_four);
    std::string x = "x";
    for (int k : there) {
        std::string const h = name("h", k), y = name("y", k);
        b.load(0, name("w", k), name("W", k), line_of_four);
        b.load(1, name("v", k), name("V", k), line_of_four);
        b.block(0, h, name("H", k), line_of_four);
        b.apply(0, kernels[at(k)], line_of_four, {x, name("w", k)}, h);
        b.transfer(0, h, 1);
        b.block(1, y, name("Y", k), line_of_four);
        b.apply(1, kernels[at(k)], line_of_four, {h, name("v", k)}, y);
        b.transfer(1, y, 0);
        x = y;
    }
    b.store(0, x);
    Schedule out = b.finish();
    int const rounds = static_cast<int>(there.size());
    for (int k = 0; k <= rounds; ++k) {
        out.header.moments.add({k});
        for (Section& section : out.sections) {
            int const loads = rounds + (&section == &out.sections[Rank{0}] ? 1 : 0);
            section.moments.add(TaskId{loads + k * tasks_of_a_round});
        }
    }
    return out;
}

/// The same schedule with the second round repeated three times in place of the next three.
Schedule repeated_turns() {
    Schedule const whole = turns_of(6, {0, 1, 2, 3, 4, 5});
    Schedule out = turns_of(6, {0, 1, 5});
    // Inputs are numbered as they are first loaded: here those of six rounds.
    for (Section& section : out.sections)
        for (schedule::Task& task : section.tasks)
            if (task.is<schedule::Load>())
                for (InputId input : whole.header.inputs.ids())
                    if (whole.header.inputs[input].tensor == section.blocks[*task.result()].tensor)
                        task.set_entry(input.value());
    out.header = whole.header;
    schedule::Succession& next = out.header.next;
    for (TensorId t : whole.header.tensors.ids())
        next.of<TensorId>().push_back(t.value() + (t == TensorId{0} || t.value() > 20 ? 0 : 4));
    for (InputId i : whole.header.inputs.ids())
        next.of<InputId>().push_back(i.value() + (i == InputId{0} || i.value() > 10 ? 0 : 2));
    for (KernelId k : whole.header.kernels.ids()) next.of<KernelId>().push_back(std::min(k.value() + 1, 5));
    for (int rank : {0, 1}) {
        Section& section = out.sections[Rank{rank}];
        int const before = rank == 0 ? 1 : 0, loads = 3 + before;
        section.repeat = {.first_load = TaskId{1 + before},
                          .end_load = TaskId{2 + before},
                          .first_task = TaskId{loads + tasks_of_a_round},
                          .end_task = TaskId{loads + 2 * tasks_of_a_round},
                          .first_block = BlockId{before + blocks_of_a_round},
                          .end_block = BlockId{before + 2 * blocks_of_a_round},
                          .first_moving = BlockId{blocks_of_a_round},
                          .first_moment = MomentId{1},
                          .end_moment = MomentId{2},
                          .times = 3};
    }
    return out;
}

void check_written_out(Section const& a, Section const& b) {
    REQUIRE(a.tasks.size() == b.tasks.size());
    REQUIRE(a.blocks.size() == b.blocks.size());
    for (TaskId t : a.tasks.ids()) {
        CAPTURE(t.value());
        auto const &x = a.tasks[t].record(), &y = b.tasks[t].record();
        CHECK((x.kind == y.kind && x.entry == y.entry && x.result == y.result && x.after == y.after &&
               x.peer == y.peer && x.tag == y.tag));
        CHECK(std::ranges::equal(a.reads(t), b.reads(t)));
    }
    for (BlockId block : a.blocks.ids()) {
        CAPTURE(block.value());
        auto const &x = a.blocks[block], &y = b.blocks[block];
        CHECK((x.tensor == y.tensor && x.readers == y.readers && x.writers == y.writers));
        CHECK(a.box_of(x) == b.box_of(y));
    }
    CHECK(a.moments.list() == b.moments.list());
}

/// t = x x, then rounds y' = t y of which those are there; moments stand before each and behind all.
Schedule powers_of(std::vector<int> const& there) {
    test::ScheduleBuilder b(1);
    for (char const* name : {"X", "T", "Y0", "Y1", "Y2", "Y3"}) b.tensor(name, {4});
    KernelId const kernel = b.kernel("L", test::einsum("i,i->i", {{4}, {4}}));
    b.load(0, "x", "X", line_of_four);
    b.block(0, "t", "T", line_of_four);
    b.apply(0, kernel, line_of_four, {"x", "x"}, "t");
    std::string before = "x";
    for (int k : there) {
        std::string const y = "y" + std::to_string(k);
        b.block(0, y, "Y" + std::to_string(k), line_of_four);
        b.apply(0, kernel, line_of_four, {"t", before}, y);
        before = y;
    }
    b.store(0, before);
    Schedule out = b.finish();
    for (int k = 0; k <= static_cast<int>(there.size()); ++k) {
        out.header.moments.add({k + 1});
        out.sections[Rank{0}].moments.add(TaskId{k + 2});
    }
    return out;
}

std::string refused_file(std::filesystem::path const& file) {
    try {
        schedule::read_file(file);
        return "";
    } catch (InputError const& error) {
        return error.what();
    }
}

struct RepeatingFile {
    std::filesystem::path path = std::filesystem::temp_directory_path() / "einloom_repeated_test.sched";
    explicit RepeatingFile(Schedule const& schedule) { schedule::write_file(schedule, path); }
    ~RepeatingFile() { std::filesystem::remove(path); }
};

}  // namespace

TEST_CASE("tasks that are repeated are written out with the next blocks, names and messages", "[schedule][repeat]") {
    Schedule rolled = repeated_turns();
    test::give_room(rolled, Rank{1}, 64);
    CHECK(schedule::faults_of(rolled).empty());
    Schedule const whole = turns_of(6, {0, 1, 2, 3, 4, 5}), written_out = schedule::unrolled(rolled);
    CHECK(rolled.repeats());
    CHECK_FALSE(written_out.repeats());
    CHECK(schedule::faults_of(written_out).empty());
    CHECK(written_out.sections[Rank{1}].room == 64);
    for (Rank rank : whole.sections.ids()) check_written_out(written_out.sections[rank], whole.sections[rank]);
}

TEST_CASE("what is repeated counts as often as it is done", "[schedule][repeat]") {
    Schedule const rolled = repeated_turns(), whole = turns_of(6, {0, 1, 2, 3, 4, 5});
    for (Rank rank : whole.sections.ids()) {
        Section const &once = rolled.sections[rank], &all = whole.sections[rank];
        CHECK(once.tasks_in_all() == static_cast<std::int64_t>(all.tasks.size()));
        CHECK(once.moments_in_all() == static_cast<std::int64_t>(all.moments.size()));
        CHECK(schedule::replay(once).peak == schedule::replay(all).peak);
        CHECK(schedule::replay(once).at_end == 0);
        CHECK(schedule::bytes_of_all_blocks(once) == schedule::bytes_of_all_blocks(all));
        schedule::Runs const runs(once, {}), each(all, {});
        CHECK(schedule::exchanged(once, runs) == schedule::exchanged(all, each));
        CHECK(schedule::flops(rolled.header, once, runs) == schedule::flops(whole.header, all, each));
    }
}

TEST_CASE("what all rounds read and none behind them is freed by the last round", "[schedule][repeat]") {
    Schedule const whole = powers_of({0, 1, 2, 3});
    Schedule rolled = powers_of({0, 1});
    rolled.header = whole.header;
    rolled.header.next.of<TensorId>() = {0, 1, 3, 4, 5, 5};
    rolled.sections[Rank{0}].repeat = {.first_load = TaskId{1},
                                       .end_load = TaskId{1},
                                       .first_task = TaskId{3},
                                       .end_task = TaskId{4},
                                       .first_block = BlockId{3},
                                       .end_block = BlockId{4},
                                       .first_moving = BlockId{2},
                                       .first_moment = MomentId{1},
                                       .end_moment = MomentId{2},
                                       .times = 2};
    CHECK(schedule::faults_of(rolled).empty());
    check_written_out(schedule::unrolled(rolled).sections[Rank{0}], whole.sections[Rank{0}]);
    schedule::Profile const once = schedule::replay(rolled.sections[Rank{0}]),
                            all = schedule::replay(whole.sections[Rank{0}]);
    CHECK(once.peak == all.peak);
    CHECK((once.at_end == 0 && all.at_end == 0));
    CHECK(schedule::live_bytes(rolled).list() == schedule::live_bytes(whole).list());
    CHECK(schedule::live_bytes(whole).list() == std::vector<std::int64_t>{32, 64, 64, 64, 32});
}

TEST_CASE("a file that repeats tasks is read as all of them", "[schedule][repeat][file]") {
    RepeatingFile const file(repeated_turns());
    Schedule const read = schedule::read_file(file.path);
    CHECK_FALSE(read.repeats());
    Schedule const whole = turns_of(6, {0, 1, 2, 3, 4, 5});
    for (Rank rank : whole.sections.ids()) check_written_out(read.sections[rank], whole.sections[rank]);
}

TEST_CASE("each way for a repeat to be none is refused", "[schedule][repeat][file]") {
    Schedule rolled = repeated_turns();
    schedule::Repeat& repeat = *rolled.sections[Rank{1}].repeat;
    auto const most = std::numeric_limits<std::int32_t>::max();
    SECTION("ends before it begins") { repeat.end_task = TaskId{repeat.first_task.value() - 1}; }
    SECTION("ends behind the last task") { repeat.end_task = TaskId{most}; }
    SECTION("loads that do not come first") { repeat.end_load = following(repeat.first_task); }
    SECTION("loads before the first") { repeat.first_load = TaskId{-1}; }
    SECTION("blocks that are not there") { repeat.end_block = BlockId{most}; }
    SECTION("moving blocks that come after its own") { repeat.first_moving = following(repeat.first_block); }
    SECTION("moments that are not there") { repeat.end_moment = MomentId{most}; }
    SECTION("no moment") { repeat.end_moment = repeat.first_moment; }
    SECTION("never") { repeat.times = 0; }
    SECTION("more often than tasks can be counted") { repeat.times = std::int64_t{1} << 40; }
    RepeatingFile const file(rolled);
    CHECK(refused_file(file.path).find("rank 1: expected repeated tasks and blocks that exist, in order") !=
          std::string::npos);
}

TEST_CASE("what a repeat makes is verified as if it had been written out", "[schedule][repeat][file]") {
    Schedule rolled = repeated_turns();
    SECTION("more rounds than moments") {
        rolled.sections[Rank{0}].repeat->times = 4;
        CHECK(refused_file(RepeatingFile(rolled).path).find("expected the moments of the header") != std::string::npos);
    }
    SECTION("fewer blocks than are made") {
        schedule::Repeat& repeat = *rolled.sections[Rank{0}].repeat;
        repeat.end_block = BlockId{repeat.end_block.value() - 1};
        CHECK(refused_file(RepeatingFile(rolled).path).find("rank 0: ") != std::string::npos);
    }
    SECTION("a successor that is not there") {
        rolled.header.next.of<TensorId>()[1] = 1000;
        CHECK(refused_file(RepeatingFile(rolled).path).find("expected an entry of it for each") != std::string::npos);
    }
    SECTION("more than a section may take") {
        test::LimitsSet const set("schedule-section=600");
        CHECK(refused_file(RepeatingFile(rolled).path).find("one rank's section of a schedule file of at most 600 B") !=
              std::string::npos);
    }
}

TEST_CASE("what spills is written out before", "[schedule][repeat]") {
    Schedule const spilled = schedule::with_spills(repeated_turns(), schedule::smallest_budget(repeated_turns()));
    CHECK_FALSE(spilled.repeats());
    CHECK(schedule::faults_of(spilled).empty());
}
