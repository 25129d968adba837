// Gradients of masked attention, and products that a mask makes zero: what is left out is what would have been
// computed, signs of zeros, nan and infinities included. EIN_SEEDS=FIRST:COUNT draws other masks.
#include <algorithm>
#include <cmath>
#include <random>

#include "lib/schedule/memory/spill.hpp"
#include "lib/tensor/convert.hpp"
#include "tests/support/masked_attention.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/results.hpp"

using namespace ein;
using test::MaskedAttention;

namespace {

constexpr int all_ranks[] = {1, 2, 3, 4, 5, 7};

Json gradient(std::string const& mask, bool inside, std::string const& dtype = "f32") {
    return test::masked_attention(mask, {.inside = inside, .with_gradient = true, .dtype = dtype});
}

/// Elements of heads 0 in place of others.
void hurt(Json& graph, std::string const& tensor, std::string const& value) {
    graph["tensors"]["raw"] = graph["tensors"][tensor];
    graph["tensors"].erase(tensor);
    Json const made{{"name", tensor},
                    {"einsum", "hkd->hkd"},
                    {"inputs", {"raw"}},
                    {"join", "where([k] == 60 && [h] == 0, " + value + ", x)"}};
    graph["nodes"].insert(graph["nodes"].begin(), made);
}

/// Of each element: nan, an infinity, a zero, or another number. Which zero a sum of zeros is, is open.
std::string kinds_of(tensor::HostTensor const& tensor, bool is_sum) {
    std::string out;
    std::size_t const size = size_of(tensor.dtype());
    for (std::size_t at = 0; at < tensor.bytes().size(); at += size) {
        double value = 0;
        tensor::convert(tensor.dtype(), tensor.bytes().data() + at, 1, DType::f64, &value, 1);
        out += std::isnan(value)   ? 'n'
               : std::isinf(value) ? (value < 0 ? '<' : '>')
               : value == 0        ? (std::signbit(value) && !is_sum ? '-' : '+')
                                   : 'x';
    }
    return out;
}

/// As without fused groups, where every task computes all of its elements one by one.
void check_kinds(Json const& graph, test::WholeRunSetup setup) {
    setup.compared = false;
    test::WholeRun const run = test::whole_run(graph, setup);
    setup.fused_groups = test::no_groups;
    test::WholeRun const single = test::whole_run(graph, setup);
    for (test::WholeRun const* of : {&run, &single})
        for (std::string const& failure : of->failures) FAIL_CHECK(failure);
    for (auto const& [name, result] : single.results) {
        bool const is_sum = name != "D";  // of the graphs below
        std::string const found = kinds_of(run.results.at(name), is_sum), expected = kinds_of(result, is_sum);
        auto const [of_found, of_expected] = std::ranges::mismatch(found, expected);
        if (of_found == found.end()) continue;
        CAPTURE(name, setup.ranks, of_found - found.begin(), *of_found, *of_expected);
        FAIL_CHECK("another kind of number");
    }
}

Json node(std::string const& name, std::string const& einsum, std::vector<std::string> const& inputs,
          std::string const& join, std::string const& agg = "sum") {
    return {{"name", name}, {"einsum", einsum}, {"inputs", inputs}, {"join", join}, {"agg", agg}};
}

Json leaf(Shape const& shape, int seed) { return {{"shape", shape}, {"data", {{"random", "normal"}, {"seed", seed}}}}; }

/// E = what a mask leaves of a product, D of it and another product, and sums of D; as gradients of attention have
/// them, written by hand.
Json chain(std::string const& masked, std::string const& of_two, Json readers, std::vector<std::string> const& outputs,
           std::string const& dtype = "f32") {
    Json nodes{node("A", "id,kd->ik", {"Q", "K"}, "x*y"), node("E", "ik->ik", {"A"}, masked),
               node("B", "id,kd->ik", {"G", "V"}, "x*y"), node("D", "ik,ik->ik", {"E", "B"}, of_two)};
    for (Json& reader : readers) nodes.push_back(std::move(reader));
    return {{"eingraph", 1},
            {"dtype", dtype},
            {"tensors",
             {{"Q", leaf({75, 4}, 1)}, {"K", leaf({71, 4}, 2)}, {"G", leaf({75, 4}, 3)}, {"V", leaf({71, 4}, 4)}}},
            {"nodes", nodes},
            {"outputs", outputs}};
}

class Draw {
public:
    explicit Draw(std::uint64_t seed) : engine_(seed * 0x9e3779b97f4a7c15u + 1) {}
    int number(int least, int most) {
        return least + static_cast<int>(engine_() % static_cast<std::uint64_t>(most - least + 1));
    }
    template <class T>
    T const& one_of(std::vector<T> const& list) {
        return list[static_cast<std::size_t>(number(0, static_cast<int>(list.size()) - 1))];
    }

