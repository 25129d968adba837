#include "executor/device/cpu/loops/scan_kernel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>

#include "executor/device/cpu/loops/aggregator.hpp"
#include "executor/device/cpu/loops/scan_rows.hpp"
#include "executor/device/cpu/loops/tile_convert.hpp"
#include "executor/device/cpu/machine.hpp"
#include "executor/device/cpu/past_cache.hpp"
#include "executor/device/cpu/scratch.hpp"
#include "executor/device/reference/element.hpp"
#include "lib/scalar/regions/prefix.hpp"

namespace ein::executor {
namespace {

/// A label beside the scanned ones.
struct Beside {
    Extent length = 1, in = 0, out = 0;  // bytes an index
};

struct ScanShape {
    std::size_t operand = 0;
    scalar::Prefix prefix;
    Extent outputs = 1, terms = 1;                 // indices of the output's label, and of the aggregated one
    Extent out_step = 0, in_step = 0;              // bytes an index
    std::vector<Beside> beside;                    // outermost first
    std::size_t output_label = 0, term_label = 0;  // of the EinSum
};

class ScanKernel final : public PreparedKernel {
public:
    ScanKernel(ScanShape shape, DType in, DType out, KernelTypes const& types, scalar::Agg agg, Aggregator aggregator,
               bool keeps_order)
        : shape_(std::move(shape)),
          in_(in),
          out_(out),
          accumulate_(types.accumulate),
          registers_(scalar::own_register_dtype(types.accumulate)),
          aggregator_(std::move(aggregator)) {
        rows_ = in == out && compute_dtype(std::array{in}, in) == types.accumulate ? scan_rows(agg, in) : ScanRows{};
        Extent const in_size = static_cast<Extent>(size_of(in)), out_size = static_cast<Extent>(size_of(out));
        bool const along = std::abs(shape_.in_step) == in_size && std::abs(shape_.out_step) == out_size;
        bool const across = !shape_.beside.empty() && shape_.beside.back().in == in_size &&
                            shape_.beside.back().out == out_size && shape_.beside.back().length >= 8;
        if (rows_.run == nullptr || !(along || !across)) rows_ = {};
        for (Beside const& label : shape_.beside) units_ *= label.length;
        past_cache_ = units_ * shape_.outputs * out_size >= machine::output_past_cache;
        bool const few = units_ < machine::most_pieces && !keeps_order && rows_.totals != nullptr;
        if (few) segments_ = std::clamp<Extent>(shape_.terms / machine::terms_of_a_segment, 1, machine::most_pieces);
    }

    void launch(KernelCall const& call, WorkerTeam& team) const override {
        auto const* from = static_cast<std::byte const*>(call.operands[shape_.operand]);
        auto* to = static_cast<std::byte*>(call.output);
        Extent const begin_out = call.begin[shape_.output_label], begin_in = call.begin[shape_.term_label];
        Scan scan{shape_.outputs, shape_.terms, shape_.prefix.offset + begin_out - begin_in, shape_.in_step,
                  shape_.out_step};
        if (shape_.prefix.is_suffix) {  // both run backwards: j >= i + d is J-1-j <= I-1-i + (J - I - d)
            from += (scan.terms - 1) * scan.in_step;
            to += (scan.outputs - 1) * scan.out_step;
            scan.offset = scan.terms - scan.outputs - scan.offset;
            scan.in_step = -scan.in_step;
            scan.out_step = -scan.out_step;
        }
        if (rows_.run != nullptr) return launch_rows(from, to, scan, team);
        launch_columns(from, to, scan, team);
    }

private:
    /// Where one of the labels' combinations begins.
    void place(Extent unit, std::byte const*& from, std::byte*& to) const {
        for (std::size_t a = shape_.beside.size(); a-- > 0; unit /= shape_.beside[a].length) {
            Extent const index = unit % shape_.beside[a].length;
            from += index * shape_.beside[a].in;
            to += index * shape_.beside[a].out;
        }
    }

