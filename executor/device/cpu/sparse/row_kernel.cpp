#include "executor/device/cpu/sparse/row_kernel.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

#include "executor/device/cpu/loops/tile_convert.hpp"
#include "executor/device/cpu/sparse/listed_output.hpp"
#include "executor/device/cpu/sparse/point_walk.hpp"
#include "executor/device/cpu/sparse/row_pieces.hpp"
#include "executor/device/reference/element.hpp"
#include "lib/base/partition.hpp"
#include "lib/graph/labels.hpp"

namespace ein::executor {
namespace {

enum class Cut { rows, label, shares, none };

std::size_t at(int label) { return static_cast<std::size_t>(label); }

/// Of rows: where nothing is aggregated, values stay as they are.
std::optional<Aggregator> row_aggregator(graph::EinSum const& einsum, DType type) {
    if (einsum.aggregated().empty()) return Aggregator::make(scalar::Agg::sum, type);
    return Aggregator::make(einsum.agg, type, ExactTotals::of_vector_tiles);
}

class RowKernel final : public PreparedKernel {
public:
    RowKernel(KernelShape const& shape, SparsePlan plan, KernelTypes const& types, Aggregator aggregator,
              Aggregator of_partials, scalar::Params const& params, std::unique_ptr<PreparedKernel const> unmerged)
        : shape_(shape),
          einsum_(shape.kernel->einsum),
          types_(types),
          join_(shape, types, params),
          walk_(shape, std::move(plan)),
          aggregator_(std::move(aggregator)),
          of_partials_(std::move(of_partials)),
          unmerged_(std::move(unmerged)),
          sparse_output_(shape.sparse->output.has_value()) {
        store_element(value_without_contributions(shape, types, params), untouched_,
                      scalar::own_register_dtype(types.accumulate));
        if (!sparse_output_) {
            std::vector<Extent> const strides =
                label_strides(einsum_.output, shape.output_strides, shape.lengths.size());
            for (Extent stride : strides)
                output_strides_.push_back(stride * static_cast<Extent>(size_of(shape.output_dtype)));
        }
        choose_cut();
    }

    void launch(KernelCall const& call, WorkerTeam& team) const override {
        std::vector<SparseSource> sources;
        for (SparsePlan::Source const& source : walk_.plan.sources)
            sources.emplace_back(shape_, source, call.operands[source.operand]);
        if (unmerged_ && !can_merge(sources)) return unmerged_->launch(call, team);
        if (!sparse_output_ && element_count(einsum_output_lengths()) == 0) return;
        Launch now{call, team, sources, {}, {}, {}};
        if (reads_nothing()) {
            now.bounds = {0, cut_ == Cut::rows ? shape_.lengths[at(walk_.plan.row)] : 1};
            if (!sparse_output_) write_untouched(now);
        } else {
            cut(now);
            if (cut_ == Cut::shares && now.pieces() > 1)
                run_shares(now);
            else
                run_pieces(now);
        }
        if (sparse_output_) write_listed(now.listed, shape_, call, of_partials_, types_.accumulate);
    }

private:
    struct Launch {
        KernelCall const& call;
        WorkerTeam& team;
        std::span<SparseSource const> sources;
        std::vector<Extent> bounds;  // of pieces, of whatever is cut
        std::vector<tensor::ListedElements> listed;
        std::vector<std::byte> partials;
        std::int64_t pieces() const { return static_cast<std::int64_t>(bounds.size()) - 1; }
    };

    Shape einsum_output_lengths() const {
        Shape lengths;
        for (int label : einsum_.output) lengths.push_back(shape_.lengths[at(label)]);
        return lengths;
    }

    bool reads_nothing() const {
        return std::any_of(shape_.lengths.begin(), shape_.lengths.end(), [](Extent length) { return length == 0; });
    }

