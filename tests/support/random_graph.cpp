#include "tests/support/random_graph.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "lib/base/box.hpp"
#include "lib/base/dtype.hpp"
#include "tests/support/random_draws.hpp"

namespace ein::test {
namespace {

struct Made {
    std::string name;
    Shape shape;
    std::string dtype;
    bool exact = false;  // a leaf or made of integers: comparing it is safe
    bool index = false;  // whole numbers below `below`
    Extent below = 0;
};

class Generator : private Draws {
public:
    Generator(std::uint64_t seed, GraphTaste const& taste) : Draws(seed), taste_(taste) {}

    Json run() {
        int const leaves = 2 + pick(4);
        for (int k = 0; k < leaves; ++k) add_leaf(random_shape());
        for (int k = 0; k < taste_.nodes; ++k) add_node();
        Json outputs = Json::array();
        std::set<std::string> chosen{values_.back().name};
        for (Made const& value : values_)
            if (value.name[0] == 'N' && chance(30)) chosen.insert(value.name);
        for (std::string const& name : chosen) outputs.push_back(name);
        return {{"eingraph", 1},       {"name", "random"}, {"params", {{"eta", 0.5}}},
                {"tensors", tensors_}, {"nodes", nodes_},  {"outputs", outputs}};
    }

private:
    Extent random_extent() {
        if (taste_.zero_extents && chance(2)) return 0;
        return any_of(std::vector<Extent>{1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13});
    }
    Shape random_shape() {
        Shape shape;
        int const order = pick(5);
        for (int k = 0; k < order; ++k)
            shape.push_back(values_.empty() || chance(40) ? random_extent() : known_extent());
        while (element_count(shape) > 3000) shape.pop_back();
        return shape;
    }
    Extent known_extent() {
        Made const& value = any_of(values_);
        return value.shape.empty() ? 5 : any_of(value.shape);
    }

    std::string leaf_dtype() {
        if (taste_.dtype != "mixed") return taste_.dtype;
        return any_of(
            std::vector<std::string>{"f64", "f32", "f16", "bf16", "i32", "i8", "u8", "i64", "bool", "c64", "c128"});
    }

    Made& add_leaf(Shape shape, std::string dtype = "", Extent below = 0) {
        if (dtype.empty()) dtype = leaf_dtype();
        std::string const name = "T" + std::to_string(tensors_.size());
        Kind const kind = ein::kind(*dtype_from_name(dtype));
        Json data{{"random", "uniform"},
                  {"low", kind == Kind::integer ? -4 : -1},
                  {"high", kind == Kind::integer ? 5 : 1},
                  {"seed", tensors_.size() + 1}};
        if (dtype == "u8") data["low"] = 0;
        if (below > 0) data["low"] = 0, data["high"] = below;
        tensors_[name] = {{"shape", shape}, {"dtype", dtype}, {"data", data}};
        if (taste_.sparse > 0 && below == 0 && chance(taste_.sparse)) make_sparse(tensors_[name]);
        values_.push_back({name, std::move(shape), dtype, true, below > 0, below});
        return values_.back();
    }

    /// From empty to full, most with the fill that products have.
    void make_sparse(Json& tensor) {
        tensor["data"]["density"] = any_of(std::vector<double>{0, 0.05, 0.2, 0.5, 1});
        tensor["sparse"] = true;
        if (chance(25)) tensor["fill"] = 1;
    }

    std::string next_name() { return "N" + std::to_string(nodes_.size()); }
    void made(Json node, Shape shape, std::string dtype, bool exact) {
        node["name"] = next_name();
        values_.push_back({next_name(), std::move(shape), std::move(dtype), exact, false, 0});
        nodes_.push_back(std::move(node));
    }

    static bool is_real(std::string const& dtype) { return kind(*dtype_from_name(dtype)) == Kind::real; }
    static bool is_integer(std::string const& dtype) { return kind(*dtype_from_name(dtype)) == Kind::integer; }

    void add_node() {
        int const roll = pick(100);
        if (taste_.structural && roll < 25) return add_structural();
        if (taste_.macros && roll < 37 && add_macro()) return;
        add_einsum();
    }

    // ---- EinSums -------------------------------------------------------------------------------------------------
    struct Labels {
        std::vector<std::string> names;
        Shape extents;
    };

