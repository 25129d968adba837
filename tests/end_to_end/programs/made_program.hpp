// What `eintool make` writes, run at several rank counts, beside the same mathematics in plain loops over the same
// inputs. Example: MadeProgram p("matmul", {.sizes = {4, 5, 6}}); auto A = p.input("A"); p.expect("C", product(A,
// p.input("B"))); p.run(3);
#pragma once

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "apps/eintool/make/graph_kind.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/whole_run.hpp"

namespace ein::test {

/// Numbers in C order; elements by their indices.
struct Plain {
    Shape shape;
    std::vector<double> numbers;

    explicit Plain(Shape of) : shape(std::move(of)), numbers(static_cast<std::size_t>(element_count(shape)), 0.0) {}
    explicit Plain(tensor::HostTensor const& tensor) : Plain(tensor.shape()) {
        for (Extent k = 0; k < tensor.elements(); ++k) {
            scalar::Scalar const s = tensor.at(k);
            numbers[static_cast<std::size_t>(k)] = s.is_integer ? static_cast<double>(s.integer) : s.number.real();
        }
    }
    Extent extent(std::size_t axis) const { return shape[axis]; }

    template <class... Index>
    double& operator()(Index... index) {
        return numbers[at({static_cast<Extent>(index)...})];
    }
    template <class... Index>
    double operator()(Index... index) const {
        return numbers[at({static_cast<Extent>(index)...})];
    }

private:
    std::size_t at(std::vector<Extent> const& index) const {
        Extent linear = 0;
        for (std::size_t axis = 0; axis < shape.size(); ++axis) linear = linear * shape[axis] + index[axis];
        return static_cast<std::size_t>(linear);
    }
};

inline Plain scalar_of(double value) {
    Plain out(Shape{});
    out() = value;
    return out;
}

class MadeProgram {
public:
    /// In f64, unless another dtype is wanted.
    explicit MadeProgram(std::string const& kind, apps::tool::Wanted wanted) {
        if (wanted.dtype.empty()) wanted.dtype = "f64";
        json_ = Json::parse(apps::tool::make_graph(apps::tool::kind_named(kind), wanted));
    }

    /// To give other data or another outcome to what was made.
    Json& json() { return json_; }
    double param(std::string const& name) const { return json_["params"][name]; }

    Plain input(std::string const& name) const {
        graph::EinGraph const graph = graph::read_graph(json_.dump(), "made.json");
        for (graph::Leaf const& leaf : graph.leaves) {
            graph::Value const& value = graph.value(leaf.value);
            if (value.name != name) continue;
            tensor::HostTensor tensor(value.dtype, value.shape);
            source_reader(graph)(leaf, Box::whole(value.shape), tensor.bytes());
            return Plain(tensor);
        }
        throw std::runtime_error("no tensor " + name);
    }

    /// @param scale  of what the numbers were computed from, where they are small differences of it
    void expect(std::string const& output, Plain numbers, double scale = 0) {
        expected_.emplace(output, Expected{std::move(numbers), scale});
    }

    /// Interpreter and run, both within 1e-12 of the largest number expected.
    void run(int ranks) const {
        WholeRun const run = whole_run(json_, {.ranks = ranks});
        for (std::string const& failure : run.failures) FAIL_CHECK(failure);
        REQUIRE(run.results.size() == expected_.size());
        for (auto const& [name, expected] : expected_) {
            CAPTURE(name, ranks);
            compare(Plain(run.expected.at(name)), expected);
            compare(Plain(run.results.at(name)), expected);
        }
    }

private:
    struct Expected {
        Plain numbers;
        double scale;
    };

    static void compare(Plain const& found, Expected const& wanted) {
        Plain const& expected = wanted.numbers;
        REQUIRE(found.shape == expected.shape);
        double largest = wanted.scale, difference = 0;
        for (std::size_t k = 0; k < expected.numbers.size(); ++k) {
            double const e = expected.numbers[k], f = found.numbers[k];
            if (e == f) continue;  // infinities too
            largest = std::max(largest, std::abs(e));
            difference = std::isfinite(e - f) ? std::max(difference, std::abs(e - f)) : INFINITY;
        }
        CHECK(difference <= 1e-12 * largest);
    }

    Json json_;
    std::map<std::string, Expected> expected_;
};

}  // namespace ein::test
