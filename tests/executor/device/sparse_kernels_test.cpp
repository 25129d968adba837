#include <cmath>

#include "executor/device/cpu/cpu_device.hpp"
#include "executor/device/kernel/kernel_types.hpp"
#include "executor/device/reference/reference_device.hpp"
#include "tests/executor/device/random_kernel.hpp"
#include "tests/executor/device/sparse_case.hpp"
#include "tests/executor/device/test_team.hpp"

using namespace ein;
using namespace ein::executor;
using scalar::Agg;
using scalar::Scalar;

namespace {

void compare_sparse(unsigned seed, int rounds, bool long_labels) {
    std::mt19937 random(seed);
    CpuDevice cpu;
    ReferenceDevice reference;
    SoloWorkerTeam solo;
    int compared = 0;
    for (int round = 0; round < rounds; ++round) {
        auto const test = random_sparse_case(random, long_labels);
        if (!test) continue;
        INFO("round " << round << ": " << test->describe());
        auto const found = test->run(cpu, solo), expected = test->run(reference, solo);
        double const tolerance = tolerance_of(test->shape().output_dtype, types_of(test->shape()).accumulate);
        REQUIRE(test->difference(found, expected, tolerance) == "");
        if (round % 20 == 0) {
            TestTeam team(2 + round % 3);
            REQUIRE(found == test->run(cpu, team));
        }
        ++compared;
    }
    CHECK(compared > rounds / 3);
}

/// A semiring in which what is not listed gives the aggregation's identity.
struct Semiring {
    std::string subscripts, join;
    Agg agg;
    std::vector<double> fills;
    std::vector<std::vector<int>> idle_sets;
};

}  // namespace

TEST_CASE("the reference's sparse kernels give what dense ones do", "[executor][device][sparse]") {
    std::mt19937 random(11);
    ReferenceDevice reference;
    SoloWorkerTeam solo;
    for (Semiring const& ring :
         std::vector<Semiring>{{"ab,b->a", "x*y", Agg::sum, {0, NAN}, {{0}}},
                               {"ab,bc->ac", "x*y", Agg::sum, {0, 0}, {{0}, {1}}},
                               {"ab,bc->ca", "x+y", Agg::min, {HUGE_VAL, HUGE_VAL}, {{0}, {1}}},
                               {"ab,ab->ab", "x+y", Agg::sum, {0, 0}, {{0, 1}}},
                               {"ab,ab->b", "x-y", Agg::sum, {0, 0}, {{0, 1}}},
                               {"ab,ab->a", "max(x,y)", Agg::max, {-HUGE_VAL, -HUGE_VAL}, {{0, 1}}},
                               {"abc,bd,cd->ad", "x*y*z", Agg::sum, {0, NAN, NAN}, {{0}}},
                               {"ab,ac,bc->ab", "x*y*z", Agg::sum, {0, NAN, NAN}, {{0}}},
                               {"aab->b", "x", Agg::sum, {0}, {{0}}},
                               {"ab->", "x*[a]", Agg::sum, {0}, {{0}}},
                               {"ab->ba", "x*x+3*x", Agg::sum, {0}, {{0}}},
                               {"ab->ab", "exp(x)", Agg::sum, {0}, {{0}}},
                               {"ab->a", "x", Agg::prod, {1}, {{0}}}})
        for (int round = 0; round < 12; ++round) {
            graph::EinSum const shape = einsum(ring.subscripts, {}, ring.join, ring.agg);
            Shape extents;
            for (std::size_t l = 0; l < shape.labels.size(); ++l)
                extents.push_back(static_cast<Extent>(below(random, 5) + (random() % 8 != 0)));
            SparseCase test(einsum(ring.subscripts, extents, ring.join, ring.agg),
                            std::vector<DType>(shape.operands(), DType::f64), DType::f64, DType::f64);
            for (std::size_t k = 0; k < shape.operands(); ++k)
                if (!std::isnan(ring.fills[k]))
                    test.make_sparse(k, random_layout(shape.inputs[k].size(), random),
                                     Scalar::of(std::complex<double>(ring.fills[k])), 0.3, round % 2 == 0, random);
            test.shape().sparse->idle_sets = ring.idle_sets;
            test.make_dense(random, false);
            CAPTURE(test.describe(), round);
            auto const dense = test.densified();
            CHECK(test.difference(test.run(reference, solo), dense->run(reference, solo), 1e-12) == "");
        }
}

