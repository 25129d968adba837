// Interpreting small graphs whose leaves hold given numbers.
#pragma once

#include <complex>
#include <cstring>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "lib/relation/interpret.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/graphs.hpp"

namespace ein::test {

using Numbers = std::vector<std::complex<double>>;

inline tensor::HostTensor tensor_of(DType dtype, Shape shape, Numbers const& numbers) {
    tensor::HostTensor out(dtype, std::move(shape));
    for (std::size_t k = 0; k < numbers.size(); ++k) {
        bool const exact = kind(dtype) <= Kind::integer;
        out.set(static_cast<Extent>(k), exact ? scalar::Scalar::of(static_cast<std::int64_t>(numbers[k].real()))
                                              : scalar::Scalar::of(numbers[k]));
    }
    return out;
}

/// Leaves by name.
class Leaves {
public:
    void put(std::string const& name, tensor::HostTensor tensor) { tensors_[name] = std::move(tensor); }
    tensor::HostTensor& at(std::string const& name) { return tensors_.at(name); }
    relation::ReadLeaf reader(graph::EinGraph const& graph) const {
        return [this, &graph](graph::Leaf const& leaf, Box const& box, std::span<std::byte> out) {
            tensor::HostTensor const& from = tensors_.at(graph.value(leaf.value).name);
            std::size_t const bytes = size_of(from.dtype());
            REQUIRE(out.size() == static_cast<std::size_t>(box.elements()) * bytes);
            std::vector<Extent> const strides = row_major_strides(from.shape());
            std::size_t done = 0;
            for_each_index(box.length, [&](std::vector<Extent> const& index) {
                Extent linear = 0;
                for (std::size_t axis = 0; axis < index.size(); ++axis)
                    linear += (box.begin[axis] + index[axis]) * strides[axis];
                std::memcpy(out.data() + done, from.bytes().data() + static_cast<std::size_t>(linear) * bytes, bytes);
                done += bytes;
            });
            elements_read += box.elements();
        };
    }
    mutable Extent elements_read = 0;

private:
    std::map<std::string, tensor::HostTensor> tensors_;
};

inline Numbers numbers_of(tensor::HostTensor const& tensor) {
    Numbers out;
    for (Extent k = 0; k < tensor.elements(); ++k) {
        scalar::Scalar const value = tensor.at(k);
        out.push_back(value.is_integer ? std::complex<double>(static_cast<double>(value.integer)) : value.number);
    }
    return out;
}

/// One EinSum over tensors of one dtype.
struct Case {
    std::string subscripts;
    std::vector<Shape> shapes;
    std::vector<Numbers> data;
    Extras extras = {};
    DType inputs = DType::f64;
    scalar::Params params = {};
};

inline Numbers result_of(Case const& what) {
    GraphBuilder builder;
    Leaves leaves;
    std::vector<std::string> names;
    for (auto const& [name, value] : what.params) builder.param(name, value);
    for (std::size_t k = 0; k < what.shapes.size(); ++k) {
        names.push_back("in" + std::to_string(k));
        builder.leaf(names.back(), what.shapes[k], what.inputs);
        leaves.put(names.back(), tensor_of(what.inputs, what.shapes[k], what.data[k]));
    }
    ValueId const out = builder.einsum("out", what.subscripts, names, what.extras);
    graph::EinGraph const graph = builder.finish({"out"});
    return numbers_of(relation::Interpreter(graph, leaves.reader(graph)).whole(out));
}

}  // namespace ein::test
