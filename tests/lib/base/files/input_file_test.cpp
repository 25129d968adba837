#include "lib/base/files/input_file.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "lib/base/error.hpp"
#include "tests/lib/base/files/folder.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using ein::test::Folder;
namespace fs = std::filesystem;

namespace {

/// What a process of its own finds, since the folder holds for a whole process.
std::string in_a_process(std::function<std::string()> const& step) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    pid_t const child = fork();
    if (child == 0) {
        std::string found;
        try {
            found = step();
        } catch (std::exception const& error) {
            found = error.what();
        }
        _exit(write(ends[1], found.data(), found.size()) == static_cast<ssize_t>(found.size()) ? 0 : 1);
    }
    ::close(ends[1]);
    std::string text;
    char byte = 0;
    while (read(ends[0], &byte, 1) == 1) text += byte;
    ::close(ends[0]);
    waitpid(child, nullptr, 0);
    return text;
}

}  // namespace

TEST_CASE("with a folder given, what lies in it is read wherever links lead, and nothing else",
          "[lib][base][inputs_below]") {
    Folder folder;
    folder.write("data/a.txt", "inside");
    folder.write("data/deep/b.txt", "deeper");
    folder.write("data-too/c.txt", "beside");
    folder.write("secret.txt", "outside");
    fs::create_symlink(folder / "data/a.txt", folder / "data/absolute");
    fs::create_symlink(folder / "data", folder / "way");
    fs::create_symlink("../secret.txt", folder / "data/out");
    fs::create_symlink(folder.path, folder / "data/up");
    auto const read = [&](std::string const& name) {
        return in_a_process([&] {
            keep_inputs_below(folder / "way");
            return read_input_text(folder / name);
        });
    };
    CHECK(read("data/a.txt") == "inside");
    CHECK(read("data/deep/../deep/b.txt") == "deeper");
    CHECK(read("data/absolute") == "inside");
    CHECK(read("way/a.txt") == "inside");
    std::string const below =
        "expected a data file below " + fs::canonical(folder / "data").string() + " (--inputs-below), found ";
    for (auto const& [name, place] :
         {std::pair("secret.txt", "secret.txt"), std::pair("data/../secret.txt", "secret.txt"),
          std::pair("data/out", "secret.txt"), std::pair("data/up/secret.txt", "secret.txt"),
          std::pair("data-too/c.txt", "data-too/c.txt")})
        CHECK(read(name) == (folder / name).string() + ": " + below + (fs::canonical(folder.path) / place).string() +
                                "; copy it there, or name a folder that holds it");
    CHECK(read("data/none").find("expected a file that can be read, found none") != std::string::npos);
}

TEST_CASE("without a folder everything is read; what is no folder is refused", "[lib][base][inputs_below]") {
    Folder folder;
    folder.write("a.txt", "text");
    keep_inputs_below("");
    CHECK(read_input_text(folder / "a.txt") == "text");
    CHECK(in_a_process([&] {
              keep_inputs_below(folder / "none");
              return std::string("taken");
          }) == "--inputs-below: expected a folder, found none at '" + (folder / "none").string() +
                    "'; name one that is there");
    CHECK(in_a_process([&] {
              keep_inputs_below(folder / "a.txt");
              return std::string("taken");
          }).find("found something else at") != std::string::npos);
    CHECK(in_a_process([&] {
              keep_inputs_below("/");
              return read_input_text(folder / "a.txt");
          }) == "text");
}
