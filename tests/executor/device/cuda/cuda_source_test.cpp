#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <optional>

#include "executor/device/index_error.hpp"
#include "executor/device/reference/element.hpp"
#include "executor/device/reference/reference_device.hpp"
#include "lib/base/error.hpp"
#include "lib/scalar/expression/ops.hpp"
#include "lib/scalar/expression/type.hpp"
#include "tests/executor/device/cuda/cases.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;
using namespace ein::executor::cuda;
using enum ein::DType;
using scalar::Agg;

namespace {

/// So small that a few hundred elements keep it busy: every way to share work comes up with small shapes.
constexpr Gpu tiny{2, 16};
/// Large enough that terms are cut in parts.
constexpr Gpu small{4, 512};
/// With indices of 64 bits everywhere.
constexpr Gpu wide{4, 512, 0};

std::string const by_y = "where(y == [v], x, 0)", by_x = "where([v] == x, y, 0)";

std::string compare(Cases const& cases, HostCudaDevice& device) {
    cases.gather(device);
    device.compile();
    return cases.differences(device);
}

void fill_positions(KernelCase& test, std::size_t k, DType type, std::mt19937& random, std::int64_t bound) {
    std::size_t const size = size_of(type);
    for (std::size_t at = 0; at + size <= test.operand(k).size(); at += size)
        store_element(scalar::Scalar::of(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound))),
                      test.operand(k).data() + at, type);
}

}  // namespace

TEST_CASE("generated kernels agree with the reference on random kernels", "[executor][device][cuda]") {
    Cases cases(2024);
    while (cases.size() < 200) cases.add_random(false);
    while (cases.size() < 280) cases.add_random(true);
    HostCudaDevice device(tiny);
    REQUIRE(compare(cases, device) == "");
}

TEST_CASE("generated kernels with indices of 64 bits agree with the reference", "[executor][device][cuda]") {
    Cases cases(2025);
    while (cases.size() < 20) cases.add_random(false);
    cases.add("ij->i", {5, 700}, "x", Agg::sum, {f32}, f32);
    cases.add("ij->j", {700, 36}, "x", Agg::max, {f32}, f32);
    cases.add("ij->ji", {70, 41}, "x", Agg::sum, {f16}, f16);
    cases.add("bik,bkj->bij", {3, 20, 33, 66}, "abs(x-y)", Agg::max, {f16, f16}, f16, true);
    fill_positions(cases.add("vd,i->id", {9, 24, 7}, by_y, Agg::sum, {f32, i32}, f32), 1, i32, cases.random(), 9);
    fill_positions(cases.add("id,i->vd", {7, 40, 9}, by_y, Agg::sum, {f32, i32}, f32), 1, i32, cases.random(), 9);
    HostCudaDevice device(wide);
    REQUIRE(compare(cases, device) == "");
    for (auto const& [name, source] : device.sources()) CHECK(source.find("using Index = i64") != std::string::npos);
}

TEST_CASE("generated reductions agree with the reference, in one launch and in two", "[executor][device][cuda]") {
    Cases cases(7);
    for (scalar::AggInfo const& row : scalar::aggregations)
        cases.add("ij->i", {5, 9}, "x", row.agg, {f32}, row.asks ? boolean : f32);
    for (Agg const agg : {Agg::sum, Agg::max, Agg::logsumexp}) {
        cases.add("ij->i", {5, 700}, "x", agg, {f32}, f32);              // rows
        cases.add("ij->j", {700, 36}, "x", agg, {f32}, f32);             // columns
        cases.add("ij->", {37, 411}, "x", agg, {f32}, f32);              // everything
        cases.add("ij->", {37, 411}, "x", agg, {f32}, f32, true, true);  // into what is there
    }
    cases.add("ijk->j", {30, 7, 64}, "x", Agg::sum, {f16}, f16);  // rows of two labels
    cases.add("ij->i", {3, 4099}, "x", Agg::sum, {f16}, f32);     // whose lanes do not divide them
    cases.add("ij->i", {900, 4}, "x", Agg::sum, {bf16}, bf16);    // many short rows
    cases.add("ij,j->i", {40, 513}, "x*y", Agg::sum, {f32, f32}, f32);
    cases.add("ij,i->j", {513, 40}, "x*y", Agg::sum, {c64, c64}, c64);
    cases.add("ij->j", {999, 3}, "x", Agg::logsumexp, {c128}, c128);
    cases.add("ij->j", {999, 64}, "x > 0", Agg::sum, {f32}, i32);
    cases.add("ij->i", {6, 999}, "x", Agg::prod, {i16}, i16);
    cases.add("ij->i", {6, 999}, "x", Agg::any, {u8}, boolean);
    cases.add("ij->i", {6, 999}, "x*[j]", Agg::min, {f64}, f64);
    cases.add("ii->", {300}, "x", Agg::sum, {f32}, f32);  // a diagonal
    cases.add("ij->i", {6, 0}, "x", Agg::max, {f32}, f32);
    cases.add("ij->i", {0, 6}, "x", Agg::max, {f32}, f32);
    HostCudaDevice device(small);
    REQUIRE(compare(cases, device) == "");
    CHECK(device.runs_of("fold") > 20);
    CHECK(device.runs_of("merge") >= 6);
}

