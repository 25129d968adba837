#include "scheduler/ia/search.hpp"

#include <algorithm>
#include <limits>

#include "lib/base/error.hpp"
#include "scheduler/ia/memo.hpp"
#include "scheduler/tuning.hpp"

namespace ein::ia {
namespace {

/// For each group the forms in which it is at hand, sorted; none for what is not made yet, or no longer needed.
using Forms = std::vector<std::vector<Sites>>;

/// One decision: how a group is made, or where an input lies.
struct Step {
    double sent = 0;           // so far
    std::size_t before = 0;    // the step that it follows, in the list of the group before
    Way const* way = nullptr;  // nothing for an input, and for products that are not made
    std::optional<Sites> layout;
};

struct State {
    Forms forms;
    std::size_t step;  // the last one, in the list of the last group
};

void add_form(std::vector<Sites>& forms, Sites const& sites) {
    auto const at = std::lower_bound(forms.begin(), forms.end(), sites);
    if (at == forms.end() || *at != sites) forms.insert(at, sites);
}

class Search {
public:
    Search(Memo& memo, SearchOptions const& options) : memo_(memo), options_(options) {
        GroupId const count = memo.groups().size();
        for (GroupId id = 0; id < count; ++id) last_reader_.push_back(id);
        for (GroupId id = 0; id < count; ++id) {
            for (GroupId input : memo.groups()[id].inputs) last_reader_[input] = id;
            for (GroupId input : memo.groups()[id].replicated_inputs)
                last_reader_[input] = std::max(last_reader_[input], id);
        }
        for (GroupId root : memo.roots()) last_reader_[root] = count;
    }

    /// A search of few states first: what it finds bounds what the whole search need look at.
    Found operator()() {
        std::size_t const all = options_.max_states;
        options_.max_states = std::min(all, scheduler::tuning::quick_states);
        std::optional<Found> found = once();
        if (found && (found->exact || all == options_.max_states)) return *found;
        options_.max_states = all;
        exact_ = true;
        std::optional<Found> better = once();
        if (better) return *better;
        if (found) return *found;
        throw InputError(Fault{"", "", "inputs that some plan leaves in place",
                               "pinned inputs that every plan that was looked at sends",
                               "pin fewer, or keep more states"});
    }

private:
    double sent(State const& state) const { return steps_.back()[state.step].sent; }

    std::optional<Found> once() {
        std::vector<State> states{{Forms(memo_.groups().size()), 0}};
        steps_ = {{Step{}}};
        for (GroupId id = 0; id < memo_.groups().size(); ++id) states = after(id, states);
        if (states.empty()) return std::nullopt;
        auto const best = std::min_element(states.begin(), states.end(),
                                           [&](State const& a, State const& b) { return sent(a) < sent(b); });
        bound_ = std::min(bound_, sent(*best));
        return built(best->step);
    }

    std::vector<State> after(GroupId id, std::vector<State> const& states) {
        next_.clear();
        steps_.emplace_back();
        for (State const& state : states) {
            before_ = &state;
            sent_before_ = steps_[steps_.size() - 2][state.step].sent;
            Group const& group = memo_.groups()[id];
            for (Sites const& layout : group.layouts)
                take(id, {sent_before_, state.step, nullptr, layout}, {layout}, {});
            if (group.inputs.empty()) continue;
            take_ways(id, group.inputs, false);
            if (!group.replicated_inputs.empty()) take_ways(id, group.replicated_inputs, true);
            if (may_be_left_out(id)) take(id, {sent_before_, state.step, nullptr, {}}, {}, {});
        }
        std::vector<State> out;
        for (auto& [forms, step] : next_) out.push_back({forms, step});
        if (out.size() <= options_.max_states) return out;
        exact_ = false;
        std::stable_sort(out.begin(), out.end(), [&](State const& a, State const& b) { return sent(a) < sent(b); });
        out.resize(options_.max_states, out.front());
        return out;
    }

    /// Products that only sums read which can be made from the products' operands.
    bool may_be_left_out(GroupId id) const {
        if (last_reader_[id] == memo_.groups().size()) return false;
        for (GroupId reader : memo_.groups()[id].readers)
            if (memo_.groups()[reader].replicated_inputs.empty()) return false;
        return std::holds_alternative<Join>(memo_.groups()[id].op);
    }

