#include "tests/support/random_sparse_graph.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "tests/support/random_draws.hpp"
#include "tests/support/sparse_algebras.hpp"

namespace ein::test {
namespace {

struct Made {
    std::string name;
    Shape shape;
    bool is_leaf = false;
    std::set<std::string> leaves = {};  // that it depends on
};

class SparseGenerator : private Draws {
public:
    explicit SparseGenerator(std::uint64_t seed) : Draws(seed) {
        algebra_ = &algebras[chance(50) ? 0 : at(pick(algebras.size()))];
    }

    Json run() {
        int const leaves = 2 + pick(3);
        for (int k = 0; k < leaves; ++k) add_leaf(random_shape(), chance(70));
        int const count = 2 + pick(6);
        for (int k = 0; k < count; ++k) add_node();
        if (chance(40)) add_loop(), add_node();
        std::vector<std::string> outputs{values_.back().name};
        for (Made const& value : values_)
            if (!value.is_leaf && value.name != outputs[0] && chance(30)) outputs.push_back(value.name);
        if (algebra_ == &algebras[0] && chance(60)) add_gradient(outputs);
        return {{"eingraph", 1},       {"name", "sparse"}, {"dtype", algebra_->dtype},
                {"tensors", tensors_}, {"nodes", nodes_},  {"outputs", outputs}};
    }

private:
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

    void add_node() {
        if (chance(35)) return add_move(values_[at(pick(values_.size()))]);
        for (int attempt = 0; attempt < 20; ++attempt)
            if (try_einsum()) return;
        add_leaf({2, 3}, true);
    }

    // ---- EinSums -------------------------------------------------------------------------------------------------
    bool try_einsum() {
        int const operands = any_of(std::vector<int>{1, 1, 2, 2, 2, 2, 3});
        std::vector<std::string> labels;
        Shape extents;
        Json in = Json::array(), inputs = Json::array();
        for (int k = 0; k < operands; ++k) {
            Made const& value = values_[values_.size() - 1 - at(pick(std::min<std::size_t>(values_.size(), 7)))];
            inputs.push_back(value.name);
            std::vector<std::string> axes;
            for (Extent extent : value.shape) {
                std::vector<std::string> same;
                for (std::size_t l = 0; l < labels.size(); ++l)
                    if (extents[l] == extent && (chance(6) || std::count(axes.begin(), axes.end(), labels[l]) == 0))
                        same.push_back(labels[l]);
                if (same.empty() || chance(20)) {
                    labels.push_back("l" + std::to_string(labels.size()));
                    extents.push_back(extent);
                    same = {labels.back()};
                }
                axes.push_back(any_of(same));
            }
            in.push_back(axes);
        }
        if (element_count(extents) > 20000) return false;
        std::vector<std::size_t> kept;
        for (std::size_t l = 0; l < labels.size(); ++l)
            if (chance(60)) kept.push_back(l);
        if (chance(50)) std::shuffle(kept.begin(), kept.end(), engine());
        bool const has_zero = std::count(extents.begin(), extents.end(), 0) > 0;
        if (has_zero && (algebra_->agg == "min" || algebra_->agg == "max")) return false;
        Json out = Json::array();
        Shape shape;
        for (std::size_t l : kept) out.push_back(labels[l]), shape.push_back(extents[l]);
        if (element_count(shape) > 4000) return false;
        std::string join = any_of(algebra_->joins[at(operands) - 1]);
        if (auto const found = join.find('@'); found != std::string::npos)
            join.replace(found, 1, labels.empty() ? "1" : "[" + any_of(labels) + "]");
        Json node{{"einsum", {{"in", in}, {"out", out}}}, {"inputs", inputs}, {"join", join}};
        if (kept.size() < labels.size()) node["agg"] = algebra_->agg;
        made(std::move(node), std::move(shape));
        return true;
    }

    // ---- what moves elements -------------------------------------------------------------------------------------
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

    // ---- loops and gradients -------------------------------------------------------------------------------------
    /// A body of nodes that keep the shape of what is carried.
    void add_loop() {
        Made const begin = values_[at(pick(values_.size()))];
        if (begin.shape.empty()) return;
        std::string const loop = "L" + std::to_string(names_++);
        std::vector<Made> outer = values_;
        Json const before = nodes_;
        nodes_ = Json::array();
        values_ = {begin};
        values_[0].name = "W", values_[0].is_leaf = false;
        int const steps = 1 + pick(3);
        for (int k = 0; k < steps; ++k) add_step(outer);
        std::string const next = values_.back().name;
        Json body = nodes_;
        nodes_ = before;
        nodes_.push_back(
            {{"name", loop},
             {"loop",
              {{"times", 1 + pick(4)}, {"carry", {{"W", {{"begin", begin.name}, {"next", next}}}}}, {"body", body}}}});
        values_ = std::move(outer);
        values_.push_back({loop + "/W", begin.shape});  // through which gradients do not go
    }

