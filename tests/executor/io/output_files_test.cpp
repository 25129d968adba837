#include "executor/io/output_files.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>

#include "lib/base/error.hpp"
#include "lib/base/files/temporary_name.hpp"
#include "lib/base/files/unfinished_files.hpp"
#include "lib/tensor/read.hpp"
#include "lib/tensor/sparse/output/sparse_output.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;
namespace fs = std::filesystem;

namespace {

schedule::Header header_with(std::vector<std::string> const& names) {
    schedule::Header header;
    for (std::string const& name : names) {
        schedule::TensorId const tensor = header.tensors.add({name, {2, 2}, DType::f64});
        header.outputs.add({tensor, name});
    }
    return header;
}

struct Folder {
    fs::path path = fs::temp_directory_path() / ("ein-output-" + std::to_string(getpid()));
    Folder() { fs::remove_all(path); }
    ~Folder() { fs::remove_all(path); }
    std::size_t files() const {
        return fs::exists(path) ? static_cast<std::size_t>(std::distance(fs::directory_iterator(path), {})) : 0;
    }
};

std::span<std::byte const> bytes_of(std::vector<double> const& values) { return std::as_bytes(std::span(values)); }

}  // namespace

TEST_CASE("outputs are written in place and get their names when complete", "[executor][output]") {
    Folder folder;
    auto const header = header_with({"grad/W"});
    OutputFiles outputs(header, folder.path, "1");
    outputs.create();
    CHECK_FALSE(fs::exists(folder.path / "grad.W.npy"));
    outputs.write(schedule::OutputId{0}, DType::f64, {{1, 0}, {1, 2}}, bytes_of({3, 4}));
    outputs.write(schedule::OutputId{0}, DType::f64, {{0, 0}, {1, 2}}, bytes_of({1, 2}));
    outputs.publish();
    CHECK(folder.files() == 1);
    tensor::HostTensor const found = tensor::read_npy(folder.path / "grad.W.npy");
    CHECK(std::memcmp(found.bytes().data(), bytes_of({1, 2, 3, 4}).data(), 32) == 0);
}

TEST_CASE("what an earlier run wrote in the other form goes when the new file is complete", "[executor][output]") {
    Folder folder;
    fs::create_directory(folder.path);
    auto const header = header_with({"A", "B", "C", "D", "E", "F"});
    tensor::FillSource const zeros{};
    auto const reader = tensor::open_sparse(zeros, "A", DType::f64, {2, 2}, "");
    for (char const* name : {"A", "B"}) tensor::write_sparse(folder.path / (std::string(name) + ".npz"), *reader, {});
    std::ofstream(folder.path / "C.npz") << "something else";
    fs::create_directory(folder.path / "D.npz");
    tensor::write_sparse(folder.path / "target", *reader, {});
    fs::create_symlink("target", folder.path / "E.npz");
    std::vector<fs::path> const inputs{folder.path / "B.npz"};
    OutputFiles outputs(header, folder.path, "1");
    outputs.create();
    CHECK(fs::exists(folder.path / "A.npz"));
    CHECK(outputs.publish(inputs) == std::vector<fs::path>{folder.path / "A.npz"});
    CHECK_FALSE(fs::exists(folder.path / "A.npz"));
    for (char const* name : {"B.npz", "C.npz", "D.npz", "E.npz", "target", "A.npy"})
        CHECK(fs::exists(folder.path / name));
}

TEST_CASE("a failed run leaves no file", "[executor][output]") {
    Folder folder;
    auto const header = header_with({"A", "B"});
    OutputFiles outputs(header, folder.path, "1");
    outputs.create();
    CHECK(folder.files() == 2);
    outputs.discard();
    CHECK(folder.files() == 0);
}

TEST_CASE("an error that passes by leaves no file", "[executor][output]") {
    Folder folder;
    auto const header = header_with({"A", "B"});
    {
        OutputFiles outputs(header, folder.path, "1");
        outputs.create();
        CHECK(folder.files() == 2);
    }
    CHECK(folder.files() == 0);
}

