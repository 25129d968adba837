#include "lib/scalar/expression/structure_hash.hpp"

#include <cmath>
#include <set>

#include "tests/lib/scalar/random_tile.hpp"

using namespace ein;
using namespace ein::scalar;

namespace {

/// The same structure, in which no two nodes are one.
Expr copied(Expr const& expr) {
    Node const& node = expr.node();
    if (node.op == Op::operand) return Expr::operand(node.slot);
    if (node.op == Op::index) return Expr::index(node.slot);
    if (node.args.empty()) return expr;
    std::vector<Expr> args;
    for (Expr const& arg : node.args) args.push_back(copied(arg));
    return node.op == Op::cast ? Expr::cast(node.cast_to, args.front()) : Expr::call(node.op, std::move(args));
}

}  // namespace

TEST_CASE("expressions have equal hashes where they are equal, and no others", "[lib][scalar][hash]") {
    std::vector<Op> ops = exact_ops(DType::f64);
    ops.insert(ops.end(), {Op::exp, Op::cast, Op::where});
    RandomExpression draw(29, names, ops);
    std::vector<Expr> drawn;
    for (int k = 0; k < 300; ++k) drawn.push_back(draw.draw(1 + k % 5));
    for (Expr const& a : drawn) {
        CAPTURE(print(a, names));
        CHECK(structure_hash(copied(a)) == structure_hash(a));
        for (Expr const& b : drawn) REQUIRE((structure_hash(a) == structure_hash(b)) == (a == b));
    }
    CHECK(structure_hash(Expr::number(std::nan("1"))) == structure_hash(Expr::number(-std::nan("2"))));
}

TEST_CASE("joins that differ in a constant alone have different hashes", "[lib][scalar][hash]") {
    std::set<std::uint64_t> hashes;
    for (int k = 0; k < 1000; ++k) {
        hashes.insert(structure_hash(Expr::operand(0) * Expr::integer(k)));
        hashes.insert(structure_hash(Expr::operand(0) * Expr::number(k / 8.0)));
    }
    CHECK(hashes.size() == 2000);
}
