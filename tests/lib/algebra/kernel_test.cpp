#include "lib/algebra/kernel.hpp"

#include "lib/algebra/key_functions.hpp"
#include "lib/base/error.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::tra;
namespace k = ein::tra::kernels;

namespace {

Array const x{{2, 2}, {1, -2, 3, 4}};
Array const y{{2, 2}, {5, 6, -7, 8}};

Array of(Kernel const& kernel, std::vector<Array const*> const& operands) {
    std::vector<Shape> bounds;
    for (Array const* operand : operands) bounds.push_back(operand->bound);
    Array const out = run(kernel, operands);
    REQUIRE(value(bound_of(kernel, bounds)) == out.bound);
    return out;
}

}  // namespace

TEST_CASE("the named kernels", "[lib][algebra][kernel]") {
    CHECK(of(k::mat_mul(), {&x, &y}).values == std::vector<double>{19, -10, -13, 50});
    CHECK(of(k::mat_tran_mul_left(), {&x, &y}).values == std::vector<double>{-16, 30, -38, 20});
    CHECK(of(k::mat_tran_mul_right(), {&x, &y}).values == std::vector<double>{-7, -23, 39, 11});
    CHECK(of(k::mat_sub(), {&x, &y}).values == std::vector<double>{-4, -8, 10, -4});
    CHECK(of(k::elem_min(), {&x, &y}).values == std::vector<double>{1, -2, -7, 4});
    CHECK(of(k::relu_gradient(), {&x}).values == std::vector<double>{1, 0, 1, 1});
    CHECK(of(k::scale_mul(0.5), {&x}).values == std::vector<double>{0.5, -1, 1.5, 2});
    CHECK(of(k::row_sum(), {&x}).values == std::vector<double>{-1, 7});
    Array const row{{1, 2}, {10, 20}};
    CHECK(of(k::mat_vec_sub(), {&row, &x}).values == std::vector<double>{-9, -22, -7, -16});
}

TEST_CASE("kernels compose; what distributes gives the same either way", "[lib][algebra][kernel]") {
    Kernel const after = composed(k::diag(), k::mat_add());
    Kernel const before = on_each_operand(k::diag(), k::mat_add());
    CHECK(text(after) == "diag∘matAdd");
    CHECK(text(before) == "matAdd∘diag");
    CHECK(of(after, {&x, &y}) == of(before, {&x, &y}));
    CHECK(composed(Kernel(), k::relu()) == k::relu());
    CHECK(composed(k::relu(), Kernel()) == k::relu());
}

TEST_CASE("distributivity is reported only where it holds", "[lib][algebra][kernel]") {
    std::vector<Kernel> const maps{k::relu(),    k::diag(),          k::row_sum(), k::scale_mul(3),
                                   k::sigmoid(), Kernel::tile(0, 1), Kernel()};
    std::vector<Kernel> const joins{k::mat_add(), k::mat_sub(), k::elem_mul(), k::elem_min(), k::mat_mul()};
    int found = 0;
    for (Kernel const& f : maps)
        for (Kernel const& g : joins) {
            if (!distributes(f, g)) continue;
            ++found;
            CAPTURE(text(f), text(g));
            CHECK(of(composed(f, g), {&x, &y}) == of(on_each_operand(f, g), {&x, &y}));
        }
    CHECK(found == 2 * 4 + 2 * 2 + 5);  // picking with element-wise, linear with sums, and the identity with all
    CHECK(associates(k::mat_add()));
    CHECK_FALSE(associates(k::mat_sub()));
}

TEST_CASE("arrays that do not fit a kernel are reported with its name", "[lib][algebra][kernel]") {
    auto const bound = bound_of(k::mat_mul(), std::vector<Shape>{{2, 3}, {2, 2}});
    REQUIRE(problem(bound));
    CHECK(problem(bound)->expected == "matMul takes arrays whose common axes are equally long");
    CHECK(problem(bound)->found == "3 and 2 (axis 0 of operand 1)");
    CHECK(problem(bound_of(k::mat_add(), std::vector<Shape>{{2}, {3}})));
    CHECK(problem(bound_of(k::diag(), std::vector<Shape>{{2}})));
    CHECK(problem(bound_of(Kernel::tile(0, 2), std::vector<Shape>{{3}})));
    CHECK(problem(bound_of(k::mat_add(), std::vector<Shape>{{2}})));
    CHECK_THROWS_AS(Kernel::elementwise("f", 1, "x +"), InputError);
    CHECK_THROWS_AS(Kernel::contraction("f", "ij", "x"), InputError);
    CHECK_THROWS_AS(Kernel::contraction("f", "ij->k", "x"), InputError);
}

TEST_CASE("key functions compose, and say which parts they keep", "[lib][algebra][keys]") {
    KeyMap const swap = KeyMap::pick(2, {1, 0});
    KeyMap const sum = KeyMap::parse(2, {"[k0] + [k1]", "[k1]"});
    CHECK(value(composed(sum, swap)({1, 5}, 0)) == Key{6, 1});
    CHECK(composed(swap, swap).is_identity());
    CHECK(swap.image(0) == 1);
    CHECK_FALSE(sum.image(0).has_value());
    CHECK(value(KeyMap::insert(2, 1, 3)({4, 5}, 2)) == Key{4, 2, 5});
    CHECK(problem(KeyMap::parse(1, {"[k0] - 1"})({0}, 0)));
    CHECK(problem(KeyMap::parse(1, {"[k0] / 2"})({1}, 0)));
    CHECK_THROWS_AS(KeyMap::parse(1, {"[k1]"}), InputError);
}