TEST_CASE("lookups copy what is listed at positions", "[executor][device][sparse]") {
    std::mt19937 random(4);
    CpuDevice cpu;
    ReferenceDevice reference;
    SoloWorkerTeam solo;
    for (std::string const subscripts : {"ab,c->cb", "ab,c->bc", "ba,cd->cbd", "abc,d->dcb", "a,bc->cb", "ba,->b"})
        for (int round = 0; round < 24; ++round) {
            graph::EinSum const shape = einsum(subscripts, {}, "where(y == [a], x, 0)", Agg::sum);
            Shape extents;
            for (std::size_t l = 0; l < shape.labels.size(); ++l)
                extents.push_back(static_cast<Extent>(1 + random() % 6));
            SparseCase test(einsum(subscripts, extents, "where(y == [a], x, 0)", Agg::sum), {DType::f32, DType::i64},
                            DType::f32, DType::f64);
            Scalar const zero = Scalar::of(std::complex<double>(0));
            test.make_sparse(0, random_layout(shape.inputs[0].size(), random), zero, 0.4, round % 2 == 0, random);
            if (round % 3 != 0)
                test.make_output_sparse(random_layout(shape.output.size(), random), zero, 0.2, round % 4 == 1, random);
            test.shape().sparse->idle_sets = {{0}};
            test.make_dense(random, false);
            CAPTURE(test.describe(), round);
            CHECK(test.difference(test.run(cpu, solo), test.run(reference, solo), 0) == "");
        }
}

TEST_CASE("what is not listed contributes nothing beside inf and nan", "[executor][device][sparse]") {
    std::mt19937 random(3);
    CpuDevice cpu;
    ReferenceDevice reference;
    SoloWorkerTeam solo;
    for (Device* const device : {static_cast<Device*>(&cpu), static_cast<Device*>(&reference)})
        for (std::string const subscripts : {"ab,b->a", "ab,bc->ac", "ab,ac,bc->"}) {
            graph::EinSum const whole = einsum(subscripts, {7, 5, 3});
            SparseCase test(einsum(subscripts, Shape(whole.labels.size(), 5)),
                            std::vector<DType>(whole.operands(), DType::f64), DType::f64, DType::f64);
            test.make_sparse(0, {{0, 1}, true}, Scalar::of(std::complex<double>(0)), 0, false, random);
            test.shape().sparse->idle_sets = {{0}};
            test.make_dense(random, false);
            std::vector<std::byte> const before = test.run(*device, solo);
            for (std::size_t k = 1; k < whole.operands(); ++k)
                for (std::size_t at = 0; at < test.operand(k).size(); at += 8)
                    store_element(Scalar::of(std::complex<double>(at % 16 == 0 ? NAN : HUGE_VAL)),
                                  test.operand(k).data() + at, DType::f64);
            CAPTURE(device->name(), subscripts);
            CHECK(test.run(*device, solo) == before);
        }
}

