#include "lib/schedule/verify/verify.hpp"

#include <functional>

#include "tests/support/catch.hpp"
#include "tests/support/small_schedule.hpp"

using namespace ein;
using schedule::Schedule;

namespace {
void send_part(Schedule& s, Box const& part) {
    schedule::Task& send = s.sections[0].tasks[2];
    send.order = static_cast<std::int32_t>(part.order());
    send.coords = test::pool(s.sections[0], part);
}
}  // namespace

TEST_CASE("a sound schedule has no faults", "[schedule][verify]") {
    CHECK(schedule::faults_of(test::small_schedule()).empty());
}

TEST_CASE("a message may be a part of its block that lies in one run", "[schedule][verify]") {
    Schedule schedule = test::small_schedule();
    send_part(schedule, {{2, 0}, {2, 3}});  // all of it
    CHECK(schedule::faults_of(schedule).empty());
    CHECK(schedule.sections[0].message_of(schedule.sections[0].tasks[2]).bytes == 48);
    send_part(schedule, {{3, 1}, {1, 2}});
    schedule::ByteRange const part = schedule.sections[0].message_of(schedule.sections[0].tasks[2]);
    CHECK(part.offset == 4 * 8);
    CHECK(part.bytes == 2 * 8);
    CHECK(schedule::faults_of(schedule.header, schedule.sections[0], Rank{0}).empty());
}

TEST_CASE("every broken promise is found", "[schedule][verify]") {
    struct Break {
        char const* what;
        std::function<void(Schedule&)> how;
    };
    auto const broken = GENERATE(values<Break>({
        {"a tensor that is not there", [](Schedule& s) { s.sections[0].blocks[0].tensor = 9; }},
        {"a negative tensor", [](Schedule& s) { s.sections[0].blocks[0].tensor = -1; }},
        {"coordinates outside the pool", [](Schedule& s) { s.sections[0].blocks[0].coords = 1 << 20; }},
        {"a huge order", [](Schedule& s) { s.sections[0].blocks[0].order = 1 << 30; }},
        {"a box outside its tensor", [](Schedule& s) { s.sections[0].coords[2] = 5; }},
        {"a negative length", [](Schedule& s) { s.sections[0].coords[2] = -1; }},
        {"a wrong reader count", [](Schedule& s) { s.sections[0].blocks[0].readers = 1; }},
        {"a wrong writer count", [](Schedule& s) { s.sections[0].blocks[2].writers = 2; }},
        {"an input that is not there", [](Schedule& s) { s.sections[0].inputs[0] = 77; }},
        {"inputs outside the pool", [](Schedule& s) { s.sections[0].tasks[1].first_input = 1000; }},
        {"an output that is not there", [](Schedule& s) { s.sections[0].tasks[0].output = 3; }},
        {"a kernel that is not there", [](Schedule& s) { s.sections[0].tasks[3].spec = 1; }},
        {"a region beyond the block",
         [](Schedule& s) { s.sections[1].coords[static_cast<std::size_t>(s.sections[1].tasks[1].coords)] = 1; }},
        {"a read before the write", [](Schedule& s) { std::swap(s.sections[0].tasks[1], s.sections[0].tasks[2]); }},
        {"a load after a task", [](Schedule& s) { std::swap(s.sections[1].tasks[0], s.sections[1].tasks[1]); }},
        {"a store before a task", [](Schedule& s) { std::swap(s.sections[0].tasks[3], s.sections[0].tasks[4]); }},
        {"a message to oneself", [](Schedule& s) { s.sections[0].tasks[2].peer = 0; }},
        {"a message to nobody", [](Schedule& s) { s.sections[0].tasks[2].peer = 2; }},
        {"a message without its receiver", [](Schedule& s) { s.sections[0].tasks[2].tag = 1; }},
        {"a message of fewer bytes than its receiver wants", [](Schedule& s) { send_part(s, {{2, 0}, {1, 3}}); }},
        {"a message of what lies apart", [](Schedule& s) { send_part(s, {{2, 0}, {2, 2}}); }},
        {"a message from outside its block", [](Schedule& s) { send_part(s, {{1, 0}, {2, 3}}); }},
        {"a message of more elements than can be counted",
         [](Schedule& s) { send_part(s, {{2, 0}, {INT64_MAX, INT64_MAX}}); }},
        {"a message of negative length", [](Schedule& s) { send_part(s, {{2, 0}, {-2, -3}}); }},
        {"a message of other axes than its block's", [](Schedule& s) { send_part(s, {{2}, {2}}); }},
        {"accumulation onto nothing", [](Schedule& s) { s.sections[0].tasks[3].accumulate = true; }},
        {"a task after a later one", [](Schedule& s) { s.sections[0].tasks[1].after = 3; }},
        {"a copy of more elements than can be counted",
         [](Schedule& s) {
             auto const lengths = s.sections[0].coords.begin() + s.sections[0].tasks[1].coords + 2;
             lengths[0] = lengths[1] = Extent{1} << 32;
         }},
        {"a step of zero", [](Schedule& s) { s.header.movements[0].axes[0].step = 0; }},
        {"a copy from outside", [](Schedule& s) { s.header.movements[0].axes[0].start = 1; }},
        {"a copy that overflows", [](Schedule& s) { s.header.movements[0].axes[0].step = INT64_MAX / 2; }},
        {"a kernel label that is not there", [](Schedule& s) { s.header.kernels[0].einsum.inputs[0][0] = 5; }},
        {"a repeated output label", [](Schedule& s) { s.header.kernels[0].einsum.output = {0, 0}; }},
        {"a wrong dtype of a stored block", [](Schedule& s) { s.sections[0].blocks[2].dtype = DType::f32; }},
        {"a stored block of another shape", [](Schedule& s) { s.header.outputs[0].tensor = 0; }},
        {"a wrong predicted peak", [](Schedule& s) { s.header.prediction.peak_bytes[0] += 1; }},
        {"wrong predicted bytes", [](Schedule& s) { s.header.prediction.bytes_sent[0] += 1; }},
        {"too few predictions", [](Schedule& s) { s.header.prediction.peak_bytes.pop_back(); }},
        {"a shape too large", [](Schedule& s) { s.header.tensors[0].shape = {Extent{1} << 40, Extent{1} << 40}; }},
    }));
    CAPTURE(broken.what);
    Schedule schedule = test::small_schedule();
    broken.how(schedule);
    CHECK_FALSE(schedule::faults_of(schedule).empty());
}

