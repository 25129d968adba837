#include "tests/support/random_sparse_graph.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "tests/support/sparse_nodes.hpp"

namespace ein::test {
namespace {

class SparseGenerator : private SparseNodes {
public:
    explicit SparseGenerator(std::uint64_t seed) : SparseNodes(seed) {}

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
    void add_node() {
        if (chance(35)) return add_move(values_[at(pick(values_.size()))]);
        if (chance(35) && try_lookup()) return;
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
        return try_node(labels, extents, std::move(in), std::move(inputs), any_of(algebra_->joins[at(operands) - 1]),
                        60);
    }

    /// The output has each label with this chance in percent.
    bool try_node(std::vector<std::string> const& labels, Shape const& extents, Json in, Json inputs, std::string join,
                  int kept_labels) {
        if (element_count(extents) > 20000) return false;
        std::vector<std::size_t> kept;
        for (std::size_t l = 0; l < labels.size(); ++l)
            if (chance(kept_labels)) kept.push_back(l);
        if (chance(50)) std::shuffle(kept.begin(), kept.end(), engine());
        bool const has_zero = std::count(extents.begin(), extents.end(), 0) > 0;
        if (has_zero && (algebra_->agg == "min" || algebra_->agg == "max")) return false;
        Json out = Json::array();
        Shape shape;
        for (std::size_t l : kept) out.push_back(labels[l]), shape.push_back(extents[l]);
        if (element_count(shape) > 4000) return false;
        if (auto const found = join.find('@'); found != std::string::npos)
            join.replace(found, 1, labels.empty() ? "1" : "[" + any_of(labels) + "]");
        Json node{{"einsum", {{"in", in}, {"out", out}}}, {"inputs", inputs}, {"join", join}};
        if (kept.size() < labels.size()) node["agg"] = algebra_->agg;
        made(std::move(node), std::move(shape));
        return true;
    }

    /// A value that decides, beside others of some of its labels, now and then of one more, that mostly are looked up.
    bool try_lookup() {
        Made const first = values_[at(pick(values_.size()))];
        std::vector<std::string> labels;
        Shape extents = first.shape;
        for (std::size_t l = 0; l < extents.size(); ++l) labels.push_back("l" + std::to_string(l));
        Json in = Json::array({labels}), inputs = Json::array({first.name});
        int const others = 1 + pick(2);
        for (int k = 0; k < others; ++k) {
            std::vector<std::size_t> axes;
            for (std::size_t l = 0; l < first.shape.size(); ++l)
                if (chance(80)) axes.push_back(l);
            if (chance(30)) std::shuffle(axes.begin(), axes.end(), engine());
            if (chance(12)) {
                axes.push_back(labels.size());
                labels.push_back("l" + std::to_string(labels.size())), extents.push_back(2 + pick(3));
            }
            Json names = Json::array();
            Shape shape;
            for (std::size_t l : axes) names.push_back(labels[l]), shape.push_back(extents[l]);
            in.push_back(names);
            inputs.push_back(value_of(shape));
        }
        return try_node(labels, extents, std::move(in), std::move(inputs), any_of(algebra_->lookups[at(others) - 1]),
                        chance(40) ? 100 : 60);
    }

    /// One that there is, or a new sparse one.
    std::string value_of(Shape const& shape) {
        for (Made const& value : values_)
            if (value.shape == shape && chance(40)) return value.name;
        return add_leaf(shape, chance(85)).name;
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
};

}  // namespace

Json random_sparse_graph(std::uint64_t seed) { return SparseGenerator(seed).run(); }

}  // namespace ein::test
