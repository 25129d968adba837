#include "executor/engine/engine.hpp"

#include <atomic>
#include <thread>

#include "tests/support/catch.hpp"
#include "tests/support/sample_schedules.hpp"

using namespace ein;
using namespace ein::executor;
using namespace ein::test;

TEST_CASE("partial products meet on one rank, whatever the number of ranks and threads", "[executor][engine]") {
    int const ranks = GENERATE(1, 2, 3, 4, 5, 7);
    int const threads = GENERATE(1, 3);
    CAPTURE(ranks, threads);
    auto const schedule = split_k_schedule(ranks);
    RunSetup setup;
    setup.threads = threads;
    setup.transport = {64, 3, 11};
    RunOutcome const run = run_by_threads(schedule, setup);
    CHECK(run.codes == all_done(ranks));
    CHECK(run.outputs.at("Z") == split_k_result(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
        auto const at = static_cast<std::size_t>(rank);
        RunResult const& result = run.results[at];
        CHECK(result.transfers.bytes_sent == schedule.header.prediction.bytes_sent[at]);
        CHECK(result.transfers.messages_sent == schedule.header.prediction.messages_sent[at]);
        CHECK(result.blocks.live() == 0);
        CHECK(result.blocks.created() == static_cast<std::int64_t>(schedule.sections[Rank{rank}].blocks.size()));
        CHECK(result.blocks.peak_bytes() <= schedule.header.prediction.peak_bytes[at]);
        CHECK(result.live_after_execute == (rank == 0 ? 1 : 0));
    }
}

TEST_CASE("one rank and one thread reach exactly the predicted peak", "[executor][engine]") {
    auto const schedule = split_k_schedule(1);
    CHECK(run_by_threads(schedule).results[0].blocks.peak_bytes() == schedule.header.prediction.peak_bytes[0]);
}

TEST_CASE("repeated rounds keep the inputs and give the same result", "[executor][engine]") {
    int const ranks = GENERATE(1, 3);
    RunSetup setup;
    setup.repeat = 4;
    setup.threads = 2;
    std::atomic<int> launches{0};
    setup.hook = [&](int, std::string const&) { ++launches; };
    auto const schedule = split_k_schedule(ranks);
    RunOutcome const run = run_by_threads(schedule, setup);
    CHECK(run.codes == all_done(ranks));
    CHECK(run.outputs.at("Z") == split_k_result(ranks));
    CHECK(launches == 4 * 3 * ranks);
    for (std::size_t rank = 0; rank < run.results.size(); ++rank) {
        CHECK(run.results[rank].rounds.size() == 4);
        CHECK(run.results[rank].transfers.bytes_sent == schedule.header.prediction.bytes_sent[rank]);
        CHECK(run.results[rank].blocks.live() == 0);
    }
}

TEST_CASE("copies and reshapes place elements across ranks", "[executor][engine]") {
    // Y = X[::-1] in two halves on rank 0; R = reshape(Y, (2, 3)), its second row on rank 1 by way of a packed block; F
    // is filled.
    ScheduleBuilder b(2);
    b.tensor("X", {6}), b.tensor("Y", {6}), b.tensor("R", {2, 3}), b.tensor("F", {2});
    auto const reverse = b.movement("Y", {{5, -1}});
    auto const fold = b.reshape_spec("R", {6}, {2, 3});
    b.load(0, "x", "X", {{0}, {6}});
    b.block(0, "y", "Y", {{0}, {6}});
    b.copy(0, reverse, {{3}, {3}}, "x", "y");
    b.copy(0, reverse, {{0}, {3}}, "x", "y");
    b.block(0, "r0", "R", {{0, 0}, {1, 3}});
    b.reshape(0, fold, "y", "r0");
    b.block(0, "packed", "R", {{0}, {3}}, schedule::format_of<schedule::PackedBlock>);
    b.pack(0, fold, {{1, 0}, {1, 3}}, "y", "packed");
    b.transfer(0, "packed", 1);
    b.block(1, "r1", "R", {{1, 0}, {1, 3}});
    b.unpack(1, fold, {{0}, {6}}, "packed", "r1");
    b.block(1, "f", "F", {{0}, {2}});
    b.fill(1, "f", 2.5);
    b.store(0, "r0"), b.store(1, "r1"), b.store(1, "f"), b.store(0, "y");
    RunOutcome const run = run_by_threads(b.finish());
    CHECK(run.codes == all_done(2));
    std::vector<double> const reversed{number(5), number(4), number(3), number(2), number(1), number(0)};
    CHECK(run.outputs.at("Y") == reversed);
    CHECK(run.outputs.at("R") == reversed);
    CHECK(run.outputs.at("F") == std::vector<double>{2.5, 2.5});
}

TEST_CASE("parts of blocks travel to their places", "[executor][engine]") {
    // X (2, 3) is put together on rank 1 from a part of a row, the rest of it and a row; Y is a row of that, sent back.
    ScheduleBuilder b(2);
    b.tensor("X", {2, 3});
    b.load(0, "x", "X", {{0, 0}, {2, 3}});
    b.block(1, "there", "X", {{0, 0}, {2, 3}});
    b.transfer_part(0, "x", {{0, 0}, {1, 2}}, 1, "there");
    b.transfer_part(0, "x", {{1, 0}, {1, 3}}, 1, "there");
    b.transfer_part(0, "x", {{0, 2}, {1, 1}}, 1, "there");
    b.block(0, "row", "X", {{1, 0}, {1, 3}});
    b.transfer_part(1, "there", {{1, 0}, {1, 3}}, 0, "row");
    b.store(1, "there"), b.store(0, "row");
    auto const schedule = b.finish();
    CHECK(schedule.header.prediction.bytes_sent == std::vector<std::int64_t>{48, 24});
    CHECK(schedule.header.prediction.messages_sent == std::vector<std::int64_t>{3, 1});
    RunSetup setup;
    setup.repeat = GENERATE(1, 3);
    RunOutcome const run = run_by_threads(schedule, setup);
    CHECK(run.codes == all_done(2));
    CHECK(run.outputs.at("X") == std::vector<double>{number(0), number(1), number(2), number(3), number(4), number(5)});
    CHECK(run.results[0].transfers.bytes_sent == 48);
    CHECK(run.results[1].transfers.messages_sent == 1);
}

TEST_CASE("scalars, empty blocks, unread blocks and outputs that are inputs", "[executor][engine]") {
    ScheduleBuilder b(2);
    b.tensor("S", {}), b.tensor("E", {0, 3}), b.tensor("X", {2});
    b.load(0, "s", "S", {});
    b.load(0, "e", "E", {{0, 0}, {0, 3}});
    b.load(0, "nobody reads it", "X", {{0}, {2}});
    b.transfer(0, "s", 1);
    b.transfer(0, "e", 1);
    b.store(1, "s"), b.store(1, "e"), b.store(0, "s");
    RunSetup setup;
    setup.repeat = GENERATE(1, 3);
    RunOutcome const run = run_by_threads(b.finish(), setup);
    CHECK(run.codes == all_done(2));
    CHECK(run.outputs.at("S") == std::vector<double>{number(0)});
    CHECK(run.outputs.at("E").empty());
}

TEST_CASE("a rank without tasks waits for the others", "[executor][engine]") {
    ScheduleBuilder b(3);
    b.tensor("X", {2});
    b.load(1, "x", "X", {{0}, {2}});
    b.store(1, "x");
    RunOutcome const run = run_by_threads(b.finish());
    CHECK(run.codes == all_done(3));
    CHECK(run.outputs.at("X") == std::vector<double>{number(0), number(1)});
}

TEST_CASE("random schedules give one result within the predicted peak, however they are delayed",
          "[executor][engine]") {
    std::uint64_t const seed = GENERATE(range(1, 13));
    int const ranks = 1 + static_cast<int>(seed % 5);
    CAPTURE(seed, ranks);
    auto const schedule = random_schedule(ranks, 60, seed);
    RunOutcome const plain = run_by_threads(schedule);
    REQUIRE(plain.codes == all_done(ranks));
    for (int threads : {2, 4}) {
        RunSetup setup;
        setup.threads = threads;
        setup.transport = {200, 20, seed};
        setup.limits.receives = 1 + static_cast<std::int64_t>(seed % 4);
        setup.limits.peer_bytes = static_cast<std::int64_t>(seed % 5 * 20);
        setup.limits.sends = 1 + static_cast<std::int64_t>(seed % 3);
        std::atomic<unsigned> launches{0};
        setup.hook = [&](int, std::string const&) {
            unsigned const which = launches++ * 2654435761u >> 28;
            if (which < 3) std::this_thread::sleep_for(std::chrono::microseconds(200 * which));
        };
        RunOutcome const run = run_by_threads(schedule, setup);
        CHECK(run.codes == all_done(ranks));
        CHECK(same_bits(run.outputs, plain.outputs));
        for (std::size_t rank = 0; rank < run.results.size(); ++rank)
            CHECK(run.results[rank].blocks.peak_bytes() <= schedule.header.prediction.peak_bytes[rank]);
    }
}

TEST_CASE("idle workers help with a kernel", "[executor][engine]") {
    ScheduleBuilder b(1);
    b.tensor("X", {64}), b.tensor("Z", {64});
    auto const kernel = b.kernel("copy of X", sum_of_products("i->i", {{'i', 64}}));
    b.load(0, "x", "X", {{0}, {64}});
    b.block(0, "z", "Z", {{0}, {64}});
    b.apply(0, kernel, {{0}, {64}}, {"x"}, "z");
    b.store(0, "z");
    RunSetup setup;
    setup.threads = 4;
    RunOutcome const run = run_by_threads(b.finish(), setup);
    CHECK(run.codes == all_done(1));
    for (Extent g = 0; g < 64; ++g) CHECK(run.outputs.at("Z")[static_cast<std::size_t>(g)] == number(g));
}

TEST_CASE("an exception in a kernel ends all ranks with its code and says where", "[executor][engine]") {
    int const ranks = GENERATE(1, 2, 5);
    int const threads = GENERATE(1, 3);
    struct Case {
        std::function<void()> raise;
        ExitCode code;
        std::string text;
    };
    std::vector<Case> const cases{{[] { throw MemoryError("too large"); }, ExitCode::no_memory, "too large"},
                                  {[] {
                                       throw InputError(Fault{"X.npy", "", "64 bytes", "63", "write it again"});
                                   },
                                   ExitCode::bad_input, "X.npy: expected 64 bytes"},
                                  {[] { throw std::bad_alloc(); }, ExitCode::no_memory, "memory ran out"},
                                  {[] { throw std::runtime_error("odd"); }, ExitCode::failure, "odd"}};
    for (Case const& each : cases) {
        RunSetup setup;
        setup.threads = threads;
        std::atomic<int> launches{0};
        setup.hook = [&](int rank, std::string const&) {
            if (rank == ranks - 1 && ++launches == 2) each.raise();
        };
        RunOutcome const run = run_by_threads(split_k_schedule(ranks), setup);
        CHECK(run.codes == std::vector<ExitCode>(static_cast<std::size_t>(ranks), each.code));
        for (int rank = 0; rank < ranks; ++rank)
            CHECK(run.messages[static_cast<std::size_t>(rank)].size() == (rank == ranks - 1 ? 1 : 0));
        std::string const& message = run.messages.back().at(0);
        CHECK(message.find("task 3 (apply of node 'AB', block Z[0:6, 0:6]): ") == 0);
        CHECK(message.find(each.text) != std::string::npos);
    }
}

TEST_CASE("a run that stands still says who waits for what and ends", "[executor][engine]") {
    RunSetup setup;
    setup.stall = 0.2;
    std::atomic<bool> ended{false};
    setup.hook = [&](int rank, std::string const&) {
        for (int i = 0; rank == 1 && !ended && i < 200; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));  // "hangs"
    };
    RunOutcome const run = run_by_threads(split_k_schedule(2), setup);
    CHECK(run.codes == std::vector<ExitCode>(2, ExitCode::failure));
    auto const says = [&](std::size_t rank, std::string const& text) {
        for (std::string const& message : run.messages[rank])
            if (message.find(text) != std::string::npos) return true;
        return false;
    };
    CHECK(says(0, "waits for task 5 (receive from rank 1, message 0, block Z[0:6, 0:6]), which task 6 (reduce"));
    CHECK(says(1, "worker 0 runs task 2 (apply of node 'AB'"));
    CHECK(says(0, "raise --stall"));
}