    void launch_rows(std::byte const* from, std::byte* to, Scan const& scan, WorkerTeam& team) const {
        constexpr Extent together = ScanRows::most_rows;
        std::vector<ScanRow> rows(static_cast<std::size_t>(units_ * segments_));
        for (Extent unit = 0; unit < units_; ++unit)
            for (Extent segment = 0; segment < segments_; ++segment) {
                ScanRow& row = rows[static_cast<std::size_t>(unit * segments_ + segment)];
                row.from = from, row.to = to;
                place(unit, row.from, row.to);
                row.first = segment * scan.terms / segments_;
                row.last = (segment + 1) * scan.terms / segments_;
                row.is_first = segment == 0, row.is_last = segment + 1 == segments_;
            }
        auto const all = static_cast<Extent>(rows.size()), groups = (all + together - 1) / together;
        auto const group = [&](std::int64_t g) {
            Extent const first = g * together;
            return std::span(rows).subspan(static_cast<std::size_t>(first),
                                           static_cast<std::size_t>(std::min(together, all - first)));
        };
        if (segments_ > 1) {
            team.run(groups, [&](std::int64_t g) { rows_.totals(group(g), scan); });
            for (std::size_t r = 0; r < rows.size(); ++r)
                rows_.carry(rows[r].is_first ? nullptr : &rows[r - 1], rows[r]);
        }
        team.run(groups, [&](std::int64_t g) { rows_.run(group(g), scan); });
    }

    /// Of the last label so many elements at a time, one term after the other.
    void launch_columns(std::byte const* from, std::byte* to, Scan const& scan, WorkerTeam& team) const {
        Beside const columns = shape_.beside.empty() ? Beside{} : shape_.beside.back();
        Extent const outer_units = units_ / columns.length;
        Extent const wanted = std::max<Extent>(1, (team.width() + outer_units - 1) / outer_units);
        Extent const even = (columns.length + wanted - 1) / wanted;
        Extent const width = std::min(columns.length, std::clamp<Extent>((even + 15) / 16 * 16, 64, 4096));
        Extent const blocks = (columns.length + width - 1) / width, outer = units_ / columns.length;
        team.run(outer * blocks, [&](std::int64_t number) {
            Extent const first = number % blocks * width, count = std::min(width, columns.length - first);
            std::byte const* in = from;
            std::byte* out = to;
            place(number / blocks * columns.length + first, in, out);
            scan_columns(in, out, scan, columns, static_cast<std::size_t>(count));
            if (past_cache_) finish_past_cache();
        });
    }

    /// Outputs from i on that take a term more each.
    static Extent rows_together(Scan const& scan, Extent i, Extent done) {
        if (done != i + scan.offset) return 0;
        return std::min(scan.outputs - i, scan.terms - done);
    }

    void scan_columns(std::byte const* in, std::byte* out, Scan const& scan, Beside const& columns,
                      std::size_t count) const {
        std::size_t const room = lines(16 * count);
        Scratch const scratch(4 * room + lines(aggregator_.state_bytes(count)) + aggregator_.scratch_bytes(count));
        std::byte* const values = scratch.data();
        std::byte* const wrapped = values + room;
        std::byte* const results = wrapped + room;
        std::byte* const converted = results + room;
        std::byte* const state = converted + room;
        Aggregator::Tile const tile{state, count, state + lines(aggregator_.state_bytes(count))};
        aggregator_.start(tile);
        auto const in_size = static_cast<Extent>(size_of(in_)), out_size = static_cast<Extent>(size_of(out_));
        Extent done = 0;
        bool const stays = out_ == registers_ && accumulate_ == registers_ && columns.out == out_size;
        bool const direct = stays && in_ == registers_ && columns.in == in_size;
        for (Extent i = 0; i < scan.outputs; ++i) {
            Extent const together =
                past_cache_ ? std::min<Extent>(1, rows_together(scan, i, done)) : rows_together(scan, i, done);
            std::byte* const to = out + i * scan.out_step;
            std::byte* const shown = past_cache_ ? results : to;
            if (direct && together > 0 &&
                aggregator_.scan(tile, in + done * scan.in_step, scan.in_step, shown, scan.out_step,
                                 static_cast<std::size_t>(together), count)) {
                if (past_cache_) copy_past_cache(to, shown, count * size_of(out_));
                done += together;
                i += together - 1;
                continue;
            }
            for (Extent const end = std::clamp<Extent>(i + scan.offset + 1, 0, scan.terms); done < end; ++done) {
                std::byte const* row = in + done * scan.in_step;
                if (in_ != registers_ || columns.in != in_size) {
                    tile_convert(in_, row, columns.in / in_size, registers_, values, count);
                    row = values;
                }
                aggregator_.combine(tile, 0, row, count);
            }
            aggregator_.so_far(tile, stays ? shown : results, count);
            if (stays && past_cache_) copy_past_cache(to, shown, count * size_of(out_));
            if (stays) continue;
            void const* from = results;
            DType type = registers_;
            if (accumulate_ != registers_ && out_ != accumulate_) {
                tile_convert(registers_, from, 1, accumulate_, wrapped, count);
                from = wrapped, type = accumulate_;
            }
            if (columns.out == out_size) {
                tile_convert(type, from, 1, out_, to, count);
                continue;
            }
            tile_convert(type, from, 1, out_, converted, count);
            for (std::size_t c = 0; c < count; ++c)
                std::memcpy(to + static_cast<Extent>(c) * columns.out, converted + static_cast<Extent>(c) * out_size,
                            size_of(out_));
        }
    }

