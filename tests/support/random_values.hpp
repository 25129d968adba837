// What random graphs of one kind are drawn from: values so far, operands of a shape, subscripts of letters
// (random_products.hpp, random_programs.hpp). Example: shape_of("ik", extents) is that of the result of "ij,jk->ik".
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "lib/base/box.hpp"
#include "lib/base/dtype.hpp"
#include "tests/support/random_draws.hpp"

namespace ein::test {

inline Kind kind_of(std::string const& dtype) { return kind(*dtype_from_name(dtype)); }

/// Tensors and nodes so far. Operands are named by letters; a letter's extent is drawn once for each node.
class RandomValues : protected Draws {
protected:
    explicit RandomValues(std::uint64_t seed) : Draws(seed) {}

    struct Made {
        std::string name, dtype;
        Shape shape;
        bool is_leaf = false;
    };

    /// One that there is, of this shape and dtype, or a new one.
    std::string operand(Shape const& shape, std::string const& dtype, int reused = 40) {
        for (auto value = values_.rbegin(); value != values_.rend(); ++value)
            if (value->shape == shape && value->dtype == dtype && chance(reused)) return value->name;
        return add_leaf(shape, dtype);
    }

    std::string add_leaf(Shape const& shape, std::string const& dtype) {
        std::string const name = "T" + std::to_string(tensors_.size());
        bool const whole = kind_of(dtype) == Kind::integer;
        tensors_[name] = {{"shape", shape},
                          {"dtype", dtype},
                          {"data",
                           {{"random", "uniform"},
                            {"low", dtype == "u8"     ? 0
                                    : whole           ? -4
                                    : dtype == "bool" ? 0
                                                      : -1},
                            {"high", whole             ? 5
                                     : dtype == "bool" ? 2
                                                       : 1},
                            {"seed", tensors_.size() + 1}}}};
        values_.push_back({name, dtype, shape, true});
        return name;
    }
    std::string add_indices(Shape const& shape, Extent below) {
        std::string const name = "T" + std::to_string(tensors_.size());
        tensors_[name] = {{"shape", shape},
                          {"dtype", chance(50) ? "i32" : "i64"},
                          {"data", {{"random", "uniform"}, {"high", below}, {"seed", tensors_.size() + 1}}}};
        return name;
    }

    std::string add_node(Json node, Shape shape, std::string const& dtype) {
        std::string const name = "N" + std::to_string(names_++);
        node["name"] = name;
        nodes_.push_back(std::move(node));
        values_.push_back({name, dtype, std::move(shape)});
        return name;
    }

    /// All nodes, and now and then a tensor.
    Json graph() {
        Json outputs = Json::array();
        for (Made const& value : values_)
            if (!value.is_leaf || chance(5)) outputs.push_back(value.name);
        return {{"eingraph", 1}, {"name", "kinds"}, {"tensors", tensors_}, {"nodes", nodes_}, {"outputs", outputs}};
    }

    Shape shape_of(std::string const& letters, std::map<char, Extent> const& extents) {
        Shape shape;
        for (char letter : letters) shape.push_back(extents.at(letter));
        return shape;
    }
    std::string shuffled(std::string letters, int percent) {
        if (chance(percent)) std::shuffle(letters.begin(), letters.end(), engine());
        return letters;
    }

    Json tensors_ = Json::object(), nodes_ = Json::array();
    std::vector<Made> values_;
    int names_ = 0;
};

}  // namespace ein::test
