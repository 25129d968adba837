#include "lib/schedule/print/overview.hpp"

#include <algorithm>

#include "lib/schedule/memory/replay.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/schedule_builder.hpp"
#include "tests/support/small_schedule.hpp"

using namespace ein;

TEST_CASE("an overview adds up to what is predicted", "[schedule][print]") {
    auto const schedule = test::small_schedule();
    schedule::Overview const all = schedule::overview_of(schedule);
    std::int64_t tasks = 0, of_ranks = 0;
    for (auto const& kind : all.kinds) tasks += kind.tasks;
    for (auto const& rank : all.ranks) of_ranks += rank.tasks;
    CHECK(tasks == of_ranks);
    CHECK(tasks ==
          static_cast<std::int64_t>(schedule.sections[Rank{0}].tasks.size() + schedule.sections[Rank{1}].tasks.size()));
    auto const node = std::ranges::find(all.nodes, "Z", &schedule::Overview::OfNode::name);
    REQUIRE(node != all.nodes.end());
    CHECK(node->calls == 2);
    CHECK(node->ranks == 2);
    auto const input = std::ranges::find(all.nodes, "X", &schedule::Overview::OfNode::name);
    REQUIRE(input != all.nodes.end());
    CHECK(input->moved == schedule.header.prediction.bytes_sent[0]);
    double flops = 0;
    for (Rank rank : schedule.sections.ids()) {
        schedule::Section const& section = schedule.sections[rank];
        flops += schedule::flops(schedule.header, section,
                                 {section, schedule::predicted_iterations(schedule.header, section)});
    }
    CHECK(node->flops == flops);
    CHECK(std::ranges::is_sorted(all.ranks, std::greater(), &schedule::Overview::OfRank::flops));
}

TEST_CASE("an overview of many nodes and ranks is one screen", "[schedule][print]") {
    test::ScheduleBuilder b(40);
    for (int rank = 0; rank < 40; ++rank) {
        std::string const name = "a_node_of_a_very_long_name_indeed_" + std::to_string(rank);
        b.tensor(name, {8, 4}), b.tensor("out." + name, {8});
        auto const kernel = b.kernel(name, test::sum_of_products("ij->i", {{'i', 8}, {'j', 4}}));
        b.load(rank, name, name, {{0, 0}, {8, 4}}), b.block(rank, "z" + name, "out." + name, {{0}, {8}});
        b.apply(rank, kernel, {{0, 0}, {8, 4}}, {name}, "z" + name);
        b.store(rank, "z" + name);
    }
    auto const schedule = b.finish();
    std::string const text = to_text(schedule::overview_of(schedule), schedule.header);
    INFO(text);
    CHECK(std::ranges::count(text, '\n') < 40);
    CHECK(text.find("and 32 more: 80.0 % of the operations") != std::string::npos);
    CHECK(text.find("and 34 more with fewer operations") != std::string::npos);
    for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1)
        CHECK(text.find('\n', begin) - begin <= 100);
}
