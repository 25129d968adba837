#include "lib/schedule/file/file.hpp"

#include <unistd.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "lib/base/error.hpp"
#include "lib/schedule/file/codec.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/small_schedule.hpp"

using namespace ein;
namespace fs = std::filesystem;

namespace {

std::string read_bytes(fs::path const& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void write_bytes(fs::path const& path, std::string const& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

/// A folder of this test's own, removed at its end.
struct Folder {
    fs::path path = fs::temp_directory_path() / ("einloom-schedule-" + std::to_string(::getpid()));
    Folder() { fs::create_directories(path); }
    ~Folder() { fs::remove_all(path); }
};

}  // namespace

TEST_CASE("a schedule reads back as it was written, and always to the same bytes", "[schedule][file]") {
    Folder const folder;
    auto schedule = test::small_schedule();
    schedule.header.kernels[schedule::KernelId{0}].looked_up = {0};
    schedule::write_file(schedule, folder.path / "a.sched");
    auto const back = schedule::read_file(folder.path / "a.sched");
    CHECK(back.header.kernels[schedule::KernelId{0}].looked_up == std::vector<int>{0});
    CHECK(schedule::encode(back.header) == schedule::encode(schedule.header));
    CHECK(back.sections.size() == 2);
    CHECK(schedule::encode(back.sections[Rank{1}]) == schedule::encode(schedule.sections[Rank{1}]));
    CHECK(back.header.params == schedule.header.params);
    CHECK(back.header.kernels[schedule::KernelId{0}].einsum == schedule.header.kernels[schedule::KernelId{0}].einsum);
    CHECK(std::get<tensor::RandomSource>(back.header.inputs[schedule::InputId{0}].source) ==
          std::get<tensor::RandomSource>(schedule.header.inputs[schedule::InputId{0}].source));
    schedule::write_file(back, folder.path / "b.sched");
    CHECK(read_bytes(folder.path / "a.sched") == read_bytes(folder.path / "b.sched"));
    CHECK_FALSE(fs::exists(folder.path / "a.sched.partial"));
}

TEST_CASE("sources and params read back as they were, the sign of zero and a missing offset included",
          "[schedule][file]") {
    auto header = test::small_schedule().header;
    auto const back = [&](tensor::Source const& source) {
        header.inputs[schedule::InputId{0}].source = source;
        return schedule::decode_header(schedule::encode(header), "a.sched").inputs[schedule::InputId{0}].source;
    };
    using Complex = std::complex<double>;
    auto const fill = std::get<tensor::FillSource>(back(tensor::FillSource{Complex(-0.0, -0.0), 0}));
    CHECK((std::signbit(fill.value.real()) && std::signbit(fill.value.imag())));
    for (std::optional<std::int64_t> const offset :
         {std::optional<std::int64_t>(), std::optional<std::int64_t>(0), std::optional<std::int64_t>(64)})
        CHECK(std::get<tensor::RawSource>(back(tensor::RawSource{"r.bin", offset})).offset == offset);
    tensor::RandomSource const random{tensor::Distribution::normal, -1, 2, UINT64_MAX};
    for (tensor::Source const& source :
         {tensor::Source(tensor::MtxSource{"A.mtx"}), tensor::Source(tensor::TnsSource{"A.tns"}),
          tensor::Source(tensor::ScipySource{"A.npz"}), tensor::Source(tensor::SparseRandomSource{random, 0.125})})
        CHECK(back(source) == source);
    header.params["eta"] = -0.0;
    CHECK(std::signbit(schedule::decode_header(schedule::encode(header), "a.sched").params.at("eta")));
}

TEST_CASE("a file cut anywhere or with any byte changed is refused", "[schedule][file]") {
    Folder const folder;
    fs::path const path = folder.path / "a.sched";
    schedule::write_file(test::small_schedule(), path);
    std::string const bytes = read_bytes(path);
    for (std::size_t size = 0; size < bytes.size(); size += 7) {
        write_bytes(path, bytes.substr(0, size));
        CAPTURE(size);
        CHECK_THROWS_AS(schedule::read_file(path), InputError);
    }
    std::size_t accepted = 0;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x41);
        write_bytes(path, damaged);
        try {
            schedule::read_file(path);
            ++accepted;  // padding between parts
        } catch (InputError const&) {
        }
    }
    CHECK(accepted < 16 * 4);
}

TEST_CASE("what is no schedule is refused as such", "[schedule][file]") {
    Folder const folder;
    auto refused = [&](fs::path const& path) {
        try {
            schedule::File const file(path);
        } catch (InputError const& error) {
            return error.faults().at(0).found;
        }
        return std::string("accepted");
    };
    write_bytes(folder.path / "text", "not a schedule at all, but long enough to hold the preamble");
    CHECK(refused(folder.path / "text") == "what looks like text (\"not a schedule at all, but lon...\")");
    CHECK(refused(folder.path / "missing") == "none");
    CHECK(refused(folder.path) == "what looks like a folder");
    write_bytes(folder.path / "empty", "");
    CHECK(refused(folder.path / "empty") == "what looks like an empty file");
}

TEST_CASE("a schedule that cannot be written leaves nothing", "[schedule][file]") {
    CHECK_THROWS_AS(schedule::write_file(test::small_schedule(), "/nonexistent/folder/a.sched"), RunError);
}
