// What random sparse graphs are made of: values so far, leaves, and nodes that move elements without looking at them
// (random_sparse_graph.hpp). Example: of a 3 x 4 value perhaps a slice backwards along both axes.
#pragma once

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "tests/support/random_draws.hpp"
#include "tests/support/sparse_algebras.hpp"

namespace ein::test {

class SparseNodes : protected Draws {
protected:
    struct Made {
        std::string name;
        Shape shape;
        bool is_leaf = false;
        std::set<std::string> leaves = {};  // that it depends on
    };

    explicit SparseNodes(std::uint64_t seed) : Draws(seed) {
        algebra_ = &algebras[chance(50) ? 0 : at(pick(algebras.size()))];
    }

    static std::size_t at(int k) { return static_cast<std::size_t>(k); }

    Extent random_extent() {
        if (chance(2)) return 0;
        return chance(12) ? 1 : any_of(std::vector<Extent>{2, 3, 4, 5, 6, 7, 8, 9, 12, 17});
    }
    Shape random_shape() {
        Shape shape;
        int const order = 1 + pick(5);
        for (int k = 0; k < order; ++k) {
            Made const* const like = values_.empty() || chance(25) ? nullptr : &values_[at(pick(values_.size()))];
            shape.push_back(like == nullptr || like->shape.empty() ? random_extent() : any_of(like->shape));
        }
        while (element_count(shape) > 3000) shape.pop_back();
        return shape;
    }

    Made add_leaf(Shape const& shape, bool sparse) {
        std::string const name = "T" + std::to_string(tensors_.size());
        Json data{
            {"random", "uniform"}, {"low", algebra_->low}, {"high", algebra_->high}, {"seed", tensors_.size() + 1}};
        if (algebra_->dtype == "bool") data = {{"random", "uniform"}, {"low", 0}, {"high", 2}, {"seed", data["seed"]}};
        tensors_[name] = {{"shape", shape}, {"data", data}};
        if (sparse) {
            tensors_[name]["sparse"] = true;
            tensors_[name]["data"]["density"] = any_of(std::vector<double>{0, 0.02, 0.1, 0.1, 0.3, 0.6, 1});
            tensors_[name]["fill"] = Json::parse(algebra_->fill);
        }
        values_.push_back({name, shape, true, {name}});
        return values_.back();
    }
    std::string add_indices(Shape const& shape, Extent below) {
        std::string const name = "T" + std::to_string(tensors_.size());
        tensors_[name] = {{"shape", shape},
                          {"dtype", "i64"},
                          {"data", {{"random", "uniform"}, {"low", 0}, {"high", below}, {"seed", tensors_.size()}}}};
        return name;
    }

    void made(Json node, Shape shape) {
        node["name"] = "N" + std::to_string(names_++);
        if (chance(12)) node["sparse"] = chance(70);
        values_.push_back({node["name"], std::move(shape), false, leaves_of(node["inputs"])});
        nodes_.push_back(std::move(node));
    }

    /// Of indices none.
    std::set<std::string> leaves_of(Json const& inputs) const {
        std::set<std::string> out;
        for (Made const& value : values_)
            if (std::find(inputs.begin(), inputs.end(), value.name) != inputs.end())
                out.insert(value.leaves.begin(), value.leaves.end());
        return out;
    }
    void add_move(Made const value) {
        if (value.shape.empty()) return made({{"op", "reshape"}, {"inputs", {value.name}}, {"shape", {1, 1}}}, {1, 1});
        switch (pick(7)) {
            case 0: return add_slice(value);
            case 1: return add_concat(value);
            case 2: return add_pad(value);
            case 3: return add_reshape(value);
            case 4: return add_roll(value);
            case 5: return add_gather(value);
            default: return add_transpose(value);
        }
    }

    void add_slice(Made const& value) {
        Json start = Json::array(), stop = Json::array(), step = Json::array();
        Shape shape;
        for (Extent extent : value.shape) {
            Extent const from = extent == 0 ? 0 : pick(static_cast<std::size_t>(extent)), stride = 1 + pick(3);
            bool const backwards = extent > 0 && chance(30);
            start.push_back(from), stop.push_back(backwards ? Json(nullptr) : Json(extent));
            step.push_back(backwards ? -stride : stride);
            shape.push_back(backwards ? from / stride + 1 : (extent - from + stride - 1) / stride);
        }
        made({{"op", "slice"}, {"inputs", {value.name}}, {"start", start}, {"stop", stop}, {"step", step}}, shape);
    }