    void choose_cut() {
        cut_label_ = walk_.plan.row;
        if (cut_label_ != SparsePlan::none) return;
        auto const is_free = [&](int label) {
            return label == walk_.plan.inner ||
                   std::all_of(walk_.plan.terms.begin(), walk_.plan.terms.end(),
                               [&](auto const& term) { return graph::has_label(term.counted, label); });
        };
        cut_ = Cut::none;
        for (int label : einsum_.output)
            if (is_free(label) &&
                (cut_label_ == SparsePlan::none || shape_.lengths[at(label)] > shape_.lengths[at(cut_label_)]))
                cut_label_ = label;
        if (cut_label_ != SparsePlan::none)
            cut_ = Cut::label;
        else if (!sparse_output_ && join_.aggregates && (!shape_.keeps_order || walk_.sums_whole_operands) &&
                 element_count(einsum_output_lengths()) <= sparse_tuning::most_partial_outputs)
            cut_ = Cut::shares;
    }

    /// What a piece is about, and its accumulators' keys.
    WalkRegion region(Extent first, Extent last) const {
        WalkRegion out{std::vector<Extent>(shape_.lengths.size(), 0), shape_.lengths, {}, 1, 1};
        if (cut_ == Cut::label) {
            out.first[at(cut_label_)] = first;
            out.length[at(cut_label_)] = last - first;
        }
        Shape lengths;
        for (std::size_t label : walk_.key_labels) lengths.push_back(out.length[label]);
        out.key_strides = row_major_strides(lengths);
        out.keys = static_cast<std::uint64_t>(element_count(lengths));
        if (walk_.inner_in_output) out.run = static_cast<std::size_t>(out.length[at(walk_.plan.inner)]);
        return out;
    }

    std::uint64_t points_an_element(SparsePlan::Term const& term, std::span<SparseSource const> sources) const {
        double points = walk_.plan.inner == SparsePlan::none
                            ? 1
                            : std::max(1.0, static_cast<double>(shape_.lengths[at(walk_.plan.inner)]) / 8);
        for (int label : term.counted) points *= static_cast<double>(shape_.lengths[at(label)]);
        for (std::size_t level = 1; level < term.steps.size(); ++level) {
            SparseSource const& source = sources[term.steps[level].source];
            double bound = 1;
            for (std::size_t place = 0; place < term.steps[level].bound; ++place)
                bound *= static_cast<double>(shape_.lengths[at(source.labels()[place])]);
            points *= std::max(0.1, static_cast<double>(source.all().end - source.all().begin) / bound);
        }
        return static_cast<std::uint64_t>(std::clamp(points, 1.0, 1e9));
    }

    /// Not where some of the operands decide and list far less than others, which are looked up then.
    bool can_merge(std::span<SparseSource const> sources) const {
        auto const listed = [&](std::uint32_t set) {
            std::size_t count = 0;
            for (std::size_t s = 0; s < sources.size(); ++s)
                if ((set >> s & 1) != 0) count += sources[s].all().end - sources[s].all().begin;
            return count;
        };
        if (listed(~std::uint32_t{0}) >= MergedRows::nowhere) return false;
        return shape_.keeps_order || std::none_of(walk_.sets.begin(), walk_.sets.end(), [&](std::uint32_t set) {
                   return listed(set) < listed(~std::uint32_t{0}) / sparse_tuning::merged_a_point;
               });
    }

    bool merges() const { return !walk_.plan.merged.empty(); }

    void cut(Launch& now) const {
        if (cut_ == Cut::rows || merges()) return cut_rows(now);
        Extent length = 1, pieces = 1;
        if (cut_ == Cut::label) {
            length = shape_.lengths[at(cut_label_)];
            pieces = length / sparse_tuning::outputs_of_a_piece;
        } else if (cut_ == Cut::shares) {
            std::uint64_t elements = 0;
            for (SparsePlan::Term const& term : walk_.plan.terms) {
                SparseSource::Range const all = now.sources[term.steps[0].source].all();
                elements += (all.end - all.begin) * points_an_element(term, now.sources);
            }
            length = pieces = static_cast<Extent>(elements / sparse_tuning::elements_of_a_partial);
        }
        pieces = std::clamp<Extent>(pieces, 1, sparse_tuning::most_pieces);
        if (cut_ != Cut::label) length = pieces;
        for (std::int64_t piece = 0; piece <= pieces; ++piece) now.bounds.push_back(part_begin(length, pieces, piece));
    }