    /// A condition on i and k.
    std::string mask(int depth = 2) {
        if (depth > 0 && number(0, 2) == 0)
            return "(" + mask(depth - 1) + one_of<std::string>({" && ", " || "}) + mask(depth - 1) + ")";
        if (depth > 0 && number(0, 5) == 0) return "!(" + mask(depth - 1) + ")";
        std::string const n = std::to_string(number(-12, 12)), many = std::to_string(number(1, 70));
        std::string const order = one_of<std::string>({"<", "<=", ">", ">="});
        switch (number(0, 7)) {
            case 0: return "[k] " + order + " " + many;
            case 1: return "[i] " + order + " " + many;
            case 2: return "floor([i]/9) == floor([k]/" + std::to_string(number(7, 20)) + ")";
            case 3: return "mod([k], 5) != " + std::to_string(number(0, 4));
            case 4: return "abs([i] - [k]) < " + many;
            case 5: return std::to_string(number(1, 3)) + "*[i] " + order + " [k] + " + many;
            default: return "[i] - [k] " + order + " " + n;
        }
    }
    std::string choice(std::string const& kept, std::string const& other) {
        std::string const condition = mask();
        return number(0, 1) == 0 ? "where(" + condition + ", " + kept + ", " + other + ")"
                                 : "where(" + condition + ", " + other + ", " + kept + ")";
    }

private:
    std::mt19937_64 engine_;
};

Json random_chain(Draw& draw, std::string const& dtype) {
    std::string const masked = draw.choice(draw.one_of<std::string>({"x", "exp(x*0.3)", "x*0.25"}),
                                           draw.one_of<std::string>({"0", "0", "0", "-0.0", "2", "-inf", "1e9"}));
    std::string of_two = draw.one_of<std::string>({"x*y", "x*(y - 0.5)", "x*y*0.3", "x/(y*y + 1)", "-x*y", "x + y",
                                                   "exp(x)*y", "exp(min(x, 5))*y", "max(x, y)", "x - x*y"});
    if (draw.number(0, 4) == 0) of_two = draw.choice(of_two, "0");
    std::string const of_sum = draw.one_of<std::string>({"x*y", "-x*y", "x*y*0.3", "x*y + x"});
    bool const by_key = draw.number(0, 1) == 0;
    Json readers{node("Z", by_key ? "ik,kd->id" : "ik,id->kd", {"D", by_key ? "V" : "G"},
                      draw.number(0, 2) == 0 ? draw.choice(of_sum, "0") : of_sum)};
    if (draw.number(0, 2) == 0)
        readers.push_back(node("R", "ik->i", {"D"}, draw.one_of<std::string>({"x", "where(1/x > 0, 1, 0)", "abs(x)"}),
                               draw.one_of<std::string>({"max", "min", "sum"})));
    std::vector<std::string> outputs{"Z"};
    if (readers.size() == 2) outputs.push_back("R");
    if (draw.number(0, 1) == 0) outputs.push_back("D");
    return chain(masked, of_two, readers, outputs, dtype);
}

}  // namespace

TEST_CASE("gradients of attention under masks of many kinds", "[end_to_end][regions]") {
    struct Kind {
        char const* mask;
        bool inside;
    };
    for (Kind const kind : {Kind{"[i] >= [k]", true}, Kind{"[k] <= [i]", false},
                            Kind{"[i] - [k] < 20 && [k] <= [i]", false}, Kind{"[i] - [k] < 20 && [k] <= [i]", true},
                            Kind{"[k] <= [i] + 7", false}, Kind{"!([k] > [i] + 40) || [k] == 70", false},
                            Kind{"floor([i]/16) == floor([k]/16)", true}, Kind{"abs([i] - [k]) < 9", false}})
        for (int const ranks : all_ranks) {
            if (kind.inside && ranks % 2 == 0) continue;
            CAPTURE(kind.mask, kind.inside);
            Json const graph = gradient(kind.mask, kind.inside);
            test::check_close(graph,
                              {.ranks = ranks, .threads = ranks == 1 ? 3 : 1, .fused_groups = test::small_pieces});
            if (ranks % 3 != 1) continue;
            test::check_close(graph, {.ranks = ranks, .fused_groups = test::pieces_of_rows});
            test::check_close(graph, {.ranks = ranks, .fused_groups = test::no_groups});
        }
    test::check_close(gradient("[k] <= [i]", false), {.ranks = 2, .reproducible = true});
}

