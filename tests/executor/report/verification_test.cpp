#include "executor/report/verification.hpp"

#include "lib/base/json.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;

namespace {

VerifiedOutput const right{.name = "Z", .elements = 24, .of = 24, .max_rel = 1e-16, .tolerance = 1e-13};
VerifiedOutput const wrong{.name = "grad/W", .elements = 64, .of = 4096, .differ = 2, .ill_conditioned = 3};

}  // namespace

TEST_CASE("counts of all outputs are added", "[executor][verification]") {
    Verification const both{{right, wrong}, {"output 'grad/W' [0]: ..."}, {}};
    CHECK(both.elements() == 88);
    CHECK(both.differ() == 2);
    CHECK(both.ill_conditioned() == 3);
    CHECK(Verification{}.elements() == 0);
}

TEST_CASE("the report has counts, outputs and what was skipped", "[executor][verification]") {
    Json const json = to_json({{right, wrong}, {"a message"}, {"output 'V' is not verified"}});
    CHECK(json.at("elements") == 88);
    CHECK(json.at("mismatches") == 2);
    CHECK(json.at("ill_conditioned") == 3);
    CHECK(json.at("skipped") == Json{"output 'V' is not verified"});
    CHECK(json.at("outputs").at(1) == Json{{"name", "grad/W"},
                                           {"elements", 64},
                                           {"of", 4096},
                                           {"differ", 2},
                                           {"ill_conditioned", 3},
                                           {"max_rel", 0.0},
                                           {"tolerance", 0.0}});
    CHECK(to_json(Verification{}).at("outputs") == Json::array());
    CHECK(to_json(Verification{}).at("skipped") == Json::array());
}

TEST_CASE("the summary says how much was verified, and what rounding excuses", "[executor][verification]") {
    CHECK(verified_line({{right}, {}, {}}) == "  verified   24 elements, 0 differ\n");
    CHECK(verified_line({{right, wrong}, {}, {}}) ==
          "  verified   88 elements, 2 differ (3 are ill-conditioned and off by rounding)\n");
}