    std::vector<std::string> label_axes(Made const& operand, Labels& labels) {
        std::vector<std::string> axes;
        for (Extent extent : operand.shape) {
            std::vector<std::string> same;
            for (std::size_t l = 0; l < labels.names.size(); ++l)
                if (labels.extents[l] == extent &&
                    (chance(8) || std::find(axes.begin(), axes.end(), labels.names[l]) == axes.end()))
                    same.push_back(labels.names[l]);
            if (!same.empty() && chance(75)) {
                axes.push_back(any_of(same));
                continue;
            }
            labels.names.push_back("l" + std::to_string(labels.names.size()));
            labels.extents.push_back(extent);
            axes.push_back(labels.names.back());
        }
        return axes;
    }

    void add_einsum() {
        for (int attempt = 0; attempt < 20; ++attempt)
            if (try_einsum()) return;
        add_leaf({2, 3});
    }

    bool try_einsum() {
        int const operands = any_of(std::vector<int>{1, 1, 1, 2, 2, 2, 2, 3, 3, 4});
        std::vector<Made> chosen;
        Labels labels;
        Json in = Json::array(), names = Json::array();
        for (int k = 0; k < operands; ++k) {
            chosen.push_back(
                values_[values_.size() - 1 -
                        static_cast<std::size_t>(pick(static_cast<int>(std::min<std::size_t>(values_.size(), 6))))]);
            in.push_back(label_axes(chosen.back(), labels));
            names.push_back(chosen.back().name);
        }
        if (element_count(labels.extents) > 30000) return false;
        std::vector<std::string> output;
        Shape shape;
        Extent largest_group = 1;
        for (std::size_t l = 0; l < labels.names.size(); ++l) {
            if (chance(55))
                output.push_back(labels.names[l]), shape.push_back(labels.extents[l]);
            else
                largest_group *= std::max<Extent>(labels.extents[l], 1);
        }
        bool const aggregates = output.size() < labels.names.size();
        bool const has_zero = std::count(labels.extents.begin(), labels.extents.end(), 0) > 0;
        if (output.size() > 1 && chance(60)) {
            std::size_t const a = static_cast<std::size_t>(pick(static_cast<int>(output.size()))),
                              b = static_cast<std::size_t>(pick(static_cast<int>(output.size())));
            std::swap(output[a], output[b]);
            std::swap(shape[a], shape[b]);
        }
        Json node{{"inputs", names}};
        if (chance(10)) {
            output.push_back("wide");
            shape.push_back(3);
            node["sizes"] = {{"wide", 3}};
        }
        node["einsum"] = {{"in", in}, {"out", output}};
        std::vector<DType> types;
        bool exact = true;
        for (Made const& value : chosen) types.push_back(*dtype_from_name(value.dtype)), exact = exact && value.exact;
        DType const common = common_dtype(types);
        choose_join(node, operands, common, labels);
        if (aggregates) choose_agg(node, common, exact && !node.contains("join"), has_zero, largest_group);
        std::string dtype(name(common));
        if (is_real(dtype) && size_of(common) == 2 && largest_group > 50) return false;  // too coarse to compare
        if (node.value("agg", "sum") == "argmax" || node.value("agg", "sum") == "argmin") dtype = "i64";
        made(node, shape, dtype, kind(common) <= Kind::integer && dtype != "i64");
        return true;
    }

    void choose_join(Json& node, int operands, DType common, Labels const& labels) {
        if (chance(50)) return;
        std::string const index = labels.names.empty() ? "1" : "[" + any_of(labels.names) + "]";
        std::vector<std::vector<std::string>> real{
            {"x", "2*x+1", "abs(x)", "x*x", "relu(x)", "tanh(x)", "-x", "eta*x", "x+" + index,
             "where(" + index + " >= 2, x, 0.25)", "exp(-abs(x))", "x/4", "sigmoid(x)"},
            {"x+y", "x-y", "abs(x-y)", "max(x, y)", "min(x,y)*2", "(x-y)^2", "x*y+" + index,
             "where(" + index + " == 1, x, y)", "x/(1+y^2)"},
            {"x+y+z", "x*y-z", "max(x,y,z)", "where(" + index + " < 2, x*y, z)"},
            {"x0+x1*x2-x3"}};
        std::vector<std::vector<std::string>> integer{
            {"x", "2*x+1", "abs(x)", "x*x", "-x", "x+" + index, "where(x > 1, x, 0)", "mod(x, 3)", "x != 0", "sign(x)"},
            {"x+y", "x-y", "abs(x-y)", "max(x, y)", "x*y+1", "x <= y", "where(x == y, x, 7)"},
            {"x+y+z", "x*y-z", "max(x,y,z)"},
            {"x0+x1*x2-x3"}};
        std::vector<std::vector<std::string>> complex{
            {"x", "2*x+1", "conj(x)", "x*x", "-x"}, {"x+y", "x-y", "x*conj(y)"}, {"x+y+z", "x*y-z"}, {"x0+x1*x2-x3"}};
        std::vector<std::vector<std::string>> boolean{
            {"x", "!x"}, {"x && y", "x || y", "x != y"}, {"x && y || z"}, {"x0 && x1 && x2 && x3"}};
        auto const& table = kind(common) == Kind::complex   ? complex
                            : kind(common) == Kind::real    ? real
                            : kind(common) == Kind::integer ? integer
                                                            : boolean;
        node["join"] = any_of(table[static_cast<std::size_t>(operands) - 1]);
    }

