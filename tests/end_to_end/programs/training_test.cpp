// Models that are trained: gradients written out by hand, and against differences of the loss.
#include "tests/end_to_end/programs/made_program.hpp"
#include "tests/lib/relation/gradient_support.hpp"

using namespace ein;
using namespace ein::test;

namespace {

/// sum over k of a(i, k) b(k, j)
Plain product(Plain const& a, Plain const& b) {
    Plain out({a.extent(0), b.extent(1)});
    for (Extent i = 0; i < a.extent(0); ++i)
        for (Extent k = 0; k < a.extent(1); ++k)
            for (Extent j = 0; j < b.extent(1); ++j) out(i, j) += a(i, k) * b(k, j);
    return out;
}

Plain turned(Plain const& a) {
    Plain out({a.extent(1), a.extent(0)});
    for (Extent i = 0; i < a.extent(0); ++i)
        for (Extent j = 0; j < a.extent(1); ++j) out(j, i) = a(i, j);
    return out;
}

template <class Function>
Plain mapped(Plain a, Function const& f) {
    for (double& x : a.numbers) x = f(x);
    return a;
}

template <class Function>
Plain mapped(Plain a, Plain const& b, Function const& f) {
    for (std::size_t k = 0; k < a.numbers.size(); ++k) a.numbers[k] = f(a.numbers[k], b.numbers[k]);
    return a;
}

double sum(Plain const& a) {
    double out = 0;
    for (double x : a.numbers) out += x;
    return out;
}

double squares(Plain const& a) {
    return sum(mapped(a, [](double x) { return x * x; }));
}

Plain column(Plain const& vector) {
    Plain out({vector.extent(0), 1});
    out.numbers = vector.numbers;
    return out;
}
Plain vector_of(Plain const& column) {
    Plain out({column.extent(0)});
    out.numbers = column.numbers;
    return out;
}

Plain minus(Plain const& a, Plain const& b, double factor = 1) {
    return mapped(a, b, [factor](double x, double y) { return x - factor * y; });
}

}  // namespace

TEST_CASE("linear-regression is gradient descent on least squares", "[end_to_end][programs]") {
    MadeProgram program("linear-regression", {.sizes = {30, 6}, .options = {{"--iterations", "12"}}});
    Plain const X = program.input("X"), y = column(program.input("y"));
    Plain theta = column(program.input("theta"));
    double loss = 0, first = 0;
    for (int iteration = 0; iteration < 12; ++iteration) {
        Plain const residual = minus(product(X, theta), y);
        loss = squares(residual) / 30;
        if (iteration == 0) first = loss;
        theta = minus(theta, product(turned(X), residual), program.param("eta") * 2 / 30);
    }
    CHECK(loss < 0.95 * first);
    program.expect("train/theta", vector_of(theta));
    program.expect("train/last_loss", scalar_of(loss));
    program.run(GENERATE(1, 2, 3));
}

TEST_CASE("network is back-propagation through one tanh layer", "[end_to_end][programs]") {
    MadeProgram program("network", {.sizes = {20, 7, 5}, .options = {{"--iterations", "8"}}});
    Plain const X = program.input("X"), y = column(program.input("y"));
    Plain W = program.input("W"), v = column(program.input("v"));
    double loss = 0, first = 0;
    for (int iteration = 0; iteration < 8; ++iteration) {
        Plain const hidden = mapped(product(X, W), [](double x) { return std::tanh(x); });
        Plain const residual = minus(product(hidden, v), y);
        loss = squares(residual) / 20;
        if (iteration == 0) first = loss;
        Plain const back =
            mapped(product(residual, turned(v)), hidden, [](double g, double h) { return g * (1 - h * h); });
        double const rate = program.param("eta") * 2 / 20;
        v = minus(v, product(turned(hidden), residual), rate);
        W = minus(W, product(turned(X), back), rate);
    }
    CHECK(loss < 0.95 * first);
    program.expect("train/W", W);
    program.expect("train/v", vector_of(v));
    program.expect("train/last_loss", scalar_of(loss));
    program.run(GENERATE(1, 2, 3));
}

TEST_CASE("ffnn-step is the classifier's step, alone and in a loop", "[end_to_end][programs]") {
    bool const alone = GENERATE(true, false);
    CAPTURE(alone);
    apps::tool::Wanted wanted{.sizes = {9, 8, 5, 12}};
    if (!alone) wanted.options["--steps"] = "4";
    MadeProgram program("ffnn-step", wanted);
    Plain const X = program.input("X"), Y = program.input("Y");
    Plain W1 = program.input("W1"), W2 = program.input("W2"), output({12, 5});
    double loss = 0;
    for (int step = 0; step < (alone ? 1 : 4); ++step) {
        Plain const hidden = mapped(product(X, W1), [](double x) { return std::max(x, 0.0); });
        output = mapped(product(hidden, W2), [](double x) { return 1 / (1 + std::exp(-x)); });
        loss = -sum(mapped(output, Y, [](double p, double is) { return std::log(is != 0 ? p : 1 - p); })) / 12;
        Plain const error = minus(output, Y);
        Plain const back = mapped(product(error, turned(W2)), hidden, [](double g, double h) { return h > 0 ? g : 0; });
        double const rate = program.param("eta") / 12;
        W2 = minus(W2, product(turned(hidden), error), rate);
        W1 = minus(W1, product(turned(X), back), rate);
    }
    program.expect(alone ? "W1_next" : "train/W1", W1);
    program.expect(alone ? "W2_next" : "train/W2", W2);
    program.expect(alone ? "loss" : "train/last_loss", scalar_of(loss));
    if (alone) program.expect("output", output);
    program.run(GENERATE(1, 2, 3));
}

