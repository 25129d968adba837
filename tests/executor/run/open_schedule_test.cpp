#include "executor/run/open_schedule.hpp"

#include "lib/schedule/file/file.hpp"
#include "tests/lib/tensor/temporary_folder.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/left_ranks.hpp"
#include "tests/support/small_schedule.hpp"

using namespace ein;
using namespace ein::executor;
using ein::test::leave;
using ein::test::Left;
using ein::test::with;

namespace {

/// A schedule for two ranks in a folder that is gone at the end.
struct Written {
    TemporaryFolder folder;
    std::filesystem::path file = folder.path() / "rows.sched";

    Written() { schedule::write_file(test::small_schedule(), file); }
};

}  // namespace

TEST_CASE("each rank reads the header and its own section", "[executor][run]") {
    Written const written;
    auto const tasks = test::on_ranks(2, {}, [&](Transport& transport) {
        RankSchedule const mine = open_schedule(transport, written.file, with({}));
        CHECK(mine.header.name == "row sums");
        CHECK(mine.hash.size() == 16);
        CHECK(mine.data_folder == written.folder.path() / "");
        return mine.section.tasks.size();
    });
    auto const whole = test::small_schedule();
    CHECK(tasks ==
          std::vector<std::size_t>{whole.sections[Rank{0}].tasks.size(), whole.sections[Rank{1}].tasks.size()});
}

TEST_CASE("another number of ranks is refused with the command that would do", "[executor][run]") {
    Written const written;
    auto const open_on = [&](int ranks, std::map<std::string, std::string> const& variables) {
        return leave(ranks, [&](Transport& t) { open_schedule(t, written.file, with(variables)); })[0];
    };
    CHECK(open_on(1, {}) == Left{ExitCode::usage,
                                 "schedule is for 2 ranks, einrun was started alone, without mpirun; run mpirun -n 2 "
                                 "or plan again with einplan -n 1"});
    Left const three = open_on(3, {{"OMPI_COMM_WORLD_SIZE", "3"}});
    CHECK(three.code == ExitCode::usage);
    CHECK_THAT(three.message, Catch::Contains("mpirun started 3; run mpirun -n 2 or plan again with einplan -n 3"));
}

TEST_CASE("a schedule that was not planned to be reproducible is refused with the command that does",
          "[executor][run]") {
    schedule::Header header = test::small_schedule().header;
    try {
        check_reproducible(header, "rows.sched");
        FAIL("accepted");
    } catch (UsageError const& error) {
        CHECK(std::string(error.what()) ==
              "--reproducible: expected a schedule that was planned with it, found rows.sched, which was not; plan it "
              "again: einplan rows.json -n 2 --reproducible");
    }
    header.reproducible = true;
    CHECK_NOTHROW(check_reproducible(header, "rows.sched"));
}

TEST_CASE("a file that is missing, damaged or not the same is refused by all", "[executor][run]") {
    Written const written;
    auto const missing =
        leave(2, [&](Transport& t) { open_schedule(t, written.folder.path() / "none.sched", with({})); });
    CHECK(missing[0].code == ExitCode::bad_input);
    CHECK_THAT(missing[0].message, Catch::Contains("none.sched"));
    CHECK(missing[1] == Left{ExitCode::bad_input, ""});

    auto other = test::small_schedule();
    other.header.strategy = "another";
    schedule::write_file(other, written.folder.path() / "other.sched");
    auto const unlike = leave(2, [&](Transport& t) {
        open_schedule(t, t.rank() == Rank{0} ? written.file : written.folder.path() / "other.sched", with({}));
    });
    CHECK(unlike[0].code == ExitCode::bad_input);
    CHECK_THAT(unlike[0].message, Catch::Contains("rows.sched: expected the same schedule on all ranks, found "));
}

TEST_CASE("the first option that differs is named", "[executor][run]") {
    auto const agree = [](std::vector<std::string> const& options) {
        return leave(static_cast<int>(options.size()), [&](Transport& t) {
            agree_on_options(t, options[static_cast<std::size_t>(t.rank().value())]);
        })[0];
    };
    CHECK(agree({"--repeat 1\n--out a", "--repeat 1\n--out a"}) == Left{});
    CHECK(
        agree({"--repeat 1\n--out a\nno --trace", "--repeat 1\n--out a\nno --trace", "--repeat 1\n--out b\n--trace"}) ==
        Left{ExitCode::usage,
             "expected --out a for all ranks as for rank 0, found --out b for rank 2; give it to every part of the "
             "mpirun command alike"});
}