    void choose_agg(Json& node, DType common, bool exact, bool has_zero, Extent group) {
        if (chance(60)) return;
        std::vector<std::string> choices{"sum"};
        if (kind(common) == Kind::real) choices.push_back("logsumexp");
        if (kind(common) != Kind::complex && !has_zero) choices.insert(choices.end(), {"min", "max"});
        if (kind(common) != Kind::real && group < 20 && kind(common) != Kind::complex) choices.push_back("prod");
        if (kind(common) <= Kind::integer) choices.insert(choices.end(), {"any", "all"});
        bool const one_label = aggregated_labels(node) == 1;
        if (one_label && !has_zero && kind(common) != Kind::complex && exact)
            choices.insert(choices.end(), {"argmin", "argmax"});
        node["agg"] = any_of(choices);
    }

    static std::size_t aggregated_labels(Json const& node) {
        std::set<std::string> in;
        for (auto const& axes : node["einsum"]["in"])
            for (auto const& axis : axes) in.insert(axis.get<std::string>());
        for (auto const& axis : node["einsum"]["out"]) in.erase(axis.get<std::string>());
        return in.size();
    }

    // ---- macros --------------------------------------------------------------------------------------------------
    bool add_macro() {
        std::vector<Made> fit;
        for (Made const& value : values_)
            if (is_real(value.dtype) && !value.shape.empty() && element_count(value.shape) > 0) fit.push_back(value);
        if (fit.empty()) return false;
        Made const value = any_of(fit);
        int const axis = pick(static_cast<int>(value.shape.size()));
        std::string const op = any_of(
            std::vector<std::string>{"softmax", "log_softmax", "logsumexp", "mean", "var", "rms_norm", "layer_norm"});
        Shape shape = value.shape;
        if (op == "logsumexp" || op == "mean" || op == "var") shape.erase(shape.begin() + axis);
        made({{"op", op}, {"inputs", {value.name}}, {"axes", {axis}}}, shape, value.dtype, false);
        return true;
    }

    // ---- structural ----------------------------------------------------------------------------------------------
    void add_structural() {
        Made const value = any_of(values_);
        switch (pick(8)) {
            case 0: return add_reshape(value);
            case 1: return add_transpose(value);
            case 2: return add_slice(value);
            case 3: return add_concat(value);
            case 4: return add_pad(value);
            case 5: return add_gather(value);
            case 6: return add_cast(value);
            default: return add_one_hot();
        }
    }

    void add_reshape(Made const& value) {
        Extent const rest = element_count(value.shape);
        if (rest == 0)
            return made({{"op", "reshape"}, {"inputs", {value.name}}, {"shape", {0, 3}}}, {0, 3}, value.dtype,
                        value.exact);
        Shape const shape = factors(rest);
        Json asked = shape;
        if (chance(30)) asked[static_cast<std::size_t>(pick(static_cast<int>(shape.size())))] = -1;
        made({{"op", "reshape"}, {"inputs", {value.name}}, {"shape", asked}}, shape, value.dtype, value.exact);
    }

    void add_transpose(Made const& value) {
        std::vector<int> axes;
        for (std::size_t k = 0; k < value.shape.size(); ++k) axes.push_back(static_cast<int>(k));
        for (std::size_t k = axes.size(); k > 1; --k)
            std::swap(axes[k - 1], axes[static_cast<std::size_t>(pick(static_cast<int>(k)))]);
        Shape shape;
        for (int axis : axes) shape.push_back(value.shape[static_cast<std::size_t>(axis)]);
        made({{"op", "transpose"}, {"inputs", {value.name}}, {"axes", axes}}, shape, value.dtype, value.exact);
    }

