// Checkpoints written, found, read back and removed.
#include "executor/checkpoint/folder/checkpoint_folder.hpp"

#include <unistd.h>

#include <csignal>
#include <fstream>

#include <sys/wait.h>

#include "executor/checkpoint/folder/box_cover.hpp"
#include "lib/base/files/temporary_name.hpp"
#include "tests/executor/checkpoint/folder/saved_values.hpp"
#include "tests/lib/tensor/temporary_folder.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;
using namespace ein::test;
namespace fs = std::filesystem;

namespace {

template <class Act>
std::string input_error_of(Act&& act) {
    try {
        act();
    } catch (InputError const& error) {
        return error.what();
    }
    return "";
}

template <class Act>
std::string run_error_of(Act&& act) {
    try {
        act();
    } catch (RunError const& error) {
        return error.what();
    }
    return "";
}

bool has(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

void touch(fs::path const& file) { std::ofstream(file) << "x"; }

}  // namespace

TEST_CASE("values of every dtype and order come back bit by bit", "[executor][checkpoint]") {
    TemporaryFolder const folder;
    std::vector<LiveValue> values;
    for (int d = 0; d < dtype_count; ++d)
        for (Shape const& shape : {Shape{}, Shape{7}, Shape{2, 3, 4}, Shape{0, 3}, Shape{3, 0}, Shape{1, 1, 1, 1, 2}}) {
            auto const dtype = static_cast<DType>(d);
            values.push_back(
                {std::string(name(dtype)) + to_string(shape), samples::sample(dtype, shape), {Box::whole(shape)}});
        }
    Manifest const written = save(folder.path(), "000001", values);
    auto const found = newest_checkpoint(folder.path());
    REQUIRE(found);
    CHECK(found->number == "000001");
    CHECK(found->path == folder.path() / "000001");
    Manifest read = found->manifest;
    read.rest.reset();
    CHECK(read == written);
    verify_all(*found);
    CHECK(wrong_value(*found, values) == "");
    CHECK(read_rest(*found) == "{\"nodes\": []}\n");
    CHECK(names_in(folder.path()) == std::set<std::string>{"000001"});
}

TEST_CASE("every bf16 comes back, each nan too", "[executor][checkpoint]") {
    TemporaryFolder const folder;
    LiveValue value{"all", tensor::HostTensor(DType::bf16, {65536}), {Box::whole({65536})}};
    for (std::size_t i = 0; i < 65536; ++i) {
        value.whole.bytes()[2 * i] = static_cast<std::byte>(i & 0xff);
        value.whole.bytes()[2 * i + 1] = static_cast<std::byte>(i >> 8);
    }
    save(folder.path(), "000001", {value});
    auto const found = newest_checkpoint(folder.path());
    verify_all(*found);
    CHECK(wrong_value(*found, {value}) == "");
    // Whoever reads a leaf of a graph reads such a file too.
    tensor::HostTensor const leaf = tensor::read_npy(found->path / found->manifest.values[0].file);
    CHECK(leaf.dtype() == DType::bf16);
    CHECK(leaf.bytes() == value.whole.bytes());
}

TEST_CASE("boxes of a value are read from any of its saved boxes together, nothing else is", "[executor][checkpoint]") {
    TemporaryFolder const folder;
    std::vector<LiveValue> const values = live_values(5);
    save(folder.path(), "000003", values, "");
    auto const found = newest_checkpoint(folder.path());
    CHECK(wrong_value(*found, values) == "");
    CHECK(read_rest(*found) == "");
    SavedValue const& h = found->manifest.values[1];
    Box const across{{0, 0, 1}, {4, 2, 2}};  // some of both boxes
    std::vector<std::byte> bytes(static_cast<std::size_t>(across.elements()) * 2);
    load_box(*found, h, across, bytes);
    CHECK(bytes == samples::take(values[1].whole, across));
    std::vector<std::byte> more(4 * 3 * 4 * 2);
    std::string const refused = input_error_of([&] { load_box(*found, h, Box::whole(h.shape), more); });
    CHECK(has(refused, "000003/h.npy: value 'h': expected [0:4, 0:3, 0:4], found only a part; move "));
}

TEST_CASE("a box in parts is the same bytes in the same order", "[executor][checkpoint]") {
    Box const box{{2, 0, 1}, {3, 4, 5}};
    for (Extent most = 1; most <= 61; ++most) {
        std::vector<std::vector<Extent>> found, expected;
        for_each_part(box, most, [&](Box const& part) {
            REQUIRE(part.elements() <= most);
            for_each_index(part.length, [&](std::vector<Extent> index) {
                for (std::size_t axis = 0; axis < 3; ++axis) index[axis] += part.begin[axis];
                found.push_back(index);
            });
        });
        for_each_index(box.length, [&](std::vector<Extent> index) {
            for (std::size_t axis = 0; axis < 3; ++axis) index[axis] += box.begin[axis];
            expected.push_back(index);
        });
        REQUIRE(found == expected);
    }
}

TEST_CASE("all parts together look at every box, each once and about as much", "[executor][checkpoint]") {
    TemporaryFolder const folder;
    std::vector<LiveValue> const values = live_values(5);
    save(folder.path(), "000001", values);
    auto const found = newest_checkpoint(folder.path());
    std::fstream(found->path / "grad.W.npy", std::ios::in | std::ios::out).seekp(130).put('!');
    std::fstream(found->path / "h.npy", std::ios::in | std::ios::out).seekp(128 + 95).put('!');
    for (int parts : {1, 2, 5, 40}) {
        int refusing = 0;
        std::string all;
        for (int part = 0; part < parts; ++part) {
            std::string const text = input_error_of([&] { verify_files(*found, part, parts); });
            refusing += text.empty() ? 0 : 1;
            all += text;
        }
        CHECK(has(all, "grad.W.npy: value 'grad/W', box [0:6, 0:5]: expected elements with the hash "));
        CHECK(has(all, "h.npy: value 'h', box [1:4, 0:2, 1:4]: expected elements with the hash ") == false);
        CHECK(refusing == 1);
    }
}

TEST_CASE("the newest counts, hidden names are nothing", "[executor][checkpoint]") {
    TemporaryFolder const folder;
    fs::path const dir = folder.path() / "a" / "b";
    CHECK_FALSE(newest_checkpoint(dir));
    CHECK(next_number(dir) == "000001");
    save(dir, "000001", live_values(1));
    save(dir, "000002", live_values(2));
    fs::create_directory(dir / ".000009.partial-x");
    fs::create_directory(dir / "12345");
    touch(dir / "notes.txt");
    CHECK(newest_checkpoint(dir)->number == "000002");
    CHECK(open_checkpoint(dir, "000001").number == "000001");
    CHECK(next_number(dir) == "000003");
    fs::create_directory(dir / "999999");
    CHECK(has(run_error_of([&] { next_number(dir); }), "expected fewer than 999999 checkpoints"));
    touch(folder.path() / "file");
    CHECK(has(input_error_of([&] { newest_checkpoint(folder.path() / "file"); }), "Not a directory"));
}

TEST_CASE("a newest that is not whole is refused, with what to do", "[executor][checkpoint]") {
    TemporaryFolder const folder;
    fs::path const dir = folder.path();
    save(dir, "000001", live_values(1));
    std::string const one = (dir / "000001").string();
    fs::remove(dir / "000001" / "h.npy");
    CHECK(has(input_error_of([&] { newest_checkpoint(dir); }), one + "/h.npy: expected a file, found none; move " +
                                                                   one + " out of " + dir.string() +
                                                                   " to go on from the beginning"));
    save(dir, "000002", live_values(1));
    std::string const two = (dir / "000002").string();
    fs::resize_file(dir / "000002" / "h.npy", 7);
    fs::remove(dir / "000002" / "rest.json");
    std::string const both = input_error_of([&] { newest_checkpoint(dir); });
    CHECK(has(both, two + "/h.npy: expected 224 bytes, found 7 bytes; move " + two + " out of " + dir.string() +
                        " to go on from the one before, " + one));
    CHECK(has(both, two + "/rest.json: expected a file, found none"));
    fs::create_directory(dir / "000003");
    CHECK(has(input_error_of([&] { newest_checkpoint(dir); }),
              "000003/manifest.json: expected a file that can be read, found none; move "));
    touch(dir / "000004");
    CHECK(has(input_error_of([&] { newest_checkpoint(dir); }), "000004: expected the folder of a checkpoint, found "));
    fs::create_directory_symlink("000001", dir / "000005");
    CHECK(
        has(input_error_of([&] { newest_checkpoint(dir); }), "000005: expected the folder of a checkpoint, found a l"));
}

TEST_CASE("a checkpoint without the one that its leaves lie in is refused", "[executor][checkpoint]") {
    TemporaryFolder const folder;
    save(folder.path(), "000001", live_values(1));
    NewCheckpoint next(folder.path(), "000002", "u");
    next.create({});
    Manifest manifest = manifest_of({});
    manifest.bases = {"000001"};
    next.commit(manifest, "");
    CHECK(newest_checkpoint(folder.path())->manifest.bases == std::set<std::string>{"000001"});
    remove_older(folder.path(), "000002", {"000001"});
    CHECK(newest_checkpoint(folder.path()));
    remove_older(folder.path(), "000002", {});
    CHECK(
        has(input_error_of([&] { newest_checkpoint(folder.path()); }), "000001: expected the checkpoint whose files "));
}

TEST_CASE("of a checkpoint that leaves lie in the files are needed, not those that it went on with itself",
          "[executor][checkpoint]") {
    TemporaryFolder const folder;
    for (int number : {1, 2, 3}) {
        NewCheckpoint next(folder.path(), "00000" + std::to_string(number), "u");
        next.create({});
        Manifest manifest = manifest_of({});
        if (number > 1) manifest.bases = {"00000" + std::to_string(number - 1)};
        next.commit(manifest, "");
    }
    remove_older(folder.path(), "000003", {"000002"});
    auto const newest = newest_checkpoint(folder.path());
    REQUIRE(newest);
    CHECK_NOTHROW(verify_with_bases(*newest, 0, 1));
    CHECK(has(input_error_of([&] { require_bases(open_checkpoint(folder.path(), "000002")); }), "000001: expected "));
}

TEST_CASE("older ones are removed, but bases, newer ones and what is none of ours", "[executor][checkpoint]") {
    TemporaryFolder const folder;
    fs::path const dir = folder.path();
    for (char const* number : {"000001", "000002", "000003", "000004"}) save(dir, number, live_values(1));
    fs::create_directory(dir / "000000");
    touch(dir / "000000" / "of somebody else");
    remove_older(dir, "000003", {"000001"});
    CHECK(names_in(dir) == std::set<std::string>{"000000", "000001", "000003", "000004"});
}

TEST_CASE("what a killed run left is swept, hidden files of others stay", "[executor][checkpoint]") {
    TemporaryFolder const folder;
    fs::path const dir = folder.path();
    NewCheckpoint left(dir, "000002", unique_name());
    left.create(described(live_values(1)));
    fs::create_directory(dir / ".000003.partial-otherhost-0badb007-7-0011223344556677");
    fs::create_directory(dir / ".000001.removed-x");
    touch(dir / ".000001.removed-x" / "W.npy");
    fs::create_directory(dir / ".snapshot");
    touch(dir / ".000001.partial-");
    fs::path const elsewhere = dir / "elsewhere";
    fs::create_directory(elsewhere);
    touch(elsewhere / "precious");
    fs::create_directory_symlink(elsewhere, dir / ".000004.removed-link");
    sweep_partial(dir);  // nobody holds a lock: what is written on another host may be alive
    CHECK(names_in(dir) == std::set<std::string>{".000003.partial-otherhost-0badb007-7-0011223344556677", ".snapshot",
                                                 ".000001.partial-", "elsewhere"});
    CHECK(fs::exists(elsewhere / "precious"));
    FolderLock const lock(dir);
    sweep_partial(dir);
    CHECK(names_in(dir) == std::set<std::string>{".snapshot", ".000001.partial-", "elsewhere", ".lock"});
}

TEST_CASE("a discarded checkpoint leaves nothing, a committed one all", "[executor][checkpoint]") {
    TemporaryFolder const folder;
    NewCheckpoint checkpoint(folder.path(), "000001", "u");
    checkpoint.create(described(live_values(1)));
    CHECK(names_in(folder.path()) == std::set<std::string>{".000001.partial-u"});
    checkpoint.discard();
    CHECK(names_in(folder.path()).empty());
    NewCheckpoint other(folder.path(), "000001", "u");
    other.create({});
    other.commit(manifest_of({}), "");
    other.discard();
    CHECK(newest_checkpoint(folder.path()));
}

TEST_CASE("no file is written through a link", "[executor][checkpoint]") {
    TemporaryFolder const folder;
    touch(folder.path() / "precious");
    std::vector<SavedValue> const values = described(live_values(1));
    NewCheckpoint checkpoint(folder.path(), "000001", "u");
    checkpoint.create(values);
    fs::path const file = folder.path() / ".000001.partial-u" / values[0].file;
    fs::remove(file);
    fs::create_symlink(folder.path() / "precious", file);
    std::vector<std::byte> const bytes(120);
    CHECK(has(run_error_of([&] { checkpoint.write(values[0], values[0].boxes[0].box, bytes); }), "symbolic links"));
    CHECK(fs::file_size(folder.path() / "precious") == 1);
}

TEST_CASE("a second run is kept out, and let in when the first is killed", "[executor][checkpoint]") {
    TemporaryFolder const folder;
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    pid_t const child = ::fork();
    if (child == 0) {
        FolderLock const lock(folder.path());
        (void)!::write(ready[1], "x", 1);
        for (;;) ::pause();
    }
    char byte;
    REQUIRE(::read(ready[0], &byte, 1) == 1);
    std::string const refused = run_error_of([&] { FolderLock lock(folder.path()); });
    CHECK(has(refused, folder.path().string() + " is being written by another run ("));
    CHECK(has(refused, ", process " + std::to_string(child) + ")"));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    CHECK(run_error_of([&] { FolderLock lock(folder.path()); }).empty());
    CHECK(run_error_of([&] { FolderLock lock(folder.path()); }).empty());
    ::close(ready[0]);
    ::close(ready[1]);
}

TEST_CASE("a large file is copied piece by piece, each with its hash", "[executor][checkpoint]") {
    struct Zeros : tensor::Storage {
        std::string const& name() const override { return name_; }
        std::uint64_t size() const override { return copied_piece + 5; }
        void read_at(std::uint64_t, std::span<std::byte> out) const override {
            std::fill(out.begin(), out.end(), std::byte{0});
        }
        std::string name_ = "zeros";
    } const original;
    TemporaryFolder const folder;
    SavedCopy copy{"big.raw", original.size(), {}};
    NewCheckpoint anew(folder.path(), "000001", unique_name());
    anew.create({}, {copy});
    for (std::size_t piece = 0; piece < 2; ++piece) copy.hashes.push_back(anew.copy(copy, piece, original));
    Manifest manifest;
    manifest.copies = {copy};
    anew.commit(manifest, "");
    CHECK(copy.hashes[0] != copy.hashes[1]);
    FoundCheckpoint const found = open_checkpoint(folder.path(), "000001");
    verify_all(found, 2);
    std::fstream(found.path / "big.raw", std::ios::in | std::ios::out).seekp(copied_piece + 1).put('!');
    try {
        verify_all(found, 2);
        FAIL("accepted");
    } catch (InputError const& error) {
        CHECK(has(error.what(), "big.raw: from byte 268435456: expected bytes with the hash "));
    }
}

TEST_CASE("a free number is found before one, down to 0", "[executor][checkpoint]") {
    TemporaryFolder const folder;
    for (auto const* number : {"000001", "000002", "000005"}) std::filesystem::create_directory(folder.path() / number);
    CHECK(free_number_before(folder.path(), "000005") == "000004");
    CHECK(free_number_before(folder.path(), "000002") == "000000");
    std::filesystem::create_directory(folder.path() / "000000");
    CHECK(free_number_before(folder.path(), "000002") == "");
}