    ScanShape shape_;
    DType in_, out_, accumulate_, registers_;
    Aggregator aggregator_;
    ScanRows rows_;
    Extent units_ = 1, segments_ = 1;
    bool past_cache_ = false;  // the output is large: its lines are written without being read
};

/// The operand and the region of a join where(c, x, identity), either way round.
std::optional<ScanShape> scan_of(graph::EinSum const& einsum, KernelTypes const& types) {
    scalar::Expr const& join = einsum.join;
    if (join.op() != scalar::Op::where || einsum.aggregated().size() != 1) return std::nullopt;
    auto const& args = join.args();
    bool const first = args[2].op() == scalar::Op::number;
    scalar::Expr const &kept = args[first ? 1 : 2], &fill = args[first ? 2 : 1];
    if (kept.op() != scalar::Op::operand || fill.op() != scalar::Op::number) return std::nullopt;
    scalar::Scalar const identity = scalar::identity(einsum.agg, types.accumulate);
    double const begins = identity.is_integer ? static_cast<double>(identity.integer) : identity.number.real();
    if (fill.node().value != std::complex<double>(begins) || types.join != types.accumulate) return std::nullopt;
    std::optional<scalar::Prefix> const prefix = scalar::as_prefix(args[0], einsum.aggregated().front(), first);
    if (!prefix) return std::nullopt;
    ScanShape out;
    out.operand = static_cast<std::size_t>(kept.node().slot);
    out.prefix = *prefix;
    out.output_label = static_cast<std::size_t>(prefix->output);
    out.term_label = static_cast<std::size_t>(einsum.aggregated().front());
    return out;
}

}  // namespace

std::unique_ptr<PreparedKernel const> make_scan_kernel(KernelShape const& shape, Nest const& nest,
                                                       KernelTypes const& types) {
    graph::EinSum const& einsum = shape.kernel->einsum;
    if (nest.accumulate || einsum.agg == scalar::Agg::logsumexp) return nullptr;
    std::optional<ScanShape> scan = scan_of(einsum, types);
    if (!scan) return nullptr;
    bool has_outputs = false, has_terms = false;
    for (NestLabel const& label : nest.labels) {
        Extent const in = label.strides[scan->operand];
        if (label.index == static_cast<int>(scan->output_label)) {
            if (in != 0 || label.aggregated) return nullptr;  // the operand has the label: a diagonal band
            scan->outputs = label.length, scan->out_step = label.output_stride, has_outputs = true;
        } else if (label.index == static_cast<int>(scan->term_label)) {
            scan->terms = label.length, scan->in_step = in, has_terms = true;
        } else {
            if (label.aggregated || label.index >= 0) return nullptr;
            scan->beside.push_back({label.length, in, label.output_stride});
        }
    }
    if (!has_outputs || !has_terms) return nullptr;
    std::stable_sort(scan->beside.begin(), scan->beside.end(),
                     [](Beside const& a, Beside const& b) { return std::abs(a.out) > std::abs(b.out); });
    bool const exact = einsum.agg == scalar::Agg::sum && types.accumulate != DType::boolean;
    std::optional<Aggregator> aggregator =
        Aggregator::make(einsum.agg, types.accumulate, exact ? ExactTotals::of_values : ExactTotals::none);
    if (!aggregator) return nullptr;
    return std::make_unique<ScanKernel>(std::move(*scan), shape.operand_dtypes[scan->operand], shape.output_dtype,
                                        types, einsum.agg, std::move(*aggregator), nest.keeps_order());
}

}  // namespace ein::executor
