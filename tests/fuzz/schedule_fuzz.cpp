// Any bytes as a section (or, after an 'H', as a header): decoding and verifying refuse or accept, but never follow a
// wild index. What verification accepts can be replayed, spilled and printed.
#include <cstdint>

#include "lib/base/error.hpp"
#include "lib/schedule/file/codec.hpp"
#include "lib/schedule/memory/replay.hpp"
#include "lib/schedule/memory/spill.hpp"
#include "lib/schedule/print/print.hpp"
#include "lib/schedule/repeat/unrolled.hpp"
#include "lib/schedule/verify/verify.hpp"
#include "tests/fuzz/mutate.hpp"
#include "tests/support/small_schedule.hpp"

namespace {

/// FlatBuffers wants its bytes aligned, as the file has them.
std::vector<std::uint8_t> aligned_copy(std::span<std::uint8_t const> bytes) { return {bytes.begin(), bytes.end()}; }

constexpr std::int64_t most_unrolled = 10'000;  // tasks: a file has a limit

void read_section(std::span<std::uint8_t const> bytes) {
    using namespace ein;
    static schedule::Header const header = test::small_schedule().header;
    schedule::Section section = schedule::decode_section(aligned_copy(bytes), "fuzz");
    if (!schedule::faults_of(header, section, Rank{0}).empty()) return;
    if (section.repeat) {
        if (section.tasks_in_all() > most_unrolled || section.repeat->times > most_unrolled) return;
        schedule::replay(section);
        section = schedule::unrolled(header, std::move(section));
        if (!schedule::faults_of(header, section, Rank{0}).empty()) return;
    }
    schedule::disk_use(section);
    if (schedule::Profile const profile = schedule::replay(section); profile.at_end == 0) {
        auto const spilled = schedule::with_spills(section, schedule::smallest_budget(section));
        promise(schedule::faults_of(header, spilled, Rank{0}).empty(), "spilling makes a sound section unsound");
    }
    for (TaskId task : section.tasks.ids()) schedule::task_text(header, section, task);
}

using ein::fuzz::edge_number;
using ein::fuzz::Random;

template <class Number>
void change(Number& number, Random& random) {
    number = static_cast<Number>(edge_number(random, static_cast<std::int64_t>(number)));
}

template <class IdType>
void change_id(IdType& id, Random& random) {
    id = IdType{static_cast<decltype(id.value())>(edge_number(random, id.value()))};
}

template <class IdType>
void change_id(ein::OptionalId<IdType>& id, Random& random) {
    IdType inner = id.has_value() ? *id : IdType{0};
    change_id(inner, random);
    id = random.one_in(4) ? ein::OptionalId<IdType>() : ein::OptionalId<IdType>(inner);
}

template <class List>
auto& some_of(List& list, Random& random) {
    return *(list.begin() + static_cast<std::ptrdiff_t>(random.below(list.size())));
}

void change(ein::schedule::Block& block, Random& random) {
    switch (random.below(6)) {
        case 0: return change_id(block.tensor, random);
        case 1: return change(block.readers, random);
        case 2: return change(block.writers, random);
        case 3: return change(block.order, random);
        case 4: return change(block.coords, random);
        default: block.dtype = static_cast<ein::DType>(random.below(ein::dtype_count));
    }
}

void change(ein::schedule::Task& task, Random& random) {
    ein::schedule::Task::Record record = task.record();
    switch (random.below(11)) {
        case 0: record.kind = static_cast<ein::schedule::TaskKind>(random.below(ein::schedule::task_kinds)); break;
        case 1: record.accumulates = !record.accumulates; break;
        case 2: change(record.entry, random); break;
        case 3: change(record.first_operand, random); break;
        case 4: change(record.operands, random); break;
        case 5: change_id(record.result, random); break;
        case 6: change_id(record.after, random); break;
        case 7: change(record.order, random); break;
        case 8: change(record.coords, random); break;
        case 9: change(record.over, random); break;
        default: change(random.one_in(2) ? record.peer : record.tag, random);
    }
    task = ein::schedule::Task(record);
}

void change(ein::schedule::Repeat& repeat, Random& random) {
    switch (random.below(8)) {
        case 0: return change_id(repeat.first_load, random);
        case 1: return change_id(repeat.end_load, random);
        case 2: return change_id(repeat.first_task, random);
        case 3: return change_id(repeat.end_task, random);
        case 4: return change_id(repeat.first_moving, random);
        case 5: return change_id(random.one_in(2) ? repeat.first_block : repeat.end_block, random);
        case 6: return change_id(random.one_in(2) ? repeat.first_moment : repeat.end_moment, random);
        default: change(repeat.times, random);
    }
}

void change(ein::schedule::Section& section, Random& random) {
    switch (random.below(8)) {
        case 0:
            if (!section.blocks.empty()) change(some_of(section.blocks, random), random);
            break;
        case 1:
            if (!section.tasks.empty()) change(some_of(section.tasks, random), random);
            break;
        case 2:
            if (!section.operands.empty()) change_id(some_of(section.operands, random), random);
            break;
        case 3:
            if (!section.coords.empty()) change(some_of(section.coords, random), random);
            break;
        case 4:
            if (section.tasks.size() > 1) std::swap(some_of(section.tasks, random), some_of(section.tasks, random));
            break;
        case 5:
            if (!section.repeat) section.repeat.emplace();
            change(*section.repeat, random);
            break;
        case 6: return change(section.room, random);
        default:
            if (section.loops.empty()) break;
            auto& loop = some_of(section.loops, random);
            change_id(random.one_in(2) ? loop.first : loop.last, random);
            if (!loop.carries.empty()) change_id(some_of(loop.carries, random).next, random);
    }
}

void change(ein::schedule::Header& header, Random& random) {
    switch (random.below(5)) {
        case 0: return change(header.ranks, random);
        case 1:
            if (header.tensors.empty()) return;
            if (auto& shape = some_of(header.tensors, random).shape; !shape.empty())
                change(some_of(shape, random), random);
            return;
        case 2:
            if (!header.inputs.empty()) change_id(some_of(header.inputs, random).tensor, random);
            return;
        case 3:
            if (!header.outputs.empty()) change_id(some_of(header.outputs, random).tensor, random);
            return;
        default:
            if (!header.prediction.peak_bytes.empty()) change(some_of(header.prediction.peak_bytes, random), random);
    }
}

}  // namespace

/// Decodes, changes a field and encodes: what only the encoding guards is passed, and verification has to see it.
void ein::fuzz::mutate_structure(Bytes& input, Bytes const& other, Random& random) {
    if (input.empty()) return mutate_bytes(input, other, random);
    std::span<std::uint8_t const> const bytes{input.data() + 1, input.size() - 1};
    try {
        schedule::Bytes changed;
        if (input[0] == 'H') {
            schedule::Header header = schedule::decode_header(aligned_copy(bytes), "fuzz");
            change(header, random);
            changed = schedule::encode(header);
        } else {
            schedule::Section section = schedule::decode_section(aligned_copy(bytes), "fuzz");
            change(section, random);
            changed = schedule::encode(section);
        }
        changed.insert(changed.begin(), input[0]);
        input = std::move(changed);
    } catch (InputError const&) {
        mutate_bytes(input, other, random);
    }
}

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