TEST_CASE("gradients of masked attention in every type of reals", "[end_to_end][regions]") {
    for (char const* dtype : {"f64", "f16", "bf16"})
        for (char const* mask : {"[k] <= [i]", "[i] - [k] < 20 && [k] <= [i]"})
            for (int const ranks : {1, 3, 4})
                for (bool const inside : {true, false}) {
                    CAPTURE(dtype, mask, inside);
                    test::check_close(gradient(mask, inside, dtype),
                                      {.ranks = ranks, .fused_groups = test::small_pieces});
                }
}

TEST_CASE("rows that a mask leaves nothing of make gradients nan", "[end_to_end][regions]") {
    for (int const ranks : all_ranks) {
        Json const graph = gradient("[i] >= [k] + 9", ranks % 2 == 0);
        test::check_close(graph, {.ranks = ranks, .fused_groups = test::small_pieces});
        test::check_close(graph, {.ranks = ranks, .fused_groups = test::no_groups});
    }
}

TEST_CASE("what is known of masked operands holds only of numbers", "[end_to_end][regions]") {
    for (char const* tensor : {"Q", "K", "V"})
        for (char const* value : {"inf - inf*[d]", "inf", "-inf", "1e30"})
            for (int const ranks : {1, 2, 3}) {
                CAPTURE(tensor, value);
                Json graph = gradient("[i] >= [k]", ranks == 2);
                hurt(graph, tensor, value);
                test::check_close(graph, {.ranks = ranks, .fused_groups = test::small_pieces});
                check_kinds(graph, {.ranks = ranks, .fused_groups = test::small_pieces});
            }
}

TEST_CASE("a zero that a mask made is nan times infinity, and what reads it knows", "[end_to_end][regions]") {
    for (char const* at : {"[i] == 60", "[i] == 0", "[i] > 70"})
        for (char const* mask : {"[k] <= [i]", "[k] >= [i]", "[i] - [k] < 20 && [k] <= [i]"})
            for (int const ranks : {1, 2, 3}) {
                CAPTURE(at, mask);
                Json graph = chain("where(" + std::string(mask) + ", exp(x), 0)", "x*y",
                                   {node("r", "id->i", {"G"}, "where(" + std::string(at) + ", inf, 1)", "max"),
                                    node("F", "ik,i->ik", {"E", "r"}, "x*y"), node("Z", "ik,id->kd", {"F", "G"}, "x*y"),
                                    node("Y", "ik,kd->id", {"F", "V"}, "x*y")},
                                   {"Z", "Y"});
                test::check_close(graph, {.ranks = ranks, .fused_groups = test::small_pieces});
                check_kinds(graph, {.ranks = ranks, .fused_groups = test::small_pieces});
            }
}

TEST_CASE("zeros that a mask makes keep their signs where anybody sees them", "[end_to_end][regions]") {
    Json const products{node("Z", "ik,kd->id", {"D", "V"}, "x*y")};
    // How many are +0: 1/-0 is -inf.
    Json const counts{node("Z", "ik->i", {"D"}, "where(1/x > 0, 1, 0)")};
    for (char const* masked : {"where([k] <= [i], exp(x), 0)", "where([k] <= [i], x, -0.0)"})
        for (char const* of_two : {"x*(y - 0.5)", "-x*y", "x*y*0.3"})
            for (int const ranks : {1, 2, 3, 5}) {
                CAPTURE(masked, of_two);
                test::WholeRunSetup const setup{.ranks = ranks, .fused_groups = test::small_pieces};
                test::check_close(chain(masked, of_two, products, {"Z"}), setup);
                check_kinds(chain(masked, of_two, products, {"Z", "D"}), setup);
                test::check_close(chain(masked, of_two, counts, {"Z"}), setup);
                check_kinds(chain(masked, of_two, counts, {"Z"}), setup);
            }
}

TEST_CASE("a mask that is dropped was one of zeros", "[end_to_end][regions]") {
    // E is 0 where the mask says no; what is summed there is [i], or nan.
    for (char const* summed : {"where([k] <= [i], x + [i], 0)", "where([k] <= [i], x*y + where([i] > 3, [i], 0), 0)",
                               "where([k] <= [i], x*(y + inf), 0)", "where([k] <= [i], x/y, 0)"})
        for (int const ranks : {1, 2, 3}) {
            CAPTURE(summed);
            Json const readers{node("Z", "ik,kd->id", {"E", "V"}, summed)};
            Json const graph = chain("where([k] <= [i], x*x + 1, 0)", "x*y", readers, {"Z", "D"});
            test::check_close(graph, {.ranks = ranks, .fused_groups = test::small_pieces});
            check_kinds(graph, {.ranks = ranks, .fused_groups = test::small_pieces});
        }
}

