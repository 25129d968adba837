// Joins that are looked through: regions that indices decide, and parts that few labels decide.
#include <algorithm>

#include "tests/support/masked_attention.hpp"

using namespace ein;

namespace {

scheduler::FusionLimits const &small = test::small_pieces, &smallest = test::pieces_of_rows, &none = test::no_groups;

/// On several ranks, of an odd extent, fused and not, by several threads.
void check_everywhere(Json const& graph) {
    for (int const ranks : {1, 2, 3, 5, 7}) {
        test::check_close(graph, {.ranks = ranks, .threads = ranks == 1 ? 3 : 1, .fused_groups = small});
        test::check_close(graph, {.ranks = ranks, .fused_groups = none});
        test::check_close(graph, {.ranks = ranks, .fused_groups = smallest});
    }
    test::check_close(graph, {.ranks = 2, .reproducible = true});
    test::WholeRunSetup emulated;
    emulated.device = {executor::DeviceKind::emulated};
    emulated.device_memory = 0;
    test::check_close(graph, emulated);
}

Json attention(std::string const& mask, bool inside) { return test::masked_attention(mask, {.inside = inside}); }

Json prefix(std::string const& condition, std::string const& agg, std::string const& identity,
            std::string const& einsum, std::string const& dtype) {
    Shape const shape = einsum[0] == 'j' ? Shape{71, 37} : Shape{37, 71};
    Json const data = dtype == "i32" ? Json{{"random", "uniform"}, {"low", -5}, {"high", 6}, {"seed", 4}}
                                     : Json{{"random", "normal"}, {"seed", 4}};
    return {{"eingraph", 1},
            {"tensors", {{"X", {{"shape", shape}, {"dtype", dtype}, {"data", data}}}}},
            {"nodes",
             {{{"name", "Y"},
               {"einsum", einsum},
               {"inputs", {"X"}},
               {"sizes", {{"i", 64}}},
               {"agg", agg},
               {"join", "where(" + condition + ", x, " + identity + ")"}}}},
            {"outputs", {"Y"}}};
}

}  // namespace

TEST_CASE("attention under masks that indices decide", "[end_to_end][regions]") {
    for (char const* mask : {"[i] >= [k]", "[i] - [k] < 20 && [k] <= [i]", "!([k] > [i] + 5)", "[k] < 40",
                             "floor([i]/16) == floor([k]/16)", "[k] == 3 || [i] >= [k]", "[i]*2 >= [k]"})
        for (bool const inside : {true, false}) {
            CAPTURE(mask, inside);
            check_everywhere(attention(mask, inside));
        }
}

TEST_CASE("rows that a mask leaves nothing of are nan, as they are without fused groups", "[end_to_end][regions]") {
    check_everywhere(attention("[i] >= [k] + 9", true));
}

