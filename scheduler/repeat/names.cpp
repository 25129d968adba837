#include "scheduler/repeat/names.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "lib/base/error.hpp"

namespace ein::scheduler {
namespace {

using schedule::FusionId;
using schedule::FusionSpec;
using schedule::Header;
using schedule::InputId;
using schedule::KernelId;
using schedule::TensorId;

/// Old and new names; none of the two is another's.
class NamePairs {
public:
    void add(std::string const& from, std::string const& to) {
        sound_ = sound_ && names_.try_emplace(from, to).first->second == to;
    }
    /// A name that is not there stays.
    std::string const& of(std::string const& name) const {
        auto const found = names_.find(name);
        return found == names_.end() ? name : found->second;
    }
    bool is_sound() const { return sound_; }

private:
    std::map<std::string, std::string> names_;
    bool sound_ = true;
};

/// Values and names some rounds on, and on either side.
class RoundNames {
public:
    RoundNames(graph::EinGraph const& graph, Period const& period, LeftOutRounds const& left_out)
        : graph_(graph), period_(period), left_out_(left_out), before_(period.before()) {
        note_values();
        note_nodes();
    }

    bool is_sound() const { return next.is_sound() && in_front.is_sound() && behind.is_sound(); }

    NamePairs next, in_front, behind;                                 // one round on; on each side
    std::vector<OptionalId<ValueId>> values_in_front, values_behind;  // by ValueId

private:
    using Steps = std::vector<ValueId>;  // by ValueId

    /// So many steps in one: doubled as often as their number has bits.
    static Steps repeated(Steps step, std::size_t times) {
        Steps all(step.size());
        for (std::size_t v = 0; v < all.size(); ++v) all[v] = ValueId(static_cast<std::int32_t>(v));
        auto const follow = [](Steps& first, Steps const& then) {
            for (ValueId& value : first) value = then[at(value)];
        };
        for (; times > 0; times /= 2) {
            if (times % 2 == 1) follow(all, step);
            Steps const once = step;
            follow(step, once);
        }
        return all;
    }

    /// Where values are after the rounds left out; nothing for those that come to an end before. A value of no round
    /// stays.
    std::vector<OptionalId<ValueId>> moved(Steps const& step) const {
        promise(left_out_.rounds > 0, "no rounds are left out");
        std::vector<OptionalId<ValueId>> out;
        Steps const all_but_one = repeated(step, left_out_.rounds - 1);
        for (std::size_t v = 0; v < step.size(); ++v) {
            ValueId const value{static_cast<std::int32_t>(v)}, before = all_but_one[v], last = step[at(before)];
            if (last != before)
                out.push_back(last);
            else
                out.push_back(before == value && is_of_no_round(value) ? OptionalId(value) : std::nullopt);
        }
        return out;
    }
    bool is_of_no_round(ValueId value) const { return period_.next[at(value)] == value && before_[at(value)] == value; }

    void note_values() {
        std::vector<bool> const is_behind = values_of_the_end();
        std::vector<OptionalId<ValueId>> const to_front = moved(before_), to_back = moved(period_.next);
        for (std::size_t v = 0; v < graph_.values.size(); ++v) {
            ValueId const value{static_cast<std::int32_t>(v)};
            values_in_front.push_back(is_behind[v] ? to_front[v] : OptionalId(value));
            values_behind.push_back(is_behind[v] ? OptionalId(value) : to_back[v]);
            std::string const& name = graph_.value(value).name;
            if (values_in_front.back()) in_front.add(name, graph_.value(*values_in_front.back()).name);
            if (values_behind.back()) behind.add(name, graph_.value(*values_behind.back()).name);
        }
        for (std::size_t v = 0; v < graph_.values.size(); ++v)
            if (at(period_.next[v]) != v) next.add(graph_.values[v].name, graph_.value(period_.next[v]).name);
    }

    /// What no node in front makes or reads.
    std::vector<bool> values_of_the_end() const {
        std::vector<bool> out(graph_.values.size(), true);
        for (std::size_t n = 0; n < left_out_.nodes.first; ++n) {
            graph::Node const& node = graph_.nodes[n];
            for (ValueId input : node.inputs) out[at(input)] = false;
            out[at(node.output)] = false;
        }
        return out;
    }

