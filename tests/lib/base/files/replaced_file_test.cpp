#include "lib/base/files/replaced_file.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "lib/base/error.hpp"
#include "lib/base/files/temporary_name.hpp"
#include "tests/lib/base/files/folder.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/file_size_limit.hpp"

using namespace ein;
using ein::test::Folder;
namespace fs = std::filesystem;

TEST_CASE("a file keeps its old text until the new one is complete", "[lib][replaced_file]") {
    Folder folder;
    ReplacedFile("", folder / "r.json").write("old");
    ReplacedFile file("--report", folder / "r.json"), in_another_process("--report", folder / "r.json");
    file.create();
    file.append("new ");
    file.hand_over();
    in_another_process.take_over(file.temporary_name());
    in_another_process.append("text");
    in_another_process.hand_over();
    CHECK(folder.text_of("r.json") == "old");
    file.publish();
    CHECK(folder.text_of("r.json") == "new text");
    CHECK(folder.names() == std::set<std::string>{"r.json"});
}

TEST_CASE("checking and discarding leave nothing, nor does an end without a publish", "[lib][replaced_file]") {
    Folder folder;
    ReplacedFile file("--report", folder / "r.json");
    file.check();
    CHECK(folder.names().empty());
    file.create();
    file.discard();
    CHECK(folder.names().empty());
    {
        ReplacedFile forgotten("", folder / "r.json");
        forgotten.create();
        CHECK(folder.names().size() == 1);
    }
    CHECK(folder.names().empty());
}

TEST_CASE("two who write one file at a time have files of their own, under names that differ", "[lib][replaced_file]") {
    Folder folder;
    ReplacedFile first("", folder / "r.json"), second("", folder / "r.json");
    first.create(), second.create();
    first.append("first"), second.append("second");
    CHECK(folder.names().size() == 2);
    first.publish();
    second.publish();
    CHECK(folder.text_of("r.json") == "second");
    CHECK(folder.names().size() == 1);
}

TEST_CASE("a link to a file is replaced, never followed", "[lib][replaced_file]") {
    Folder folder;
    folder.write("victim", "precious");
    for (char const* name : {"r.json", "r.json.partial", ".r.json.partial"})
        fs::create_symlink(folder / "victim", folder / name);
    ReplacedFile("", folder / "r.json").write("text");
    CHECK(folder.text_of("victim") == "precious");
    CHECK(fs::is_regular_file(fs::symlink_status(folder / "r.json")));
    CHECK(folder.text_of("r.json") == "text");
    fs::create_symlink(folder / "none", folder / "dangling");
    ReplacedFile("", folder / "dangling").write("text");
    CHECK_FALSE(fs::exists(folder / "none"));
}

TEST_CASE("what a killed process left is removed by the next that writes the file", "[lib][replaced_file]") {
    Folder folder;
    int ready[2];
    REQUIRE(pipe(ready) == 0);
    pid_t const child = fork();
    if (child == 0) {
        ReplacedFile file("", folder / "r.json"), other("", folder / "s.json");
        file.create(), other.create();
        if (write(ready[1], "x", 1) != 1) _exit(1);
        pause();
    }
    char byte = 0;
    REQUIRE(read(ready[0], &byte, 1) == 1);
    ReplacedFile("", folder / "r.json").write("while it lives");
    CHECK(folder.names().size() == 3);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    ReplacedFile("", folder / "r.json").write("later");
    CHECK(folder.names().size() == 2);  // r.json, and what was left of s.json
    CHECK(folder.text_of("r.json") == "later");
}

TEST_CASE("what cannot be written is named with the option and the reason", "[lib][replaced_file]") {
    Folder folder;
    CHECK_THROWS_WITH(ReplacedFile("--report", folder / "no/r.json").check(),
                      Catch::Contains("--report " + (folder / "no/r.json").string() +
                                      ": expected to write it, found: No such file or directory"));
    CHECK_THROWS_WITH(ReplacedFile("--trace", folder.path).check(), Catch::Contains("Is a directory"));
    CHECK(fs::is_directory(folder.path));
}

TEST_CASE("a file that may not grow is reported and leaves nothing", "[lib][replaced_file]") {
    Folder folder;
    test::FileSizeLimit const limit(16);
    CHECK_THROWS_WITH(ReplacedFile("-o", folder / "x").write(std::string(100, 'x')),
                      Catch::EndsWith("found: File too large; raise the limit on file sizes (ulimit -f) or choose "
                                      "another place"));
    CHECK(folder.names().empty());
}

TEST_CASE("devices are written directly and stay; a full one is reported", "[lib][replaced_file]") {
    ReplacedFile("--report", "/dev/null").write("gone");
    CHECK(fs::is_character_file("/dev/null"));
    CHECK_THROWS_WITH(ReplacedFile("--trace", "/dev/full").write("text"),
                      Catch::Contains("No space left on device; free some space"));
    CHECK(fs::is_character_file("/dev/full"));
}
