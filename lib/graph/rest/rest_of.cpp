#include "lib/graph/rest/rest_of.hpp"

#include <algorithm>
#include <unordered_set>

#include "lib/base/error.hpp"
#include "lib/graph/rest/rest_builder.hpp"

namespace ein::graph {
namespace {

/// Walks the nodes in the order in which they ran: those that are done first, so that what is not saved can be made
/// again, then the rest of each iteration that was under way, from the innermost loop outwards, and the loop's other
/// iterations. What nobody needs is left out in the end.
class Rest {
public:
    Rest(EinGraph const& graph, Progress const& at, std::vector<Saved> const& saved)
        : graph_(graph), at_(at), order_(at.order), around_(graph.loops_around(at.loop)), build_(graph) {
        if (order_.empty()) {
            order_.reserve(graph.nodes.size());
            for (std::size_t k = 0; k < graph.nodes.size(); ++k) order_.emplace_back(static_cast<std::int32_t>(k));
        }
        std::reverse(around_.begin(), around_.end());
        promise(
            order_.size() == graph.nodes.size() && at.done <= order_.size() && around_.size() == at.iterations.size(),
            "a checkpoint's place is none of the graph's");
        std::unordered_set<ValueId> const stale = carried_to_an_end();
        for (Saved const& each : saved)
            stale.contains(each.value) ? build_.add_last(each.value, each.source)
                                       : build_.add_saved(each.value, each.source);
    }

    EinGraph take() {
        find_loops();
        for (std::size_t k = 0; k < around_.size(); ++k)
            if (at_.iterations[k] > 1) build_.forget_begins(around_[k]);
        made_again();
        build_.begin_rest();
        if (!around_.empty() && ends_here(0)) build_.keep_results(around_[0]);
        std::size_t next = at_.done;
        for (std::size_t k = around_.size(); k-- > 0;) next = to_the_end_of(k, next);
        plain(next, order_.size(), -1);
        return build_.finish();
    }

private:
    Loop const& loop(std::int32_t number) const { return graph_.loops[static_cast<std::size_t>(number)]; }
    Node const& node(std::size_t k) const { return graph_.node(order_[k]); }

    /// What loops that have ended carry: no longer what they begin with.
    std::unordered_set<ValueId> carried_to_an_end() const {
        std::unordered_set<ValueId> out;
        for (std::size_t k = 0; k < at_.done; ++k)
            for (std::int32_t const number : graph_.loops_around(node(k).loop)) {
                if (std::find(around_.begin(), around_.end(), number) != around_.end()) break;
                for (Loop::Carry const& carry : loop(number).carries) out.insert(carry.inside);
            }
        return out;
    }

    /// Where the nodes of each loop around the place begin and end.
    void find_loops() {
        for (std::int32_t const number : around_) {
            auto const is_in = [&](NodeId id) {
                auto const loops = graph_.loops_around(graph_.node(id).loop);
                return std::find(loops.begin(), loops.end(), number) != loops.end();
            };
            auto const first = std::find_if(order_.begin(), order_.end(), is_in);
            auto const end = std::find_if_not(first, order_.end(), is_in);
            firsts_.push_back(static_cast<std::size_t>(first - order_.begin()));
            ends_.push_back(static_cast<std::size_t>(end - order_.begin()));
            promise(firsts_.back() <= at_.done && at_.done <= ends_.back(), "a checkpoint's place is not in its loop");
        }
    }

    bool begins(std::size_t k) const { return k + 1 == around_.size() && at_.done == firsts_[k]; }
    std::int64_t left(std::size_t k) const { return loop(around_[k]).iterations - at_.iterations[k]; }
    /// Whether the iteration under way is the loop's last: it becomes plain nodes, and no loop is left.
    bool ends_here(std::size_t k) const { return left(k) == 0 && !begins(k); }

    void made_again() {
        std::size_t next = 0;
        for (std::size_t k = 0; k < around_.size(); ++k) {
            plain(next, firsts_[k], k == 0 ? -1 : around_[k - 1]);
            next = firsts_[k];
        }
        plain(next, at_.done, at_.loop);
    }

    /// Nodes [first, end), which are in `scope`, as nodes outside of loops; loops within it whole.
    void plain(std::size_t first, std::size_t end, std::int32_t scope) {
        nodes(scope, first, end, {-1, scope >= 0, {}});
    }

    /// The nodes [first, end) of a loop as a loop.
    void whole_loop(std::int32_t number, std::size_t first, std::size_t end, std::int64_t iterations,
                    RestBuilder::Place const& in) {
        std::int32_t const made = build_.begin_loop(number, iterations, in);
        nodes(number, first, end, {made, in.again, in.goes_on});
        build_.end_loop(number, made, in);
    }

    void nodes(std::int32_t scope, std::size_t first, std::size_t end, RestBuilder::Place const& in) {
        while (first < end) {
            std::int32_t const inner = graph_.loop_within(scope, node(first).loop);
            std::size_t next = first + 1;
            if (inner < 0) {
                build_.copy(node(first), in);
            } else {
                while (next < end && graph_.loop_within(scope, node(next).loop) == inner) ++next;
                whole_loop(inner, first, next, loop(inner).iterations, in);
            }
            first = next;
        }
    }

    /// What loop number k around the place has left from `next` on. @return the first node after it
    std::size_t to_the_end_of(std::size_t k, std::size_t next) {
        std::int32_t const number = around_[k];
        RestBuilder::Place const here{-1, k > 0, {}};
        if (begins(k)) {
            whole_loop(number, firsts_[k], ends_[k], left(k) + 1, here);
            return ends_[k];
        }
        plain(next, ends_[k], number);
        if (left(k) == 0) return ends_[k];
        build_.hand_over(number);
        if (!loop(number).condition) {
            whole_loop(number, firsts_[k], ends_[k], left(k), here);
            return ends_[k];
        }
        std::int32_t const made = build_.begin_loop(number, left(k), here);
        ValueId const goes_on = build_.begin_guard(number, made);
        nodes(number, firsts_[k], ends_[k], {made, here.again, goes_on});
        build_.end_guarded(number, {made, here.again, goes_on});
        return ends_[k];
    }

    EinGraph const& graph_;
    Progress const& at_;
    std::vector<NodeId> order_;
    std::vector<std::int32_t> around_;        // loops around the place, the outermost first
    std::vector<std::size_t> firsts_, ends_;  // in `order_`, of each of them
    RestBuilder build_;
};

}  // namespace

EinGraph rest_of(EinGraph const& graph, Progress const& at, std::vector<Saved> const& saved) {
    return Rest(graph, at, saved).take();
}

}  // namespace ein::graph