TEST_CASE("generated elementwise kernels agree with the reference in lanes and through tiles",
          "[executor][device][cuda]") {
    Cases cases(8);
    for (DType const type : {f32, f16, i8, c128, f64, boolean}) {
        cases.add("ij,ij->ij", {30, 37}, "x == y", Agg::sum, {type, type}, boolean);
        cases.add("ij,j->ij", {30, 48}, "x*y", Agg::sum, {type, type}, type);
        cases.add("ij,i->ij", {30, 41}, "x+y", Agg::sum, {type, type}, type, true);
        cases.add("ij->ji", {70, 41}, "x", Agg::sum, {type}, type);
    }
    cases.add("ji,ij->ij", {40, 70}, "x+y", Agg::sum, {f16, f32}, f16);
    cases.add("kji->ikj", {3, 40, 33}, "x*[j]", Agg::sum, {f32}, f32, false, true);
    cases.add("ji,ji,i->ij", {64, 64}, "x*y-z", Agg::sum, {c128, c128, c128}, c128);
    cases.add("jik->ijk", {9, 10, 24}, "x", Agg::sum, {i16}, f32);
    cases.add("!->ij", {30, 40}, "[i]*eta+[j]", Agg::sum, {}, f32);
    cases.add("->", {}, "x", Agg::sum, {f32}, f64);
    cases.add("i->ji", {24, 5}, "x", Agg::sum, {u8}, u8);            // a broadcast
    cases.add("bij->bji", {2, 64, 128}, "x", Agg::sum, {f32}, f32);  // in large tiles
    cases.add("ij,ij->ji", {517, 192}, "x+y", Agg::sum, {f16, f16}, f16);
    cases.add("ij,ji->ji", {64, 530}, "x-y", Agg::sum, {i8, i32}, i32, true, true);
    HostCudaDevice device(tiny);
    REQUIRE(compare(cases, device) == "");
    CHECK(device.runs_of("map") > 15);
    CHECK(device.runs_of("transpose") >= 9);
}

TEST_CASE("generated contractions agree with the reference for any join and layout", "[executor][device][cuda]") {
    Cases cases(9);
    for (std::string const form : {"ik,kj->ij", "ki,kj->ij", "ik,jk->ij", "ki,jk->ji", "kj,ik->ij"})
        cases.add(form, {70, 50, 90}, "x+y", Agg::min, {f32, f32}, f32);
    for (bool const scattered : {false, true}) {
        cases.add("bik,bkj->bij", {3, 20, 33, 66}, "abs(x-y)", Agg::max, {f16, f16}, f16, scattered);
        cases.add("abk,kc->abc", {4, 5, 300, 17}, "x*y", Agg::sum, {f32, f32}, f32, scattered);
        cases.add("akl,klc->ac", {20, 6, 7, 17}, "(x-y)^2", Agg::sum, {bf16, f32}, f32, scattered, true);
    }
    cases.add("ik,jk->ij", {20, 700, 20}, "exp(-abs(x-y))", Agg::logsumexp, {f64, f64}, f64);
    cases.add("ik,jk->ij", {20, 100, 20}, "x*y", Agg::sum, {c128, c128}, c128);
    cases.add("ik,jk->ij", {20, 100, 20}, "x == y", Agg::any, {i8, i64}, boolean);
    cases.add("ik,jk->ij", {20, 100, 20}, "x*y", Agg::sum, {i8, i8}, i8);
    HostCudaDevice device(small);
    REQUIRE(compare(cases, device) == "");
    CHECK(device.runs_of("contract") == 15);
    CHECK(device.runs_of("merge") >= 3);
}