TEST_CASE("masked gradients in a loop whose values stop being numbers", "[end_to_end][regions]") {
    Json body = test::masked_attention("[k] <= [i]", {.with_gradient = true})["nodes"];
    body.push_back(node("Q_next", "hid,hid->hid", {"Q", "g/Q"}, "x - 0.1*y"));
    body.push_back(node("V_next", "hid,hid->hid", {"V", "g/V"}, "where(abs(y) > -1 && [i] == 60, x*1e25, x - 0.1*y)"));
    for (int const times : {1, 2, 3, 4}) {
        Json graph = test::masked_attention("[k] <= [i]", {});
        Json const carry{{"Q", "Q_next"}, {"V", "V_next"}};
        graph["nodes"] = Json{{{"name", "train"}, {"loop", {{"times", times}, {"carry", carry}, {"body", body}}}}};
        graph["outputs"] = {"train/Q"};
        for (int const ranks : {1, 2}) {
            CAPTURE(times);
            check_kinds(graph, {.ranks = ranks, .fused_groups = test::small_pieces});
            if (times < 3) test::check_close(graph, {.ranks = ranks, .fused_groups = test::small_pieces});
        }
    }
}

TEST_CASE("masked gradients that spill have the same bits", "[end_to_end][regions]") {
    for (int const ranks : {1, 2, 3})
        for (char const* mask : {"[k] <= [i]", "[i] - [k] < 20 && [k] <= [i]"}) {
            CAPTURE(ranks, mask);
            test::WholeRunSetup const setup{.ranks = ranks, .fused_groups = test::small_pieces};
            test::WholeRun const plain = test::whole_run(gradient(mask, false), setup);
            test::check_close(plain, setup);
            test::WholeRun run;
            run.schedule = schedule::with_spills(plain.schedule, schedule::smallest_budget(plain.schedule));
            test::execute(run, setup);
            for (std::string const& failure : run.failures) FAIL_CHECK(failure);
            for (auto const& [name, expected] : plain.results) CHECK(test::same_bits(run.results.at(name), expected));
        }
}

TEST_CASE("calls of masked gradients are computed again and found right", "[end_to_end][regions]") {
    for (char const* mask : {"[k] <= [i]", "[i] - [k] < 20 && [k] <= [i]"})
        for (bool const inside : {true, false})
            for (int const ranks : {1, 3}) {
                test::WholeRunSetup const setup{.ranks = ranks,
                                                .fused_groups = test::small_pieces,
                                                .check_calls = {.wanted = true, .elements = 20}};
                test::WholeRun const run = test::whole_run(gradient(mask, inside), setup);
                test::check_close(run, setup);
                relation::CheckedCalls const calls = test::checked_calls(run);
                CHECK(calls.covers_all());
                CHECK(calls.differ == 0);
            }
}

TEST_CASE("chains under masks that are drawn", "[end_to_end][regions]") {
    auto const [first, count] = test::seeds(30);
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        Draw draw(seed);
        std::string const dtype = draw.one_of<std::string>({"f32", "f32", "f64", "f16", "bf16"});
        Json const graph = random_chain(draw, dtype);
        INFO("seed " << seed << "\n" << graph.dump());
        test::WholeRunSetup setup;
        setup.ranks = all_ranks[draw.number(0, 5)];
        setup.threads = draw.number(1, 2);
        setup.fused_groups = draw.number(0, 3) == 0 ? test::pieces_of_rows : test::small_pieces;
        check_kinds(graph, setup);
        if (dtype != "f16") test::check_close(graph, setup);
    }
}

TEST_CASE("gradients of attention under masks that are drawn", "[end_to_end][regions]") {
    auto const [first, count] = test::seeds(10);
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        Draw draw(seed + 1000);
        std::string const mask = draw.mask();
        Json const graph = gradient(mask, draw.number(0, 1) == 0, draw.one_of<std::string>({"f32", "f64"}));
        INFO("seed " << seed << "\n" << mask);
        test::WholeRunSetup setup;
        setup.ranks = all_ranks[draw.number(0, 5)];
        setup.fused_groups = test::small_pieces;
        test::check_close(graph, setup);
        check_kinds(graph, setup);
    }
}
