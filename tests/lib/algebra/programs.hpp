// Programs of the paper as expressions, for tests of the algebra and of its implementation.
// Source: [T] 4.2.1, 5.1, 5.2, 5.3.
#pragma once

#include <limits>

#include "lib/algebra/expression.hpp"

namespace ein::test {

using namespace ein::tra;

inline Expr times(Expr a, Expr b) {
    return aggregate({0, 2}, kernels::mat_add(), join({1}, {0}, kernels::mat_mul(), std::move(a), std::move(b)));
}

/// diag(X + Y).
inline Expr diagonal_of_sum() {
    return transform(kernels::diag(), rekey(KeyMap::pick(2, {0}),
                                            filter(KeyPredicate::parse(2, "[k0] == [k1]"),
                                                   join({0, 1}, {0, 1}, kernels::mat_add(), input("X"), input("Y")))));
}

/// Distances (x_i - q) A (x_i - q)' of the rows of X.
inline Expr distances() {
    Expr const diff = join({1}, {1}, kernels::mat_vec_sub(), input("q"), input("X"));  // keys (query, part, row)
    Expr const rows = rekey(KeyMap::pick(3, {2, 1}), diff);
    Expr const proj = times(rows, input("A"));
    return transform(kernels::row_sum(),
                     aggregate({0}, kernels::mat_add(), join({0, 1}, {0, 1}, kernels::elem_mul(), proj, rows)));
}

/// The least of them, and the first row that has it: "I" holds the rows' numbers.
inline Expr nearest_neighbour() {
    Expr const dist = distances();
    Kernel const least = Kernel::contraction("least", "i->", "x", scalar::Agg::min);
    Expr const best = aggregate({}, kernels::elem_min(), transform(least, dist));
    Kernel const where_equal = Kernel::contraction("whereEqual", ",i->i", "where(x == y, 0, inf)");
    Expr const hits = join({}, {}, where_equal, best, dist);
    Expr const numbered = join({0}, {0}, kernels::mat_add(), hits, input("I"));
    return aggregate({}, kernels::elem_min(), transform(least, numbered));
}

struct TrainingStep {
    Expr weights_1, weights_2;  // after the step
};

/// One step of gradient descent of a classifier with one hidden layer: X (N x D), Y (N x L), W1 (D x H), W2 (H x L).
inline TrainingStep training_step(double eta) {
    Expr const x = input("X"), y = input("Y"), w1 = input("W1"), w2 = input("W2");
    Expr const a1 = transform(kernels::relu(), times(x, w1));
    Expr const a2 = transform(kernels::sigmoid(), times(a1, w2));
    Expr const grad_a2 = join({0, 1}, {0, 1}, kernels::mat_sub(), a2, y);
    auto const left = [](Expr a, Expr b) {  // a' b; the joined key is (n, i, j)
        return aggregate({1, 2}, kernels::mat_add(),
                         join({0}, {0}, kernels::mat_tran_mul_left(), std::move(a), std::move(b)));
    };
    Expr const grad_w2 = left(a1, grad_a2);
    Expr const back = aggregate({0, 2}, kernels::mat_add(), join({1}, {1}, kernels::mat_tran_mul_right(), grad_a2, w2));
    Expr const grad_a1 = join({0, 1}, {0, 1}, kernels::elem_mul(), transform(kernels::relu_gradient(), a1), back);
    Expr const grad_w1 = left(x, grad_a1);
    auto const stepped = [&](Expr w, Expr gradient) {
        return join({0, 1}, {0, 1}, kernels::mat_sub(), std::move(w),
                    transform(kernels::scale_mul(eta), std::move(gradient)));
    };
    return {stepped(w1, grad_w1), stepped(w2, grad_w2)};
}

}  // namespace ein::test
