#include "lib/schedule/file/file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>

#include "lib/base/error.hpp"
#include "lib/base/files/file_kind.hpp"
#include "lib/base/files/missing_path.hpp"
#include "lib/base/files/output_place.hpp"
#include "lib/base/files/replaced_file.hpp"
#include "lib/base/hash.hpp"
#include "lib/base/limits.hpp"
#include "lib/base/text/counted.hpp"
#include "lib/base/text/near_names.hpp"
#include "lib/base/threads/parallel.hpp"
#include "lib/schedule/file/codec.hpp"
#include "lib/schedule/repeat/unrolled.hpp"
#include "lib/schedule/verify/verify.hpp"

namespace ein::schedule {
namespace {

// The file: Preamble, then `parts` Part records (the header's, then a section's for each rank), then the parts, each at
// a multiple of 16.
struct Preamble {
    std::array<char, 8> magic;
    std::uint32_t version;
    std::uint32_t parts;
    std::uint64_t table_hash;  // of the Part records
};
struct Part {
    std::uint64_t offset, size, hash;
};
constexpr std::array<char, 8> magic{'E', 'I', 'N', 'S', 'C', 'H', 'E', 'D'};
// 2: tasks spill and fetch; 3: messages may be parts of blocks; 4: loops; 5: fingerprints of input files; 6: moments;
// 9: fused tasks; 11: sections are deflated columns; 12: carried reductions;
// 13: results take memory over; 14: loads know what lists nothing around them; 15: kernels know what they look up;
// 16: tasks that are repeated stand there once; 17: room beside the peak
constexpr std::uint32_t version = 17;

constexpr std::size_t at_a_time = 256;  // sections that are encoded together: what is written may wait for all of them

[[noreturn]] void refuse(std::filesystem::path const& path, std::string expected, std::string found,
                         std::string fix = "write it again with einplan") {
    throw InputError(Fault{path.string(), "", std::move(expected), std::move(found), std::move(fix)});
}

/// Of what is not, by what it is.
[[noreturn]] void refuse_no_schedule(std::filesystem::path const& path) {
    refuse_other_kind(path, FileUse::schedule, "a schedule file");
    auto const kind = kind_of_file(path);
    refuse(path, "a schedule file", kind ? found_text(*kind) : "something else", "give the file that einplan wrote");
}

/// Of what is not there: a schedule of a near name, or the graph that it would be planned from.
[[noreturn]] void refuse_unopened(std::filesystem::path const& path, int error) {
    Fault fault = unreadable(path, error, "a schedule file");
    std::filesystem::path graph = path;
    graph.replace_extension(".json");
    std::error_code unknown;
    std::string const near = error == ENOENT ? near_path(path, PathIs::file, ".sched") : "";
    if (error == ENOENT && !near.ends_with(".sched") && std::filesystem::is_regular_file(graph, unknown))
        fault.fix = "write it: einplan " + graph.string() + " -n RANKS -o " + path.string();
    else if (!near.empty())
        fault.fix = did_you_mean(near);
    else if (error == ENOENT)
        fault.fix = or_else(fault.fix, "write one with einplan");
    throw InputError(std::move(fault));
}

std::uint64_t aligned(std::uint64_t offset) { return (offset + 15) / 16 * 16; }

std::span<std::uint8_t const> bytes_of(std::vector<Part> const& table) {
    return {reinterpret_cast<std::uint8_t const*>(table.data()), table.size() * sizeof(Part)};
}

/// Writes the parts one after the other, and at last the table in front of them. A stream, which may have no positions,
/// gets all of it at the end.
class Writer {
public:
    Writer(ReplacedFile& file, std::size_t parts, bool is_stream)
        : file_(file), is_stream_(is_stream), end_(sizeof(Preamble) + parts * sizeof(Part)) {}
    void add(Bytes const& part) {
        end_ = aligned(end_);
        table_.push_back({end_, part.size(), hash_bytes(part)});
        write_at(end_, std::as_bytes(std::span(part)));
        end_ += part.size();
    }
    void finish() {
        Preamble const preamble{magic, version, static_cast<std::uint32_t>(table_.size()),
                                hash_bytes(bytes_of(table_))};
        write_at(0, std::as_bytes(std::span(&preamble, 1)));
        write_at(sizeof preamble, std::as_bytes(std::span(table_)));
        if (is_stream_) file_.append(whole_);
    }

private:
    void write_at(std::uint64_t offset, std::span<std::byte const> bytes) {
        if (!is_stream_) return file_.write_at(offset, bytes);
        whole_.resize(std::max<std::size_t>(whole_.size(), offset + bytes.size()));
        std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte*>(whole_.data()) + offset);
    }

    ReplacedFile& file_;
    bool is_stream_;
    std::string whole_;  // of a stream
    std::uint64_t end_;
    std::vector<Part> table_;
};

}  // namespace

void write_file(Schedule const& schedule, std::filesystem::path const& path) {
    require_folder_of(path);
    ReplacedFile file("-o", path);
    file.create();
    Writer writer(file, schedule.sections.size() + 1, is_stream(path));
    writer.add(encode(schedule.header));
    std::vector<Section> const& sections = schedule.sections.list();
    for (std::size_t first = 0; first < sections.size(); first += at_a_time)
        for (Bytes const& part : for_each_in_parallel(std::min(at_a_time, sections.size() - first),
                                                      [&](std::size_t k) { return encode(sections[first + k]); }))
            writer.add(part);
    writer.finish();
    file.publish();
}