TEST_CASE("factorization descends on the regularised misfit", "[end_to_end][programs]") {
    MadeProgram program("factorization", {.sizes = {12, 9, 3}, .options = {{"--iterations", "20"}}});
    Plain const R = program.input("R");
    Plain W = program.input("W"), H = program.input("H");
    double const eta = program.param("eta"), lambda = program.param("lambda");
    double loss = 0, first = 0;
    for (int iteration = 0; iteration < 20; ++iteration) {
        Plain const residual = minus(product(W, turned(H)), R);
        loss = squares(residual) + lambda * (squares(W) + squares(H));
        if (iteration == 0) first = loss;
        Plain const by_W = minus(product(residual, H), W, -lambda),
                    by_H = minus(product(turned(residual), W), H, -lambda);
        W = minus(W, by_W, 2 * eta);
        H = minus(H, by_H, 2 * eta);
    }
    CHECK(loss < 0.5 * first);
    program.expect("train/W", W);
    program.expect("train/H", H);
    program.expect("train/last_loss", scalar_of(loss));
    program.run(GENERATE(1, 2, 3));
}

TEST_CASE("cp descends on the misfit of a sum of outer products", "[end_to_end][programs]") {
    MadeProgram program("cp", {.sizes = {5, 6, 4, 3}, .options = {{"--iterations", "20"}}});
    Plain const T = program.input("T");
    Plain A = program.input("A"), B = program.input("B"), C = program.input("C");
    double loss = 0, first = 0;
    for (int iteration = 0; iteration < 20; ++iteration) {
        Plain by_A(A.shape), by_B(B.shape), by_C(C.shape);
        loss = 0;
        for (int i = 0; i < 5; ++i)
            for (int j = 0; j < 6; ++j)
                for (int k = 0; k < 4; ++k) {
                    double residual = -T(i, j, k);
                    for (int r = 0; r < 3; ++r) residual += A(i, r) * B(j, r) * C(k, r);
                    loss += residual * residual;
                    for (int r = 0; r < 3; ++r) {
                        by_A(i, r) += residual * B(j, r) * C(k, r);
                        by_B(j, r) += residual * A(i, r) * C(k, r);
                        by_C(k, r) += residual * A(i, r) * B(j, r);
                    }
                }
        if (iteration == 0) first = loss;
        double const rate = 2 * program.param("eta");
        A = minus(A, by_A, rate), B = minus(B, by_B, rate), C = minus(C, by_C, rate);
    }
    CHECK(loss < first);
    program.expect("train/A", A);
    program.expect("train/B", B);
    program.expect("train/C", C);
    program.expect("train/last_loss", scalar_of(loss));
    program.run(GENERATE(1, 2, 3));
}

TEST_CASE("a step of each training program is eta times the differences of its loss", "[end_to_end][programs]") {
    struct Training {
        std::string kind;
        std::vector<Extent> sizes;
        std::string iterations;  // the option that makes a loop of one iteration
        std::vector<std::string> weights;
    };
    auto const [kind, sizes, iterations, weights] =
        GENERATE(Training{"ffnn-step", {6, 5, 4, 7}, "--steps", {"W1", "W2"}},
                 Training{"linear-regression", {9, 4}, "--iterations", {"theta"}},
                 Training{"network", {9, 4, 3}, "--iterations", {"W", "v"}},
                 Training{"factorization", {6, 5, 2}, "--iterations", {"W", "H"}},
                 Training{"cp", {4, 3, 5, 2}, "--iterations", {"A", "B", "C"}});
    CAPTURE(kind);
    MadeProgram program(kind, {.sizes = sizes, .options = {{iterations, "1"}}});
    program.json()["nodes"].push_back({{"name", "loss"}, {"einsum", "->"}, {"inputs", {"train/last_loss"}}});
    Json only_loss = program.json(), only_weights = program.json();
    only_loss["outputs"] = {"loss"};
    only_weights["outputs"] = Json::array();
    for (std::string const& name : weights) only_weights["outputs"].push_back("train/" + name);
    Evaluation loss(only_loss), next(only_weights);
    int compared = 0;
    for (std::string const& name : weights) {
        CAPTURE(name);
        tensor::HostTensor const after = next("train/" + name);
        for (Extent k = 0; k < after.elements(); ++k) {
            auto const slope = difference(loss, name, k);
            if (!slope) continue;  // relu's corner between two steps
            ++compared;
            double const step = (loss.leaf(name).at(k).number - after.at(k).number).real() / program.param("eta");
            CAPTURE(k, step, *slope);
            CHECK(std::abs(step - slope->real()) <= 1e-6 * (1 + std::abs(slope->real())));
        }
    }
    CHECK(compared >= 4);
}
