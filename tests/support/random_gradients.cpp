#include <numeric>

#include "tests/support/random_programs.hpp"
#include "tests/support/random_values.hpp"

namespace ein::test {
namespace {

/// Values stay near 1, and no function is steep where they are, so that differences tell a wrong gradient.
class Gradients : RandomValues {
public:
    explicit Gradients(std::uint64_t seed) : RandomValues(seed) {}

    Json run() {
        int const leaves = 2 + pick(2);
        for (int k = 0; k < leaves; ++k) add_varied(random_shape());
        int const count = 3 + pick(5);
        for (int k = 0; k < count; ++k) add();
        if (chance(25)) {  // second derivatives
            std::string const inner = add_loss("inner");
            std::string const of = any_of(varied_);
            nodes_.push_back({{"name", "d"}, {"grad", {{"of", inner}, {"wrt", Json::array({of})}}}});
            Shape const shape = shape_of(of);
            values_.push_back({"d/" + of, "f64", shape});
            unary("tanh(x)");
            add();
        }
        add_loss("loss");
        Json wrt = Json::array(), outputs = Json::array({"loss", "slope"});
        for (std::string const& name : varied_) wrt.push_back(name);
        nodes_.push_back({{"name", "g"}, {"grad", {{"of", "loss"}, {"wrt", wrt}}}});
        add_slope();
        for (std::string const& name : varied_) outputs.push_back("g/" + name);
        return {{"eingraph", 1},       {"name", "gradients"}, {"dtype", "f64"},    {"params", {{"h", 0.0}}},
                {"tensors", tensors_}, {"nodes", nodes_},     {"outputs", outputs}};
    }

private:
    static std::string letters_of(Shape const& shape) { return std::string("abcdefgh").substr(0, shape.size()); }

    Shape random_shape() {
        Shape shape;
        int const order = 1 + pick(3);
        for (int k = 0; k < order; ++k)
            shape.push_back(!values_.empty() && !values_[0].shape.empty() && chance(50)
                                ? any_of(values_[0].shape)
                                : any_of(std::vector<Extent>{1, 2, 3, 4, 5, 7, 9, 17}));
        while (element_count(shape) > 300) shape.pop_back();
        return shape;
    }
    Shape shape_of(std::string const& name) const { return std::ranges::find(values_, name, &Made::name)->shape; }

    /// A tensor that the loss is differentiated by: P = T + h*D.
    std::string add_varied(Shape const& shape) {
        std::string const tensor = add_leaf(shape, "f64"), direction = add_leaf(shape, "f64");
        values_.resize(values_.size() - 2);
        std::string const all = letters_of(shape), name = "P" + std::to_string(varied_.size());
        nodes_.push_back({{"name", name},
                          {"einsum", all + "," + all + "->" + all},
                          {"inputs", {tensor, direction}},
                          {"join", "x + h*y"}});
        varied_.push_back(name);
        directions_.push_back(direction);
        values_.push_back({name, "f64", shape});
        return name;
    }
    /// One that there is, or another tensor.
    std::string beside(Shape const& shape) {
        for (auto value = values_.rbegin(); value != values_.rend(); ++value)
            if (value->shape == shape && chance(60)) return value->name;
        return varied_.size() < 5 ? add_varied(shape) : add_leaf(shape, "f64");
    }
    Made last() {
        return values_[values_.size() - 1 - static_cast<std::size_t>(pick(std::min<std::size_t>(values_.size(), 3)))];
    }

    void einsum(std::string const& text, std::vector<std::string> const& inputs, std::string const& join, Shape shape,
                Json more = Json::object()) {
        more["einsum"] = text, more["inputs"] = inputs;
        if (!join.empty()) more["join"] = join;
        add_node(std::move(more), std::move(shape), "f64");
    }
    void unary(std::string const& join) {
        Made const value = values_.back();
        std::string const all = letters_of(value.shape);
        einsum(all + "->" + all, {value.name}, join, value.shape);
    }