    void note_nodes() {
        auto const name = [&](std::size_t node) -> std::string const& { return graph_.nodes[node].name; };
        for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
            if (left_out_.nodes.has(n)) continue;
            bool const is_in_rounds = n >= period_.first && n < period_.end, is_behind = n >= left_out_.nodes.end();
            std::size_t const by = is_in_rounds ? left_out_.nodes.nodes : 0;
            in_front.add(name(n), name(is_behind ? n - by : n));
            behind.add(name(n), name(is_behind ? n : n + by));
        }
        for (std::size_t n = period_.first; n + period_.nodes < period_.end; ++n)
            next.add(name(n), name(n + period_.nodes));
    }

    graph::EinGraph const& graph_;
    Period const& period_;
    LeftOutRounds const& left_out_;
    std::vector<ValueId> before_;  // by ValueId: what is in its place in the round before; itself where nothing is
};

template <class Spec>
bool same_spec(Spec const& a, Spec const& b) {
    return a == b;
}
/// To the bit: -0 is not 0 here.
bool same_spec(schedule::FillSpec const& a, schedule::FillSpec const& b) {
    return a.node == b.node && scalar::same_bits(a.value, b.value);
}

template <class Spec>
Spec renamed(Spec spec, NamePairs const& names) {
    spec.node = names.of(spec.node);
    return spec;
}

class Entering {
public:
    Entering(Header& whole, Header const& from, graph::EinGraph const& graph, Period const& period,
             LeftOutRounds const& left_out, Partners& partners, ByTable<EntryUse>& use)
        : whole_(whole),
          from_(from),
          rounds_(left_out.rounds),
          names_(graph, period, left_out),
          partners_(partners),
          use_(use) {
        for (ValueId next : period.next) whole.next.of<TensorId>().push_back(next.value());
    }

    std::optional<WholeIds> run() && {
        enter_values();
        bool const entered = names_.is_sound() && spread_fusions() && follow<TensorId>() && follow<InputId>() &&
                             enter(from_.kernels, whole_.kernels) && enter(from_.movements, whole_.movements) &&
                             enter(from_.reshapes, whole_.reshapes) && enter(from_.fills, whole_.fills) &&
                             enter(from_.fusions, whole_.fusions);
        return entered ? std::optional(std::move(ids_)) : std::nullopt;
    }

private:
    void enter_values() {
        auto const number = [](OptionalId<ValueId> value) { return value ? (*value).value() : -1; };
        for (OptionalId<ValueId> value : names_.values_in_front) ids_.before.of<TensorId>().push_back(number(value));
        for (OptionalId<ValueId> value : names_.values_behind) ids_.behind.of<TensorId>().push_back(number(value));
        std::vector<std::int32_t> inputs(whole_.tensors.size(), -1);  // by TensorId
        for (InputId input : whole_.inputs.ids()) inputs[at(whole_.inputs[input].tensor)] = input.value();
        for (schedule::Input const& input : from_.inputs)
            for (auto* side : {&ids_.before, &ids_.behind}) {
                std::int32_t const tensor = side->of<TensorId>()[at(input.tensor)];
                side->of<InputId>().push_back(tensor < 0 ? -1 : inputs[at(tensor)]);
            }
        for (schedule::Input const& input : whole_.inputs)
            whole_.next.of<InputId>().push_back(inputs[at(whole_.next.next(input.tensor))]);
        for (schedule::OutputId output : from_.outputs.ids())
            for (auto* side : {&ids_.before, &ids_.behind}) side->of<schedule::OutputId>().push_back(output.value());
    }

    /// Kernels of fused groups are used where those are.
    bool spread_fusions() {
        use_.of<FusionId>().resize(from_.fusions.size());
        use_.of<KernelId>().resize(from_.kernels.size());
        for (FusionId fusion : from_.fusions.ids()) {
            EntryUse const& use = use_.of<FusionId>()[at(fusion)];
            FusionSpec const& spec = from_.fusions[fusion];
            for (FusionSpec::Member const& member : spec.members) {
                EntryUse& of_kernel = use_.of<KernelId>()[at(member.kernel)];
                of_kernel.before |= use.before, of_kernel.repeated |= use.repeated, of_kernel.behind |= use.behind;
            }
            FusionId const partner = partners_.before(fusion);
            if (!use.repeated || !from_.fusions.has(partner)) continue;
            FusionSpec const& other = from_.fusions[partner];
            if (other.members.size() != spec.members.size()) return false;
            for (std::size_t m = 0; m < spec.members.size(); ++m)
                if (!partners_.add(other.members[m].kernel, spec.members[m].kernel)) return false;
        }
        return true;
    }