    void cut_rows(Launch& now) const {
        Extent const rows = shape_.lengths[at(merges() ? walk_.plan.merged[0] : walk_.plan.row)];
        std::vector<std::uint64_t> weights;
        for (SparsePlan::Term const& term : walk_.plan.terms) weights.push_back(points_an_element(term, now.sources));
        auto const weight = [&](Extent row) {  // of all rows before
            auto sum = static_cast<std::uint64_t>(row);
            for (std::size_t t = 0; t < weights.size(); ++t) {
                SparseSource const& source = now.sources[walk_.plan.terms[t].steps[0].source];
                sum += (source.before(row) - source.all().begin) * weights[t];
            }
            return sum;
        };
        now.bounds = executor::cut_rows(rows, weight, sparse_tuning::points_of_a_piece);
    }

    void run_pieces(Launch& now) const {
        now.listed.resize(sparse_output_ ? static_cast<std::size_t>(now.pieces()) : 0);
        for (tensor::ListedElements& listed : now.listed) listed.coords.resize(einsum_.output.size());
        now.team.run(now.pieces(), [&](std::int64_t piece) {
            auto const p = static_cast<std::size_t>(piece);
            run_piece(now, now.bounds[p], now.bounds[p + 1], sparse_output_ ? &now.listed[p] : nullptr);
        });
    }

    void run_piece(Launch const& now, Extent first, Extent last, tensor::ListedElements* listed) const {
        if (first == last) return;
        WalkRegion const part = region(first, last);
        bool const direct = !sparse_output_ || part.keys <= sparse_tuning::direct_slots / part.run;
        // Rows that are short share their accumulators' keys.
        Extent together = 1;
        if (cut_ == Cut::rows && direct)
            together = std::clamp<Extent>(1024 / static_cast<Extent>(part.keys * part.run), 1, last - first);
        Slots slots(aggregator_, part.keys * static_cast<std::uint64_t>(together), part.run, direct, join_.tile);
        PointWalk walk(walk_, now.sources, now.call, part, join_, slots, now.team);
        ResultStore store(of_partials_, types_.accumulate, shape_.output_dtype, shape_.accumulate && !sparse_output_);
        if (cut_ != Cut::rows) {
            merges() ? walk.walk_merged_rows(first, last) : walk.walk(0, 0);
            walk.flush();
            hand_out(now, part, slots, store, 0, 1, listed);
            return;
        }
        bool const only_listed = sparse_output_ || (shape_.accumulate && join_.aggregates);
        for (Extent row = first; row < last;) {
            if (only_listed) row = next_row(now, row);
            if (row >= last) break;
            Extent const end = std::min(last, row + together);
            walk.walk_rows(row, end);
            walk.flush();
            hand_out(now, part, slots, store, row, end - row, listed);
            row = end;
        }
    }

    /// The first row from here on that something lists.
    Extent next_row(Launch const& now, Extent row) const {
        Extent next = shape_.lengths[at(walk_.plan.row)];
        for (SparsePlan::Term const& term : walk_.plan.terms) {
            SparseSource const& source = now.sources[term.steps[0].source];
            std::size_t const e = source.before(row);
            if (source.compressed() && !source.row(row).empty()) return row;
            if (e < source.all().end) next = std::min(next, source.first_index(e));
        }
        return next;
    }

