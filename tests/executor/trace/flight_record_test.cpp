#include "executor/trace/flight_record.hpp"

#include <unistd.h>

#include <fstream>

#include "lib/base/json.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sample_schedules.hpp"

using namespace ein;
using namespace ein::executor;
using namespace ein::test;
namespace fs = std::filesystem;

namespace {

struct RecordFolder {
    fs::path path = fs::temp_directory_path() / ("flight-" + std::to_string(getpid()));
    ~RecordFolder() { fs::remove_all(path); }
};

std::vector<Json> slices_of(fs::path const& file) {
    std::vector<Json> out;
    Json const record = parse_json(read_text_file(file), file);
    for (Json const& event : record.at("traceEvents"))
        if (event.at("ph") == "X") out.push_back(event);
    return out;
}

}  // namespace

TEST_CASE("the record of a run that failed has the task that failed, still open", "[executor][trace][flight]") {
    int const ranks = GENERATE(1, 2, 3, 5), threads = GENERATE(1, 3);
    CAPTURE(ranks, threads);
    RecordFolder const folder;
    auto const schedule = split_k_schedule(ranks);
    RunSetup setup;
    setup.threads = threads;
    std::atomic<int> launches{0};
    setup.hook = [&](int rank, std::string const&) {
        if (rank == ranks - 1 && ++launches == 2) throw std::runtime_error("odd");
    };
    setup.afterwards = [&](Transport& transport, Record const& record) {
        write_flight_record(folder.path, transport.rank(), schedule.header, schedule.sections[transport.rank()], record,
                            {{"why", "odd"}});
    };
    CHECK(run_by_threads(schedule, setup).codes ==
          std::vector<ExitCode>(static_cast<std::size_t>(ranks), ExitCode::failure));
    for (int rank = 0; rank < ranks; ++rank) {
        fs::path const file = folder.path / ("rank-" + std::to_string(rank) + ".json");
        CHECK(parse_json(read_text_file(file), file).at("otherData").at("why") == "odd");
        if (rank < ranks - 1) continue;
        std::vector<Json> open, ended;
        for (Json const& slice : slices_of(file))
            (slice.at("args").contains("open") ? open : ended).push_back(slice.at("args").at("task"));
        CHECK(std::find(open.begin(), open.end(), "task 3 (apply of node 'AB', block Z[0:6, 0:6])") != open.end());
        CHECK(std::find(ended.begin(), ended.end(), "task 2 (apply of node 'AB', block Z[0:6, 0:6])") != ended.end());
    }
}

TEST_CASE("a record has the last thousand that ended and all that is open", "[executor][trace][flight]") {
    RecordFolder const folder;
    auto const schedule = split_k_schedule(2);
    Record record(3, schedule.sections[Rank{0}].tasks.size(), Keep::latest);
    for (int i = 0; i < 2000; ++i) {
        EventLog& log = record.worker(i % 2);
        log.begin(TaskId{2}, i);
        log.end(i + 0.5);
    }
    record.worker(2).begin(TaskId{3}, 5);
    record.transfers().start(TaskId{5}, 7);
    auto const write = [&] {
        return write_flight_record(folder.path, Rank{0}, schedule.header, schedule.sections[Rank{0}], record,
                                   Json::object());
    };
    auto const [file, says_so] = write();
    CHECK(says_so);
    CHECK_FALSE(write().first);
    std::vector<Json> const slices = slices_of(file);
    CHECK(slices.size() == 1002);
    double first = 1e12;
    int open = 0;
    for (Json const& slice : slices) {
        if (slice.at("args").contains("open"))
            ++open;
        else
            first = std::min(first, slice.at("ts").get<double>());
    }
    CHECK(open == 2);
    CHECK(first == 1000e6);
}

TEST_CASE("flight records lie beside the results, and the next run removes them", "[executor][trace][flight]") {
    CHECK(flight_folder("/a/results") == "/a/results.flight");
    CHECK(flight_folder("/a/results/") == "/a/results.flight");
    CHECK(flight_folder("/a/b/../results/.") == "/a/results.flight");
    RecordFolder const folder;
    sweep_flight_records(folder.path);  // nothing there
    fs::create_directories(folder.path);
    std::ofstream(folder.path / "rank-0.json") << "{}";
    std::ofstream(folder.path / "mine.txt") << "kept";
    sweep_flight_records(folder.path);
    CHECK_FALSE(fs::exists(folder.path / "rank-0.json"));
    CHECK(fs::exists(folder.path / "mine.txt"));
    fs::remove(folder.path / "mine.txt");
    sweep_flight_records(folder.path);
    CHECK_FALSE(fs::exists(folder.path));
}
