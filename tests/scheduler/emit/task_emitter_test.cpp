#include "scheduler/emit/task_emitter.hpp"

#include "lib/schedule/model/schedule.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::scheduler;
using schedule::TaskKind;

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
    emit.load(Rank{0}, 0, a);
    emit.message({Rank{0}, a, {}}, {Rank{1}, b, {}}, 0);
    emit.message({Rank{0}, a, {{1}, {2}}}, {Rank{1}, c, {}}, 0);
    schedule::Section const sends = take(0), receives = take(1);
    REQUIRE(sends.tasks.size() == 3);
    REQUIRE(receives.tasks.size() == 2);
    for (std::size_t k = 0; k < 2; ++k) {
        CHECK(sends.tasks[k + 1].kind == TaskKind::send);
        CHECK(receives.tasks[k].kind == TaskKind::receive);
        CHECK(sends.tasks[k + 1].tag == static_cast<int>(k));
        CHECK(receives.tasks[k].tag == static_cast<int>(k));
        CHECK(sends.tasks[k + 1].peer == 1);
        CHECK(receives.tasks[k].peer == 0);
    }
    CHECK(sends.message_of(sends.tasks[2]).bytes == 16);
}

TEST_CASE_METHOD(TwoRanks, "readers and writers of blocks are counted", "[scheduler][emit]") {
    BlockId const a = block(0), z = block(0);
    emit.load(Rank{0}, 0, a);
    TaskNumber const first = emit.apply(Rank{0}, {.kernel = 0, .operands = {a, a}, .output = z, .region = box});
    emit.apply(Rank{0}, {.operands = {a, a}, .output = z, .region = box, .accumulate = true, .after = first});
    emit.store(Rank{0}, 0, z);
    schedule::Section const section = take(0);
    CHECK(section.blocks[0].readers == 4);
    CHECK(section.blocks[1].writers == 2);
    CHECK(section.blocks[1].readers == 1);
    CHECK(section.tasks.front().kind == TaskKind::load);
    CHECK(section.tasks.back().kind == TaskKind::store);
    CHECK(section.tasks[2].after == 1);  // of the whole section
}

TEST_CASE_METHOD(TwoRanks, "a packed block has as many bytes as elements", "[scheduler][emit]") {
    BlockId const packed = emit.add_packed_block(Rank{1}, ValueId{0}, DType::f32, 6);
    CHECK(emit.bytes_of(Rank{1}, packed) == 24);
    CHECK(emit.bytes_of(Rank{0}, block(0)) == 32);
}