    /// Results of rows to the output; then nothing is met.
    void hand_out(Launch const& now, WalkRegion const& part, Slots& slots, ResultStore& store, Extent row, Extent rows,
                  tensor::ListedElements* listed) const {
        std::vector<Extent> index(part.first);
        auto const decode = [&](std::uint64_t key) {
            if (walk_.plan.row != SparsePlan::none)
                index[at(walk_.plan.row)] = row + static_cast<Extent>(key / part.keys);
            auto rest = static_cast<Extent>(key % part.keys);
            for (std::size_t k = 0; k < walk_.key_labels.size(); ++k) {
                std::size_t const label = walk_.key_labels[k];
                index[label] = part.first[label] + rest / part.key_strides[k];
                rest %= part.key_strides[k];
            }
        };
        if (listed != nullptr) {
            for (std::uint64_t key : slots.met_keys()) {
                decode(key);
                list(part, slots, store, key, index, *listed);
            }
        } else if (part.keys > 0 && part.run > 0) {
            EvenOutputs const outputs = even_outputs(walk_, part, rows, output_strides_);
            for (std::uint64_t key = 0; key < part.keys * static_cast<std::uint64_t>(rows); key += outputs.keys) {
                decode(key);
                store_keys(part, slots, store, key, outputs, output_at(now, index));
            }
        }
        slots.clear();
    }

    /// Those that were met, and those that were not, as many as there are side by side.
    void store_keys(WalkRegion const& part, Slots& slots, ResultStore& store, std::uint64_t key,
                    EvenOutputs const& outputs, std::byte* to) const {
        Extent const step = outputs.step * static_cast<Extent>(part.run);
        std::uint64_t const end = key + outputs.keys;
        for (std::uint64_t first = key, last = key; first < end; first = last) {
            bool const met = slots.is_met(first);
            for (++last; last < end && slots.is_met(last) == met;) ++last;
            std::byte* const out = to + static_cast<Extent>(first - key) * step;
            std::size_t const count = static_cast<std::size_t>(last - first) * part.run;
            if (met)
                store_run(slots, slots.slot_of(first), count, store, out, outputs.step);
            else if (!shape_.accumulate || !join_.aggregates)
                store_untouched(store, out, outputs.step, count);
        }
    }

    std::byte* output_at(Launch const& now, std::vector<Extent> const& index) const {
        Extent offset = 0;
        for (int label : einsum_.output) offset += index[at(label)] * output_strides_[at(label)];
        return static_cast<std::byte*>(now.call.output) + offset;
    }

    void store_run(Slots& slots, std::size_t slot, std::size_t count, ResultStore& store, std::byte* to,
                   Extent stride) const {
        for (std::size_t done = 0; done < count; done += join_.tile) {
            std::size_t const n = std::min(join_.tile, count - done);
            store.store(slots.finish(slot + done, n), n, to + static_cast<Extent>(done) * stride, stride);
        }
    }

    void store_untouched(ResultStore& store, std::byte* to, Extent stride, std::size_t count) const {
        constexpr std::size_t run = 64;
        alignas(16) std::byte values[run * 16];
        repeat_element(values, untouched_, aggregator_.element_bytes(), std::min(run, count));
        for (std::size_t done = 0; done < count; done += run)
            store.store(values, std::min(run, count - done), to + static_cast<Extent>(done) * stride, stride);
    }

    void list(WalkRegion const& part, Slots& slots, ResultStore& store, std::uint64_t key, std::vector<Extent>& index,
              tensor::ListedElements& listed) const {
        SparseOperand const& output = *shape_.sparse->output;
        std::size_t const size = size_of(shape_.output_dtype), from = listed.values.size();
        listed.values.resize(from + part.run * size);
        store_run(slots, slots.slot_of(key), part.run, store, listed.values.data() + from, static_cast<Extent>(size));
        for (std::size_t axis = 0; axis < einsum_.output.size(); ++axis) {
            int const label = einsum_.output[axis];
            bool const is_inner = walk_.inner_in_output && label == walk_.plan.inner;
            Extent const first = output.begin[axis] + index[at(label)];
            for (std::size_t j = 0; j < part.run; ++j)
                listed.coords[axis].push_back(first + (is_inner ? static_cast<Extent>(j) : 0));
        }
    }

    void write_untouched(Launch const& now) const {
        if (shape_.accumulate && join_.aggregates) return;
        ResultStore store(of_partials_, types_.accumulate, shape_.output_dtype, shape_.accumulate);
        std::vector<Extent> index(shape_.lengths.size(), 0);
        for_each_index(einsum_output_lengths(), [&](std::vector<Extent> const& place) {
            for (std::size_t axis = 0; axis < place.size(); ++axis) index[at(einsum_.output[axis])] = place[axis];
            store_untouched(store, output_at(now, index), static_cast<Extent>(size_of(shape_.output_dtype)), 1);
        });
    }

