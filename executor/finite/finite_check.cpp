#include "executor/finite/finite_check.hpp"

#include <algorithm>
#include <optional>

#include "executor/finite/meant_numbers.hpp"
#include "lib/tensor/box_runs.hpp"
#include "lib/tensor/reshape_runs.hpp"

namespace ein::executor {

using schedule::Block;
using schedule::Section;
using schedule::TensorId;
using tensor::NonFinite;

namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 20;  // that one thread of a team looks at
constexpr std::int64_t most_parts = 4096;                  // of which ranks tell one another

NonFinite count(DType dtype, std::byte const* bytes, Extent elements, WorkerTeam& team) {
    std::size_t const size = size_of(dtype), all = static_cast<std::size_t>(elements), each = piece_bytes / size;
    if (all <= each) return tensor::count_non_finite(dtype, bytes, all);
    std::vector<NonFinite> found((all + each - 1) / each);
    team.run(static_cast<std::int64_t>(found.size()), [&](std::int64_t number) {
        std::size_t const piece = static_cast<std::size_t>(number), first = piece * each;
        found[piece] = tensor::count_non_finite(dtype, bytes + first * size, std::min(each, all - first));
    });
    NonFinite sum;
    for (NonFinite const& piece : found) sum += piece;
    return sum;
}

/// A region in the indices of a block.
Box within(BoxView const& block, Box region) {
    for (std::size_t axis = 0; axis < region.order(); ++axis) region.begin[axis] -= block.begin[axis];
    return region;
}

/// Points of the join for each element of the output.
double aggregated_by_each(graph::EinSum const& einsum) {
    double points = 1;
    for (std::size_t label = 0; label < einsum.extents.size(); ++label)
        if (std::find(einsum.output.begin(), einsum.output.end(), static_cast<int>(label)) == einsum.output.end())
            points *= static_cast<double>(einsum.extents[label]);
    return points;
}

}  // namespace

/// Counts what a task has written, and notes it, for each kind of task that makes something new.
struct FiniteCheck::AtResult {
    FiniteCheck& check;
    TaskId id;
    WorkerTeam& team;

    void operator()(schedule::Load const& load) const { whole(load.result); }
    void operator()(schedule::Fill const& fill) const { whole(fill.result); }
    void operator()(schedule::Apply const& call) const { kernel(call); }
    void operator()(schedule::Reduce const& reduce) const { kernel(call_of(reduce)); }
    void operator()(schedule::Copy const& copy) const {
        if (block(copy.from).tensor != block(copy.result).tensor) region(copy.result, copy.region.box());
    }
    void operator()(schedule::Reshape const& move) const {
        reshaped(move.reshape, check.section_.box_of(block(move.from)), move.result);
    }
    void operator()(schedule::Unpack const& move) const { reshaped(move.reshape, move.packed.box(), move.result); }

    void operator()(schedule::Fused const&) const {}  // taken apart before
    void operator()(schedule::Pack const&) const {}   // counted where it is unpacked
    void operator()(schedule::Send const&) const {}
    void operator()(schedule::Receive const&) const {}
    void operator()(schedule::Store const&) const {}
    void operator()(schedule::Spill const&) const {}
    void operator()(schedule::Fetch const&) const {}
    void operator()(schedule::Iterate const&) const {}
    void operator()(schedule::Assemble const&) const {}
    void operator()(schedule::Relocate const& task) const { region(task.result, task.region.box()); }
    void operator()(schedule::Refold const& task) const { whole(task.result); }

private:
    Block const& block(BlockId of) const { return check.section_.blocks[of]; }

