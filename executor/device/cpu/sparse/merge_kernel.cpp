#include "executor/device/cpu/sparse/merge_kernel.hpp"

#include <algorithm>
#include <cstring>

#include "executor/device/cpu/sparse/listed_output.hpp"
#include "executor/device/cpu/sparse/merged_rows.hpp"
#include "executor/device/cpu/sparse/point_batch.hpp"
#include "executor/device/cpu/sparse/result_store.hpp"
#include "executor/device/cpu/sparse/row_pieces.hpp"
#include "executor/device/cpu/sparse/same_pattern.hpp"
#include "executor/device/reference/element.hpp"

namespace ein::executor {
namespace {

class MergeKernel final : public PreparedKernel {
public:
    MergeKernel(KernelShape const& shape, std::vector<int> labels, KernelTypes const& types, Aggregator aggregator,
                scalar::Params const& params, std::unique_ptr<PreparedKernel const> otherwise)
        : shape_(shape),
          einsum_(shape.kernel->einsum),
          labels_(std::move(labels)),
          types_(types),
          join_(shape, types, params),
          aggregator_(std::move(aggregator)),
          otherwise_(std::move(otherwise)) {
        for (std::size_t k = 0; k < einsum_.operands(); ++k) {
            Operand& operand = operands_.emplace_back();
            if (is_sparse(shape, k)) {
                operand.source = sources_.size();
                sources_.push_back({k, labels_});
                store_element(shape.sparse->operands[k]->fill, operand.fill, shape.operand_dtypes[k]);
                continue;
            }
            std::vector<Extent> const strides =
                label_strides(einsum_.inputs[k], shape.operand_strides[k], shape.lengths.size());
            for (int label : labels_)
                operand.strides.push_back(strides[static_cast<std::size_t>(label)] *
                                          static_cast<Extent>(size_of(shape.operand_dtypes[k])));
        }
        for (std::vector<int> const& set : shape.sparse->idle_sets) {
            std::uint32_t bits = 0;
            for (int k : set) bits |= 1u << operands_[static_cast<std::size_t>(k)].source;
            sets_.push_back(bits);
        }
        needs_indices_ = join_.has_indices();
        for (int k : scalar::operands_of(einsum_.join)) {
            used_.push_back(static_cast<std::size_t>(k));
            needs_indices_ = needs_indices_ || !is_sparse(shape, used_.back());
        }
    }

    void launch(KernelCall const& call, WorkerTeam& team) const override {
        bool usable = std::none_of(shape_.lengths.begin(), shape_.lengths.end(), [](Extent n) { return n == 0; });
        std::vector<SparseSource> sources;
        for (SparsePlan::Source const& source : sources_) {
            if (!usable) break;
            sources.emplace_back(shape_, source, call.operands[source.operand]);
            SparseSource::Range const all = sources.back().all();
            usable = sources.back().compressed() && all.end - all.begin < MergedRows::nowhere;
        }
        if (!usable) return otherwise_->launch(call, team);
        Extent const rows = shape_.lengths[static_cast<std::size_t>(labels_[0])];
        auto const before = [&](Extent row) {
            auto sum = static_cast<std::uint64_t>(row);
            for (SparseSource const& source : sources) sum += source.before(row) - source.all().begin;
            return sum;
        };
        std::vector<Extent> const bounds = cut_rows(rows, before, sparse_tuning::points_of_a_piece);
        Launch now{call, sources, {}, {}};
        if (sources.size() == 1) {
            now.to.values = copy_pattern(shape_, sources[0], call);
        } else {
            count(now, bounds, team);
            now.to = begin_rows(shape_, call, now.offsets);
        }
        team.run(static_cast<std::int64_t>(bounds.size()) - 1, [&](std::int64_t piece) {
            auto const p = static_cast<std::size_t>(piece);
            write_piece(now, bounds[p], bounds[p + 1], team);
        });
    }

private:
    struct Operand {
        std::size_t source = 0;
        std::vector<Extent> strides;  // of a dense one, by place, in bytes
        alignas(16) std::byte fill[16] = {};
    };
    struct Launch {
        KernelCall const& call;
        std::span<SparseSource const> sources;
        std::vector<std::uint64_t> offsets;  // of rows of the output; empty where the pattern is the operand's
        ListedRows to;
    };

    /// How much each row lists.
    void count(Launch& now, std::vector<Extent> const& bounds, WorkerTeam& team) const {
        now.offsets.assign(static_cast<std::size_t>(bounds.back()) + 1, 0);
        team.run(static_cast<std::int64_t>(bounds.size()) - 1, [&](std::int64_t piece) {
            auto const p = static_cast<std::size_t>(piece);
            MergedRows merge(now.sources, sets_, shape_.lengths);
            merge.count(bounds[p], bounds[p + 1], now.offsets.data() + bounds[p] + 1);
            team.pause();
        });
        for (std::size_t row = 1; row < now.offsets.size(); ++row) now.offsets[row] += now.offsets[row - 1];
    }

    /// Points of a chunk that are joined together.
    struct Points {
        std::size_t from = 0, count = 0;
        std::vector<std::vector<Extent>> index;  // by place, where they are wanted
        std::vector<std::byte> values;           // of one operand
    };