TEST_CASE("products are masked in place in every dtype", "[end_to_end][regions]") {
    auto tensor = [](int seed) {
        return Json{{"shape", {75, 4}}, {"data", {{"random", "uniform"}, {"low", 0}, {"high", 4}, {"seed", seed}}}};
    };
    for (char const* dtype : {"u8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "c64", "c128"}) {
        CAPTURE(dtype);
        Json const graph{
            {"eingraph", 1},
            {"dtype", dtype},
            {"tensors", {{"Q", tensor(1)}, {"K", tensor(2)}, {"V", tensor(3)}}},
            {"nodes",
             {{{"name", "S"}, {"einsum", "id,kd->ik"}, {"inputs", {"Q", "K"}}},
              {{"name", "M"}, {"einsum", "ik->ik"}, {"inputs", {"S"}}, {"join", "where([k] <= [i], x, 3)"}},
              {{"name", "O"}, {"einsum", "ik,kd->id"}, {"inputs", {"M", "V"}}}}},
            {"outputs", {"O"}}};
        for (int const ranks : {1, 2}) test::check_close(graph, {.ranks = ranks, .fused_groups = small});
    }
}

TEST_CASE("what is not chosen may be nan; what is multiplied by zero counts", "[end_to_end][regions]") {
    for (char const* hurt : {"K", "V"}) {
        Json graph = attention("[i] >= [k]", true);
        Json& tensor = graph["tensors"][hurt];
        graph["tensors"]["raw"] = tensor;
        tensor = Json();
        graph["tensors"].erase(hurt);
        graph["nodes"].push_back({{"name", hurt},
                                  {"einsum", "hkd->hkd"},
                                  {"inputs", {"raw"}},
                                  {"join", "where([k] == 60 && [h] == 0, inf - inf*[d], x)"}});
        for (int const ranks : {1, 2, 3}) {
            test::check_close(graph, {.ranks = ranks, .fused_groups = small});
            test::check_close(graph, {.ranks = ranks, .fused_groups = none});
            test::check_close(graph, {.ranks = ranks, .fused_groups = smallest});
        }
    }
}

TEST_CASE("prefixes, suffixes and bands, of every aggregation", "[end_to_end][regions]") {
    struct Kind {
        char const *agg, *identity, *dtype;
    };
    bool odd = false;
    for (Kind const kind : {Kind{"sum", "0", "f32"}, Kind{"sum", "0", "f64"}, Kind{"sum", "0", "i32"},
                            Kind{"max", "-inf", "f32"}, Kind{"min", "inf", "f64"}, Kind{"prod", "1", "f64"},
                            Kind{"sum", "0", "f16"}, Kind{"sum", "0", "c64"}, Kind{"logsumexp", "-inf", "f64"}})
        for (char const* condition :
             {"[j] <= [i]", "[i] - [j] > 3", "[j] >= [i] + 70", "!([j] < [i] - 2)", "[j] <= [i] && [j] > [i] - 9"})
            for (char const* einsum : {"jc->ic", "cj->ci", "jc->ci"}) {
                CAPTURE(kind.agg, kind.dtype, condition, einsum);
                Json const graph = prefix(condition, kind.agg, kind.identity, einsum, kind.dtype);
                for (int const ranks : {odd ? 1 : 2, odd ? 3 : 5})  // all four, of each kind and of each condition
                    test::check_close(graph, {.ranks = ranks, .threads = ranks == 1 ? 2 : 1});
                odd = !odd;
            }
    Json cut = prefix("[j] <= [i]", "sum", "0", "jc->ic", "f64");
    for (char const* label : {"i", "j", "c"}) {
        cut["parts"] = {{"Y", {{label, 3}}}};
        for (int const ranks : {1, 2, 3, 5, 7}) test::check_close(cut, {.ranks = ranks});
    }
}

TEST_CASE("a long prefix is scanned in parts by any number of threads with the same bits", "[end_to_end][regions]") {
    Json const graph = {{"eingraph", 1},
                        {"dtype", "f64"},
                        {"tensors", {{"X", {{"shape", {200001}}, {"data", {{"random", "normal"}, {"seed", 2}}}}}}},
                        {"nodes",
                         {{{"name", "Y"},
                           {"einsum", "j->i"},
                           {"inputs", {"X"}},
                           {"sizes", {{"i", 200001}}},
                           {"join", "where([j] <= [i], x, 0)"}}}},
                        {"outputs", {"Y"}}};
    test::WholeRunSetup one{.threads = 1}, three{.threads = 3};
    one.compared = three.compared = false;
    auto const a = test::whole_run(graph, one), b = test::whole_run(graph, three);
    auto const first = a.results.at("Y").bytes(), second = b.results.at("Y").bytes();
    CHECK(std::equal(first.begin(), first.end(), second.begin(), second.end()));
    double sum = 0;
    bool close = true;
    test::WholeRunSetup given{.threads = 1};
    given.compared = false;
    Json read = graph;
    read["outputs"] = {"X"};
    auto const x = test::whole_run(read, given);
    for (Extent i = 0; i < 200001; ++i) {
        sum += x.results.at("X").at(i).number.real();
        close = close && std::abs(a.results.at("Y").at(i).number.real() - sum) < 1e-9;
    }
    CHECK(close);
}

TEST_CASE("joins that factor give what they gave", "[end_to_end][regions]") {
    for (char const* join :
         {"x*tanh(y)", "where(x > 0, x, 0)*y*2", "(x + 1)*(y - 1)", "x*y*[j]/size(i)", "where([i] > [k], exp(x)*y, 0)"})
        for (char const* dtype : {"f32", "f64", "bf16", "c64"}) {
            bool const ordered = std::string(dtype) != "c64" || std::string(join).find("> 0") == std::string::npos;
            if (!ordered) continue;
            CAPTURE(join, dtype);
            Json graph = {{"eingraph", 1},
                          {"dtype", dtype},
                          {"tensors",
                           {{"A", {{"shape", {53, 51}}, {"data", {{"random", "normal"}, {"seed", 1}}}}},
                            {"B", {{"shape", {51, 57}}, {"data", {{"random", "normal"}, {"seed", 2}}}}}}},
                          {"nodes", {{{"name", "C"}, {"einsum", "ij,jk->ik"}, {"inputs", {"A", "B"}}, {"join", join}}}},
                          {"outputs", {"C"}}};
            for (int const ranks : {1, 2, 3}) test::check_close(graph, {.ranks = ranks});
        }
}
