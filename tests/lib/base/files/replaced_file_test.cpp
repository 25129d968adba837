#include "lib/base/files/replaced_file.hpp"

#include <unistd.h>

#include <fstream>
#include <sstream>

#include "lib/base/error.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
namespace fs = std::filesystem;

namespace {

struct Folder {
    fs::path path = fs::temp_directory_path() / ("ein-replaced-" + std::to_string(getpid()));
    Folder() { fs::create_directories(path); }
    ~Folder() { fs::remove_all(path); }
    std::size_t files() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator{}));
    }
};

std::string text_of(fs::path const& path) {
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("a file keeps its old text until the new one is complete", "[lib][replaced_file]") {
    Folder folder;
    fs::path const path = folder.path / "r.json";
    ReplacedFile("", path).write("old");
    ReplacedFile const file("--report", path), same_in_another_process("--report", path);
    file.create();
    file.append("new ");
    same_in_another_process.append("text");
    CHECK(text_of(path) == "old");
    file.publish();
    CHECK(text_of(path) == "new text");
    CHECK(folder.files() == 1);
}

TEST_CASE("checking and discarding leave nothing", "[lib][replaced_file]") {
    Folder folder;
    ReplacedFile const file("--report", folder.path / "r.json");
    file.check();
    CHECK(folder.files() == 0);
    file.create();
    file.discard();
    CHECK(folder.files() == 0);
}

TEST_CASE("what cannot be written is named with the option and the reason", "[lib][replaced_file]") {
    Folder folder;
    CHECK_THROWS_WITH(ReplacedFile("--report", folder.path / "no" / "r.json").check(),
                      Catch::Contains("--report " + (folder.path / "no" / "r.json").string() +
                                      ": expected to write it, found: No such file or directory"));
    CHECK_THROWS_WITH(ReplacedFile("--trace", folder.path).check(), Catch::Contains("Is a directory"));
    CHECK(fs::is_directory(folder.path));
}

TEST_CASE("devices are written directly and stay; a full one is reported", "[lib][replaced_file]") {
    ReplacedFile("--report", "/dev/null").write("gone");
    CHECK(fs::is_character_file("/dev/null"));
    CHECK_THROWS_WITH(ReplacedFile("--trace", "/dev/full").write("text"),
                      Catch::Contains("No space left on device; free some space"));
    CHECK(fs::is_character_file("/dev/full"));
}