TEST_CASE("an operand in no set is looked up where the sets list something", "[executor][device][sparse]") {
    std::mt19937 random(21);
    CpuDevice cpu;
    ReferenceDevice reference;
    SoloWorkerTeam solo;
    struct Work {
        std::string subscripts, join;
        std::vector<std::vector<int>> idle_sets = {{0}};
    };
    for (Work const& work : std::vector<Work>{{"ab,ab->ab", "x*exp(y)"},
                                              {"ab,ba->ab", "x*exp(y)"},
                                              {"ab,ab->a", "x*exp(y)"},
                                              {"ab,b->ab", "x*exp(y)"},
                                              {"ab,b->", "where(x != 0, (x - y)^2, 0)"},
                                              {"ab,bc,ac->ac", "x*y*exp(z)", {{0}, {1}}},
                                              {"ab,ab,ab->ab", "(x + y)*exp(z)", {{0, 1}}}})
        for (int round = 0; round < 12; ++round) {
            graph::EinSum const shape = einsum(work.subscripts, {6, 6, 6}, work.join, Agg::sum);
            SparseCase test(einsum(work.subscripts, Shape(shape.labels.size(), 6), work.join, Agg::sum),
                            std::vector<DType>(shape.operands(), DType::f64), DType::f64, DType::f64);
            Scalar const fill = Scalar::of(std::complex<double>(round % 3)), zero = Scalar::of(std::complex<double>(0));
            for (std::size_t k = 0; k < shape.operands(); ++k) {
                bool const decides = std::any_of(work.idle_sets.begin(), work.idle_sets.end(), [&](auto const& set) {
                    return std::find(set.begin(), set.end(), static_cast<int>(k)) != set.end();
                });
                test.make_sparse(k, random_layout(shape.inputs[k].size(), random), decides ? zero : fill,
                                 std::array{0.0, 0.2, 0.7, 1.0}[random() % 4], round % 2 == 1, random);
            }
            test.shape().sparse->idle_sets = work.idle_sets;
            test.make_dense(random, false);
            CAPTURE(test.describe(), round);
            std::vector<std::byte> const expected = test.densified()->run(reference, solo);
            CHECK(test.difference(test.run(reference, solo), expected, 1e-12) == "");
            CHECK(test.difference(test.run(cpu, solo), expected, 1e-12) == "");
        }
}

TEST_CASE("a point whose operands are in several sets is met once", "[executor][device][sparse]") {
    std::mt19937 random(8);
    CpuDevice cpu;
    ReferenceDevice reference;
    SoloWorkerTeam solo;
    for (std::string const subscripts : {"b,,ab,ab->ab", "b,b,ab,ab->a", "ab,a,ab,b->"}) {
        graph::EinSum const shape = einsum(subscripts, {6, 5}, "x0*x1 + 2*(x2*x3)", Agg::sum);
        SparseCase test(einsum(subscripts, Shape(shape.labels.size(), 5), "x0*x1 + 2*(x2*x3)", Agg::sum),
                        std::vector<DType>(4, DType::f64), DType::f64, DType::f64);
        Scalar const zero = Scalar::of(std::complex<double>(0));
        for (std::size_t k = 0; k < 4; ++k)
            test.make_sparse(k, tensor::in_order(shape.inputs[k].size()), zero, 0.7, false, random);
        if (!shape.output.empty())
            test.make_output_sparse(tensor::in_order(shape.output.size()), zero, 0.2, false, random);
        test.shape().sparse->idle_sets = {{0, 2}, {0, 3}, {1, 2}, {1, 3}};
        test.make_dense(random, false);
        CAPTURE(test.describe());
        CHECK(test.difference(test.run(cpu, solo), test.run(reference, solo), 1e-12) == "");
    }
}