    void kernel(schedule::Apply const& call) const {
        Made const& made = check.made_[call.result];
        if (made.is_partial || !check.is_last_call(call.result)) return;
        for (Box const& part : made.parts) region(call.result, part);
    }
    void whole(BlockId result) const { region(result, check.section_.box_of(block(result))); }
    void region(BlockId result, Box const& part) const {
        if (block(result).is_listed()) return listed(result, part);
        BoxView const box = check.section_.view_of(block(result));
        runs(result, part, [&](auto const& look) {
            tensor::for_each_run(Shape(box.length.begin(), box.length.end()), within(box, part),
                                 [&](tensor::Run const& run) { look(run.in_array, run.count); });
        });
    }
    /// What a sparse block lists lies together, behind the coordinates.
    void listed(BlockId result, Box const& part) const {
        schedule::SparseBlock const sparse = check.section_.sparse(block(result));
        DType const dtype = block(result).dtype;
        Extent const count = tensor::listed_in(check.storage_.in_host(result, HostUse::read));
        std::size_t const values =
            tensor::sparse_offsets(sparse.layout(), sparse.box.length, dtype, count).values / size_of(dtype);
        runs(result, part, [&](auto const& look) { look(static_cast<Extent>(values), count); });
    }
    void reshaped(schedule::ReshapeId id_of_spec, Box const& from, BlockId result) const {
        schedule::ReshapeSpec const& spec = check.header_.reshapes[id_of_spec];
        runs(result, from, [&](auto const& look) {
            tensor::for_each_shared_run(spec.from, from, spec.to, check.section_.box_of(block(result)),
                                        [&](Extent, Extent at, Extent elements) { look(at, elements); });
        });
    }

    /// @param part  that they are of  @param for_each  calls look(first, elements) for runs of the block's elements
    template <class ForEach>
    void runs(BlockId result, Box const& part, ForEach const& for_each) const {
        DType const dtype = block(result).dtype;
        if (is_exact(dtype)) return;
        std::optional<MutexLock> alone;
        if (check.looks_ == Looks::one_by_one) alone.emplace(check.one_looks_);
        std::byte const* const bytes = check.storage_.in_host(result, HostUse::read).data();
        NonFinite found;
        for_each([&](Extent first, Extent elements) {
            found += count(dtype, bytes + static_cast<std::size_t>(first) * size_of(dtype), elements, team);
        });
        check.note(id, result, part, found);
    }
};

FiniteCheck::FiniteCheck(schedule::Header const& header, Section const& section, BlockStorage& storage, Looks looks,
                         std::function<std::int64_t(schedule::LoopId)> iteration)
    : header_(header),
      section_(section),
      storage_(storage),
      iteration_(std::move(iteration)),
      looks_(looks),
      made_(section.blocks.size()),
      calls_left_(section.blocks.size()),
      parts_left_(most_parts) {
    note_calls();
    note_partial_results();
}

void FiniteCheck::note_calls() {
    for (schedule::Task const& task : section_.tasks) {
        std::optional<schedule::Apply> const call = section_.kernel_call(task);
        if (!call) continue;
        Made& made = made_[call->result];
        ++made.calls;
        Box part = projected(call->region, header_.kernels[call->kernel].einsum.output);
        if (std::find(made.parts.begin(), made.parts.end(), part) == made.parts.end())
            made.parts.push_back(std::move(part));
    }
    for (BlockId block : made_.ids()) calls_left_[at(block)] = made_[block].calls;
}

/// Blocks to which nothing but applies contribute, and they not all that is aggregated: somebody combines them.
void FiniteCheck::note_partial_results() {
    Table<BlockId, double> points(section_.blocks.size(), 0.0), all(section_.blocks.size(), 0.0);
    for (schedule::Task const& task : section_.tasks) {
        OptionalId<BlockId> const result = task.result();
        if (!result) continue;
        if (!task.is<schedule::Apply>()) {
            all[*result] = -1;
            continue;
        }
        schedule::Apply const call = section_.as<schedule::Apply>(task);
        graph::EinSum const& einsum = header_.kernels[call.kernel].einsum;
        points[*result] += static_cast<double>(call.region.elements());
        if (all[*result] == 0) all[*result] = aggregated_by_each(einsum);
    }
    for (BlockId block : made_.ids()) {
        double elements = 0;
        for (Box const& part : made_[block].parts) elements += static_cast<double>(part.elements());
        made_[block].is_partial = points[block] < all[block] * elements;
    }
}

bool FiniteCheck::is_last_call(BlockId block) {
    std::atomic<std::int32_t>& left = calls_left_[at(block)];
    if (--left > 0) return false;
    left = made_[block].calls;
    return true;
}

void FiniteCheck::look(TaskId task, WorkerTeam& team) {
    if (!stopped_) section_.visit(section_.tasks[task], AtResult{*this, task, team});
}

