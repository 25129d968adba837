// What einrun --trace writes: slices, arrows, counters, clocks.
#include <limits>
#include <map>

#include "tests/apps/einrun/einrun_place.hpp"

using namespace ein;
using namespace ein::test;

namespace {

using Track = std::pair<int, int>;  // pid, tid

std::int64_t ticks(Json const& event, char const* key) { return std::llround(event.at(key).get<double>() * 1000); }

/// Slices by track in order of the file: by begin, outer ones first.
std::map<Track, std::vector<Json>> slices_of(Json const& trace) {
    std::map<Track, std::vector<Json>> out;
    for (Json const& event : trace.at("traceEvents"))
        if (event.at("ph") == "X") out[{event.at("pid"), event.at("tid")}].push_back(event);
    return out;
}

/// What is not within what lies around it.
int badly_nested(std::vector<Json> const& slices) {
    int bad = 0;
    std::vector<std::int64_t> open;  // ends, outermost first
    std::int64_t last = 0;
    for (Json const& slice : slices) {
        std::int64_t const begin = ticks(slice, "ts"), end = begin + ticks(slice, "dur");
        while (!open.empty() && open.back() <= begin) open.pop_back();
        bad += begin < last || end < begin || (!open.empty() && open.back() < end);
        open.push_back(end);
        last = begin;
    }
    return bad;
}

struct Arrow {
    std::vector<Json> starts, steps, ends;
};

std::map<std::string, Arrow> arrows_of(Json const& trace) {
    std::map<std::string, Arrow> out;
    for (Json const& event : trace.at("traceEvents")) {
        if (event.at("ph") == "s") out[event.at("id")].starts.push_back(event);
        if (event.at("ph") == "t") out[event.at("id")].steps.push_back(event);
        if (event.at("ph") == "f") out[event.at("id")].ends.push_back(event);
    }
    return out;
}

/// The innermost slice around a point of an arrow.
Json slice_around(std::map<Track, std::vector<Json>> const& slices, Json const& point) {
    Json found;
    std::int64_t const time = ticks(point, "ts");
    for (Json const& slice : slices.at({point.at("pid"), point.at("tid")}))
        if (ticks(slice, "ts") <= time && time < ticks(slice, "ts") + ticks(slice, "dur")) found = slice;
    return found;
}

void check_arrows(Json const& trace, std::size_t messages) {
    auto const slices = slices_of(trace);
    auto const arrows = arrows_of(trace);
    CHECK(arrows.size() == messages);
    for (auto const& [id, arrow] : arrows) {
        CAPTURE(id);
        REQUIRE(arrow.starts.size() == 1);
        REQUIRE(arrow.steps.size() == 1);
        REQUIRE(arrow.ends.size() == 1);
        Json const send = slice_around(slices, arrow.starts[0]), receive = slice_around(slices, arrow.steps[0]),
                   reader = slice_around(slices, arrow.ends[0]);
        CHECK(send.value("cat", "") == "send");
        CHECK(receive.value("cat", "") == "receive");
        CHECK(reader.value("cat", "") == "apply");
        CHECK(ticks(receive, "ts") + ticks(receive, "dur") >= ticks(send, "ts"));
        CHECK(ticks(reader, "ts") >= ticks(receive, "ts") + ticks(receive, "dur"));
    }
}

void check_counters(Json const& trace, int ranks) {
    std::map<std::pair<int, std::string>, std::int64_t> last;
    for (Json const& event : trace.at("traceEvents")) {
        if (event.at("ph") != "C") continue;
        std::int64_t const value = event.at("args").begin().value();
        CHECK(value >= 0);
        last[{event.at("pid"), event.at("name")}] = value;
    }
    CHECK(last.size() == 2 * static_cast<std::size_t>(ranks));
    for (auto const& [name, value] : last) CHECK(value == 0);
}

/// Above each rank, what was predicted: every task but loads and stores, from where the first rank begins to execute.
void check_forecast(Json const& trace, int ranks) {
    std::map<int, std::map<std::string, int>> predicted, actual;
    std::int64_t executes = std::numeric_limits<std::int64_t>::max(), first = executes;
    for (auto const& [track, slices] : slices_of(trace))
        for (Json const& slice : slices) {
            std::string const kind = slice.at("cat");
            if (slice.at("name") == "execute") executes = std::min(executes, ticks(slice, "ts"));
            if (kind == "phase" || kind == "piece" || kind == "load" || kind == "store") continue;
            bool const foreseen = track.first >= ranks;
            if (foreseen) first = std::min(first, ticks(slice, "ts"));
            std::string const task = slice.at("args").at("task");
            foreseen ? ++predicted[track.first - ranks][task] : (actual[track.first][task] = 1);
        }
    CHECK(predicted == actual);
    CHECK(std::abs(first - executes) <= 1);  // rounded
    std::map<int, int> order;
    for (Json const& event : trace.at("traceEvents"))
        if (event.at("name") == "process_sort_index") order[event.at("pid")] = event.at("args").at("sort_index");
    for (int rank = 0; rank < ranks; ++rank) CHECK(order[ranks + rank] + 1 == order[rank]);
}

void check_trace(Json const& trace, int ranks, std::size_t messages) {
    for (auto const& [track, slices] : slices_of(trace)) {
        CAPTURE(track.first, track.second);
        CHECK(badly_nested(slices) == 0);
    }
    check_arrows(trace, messages);
    check_counters(trace, ranks);
    check_forecast(trace, ranks);
    for (int rank = 0; rank < ranks; ++rank)
        CHECK(std::count_if(trace.at("traceEvents").begin(), trace.at("traceEvents").end(), [&](Json const& event) {
                  return event.at("name") == "process_name" && event.at("pid") == rank &&
                         event.at("args").at("name") == "rank " + std::to_string(rank);
              }) == 1);
}

}  // namespace

