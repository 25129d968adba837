#include "executor/checkpoint/folder/finished_run.hpp"

#include <fstream>

#include "tests/lib/tensor/temporary_folder.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;
namespace fs = std::filesystem;

TEST_CASE("a run is finished as long as its results are what was written", "[executor][checkpoint]") {
    TemporaryFolder const folder;
    fs::path const dir = folder.path(), results = dir / "results";
    fs::create_directory(results);
    std::ofstream(results / "P.npy") << "elements";
    std::ofstream(results / "Q.npz") << "others";
    CHECK_FALSE(finished_run(dir));
    note_finished(dir, {"1a2b", "2026-01-02T03:04:05Z", "results", results_now(results, {"P.npy", "Q.npz"})});
    auto const finished = finished_run(dir);
    REQUIRE(finished);
    CHECK(finished->run == "1a2b");
    CHECK(finished->time == "2026-01-02T03:04:05Z");
    CHECK(finished->folder == "results");
    CHECK(finished->results.size() == 2);
    CHECK(has_results(*finished, results));
    CHECK_FALSE(has_results(*finished, dir));
    std::ofstream(results / "P.npy") << "Elements";
    CHECK_FALSE(has_results(*finished, results));
    std::ofstream(results / "P.npy") << "elements";
    CHECK(has_results(*finished, results));
    fs::remove(results / "Q.npz");
    CHECK_FALSE(has_results(*finished, results));
}

TEST_CASE("a note that was damaged is none, whatever was changed", "[executor][checkpoint]") {
    TemporaryFolder const folder;
    std::ofstream(folder.path() / "P.npy") << "elements";
    note_finished(folder.path(), {"1a2b", "now", "results", results_now(folder.path(), {"P.npy"})});
    fs::path const file = folder.path() / "finished.json";
    std::string text(fs::file_size(file), ' ');
    std::ifstream(file).read(text.data(), static_cast<std::streamsize>(text.size()));
    for (std::size_t at = 0; at < text.size(); ++at) {
        std::string other = text;
        other[at] = static_cast<char>(other[at] ^ 4);
        std::ofstream(file, std::ios::trunc) << other;
        CAPTURE(at, other);
        CHECK_FALSE(finished_run(folder.path()));
    }
    fs::remove(file);
    fs::create_symlink("P.npy", file);
    CHECK_FALSE(finished_run(folder.path()));
}
