#include "executor/call_check/call_tallies.hpp"

#include "executor/call_check/tuning.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rank_threads.hpp"

using namespace ein;
using namespace ein::executor;

namespace {

CallTally tally_of(CheckedElement const& element) {
    CallTally out{.calls = 1};
    out.add(element);
    return out;
}

}  // namespace

TEST_CASE("ranks put together what they have found, by node", "[executor][call_check]") {
    std::vector<relation::CheckedCalls> found(3);
    test::on_ranks(3, {}, [&](Transport& transport) {
        int const self = transport.rank().value();
        RankCalls mine;
        mine.nodes["Z"].made = 4;
        mine.nodes["Y"].made = 2;
        CheckedElement const wrong{CheckedElement::Verdict::wrong, std::numeric_limits<double>::infinity(), 1e-6};
        if (self == 1) mine.nodes["Z"].add(tally_of(wrong));
        if (self == 1) mine.mismatches.push_back("Z is wrong");
        if (self == 2) mine.nodes["Z"].add(tally_of({CheckedElement::Verdict::ill_conditioned, 1e-3, 1e-5}));
        found[at(self)] = gather_checked_calls(transport, mine);
        return ExitCode::done;
    });
    for (relation::CheckedCalls const& calls : found) {
        CHECK(calls.elements == 2);
        CHECK(calls.calls == 2);
        CHECK(calls.of_calls == 18);
        CHECK(calls.nodes == 1);
        CHECK(calls.of_nodes == 2);
        CHECK(calls.differ == 1);
        CHECK(calls.ill_conditioned == 1);
        CHECK(std::isinf(calls.max_rel));
        CHECK(calls.tolerance == 1e-5);
        CHECK(calls.mismatches == std::vector<std::string>{"Z is wrong"});
        CHECK(calls.unchecked_nodes == std::vector<std::string>{"Y"});
        CHECK_FALSE(calls.covers_all());
    }
}

TEST_CASE("only the first mismatches have a message", "[executor][call_check]") {
    CallTallies tallies;
    for (std::size_t k = 0; k < 2 * tuning::most_mismatches; ++k) {
        CHECK(tallies.is_enough() == (k >= tuning::most_mismatches));
        tallies.add("Z", tally_of({CheckedElement::Verdict::wrong, 1, 0}), "message " + std::to_string(k));
    }
    CHECK(tallies.so_far().mismatches.size() == tuning::most_mismatches);
    CHECK(tallies.so_far().nodes.at("Z").differ == static_cast<std::int64_t>(2 * tuning::most_mismatches));
}