    void write_piece(Launch const& now, Extent first, Extent last, WorkerTeam& team) const {
        bool const copied = now.offsets.empty();
        std::size_t at = copied ? now.sources[0].before(first) - now.sources[0].all().begin
                                : static_cast<std::size_t>(now.offsets[static_cast<std::size_t>(first)]);
        auto const size = static_cast<Extent>(size_of(shape_.output_dtype));
        Slots slots(aggregator_, 1, join_.tile, true, join_.tile);
        slots.slot_of(0);
        PointBatch batch(join_, slots, static_cast<Extent>(join_.tile));
        ResultStore store(aggregator_, types_.accumulate, shape_.output_dtype, false);
        Points points;
        points.index.assign(needs_indices_ ? labels_.size() : 0, std::vector<Extent>(join_.tile));
        points.values.resize(join_.tile * 16);
        MergedRows merge(now.sources, sets_, shape_.lengths, needs_indices_);
        merge.begin(first, last);
        while (std::size_t const merged = merge.next()) {
            for (points.from = 0; points.from < merged; points.from += points.count) {
                points.count = std::min(join_.tile, merged - points.from);
                for (std::size_t place = 0; place < points.index.size(); ++place)
                    merge.indices(place, points.from, points.count, points.index[place].data());
                if (!copied) list(now, points, merge, at);
                join(now, points, merge, batch);
                store.store(slots.finish(0, points.count), points.count, now.to.values + static_cast<Extent>(at) * size,
                            size);
                at += points.count;
            }
            team.pause();
        }
    }

    void join(Launch const& now, Points& points, MergedRows& merge, PointBatch& batch) const {
        if (join_.has_indices()) {
            std::vector<scalar::TileIndex> indices(join_.body.indices);
            for (std::size_t i = 0; i < points.count; ++i) {
                batch.begin_run(i, 1, true);
                for (std::size_t k : used_)
                    batch.operand(k, operand_values(now, points, merge, k, i, 1, points.values.data()), 1);
                for (std::size_t place = 0; place < labels_.size(); ++place) {
                    auto const label = static_cast<std::size_t>(labels_[place]);
                    if (label < indices.size()) indices[label] = {now.call.begin[label] + points.index[place][i], 0};
                }
                batch.end_run(indices);
            }
            return;
        }
        batch.begin_run(0, points.count, true);
        for (std::size_t k : used_) {
            std::byte* const room = batch.room_of(k);
            std::byte const* const values =
                operand_values(now, points, merge, k, 0, points.count, room != nullptr ? room : points.values.data());
            if (values != room) batch.operand(k, values, 1);
        }
        batch.end_run({});
        batch.flush();
    }

    /// Of points from one of these on, side by side. @param to  room for them, where they do not lie so
    std::byte const* operand_values(Launch const& now, Points const& points, MergedRows& merge, std::size_t k,
                                    std::size_t from, std::size_t count, std::byte* to) const {
        Operand const& operand = operands_[k];
        if (is_sparse(shape_, k)) return merge.values(operand.source, points.from + from, count, operand.fill, to);
        std::size_t const size = size_of(shape_.operand_dtypes[k]);
        auto const* const base = static_cast<std::byte const*>(now.call.operands[k]);
        for (std::size_t i = 0; i < count; ++i) {
            Extent offset = 0;
            for (std::size_t place = 0; place < labels_.size(); ++place)
                offset += points.index[place][from + i] * operand.strides[place];
            std::memcpy(to + i * size, base + offset, size);
        }
        return to;
    }

    void list(Launch const& now, Points const& points, MergedRows const& merge, std::size_t at) const {
        std::size_t const wide = tensor::index_bytes(shape_.sparse->output->lengths);
        for (std::size_t place = 1; place < labels_.size(); ++place) {
            std::byte* const to = now.to.coords[place] + at * wide;
            if (wide == 8)
                merge.indices(place, points.from, points.count, reinterpret_cast<Extent*>(to));
            else
                merge.indices(place, points.from, points.count, reinterpret_cast<std::uint32_t*>(to));
        }
    }

    KernelShape shape_;
    graph::EinSum const& einsum_;
    std::vector<int> labels_;  // of all, in the output's order
    KernelTypes types_;
    JoinOfPoints join_;
    Aggregator aggregator_;
    std::unique_ptr<PreparedKernel const> otherwise_;
    std::vector<Operand> operands_;
    std::vector<SparsePlan::Source> sources_;
    std::vector<std::uint32_t> sets_;  // of sources, as bits
    std::vector<std::size_t> used_;
    bool needs_indices_ = false;  // of points, for dense operands or the join
};

}  // namespace

std::unique_ptr<PreparedKernel const> make_merge_kernel(KernelShape const& shape, scalar::Params const& params,
                                                        std::unique_ptr<PreparedKernel const>& otherwise) {
    graph::EinSum const& einsum = shape.kernel->einsum;
    std::optional<std::vector<int>> labels = whole_output_labels(shape);
    if (!labels || labels->empty() || labels->size() != shape.lengths.size()) return nullptr;
    std::size_t merged = 0;
    for (std::size_t k = 0; k < einsum.operands(); ++k) {
        if (!is_sparse(shape, k)) continue;
        std::vector<int> const own = labels_in_order(shape, k);
        if (own.size() != labels->size()) return nullptr;
        ++merged;
    }
    if (!MergedRows::can_merge(einsum.extents, *labels) || merged > MergedRows::most_sources ||
        (merged > 1 && !shape.sparse->output->layout.compressed))
        return nullptr;
    KernelTypes const types = types_of(shape);
    std::optional<Aggregator> aggregator = Aggregator::make(scalar::Agg::sum, types.accumulate);
    if (!aggregator) return nullptr;
    return std::make_unique<MergeKernel>(shape, std::move(*labels), types, std::move(*aggregator), params,
                                         std::move(otherwise));
}

}  // namespace ein::executor
