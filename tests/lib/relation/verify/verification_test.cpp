#include "lib/relation/verify/verification.hpp"

#include "lib/base/json.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::relation;

namespace {

VerifiedOutput const right{.name = "Z", .elements = 24, .of = 24, .max_rel = 1e-16, .tolerance = 1e-13};
VerifiedOutput const wrong{.name = "grad/W",
                           .elements = 64,
                           .of = 4096,
                           .by = Reference::another_order,
                           .from = {"H"},
                           .differ = 2,
                           .ill_conditioned = 3,
                           .overflow = 1};
VerifiedOutput const none{.name = "V", .of = 5};

}  // namespace

TEST_CASE("counts of all outputs are added", "[relation][verify]") {
    Verification const both{{right, wrong}};
    CHECK(both.elements() == 88);
    CHECK(both.of() == 4120);
    CHECK(both.differ() == 2);
    CHECK(both.ill_conditioned() == 3);
    CHECK(both.overflow() == 1);
    CHECK(Verification{}.elements() == 0);
}

TEST_CASE("the report has counts, outputs, by what, and what was not checked", "[relation][verify]") {
    Json const json = to_json({{right, wrong, none}, {"a message"}, {"output 'V': ..."}});
    CHECK(json.at("elements") == 88);
    CHECK(json.at("of") == 4125);
    CHECK(json.at("mismatches") == 2);
    CHECK(json.at("excused") == Json{{"ill_conditioned", 3}, {"overflow", 1}});
    CHECK(json.at("ill_conditioned") == 3);
    CHECK(json.at("unchecked") == Json{"output 'V': ..."});
    CHECK(json.at("outputs").at(1) == Json{{"name", "grad/W"},
                                           {"elements", 64},
                                           {"of", 4096},
                                           {"by", "another_order"},
                                           {"from", {"H"}},
                                           {"differ", 2},
                                           {"excused", {{"ill_conditioned", 3}, {"overflow", 1}}},
                                           {"ill_conditioned", 3},
                                           {"max_rel", 0.0},
                                           {"tolerance", 0.0}});
    CHECK(json.at("outputs").at(0).at("by") == "interpreter");
    CHECK(json.at("outputs").at(2).at("by").is_null());
    CHECK(to_json(Verification{}).at("outputs") == Json::array());
    CHECK(to_json(Verification{}).at("unchecked") == Json::array());
    CHECK(to_json(Verification{}).at("calls").is_null());
}

TEST_CASE("calls stand for outputs that nothing else has checked, if all nodes were looked at", "[relation][verify]") {
    CheckedCalls calls{.elements = 9, .calls = 5, .of_calls = 7, .nodes = 2, .of_nodes = 2, .tolerance = 1e-6};
    Verification covered{{right, none}, {}, {"output 'V': ..."}};
    add_calls(covered, calls);
    CHECK(covered.unchecked.empty());
    Json const json = to_json(covered);
    CHECK(json.at("outputs").at(0).at("by") == "interpreter");
    CHECK(json.at("outputs").at(1).at("by") == "calls");
    CHECK(json.at("elements") == 24);
    CHECK(json.at("mismatches") == 0);
    CHECK(json.at("calls") == Json{{"elements", 9},
                                   {"calls", 5},
                                   {"of_calls", 7},
                                   {"nodes", 2},
                                   {"of_nodes", 2},
                                   {"differ", 0},
                                   {"excused", {{"ill_conditioned", 0}, {"overflow", 0}}},
                                   {"max_rel", 0.0},
                                   {"tolerance", 1e-6},
                                   {"unchecked_nodes", Json::array()}});
    CHECK(
        verified_lines(covered) ==
        "  verified   Z: 24 of 24 elements, 0 differ; by the reference interpreter, tolerance 1e-13\n"
        "  verified   V: by the calls that it is made by, none of its 5 elements on its own\n"
        "  verified   9 elements of 5 of 7 calls, of 2 of 2 nodes, against the blocks that they read: 0 differ; worst "
        "difference 0, tolerance 1e-06\n");

    Verification partly{{right, none}, {}, {"output 'V': ..."}};
    calls.unchecked_nodes = {"G"};
    calls.differ = 2;
    calls.mismatches = {"node 'H' ..."};
    add_calls(partly, calls);
    CHECK(partly.unchecked.size() == 1);
    CHECK(partly.mismatches == std::vector<std::string>{"node 'H' ..."});
    CHECK(to_json(partly).at("outputs").at(1).at("by").is_null());
    CHECK(to_json(partly).at("mismatches") == 2);
    Verification nothing{{none}, {}, {"output 'V': ..."}};
    add_calls(nothing, {});
    CHECK(nothing.unchecked.size() == 1);
}

TEST_CASE("the summary has a line for each output: how much, by what, how closely", "[relation][verify]") {
    CHECK(verified_lines({{right}}) ==
          "  verified   Z: 24 of 24 elements, 0 differ; by the reference interpreter, tolerance 1e-13\n");
    CHECK(verified_lines({{wrong, none}}) ==
          "  verified   grad/W: 64 of 4096 elements, 2 differ, 4 excused (3 ill-conditioned, 1 overflow); by another "
          "order of contraction in double precision from the written H, exactly\n"
          "  verified   V: 0 of 5 elements, not checked\n");
    std::string const many = verified_lines({std::vector<VerifiedOutput>(20, right)});
    CHECK(std::count(many.begin(), many.end(), '\n') == 9);
    CHECK_THAT(many, Catch::Contains("verified   all 20 outputs: 480 of 480 elements, 0 differ\n"));
}