    /// Each piece has all outputs; then they are combined in order.
    void run_shares(Launch& now) const {
        WalkRegion const part = region(0, 0);
        auto const outputs = static_cast<std::size_t>(part.keys) * part.run;
        std::size_t const bytes = outputs * aggregator_.element_bytes();
        now.partials.resize(bytes * static_cast<std::size_t>(now.pieces()));
        now.team.run(now.pieces(), [&](std::int64_t piece) {
            Slots slots(aggregator_, part.keys, part.run, true, join_.tile);
            PointWalk walk(walk_, now.sources, now.call, part, join_, slots, now.team);
            Extent const* const bounds = now.bounds.data() + piece;
            merges() ? walk.walk_merged_rows(bounds[0], bounds[1]) : walk.walk_share(now.pieces(), piece);
            walk.flush();
            for (std::size_t done = 0; done < outputs; done += join_.tile) {
                std::size_t const n = std::min(join_.tile, outputs - done);
                std::memcpy(
                    now.partials.data() + static_cast<std::size_t>(piece) * bytes + done * aggregator_.element_bytes(),
                    slots.finish(done, n), n * aggregator_.element_bytes());
            }
        });
        Slots slots(of_partials_, part.keys, part.run, true, join_.tile);
        for (std::uint64_t key = 0; key < part.keys; ++key) slots.slot_of(key);
        for (std::size_t piece = 0; piece < static_cast<std::size_t>(now.pieces()); ++piece)
            for (std::size_t done = 0; done < outputs; done += join_.tile)
                slots.combine(done, now.partials.data() + piece * bytes + done * aggregator_.element_bytes(),
                              std::min(join_.tile, outputs - done));
        ResultStore store(of_partials_, types_.accumulate, shape_.output_dtype, shape_.accumulate);
        hand_out(now, part, slots, store, 0, 1, nullptr);
    }

    KernelShape shape_;
    graph::EinSum const& einsum_;
    KernelTypes types_;
    JoinOfPoints join_;
    WalkShape walk_;
    Aggregator aggregator_, of_partials_;
    std::unique_ptr<PreparedKernel const> unmerged_;  // for more elements than merges can count
    bool sparse_output_;
    std::vector<Extent> output_strides_;  // by label, in bytes
    Cut cut_ = Cut::rows;
    int cut_label_ = SparsePlan::none;
    alignas(16) std::byte untouched_[16] = {};  // in registers of the accumulate type
};

}  // namespace

std::unique_ptr<PreparedKernel const> make_row_kernel(KernelShape const& shape, scalar::Params const& params) {
    graph::EinSum const& einsum = shape.kernel->einsum;
    KernelTypes const types = types_of(shape);
    Shape places;
    for (int label : einsum.output) places.push_back(std::max<Extent>(shape.lengths[at(label)], 1));
    auto aggregator = row_aggregator(einsum, types.accumulate);
    auto of_partials = Aggregator::make(einsum.agg, types.accumulate, ExactTotals::of_values);
    std::optional<SparsePlan> plan = plan_sparse(shape);
    if (!aggregator || !of_partials || !plan || !checked_element_count(places)) return nullptr;
    bool const asks = JoinOfPoints(shape, types, params).has_indices();
    bool const one_place = shape.sparse->output && plan->row == SparsePlan::none;  // is written by one piece
    std::optional<SparsePlan> merged = asks || one_place ? std::nullopt : merged_plan(shape, *plan);
    auto kernel =
        std::make_unique<RowKernel>(shape, std::move(*plan), types, *aggregator, *of_partials, params, nullptr);
    if (!merged) return kernel;
    return std::make_unique<RowKernel>(shape, std::move(*merged), types, std::move(*aggregator),
                                       std::move(*of_partials), params, std::move(kernel));
}

}  // namespace ein::executor
