#include "executor/spill/spill_file.hpp"

#include <unistd.h>

#include <vector>

#include "lib/base/error.hpp"
#include "tests/lib/tensor/temporary_folder.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/file_size_limit.hpp"

using namespace ein;
using executor::SpillFile;

namespace {

std::vector<std::byte> bytes(std::size_t count, int seed) {
    std::vector<std::byte> out(count);
    for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<std::byte>(i * 7 + static_cast<std::size_t>(seed));
    return out;
}

std::string failure_of(std::function<void()> const& step) {
    try {
        step();
    } catch (RunError const& error) {
        return error.what();
    }
    return "nothing failed";
}

}  // namespace

TEST_CASE("what is written comes back, and the folder stays empty", "[executor][spill_file]") {
    TemporaryFolder folder;
    SpillFile const file(folder.path(), GENERATE(0, 1 << 20));
    auto const first = bytes(100000, 1), second = bytes(5000, 2);
    file.write(4096, first);
    file.write(0, second);
    std::vector<std::byte> back(first.size());
    file.read(4096 + 904, std::span(back).first(100));
    CHECK(std::equal(back.begin(), back.begin() + 100, first.begin() + 904));
    file.write(200000, {});
    CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a folder that is missing is made, what is no folder is reported with its fix", "[executor][spill_file]") {
    TemporaryFolder folder;
    folder.write("file", "text");
    SpillFile const file(folder.path() / "none" / "yet", 0);
    CHECK(std::filesystem::is_empty(folder.path() / "none" / "yet"));
    for (std::string const name : {"file", "file/below"}) {
        std::string const text = failure_of([&] { SpillFile(folder.path() / name, 0); });
        CHECK_THAT(text, Catch::StartsWith("--spill-dir " + folder.file(name) + ": expected a folder"));
        CHECK_THAT(text, Catch::Contains("give another --spill-dir"));
    }
}

TEST_CASE("too little room is reported before anything is written, or when it is", "[executor][spill_file]") {
    TemporaryFolder folder;
    test::FileSizeLimit const limit(1 << 16);
    CHECK_THAT(failure_of([&] { SpillFile(folder.path(), 1 << 20); }),
               Catch::Contains("expected room for 1 MiB of blocks of one rank, found: File too large; free space"));
    SpillFile const file(folder.path(), 0);
    file.write(0, bytes(1 << 16, 3));
    CHECK_THAT(failure_of([&] { file.write(1 << 16, bytes(10, 3)); }),
               Catch::Contains("expected to write a block of 10 B, found: File too large; free space there, or give"));
}

TEST_CASE("bytes that were never written cannot be read", "[executor][spill_file]") {
    TemporaryFolder folder;
    SpillFile const file(folder.path(), 0);
    auto back = bytes(10, 0);
    CHECK_THAT(failure_of([&] { file.read(0, back); }), Catch::Contains("expected to read back a block of 10 B"));
}
