#include "executor/run/prepared_run.hpp"

#include "lib/tensor/read.hpp"
#include "tests/executor/run/one_rank.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;

TEST_CASE("a prepared run computes, and its outputs have their names when they are published", "[executor][run]") {
    test::OneRank one;
    one.prepare();
    REQUIRE(one.run->output_files().size() == 1);
    std::filesystem::path const file = one.run->output_files()[0];
    Ran const ran = one.run->run();
    CHECK(ran.result.blocks.live() == 0);
    CHECK_FALSE(std::filesystem::exists(file));
    one.run->publish_outputs();
    CHECK(tensor::read_npy(file).shape() == Shape{4});
    CHECK(one.said.sorted().empty());
}

TEST_CASE("a run knows what it is for reports", "[executor][run]") {
    test::OneRank one;
    one.prepare();
    RunFacts const facts = one.run->facts();
    CHECK(facts.version == "1.2.3");
    CHECK(facts.schedule_hash == "0123456789abcdef");
    CHECK(facts.device == "cpu");
    CHECK(facts.host == "node");
    CHECK(facts.threads == 1);
    CHECK_FALSE(one.run->spills_in_memory());
}

TEST_CASE("a reproducible schedule takes no GPU", "[executor][run]") {
    schedule::Header header;
    CHECK(choice_for(header, {DeviceKind::automatic}).kind == DeviceKind::automatic);
    CHECK(choice_for(header, {DeviceKind::cuda}).kind == DeviceKind::cuda);
    header.reproducible = true;
    CHECK(choice_for(header, {DeviceKind::automatic}).kind == DeviceKind::cpu);
    CHECK(choice_for(header, {DeviceKind::reference}).kind == DeviceKind::reference);
    CHECK_THROWS_WITH(choice_for(header, {DeviceKind::cuda}),
                      Catch::Contains("--device: expected cpu or reference for a schedule that was planned with "
                                      "--reproducible, found cuda"));
}

TEST_CASE("what fails leaves a message, a flight record and no output", "[executor][run]") {
    test::OneRank one;
    one.schedule.header.inputs[schedule::InputId{0}].source =
        tensor::NpySource{.file = one.folder.write("x.npy", "no array")};
    CHECK_THROWS_AS(one.prepare(), InputError);

    test::OneRank other;
    other.prepare();
    std::filesystem::remove_all(other.settings.out);  // the store has nowhere to write
    CHECK_THROWS_AS(other.run->run(), Error);
    auto const said = other.said.sorted();
    REQUIRE_FALSE(said.empty());
    CHECK_THAT(said[0], Catch::StartsWith("rank 0: "));
    CHECK_FALSE(std::filesystem::exists(other.run->output_files()[0]));
}