TEST_CASE("operands with the same labels are merged, row by row", "[executor][device][sparse]") {
    struct Work {
        std::string subscripts, join;
        std::vector<std::vector<int>> sets;
    };
    std::mt19937 random(14);
    CpuDevice cpu;
    ReferenceDevice reference;
    SoloWorkerTeam solo;
    TestTeam team(3);
    Scalar const zero = Scalar::of(std::complex<double>(0));
    for (Work const& work : std::vector<Work>{{"ab,ab->", "x*y", {{0}, {1}}},
                                              {"ab,ab->ab", "x*y + [b]", {{0, 1}}},
                                              {"ab,ab,ab->ab", "x + y*z", {{0, 1}, {0, 2}}},
                                              {"abc,abc,abc->abc", "x + y - z", {{0, 1, 2}}},
                                              {"ab,ba->a", "x*y", {{0}, {1}}},
                                              {"ab,ab->b", "x + 2*y", {{0, 1}}},
                                              {"ab,ba->ab", "max(x, y)", {{0, 1}}},
                                              {"ab,ab,b->a", "(x + y)*z", {{0, 1}}},
                                              {"abc,cab->b", "x*y", {{0}, {1}}},
                                              {"abc,abc,cba->ca", "x*y + z", {{0, 2}, {1, 2}}},
                                              {"ab,ab,ab,ab->a", "x0 - x1 + x2*x3", {{0, 1, 2}, {0, 1, 3}}}})
        for (Extent const columns : {7, 40, 3000})  // few: marked; many: more than a tile of a row
            for (bool const max : {false, true}) {
                graph::EinSum const labels = einsum(work.subscripts, {}, work.join);
                bool const third = labels.labels.size() == 3;
                Shape const extents = third ? Shape{5, 90, columns / 5} : Shape{columns > 100 ? 3 : 90, columns};
                if (max && labels.aggregated().empty()) continue;
                SparseCase test(einsum(work.subscripts, extents, work.join, max ? Agg::max : Agg::sum),
                                std::vector<DType>(labels.operands(), DType::f64), DType::f64, DType::f64);
                for (std::size_t k = 0; k < labels.operands(); ++k)
                    if (labels.inputs[k].size() > 1)
                        test.make_sparse(k, random_layout(labels.inputs[k].size(), random), zero, 0.6, false, random);
                if (labels.aggregated().empty())
                    test.make_output_sparse(tensor::in_order(labels.output.size()), zero, 0, false, random);
                test.shape().sparse->idle_sets = work.sets;
                test.make_dense(random, false);
                CAPTURE(test.describe());
                auto const found = test.run(cpu, solo);
                REQUIRE(test.difference(found, test.run(reference, solo), 1e-12) == "");
                CHECK(found == test.run(cpu, team));
            }
}

TEST_CASE("rows of any length times a vector, and dense rows of products, on any number of threads",
          "[executor][device][sparse]") {
    std::mt19937 random(12);
    CpuDevice cpu;
    ReferenceDevice reference;
    SoloWorkerTeam solo;
    TestTeam team(3);
    Scalar const zero = Scalar::of(std::complex<double>(0));
    for (DType const type : {DType::f64, DType::c64, DType::c128})
        for (double const density : {0.001, 0.02, 0.1, 0.3, 0.9})  // none to 540 in a row of 600
            for (bool const both : {false, true}) {
                std::string const join = density < 0.05 ? "x*y" : "-2*x*y";
                graph::EinSum const whole =
                    both ? einsum("ab,bc->ac", {9, 40, 70}, join) : einsum("ab,b->a", {40, 600}, join);
                SparseCase test(whole, {type, type}, type, type);
                double const tolerance = type == DType::c64 ? 1e-5 : 1e-12;
                test.make_sparse(0, {{0, 1}, true}, zero, density, false, random);
                if (both) test.make_sparse(1, {{0, 1}, true}, zero, density, false, random);
                test.shape().sparse->idle_sets =
                    both ? std::vector<std::vector<int>>{{0}, {1}} : std::vector<std::vector<int>>{{0}};
                test.make_dense(random, false);
                CAPTURE(test.describe(), density);
                for (bool const infinite : {false, true}) {
                    if (infinite && (both || type != DType::f64)) continue;
                    if (infinite)
                        store_element(Scalar::of(std::complex<double>(HUGE_VAL)), test.operand(1).data() + 8 * 7,
                                      DType::f64);
                    auto const found = test.run(cpu, solo);
                    CHECK(test.difference(found, test.run(reference, solo), tolerance) == "");
                    CHECK(found == test.run(cpu, team));
                }
            }
}