TEST_CASE("a trace of one rank has its tasks on workers' tracks, nested, and counters", "[einrun][trace]") {
    Ready place;
    REQUIRE(place.alone("1.sched --quiet --trace t.json --threads 3 --repeat 2").code == 0);
    Json const trace = place.json("t.json");
    check_trace(trace, 1, 0);
    int applies = 0;
    for (auto const& [track, slices] : slices_of(trace))
        for (Json const& slice : slices)
            if (slice.at("cat") == "apply" && track.first == 0) {
                ++applies;
                CHECK(track.second < 3);
                CHECK(slice.at("name") == "apply Z");
            }
    CHECK(applies == 2);
}

TEST_CASE("a trace predicts for the machines of a cluster file", "[einrun][trace]") {
    Ready place;
    std::ofstream(place / "slow.json") << R"({"seconds_per_task": "100ms"})";
    REQUIRE(place.alone("1.sched --quiet --trace t.json --cluster slow.json").code == 0);
    Json const trace = place.json("t.json");
    auto const slices = slices_of(trace);
    CHECK(slices.at({1, 0}).at(0).at("dur") >= 1e5);
    std::ofstream(place / "wrong.json") << R"({"seconds_per_tusk": 1})";
    Outcome const wrong = place.alone("1.sched --trace t.json --cluster wrong.json");
    CHECK(wrong.code == 3);
    CHECK(has(wrong, "seconds_per_task"));
}

#ifdef MPIRUN
TEST_CASE("a trace of several ranks has an arrow for every message", "[einrun][trace][mpi]") {
    Ready place;
    int const ranks = GENERATE(1, 2, 3, 5), rounds = 3;
    std::string const name = std::to_string(ranks) + ".sched";
    write_schedule(place, ranks, name);
    Outcome const run = place.together(ranks, name + " --quiet --trace t.json --repeat 3 --threads 2");
    CAPTURE(ranks, run.text);
    REQUIRE(run.code == 0);
    check_trace(place.json("t.json"), ranks, static_cast<std::size_t>(rounds * (ranks - 1)));
}
#endif