TEST_CASE("contractions of many outputs agree with the reference, with more of them a thread",
          "[executor][device][cuda]") {
    Cases cases(11);
    for (std::string const form : {"ik,kj->ij", "ki,kj->ij", "ik,jk->ij", "ki,jk->ji", "kj,ik->ij"})
        cases.add(form, {128, 126, 125}, "x+y", Agg::min, {f32, f32}, f32);
    for (bool const scattered : {false, true})
        for (bool const accumulate : {false, true}) {
            cases.add("bik,bkj->bij", {2, 120, 33, 124}, "x*y", Agg::sum, {f16, f16}, f16, scattered, accumulate);
            cases.add("ak,ckb->acb", {128, 17, 5, 24}, "x*y+x", Agg::sum, {f32, f32}, f32, scattered, accumulate);
            cases.add("ka,kbc->cba", {40, 125, 6, 21}, "abs(x-y)", Agg::max, {i32, i32}, i32, scattered, accumulate);
            cases.add("akl,klc->ac", {121, 6, 7, 128}, "x*y", Agg::sum, {i8, i8}, i8, scattered, accumulate);
        }
    cases.add("ik,jk->ij", {128, 16, 128}, "x == y", Agg::any, {i8, i16}, boolean);
    HostCudaDevice device(Gpu{1, 16});
    REQUIRE(compare(cases, device) == "");
    CHECK(device.runs_of("contract_wide") == static_cast<int>(cases.size()));
}

TEST_CASE("generated lookups and scatters agree with the reference", "[executor][device][cuda]") {
    Cases cases(10);
    auto const add = [&](std::string const& form, Shape const& extents, DType type, DType positions, bool scattered,
                         bool accumulate) {
        DType const output = accumulate ? compute_dtype(std::array{type, positions}, type) : type;
        KernelCase& test = cases.add(form, extents, by_y, Agg::sum, {type, positions}, output, scattered, accumulate);
        fill_positions(test, 1, positions, cases.random(), 14);
        for (std::size_t l = 0; l < test.begin().size(); ++l)
            if (test.kernel().einsum.labels[l] == "v") test.begin()[l] = 2;
    };
    for (bool const accumulate : {false, true}) {
        for (std::string const form : {"vd,i->id", "vd,i->di", "dv,i->id"})
            add(form, form[0] == 'v' ? Shape{9, 24, 7} : Shape{24, 9, 7}, f32, i32, accumulate, accumulate);
        add("v,ij->ij", {9, 4, 6}, i16, u8, false, accumulate);
        add("bvd,bi->bid", {3, 9, 5, 7}, c64, i64, true, accumulate);
        add("vd,->d", {9, 5}, f16, i32, false, accumulate);
        add("id,i->vd", {11, 40, 9}, f32, i32, false, accumulate);
        add("di,i->dv", {40, 1100, 9}, f32, i64, accumulate, accumulate);
        add("ijd,ij->dv", {3, 4, 50, 9}, f16, u8, false, accumulate);
        add("bid,bi->bvd", {3, 11, 300, 9}, i16, i32, true, accumulate);
        add("id,i->vd", {0, 40, 9}, f32, i32, false, accumulate);
        add("id,i->vd", {2500, 33, 9}, f32, i32, false, accumulate);  // more positions than a block compares at once
    }
    KernelCase& swapped = cases.add("i,vd->id", {7, 9, 24}, by_x, Agg::sum, {i32, f32}, f32);
    swapped.begin()[1] = 0;
    HostCudaDevice device(tiny);
    REQUIRE(compare(cases, device) == "");
    CHECK(device.runs_of("lookup") == 13);
    CHECK(device.runs_of("scatter") == 10);
}