    void add_slice(Made const& value) {
        Json start = Json::array(), stop = Json::array(), step = Json::array();
        Shape shape;
        for (Extent extent : value.shape) {
            Extent const from = extent == 0 ? 0 : pick(static_cast<int>(extent)), stride = 1 + pick(3);
            if (extent > 0 && chance(30)) {  // backwards, to the beginning
                start.push_back(from), stop.push_back(nullptr), step.push_back(-stride);
                shape.push_back(from / stride + 1);
            } else {
                start.push_back(from), stop.push_back(extent), step.push_back(stride);
                shape.push_back((extent - from + stride - 1) / stride);
            }
        }
        made({{"op", "slice"}, {"inputs", {value.name}}, {"start", start}, {"stop", stop}, {"step", step}}, shape,
             value.dtype, value.exact);
    }

    void add_concat(Made const& value) {
        if (value.shape.empty()) return add_cast(value);
        int const axis = pick(static_cast<int>(value.shape.size())), copies = 2 + pick(2);
        Json inputs = Json::array();
        for (int k = 0; k < copies; ++k) inputs.push_back(value.name);
        Shape shape = value.shape;
        shape[static_cast<std::size_t>(axis)] *= copies;
        if (element_count(shape) > 5000) return add_cast(value);
        made({{"op", "concat"}, {"inputs", inputs}, {"axis", axis}}, shape, value.dtype, value.exact);
    }

    void add_pad(Made const& value) {
        Shape shape = value.shape;
        Json const width = pad_widths(shape);
        std::string mode = "constant";
        if (element_count(value.shape) > 0 && chance(60))
            mode = any_of(std::vector<std::string>{"edge", "reflect", "symmetric", "wrap"});
        if (value.shape.empty() || element_count(shape) > 5000) return add_cast(value);
        Json node{{"op", "pad"}, {"inputs", {value.name}}, {"pad_width", width}, {"mode", mode}};
        if (mode == "constant" && chance(50)) node["constant_values"] = 1;
        made(node, shape, value.dtype, value.exact);
    }

    void add_gather(Made const& value) {
        if (value.shape.empty() || element_count(value.shape) == 0) return add_cast(value);
        auto const axis = static_cast<std::size_t>(pick(static_cast<int>(value.shape.size())));
        Shape const index_shape = chance(50) ? Shape{4} : Shape{2, 3};
        Shape shape(value.shape.begin(), value.shape.begin() + static_cast<std::ptrdiff_t>(axis));
        shape.insert(shape.end(), index_shape.begin(), index_shape.end());
        shape.insert(shape.end(), value.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, value.shape.end());
        if (element_count(shape) > 5000) return add_cast(value);
        std::string const indices = add_leaf(index_shape, chance(50) ? "i32" : "i64", value.shape[axis]).name;
        made({{"op", "gather"}, {"inputs", {value.name, indices}}, {"axis", axis}}, shape, value.dtype, value.exact);
    }

    void add_cast(Made const& value) {
        Kind const kind = ein::kind(*dtype_from_name(value.dtype));
        std::string to = "f64";
        if (kind == Kind::complex) to = "c128";
        if (kind <= Kind::integer) to = any_of(std::vector<std::string>{"f32", "i16", "i64", "u8", "bool"});
        if (kind == Kind::real && chance(50)) to = "f32";
        made({{"op", "cast"}, {"inputs", {value.name}}, {"dtype", to}}, value.shape, to,
             value.exact && kind <= Kind::integer);
    }

    void add_one_hot() {
        std::string const indices = add_leaf({3, 2}, "i32", 5).name;
        made({{"op", "one_hot"}, {"inputs", {indices}}, {"depth", 5}}, {3, 2, 5}, "f32", true);
    }

    GraphTaste taste_;
    Json tensors_ = Json::object(), nodes_ = Json::array();
    std::vector<Made> values_;
};

}  // namespace

Json random_graph(std::uint64_t seed, GraphTaste const& taste) { return Generator(seed, taste).run(); }

std::pair<std::uint64_t, std::uint64_t> seeds(std::uint64_t count) {
    if (char const* asked = std::getenv("EIN_SEEDS")) {
        std::string const text = asked;
        auto const colon = text.find(':');
        return {std::stoull(text), colon == std::string::npos ? 1 : std::stoull(text.substr(colon + 1))};
    }
    bool const again = std::getenv("EIN_TEST_DEVICE") != nullptr;  // what was tried in another way already
    return {1, again ? (count + 2) / 3 : count};
}

}  // namespace ein::test
