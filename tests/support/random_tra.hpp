// Random programs of the tensor relational algebra as tra nodes: every operator, holes inside, whole numbers so that
// results are exact. Each operator is tried, and left out where the algebra refuses it; a relation with holes is
// aggregated at the end. Example: random_tra(7) is a graph file with tensors X0 (6, 4), ... and one node Z.
#pragma once

#include <random>

#include "lib/graph/tra/read_cut.hpp"
#include "lib/graph/tra/read_program.hpp"

namespace ein::test {

struct RandomTra {
    Json graph;                                       // the whole file
    std::map<std::string, tra::RelationType> inputs;  // by name
};

class RandomTraMaker {
public:
    explicit RandomTraMaker(std::uint64_t seed) : random_(seed) {}

    RandomTra make(std::string const& dtype, int operators = 7) {
        make_inputs(dtype);
        for (int step = 0; step < operators; ++step) {
            for (int attempt = 0; attempt < 20; ++attempt)
                if (accept(random_operator())) break;
        }
        Json tree = made_.back();
        if (!continuous(tree)) tree = wrapped(tree);
        Json node{{"name", "Z"}, {"inputs", names_}, {"cut", cut_}, {"tra", tree}};
        made_graph_.graph = {
            {"eingraph", 1}, {"dtype", dtype}, {"tensors", tensors_}, {"nodes", {node}}, {"outputs", {"Z"}}};
        return std::move(made_graph_);
    }

private:
    int draw(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }
    std::string pick(std::vector<std::string> const& list) {
        return list[static_cast<std::size_t>(draw(static_cast<int>(list.size())))];
    }
    Json const& relation() {  // mostly the newest
        int const size = static_cast<int>(made_.size());
        return made_[static_cast<std::size_t>(draw(3) ? size - 1 : draw(size))];
    }

    void make_inputs(std::string const& dtype) {
        for (int k = 0; k < 3; ++k) {
            std::string const name = "X" + std::to_string(k);
            Shape const shape = draw(4) ? Shape{draw(2) ? 6 : 4, draw(2) ? 6 : 4} : Shape{draw(2) ? 6 : 4};
            Json cut = Json::array();
            graph::TileLengths tiles;
            for (Extent extent : shape) {
                int const count = 1 + draw(3);
                bool const whole = draw(5) == 0 || extent % count != 0;
                tiles.push_back(whole ? std::nullopt : std::optional(extent / count));
                cut.push_back(whole ? Json() : draw(2) ? Json(extent / count) : Json{{"into", count}});
            }
            tensors_[name] = {{"shape", shape},
                              {"dtype", dtype},
                              {"data", {{"random", "uniform"}, {"low", -3}, {"high", 4}, {"seed", k + 1}}}};
            names_.push_back(name);
            cut_[name] = cut;
            made_graph_.inputs[name] = graph::type_of_cut(shape, tiles);
            made_.push_back(name);
        }
    }

    static Json wrapped(Json const& tree) {
        return {{"aggregate", {{"by", Json::array()}, {"kernel", "matAdd"}}}, {"of", tree}};
    }

    std::optional<graph::Program> read(Json const& tree) const {
        Faults faults("");
        std::vector<std::string> const params;
        graph::ProgramPlace place{{}, params, DType::f64, graph::max_keys_of_a_node};
        for (auto const& [name, type] : made_graph_.inputs) place.inputs.emplace(name, type);
        return graph::read_program(Cursor(tree, faults), place);
    }
    bool continuous(Json const& tree) const { return read(tree).has_value(); }

    tra::RelationType type(Json const& tree) const {
        auto const program = read(wrapped(tree));
        return program->type(program->result.inputs().front());
    }

    bool accept(Json tree) {
        auto const program = read(wrapped(tree));
        if (!program) return false;
        tra::RelationType const& made = program->type(program->result.inputs().front());
        if (made.keys() > 120 || made.floats() > 2500 || made.frontier.size() + made.bound.size() > 6) return false;
        made_.push_back(std::move(tree));
        return true;
    }

    Json some_dims(int arity) {
        std::vector<int> dims;
        for (int d = 0; d < arity; ++d)
            if (draw(2)) dims.push_back(d);
        std::shuffle(dims.begin(), dims.end(), random_);
        return dims;
    }