namespace {

/// V = A^iterations X: rows of A on the ranks, X and V cut as they are; each iteration everybody sends its part to
/// everybody.
/// With `until`, fewer iterations: one for each until a counter that goes down by one an iteration is 0.
schedule::Schedule power(int ranks, std::int64_t iterations, std::optional<double> until = {}) {
    ScheduleBuilder b(ranks);
    Extent const n = 2 * ranks;
    b.tensor("A", {n, n}), b.tensor("X", {n}), b.tensor("V", {n}), b.tensor("count", {});
    auto const copy = b.kernel("copy", sum_of_products("i->i", {{'i', n}}));
    auto const multiply = b.kernel("multiply", sum_of_products("ij,j->i", {{'i', n}, {'j', n}}));
    auto const add = b.kernel("count", sum_of_products("->", {}));
    auto const name = [](std::string const& what, int rank) { return what + std::to_string(rank); };
    auto const part = [](int rank) { return Box{{2 * rank}, {2}}; };
    schedule::LoopSpecId const spec = b.loop("power", iterations, until.has_value());
    for (int rank = 0; rank < ranks; ++rank) {
        b.load(rank, "a", "A", {{2 * rank, 0}, {2, n}}), b.load(rank, "x", "X", part(rank));
        b.block(rank, name("v", rank), "V", part(rank)), b.block(rank, name("next", rank), "V", part(rank));
        b.apply(rank, copy, part(rank), {"x"}, name("v", rank));
        if (until) {
            b.block(rank, "count", "count", {}), b.block(rank, "less", "count", {}), b.block(rank, "step", "count", {});
            b.fill(rank, "count", *until), b.fill(rank, "step", -1);
        }
    }
    for (int rank = 0; rank < ranks; ++rank) b.begin_loop(rank, spec);
    for (int from = 0; from < ranks; ++from)
        for (int to = 0; to < ranks; ++to)
            if (from != to) b.transfer(from, name("v", from), to);
    for (int rank = 0; rank < ranks; ++rank) {
        for (int from = 0; from < ranks; ++from)
            b.apply(rank, multiply, {{2 * rank, 2 * from}, {2, 2}}, {"a", name("v", from)}, name("next", rank),
                    from > 0);
        std::map<std::string, std::string> carries{{name("v", rank), name("next", rank)}};
        if (until) {
            b.apply(rank, add, {}, {"count"}, "less");
            b.apply(rank, add, {}, {"step"}, "less", true);
            b.block(rank, "again", "count", {});
            b.apply(rank, add, {}, {"less"}, "again");
            carries["count"] = "less";
        }
        b.end_loop(rank, carries, until ? "again" : "");
    }
    for (int rank = 0; rank < ranks; ++rank) {
        b.block(rank, "z", "V", part(rank));
        b.apply(rank, copy, part(rank), {name("next", rank)}, "z");
        b.store(rank, "z");
    }
    return b.finish();
}

std::vector<double> power_result(int ranks, std::int64_t iterations) {
    Extent const n = 2 * ranks;
    std::vector<double> v(static_cast<std::size_t>(n));
    for (Extent i = 0; i < n; ++i) v[static_cast<std::size_t>(i)] = number(i);
    for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
        std::vector<double> next(v.size(), 0.0);
        for (Extent i = 0; i < n; ++i)
            for (Extent j = 0; j < n; ++j)
                next[static_cast<std::size_t>(i)] += number(i * n + j) * v[static_cast<std::size_t>(j)];
        v = next;
    }
    return v;
}

}  // namespace

