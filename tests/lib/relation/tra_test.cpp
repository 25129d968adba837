// tra nodes against the algebra's own interpreter: reading, lowering and the reference interpreter of graphs, for the
// paper's and for random programs.
#include "lib/algebra/expression.hpp"
#include "lib/graph/contract.hpp"
#include "lib/graph/read_graph.hpp"
#include "tests/lib/relation/interpreting.hpp"
#include "tests/support/random_tra.hpp"

using namespace ein;
using namespace ein::test;

namespace {

/// Element of a tensor by index: small whole numbers.
double element(std::size_t tensor, std::vector<Extent> const& index) {
    Extent value = static_cast<Extent>(tensor) + 1;
    for (Extent at : index) value = (value * 7 + at * 3) % 11;
    return static_cast<double>(value - 5);
}

tra::TensorRelation relation_of(std::size_t tensor, Shape const& shape, tra::RelationType const& type,
                                std::vector<bool> const& cut) {
    tra::Tuples tuples;
    for_each_index(type.frontier, [&](tra::Key const& key) {
        tra::Array array{type.bound, {}};
        for_each_index(type.bound, [&](std::vector<Extent> const& inside) {
            std::vector<Extent> index = inside;
            std::size_t d = 0;
            for (std::size_t axis = 0; axis < shape.size(); ++axis)
                if (cut[axis]) index[axis] += key[d++] * type.bound[axis];
            array.values.push_back(element(tensor, index));
        });
        tuples.push_back({key, std::move(array)});
    });
    return tra::TensorRelation::make(std::move(tuples), type.arity(), type.bound);
}

/// The relation as the tensor of its default result.
Numbers tensor_of_result(tra::TensorRelation const& relation) {
    tra::RelationType const& type = relation.type();
    std::size_t const order = std::max(type.frontier.size(), type.bound.size());
    auto const at = [](Shape const& shape, std::size_t d) { return d < shape.size() ? shape[d] : Extent{1}; };
    Shape shape;
    for (std::size_t d = 0; d < order; ++d) shape.push_back(at(type.frontier, d) * at(type.bound, d));
    Numbers out;
    for_each_index(shape, [&](std::vector<Extent> const& index) {
        tra::Key key;
        Extent inside = 0;
        for (std::size_t d = 0; d < order; ++d) {
            Extent const bound = at(type.bound, d);
            if (d < type.frontier.size()) key.push_back(index[d] / bound);
            inside = inside * bound + index[d] % bound;
        }
        out.push_back(relation.at(key).values[static_cast<std::size_t>(inside)]);
    });
    return out;
}

struct Both {
    Numbers graph, algebra;
    std::size_t nodes = 0;
};

Both computed(RandomTra const& what) {
    Both both;
    DType const dtype = *dtype_from_name(what.graph["dtype"].get<std::string>());
    graph::EinGraph const graph = graph::lower_contractions(graph::read_graph(what.graph.dump(), "random"));
    both.nodes = graph.nodes.size();
    Leaves leaves;
    tra::Relations relations;
    std::size_t number = 0;
    for (auto const& [name, type] : what.inputs) {
        Shape const shape = what.graph["tensors"][name]["shape"].get<Shape>();
        Numbers numbers;
        for_each_index(shape, [&](std::vector<Extent> const& index) { numbers.push_back(element(number, index)); });
        leaves.put(name, tensor_of(dtype, shape, numbers));
        std::vector<bool> cut;
        for (Json const& entry : what.graph["nodes"][0]["cut"][name]) cut.push_back(!entry.is_null());
        relations.emplace(name, relation_of(number++, shape, type, cut));
    }
    for (graph::Leaf const& leaf : graph.leaves)
        if (auto const* source = std::get_if<tensor::ValuesSource>(&leaf.source)) {
            graph::Value const& value = graph.value(leaf.value);
            tensor::HostTensor positions(value.dtype, value.shape);
            std::memcpy(positions.bytes().data(), source->bytes.data(), source->bytes.size());
            leaves.put(value.name, std::move(positions));
        }
    both.graph = numbers_of(relation::Interpreter(graph, leaves.reader(graph)).whole(graph.outputs.front()));

    Faults faults("");
    std::vector<std::string> const params;
    graph::ProgramPlace place{{}, params, DType::f64, graph::max_keys_of_a_node};
    for (auto const& [name, type] : what.inputs) place.inputs.emplace(name, type);
    auto const program = graph::read_program(Cursor(what.graph["nodes"][0]["tra"], faults), place);
    REQUIRE(program);
    both.algebra = tensor_of_result(tra::interpret(program->result, relations));
    return both;
}

}  // namespace

TEST_CASE("a random program gives what the algebra's interpreter gives", "[lib][relation][tra]") {
    auto const dtype = GENERATE("f64", "i64");
    for (std::uint64_t seed = 1; seed <= 600; ++seed) {
        RandomTra const what = RandomTraMaker(seed).make(dtype);
        CAPTURE(seed, what.graph["nodes"][0].dump());
        Both const both = computed(what);
        REQUIRE(both.graph == both.algebra);
    }
}

TEST_CASE("the paper's programs give what the algebra's interpreter gives", "[lib][relation][tra]") {
    Json const example = parse_json(read_text_file(EIN_EXAMPLES "/tensor-relations.json"), "tensor-relations.json");
    for (Json const& node : example["nodes"]) {
        if (node["name"] == "nearest") continue;  // reads another node
        CAPTURE(node["name"]);
        RandomTra what{example, {}};
        what.graph["nodes"] = {node};
        what.graph["outputs"] = {node["name"]};
        what.graph["dtype"] = "f64";
        for (Json const& input : node["inputs"]) {
            Faults faults("");
            std::string const name = input.get<std::string>();
            Shape const shape = example["tensors"][name]["shape"].get<Shape>();
            auto const tiles = graph::read_cut(Cursor(node["cut"][name], faults), shape);
            REQUIRE(tiles);
            what.inputs.emplace(name, graph::type_of_cut(shape, *tiles));
        }
        Both const both = computed(what);
        CHECK(both.graph == both.algebra);
        CHECK(both.nodes < 10);
    }
}
