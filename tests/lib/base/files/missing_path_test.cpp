#include "lib/base/files/missing_path.hpp"

#include <cerrno>

#include "tests/lib/base/files/folder.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using ein::test::Folder;
namespace fs = std::filesystem;

TEST_CASE("a missing file has the near one of its folder", "[lib][base][missing_path]") {
    Folder folder;
    for (auto const* name : {"graph.json", "graph.sched", "B.npy", "weights.npy", ".grpah.jsn"}) folder.write(name, "");
    auto const near = [&](char const* name, std::string_view extension = "") {
        return fs::path(near_path(folder / name, PathIs::file, extension)).filename().string();
    };
    CHECK(near("grpah.json") == "graph.json");
    CHECK(near("Graph.json") == "graph.json");
    CHECK(near("graph") == "graph.json");
    CHECK(near("graph", ".sched") == "graph.sched");
    CHECK(near("graph.shced") == "graph.sched");
    CHECK(near("weight.npz") == "weights.npy");
    CHECK(near("A.npy").empty());  // B.npy is another tensor
    CHECK(near("something.else").empty());
}

TEST_CASE("a missing folder on the way is mended too, or named", "[lib][base][missing_path]") {
    Folder folder;
    fs::create_directories(folder / "weights/layer");
    folder.write("weights/layer/A.npy", "");
    folder.write("weighty", "a file is no folder");
    CHECK(near_path(folder / "weigths/layers/A.npy", PathIs::file) == (folder / "weights/layer/A.npy").string());
    CHECK(near_path(folder / "weigths", PathIs::folder) == (folder / "weights").string());
    CHECK(near_path(folder / "weigths", PathIs::file) == (folder / "weighty").string());
    CHECK(mend_missing(folder / "elsewhere/A.npy") ==
          "there is no folder " + (folder / "elsewhere").string() + ": check the path");
    CHECK(mend_missing(folder / "QQQQ.npy") == "check its name");
    CHECK(mend_missing(folder / "QQQQ", PathIs::folder, "make it") == "make it");
    CHECK(mend_missing("") == "check its name");
}

TEST_CASE("the name of a result is mended to that of its file", "[lib][base][missing_path]") {
    Folder folder;
    fs::create_directories(folder / "results");
    for (auto const* name : {"results/fit.w0.npy", "results/fit.S.npz", "results/a.b.c.npy"}) folder.write(name, "");
    auto const mend = [&](std::string const& file) {
        return "did you mean \"" + (folder / file).string() +
               "\"? \"/\" in the name of a result is \".\" in that of its file";
    };
    CHECK(mend_missing(folder / "results/fit/w0.npy", PathIs::either) == mend("results/fit.w0.npy"));
    CHECK(mend_missing(folder / "results/fit/w0") == mend("results/fit.w0.npy"));
    CHECK(mend_missing(folder / "results/fit/S") == mend("results/fit.S.npz"));
    CHECK(mend_missing(folder / "results/a/b/c.npy") == mend("results/a.b.c.npy"));
    CHECK_THAT(mend_missing(folder / "results/fit/w0", PathIs::folder), Catch::Contains("there is no folder"));
    CHECK_THAT(mend_missing(folder / "results/fit/x.npy"), Catch::Contains("there is no folder"));
}

TEST_CASE("what only a shell or a browser understands is told", "[lib][base][missing_path]") {
    for (auto const* path : {"~/A.npy", "$HOME/A.npy"})
        CHECK_THAT(mend_missing(path), Catch::Contains("is what a shell replaces"));
    CHECK(mend_missing("https://example.org/A.npy") == "download it: only files are read");
}

TEST_CASE("a link that leads nowhere is told", "[lib][base][missing_path]") {
    Folder folder;
    fs::create_symlink("gone.npy", folder / "A.npy");
    CHECK(mend_missing(folder / "A.npy") == "it is a link to gone.npy, which is not there");
}

TEST_CASE("the fault of a file that was not opened says why", "[lib][base][missing_path]") {
    Folder folder;
    folder.write("graph.json", "");
    std::string const file = (folder / "grap.json").string();
    CHECK(unreadable(file, ENOENT) == Fault{file, "", "a file that can be read", "none",
                                            "did you mean \"" + (folder / "graph.json").string() + "\"?"});
    CHECK(unreadable(file, EACCES, "a schedule") ==
          Fault{file, "", "a schedule", "Permission denied", "check the path and its permissions"});
}