void FiniteCheck::note(TaskId task, BlockId block, Box const& part, NonFinite const& found) {
    if (!found.any()) return;
    Moment const now = moment_of(task);
    MutexLock const lock(mutex_);
    Kinds& kinds = seen_[section_.blocks[block].tensor];
    Box const& known = --parts_left_ >= 0 ? part : Box();
    bool const nan = kinds.nan.add(known, found.nan, now), infinite = kinds.infinite.add(known, found.infinite, now);
    if (nan || infinite) news_.insert(section_.blocks[block].tensor);
}

/// Inner loops come before outer ones.
Moment FiniteCheck::moment_of(TaskId task) const {
    Moment out;
    for (schedule::LoopId l : section_.loops.ids())
        if (section_.loops[l].contains(task)) out.insert(out.begin(), {section_.loops[l].spec, iteration_(l)});
    return out;
}

namespace {

bool aggregates_nothing(graph::EinSum const& einsum, BoxView const& region) {
    for (std::size_t label = 0; label < region.order(); ++label)
        if (region.length[label] == 0 &&
            std::find(einsum.output.begin(), einsum.output.end(), static_cast<int>(label)) == einsum.output.end())
            return true;
    return false;
}

/// How the tensors that were seen are made: adds kernels, inputs and meant numbers.
class Makers {
public:
    Makers(schedule::Header const& header, Section const& section, scalar::Params const& params)
        : header_(header), section_(section), params_(params) {}

    void describe(std::vector<SeenTensor>& seen) const {
        std::map<TensorId, SeenTensor*> wanted;
        for (SeenTensor& tensor : seen) wanted[tensor.tensor] = &tensor;
        std::set<std::pair<TensorId, schedule::KernelId>> known;
        for (schedule::Task const& task : section_.tasks) {
            std::optional<schedule::Apply> const call = section_.kernel_call(task);
            if (!call) continue;
            TensorId const made = section_.blocks[call->result].tensor;
            auto const found = wanted.find(made);
            if (found == wanted.end()) continue;
            add_call(*call, *found->second, known.insert({made, call->kernel}).second);
        }
    }

private:
    void add_call(schedule::Apply const& call, SeenTensor& out, bool is_new) const {
        graph::EinSum const& einsum = header_.kernels[call.kernel].einsum;
        if (aggregates_nothing(einsum, call.region)) out.means_nan = out.means_infinite = true;
        for (BlockId operand : call.operands) {
            TensorId const input = section_.blocks[operand].tensor;
            bool const known = std::find(out.inputs.begin(), out.inputs.end(), input) != out.inputs.end();
            if (!known && input != out.tensor) out.inputs.push_back(input);
        }
        if (!is_new) return;
        if (!out.kernel || call.kernel < *out.kernel) out.kernel = call.kernel;
        NonFinite const meant = meant_numbers(einsum.join, params_);
        out.means_nan = out.means_nan || meant.nan != 0;
        out.means_infinite = out.means_infinite || meant.infinite != 0;
    }

    schedule::Header const& header_;
    Section const& section_;
    scalar::Params const& params_;
};

}  // namespace

SeenNonFinite FiniteCheck::seen(scalar::Params const& params) const {
    std::vector<SeenTensor> tensors;
    {
        MutexLock const lock(mutex_);
        for (auto const& [tensor, kinds] : seen_) tensors.push_back({tensor, kinds.nan, kinds.infinite});
    }
    return described(std::move(tensors), params);
}

SeenNonFinite FiniteCheck::news(scalar::Params const& params) {
    std::vector<SeenTensor> tensors;
    {
        MutexLock const lock(mutex_);
        if (news_.empty()) return {};
        for (TensorId tensor : news_) tensors.push_back({tensor, seen_[tensor].nan, seen_[tensor].infinite});
        news_.clear();
    }
    return described(std::move(tensors), params);
}

SeenNonFinite FiniteCheck::described(std::vector<SeenTensor> tensors, scalar::Params const& params) const {
    Makers(header_, section_, params).describe(tensors);
    return {std::move(tensors), carries()};
}

std::vector<CarriedTensor> FiniteCheck::carries() const {
    std::vector<CarriedTensor> out;
    for (schedule::Loop const& loop : section_.loops)
        for (schedule::Loop::Carry const& carry : loop.carries) {
            CarriedTensor const carried{loop.spec, section_.blocks[carry.inside].tensor,
                                        section_.blocks[carry.next].tensor};
            if (std::find(out.begin(), out.end(), carried) == out.end()) out.push_back(carried);
        }
    return out;
}

}  // namespace ein::executor
