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
