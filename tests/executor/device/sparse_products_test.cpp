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

TEST_CASE("products of two sparse matrices over two operations, of few products a row and many",
          "[executor][device][sparse]") {
    struct Operations {
        std::string join;
        Agg agg;
        DType type;
        Scalar fill;
    };
    struct Rows {
        Shape extents;
        double density, of_second;
    };
    std::mt19937 random(31);
    CpuDevice cpu;
    ReferenceDevice reference;
    SoloWorkerTeam solo;
    TestTeam team(3);
    auto const real = [](double value) { return Scalar::of(std::complex<double>(value)); };
    for (Operations const& of : std::vector<Operations>{{"-2*x*y", Agg::sum, DType::f64, real(0)},
                                                        {"x*y", Agg::sum, DType::c128, real(0)},
                                                        {"x + y", Agg::min, DType::f32, real(HUGE_VAL)},
                                                        {"x + y", Agg::max, DType::f64, real(-HUGE_VAL)},
                                                        {"max(x, y)", Agg::min, DType::f64, real(HUGE_VAL)},
                                                        {"abs(x - y)", Agg::min, DType::f64, real(HUGE_VAL)},
                                                        {"min(x, y)", Agg::max, DType::i64, Scalar::of(INT64_MIN)}})
        for (Rows const& rows : std::vector<Rows>{{{12, 6, 2500}, 0.4, 0.0005},  // held until all are counted
                                                  {{9, 5, 2500}, 0.6, 0.006},    // few: in order by column
                                                  {{9, 5, 2500}, 0.6, 0.05},     // columns as bits of flags
                                                  {{3, 3, 20000}, 0.4, 0.0145},  // as bits of those that are met
                                                  {{20, 30, 40}, 0.5, 0.3}})
            for (bool const listed : {false, true}) {
                SparseCase test(einsum("ab,bc->ac", rows.extents, of.join, of.agg), {of.type, of.type}, of.type,
                                of.type);
                test.make_sparse(0, random_layout(2, random), of.fill, rows.density, false, random);
                test.make_sparse(1, random_layout(2, random), of.fill, rows.of_second, false, random);
                if (listed) test.make_output_sparse(tensor::in_order(2), of.fill, 0, false, random);
                test.shape().sparse->idle_sets = {{0}, {1}};
                test.shape().accumulate = !listed && rows.extents[0] == 9;
                test.make_dense(random, false);
                CAPTURE(test.describe(), rows.of_second);
                auto const found = test.run(cpu, solo);
                double const tolerance = tolerance_of(of.type, types_of(test.shape()).accumulate);
                REQUIRE(test.difference(found, test.run(reference, solo), tolerance) == "");
                CHECK(found == test.run(cpu, team));
            }
}

TEST_CASE("listed outputs of fewer labels than their sparse operand, of rows with nothing too",
          "[executor][device][sparse]") {
    std::mt19937 random(37);
    CpuDevice cpu;
    ReferenceDevice reference;
    SoloWorkerTeam solo;
    TestTeam team(3);
    Scalar const zero = Scalar::of(std::complex<double>(0));
    for (DType const type : {DType::f64, DType::c128})
        for (std::string const subscripts : {"abc,c->ab", "abc,b->ac", "abcd,cd->ab"})
            for (double const density : {0.0, 0.002, 0.05, 0.5}) {
                SparseCase test(
                    einsum(subscripts, subscripts.size() > 10 ? Shape{30, 7, 9, 2} : Shape{30, 7, 9}, "x*y"),
                    {type, type}, type, type);
                test.make_sparse(0, tensor::in_order(subscripts.find(',')), zero, density, false, random);
                test.make_output_sparse(tensor::in_order(2), zero, 0, false, random);
                test.shape().sparse->idle_sets = {{0}};
                test.make_dense(random, false);
                CAPTURE(test.describe(), density);
                auto const found = test.run(cpu, solo);
                CHECK(test.difference(found, test.run(reference, solo), 1e-12) == "");
                CHECK(found == test.run(cpu, team));
            }
}

TEST_CASE("the least and largest of joins of a sparse matrix and a dense one, of any width and layout",
          "[executor][device][sparse]") {
    struct Best {
        std::string form, join;
        Agg agg;
        DType type;
        Scalar fill;
        std::size_t sparse;  // operand
    };
    std::mt19937 random(32);
    CpuDevice cpu;
    ReferenceDevice reference;
    SoloWorkerTeam solo;
    TestTeam team(3);
    auto const real = [](double value) { return Scalar::of(std::complex<double>(value)); };
    for (Best const& of : std::vector<Best>{{"ab,bc->ac", "x + y", Agg::min, DType::f64, real(HUGE_VAL), 0},
                                            {"bc,ab->ac", "x + y", Agg::min, DType::f32, real(HUGE_VAL), 1},
                                            {"ab,bc->ca", "x - y", Agg::max, DType::f32, real(-HUGE_VAL), 0},
                                            {"cb,ba->ac", "y - x", Agg::max, DType::f64, real(-HUGE_VAL), 1},
                                            {"ab,cb->ac", "max(x, y)", Agg::min, DType::f64, real(HUGE_VAL), 0},
                                            {"ba,bc->ac", "min(x, y)", Agg::max, DType::i64, Scalar::of(INT64_MIN), 0}})
        for (Extent const width : {1, 3, 8, 16, 37, 70})
            for (bool const accumulate : {false, true}) {
                graph::EinSum made = einsum(of.form, {0, 0, 0}, of.join, of.agg);
                for (std::size_t label = 0; label < 3; ++label)
                    made.extents[label] = made.labels[label] == "c" ? width : made.labels[label] == "a" ? 60 : 45;
                SparseCase test(std::move(made), {of.type, of.type}, of.type, of.type);
                test.make_sparse(of.sparse, random_layout(2, random), of.fill, 0.07, false, random);
                test.shape().sparse->idle_sets = {{static_cast<int>(of.sparse)}};
                test.shape().accumulate = accumulate;
                test.make_dense(random, !is_integer(of.type) && width == 37);
                CAPTURE(test.describe(), of.form, width, accumulate);
                auto const found = test.run(cpu, solo);
                REQUIRE(test.difference(found, test.run(reference, solo), 1e-6) == "");
                CHECK(found == test.run(cpu, team));
            }
}