    void add() {
        Made const value = last();
        std::string const all = letters_of(value.shape);
        bool const flat = value.shape.empty();
        std::size_t const axis = flat ? 0 : static_cast<std::size_t>(pick(all.size()));
        switch (flat ? pick(2) : pick(16)) {
            case 0: return einsum(all + "->" + all, {value.name}, any_of(unary_), value.shape);
            case 1:
                return einsum(all + "," + all + "->" + all, {value.name, beside(value.shape)}, any_of(binary_),
                              value.shape);
            case 2: return add_product(value, axis);
            case 3: return add_aggregation(value, axis);
            case 4: return add_mask(value, axis);
            case 5: return add_gather(value, axis);
            case 6: return add_scatter(value);
            case 7: return add_slice(value);
            case 8: return add_pad(value);
            case 9: return add_concat(value, axis);
            case 10: return add_reshape(value);
            case 11: return add_macro(value, axis);
            case 12: return add_diagonal(value, axis);
            case 13: return add_one_hot(value, axis);
            case 14: return add_prefix(value, axis);
            default: return add_along(value, axis);
        }
    }

    void add_product(Made const& value, std::size_t axis) {
        std::string const all = letters_of(value.shape);
        Extent const extent = any_of(std::vector<Extent>{1, 3, 5, 9, 17});
        Shape shape = value.shape;
        shape[axis] = extent;
        if (element_count(shape) > 600) return unary("tanh(x)");
        std::string to = all;
        to[axis] = 'z';
        bool const turned = chance(40);
        std::string const other = beside(turned ? Shape{extent, value.shape[axis]} : Shape{value.shape[axis], extent});
        einsum(all + "," + (turned ? std::string("z") + all[axis] : std::string(1, all[axis]) + "z") + "->" + to,
               {value.name, other},
               chance(50) ? "" : any_of(std::vector<std::string>{"x*tanh(y)", "(x - y)^2/4", "x*y*[z]/8"}), shape);
        unary("tanh(x/2)");
    }
    void add_aggregation(Made const& value, std::size_t axis) {
        std::string const all = letters_of(value.shape);
        std::string to = all;
        to.erase(axis, 1);
        Shape shape = value.shape;
        shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
        std::string const agg =
            any_of(std::vector<std::string>{"max", "min", "prod", "logsumexp", "mean", "sum", "var", "norm"});
        if (agg == "norm") return einsum(all + "->" + to, {value.name}, "1 + abs(x)", shape, {{"agg", agg}});
        einsum(all + "->" + to, {value.name},
               agg == "prod" ? "1 + x/8"
               : chance(50)  ? ""
                             : "x*[" + all.substr(axis, 1) + "]/4",
               shape, {{"agg", agg}});
        unary("tanh(x/4)");
    }
    void add_mask(Made const& value, std::size_t axis) {
        std::string const all = letters_of(value.shape), label = "[" + all.substr(axis, 1) + "]",
                          other = "[" + all.substr(static_cast<std::size_t>(pick(all.size())), 1) + "]";
        std::string const mask = any_of(std::vector<std::string>{
            label + " + 1 <= " + other, "abs(" + label + " - " + other + ") < 2", "mod(" + label + ", 3) == 1",
            label + " > 2 || " + other + " == 0", "x > y/2", "x < 0.3 && " + label + " > 0"});
        einsum(all + "," + all + "->" + all, {value.name, beside(value.shape)},
               "where(" + mask + ", " + any_of(std::vector<std::string>{"x*y, 0", "x, y/2", "x*y, x", "y, 0.5"}) + ")",
               value.shape);
    }
    void add_gather(Made const& value, std::size_t axis) {
        Shape const index_shape = any_of(std::vector<Shape>{{4}, {2, 3}, {}, {11}});
        Shape shape(value.shape.begin(), value.shape.begin() + static_cast<std::ptrdiff_t>(axis));
        shape.insert(shape.end(), index_shape.begin(), index_shape.end());
        shape.insert(shape.end(), value.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, value.shape.end());
        if (element_count(shape) > 600 || element_count(value.shape) == 0) return unary("sin(x)");
        std::string const indices = add_indices(index_shape, value.shape[axis]);
        add_node({{"op", "gather"}, {"inputs", {value.name, indices}}, {"axis", axis}}, shape, "f64");
    }
    /// Rows added where an index says, or the largest of each.
    void add_scatter(Made const& value) {
        std::string const all = letters_of(value.shape);
        Extent const rows = 1 + pick(6);
        Shape shape = value.shape;
        shape[0] = rows;
        std::string const indices = add_indices({value.shape[0]}, rows + pick(2));
        bool const largest = chance(25);
        einsum("a," + all + "->z" + all.substr(1), {indices, value.name},
               largest ? "where(x == [z], tanh(y), -2)" : "where(x == [z], y, 0)", shape,
               {{"sizes", {{"z", rows}}}, {"dtype", "f64"}, {"agg", largest ? "max" : "sum"}});
        if (value.shape[0] > 4) unary("tanh(x/2)");
    }
    void add_slice(Made const& value) {
        Json start = Json::array(), stop = Json::array(), step = Json::array();
        Shape shape;
        for (Extent extent : value.shape) {
            Extent const from = extent == 0 ? 0 : pick(extent), stride = 1 + pick(3);
            bool const backwards = chance(40) && extent > 0;
            start.push_back(from), stop.push_back(backwards ? Json(nullptr) : Json(extent));
            step.push_back(backwards ? -stride : stride);
            shape.push_back(backwards ? from / stride + 1 : (extent - from + stride - 1) / stride);
        }
        add_node({{"op", "slice"}, {"inputs", {value.name}}, {"start", start}, {"stop", stop}, {"step", step}}, shape,
                 "f64");
    }
    void add_pad(Made const& value) {
        Shape shape = value.shape;
        Json const width = pad_widths(shape);
        if (element_count(shape) > 600) return unary("sin(x)");
        add_node({{"op", "pad"},
                  {"inputs", {value.name}},
                  {"pad_width", width},
                  {"mode", any_of(std::vector<std::string>{"constant", "edge", "reflect", "symmetric", "wrap"})}},
                 shape, "f64");
    }
    void add_concat(Made const& value, std::size_t axis) {
        Shape shape = value.shape;
        shape[axis] *= 2;
        if (element_count(shape) > 600) return unary("sin(x)");
        add_node({{"op", "concat"}, {"inputs", {value.name, beside(value.shape)}}, {"axis", axis}}, shape, "f64");
    }
    void add_reshape(Made const& value) {
        if (chance(50) && element_count(value.shape) > 0) {
            Shape const shape = factors(element_count(value.shape));
            return static_cast<void>(
                add_node({{"op", "reshape"}, {"inputs", {value.name}}, {"shape", shape}}, shape, "f64"));
        }
        std::vector<std::size_t> axes(value.shape.size());
        std::iota(axes.begin(), axes.end(), 0);
        std::shuffle(axes.begin(), axes.end(), engine());
        Shape shape;
        for (std::size_t axis : axes) shape.push_back(value.shape[axis]);
        add_node({{"op", "transpose"}, {"inputs", {value.name}}, {"axes", axes}}, shape, "f64");
    }
    void add_macro(Made const& value, std::size_t axis) {
        std::string const op = any_of(std::vector<std::string>{"softmax", "log_softmax", "rms_norm", "layer_norm"});
        if (element_count(value.shape) == 0) return unary("sin(x)");
        Json node{{"op", op}, {"inputs", {value.name}}, {"axes", {axis}}};
        if (op.ends_with("norm")) node["eps"] = 0.5;
        if (op.ends_with("norm") && chance(50)) node["inputs"].push_back(beside({value.shape[axis]}));
        add_node(std::move(node), value.shape, "f64");
    }
    void add_diagonal(Made const& value, std::size_t axis) {
        std::string const all = letters_of(value.shape);
        std::string twice = all;
        std::size_t const other = static_cast<std::size_t>(pick(all.size()));
        if (value.shape[axis] != value.shape[other] || axis == other) return unary("x*x/2");
        twice[other] = all[axis];
        std::string to = all;
        to.erase(other, 1);
        Shape shape = value.shape;
        shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(other));
        einsum(twice + "->" + to, {value.name}, "sin(x)", shape);
    }
    void add_one_hot(Made const& value, std::size_t axis) {
        std::string const all = letters_of(value.shape), indices = add_indices({4}, value.shape[axis] + 1);
        add_node({{"op", "one_hot"}, {"inputs", {indices}}, {"depth", value.shape[axis]}}, {4, value.shape[axis]},
                 "f64");
        std::string const hot = values_.back().name;
        std::string to = all;
        to[axis] = 'z';
        Shape shape = value.shape;
        shape[axis] = 4;
        einsum(std::string("z") + all[axis] + "," + all + "->" + to, {hot, value.name}, "", shape);
    }
    /// Sums, products or the largest of what comes before or after.
    void add_prefix(Made const& value, std::size_t axis) {
        std::string const all = letters_of(value.shape), label = all.substr(axis, 1);
        std::string to = all;
        to[axis] = 'z';
        std::string const agg = any_of(std::vector<std::string>{"sum", "sum", "prod", "max"});
        std::string const beyond = agg == "sum" ? "0" : agg == "prod" ? "1" : "-inf";
        std::string const mask = "[" + label + "]" + any_of(std::vector<std::string>{" <= ", " >= "}) + "[z]";
        einsum(all + "->" + to, {value.name},
               "where(" + mask + ", " + (agg == "prod" ? "1 + x/8" : "x") + ", " + beyond + ")", value.shape,
               {{"agg", agg}, {"sizes", {{"z", value.shape[axis]}}}});
        unary("tanh(x/4)");
    }
    void add_along(Made const& value, std::size_t axis) {
        std::string const all = letters_of(value.shape);
        einsum(all + "," + all.substr(axis, 1) + "->" + all, {value.name, beside({value.shape[axis]})}, any_of(binary_),
               value.shape);
    }

