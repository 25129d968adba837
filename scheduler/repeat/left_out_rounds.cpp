#include "scheduler/repeat/left_out_rounds.hpp"

#include <algorithm>

#include "scheduler/tuning.hpp"

namespace ein::scheduler {
namespace {

/// Finds what is read behind the nodes that are left out in place of what these would have made, or read.
class StandIns {
public:
    StandIns(graph::EinGraph const& graph, Period const& period, LeftOutRounds left_out)
        : graph_(graph),
          period_(period),
          before_(period.before()),
          producers_(graph.producers()),
          consumers_(graph.consumers()),
          out_(std::move(left_out)) {}

    /// @return nothing where something behind them reads what only earlier rounds have
    std::optional<LeftOutRounds> run() && {
        for (std::size_t n = nodes().end(); n < graph_.nodes.size(); ++n)
            for (ValueId input : graph_.nodes[n].inputs)
                if (!stays(input) && !(n < period_.end && replace(input))) return std::nullopt;
        if (!keeps_what_may_be_taken_over()) return std::nullopt;
        if (!std::all_of(graph_.outputs.begin(), graph_.outputs.end(), [&](ValueId value) { return stays(value); }))
            return std::nullopt;
        std::sort(nodes().stand_ins.begin(), nodes().stand_ins.end());
        nodes().stand_ins.erase(std::unique(nodes().stand_ins.begin(), nodes().stand_ins.end()),
                                nodes().stand_ins.end());
        return std::move(out_);
    }

private:
    LeftOut& nodes() { return out_.nodes; }
    bool is_in_front(NodeId node) const { return at(node) < out_.nodes.first; }
    bool is_left_out(NodeId node) const { return out_.nodes.has(at(node)); }

    /// It is made outside the rounds, or behind. Or it is given: for all rounds, or for none of those that are left
    /// out.
    bool stays(ValueId value) const {
        if (auto const& made = producers_[at(value)]) return at(*made) < period_.first || at(*made) >= out_.nodes.end();
        std::vector<NodeId> const& readers = consumers_[at(value)];
        if (std::any_of(readers.begin(), readers.end(), [&](NodeId node) { return is_in_front(node); }))
            return period_.next[at(value)] == value;
        return std::none_of(readers.begin(), readers.end(), [&](NodeId node) { return is_left_out(node); });
    }

    /// What each round reads of what is not of the rounds is read behind those that are left out, too, where a result
    /// may have its memory: else that of the last round would, and no other.
    bool keeps_what_may_be_taken_over() const {
        for (std::size_t n = period_.first; n < out_.nodes.first; ++n)
            for (ValueId value : graph_.nodes[n].inputs) {
                std::vector<NodeId> const& readers = consumers_[at(value)];
                auto const takes = [&](NodeId node) { return is_left_out(node) && is_as_large(value, node); };
                if (std::any_of(readers.begin(), readers.end(), takes) && at(readers.back()) < out_.nodes.end() &&
                    is_of_no_round(value))
                    return false;
            }
        return true;
    }
    bool is_as_large(ValueId value, NodeId reader) const {
        graph::Value const &read = graph_.value(value), &made = graph_.value(graph_.node(reader).output);
        return read.dtype == made.dtype && element_count(read.shape) == element_count(made.shape);
    }
    bool is_of_no_round(ValueId value) const {
        auto const& made = producers_[at(value)];
        return made ? at(*made) < period_.first : period_.next[at(value)] == value && before_[at(value)] == value;
    }

    /// By what was in its place so many rounds before.
    bool replace(ValueId value) {
        auto const& made = producers_[at(value)];
        if (made && !is_left_out(*made)) return false;  // it is one of the first rounds', read by all others
        ValueId instead = value;
        for (std::size_t round = 0; round < out_.rounds; ++round) {
            if (before_[at(instead)] == instead) return false;
            instead = before_[at(instead)];
        }
        nodes().stand_ins.emplace_back(value, instead);
        return true;
    }

    graph::EinGraph const& graph_;
    Period const& period_;
    std::vector<ValueId> const before_;
    std::vector<std::optional<NodeId>> const producers_;
    std::vector<std::vector<NodeId>> const consumers_;
    LeftOutRounds out_;
};

}  // namespace

RoundsLeaver::RoundsLeaver(graph::EinGraph const& graph, Period const& period, std::size_t alike)
    : graph_(graph), period_(period), nodes_alike_(alike * period.nodes), producers_(graph.producers()) {}

bool RoundsLeaver::reads_alike(std::size_t end) const {
    auto const is_made_alike = [&](ValueId value) {
        auto const& made = producers_[at(value)];
        return !made || at(*made) < period_.first || at(*made) >= end - alike_;
    };
    for (std::size_t n = end - nodes_alike_; n < end; ++n)
        if (!std::all_of(graph_.nodes[n].inputs.begin(), graph_.nodes[n].inputs.end(), is_made_alike)) return false;
    return true;
}

std::optional<LeftOut> RoundsLeaver::after(NodeId node, NodeId like) {
    like_.push_back(like);
    bool const is_in_rounds = at(node) >= period_.first + period_.nodes && at(node) < period_.end;
    alike_ = is_in_rounds && like == like_[at(node) - period_.nodes] ? alike_ + 1 : 0;
    std::size_t const first = at(node) + 1;
    if (alike_ < nodes_alike_ || !reads_alike(first) || period_.end < first + tuning::least_nodes_behind)
        return std::nullopt;
    std::size_t const rounds = (period_.end - first - tuning::least_nodes_behind) / period_.nodes;
    for (std::size_t more = 0; more <= tuning::most_rounds_behind && more < rounds && !found_; ++more) {
        LeftOut const nodes{
            .first = first, .nodes = (rounds - more) * period_.nodes, .round = period_.nodes, .stand_ins = {}};
        found_ = StandIns(graph_, period_, {nodes, rounds - more}).run();
    }
    return found_ ? std::optional(found_->nodes) : std::nullopt;
}

}  // namespace ein::scheduler
