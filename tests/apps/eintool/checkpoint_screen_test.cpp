#include "apps/eintool/checkpoint_screen.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "lib/base/error.hpp"
#include "tests/executor/checkpoint/folder/saved_values.hpp"
#include "tests/lib/tensor/temporary_folder.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::apps::tool;
namespace fs = std::filesystem;

namespace {

bool shows(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

std::size_t widest_line(std::string const& text) {
    std::istringstream lines(text);
    std::size_t out = 0;
    for (std::string line; std::getline(lines, line);) out = std::max(out, line.size());
    return out;
}

}  // namespace

TEST_CASE("a folder of checkpoints is shown by its newest, and a checkpoint by itself", "[apps][checkpoint]") {
    TemporaryFolder const folder;
    test::save(folder.path(), "000001", test::live_values(1));
    test::save(folder.path(), "000002", test::live_values(2));
    std::string const dir = folder.path().string();
    for (std::string const& path : {dir, dir + "/"}) {
        CheckpointScreen const screen = checkpoint_screen(path, Check::sizes);
        INFO(screen.text);
        CHECK(screen.whole);
        CHECK(shows(screen.text, "checkpoint    " + dir + "/000002: complete (by sizes; --check reads every byte)\n"));
        CHECK(shows(screen.text, "saved         2026-01-02T03:04:05Z by Einloom 0.1.0\n"));
        CHECK(shows(screen.text, "of            schedule 00c0ffee00c0ffee, graph 0123456789abcdef\n"));
        CHECK(shows(screen.text, "computed      1.50 s on 2 ranks (reference): 7 nodes, 41 tasks\n"));
        CHECK(shows(screen.text, "loops         in iteration 3; begun so far: 3, 12\n"));
        CHECK(shows(screen.text, "inputs        not copied: X (X.npy); R (random uniform -1 1 7)\n"));
        CHECK(shows(screen.text, "copies        1 file, 300 B: X.npy\n"));
        CHECK(shows(screen.text, "values        7, 526 B with rest.json, the graph of what is left\n"));
        CHECK(shows(screen.text, "  grad/W                            f32   (6, 5)                        120 B\n"));
        CHECK(shows(screen.text, "   f64   (7, 6)                        192 B  sparse, 12 listed\n"));
        CHECK(shows(screen.text, "older         000001: complete, 2026-01-02T03:04:05Z\n"));
    }
    CheckpointScreen const one = checkpoint_screen(dir + "/000001/", Check::every_byte);
    CHECK(shows(one.text, "/000001: complete\n"));
    CHECK_FALSE(shows(one.text, "older"));
    CHECK(shows(checkpoint_json(dir), "\"nodes\": 7,\n"));
}

TEST_CASE("what is damaged is shown as such, with what to do", "[apps][checkpoint]") {
    TemporaryFolder const folder;
    test::save(folder.path(), "000001", test::live_values(1));
    test::save(folder.path(), "000002", test::live_values(2));
    std::string const dir = folder.path().string();
    std::fstream(dir + "/000002/grad.W.npy", std::ios::in | std::ios::out).seekp(130).put('!').put('!').put('!');
    CHECK(checkpoint_screen(dir, Check::sizes).whole);
    CheckpointScreen const screen = checkpoint_screen(dir, Check::every_byte);
    INFO(screen.text);
    CHECK_FALSE(screen.whole);
    CHECK(shows(screen.text,
                "checkpoint    " + dir + "/000002: damaged\n" + dir + "/000002/grad.W.npy: value 'grad/W', box "));
    CHECK(shows(screen.text,
                "; move " + dir + "/000002 out of " + dir + " to go on from the one before, " + dir + "/000001\n"));
    fs::remove(dir + "/000001/manifest.json");
    CHECK(shows(checkpoint_screen(dir, Check::sizes).text,
                "older         000001: damaged: " + dir + "/000001/manifest.json"));
    fs::create_directory(dir + "/empty");
    CHECK_THROWS_AS(checkpoint_screen(dir + "/empty", Check::sizes), InputError);
}

TEST_CASE("many values and checkpoints are still a screen", "[apps][checkpoint]") {
    TemporaryFolder const folder;
    std::vector<test::LiveValue> values;
    for (int i = 0; i < 50; ++i)
        values.push_back({std::string(60, 'n') + std::to_string(i),
                          samples::sample(DType::f64, {i, 1, 1, 1, 1, 1, 1, 1, 1, 1}),
                          {Box::whole({i, 1, 1, 1, 1, 1, 1, 1, 1, 1})},
                          i % 2 == 1});
    for (int i = 1; i < 30; ++i)
        test::save(folder.path(), (i < 10 ? "00000" : "0000") + std::to_string(i),
                   i == 29 ? values : test::live_values(1));
    std::string const text = checkpoint_screen(folder.path(), Check::sizes).text;
    INFO(text);
    CHECK(std::ranges::count(text, '\n') < 45);
    CHECK(widest_line(text) <= 100);
    CHECK(shows(text, " B  sparse, 17 listed\n"));
    CHECK(shows(text, "  and 30 more; --json shows all\n"));
    CHECK(shows(text, "  and 18 older ones\n"));
}