    void take_ways(GroupId id, std::vector<GroupId> const& inputs, bool replicating) {
        std::vector<Sites> forms;
        auto const choose = [&](auto const& self) -> void {
            if (forms.size() < inputs.size()) {
                for (Sites const& form : before_->forms[inputs[forms.size()]]) {
                    forms.push_back(form);
                    self(self);
                    forms.pop_back();
                }
                return;
            }
            for (Way const& way : memo_.ways(id, forms, replicating)) {
                double sent = sent_before_ + way.sent;
                for (Need const& need : way.needs) sent += at_hand(need) ? 0 : need.sent;
                take(id, {sent, before_->step, &way, {}}, {way.made}, way.needs);
            }
        };
        choose(choose);
    }

    bool at_hand(Need const& need) const {
        std::vector<Sites> const& forms = before_->forms[need.group];
        return std::find(forms.begin(), forms.end(), need.to) != forms.end();
    }

    void take(GroupId id, Step step, std::vector<Sites> const& made, std::vector<Need> const& needs) {
        if (step.sent > bound_) return;
        Forms forms = before_->forms;
        for (Need const& need : needs) add_form(forms[need.group], need.to);
        for (Sites const& sites : made) add_form(forms[id], sites);
        for (GroupId group = 0; group <= id; ++group)
            if (last_reader_[group] <= id) forms[group].clear();
        std::vector<Step>& steps = steps_.back();
        auto const [at, fresh] = next_.emplace(std::move(forms), steps.size());
        if (fresh)
            steps.push_back(std::move(step));
        else if (step.sent < steps[at->second].sent)
            steps[at->second] = std::move(step);
    }

    // ---- the plan from its steps ----

    using Made = std::map<std::pair<GroupId, Sites>, Expr>;

    Found built(std::size_t step) const {
        std::vector<Step const*> chosen(memo_.groups().size());
        for (GroupId id = memo_.groups().size(); id-- > 0;) {
            chosen[id] = &steps_[id + 1][step];
            step = chosen[id]->before;
        }
        Made made;
        for (GroupId id = 0; id < chosen.size(); ++id) {
            Group const& group = memo_.groups()[id];
            if (chosen[id]->layout) {
                std::string const& name = std::get<Input>(group.op).name;
                made.emplace(std::pair(id, *chosen[id]->layout),
                             input(name, group.relation, *chosen[id]->layout, options_.site_count));
            } else if (chosen[id]->way) {
                Expr const expr = filled_in(chosen[id]->way->expr, made);
                made.emplace(std::pair(id, expr.type().sites), expr);
            }
        }
        Found found{{}, {}, exact_ && memo_.exact()};
        for (GroupId root : memo_.roots()) {
            auto const at =
                std::find_if(made.begin(), made.end(), [&](auto const& entry) { return entry.first.first == root; });
            found.roots.push_back(at->second);
        }
        found.cost = cost(found.roots);
        return found;
    }

    /// A way with the placeholders replaced by what was made, and what it sends of them remembered.
    static Expr filled_in(Expr const& expr, Made& made) {
        if (auto const at = placed(expr)) return made.at(*at);
        auto const sent = expr.sends() ? placed(expr.input()) : std::nullopt;
        if (sent) {
            auto const there = made.find(std::pair(sent->first, expr.type().sites));
            if (there != made.end()) return there->second;
        }
        std::vector<Expr> inputs;
        for (Expr const& input : expr.inputs()) inputs.push_back(filled_in(input, made));
        Expr out = local(expr.op(), std::move(inputs));
        if (sent) made.emplace(std::pair(sent->first, expr.type().sites), out);
        return out;
    }

    Memo& memo_;
    SearchOptions options_;
    std::vector<GroupId> last_reader_;
    std::vector<std::vector<Step>> steps_;  // steps_[id + 1] are those of group id
    std::map<Forms, std::size_t> next_;
    State const* before_ = nullptr;
    double sent_before_ = 0;
    double bound_ = std::numeric_limits<double>::infinity();
    bool exact_ = true;
};

}  // namespace

Found search(std::vector<tra::Expr> const& roots, std::map<std::string, FreeInput> const& inputs,
             SearchOptions const& options) {
    PlacedInputs placed_inputs;
    for (auto const& [name, input] : inputs) placed_inputs.emplace(name, Placed{input.type, input.layouts.front()});
    std::vector<Expr> const compiled = with_merged_kernels(compile(roots, placed_inputs, options.site_count));
    Memo memo(compiled, inputs, options);
    return Search(memo, options)();
}

}  // namespace ein::ia