TEST_CASE("the outputs of one rank are not another's to remove", "[executor][output]") {
    Folder folder;
    auto const header = header_with({"A", "B"});
    OutputFiles outputs(header, folder.path, "1");
    outputs.create();
    { OutputFiles of_another_rank(header, folder.path, "1"); }
    CHECK(folder.files() == 2);
}

TEST_CASE("a signal removes unfinished outputs and ends the process as it would have", "[executor][output]") {
    Folder folder;
    auto const header = header_with({"A", "B"});
    pid_t const child = fork();
    if (child == 0) {
        UnfinishedFiles::remove_on_signals();
        OutputFiles outputs(header, folder.path, "1");
        outputs.create();
        std::raise(SIGTERM);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGTERM);
    CHECK(fs::exists(folder.path));
    CHECK(folder.files() == 0);
}

TEST_CASE("outputs whose files would be the same are refused", "[executor][output]") {
    auto const header = header_with({"a/b", "a.b"});
    CHECK_THROWS_AS(OutputFiles(header, "x", "1"), InputError);
}

TEST_CASE("a folder that cannot be made is refused", "[executor][output]") {
    auto const header = header_with({"A"});
    OutputFiles outputs(header, "/dev/null/results", "1");
    CHECK_THROWS_WITH(outputs.create(), Catch::Contains("--out /dev/null/results"));
}

TEST_CASE("what a killed run left is swept by the next one, what a living one writes is not", "[executor][output]") {
    Folder folder;
    auto const header = header_with({"A", "B"}), other = header_with({"C"});
    auto const killed_run = [&](schedule::Header const& of, bool killed) {
        int ready[2];
        REQUIRE(pipe(ready) == 0);
        pid_t const child = fork();
        if (child == 0) {
            OutputFiles outputs(of, folder.path, unique_name());
            outputs.create();
            if (write(ready[1], "x", 1) != 1) _exit(1);
            pause();
        }
        char byte;
        CHECK(read(ready[0], &byte, 1) == 1);
        if (!killed) return child;
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        return child;
    };
    killed_run(header, true);
    killed_run(other, true);
    CHECK(folder.files() == 3);
    OutputFiles next(header, folder.path, unique_name());
    next.create();
    CHECK(folder.files() == 3);  // its own, and C, which it does not write
    next.publish();
    CHECK(fs::exists(folder.path / "A.npy"));
    CHECK(folder.files() == 3);
    pid_t const living = killed_run(header, false);
    CHECK(folder.files() == 5);
    OutputFiles third(header, folder.path, unique_name());
    third.create();
    CHECK(folder.files() == 7);
    CHECK(third.in_doubt().empty());
    third.discard();
    CHECK(folder.files() == 5);
    kill(living, SIGKILL);
    waitpid(living, nullptr, 0);
}

TEST_CASE("what may be in use on another host is left and reported", "[executor][output]") {
    Folder folder;
    fs::create_directories(folder.path);
    for (char const* name : {".A.npy.partial-other-host-01234567-4711-9f8e7d6c", ".A.npy.partial-4711-9f8e7d6c"})
        std::ofstream(folder.path / name) << "x";
    auto const header = header_with({"A"});
    OutputFiles outputs(header, folder.path, unique_name());
    outputs.create();
    outputs.publish();
    CHECK(outputs.in_doubt().size() == 2);
    CHECK(folder.files() == 3);
}

TEST_CASE("a folder where an output shall be is reported before the work", "[executor][output]") {
    Folder folder;
    fs::create_directories(folder.path / "A.npy");
    auto const header = header_with({"A"});
    OutputFiles outputs(header, folder.path, "1");
    CHECK_THROWS_WITH(outputs.create(), Catch::Contains("A.npy, found a folder of that name"));
    CHECK(folder.files() == 1);
}
