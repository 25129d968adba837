// Products of a large tensor and a small one whose labels lie anywhere in it.
#include "executor/device/cpu/gemm/gate_kernel.hpp"

#include <array>
#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include "executor/device/cpu/cpu_device.hpp"
#include "executor/device/cpu/gemm/gate_plan.hpp"
#include "tests/executor/device/kernel_case.hpp"
#include "tests/executor/device/test_team.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;

namespace {

struct Gate {
    std::string form;
    Shape extents;  // of labels in order of appearance
};

bool is_gate(KernelCase& test) {
    Nest nest = make_nest(test.shape());
    simplify(nest);
    return make_gate_kernel(test.shape(), nest, types_of(test.shape()), test.params()) != nullptr;
}

bool is_gate(Gate const& gate, DType type = DType::f32) {
    KernelCase test(einsum(gate.form, gate.extents), {type, type}, type, type);
    return is_gate(test);
}

/// Of what a strip, a turned piece, a run and lanes in place are, on either side; cut lanes, and rows that are cut.
std::vector<Gate> const& gates() {
    static std::vector<Gate> const all = {
        {"abcdefghijkl,xyhc->abxdefgyijkl", Shape(14, 2)},
        {"abcdefgh,fdxy->abcxegyh", Shape(10, 3)},
        {"abcdefgh,hcfx->abdefgxc", {3, 3, 3, 3, 4, 3, 3, 3, 3}},     // a batch
        {"abcdefg,gx->abcdefx", Shape(8, 4)},                         // innermost in both
        {"abcdefg,gax->xbcdefg", {3, 3, 3, 4, 3, 3, 3, 3}},           // a batch that is innermost
        {"abcdefgh,ahxy->bcdefgxy", {3, 3, 3, 3, 3, 3, 3, 3, 2, 3}},  // terms outermost and innermost
        {"abcd,xc->dbax", {30, 7, 3, 11, 2}},                         // rows in another order
        {"abc,bx->cxa", {41, 5, 37, 4}},                              // no factors of 2 and 3
        {"xc,abcd->axbd", {4, 3, 60, 6, 5}},                          // the small one first
        {"ij,jk->ki", {1003, 8, 8}},
        {"ij,jk->ik", {999, 3, 3}},
        {"ji,jk->ki", {9, 500, 27}},
        {"abc,bx->axc", {3, 10, 301, 10}},
        {"abcde,cax->bdex", {2, 5, 3, 17, 19, 6}},
    };
    return all;
}

/// The same with boxes in the second-level cache: turned on either side, cut, read where they lie or brought near.
std::vector<Gate> const& large_gates() {
    static std::vector<Gate> const all = {
        {"dbea,ec->abcd", {37, 5, 30, 210, 24}},        // lanes of the large operand, cut; runs of the result
        {"abcd,ce->aebd", {9, 13, 40, 83, 18}},         // in place on both sides, not in whole vectors
        {"bcad,de->eabc", {17, 18, 19, 30, 20}},        // terms innermost: turned when they come
        {"abcd,ae->bcde", {40, 9, 10, 31, 13}},         // columns innermost: turned when they go
        {"eab,ec->cab", {40, 32, 32, 20}},              // vectors of a group that share a set of the cache
        {"eab,ce->cab", {24, 31, 33, 70}},              // many columns
        {"xaby,ycx->bca", {3, 40, 31, 12, 17}},         // a batch
        {"cab,dc->bda", {20, 70, 90, 40}},              // rows in another order
        {"abcde,fb->edcfa", {19, 28, 11, 12, 13, 12}},  // rows that are cut
        // terms in parts, the last of which is shorter: what is turned on either side or none, one label or several
        {"bda,dc->abc", {37, 211, 70, 24}},
        {"dca,bd->abc", {203, 75, 100, 17}},
        {"ka,kb->ba", {331, 500, 11}},
        {"ak,kb->ba", {700, 261, 9}},
        {"akbl,klc->bac", {30, 7, 31, 41, 10}},
        {"kabl,lkc->abc", {12, 19, 17, 37, 19}},
        {"xka,kxc->cxa", {3, 190, 300, 6}}  // and a batch
    };
    return all;
}

void check_right(std::vector<Gate> const& all) {
    std::mt19937 random(9);
    std::size_t turn = 0;  // of each gate two types, and one way each
    for (Gate const& gate : all) {
        bool const others = turn % 2 == 1;
        bool accumulate = turn++ / 2 % 2 == 1;
        for (DType const type : {others ? DType::f64 : DType::f32, others ? DType::c128 : DType::c64}) {
            CAPTURE(gate.form, gate.extents, name(type), accumulate);
            KernelCase test(einsum(gate.form, gate.extents, "x*y/2"), {type, type}, type, type);
            test.shape().accumulate = accumulate;
            if (accumulate != others) test.scatter_layout(random);
            test.fill(random);
            REQUIRE(compare(test, 2e-5) == "");
            accumulate = !accumulate;
        }
    }
}

}  // namespace

