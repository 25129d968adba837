#include "scheduler/emit/task_emitter.hpp"

#include "lib/schedule/model/schedule.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::scheduler;
using schedule::InputId;
using schedule::KernelId;
using schedule::OutputId;
using schedule::Receive;
using schedule::Send;

namespace {

struct TwoRanks {
    std::vector<SectionBuilder> sections{2};
    TaskEmitter emit{sections};
    Box const box{{0}, {4}};

    BlockId block(int rank) { return emit.add_block(Rank{rank}, ValueId{0}, DType::f64, box); }
    schedule::Section take(int rank) { return std::move(sections[static_cast<std::size_t>(rank)]).finish(); }
};

}  // namespace

TEST_CASE_METHOD(TwoRanks, "a message is a send and a receive of one number", "[scheduler][emit]") {
    BlockId const a = block(0), b = block(1), c = block(1);
    emit.load(Rank{0}, InputId{0}, a);
    emit.message({Rank{0}, a, {}}, {Rank{1}, b, {}}, 0);
    Box const part{{1}, {2}};
    emit.message({Rank{0}, a, view(part)}, {Rank{1}, c, {}}, 0);
    schedule::Section const sends = take(0), receives = take(1);
    REQUIRE(sends.tasks.size() == 3);
    REQUIRE(receives.tasks.size() == 2);
    for (int k = 0; k < 2; ++k) {
        schedule::Task const &out = sends.tasks[TaskId{k + 1}], &in = receives.tasks[TaskId{k}];
        REQUIRE(out.is<Send>());
        REQUIRE(in.is<Receive>());
        CHECK(sends.as<Send>(out).tag == schedule::MessageTag{k});
        CHECK(receives.as<Receive>(in).tag == schedule::MessageTag{k});
        CHECK(sends.as<Send>(out).to == Rank{1});
        CHECK(receives.as<Receive>(in).from == Rank{0});
    }
    CHECK(sends.bytes_of(sends.message(sends.tasks[TaskId{2}])) == 16);
}

TEST_CASE_METHOD(TwoRanks, "readers and writers of blocks are counted", "[scheduler][emit]") {
    BlockId const a = block(0), z = block(0);
    emit.load(Rank{0}, InputId{0}, a);
    TaskNumber const first =
        emit.apply(Rank{0}, {.kernel = KernelId{0}, .operands = {a, a}, .output = z, .region = box});
    emit.apply(
        Rank{0},
        {.kernel = KernelId{0}, .operands = {a, a}, .output = z, .region = box, .accumulate = true, .after = first});
    emit.store(Rank{0}, OutputId{0}, z);
    schedule::Section const section = take(0);
    CHECK(section.blocks[a].readers == 4);
    CHECK(section.blocks[z].writers == 2);
    CHECK(section.blocks[z].readers == 1);
    CHECK(section.tasks.begin()->is<schedule::Load>());
    CHECK(section.tasks.back().is<schedule::Store>());
    CHECK(section.tasks[TaskId{2}].after() == TaskId{1});  // of the whole section
}

TEST_CASE_METHOD(TwoRanks, "a packed block has as many bytes as elements", "[scheduler][emit]") {
    BlockId const packed = emit.add_packed_block(Rank{1}, ValueId{0}, DType::f32, 6);
    CHECK(emit.bytes_of(Rank{1}, packed) == 24);
    CHECK(emit.bytes_of(Rank{0}, block(0)) == 32);
}
