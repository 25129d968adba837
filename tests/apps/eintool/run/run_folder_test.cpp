#include "apps/eintool/run/run_folder.hpp"

#include <unistd.h>

#include <fstream>

#include "lib/base/files/temporary_name.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::apps::tool;

namespace {

namespace fs = std::filesystem;

struct Folder {
    fs::path path = fs::temp_directory_path() / ("run-folder-" + std::to_string(getpid()));
    Folder() { fs::create_directories(path); }
    ~Folder() { fs::remove_all(path); }
    void file(std::string const& name, std::string const& text = "") const { std::ofstream(path / name) << text; }
};

}  // namespace

TEST_CASE("the newest checkpoint is the folder with the largest six digits", "[apps][run]") {
    Folder const folder;
    RunFolder const run(folder.path);
    CHECK(run.newest_checkpoint().empty());
    for (std::string const name : {"000002", "000010", "0000011", "00003", "00001x", ".000099.partial-1"})
        fs::create_directory(folder.path / name);
    folder.file("999999");
    CHECK(run.newest_checkpoint() == "000010");
    CHECK(RunFolder(folder.path / "none").newest_checkpoint().empty());
}

TEST_CASE("what was planned is remembered, and forgotten", "[apps][run]") {
    Folder const folder;
    RunFolder const run(folder.path);
    CHECK_FALSE(run.planned());
    PlannedState const state{"90f8", 3, "../g.sched"};
    run.remember(state);
    CHECK(run.planned() == state);
    for (std::string const text : {"", "{", "[]", "{\"eintool\": 2}", "{\"eintool\": 1, \"ranks\": \"x\"}"}) {
        folder.file("eintool.json", text);
        CHECK_FALSE(run.planned());
    }
    folder.file("other");
    run.forget();
    CHECK(fs::exists(folder.path / "other"));
    CHECK_FALSE(fs::exists(folder.path / "eintool.json"));
}

TEST_CASE("partial files of the dead are removed, others stay", "[apps][run]") {
    Folder const folder;
    std::string const ours = ".Z.npy.partial-" + unique_name();
    for (std::string const& name : {ours, std::string(".Z.npy.partial-far-00000000-1-0"), std::string("Z.npy")})
        folder.file(name);
    auto const unknown = remove_partial_files(folder.path);
    CHECK_FALSE(fs::exists(folder.path / ours));
    CHECK(fs::exists(folder.path / "Z.npy"));
    REQUIRE(unknown.size() == 1);
    CHECK(fs::exists(unknown.front()));
}
