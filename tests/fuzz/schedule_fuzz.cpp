// Any bytes as a section (or, after an 'H', as a header): decoding and verifying refuse or accept, but never follow a
// wild index. What verification accepts can be replayed, spilled and printed.
#include <cstdint>

#include "lib/base/error.hpp"
#include "lib/schedule/file/codec.hpp"
#include "lib/schedule/memory/replay.hpp"
#include "lib/schedule/memory/spill.hpp"
#include "lib/schedule/print/print.hpp"
#include "lib/schedule/verify/verify.hpp"
#include "tests/support/small_schedule.hpp"

namespace {

/// FlatBuffers wants its bytes aligned, as the file has them.
std::vector<std::uint8_t> aligned_copy(std::span<std::uint8_t const> bytes) { return {bytes.begin(), bytes.end()}; }

void read_section(std::span<std::uint8_t const> bytes) {
    using namespace ein;
    static schedule::Header const header = test::small_schedule().header;
    schedule::Section const section = schedule::decode_section(aligned_copy(bytes), "fuzz");
    if (!schedule::faults_of(header, section, Rank{0}).empty()) return;
    schedule::disk_use(section);
    if (schedule::Profile const profile = schedule::replay(section); profile.at_end == 0) {
        auto const spilled = schedule::with_spills(section, schedule::smallest_budget(section));
        promise(schedule::faults_of(header, spilled, Rank{0}).empty(), "spilling makes a sound section unsound");
    }
    for (TaskId task : section.tasks.ids()) schedule::task_text(header, section, task);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    try {
        if (size > 0 && data[0] == 'H')
            ein::schedule::faults_of(ein::schedule::decode_header(aligned_copy({data + 1, size - 1}), "fuzz"));
        else if (size > 0)
            read_section({data + 1, size - 1});
    } catch (ein::InputError const&) {
    }
    return 0;
}