TEST_CASE("gates on tensors of any extents are right, for all types, added to what is there or not",
          "[executor][device]") {
    check_right(gates());
    check_right(large_gates());
}

TEST_CASE("gates of conjugates are right", "[executor][device]") {
    std::mt19937 random(10);
    std::array<std::string, 3> const joins = {"conj(x)*y", "x*conj(y)/2", "conj(x*y)"};
    auto const check = [&](Gate const& gate, std::size_t turn) {
        DType const type = turn % 2 == 0 ? DType::c64 : DType::c128;
        std::string const& join = joins[turn % joins.size()];
        CAPTURE(gate.form, gate.extents, name(type), join);
        KernelCase test(einsum(gate.form, gate.extents, join), {type, type}, type, type);
        test.shape().accumulate = turn / 2 % 2 == 0;
        test.fill(random);
        REQUIRE(compare(test, 2e-5) == "");
    };
    for (std::size_t k = 0; k < gates().size(); ++k) check(gates()[k], k);
    for (std::size_t k = 0; k < large_gates().size(); k += 3) check(large_gates()[k], k);
}

/// A large tensor and a small one with labels in any order, up to so many products of elements.
Gate drawn_gate(std::mt19937& random, Extent most) {
    auto const below = [&](Extent limit) { return static_cast<Extent>(random() % static_cast<unsigned>(limit)); };
    std::string rows, terms, columns, batch;
    std::map<char, Extent> extents;
    Extent all = 1;
    char next = 'a';
    auto const add = [&](std::string& labels, Extent count, Extent longest) {
        for (; count > 0; --count, ++next) {
            labels += next;
            extents[next] = std::clamp<Extent>(1 + below(longest), 1, std::max<Extent>(1, most / all));
            all *= extents[next];
        }
    };
    add(terms, 1 + below(2), below(2) == 0 ? 8 : below(2) == 0 ? 60 : 400);
    add(columns, 1 + below(2), below(2) == 0 ? 6 : 30);
    add(batch, below(3) / 2, 4);
    add(rows, 1 + below(4), below(2) == 0 ? 40 : 300);
    std::array<std::string, 3> forms = {rows + terms + batch, terms + columns + batch, rows + columns + batch};
    for (std::string& form : forms) std::shuffle(form.begin(), form.end(), random);
    if (below(2) == 0) std::swap(forms[0], forms[1]);
    Gate gate{forms[0] + "," + forms[1] + "->" + forms[2], {}};
    std::string seen;
    for (char const label : forms[0] + forms[1])
        if (seen.find(label) == std::string::npos) seen += label, gate.extents.push_back(extents[label]);
    return gate;
}

/// More of them: EIN_KERNELS=SEED:ROUNDS.
TEST_CASE("gates that are drawn at random are right", "[executor][device]") {
    char const* const more = std::getenv("EIN_KERNELS");
    unsigned seed = 1;
    int rounds = 24;
    if (more != nullptr) REQUIRE(std::sscanf(more, "%u:%d", &seed, &rounds) == 2);
    constexpr std::array types = {DType::f32, DType::f64, DType::c64, DType::c128};
    std::mt19937 random(seed);
    int taken = 0;
    for (int round = 0; round < rounds; ++round) {
        Gate const gate = drawn_gate(random, 2000000);
        DType const type = types[random() % types.size()];
        CAPTURE(seed, round, gate.form, gate.extents, name(type));
        KernelCase test(einsum(gate.form, gate.extents), {type, type}, type, type);
        test.shape().accumulate = random() % 3 == 0;
        if (random() % 3 == 0) test.scatter_layout(random);
        if (random() % 2 == 0) test.shape().output_bytes = Extent{64} << 20;
        test.fill(random);
        taken += is_gate(test) ? 1 : 0;
        REQUIRE(compare(test, 2e-5) == "");
    }
    CHECK((taken > rounds / 4 || !is_gate(gates()[0])));  // without fused multiply-adds there are none
}

TEST_CASE("small operands on large ones are taken for gates where they are", "[executor][device]") {
    if (!is_gate(gates()[0])) return;  // no fused multiply-add
    for (auto const* all : {&gates(), &large_gates()})
        for (Gate const& gate : *all) {
            CAPTURE(gate.form);
            CHECK(is_gate(gate));
        }
    CHECK_FALSE(is_gate({"ij,jk->ik", {999, 64, 64}}));         // a product of matrices
    CHECK_FALSE(is_gate({"ij,jk->ik", {999, 4, 32}}));          // columns in whole vectors
    CHECK_FALSE(is_gate({"abc,bx->axc", {3, 4, 5, 4}}));        // few rows
    CHECK_FALSE(is_gate({"abc,bx->xca", {60, 70, 50, 300}}));   // many columns
    CHECK_FALSE(is_gate({"ij,j->ij", {999, 3}}));               // no sum
    CHECK_FALSE(is_gate({"abcd,xc->abx", {30, 7, 3, 11, 2}}));  // a label of one operand is summed
    CHECK_FALSE(is_gate({"abcd,xc->abxd", {30, 7, 3, 11, 2}}, DType::i64));
}