TEST_CASE("every broken promise about spills is found", "[schedule][verify]") {
    struct Break {
        char const* what;
        std::function<void(schedule::Section&, std::size_t spill, std::size_t fetch)> how;
    };
    auto const broken = GENERATE(values<Break>({
        {"a fetch after nothing",
         [](schedule::Section& s, std::size_t, std::size_t fetch) { s.tasks[fetch].after = -1; }},
        {"a fetch after another task",
         [](schedule::Section& s, std::size_t, std::size_t fetch) { s.tasks[fetch].after = 0; }},
        {"a fetch of another dtype",
         [](schedule::Section& s, std::size_t, std::size_t fetch) {
             s.blocks[static_cast<std::size_t>(s.tasks[fetch].output)].dtype = DType::f32;
         }},
        {"a fetch of another box",
         [](schedule::Section& s, std::size_t, std::size_t fetch) {
             s.blocks[static_cast<std::size_t>(s.tasks[fetch].output)].coords = s.blocks[1].coords;
         }},
        {"a fetch after the spill of a block that is not there",
         [](schedule::Section& s, std::size_t spill, std::size_t) { s.tasks[spill].first_input = 1 << 20; }},
        {"a fetch after the spill of no block",
         [](schedule::Section& s, std::size_t spill, std::size_t) { s.tasks[spill].inputs = 0; }},
        {"a spill that nobody fetches",
         [](schedule::Section& s, std::size_t spill, std::size_t fetch) {
             s.tasks.insert(s.tasks.begin() + static_cast<std::ptrdiff_t>(spill), s.tasks[spill]);
             ++s.blocks[static_cast<std::size_t>(s.inputs_of(s.tasks[spill])[0])].readers;
             s.tasks[fetch + 1].after = static_cast<std::int32_t>(spill);
         }},
        {"a fetch as second writer",
         [](schedule::Section& s, std::size_t, std::size_t fetch) {
             s.tasks.insert(s.tasks.begin() + static_cast<std::ptrdiff_t>(fetch), s.tasks[fetch]);
             ++s.blocks[static_cast<std::size_t>(s.tasks[fetch].output)].writers;
         }},
    }));
    CAPTURE(broken.what);
    Schedule schedule = test::small_schedule();
    schedule::Section& section = schedule.sections[0];
    // X is spilled once it is loaded, and fetched at once for the copy that reads it.
    test::block(section, 0, {{0, 0}, {4, 3}}, 1, 1);
    schedule::Task spill, fetch;
    spill.kind = schedule::TaskKind::spill;
    spill.first_input = static_cast<std::int32_t>(section.inputs.size());
    spill.inputs = 1;
    section.inputs.push_back(0);
    fetch.kind = schedule::TaskKind::fetch;
    fetch.after = 1;
    fetch.output = static_cast<std::int32_t>(section.blocks.size()) - 1;
    section.tasks.insert(section.tasks.begin() + 1, {spill, fetch});
    section.inputs[static_cast<std::size_t>(section.tasks[3].first_input)] = fetch.output;
    REQUIRE(schedule::faults_of(schedule.header, section, Rank{0}).empty());
    broken.how(section, 1, 2);
    CHECK_FALSE(schedule::faults_of(schedule.header, section, Rank{0}).empty());
}

TEST_CASE("orders that wait for each other are found", "[schedule][verify]") {
    Schedule schedule = test::small_schedule();
    // rank 1 now also sends something that rank 0 wants before its own send
    schedule::Section &first = schedule.sections[0], &second = schedule.sections[1];
    test::block(second, 0, {{2, 0}, {2, 3}}, 1, 1);
    test::block(first, 0, {{2, 0}, {2, 3}}, 0, 1);
    auto& send = test::task(second, schedule::TaskKind::send, -1, {0}, -1);
    send.peer = 0, send.tag = 0;
    auto& receive = test::task(first, schedule::TaskKind::receive, -1, {}, 3);
    receive.peer = 1, receive.tag = 0;
    second.blocks.pop_back();
    second.blocks[0].readers = 2;
    std::rotate(second.tasks.begin() + 1, second.tasks.end() - 1, second.tasks.end());
    std::rotate(first.tasks.begin() + 1, first.tasks.end() - 1, first.tasks.end());
    auto const faults = schedule::faults_of(schedule);
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].find("an order that ends on all ranks") != std::string::npos);
}
