#include "scheduler/lower/alike_nodes.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "lib/base/hash.hpp"
#include "lib/base/threads/parallel.hpp"
#include "lib/schedule/model/section.hpp"
#include "scheduler/tuning.hpp"

namespace ein::scheduler {
namespace {

using schedule::Overloaded;
using schedule::TensorId;

/// Two hashes in one pass: where both are equal the numbers are.
std::pair<std::uint64_t, std::uint64_t> hashes_of(std::vector<Extent> const& numbers) {
    std::uint64_t one = numbers.size(), other = ~one;
    for (Extent number : numbers) {
        std::uint64_t const word = mix64(static_cast<std::uint64_t>(number) + 0x9e3779b97f4a7c15u);
        one = (one ^ word) * 0x9fb21c651e98df25u;
        other = std::rotl(other, 23) * 0xd1342543de82ef95u + word;
    }
    return {mix64(one), mix64(other)};
}

void append(std::vector<Extent>& numbers, std::vector<Extent> const& list) {
    numbers.push_back(static_cast<Extent>(list.size()));
    numbers.insert(numbers.end(), list.begin(), list.end());
}

void append(std::vector<Extent>& numbers, std::vector<Rank> const& list) {
    numbers.push_back(static_cast<Extent>(list.size()));
    for (Rank rank : list) numbers.push_back(rank.value());
}

/// Which of a list's elements are equal: of each the number of the first like it.
template <class Element>
void append_pattern(std::vector<Extent>& numbers, std::vector<Element> const& list) {
    for (Element const& element : list) numbers.push_back(std::find(list.begin(), list.end(), element) - list.begin());
}

}  // namespace

std::int64_t AlikeNodes::Lowered::tasks() const {
    std::int64_t out = 0;
    for (std::size_t rank = 0; rank < first.size(); ++rank) out += last[rank].tasks.value() - first[rank].tasks.value();
    return out;
}

AlikeNodes::AlikeNodes(LoweringContext& context) : context_(context) {
    for (std::uint64_t outline : context.outlines) ++of_outline_[outline].left;
    for (std::uint64_t outline : context.outlines) once_.push_back(of_outline_[outline].left == 1);
    for (std::size_t node = 0; node < context.graph.nodes.size(); ++node)
        like_.emplace_back(static_cast<std::int32_t>(node));
}

void AlikeNodes::lower(NodeId id, std::vector<ValueId> const& last_read, std::function<void()> const& lower) {
    bool const is_last = --of_outline(id).left == 0;
    if (!may_be_alike(id)) return lower();
    State state = state_of(id, last_read);
    std::vector<Extent> const numbers = std::move(state.directory.numbers);
    auto const [key, check] = hashes_of(numbers);
    if (Place const found = find(id, key, check, state); found != kept_.end()) {
        repeat(*found, state, id) ? void(like_[at(id)] = found->node) : lower();
        kept_.splice(kept_.begin(), kept_, found);
    } else if (is_last) {
        lower();
    } else {
        lower_and_keep({id, key, check, std::move(state), ends(), {}, {}, {}}, last_read, lower);
    }
    if (is_last) forget_cut_like(id);
}

void AlikeNodes::pass_over(NodeId id) {
    if (--of_outline(id).left == 0) forget_cut_like(id);
}

void AlikeNodes::settle_on(NodeId last, std::size_t count) {
    auto const end = like_.begin() + last.value() + 1;
    std::set<NodeId> const wanted(end - static_cast<std::ptrdiff_t>(count), end);
    for (Place kept = kept_.begin(); kept != kept_.end();)
        kept = wanted.contains(kept->node) ? std::next(kept) : forget(kept);
}

/// Sparse values, loops and shardings have more that decides.
bool AlikeNodes::may_be_alike(NodeId id) const {
    graph::Node const& node = context_.graph.node(id);
    if (once_[at(id)] || context_.has_sparse || node.loop != -1 || node.sharding || node.replicated) return false;
    if (context_.carried.insides.contains(node.output) || context_.carried.by_result.contains(node.output))
        return false;
    return std::all_of(node.inputs.begin(), node.inputs.end(),
                       [&](ValueId input) { return !context_.mover.is_in_loop(input); });
}

void AlikeNodes::describe_plan(NodeId id, std::vector<Extent>& numbers) const {
    relation::NodePlan const& plan = context_.plan.node(id);
    append(numbers, plan.parts);
    append(numbers, plan.ranks);
    append(numbers, context_.options.decided.empty() ? std::vector<Rank>{} : context_.options.decided[at(id)]);
}

AlikeNodes::State AlikeNodes::state_of(NodeId id, std::vector<ValueId> const& last_read) const {
    graph::Node const& node = context_.graph.node(id);
    State out;
    std::vector<Extent>& numbers = out.directory.numbers;
    describe_plan(id, numbers);
    numbers.push_back(static_cast<Extent>(operation_hash(node)));  // thousands may differ in a constant alone
    append_pattern(numbers, node.inputs);
    for (ValueId value : node.inputs)
        if (std::find(out.values.begin(), out.values.end(), value) == out.values.end()) out.values.push_back(value);
    out.values.push_back(node.output);
    out.names.push_back(node.name);
    for (ValueId value : out.values) {
        out.names.push_back(context_.value(value).name);
        out.last_read.push_back(std::find(last_read.begin(), last_read.end(), value) != last_read.end());
        numbers.push_back(static_cast<Extent>(context_.value(value).dtype));
        append(numbers, context_.value(value).shape);
        append(numbers, context_.parts[at(value)].made);
        append(numbers, context_.parts[at(value)].wanted);
        append(numbers, context_.pipelined[at(value)]);
        context_.directory.describe(value, out.directory);
    }
    append_pattern(numbers, out.names);
    return out;
}

/// Whether all that is asked for after `now` was noted in the state before: copies of what is read later.
bool AlikeNodes::notes_all_of(State const& before, State const& now) {
    for (std::size_t v = 0; v < before.last_read.size(); ++v)
        if (before.last_read[v] && !now.last_read[v]) return false;
    return true;
}

AlikeNodes::Place AlikeNodes::find(NodeId id, Key key, Key check, State const& state) {
    auto const [begin, end] = places_.equal_range(key);
    for (auto at = begin; at != end; ++at) {
        Lowered const& known = *at->second;
        if (known.check == check && notes_all_of(known.state, state) &&
            same_operation(context_.graph.node(known.node), context_.graph.node(id)))
            return at->second;
    }
    return kept_.end();
}

std::vector<SectionEnds> AlikeNodes::ends() const {
    std::vector<SectionEnds> out;
    for (int rank = 0; rank < context_.plan.ranks; ++rank) out.push_back(context_.emit.ends(Rank{rank}));
    return out;
}

void AlikeNodes::lower_and_keep(Lowered made, std::vector<ValueId> const& last_read,
                                std::function<void()> const& lower) {
    context_.tables.note_in(made.entries);
    context_.directory.note_in(made.directory, last_read);
    lower();
    context_.tables.stop_noting();
    context_.directory.stop_noting();
    made.directory.shrink_to_fit();  // it grew by doubling
    made.last = ends();
    weight_ += made.weight();
    ++of_outline(made.node).kept;
    kept_.push_front(std::move(made));
    places_.emplace(kept_.front().key, kept_.begin());
    while (weight_ > std::max(tuning::least_kept, tuning::kept_a_rank * kept_.front().first.size()) && kept_.size() > 1)
        forget(std::prev(kept_.end()));
}

AlikeNodes::Place AlikeNodes::forget(Place kept) {
    auto const [begin, end] = places_.equal_range(kept->key);
    places_.erase(std::find_if(begin, end, [&](auto const& each) { return each.second == kept; }));
    weight_ -= kept->weight();
    --of_outline(kept->node).kept;
    return kept_.erase(kept);
}

/// Nodes that no later one can be alike.
void AlikeNodes::forget_cut_like(NodeId id) {
    OfOutline const& alike = of_outline(id);
    for (Place kept = kept_.begin(); alike.kept > 0;)
        kept = &of_outline(kept->node) == &alike ? forget(kept) : std::next(kept);
}

/// By rank; nothing where one block in the one state is two in the other.
std::optional<std::vector<BlockNames>> AlikeNodes::block_names(State const& from, State const& to) const {
    std::vector<BlockNames> out(static_cast<std::size_t>(context_.plan.ranks));
    for (std::size_t k = 0; k < from.directory.places.size(); ++k)
        out[at(from.directory.places[k].rank)].add(from.directory.places[k].block, to.directory.places[k].block);
    for (BlockNames& names : out)
        if (!names.sort() || !names.are_distinct()) return std::nullopt;
    return out;
}

/// Enters in the header's tables what the node needs there.
Renaming AlikeNodes::enter(Lowered const& as, State const& state) {
    Renaming out;
    for (std::size_t v = 0; v < state.values.size(); ++v) {
        out.tensors.add(TensorId{as.state.values[v].value()}, TensorId{state.values[v].value()});
        auto const input = context_.directory.input_of(as.state.values[v]);
        if (input) out.inputs.add(*input, *context_.directory.input_of(state.values[v]));
    }
    auto const named = [&](std::string const& name) {
        auto const role = std::find(as.state.names.begin(), as.state.names.end(), name) - as.state.names.begin();
        return state.names.at(static_cast<std::size_t>(role));
    };
    auto const again = [&](auto spec) {
        spec.node = named(spec.node);
        return spec;
    };
    Tables& tables = context_.tables;
    for (TableEntry const& entry : as.entries)
        std::visit(Overloaded{[&](schedule::Kernel const& kernel) {
                                  out.kernels.add(schedule::KernelId{entry.id}, tables.kernel(again(kernel)));
                              },
                              [&](schedule::Movement const& movement) {
                                  out.movements.add(schedule::MovementId{entry.id}, tables.movement(again(movement)));
                              },
                              [&](schedule::ReshapeSpec const& reshape) {
                                  out.reshapes.add(schedule::ReshapeId{entry.id}, tables.reshape(again(reshape)));
                              },
                              [&](schedule::FillSpec const& fill) {
                                  out.fills.add(schedule::FillId{entry.id}, tables.fill(again(fill)));
                              },
                              [&](TableEntry::Identity const& identity) {
                                  out.movements.add(schedule::MovementId{entry.id},
                                                    tables.identity_movement(named(identity.node), identity.order));
                              }},
                   entry.what);
    out.tensors.sort(), out.inputs.sort(), out.kernels.sort();
    out.movements.sort(), out.reshapes.sort(), out.fills.sort();
    return out;
}

/// @return false where blocks that are one there are several here, or the other way round, and nothing was done
bool AlikeNodes::repeat(Lowered const& as, State const& state, NodeId id) {
    auto const blocks = block_names(as.state, state);
    if (!blocks) return false;
    std::vector<SectionEnds> const now = ends();
    Renaming const names = enter(as, state);
    auto const repeat_on = [&](std::size_t rank) {
        context_.emit.repeat(Rank{static_cast<int>(rank)}, as.first[rank], as.last[rank], names, (*blocks)[rank]);
        return 0;
    };
    if (as.tasks() >= tuning::repeated_in_parallel)
        for_each_in_parallel(now.size(), repeat_on);
    else
        for (std::size_t rank = 0; rank < now.size(); ++rank) repeat_on(rank);
    auto const renamed = [&](Holding holding) {
        BlockId const first = as.first[at(holding.rank)].blocks;
        holding.block = holding.block < first
                            ? (*blocks)[at(holding.rank)].of(holding.block)
                            : BlockId{holding.block.value() - first.value() + now[at(holding.rank)].blocks.value()};
        return holding;
    };
    BlockDirectory& directory = context_.directory;
    for (DirectoryEntry const& entry : as.directory) {
        ValueId const value{names.tensors.of(TensorId{entry.value.value()}).value()};
        std::visit(
            Overloaded{
                [&](DirectoryEntry::Recut const& recut) { directory.recut(value, *recut.cut); },
                [&](DirectoryEntry::Put const& put) { directory.put(value, put.index, renamed(put.holding)); },
                [&](DirectoryEntry::Copy const& copy) { directory.remember(value, copy.box, renamed(copy.holding)); }},
            entry.what);
    }
    context_.placement.follow(id, as.node);
    context_.traffic.follow(id, as.node);
    return true;
}

}  // namespace ein::scheduler