TEST_CASE("gates give the same bits for any number of threads", "[executor][device]") {
    CpuDevice cpu;
    for (Gate const& gate :
         {Gate{"abcdefghijklmnopq,fnxy->abcdexghijklmyopq", Shape(19, 2)}, Gate{"abc,bx->cxa", {200, 5, 301, 4}},
          Gate{"dbea,ec->abcd", {40, 20, 30, 210, 24}}, Gate{"ka,kb->ab", {301, 1500, 12}}}) {
        CAPTURE(gate.form);
        KernelCase test(einsum(gate.form, gate.extents), {DType::f32, DType::f32}, DType::f32, DType::f32);
        test.fill_with_fractions(5);
        same_on_teams(test, cpu);
    }
}

TEST_CASE("a gate's results that go past the cache are right", "[executor][device]") {
    std::mt19937 random(3);
    for (Gate const& gate : {gates()[0], gates()[2], gates()[8], gates()[12], large_gates()[0], large_gates()[1],
                             large_gates()[3], large_gates()[9], large_gates()[11]})
        for (DType const type : {DType::f32, DType::c64}) {
            CAPTURE(gate.form, name(type));
            KernelCase test(einsum(gate.form, gate.extents), {type, type}, type, type);
            test.shape().output_bytes = Extent{64} << 20;  // of the whole, of which this is a part
            test.fill(random);
            CHECK(compare(test, 1e-5) == "");
        }
}

TEST_CASE("lines of a box are those of its elements, once each and in order", "[executor][device]") {
    std::vector<GateIndex> const elements{0, 100, 7}, lanes{0, 1, 2, 3, 40, 41};
    GateMoves const moves(elements, lanes, 16);
    std::set<GateIndex> expected;
    for (GateIndex const element : elements)
        for (GateIndex const lane : lanes) expected.insert((element + lane) / 4 * 4);
    CHECK(moves.lines(4) == std::vector<GateIndex>(expected.begin(), expected.end()));
}

TEST_CASE("a large box has long runs of the large operand and whole lines of the result", "[executor][device]") {
    GateKinds const kinds{{{96, 774144, 0, 1}, {84, 9216, 0, 2304 * 96}, {96, 1, 0, 2304 * 96 * 84}},
                          {{24, 0, 1, 96}},
                          {{96, 96, 24, 0}},
                          {}};  // "dbea,ec->abcd"
    GateSizes sizes;
    sizes.in_second_level = true;
    sizes.least_lanes = 96;
    sizes.most_lanes = 192;
    sizes.run = sizes.grain = 16;
    sizes.long_run = 96;
    sizes.run_of_large = 256;
    sizes.elements = 196608;
    GatePlan const plan = plan_gate(kinds, &GateLabel::large, &GateLabel::output, sizes);
    CHECK(count_of(plan.lanes) == 96);
    CHECK(count_of(plan.inside) == 16);
    CHECK(count_of(plan.around) * 96 * 16 == 96 * 84 * 96);
    CHECK(plan.cut_lanes == -1);
    REQUIRE(plan.cut_inside >= 0);
    CHECK(plan.last_inside == 16);
}

TEST_CASE("a box of a gate has whole lines of both tensors", "[executor][device]") {
    // state 2^16 in C order, a gate on its innermost label: rows outside of it are lanes, and lie in strips
    KernelCase test(einsum("abcdefghijklmnop,px->abcdefghijklmnox", Shape(17, 2)), {DType::f32, DType::f32}, DType::f32,
                    DType::f32);
    Nest nest = make_nest(test.shape());
    simplify(nest);
    auto const kinds = kinds_of(nest, 0, 1, 4);
    REQUIRE(kinds);
    GatePlan const plan = plan_gate(*kinds, &GateLabel::output, &GateLabel::large, {});
    REQUIRE(plan.lanes.size() == 1);
    CHECK(plan.lanes[0].length % 16 == 0);
    CHECK(plan.inside.empty());
    CHECK(count_of(plan.around) * plan.lanes[0].length >= 1 << 15);
    GateMoves const in(places_of(kinds->terms, &GateLabel::large), places_of(plan.lanes, &GateLabel::large), 16);
    CHECK(in.side().pieces_count == 1);
    CHECK(in.side().pieces[0].strip);
    CHECK(static_cast<Extent>(in.lines(16).size()) == plan.lanes[0].length * 2 / 16);
}