TEST_CASE("a loop's iterations exchange what they carry, whatever the number of ranks and threads",
          "[executor][engine][loops]") {
    int const ranks = GENERATE(1, 2, 3, 5), threads = GENERATE(1, 3);
    std::int64_t const iterations = GENERATE(1, 2, 7);
    CAPTURE(ranks, threads, iterations);
    auto const schedule = power(ranks, iterations);
    RunSetup setup;
    setup.threads = threads;
    setup.repeat = 2;
    setup.transport = {64, 3, 11};
    RunOutcome const run = run_by_threads(schedule, setup);
    for (auto const& messages : run.messages)
        for (std::string const& text : messages) FAIL_CHECK(text);
    CHECK(run.codes == all_done(ranks));
    CHECK(run.outputs.at("V") == power_result(ranks, iterations));
    for (std::size_t rank = 0; rank < run.results.size(); ++rank) {
        CHECK(run.results[rank].transfers.bytes_sent == schedule.header.prediction.bytes_sent[rank]);
        CHECK(run.results[rank].blocks.live() == 0);
    }
}

TEST_CASE("a condition ends a loop on all ranks alike", "[executor][engine][loops]") {
    int const ranks = GENERATE(1, 2, 3);
    auto const [until, most, iterations] =
        GENERATE(std::tuple{4.0, 100, 4}, std::tuple{4.0, 3, 3}, std::tuple{1.0, 9, 1});
    auto const schedule = power(ranks, most, until);
    RunOutcome const run = run_by_threads(schedule);
    CHECK(run.codes == all_done(ranks));
    CHECK(run.outputs.at("V") == power_result(ranks, iterations));
    for (RunResult const& result : run.results)
        CHECK(result.iterations.list() == std::vector<std::int64_t>{iterations});
}
