// A tra node: tensors seen as relations, a program of the tensor relational algebra, and its result as a tensor again.
#include <algorithm>

#include "lib/base/text/near_names.hpp"
#include "lib/graph/read/fields.hpp"
#include "lib/graph/read/node_context.hpp"
#include "lib/graph/tra/lower.hpp"
#include "lib/graph/tra/read_cut.hpp"

namespace ein::graph {
namespace {

class TraReader {
public:
    explicit TraReader(NodeContext& context)
        : context_(context), build_(context.graph, context.name), faults_before_(faults()) {}

    std::optional<ValueId> read() {
        Cursor const& node = context_.node;
        node.only_keys({"name", "tra", "inputs", "cut", "result", "dtype", "sparse"});
        if (auto const at = optional_at(node, "dtype")) dtype_ = read_dtype(*at);
        if (!dtype_ && !node.has("dtype") && context_.inputs_known()) dtype_ = common();
        check_real();
        read_inputs();
        ProgramPlace place{{}, context_.params, dtype_, max_keys_of_a_node};
        for (Input const& input : inputs_) place.inputs.emplace(input.name, input.type);
        auto const program = read_program(node.at("tra"), place);
        if (!program || !context_.inputs_known() || faults() != faults_before_) return std::nullopt;
        tra::RelationType const& type = program->type(program->result);
        auto const axes = node.has("result") ? read_result(node.at("result"), type) : default_result(type);
        return axes ? std::optional(lower(*program, *axes)) : std::nullopt;
    }

private:
    struct Input {
        std::string name;
        TileLengths tiles;
        std::optional<tra::RelationType> type;  // nothing: unknown, because of another fault
    };

    std::size_t faults() const { return context_.node.faults().list().size(); }

    DType common() const {
        std::vector<DType> dtypes;
        for (auto const& input : context_.inputs) dtypes.push_back(build_.value(*input).dtype);
        return common_dtype(dtypes);
    }

    void check_real() const {
        if (!dtype_ || is_complex(*dtype_) || !context_.node.has("dtype")) return;
        for (auto const& input : context_.inputs) {
            if (!input || !is_complex(build_.value(*input).dtype)) continue;
            context_.node.at("dtype").fail("a complex dtype, as " + quote(build_.value(*input).name) + " has",
                                           std::string(name(*dtype_)), "take abs(), real() or imag() of it first");
            return;
        }
    }

    void read_inputs() {
        auto cut = optional_at(context_.node, "cut");
        if (cut && !cut->expect_object()) cut.reset();
        std::vector<std::string> names;
        for (std::size_t k = 0; k < context_.inputs.size(); ++k) {
            Cursor const at = context_.input_at(k);
            if (!at.value().is_string()) continue;  // reported already
            Input input{at.value().get<std::string>(), {}, {}};
            if (std::find(names.begin(), names.end(), input.name) != names.end()) {
                at.fail("each input once", quote(input.name) + " again", "name it as often as you like in \"tra\"");
                continue;
            }
            names.push_back(input.name);
            read_input(k, input, cut);
            inputs_.push_back(std::move(input));
        }
        if (!cut) return;
        for (auto const& [name, unused] : cut->value().items())
            if (!name.starts_with("x-") && std::find(names.begin(), names.end(), name) == names.end())
                cut->at(name).fail("the name of an input: " + one_of(names), quote(name),
                                   mend_name(name, names, "list it in \"inputs\", or remove it"));
    }

    void read_input(std::size_t k, Input& input, std::optional<Cursor> const& cut) {
        std::optional<Shape> shape;
        if (context_.inputs[k]) shape = build_.value(*context_.inputs[k]).shape;
        if (shape && std::find(shape->begin(), shape->end(), 0) != shape->end()) {
            context_.input_at(k).fail("a tensor of one element or more", "shape " + to_string(*shape),
                                      "relations have keys and arrays: leave it out");
            shape.reset();
        }
        std::optional<TileLengths> tiles;
        if (cut && cut->has(input.name))
            tiles = read_cut(cut->at(input.name), shape);
        else if (shape)
            tiles = TileLengths(shape->size());
        if (!tiles) return;
        input.tiles = *tiles;
        input.type = type_of_cut(*shape, *tiles);
        if (input.type->frontier.size() + input.type->bound.size() <= max_order) return;
        cut->at(input.name)
            .fail("at most " + std::to_string(max_order) + " key parts and axes", tra::text(*input.type),
                  "cut fewer axes");
        input.type.reset();
    }

    /// The tensor's axes cut in place: a reshape, no element moves.
    Blocks blocks_of(Input const& input, ValueId value) {
        Shape const whole = build_.value(value).shape;
        Shape shape;
        std::vector<int> keys, array;
        for (std::size_t axis = 0; axis < whole.size(); ++axis) {
            if (input.tiles[axis]) {
                keys.push_back(static_cast<int>(shape.size()));
                shape.push_back(whole[axis] / *input.tiles[axis]);
            }
            array.push_back(static_cast<int>(shape.size()));
            shape.push_back(input.tiles[axis].value_or(whole[axis]));
        }
        if (shape != whole) value = build_.reshape(input.name, value, shape);
        return Blocks::of(value, shape, std::move(keys), std::move(array));
    }

    ValueId lower(Program const& program, ResultAxes const& axes) {
        std::map<std::string, Blocks> blocks;
        for (std::size_t k = 0; k < inputs_.size(); ++k) {
            ValueId const value = build_.cast(inputs_[k].name + ":cast", *context_.inputs[k], *dtype_);
            blocks.emplace(inputs_[k].name, blocks_of(inputs_[k], value));
        }
        BlockBuilder builder(build_, *dtype_);
        Blocks const result = lower_program(builder, program, blocks);
        std::vector<std::vector<int>> labels;
        for (auto const& axis : axes) {
            labels.emplace_back();
            for (int part : axis) {
                auto const number = static_cast<std::size_t>(part);
                std::size_t const arity = result.keys.size();
                labels.back().push_back(number < arity ? result.keys[number] : result.array[number - arity]);
            }
        }
        return as_tensor(builder, result, labels);
    }

    NodeContext& context_;
    NodeBuilder build_;
    std::size_t faults_before_;
    std::optional<DType> dtype_;  // of every relation, if known
    std::vector<Input> inputs_;
};

}  // namespace

std::optional<ValueId> read_tra(NodeContext& context) { return TraReader(context).read(); }

}  // namespace ein::graph
