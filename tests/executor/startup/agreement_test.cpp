#include "executor/startup/agreement.hpp"

#include "executor/startup/core_sets.hpp"
#include "executor/startup/threads.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/left_ranks.hpp"

using namespace ein;
using namespace ein::executor;
using ein::test::leave;
using ein::test::Left;
using ein::test::on_ranks;
using ein::test::with;

namespace {

std::vector<Seat> const two_unbound{{"a", {0, 1, 2, 3, 4, 5, 6, 7}}, {"a", {0, 1, 2, 3, 4, 5, 6, 7}}, {"b", {0, 1}}};

}  // namespace

TEST_CASE("when all is well everybody goes on", "[executor][agreement]") {
    CHECK(leave(3, [](Transport& t) { agree(t, [] {}); }) == std::vector<Left>(3));
    CHECK(leave(3, [](Transport& t) { agree_on(t, "same", ExitCode::bad_input, [](auto const&) { return "?"; }); }) ==
          std::vector<Left>(3));
}

TEST_CASE("one rank's fault makes all leave with its code; rank 0 reports each fault once", "[executor][agreement]") {
    auto const left = leave(4, [](Transport& t) {
        agree(t, [&] {
            int const rank = t.rank().value();
            if (rank == 1)
                throw InputError({Fault{"A.npy", "", "a file", "none", ""}, Fault{"B.npy", "", "a file", "none", ""}});
            if (rank == 2) throw InputError(Fault{"B.npy", "", "a file", "none", ""});
            if (rank == 3) throw std::bad_alloc();
        });
    });
    CHECK(left[0].code == ExitCode::bad_input);
    CHECK(left[0].message.find(
              "A.npy: expected a file, found none\nB.npy: expected a file, found none\nmemory ran out") == 0);
    for (std::size_t rank = 1; rank < 4; ++rank) CHECK(left[rank] == Left{ExitCode::bad_input, ""});
}

TEST_CASE("ranks that read different schedules leave", "[executor][agreement]") {
    auto const left = leave(2, [](Transport& t) {
        agree_on(t, std::to_string(t.rank().value()), ExitCode::bad_input,
                 [](auto const& all) { return all[0] + " and " + all[1]; });
    });
    CHECK(left == std::vector<Left>{{ExitCode::bad_input, "0 and 1"}, {ExitCode::bad_input, ""}});
}

TEST_CASE("threads come from the flag, then OpenMP's variable, then Slurm's, then the cores", "[executor][threads]") {
    auto const all = with({{"OMP_NUM_THREADS", "3,2"}, {"SLURM_CPUS_PER_TASK", "2"}});
    CHECK(choose_threads(1, all, two_unbound, Rank{0}).threads == 1);
    CHECK(choose_threads({}, all, two_unbound, Rank{0}).threads == 3);
    CHECK(choose_threads({}, with({{"SLURM_CPUS_PER_TASK", "2"}}), two_unbound, Rank{0}).threads == 2);
    CHECK(choose_threads({}, with({{"OMP_NUM_THREADS", ""}}), two_unbound, Rank{0}).threads == 4);
    CHECK(choose_threads({}, with({}), two_unbound, Rank{2}).threads == 2);
    CHECK(choose_threads({}, with({}), {{"a", {0}}, {"a", {1}}}, Rank{1}).threads == 1);
    CHECK(choose_threads({}, with({}), {{"a", {0}}, {"a", {0}}, {"a", {0}}}, Rank{1}).threads == 1);
}

TEST_CASE("more threads than cores are warned of, with numbers", "[executor][threads]") {
    CHECK_FALSE(choose_threads(4, with({}), two_unbound, Rank{0}).oversubscribed);
    ThreadChoice const choice = choose_threads(5, with({}), two_unbound, Rank{0});
    CHECK(choice.oversubscribed);
    CHECK(choice.warning.find("2 ranks x 5 threads (from --threads) share 8 cores on a") == 0);
}

TEST_CASE("a variable that is no number of threads is refused", "[executor][threads]") {
    for (char const* text : {"many", "0", "-1", "2x"})
        CHECK_THROWS_AS(choose_threads({}, with({{"OMP_NUM_THREADS", text}}), two_unbound, Rank{0}), UsageError);
}

TEST_CASE("seats travel as text", "[executor][threads]") {
    CHECK(seat_from_text(to_text(two_unbound[2])) == two_unbound[2]);
    CHECK_FALSE(this_seat().cores.empty());
}

TEST_CASE("cores are read and written as Linux lists them", "[executor][threads]") {
    CHECK(cores_from_list("0-2,8,10-11\n") == std::vector{0, 1, 2, 8, 10, 11});
    CHECK(cores_from_list("7") == std::vector{7});
    for (char const* text : {"", "\n", "a", "3-1", "1-", "0-100000", "1,,2", "-1"})
        CHECK(cores_from_list(text).empty());
    CHECK(list_of_cores({0, 1, 2, 8, 10, 11}) == "0-2,8,10-11");
    CHECK(list_of_cores({}) == "");
}

TEST_CASE("a rank that the launcher left unbound settles near its device, any other stays", "[executor][threads]") {
    std::vector<int> const here = this_seat().cores, first{here.front()};
    CHECK(settle_near({}, here, static_cast<int>(here.size())) == here);
    CHECK(settle_near({100000}, here, static_cast<int>(here.size())) == here);
    CHECK(settle_near(first, here, static_cast<int>(here.size()) + 1) == here);  // the launcher chose these
    std::thread([&] {
        CHECK(settle_near(first, here, static_cast<int>(here.size())) == first);
        CHECK(this_seat().cores == first);
    }).join();
    CHECK(this_seat().cores == here);
}