namespace {

Preamble const& preamble_of(void const* data) { return *static_cast<Preamble const*>(data); }
std::span<Part const> table_of(void const* data) {
    return {reinterpret_cast<Part const*>(static_cast<std::uint8_t const*>(data) + sizeof(Preamble)),
            preamble_of(data).parts};
}

void check_container(std::filesystem::path const& path, void const* data, std::size_t size) {
    if (size < sizeof(Preamble) || preamble_of(data).magic != magic) refuse_no_schedule(path);
    Preamble const& preamble = preamble_of(data);
    if (preamble.version != version)
        refuse(path, "a schedule of version " + std::to_string(version), "version " + std::to_string(preamble.version),
               "plan again with this einplan");
    if (preamble.parts < 2 || (size - sizeof(Preamble)) / sizeof(Part) < preamble.parts)
        refuse(path, "a whole schedule", "one cut short");
    auto const table = table_of(data);
    if (hash_bytes({reinterpret_cast<std::uint8_t const*>(table.data()), table.size_bytes()}) != preamble.table_hash)
        refuse(path, "a sound schedule", "a damaged table of contents");
    for (Part const& part : table)
        if (part.offset % 16 != 0 || part.offset > size || part.size > size - part.offset)
            refuse(path, "a whole schedule", "one cut short");
}

std::span<std::uint8_t const> checked_part(std::filesystem::path const& path, void const* data, std::size_t index) {
    Part const& part = table_of(data)[index];
    if (index == 0) check_header(path.string(), Limit::schedule_header, part.size);
    std::span<std::uint8_t const> const bytes{static_cast<std::uint8_t const*>(data) + part.offset, part.size};
    if (hash_bytes(bytes) != part.hash)
        refuse(path, "a sound schedule",
               index == 0 ? "a damaged header" : "a damaged section of rank " + std::to_string(index - 1));
    return bytes;
}

/// What a section takes in memory with all that it repeats.
std::uint64_t bytes_unrolled(Section const& section) {
    auto const times = static_cast<std::uint64_t>(section.repeat->times);
    return static_cast<std::uint64_t>(section.tasks_in_all()) * sizeof(Task) +
           (section.blocks.size() + times * static_cast<std::uint64_t>(section.repeat->blocks())) * sizeof(Block) +
           (1 + times) * section.operands.size() * sizeof(BlockId);
}

}  // namespace

File::File(std::filesystem::path const& path) : path_(path) {
    int const fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) refuse_unopened(path, errno);
    struct stat status {};
    bool const regular = ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    if (regular && status.st_size > 0) {
        size_ = static_cast<std::size_t>(status.st_size);
        void* const mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
        if (mapped != MAP_FAILED) data_ = mapped;
    }
    ::close(fd);
    if (!data_) refuse_no_schedule(path);
    try {
        check_container(path, data_, size_);
    } catch (...) {
        ::munmap(const_cast<void*>(data_), size_);
        throw;
    }
}

File::~File() { ::munmap(const_cast<void*>(data_), size_); }

Header File::header() const {
    Header header = decode_header(checked_part(path_, data_, 0), path_.string());
    if (header.ranks < 1 || static_cast<std::uint32_t>(header.ranks) != preamble_of(data_).parts - 1)
        refuse(path_, "a section for each of " + counted(header.ranks, "rank"),
               std::to_string(preamble_of(data_).parts - 1));
    if (auto const faults = faults_of(header); !faults.empty()) refuse(path_, "a sound schedule", joined(faults, "\n"));
    return header;
}

Section File::section(Rank rank, Header const& header) const {
    auto const index = static_cast<std::size_t>(rank.value()) + 1;
    promise(rank.value() >= 0 && index < preamble_of(data_).parts, "section of a rank that the schedule lacks");
    Section section = decode_section(checked_part(path_, data_, index), path_.string());
    auto const check = [&](Section const& sound) {
        auto const faults = faults_of(header, sound, rank);
        if (!faults.empty()) refuse(path_, "a sound schedule", joined(faults, "\n"));
    };
    check(section);
    if (!section.repeat) return section;
    check_header(path_.string(), Limit::schedule_section, bytes_unrolled(section));
    section = unrolled(header, std::move(section));
    check(section);
    return section;
}

std::uint64_t File::hash() const { return preamble_of(data_).table_hash; }

bool is_schedule_file(std::filesystem::path const& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return false;
    std::ifstream file(path, std::ios::binary);
    std::array<char, magic.size()> begin{};
    return file.read(begin.data(), begin.size()) && begin == magic;
}

Schedule read_file(std::filesystem::path const& path) {
    File const file(path);
    Schedule schedule{file.header(), {}};
    schedule.sections = Table<Rank, Section>(for_each_in_parallel(at(schedule.header.ranks), [&](std::size_t rank) {
        return file.section(Rank{static_cast<int>(rank)}, schedule.header);
    }));
    return schedule;
}

}  // namespace ein::schedule
