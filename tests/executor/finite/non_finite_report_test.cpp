#include "executor/finite/non_finite_report.hpp"

#include <cmath>
#include <limits>

#include "executor/io/inputs.hpp"
#include "lib/base/json.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rank_threads.hpp"
#include "tests/support/schedule_builder.hpp"

using namespace ein;
using namespace ein::executor;
using tensor::NonFinite;

namespace {

double const inf = std::numeric_limits<double>::infinity();

/// Z = X on two ranks, which load four elements each, and T = X + 0 * `number`.
schedule::Schedule doubled(tensor::Source const& source, double number = 0) {
    test::ScheduleBuilder b(2);
    b.tensor("X", {8}), b.tensor("Z", {8}), b.tensor("T", {8});
    graph::EinSum sum = test::sum_of_products("i->i", {{'i', 8}});
    auto const z = b.kernel("Z", sum);
    sum.join = scalar::Expr::call(scalar::Op::add, {scalar::Expr::operand(0), scalar::Expr::number(number)});
    auto const t = b.kernel("T", sum);
    for (int rank = 0; rank < 2; ++rank) {
        Box const box{{4 * rank}, {4}};
        b.load(rank, "x", "X", box, source);
        for (auto const& [name, of, kernel] : {std::tuple{"z", "Z", z}, {"t", "T", t}}) {
            b.block(rank, name, of, box);
            b.apply(rank, kernel, box, {"x"}, name);
            b.store(rank, name);
        }
    }
    return b.finish();
}

struct Reported {
    NonFiniteReport report;
    std::vector<std::string> warnings;
    std::string fault, summary;
    Json json;
};

/// @param counts  in Z and T, of each rank
Reported reported(schedule::Schedule const& schedule, std::vector<std::array<NonFinite, 2>> const& counts,
                  std::optional<std::vector<SeenNonFinite>> const& seen = {}) {
    Reported out;
    auto const codes = test::on_ranks(2, {}, [&](Transport& transport) {
        schedule::Section const& section = schedule.sections[transport.rank()];
        Readers const readers = open_inputs(schedule.header, section, "");
        auto const self = static_cast<std::size_t>(transport.rank().value());
        RankNonFinite mine{OutputCounts(std::vector(counts[self].begin(), counts[self].end())), {}};
        if (seen) mine.seen = (*seen)[self];
        NonFiniteReport const report = report_non_finite(transport, schedule.header, section, readers, mine);
        if (self == 0)
            out = {report, warnings_of(report, schedule.header), fault_of(report, schedule.header), summary_of(report),
                   to_json(report, schedule.header)};
        return ExitCode::done;
    });
    CHECK(codes == std::vector(2, ExitCode::done));
    return out;
}

tensor::ValuesSource values(std::vector<double> const& numbers) {
    auto const* const bytes = reinterpret_cast<std::byte const*>(numbers.data());
    return {{bytes, bytes + numbers.size() * sizeof(double)}};
}

tensor::ValuesSource const all_finite = values({1, 2, 3, 4, 5, 6, 7, 8});

}  // namespace

TEST_CASE("finite outputs are not spoken of", "[executor][finite]") {
    Reported const all = reported(doubled(all_finite), {{}, {}});
    CHECK(all.warnings.empty());
    CHECK(all.fault.empty());
    CHECK(all.summary.empty());
    CHECK(all.json ==
          Json{{"every_node", false}, {"outputs", Json::array()}, {"in_inputs", nullptr}, {"nodes", Json::array()}});
}

TEST_CASE("what outputs have and inputs have not is a warning, once, with a hint", "[executor][finite]") {
    Reported const all =
        reported(doubled(all_finite), {{NonFinite{1, 0}, NonFinite{}}, {NonFinite{0, 2}, NonFinite{1, 0}}});
    CHECK(all.warnings ==
          std::vector<std::string>{"NaN or infinities in outputs, and none in inputs: first in 'Z', 3 of 8 elements (1 "
                                   "NaN, 2 infinite); also in 'T'; run with --check-finite to see in which node they "
                                   "begin"});
    CHECK(all.summary ==
          "  not finite 3 of 8 elements (1 NaN, 2 infinite) of 'Z'\n"
          "  not finite 1 of 8 elements (1 NaN) of 'T'\n");
    CHECK(all.json["outputs"][0] == Json{{"name", "Z"}, {"of", 8}, {"nan", 1}, {"infinite", 2}});
    CHECK(all.json["in_inputs"] == Json{{"nan", 0}, {"infinite", 0}});
}

TEST_CASE("what an input has too is only counted, whichever rank loads it", "[executor][finite]") {
    auto const source = values({1, 2, 3, 4, 5, inf, 7, 8});
    CHECK(reported(doubled(source), {{NonFinite{0, 2}, NonFinite{}}, {}}).warnings.empty());
    Reported const all = reported(doubled(source), {{NonFinite{1, 2}, NonFinite{}}, {}});
    REQUIRE(all.warnings.size() == 1);
    CHECK_THAT(all.warnings[0], Catch::StartsWith("NaN in outputs, and none in inputs, which have infinities: first in "
                                                  "'Z', 1 of 8 elements (1 NaN); run"));
    CHECK(reported(doubled(tensor::FillSource{std::nan("")}), {{NonFinite{8, 0}, NonFinite{}}, {}}).warnings.empty());
}

TEST_CASE("what the graph writes itself is only counted, and no input is read for it", "[executor][finite]") {
    Reported const all = reported(doubled(all_finite, inf), {{NonFinite{0, 4}, NonFinite{}}, {}});
    CHECK(all.warnings.empty());
    CHECK(all.json["in_inputs"].is_null());
    CHECK(reported(doubled(all_finite, inf), {{NonFinite{1, 0}, NonFinite{}}, {}}).warnings.size() == 1);
}

TEST_CASE("where every node was looked at, the node is named", "[executor][finite]") {
    Sighting some;
    some.add({{4}, {4}}, 2, {});
    SeenTensor z{schedule::TensorId{1}, some, {}, schedule::KernelId{0}, {schedule::TensorId{0}}};
    std::vector<SeenNonFinite> seen{{}, {{z}, {}}};
    Reported const all = reported(doubled(all_finite), {{}, {NonFinite{2, 0}, NonFinite{}}}, seen);
    CHECK_THAT(all.fault, Catch::StartsWith("--check-finite: node 'Z': expected finite elements, since its inputs are "
                                            "finite, found 2 elements (2 NaN) on rank 1; "));
    CHECK(all.warnings.empty());
    CHECK(all.json["nodes"] == Json{{{"node", "Z"},
                                     {"nan", 2},
                                     {"infinite", 0},
                                     {"inputs_are_finite", true},
                                     {"iterations", Json::array()},
                                     {"ranks", Json::array({1})}}});
    SeenTensor x{schedule::TensorId{0}, {}, some};
    seen[0].tensors.push_back(x);
    Reported const derived = reported(doubled(all_finite), {{}, {NonFinite{2, 0}, NonFinite{}}}, seen);
    CHECK(derived.fault.empty());
    CHECK(derived.warnings == std::vector<std::string>{"NaN comes up in node 'Z', whose inputs have infinities and no "
                                                       "NaN: 2 elements (2 NaN)"});
}
