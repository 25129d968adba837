#include "planner/exact/model.hpp"

#include <map>

namespace ein::planner {
namespace {

using Form = std::vector<std::int64_t>;  // all that the table of an edge depends on

class ModelMaker {
public:
    ModelMaker(graph::EinGraph const& graph, CandidateTable const& choices, double most_entries)
        : graph_(graph), choices_(choices), producers_(graph.producers()), entries_left_(most_entries) {}

    std::optional<Model> make() {
        model_.variables.resize(graph_.nodes.size());
        for (std::size_t k = 0; k < graph_.nodes.size(); ++k) {
            NodeId const id{static_cast<std::int32_t>(k)};
            NodeCandidates const& choices = choices_.of(id);
            model_.variables[k].cost = choices.work;
            for (std::size_t s = 0; s < choices.sources.size(); ++s) add_link(id, s);
            if (entries_left_ < 0) return std::nullopt;
        }
        for (Edge const& edge : fresh_) fill(edge);
        return std::move(model_);
    }

private:
    void add_link(NodeId reader, std::size_t s) {
        SourceNeeds const& source = choices_.of(reader).sources[s];
        ValueId const value = graph_.node(reader).inputs[source.operands.front()];
        auto const producer = producers_[static_cast<std::size_t>(value.value())];
        if (!producer) return;
        auto& table = tables_[form_of(*producer, reader, s)];
        if (!table) table = add_table({*producer, reader, &source, {}});
        int const number = static_cast<int>(model_.links.size());
        model_.links.push_back(
            {{producer->value(), reader.value()}, {&choices_.of(*producer).output_of, &source.need_of}, table});
        model_.variables[at(*producer)].links.push_back(number);
        model_.variables[at(reader)].links.push_back(number);
    }

    struct Edge {
        NodeId producer, reader;
        SourceNeeds const* source;
        std::shared_ptr<LinkTable> table;
    };

    std::shared_ptr<LinkTable const> add_table(Edge edge) {
        edge.table = std::make_shared<LinkTable>();
        edge.table->rows = choices_.of(edge.producer).outputs.size();
        edge.table->columns = edge.source->needs.size();
        entries_left_ -= static_cast<double>(edge.table->rows) * static_cast<double>(edge.table->columns);
        fresh_.push_back(edge);
        return edge.table;
    }

    void fill(Edge const& edge) const {
        edge.table->costs.reserve(edge.table->rows * edge.table->columns);
        for (Parts const& output : choices_.of(edge.producer).outputs)
            for (std::size_t need = 0; need < edge.table->columns; ++need)
                edge.table->costs.push_back(choices_.edge(edge.reader, *edge.source, need, output));
    }

    Form form_of(NodeId producer, NodeId reader, std::size_t s) {
        Form form{number(choices_.of(producer)), number(choices_.of(reader)), static_cast<std::int64_t>(s)};
        auto const* move = std::get_if<graph::Move>(&graph_.node(reader).op);
        if (!move) return form;
        for (std::size_t operand : choices_.of(reader).sources[s].operands) {
            graph::Move::Region const& region = move->regions[operand];
            form.insert(form.end(), region.box.begin.begin(), region.box.begin.end());
            form.insert(form.end(), region.box.length.begin(), region.box.length.end());
            for (graph::AxisMap const& axis : region.axes) form.insert(form.end(), {axis.start, axis.step});
        }
        return form;
    }

    std::int64_t number(NodeCandidates const& choices) {
        return numbers_.emplace(&choices, static_cast<std::int64_t>(numbers_.size())).first->second;
    }

    graph::EinGraph const& graph_;
    CandidateTable const& choices_;
    std::vector<std::optional<NodeId>> producers_;
    double entries_left_;
    std::map<NodeCandidates const*, std::int64_t> numbers_;
    std::map<Form, std::shared_ptr<LinkTable const>> tables_;
    std::vector<Edge> fresh_;  // of each table the first edge: filled when all fit
    Model model_;
};

}  // namespace

double Model::cost(std::vector<int> const& values) const {
    double sum = 0;
    for (std::size_t v = 0; v < variables.size(); ++v) sum += variables[v].cost[static_cast<std::size_t>(values[v])];
    for (Link const& link : links)
        sum += link.cost(link.ends[0], values[static_cast<std::size_t>(link.ends[0])],
                         values[static_cast<std::size_t>(link.ends[1])]);
    return sum;
}

std::optional<Model> make_model(graph::EinGraph const& graph, CandidateTable const& table, double most_entries) {
    return ModelMaker(graph, table, most_entries).make();
}

LinkTable transposed(LinkTable const& table) {
    LinkTable out{table.columns, table.rows, std::vector<double>(table.costs.size())};
    for (std::size_t row = 0; row < table.rows; ++row)
        for (std::size_t column = 0; column < table.columns; ++column)
            out.costs[column * table.rows + row] = table.costs[row * table.columns + column];
    return out;
}

}  // namespace ein::planner