TEST_CASE("operands of any two dtypes, and results of another", "[executor][device][sparse]") {
    struct Work {
        std::string subscripts;
        std::vector<std::size_t> sparse;
        bool listed;
    };
    std::mt19937 random(13);
    CpuDevice cpu;
    ReferenceDevice reference;
    SoloWorkerTeam solo;
    TestTeam team(2);
    std::size_t turn = 0;
    for (Work const& work : std::vector<Work>{{"ab,b->a", {0}, false},
                                              {"ab,bc->ac", {0}, false},
                                              {"ab,cb->ca", {0}, false},
                                              {"ab,ab->", {0}, false},
                                              {"abc,bd,cd->ad", {0}, false},
                                              {"abc,b,c->a", {0}, false},
                                              {"abc,bc,c,a->", {0}, false},
                                              {"ab,ac,bc->ab", {0}, true},
                                              {"ab,bc->ac", {0, 1}, false},
                                              {"ab,bc->ac", {0, 1}, true},
                                              {"ab,ab->ab", {0, 1}, true}})
        for (std::size_t pair = turn++ % 2; pair < dtype_count * dtype_count; pair += 2) {  // the others the next time
            DType const first = static_cast<DType>(pair / dtype_count), other = static_cast<DType>(pair % dtype_count);
            graph::EinSum const shape = einsum(work.subscripts, {});
            Shape extents;
            for (std::size_t l = 0; l < shape.labels.size(); ++l)
                extents.push_back(static_cast<Extent>(5 + random() % 20));
            std::vector<DType> dtypes(shape.operands(), other);
            dtypes[0] = first;
            DType const common = promote(first, other),
                        output = random() % 3 == 0 && common == DType::f32 ? DType::f16 : common;
            SparseCase test(einsum(work.subscripts, extents), dtypes, output, compute_dtype(dtypes, output));
            Scalar const zero = is_exact(first) ? Scalar::of(std::int64_t{0}) : Scalar::of(std::complex<double>(0));
            std::vector<std::vector<int>> sets;
            for (std::size_t k : work.sparse) {
                test.make_sparse(k, random_layout(shape.inputs[k].size(), random), zero, 0.4, false, random);
                sets.push_back({static_cast<int>(k)});
            }
            if (work.listed) test.make_output_sparse(tensor::in_order(shape.output.size()), zero, 0.2, false, random);
            test.shape().sparse->idle_sets = sets;
            test.shape().accumulate = !work.listed && pair % 3 == 0 && output == types_of(test.shape()).accumulate;
            test.make_dense(random, false);
            CAPTURE(test.describe());
            auto const found = test.run(cpu, solo);
            double const tolerance = tolerance_of(output, types_of(test.shape()).accumulate);
            REQUIRE(test.difference(found, test.run(reference, solo), tolerance) == "");
            CHECK(found == test.run(cpu, team));
        }
}

TEST_CASE("any of products of truth values, listed ones false among them", "[executor][device][sparse]") {
    std::mt19937 random(15);
    CpuDevice cpu;
    ReferenceDevice reference;
    SoloWorkerTeam solo;
    Scalar const no = Scalar::of(std::int64_t{0});
    for (std::string const join : {"x && y", "min(x, y)", "x*y"})
        for (std::string const subscripts : {"ab,bc->ac", "ab,bc->ca", "ab,b->a", "ab,ab->", "abc,c->ab"})
            for (bool const listed : {false, true}) {
                bool const both = subscripts.substr(0, 5) == "ab,bc";
                graph::EinSum const labels = einsum(subscripts, {}, join, Agg::any);
                if (listed && labels.output.size() < 2) continue;
                SparseCase test(einsum(subscripts, Shape(labels.labels.size(), 40), join, Agg::any),
                                {DType::boolean, DType::boolean}, DType::boolean, DType::boolean);
                test.make_sparse(0, tensor::in_order(labels.inputs[0].size()), no, 0.05, false, random);
                if (both) test.make_sparse(1, {{0, 1}, true}, no, 0.1, false, random);
                if (listed) test.make_output_sparse({{0, 1}, true}, no, 0, false, random);
                test.shape().sparse->idle_sets =
                    both ? std::vector<std::vector<int>>{{0}, {1}} : std::vector<std::vector<int>>{{0}};
                test.make_dense(random, false);
                CAPTURE(test.describe());
                CHECK(test.difference(test.run(cpu, solo), test.run(reference, solo), 0) == "");
            }
}

TEST_CASE("the cpu agrees with the reference on random sparse kernels", "[executor][device][sparse]") {
    compare_sparse(1, 6000, false);
}

TEST_CASE("the cpu agrees with the reference on sparse kernels with long labels", "[executor][device][sparse]") {
    compare_sparse(2, 150, true);
}