    void add_step(std::vector<Made>& outer) {
        Made const value = values_.back();
        std::size_t const axis = at(pick(value.shape.size())), other = at(pick(value.shape.size()));
        std::string const all = std::string("abcdefgh").substr(0, value.shape.size());
        std::string const one(1, all[axis]);
        auto const einsum = [&](std::string const& text, Json const& inputs, std::string const& join) {
            made({{"einsum", text}, {"inputs", inputs}, {"join", join}, {"agg", algebra_->agg}}, value.shape);
        };
        auto const outer_leaf = [&](Shape const& shape, bool sparse) {
            std::vector<Made> const inside = std::move(values_);
            values_ = outer;
            Made const leaf = add_leaf(shape, sparse);
            outer = std::move(values_);
            values_ = inside;
            return leaf.name;
        };
        std::string const join = any_of(algebra_->joins[1]);
        bool const has_index = join.find('@') != std::string::npos;
        switch (pick(algebra_ == &algebras[0] ? 8 : 7)) {
            case 0:
                return einsum(all + "," + one + "->" + all, {value.name, outer_leaf({value.shape[axis]}, chance(20))},
                              algebra_->joins[1][0]);
            case 1:
                return einsum(all + "," + all + "->" + all, {value.name, outer_leaf(value.shape, chance(80))},
                              has_index ? algebra_->joins[1][0] : join);
            case 2: return add_roll(value);
            case 3:
                if (value.shape[axis] < 2) break;
                made({{"op", "slice"}, {"inputs", {value.name}}, {"start", {1}}, {"axes", Json::array({axis})}}, [&] {
                    Shape shape = value.shape;
                    --shape[axis];
                    return shape;
                }());
                {
                    Json width = Json::array();
                    for (std::size_t k = 0; k < value.shape.size(); ++k) width.push_back({0, k == axis ? 1 : 0});
                    Json node{{"op", "pad"}, {"inputs", {values_.back().name}}, {"pad_width", width}};
                    if (algebra_->fill[0] != '"') node["constant_values"] = Json::parse(algebra_->fill);
                    return made(std::move(node), value.shape);
                }
            case 4: {
                if (value.shape[axis] != value.shape[other]) break;
                std::string turned = all;
                std::swap(turned[axis], turned[other]);
                return einsum(all + "->" + turned, Json::array({value.name}), algebra_->joins[0][0]);
            }
            case 7: return add_descent(value, all);
            case 5: {
                if (value.shape[axis] == 0) break;
                std::string const rows = add_indices({value.shape[axis]}, value.shape[axis]);
                return made({{"op", "gather"}, {"inputs", {value.name, rows}}, {"axis", axis}}, value.shape);
            }
            default: {
                if (value.shape[axis] == 0) break;
                std::string to = all;
                to[axis] = 'z';
                return einsum(all + "," + one + "z->" + to,
                              {value.name, outer_leaf({value.shape[axis], value.shape[axis]}, chance(80))},
                              algebra_->joins[1][0]);
            }
        }
        einsum(all + "->" + all, Json::array({value.name}), algebra_->joins[0][1 % algebra_->joins[0].size()]);
    }

    /// A step along a gradient.
    void add_descent(Made const& value, std::string const& all) {
        std::string const loss = "loss" + std::to_string(names_++), gradient = "g" + std::to_string(names_++);
        nodes_.push_back({{"name", loss}, {"einsum", all + "->"}, {"inputs", {value.name}}, {"join", "x*x/3"}});
        nodes_.push_back({{"name", gradient}, {"grad", {{"of", loss}, {"wrt", {value.name}}}}});
        made({{"einsum", all + "," + all + "->" + all},
              {"inputs", {value.name, gradient + "/" + value.name}},
              {"join", "x - 0.1*y"}},
             value.shape);
    }

    void add_gradient(std::vector<std::string>& outputs) {
        Made const& value = values_.back();
        std::string const all = std::string("abcdefgh").substr(0, value.shape.size());
        if (value.shape.size() > 8 || value.leaves.empty() || value.is_leaf) return;
        nodes_.push_back({{"name", "loss"},
                          {"einsum", all + "->"},
                          {"inputs", {value.name}},
                          {"join", any_of(std::vector<std::string>{"x*x", "x", "x*tanh(x)"})}});
        Json wrt = Json::array();
        for (std::string const& name : value.leaves)
            if (chance(70)) wrt.push_back(name);
        if (wrt.empty()) return;
        nodes_.push_back({{"name", "g"}, {"grad", {{"of", "loss"}, {"wrt", wrt}}}});
        for (Json const& name : wrt) outputs.push_back("g/" + name.get<std::string>());
    }

    Algebra const* algebra_ = nullptr;
    Json tensors_ = Json::object(), nodes_ = Json::array();
    std::vector<Made> values_;
    int names_ = 0;
};

}  // namespace

Json random_sparse_graph(std::uint64_t seed) { return SparseGenerator(seed).run(); }

}  // namespace ein::test