TEST_CASE("a position out of range is bad input, also where its value is not chosen", "[executor][device][cuda]") {
    SoloWorkerTeam solo;
    HostCudaDevice device(tiny);
    graph::EinSum sum = einsum("i->i", {4}, "x");
    sum.join = scalar::Expr::call(
        scalar::Op::where,
        {scalar::Expr::operand(0), scalar::Expr::integer(0),
         scalar::Expr::call(scalar::Op::position, {scalar::Expr::operand(0), scalar::Expr::integer(5)})});
    KernelCase test(sum, {i32}, i32, i32);
    test.run(device, solo);
    device.compile();
    auto const positions = [&](std::vector<std::int32_t> const& values) {
        std::memcpy(test.operand(0).data(), values.data(), 16);
    };
    positions({0, -5, 4, 2});
    CHECK_NOTHROW(test.run(device, solo));
    positions({0, 5, 4, 2});
    try {
        test.run(device, solo);
        FAIL("accepted");
    } catch (InputError const& error) {
        CHECK(error.faults().front().found == "5");
        CHECK(error.faults().front().expected == "an index from -5 to 4");
    }
}

TEST_CASE("a position out of range is recorded with its task, operand and place in the operand", "[device][cuda]") {
    SoloWorkerTeam solo;
    auto const [form, lengths] = GENERATE(table<std::string, Shape>({{"ij,ij->ij", {3, 40}}, {"ij,ji->ij", {40, 40}}}));
    CAPTURE(form);
    HostCudaDevice device(tiny);
    KernelCase test(einsum(form, lengths, "x+position(y, 7)"), {i64, i64}, i64, i64);
    KernelShape const& shape = test.shape();
    std::vector<std::int64_t> data(static_cast<std::size_t>(element_count(lengths))), positions(data.size(), -7);
    std::vector<std::int64_t> output(data.size());
    auto const kernel = device.prepare(shape, {});
    std::array<void const*, 2> const operands{data.data(), positions.data()};
    auto const launch = [&] { kernel->launch({operands, output.data(), test.begin(), {}, 0, TaskId{17}}, solo); };
    launch();  // tells which kernels there are
    device.compile();
    for (std::int64_t const element : {0, 39, 47}) {
        std::ranges::fill(positions, -7);
        CHECK_NOTHROW(launch());
        positions[static_cast<std::size_t>(element)] = 7 + element;
        try {
            launch();
            FAIL("accepted");
        } catch (IndexError const& error) {
            CHECK(error.met() == IndexError::Met{7 + element, 7, TaskId{17}, 1, element});
        }
    }
}

TEST_CASE("every operation gives what the reference has, for every type that allows it", "[executor][device][cuda]") {
    Cases cases(11);
    std::vector<std::string> joins;
    for (int k = 0; k < scalar::op_count; ++k) {
        scalar::Operation const& op = scalar::info(static_cast<scalar::Op>(k));
        std::string const name(op.name);
        if (static_cast<scalar::Op>(k) == scalar::Op::cast || static_cast<scalar::Op>(k) == scalar::Op::position)
            continue;
        if (op.spelling == scalar::Spelling::prefix) joins.push_back(name + "x");
        if (op.spelling == scalar::Spelling::infix) joins.push_back("x " + name + " y");
        if (op.spelling == scalar::Spelling::function)
            joins.push_back(name + (op.arity == 1 ? "(x)" : op.arity == 2 ? "(x, y)" : "(x, y, x)"));
    }
    for (int d = 0; d < dtype_count; ++d) joins.push_back("cast_" + std::string(name(static_cast<DType>(d))) + "(x*3)");
    for (std::string const more : {"x^2", "x^3", "x^4", "x^(-1)", "x^0.5", "x^(-3)", "gelu(9*x)", "silu(100*x)",
                                   "x*1e30*1e30", "x + 3", "x*[i] - 2", "where(x > 0, 1, y)", "tanh(40*x)", "log(x*x)"})
        joins.push_back(more);
    std::size_t refused = 0;
    for (std::string const& join : joins)
        for (DType const type : {f32, f64, c64, c128, i8, u8, i32, i64, boolean}) {
            bool const one = join.find('y') == std::string::npos;
            if (one && (type == i32 || type == u8)) continue;  // as i64 and i8, but in operators
            auto test = einsum(one ? "i->i" : "i,i->i", {300}, join);
            std::vector<DType> const operands(one ? 1 : 2, type);
            scalar::TypeResult const result = scalar::type_of(test.join, type, type);
            if (!result.problem.empty()) {
                ++refused;
                continue;
            }
            KernelCase& added =
                cases.add(one ? "i->i" : "i,i->i", {300}, join, Agg::sum, operands, result.type, false, false, type);
            added.fill(cases.random(), kind(type) == Kind::real);
        }
    CHECK(refused > 30);
    HostCudaDevice device(tiny);
    REQUIRE(compare(cases, device) == "");
}