    /// Whether all that is used is there, and what is repeated follows what is in its place in the round before.
    template <class IdType>
    bool follow() const {
        std::vector<EntryUse> const& use = use_.of<IdType>();
        std::vector<std::int32_t> const &ids = ids_.before.of<IdType>(), &behind = ids_.behind.of<IdType>();
        for (std::size_t id = 0; id < use.size(); ++id) {
            if ((use[id].before && ids[id] < 0) || (use[id].behind && behind[id] < 0)) return false;
            if (!use[id].repeated) continue;
            IdType const partner = partners_.before(IdType{static_cast<std::int32_t>(id)});
            if (partner.value() < 0 || ids[at(partner)] < 0 ||
                whole_.next.next(IdType{ids[at(partner)]}).value() != ids[id])
                return false;
        }
        return true;
    }

    /// A spec as it is in front, behind, and one round further than the whole graph's.
    template <class Spec>
    std::optional<Spec> in_front(Spec const& spec) const {
        return renamed(spec, names_.in_front);
    }
    template <class Spec>
    std::optional<Spec> behind(Spec const& spec) const {
        return renamed(spec, names_.behind);
    }
    template <class Spec>
    Spec next(Spec const& spec) const {
        return renamed(spec, names_.next);
    }
    std::optional<FusionSpec> in_front(FusionSpec const& spec) const { return with_ids(spec, ids_.before); }
    std::optional<FusionSpec> behind(FusionSpec const& spec) const { return with_ids(spec, ids_.behind); }
    FusionSpec next(FusionSpec spec) const {
        for (FusionSpec::Member& member : spec.members)
            member.kernel = whole_.next.next(member.kernel), member.tensor = whole_.next.next(member.tensor);
        return spec;
    }
    static std::optional<FusionSpec> with_ids(FusionSpec spec, ByTable<std::int32_t> const& ids) {
        for (FusionSpec::Member& member : spec.members) {
            member.kernel = KernelId{ids.of<KernelId>()[at(member.kernel)]};
            member.tensor = TensorId{ids.of<TensorId>()[at(member.tensor)]};
            if (member.kernel.value() < 0 || member.tensor.value() < 0) return std::nullopt;
        }
        return spec;
    }

    /// Each entry where it is used, and those of rounds that follow.
    template <class IdType, class Spec>
    bool enter(Table<IdType, Spec> const& from, Table<IdType, Spec>& to) {
        std::vector<EntryUse>& use = use_.of<IdType>();
        use.resize(from.size());
        std::vector<std::int32_t>&before = ids_.before.of<IdType>(), &after = ids_.behind.of<IdType>();
        before.assign(from.size(), -1), after.assign(from.size(), -1);
        schedule::Succession::List& next_ids = whole_.next.of<IdType>();
        auto const add = [&](Spec const& spec) {
            next_ids.push_back(static_cast<std::int32_t>(to.size()));
            return to.add(spec).value();
        };
        auto const follows = [&](std::int32_t id, std::int32_t next) {
            std::int32_t& known = next_ids[at(id)];
            if (known != id && known != next) return false;
            known = next;
            return true;
        };
        for (IdType id : from.ids()) {
            EntryUse const& used = use[at(id)];
            std::optional<Spec> const first = in_front(from[id]), last = behind(from[id]);
            if ((used.before && !first) || (used.behind && !last)) return false;
            if (used.before) before[at(id)] = add(*first);
            if (used.behind) after[at(id)] = used.before && same_spec(*first, *last) ? before[at(id)] : add(*last);
        }
        for (IdType id : from.ids()) {
            if (!use[at(id)].repeated) continue;
            IdType const partner = partners_.before(id);
            if (!from.has(partner) || before[at(partner)] < 0) return false;
            if (partner == id) continue;
            std::int32_t last = before[at(id)];
            Spec spec = to[IdType{last}];
            if (!same_spec(next(to[IdType{before[at(partner)]}]), spec) || !follows(before[at(partner)], last))
                return false;
            for (std::size_t round = 0; round < rounds_; ++round) {
                spec = next(spec);
                std::int32_t const added = add(spec);
                if (!follows(last, added)) return false;
                last = added;
            }
        }
        return true;
    }

    Header& whole_;
    Header const& from_;
    std::size_t rounds_;
    RoundNames names_;
    Partners& partners_;
    ByTable<EntryUse>& use_;
    WholeIds ids_;
};

}  // namespace

std::optional<WholeIds> enter_whole(Header& whole, Header const& of_lowered, graph::EinGraph const& graph,
                                    Period const& period, LeftOutRounds const& left_out, Partners partners,
                                    ByTable<EntryUse> use) {
    return Entering(whole, of_lowered, graph, period, left_out, partners, use).run();
}

}  // namespace ein::scheduler