    Json random_operator() {
        Json const of = relation();
        tra::RelationType const from = type(of);
        int const arity = from.arity(), rank = static_cast<int>(from.bound.size());
        switch (draw(8)) {
            case 0: return {{"transform", unary()}, {"of", of}};
            case 1: return {{"filter", predicate(arity)}, {"of", of}};
            case 2: return {{"rekey", key_function(arity, from)}, {"of", of}};
            case 3:
                return {{"aggregate",
                         {{"by", some_dims(arity)}, {"kernel", pick({"matAdd", "x + y", "max(x, y)", "min(x, y)"})}}},
                        {"of", of}};
            case 4: return {{"tile", {{"axis", draw(std::max(1, rank))}, {"size", 1 + draw(3)}}}, {"of", of}};
            case 5:
                return {{"concat", {{"key", draw(std::max(1, arity))}, {"axis", draw(std::max(1, rank))}}}, {"of", of}};
            default: return random_join(of, from);
        }
    }

    Json random_join(Json const& of, tra::RelationType const& from) {
        Json const other = relation();
        int const arity = type(other).arity();
        Json left = Json::array(), right = Json::array();
        for (int d = 0; d < std::min(from.arity(), arity); ++d) {
            if (draw(3) == 0) continue;
            left.push_back(draw(3) ? d : draw(from.arity()));
            right.push_back(draw(3) ? d : draw(arity));
        }
        return {{"join", {{"on", {left, right}}, {"kernel", binary()}}}, {"of", {of, other}}};
    }

    Json unary() {
        switch (draw(7)) {
            case 0: return {{"einsum", "ij->ji"}};
            case 1: return {{"einsum", "ij->i"}, {"agg", pick({"sum", "max", "min"})}};
            case 2: return {{"einsum", "ij->ij"}, {"join", "x + [i] - 2*[j]"}};
            case 3: return {{"einsum", "i->"}, {"join", "x + [i]"}};
            default: return pick({"relu(x)", "diag", "-x", "x + 1", "x > 0", "rowSum"});
        }
    }

    Json binary() {
        switch (draw(7)) {
            case 0: return {{"einsum", "i,ij->ij"}, {"join", "x + y"}};
            case 1: return {{"einsum", "i,j->ij"}};
            case 2: return {{"einsum", "ij,ij->i"}, {"join", "x - y"}, {"agg", "max"}};
            case 3: return {{"einsum", ",ij->ji"}, {"join", "x + y*[i]"}};
            default: return pick({"matMul", "matAdd", "x - 2*y", "max(x, y)", "x < y", "x"});
        }
    }

    Json predicate(int arity) {
        std::string const a = "[k" + std::to_string(draw(std::max(1, arity))) + "]";
        std::string const b = "[k" + std::to_string(draw(std::max(1, arity))) + "]";
        return pick({a + " == " + b, a + " <= " + b, a + " > 0", "mod(" + a + ", 2) == 0", a + " + " + b + " < 3",
                     a + " != " + b});
    }

    Json key_function(int arity, tra::RelationType const& from) {
        std::vector<std::string> parts;
        for (int d = 0; d < arity; ++d) {
            std::string const part = "[k" + std::to_string(d) + "]";
            std::string const last = std::to_string(from.frontier[static_cast<std::size_t>(d)] - 1);
            std::string const odd = from.frontier[static_cast<std::size_t>(d)] == 3 ? "mod(" + part + " + 1, 3)" : part;
            parts.push_back(pick({part, part, last + " - " + part, part + " + 1", "max(0, " + part + " - 1)", odd}));
        }
        std::shuffle(parts.begin(), parts.end(), random_);
        if (arity > 0 && draw(3) == 0) parts.pop_back();
        if (draw(5) == 0) parts.push_back("0");
        if (arity == 2 && draw(4) == 0) return {"[k0]*" + std::to_string(from.frontier[1]) + " + [k1]"};
        return parts;
    }

    std::mt19937_64 random_;
    Json tensors_ = Json::object(), cut_ = Json::object();
    std::vector<std::string> names_;
    std::vector<Json> made_;
    RandomTra made_graph_;
};

}  // namespace ein::test