namespace {

/// A kernel of one operand that is the same everywhere.
template <class T>
struct OfOne {
    KernelCase kernel;

    OfOne(std::string const& form, Shape const& extents, std::string const& join, T value, DType from, DType to,
          DType compute)
        : kernel(einsum(form, extents, join), {from}, to, compute) {
        for (std::size_t at = 0; at < kernel.operand(0).size(); at += sizeof value)
            std::memcpy(kernel.operand(0).data() + at, &value, sizeof value);
    }
    /// Its elements if all are alike, else nothing.
    template <class R>
    std::optional<R> result(Device& device) const {
        SoloWorkerTeam solo;
        std::vector<std::byte> const bytes = kernel.run(device, solo);
        R first;
        std::memcpy(&first, bytes.data(), sizeof first);
        for (std::size_t at = 0; at < bytes.size(); at += sizeof first)
            if (std::memcmp(bytes.data() + at, &first, sizeof first) != 0) return std::nullopt;
        return first;
    }
};

}  // namespace

TEST_CASE("generated kernels round once, keep the signs of zeros and the digits of small parts",
          "[executor][device][cuda]") {
    std::complex<double> const small(-30, 1);
    OfOne<double> const negated("i->i", {37}, "-x", 0.0, f64, f64, f64),
        half("i->i", {3}, "x", 1 + 0x1p-11 + 0x1p-40, f64, f16, f64);
    OfOne<float> const tiles("ij->ji", {70, 41}, "-x", 0.0f, f32, f32, f32);
    OfOne<std::int64_t> const brain("i->i", {3}, "x", (std::int64_t{257} << 53) + 1, i64, bf16, i64);
    OfOne<double> const least("i->i", {3}, "min(0, x)", -0.0, f64, f64, f64),
        most("i->i", {3}, "max(x, 0)", -0.0, f64, f64, f64);
    OfOne<std::complex<double>> const lost("i->i", {3}, "imag(expm1(x))/exp(real(x))", small, c128, f64, c128);
    OfOne<std::complex<double>> const far("i->i", {3}, "imag(tanh(x))*exp(2*abs(real(x)))", {-50, 1}, c128, f64, c128);
    OfOne<std::complex<double>> const near("i->i", {3}, "real(log1p(x))",
                                           {-2 * 0.479425538604203 * 0.479425538604203, 0.8414709848078965}, c128, f64,
                                           c128);
    HostCudaDevice device(tiny);
    for (KernelCase const* const kernel : {&negated.kernel, &half.kernel, &tiles.kernel, &brain.kernel, &least.kernel,
                                           &most.kernel, &lost.kernel, &far.kernel, &near.kernel}) {
        SoloWorkerTeam solo;
        kernel->run(device, solo);
    }
    device.compile();
    CHECK(std::signbit(negated.result<double>(device).value()));
    CHECK(std::signbit(tiles.result<float>(device).value()));
    CHECK(std::signbit(least.result<double>(device).value()));
    CHECK_FALSE(std::signbit(most.result<double>(device).value()));
    CHECK(half.result<std::uint16_t>(device) == 0x3c01);
    CHECK(brain.result<std::uint16_t>(device) == 0x5e01);
    CHECK(lost.result<double>(device).value() == Approx(std::sin(1)).epsilon(1e-14));
    CHECK(far.result<double>(device).value() == Approx(2 * std::sin(2)).epsilon(1e-13));
    ReferenceDevice reference;
    CHECK(near.result<double>(device).value() == Approx(near.result<double>(reference).value()).epsilon(1e-12));
}
