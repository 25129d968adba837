#include "scheduler/lower/einsum/sum_order.hpp"

#include <map>
#include <random>
#include <set>

#include "tests/support/catch.hpp"

using namespace ein::scheduler;

namespace {

/// Each member keeps a part, and makes a call of a second on each: what others keep first.
SharedSum even(std::size_t members, double message, double addition = 0.1) {
    SharedSum sum;
    for (std::size_t m = 0; m < members; ++m) sum.parts.push_back({m, message, addition});
    for (std::size_t m = 0; m < members; ++m) {
        sum.calls.emplace_back();
        for (std::size_t turn = 1; turn <= members; ++turn)
            sum.calls.back().push_back({(m + members - turn % members) % members, 1, 0});
    }
    return sum;
}

/// The same with two halves of each part.
SharedSum in_halves(std::size_t members, double message) {
    SharedSum const whole = even(members, message / 2);
    SharedSum sum;
    for (SummedPart const& part : whole.parts) sum.parts.insert(sum.parts.end(), 2, part);
    for (auto const& calls : whole.calls) {
        sum.calls.emplace_back();
        for (SummedCall const& call : calls)
            for (std::size_t half = 0; half < 2; ++half) sum.calls.back().push_back({2 * call.part + half, 0.5, 0});
    }
    return sum;
}

SharedSum drawn(unsigned seed) {
    std::mt19937 random(seed);
    auto const draw = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); };
    SharedSum sum;
    auto const members = static_cast<std::size_t>(draw(2, 6));
    for (int part = draw(1, 8); part > 0; --part)
        sum.parts.push_back({static_cast<std::size_t>(draw(0, static_cast<int>(members) - 1)), draw(0, 4) * 0.25, 0.5});
    for (std::size_t m = 0; m < members; ++m) {
        sum.calls.emplace_back();
        for (std::size_t part = 0; part < sum.parts.size(); ++part)
            for (int call = draw(1, 3); call > 0; --call)
                sum.calls.back().push_back({part, draw(1, 4) * 0.5, draw(0, 3) * 1.0});
        std::shuffle(sum.calls.back().begin(), sum.calls.back().end(), random);
    }
    return sum;
}

}  // namespace

TEST_CASE("two members: each computes its own onto what came", "[scheduler][sum_order]") {
    SumOrder const made = sum_order(even(2, 0.5), 1);
    REQUIRE(made.events.size() == 6);
    std::vector<bool> messages;
    for (SumEvent const& event : made.events) messages.push_back(event.is_message);
    CHECK(messages == std::vector<bool>{false, false, false, false, true, true});  // its own is made before it came
    CHECK(made.seconds == Approx(2.1));
    SumOrder const halves = sum_order(in_halves(2, 0.5), 1);
    CHECK(halves.seconds == Approx(2));  // nothing is added: each half came in time
}

TEST_CASE("in a ring nothing waits and nothing is added, where halves come in time", "[scheduler][sum_order]") {
    auto const members = GENERATE(std::size_t{2}, std::size_t{3}, std::size_t{5}, std::size_t{8});
    CAPTURE(members);
    CHECK(sum_order(in_halves(members, 0.8), 1).seconds == Approx(static_cast<double>(members)));
    CHECK(best_stride(in_halves(members, 0.8)) == (members == 2 ? 2 : 1));  // of two: the same
    CHECK(sum_order(in_halves(members, 0.8), members).seconds >=
          static_cast<double>(members) + 0.09 * static_cast<double>(2 * (members - 2)));
}

TEST_CASE("the slower the links, the longer the stride", "[scheduler][sum_order]") {
    CHECK(best_stride(even(8, 0.9)) == 2);
    CHECK(best_stride(even(8, 1.9)) >= 3);
    CHECK(best_stride(even(8, 50)) == 8);
}

TEST_CASE("every term gets to the keeper once, after it was made", "[scheduler][sum_order]") {
    auto const seed = GENERATE(range(1U, 60U));
    CAPTURE(seed);
    SharedSum const sum = drawn(seed);
    for (std::size_t stride = 1; stride <= sum.members(); ++stride) {
        CAPTURE(stride);
        SumOrder const order = sum_order(sum, stride);
        std::vector<std::set<std::size_t>> made(sum.members());
        std::map<std::pair<std::size_t, std::size_t>, std::set<std::size_t>> terms;  // by member and part: whose
        std::map<std::pair<std::size_t, std::size_t>, std::size_t> left;
        for (std::size_t m = 0; m < sum.members(); ++m)
            for (SummedCall const& call : sum.calls[m]) ++left[{m, call.part}];
        for (SumEvent const& event : order.events) {
            if (!event.is_message) {
                REQUIRE(made[event.member].insert(event.call).second);
                REQUIRE(sum.calls[event.member][event.call].part == event.part);
                --left[{event.member, event.part}];
                terms[{event.member, event.part}].insert(event.member);
                continue;
            }
            REQUIRE(left[{event.member, event.part}] == 0);
            for (std::size_t term : terms[{event.member, event.part}])
                REQUIRE(terms[{event.to, event.part}].insert(term).second);
        }
        for (std::size_t m = 0; m < sum.members(); ++m) CHECK(made[m].size() == sum.calls[m].size());
        for (std::size_t part = 0; part < sum.parts.size(); ++part)
            CHECK(terms[{sum.parts[part].keeper, part}].size() == sum.members());
    }
}
