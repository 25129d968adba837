// Sections as columns: whatever their fields hold is read back, and bytes that are damaged, or made to harm, are
// refused with what is wrong.
#include <limits>

#include "lib/base/error.hpp"
#include "lib/schedule/file/codec.hpp"
#include "lib/schedule/file/columns.hpp"
#include "lib/schedule/file/section_fields.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/limits_set.hpp"
#include "tests/support/small_schedule.hpp"

using namespace ein;
using schedule::Section;

namespace {

constexpr auto column_count = static_cast<std::size_t>(schedule::Column::count);

bool same(schedule::Task const& a, schedule::Task const& b) {
    auto const &x = a.record(), &y = b.record();
    return x.kind == y.kind && x.accumulates == y.accumulates && x.entry == y.entry &&
           x.first_operand == y.first_operand && x.operands == y.operands && x.result == y.result &&
           x.after == y.after && x.order == y.order && x.coords == y.coords && x.peer == y.peer && x.tag == y.tag;
}
bool same(schedule::Block const& a, schedule::Block const& b) {
    return a.tensor == b.tensor && a.dtype == b.dtype && a.format == b.format && a.readers == b.readers &&
           a.writers == b.writers && a.order == b.order && a.coords == b.coords;
}
bool same(schedule::Loop const& a, schedule::Loop const& b) {
    return a.spec == b.spec && a.first == b.first && a.last == b.last && a.condition == b.condition &&
           a.carries == b.carries;
}
template <class List>
bool all_same(List const& a, List const& b) {
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(), [](auto const& x, auto const& y) { return same(x, y); });
}

void check_same(Section const& a, Section const& b) {
    CHECK(all_same(a.blocks, b.blocks));
    CHECK(all_same(a.tasks, b.tasks));
    CHECK(all_same(a.loops, b.loops));
    CHECK(a.operands == b.operands);
    CHECK(a.coords == b.coords);
    CHECK(a.moments.list() == b.moments.list());
    CHECK(a.repeat == b.repeat);
    CHECK(a.room == b.room);
}

Section read_back(Section const& section) { return schedule::decode_section(schedule::encode(section), "a.sched"); }

std::string refusal(schedule::Bytes const& bytes) {
    try {
        schedule::decode_section(bytes, "a.sched");
        return "";
    } catch (InputError const& error) {
        return error.what();
    }
}

/// Columns of a section that holds nothing, but for what is added.
template <class Add>
schedule::Bytes made(Add add) {
    schedule::ColumnsWriter columns(column_count);
    add(columns);
    return columns.finish();
}

constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min(),
                       most = std::numeric_limits<std::int32_t>::max();

}  // namespace

TEST_CASE("sections read back as they were", "[schedule][file]") {
    for (Section const& section : test::small_schedule().sections) check_same(section, read_back(section));
    check_same({}, read_back({}));
}

TEST_CASE("fields read back whatever they hold", "[schedule][file]") {
    Section section = test::small_schedule().sections[Rank{0}];
    auto const number = GENERATE(least, -2, -1, 0, 1, 127, 128, most);
    CAPTURE(number);
    auto const add = [&](schedule::Task::Record record) { section.tasks.add(schedule::Task(record)); };
    for (int twice = 0; twice < 2; ++twice) {
        add({.entry = number});
        add({.first_operand = number});
        add({.operands = number});
        add({.result = BlockId{number}});
        add({.after = TaskId{number}});
        add({.order = number, .coords = most});
        add({.order = 1, .coords = least});
        add({.peer = number, .tag = number});
        add({.accumulates = true, .peer = number});
    }
    section.blocks.add({.tensor = schedule::TensorId{number}, .readers = number, .writers = number, .order = number});
    section.operands.push_back(BlockId{number});
    section.coords.push_back(number);
    section.moments.add(TaskId{number});
    section.loops.add({schedule::LoopSpecId{number}, TaskId{number}, TaskId{number}, {}, {{BlockId{number}, {}}}});
    check_same(section, read_back(section));
}

TEST_CASE("a million tasks that are alike take few bytes, and are read back", "[schedule][file]") {
    Section section = test::small_schedule().sections[Rank{0}];
    schedule::Task const send = section.tasks.list()[2];
    for (std::int32_t tag = 1; tag < 1000000; ++tag) {
        schedule::Task::Record record = send.record();
        record.tag = tag;
        section.tasks.list().push_back(schedule::Task(record));
    }
    CHECK(schedule::encode(section).size() < 100000);
    check_same(section, read_back(section));
}

TEST_CASE("a section cut anywhere is refused, and one with a byte changed is refused or read", "[schedule][file]") {
    schedule::Bytes const bytes = schedule::encode(test::small_schedule().sections[Rank{1}]);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        CAPTURE(size);
        CHECK(refusal({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}) != "");
    }
    for (std::size_t at = 0; at < bytes.size(); ++at)
        for (int bit = 0; bit < 8; ++bit) {
            schedule::Bytes changed = bytes;
            changed[at] = static_cast<std::uint8_t>(changed[at] ^ (1 << bit));
            CHECK_NOTHROW(refusal(changed));
        }
    schedule::Bytes longer = bytes;
    longer.push_back(0);
    CHECK(refusal(longer) ==
          "a.sched: expected a sound schedule, found columns that are not deflated; write it again "
          "with einplan");
}

TEST_CASE("columns that claim what is not there are refused before memory is taken for it", "[schedule][file]") {
    schedule::Bytes const long_columns{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f};
    schedule::Bytes bytes;
    for (std::size_t column = 0; column < column_count; ++column)
        bytes.insert(bytes.end(), long_columns.begin(), long_columns.end());
    CHECK(refusal(bytes).find("columns that cannot be as long as they say") != std::string::npos);
    auto const many_blocks = made([](auto& columns) { columns.add(0, std::int64_t{1} << 60, 0); });
    CHECK(refusal(many_blocks).find("a list of 1152921504606846976 elements, which are not there") !=
          std::string::npos);
    auto const without_sizes = made([](auto&) {});
    CHECK(refusal(without_sizes).find("a column cut short") != std::string::npos);
    auto const more = made([](auto& columns) {
        for (int k = 0; k < 6; ++k) columns.add(0, 0, 0);
        columns.add(1, 7, 0);
        columns.add(column_count - 2, 0, 0);  // nothing is repeated
        columns.add(column_count - 1, 0, 0);  // no room
    });
    CHECK(refusal(more).find("columns of different lengths") != std::string::npos);
}

TEST_CASE("a section beyond its limit is refused", "[schedule][file]") {
    Section section;
    section.coords.assign(1000, 0);
    schedule::Bytes const bytes = schedule::encode(section);
    CHECK(refusal(bytes) == "");
    test::LimitsSet const set("schedule-section=1000");
    CHECK(refusal(bytes).find("a.sched: expected one rank's section of a schedule file of at most 1000 B") == 0);
    CHECK(refusal(bytes).find("allow more with EINLOOM_LIMITS=schedule-section=") != std::string::npos);
}