    /// Of the last value, and a little of every tensor.
    std::string add_loss(std::string const& name) {
        Made const value = values_.back();
        std::vector<std::string> terms{add_term(name + "0", value, "x*tanh(x) + x/2")};
        for (std::string const& varied : varied_)
            terms.push_back(add_term(name + "1" + varied, {varied, "f64", shape_of(varied)}, "sin(x)/8"));
        add_sum(name, terms);
        return name;
    }
    std::string add_term(std::string const& name, Made const& of, std::string const& join) {
        nodes_.push_back(
            {{"name", name}, {"einsum", letters_of(of.shape) + "->"}, {"inputs", {of.name}}, {"join", join}});
        return name;
    }
    void add_sum(std::string const& name, std::vector<std::string> const& terms) {
        std::string join = "x0";
        for (std::size_t k = 1; k < terms.size(); ++k) join += " + x" + std::to_string(k);
        nodes_.push_back(
            {{"name", name}, {"einsum", std::string(terms.size() - 1, ',') + "->"}, {"inputs", terms}, {"join", join}});
    }

    void add_slope() {
        std::vector<std::string> terms;
        for (std::size_t k = 0; k < varied_.size(); ++k) {
            std::string const all = letters_of(shape_of(varied_[k]));
            terms.push_back("slope" + std::to_string(k));
            nodes_.push_back({{"name", terms.back()},
                              {"einsum", all + "," + all + "->"},
                              {"inputs", {"g/" + varied_[k], directions_[k]}}});
        }
        add_sum("slope", terms);
    }

    std::vector<std::string> const unary_{"tanh(x)",
                                          "x*x/2",
                                          "sigmoid(2*x)",
                                          "exp(-abs(x))",
                                          "sqrt(1 + x*x)",
                                          "relu(x - 0.125)",
                                          "gelu(x)",
                                          "silu(x)",
                                          "softplus(x)",
                                          "x/(2 + x*x)",
                                          "erf(x)",
                                          "sin(3*x)",
                                          "where(x > 0.25, x, x/4)",
                                          "log(2 + tanh(x))",
                                          "-x"};
    std::vector<std::string> const binary_{"x*y",
                                           "x/(2 + y*y)",
                                           "max(x, y)",
                                           "min(x, y)",
                                           "atan2(x, 2 + y*y)",
                                           "where(x > y, x*y, x)",
                                           "(1.5 + tanh(x)/4)^tanh(y)",
                                           "x - y",
                                           "(x + y)/2",
                                           "abs(x - y)",
                                           "tanh(x*y + 1)"};
    std::vector<std::string> varied_, directions_;
};

}  // namespace

Json random_gradients(std::uint64_t seed) { return Gradients(seed).run(); }

}  // namespace ein::test