    void add_concat(Made const& value) {
        std::size_t const axis = at(pick(value.shape.size()));
        Json inputs = Json::array({value.name});
        Shape shape = value.shape;
        for (Made const& other : values_) {
            Shape alike = other.shape;
            if (alike.size() != shape.size()) continue;
            alike[axis] = shape[axis];
            if (alike != shape || inputs.size() > 3) continue;
            inputs.push_back(other.name);
        }
        shape[axis] = 0;
        for (Json const& name : inputs) shape[axis] += shape_of(name)[axis];
        made({{"op", "concat"}, {"inputs", inputs}, {"axis", axis}}, shape);
    }
    Shape shape_of(std::string const& name) const {
        return std::find_if(values_.begin(), values_.end(), [&](Made const& value) { return value.name == name; })
            ->shape;
    }

    void add_pad(Made const& value) {
        Shape shape = value.shape;
        Json const width = pad_widths(shape);
        if (element_count(shape) > 4000) return add_transpose(value);
        Json node{{"op", "pad"}, {"inputs", {value.name}}, {"pad_width", width}};
        if (chance(50) && element_count(value.shape) > 0)
            node["mode"] = any_of(std::vector<std::string>{"edge", "reflect", "symmetric", "wrap"});
        else if (chance(60) && algebra_->fill[0] != '"')
            node["constant_values"] = Json::parse(algebra_->fill);
        made(std::move(node), std::move(shape));
    }

    void add_reshape(Made const& value) {
        Extent const elements = element_count(value.shape);
        Shape const shape = elements == 0 ? Shape{2, 0} : factors(elements);
        made({{"op", "reshape"}, {"inputs", {value.name}}, {"shape", shape}}, shape);
    }

    /// As numpy.roll, of two slices.
    void add_roll(Made const& value) {
        std::size_t const axis = at(pick(value.shape.size()));
        Extent const extent = value.shape[axis], by = extent == 0 ? 0 : pick(static_cast<std::size_t>(extent));
        Shape low = value.shape, high = value.shape;
        low[axis] = by, high[axis] = extent - by;
        Json const axes = Json::array({axis});
        made({{"op", "slice"}, {"inputs", {value.name}}, {"start", {by}}, {"stop", {extent}}, {"axes", axes}}, high);
        std::string const first = values_.back().name;
        made({{"op", "slice"}, {"inputs", {value.name}}, {"start", {0}}, {"stop", {by}}, {"axes", axes}}, low);
        made({{"op", "concat"}, {"inputs", {first, values_.back().name}}, {"axis", axis}}, value.shape);
    }

    void add_gather(Made const& value) {
        std::size_t const axis = at(pick(value.shape.size()));
        Shape const index_shape = chance(50) ? Shape{4} : Shape{2, 3};
        Shape shape(value.shape.begin(), value.shape.begin() + static_cast<std::ptrdiff_t>(axis));
        shape.insert(shape.end(), index_shape.begin(), index_shape.end());
        shape.insert(shape.end(), value.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, value.shape.end());
        if (element_count(value.shape) == 0 || element_count(shape) > 4000) return add_transpose(value);
        std::string const indices = add_indices(index_shape, value.shape[axis]);
        made({{"op", "gather"}, {"inputs", {value.name, indices}}, {"axis", axis}}, shape);
    }

    void add_transpose(Made const& value) {
        std::vector<std::size_t> axes(value.shape.size());
        std::iota(axes.begin(), axes.end(), 0);
        std::shuffle(axes.begin(), axes.end(), engine());
        Shape shape;
        for (std::size_t axis : axes) shape.push_back(value.shape[axis]);
        made({{"op", "transpose"}, {"inputs", {value.name}}, {"axes", axes}}, shape);
    }

    Algebra const* algebra_ = nullptr;
    Json tensors_ = Json::object(), nodes_ = Json::array();
    std::vector<Made> values_;
    int names_ = 0;
};

}  // namespace ein::test
