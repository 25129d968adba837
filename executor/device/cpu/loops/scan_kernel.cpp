#include "executor/device/cpu/loops/scan_kernel.hpp"

#include <algorithm>
#include <cstdlib>

#include "executor/device/cpu/instruction_set.hpp"
#include "executor/device/cpu/loops/scan_loops.hpp"
#include "executor/device/cpu/loops/scan_shape.hpp"
#include "executor/device/cpu/loops/scan_tile.hpp"
#include "executor/device/cpu/loops/tile_convert.hpp"
#include "executor/device/cpu/machine.hpp"
#include "executor/device/cpu/past_cache.hpp"
#include "executor/device/cpu/scratch.hpp"
#include "lib/scalar/program/program.hpp"

namespace ein::executor {

ScanLoops scan_loops(scalar::Agg agg, DType type) { return EIN_OF_BEST_SET(scan_loops(agg, type)); }

namespace {

constexpr Extent smallest_tile = 512;  // elements: less is brought together

/// The outputs of a column, in order: some before all terms; then terms that belong to the first output; then a term
/// and an output each; then outputs after all terms. Output i combines the terms up to i + offset.
struct ScanCourse {
    Extent before, skipped, both, after;

    static ScanCourse of(Extent outputs, Extent terms, Extent offset) {
        ScanCourse course{std::clamp<Extent>(-offset, 0, outputs), std::clamp<Extent>(offset, 0, terms), 0, 0};
        course.both = std::max<Extent>(0, std::min(outputs - course.before, terms - course.skipped));
        course.after = outputs - course.before - course.both;
        return course;
    }
};

/// Labels that are walked one index after another, but for the one whose indices are the columns of a tile.
struct ScanUnits {
    std::vector<Beside> outer;
    Beside columns;
    Extent column_unit = 1;  // from column to column, in numbers of units
    std::vector<Extent> outer_unit;

    Extent outer_count() const {
        Extent count = 1;
        for (Beside const& label : outer) count *= label.length;
        return count;
    }
};

/// Where a part of a scan begins.
struct ScanPlace {
    std::byte const* from;
    std::byte* to;
    Extent unit = 0;
};

class ScanKernel final : public PreparedKernel {
public:
    ScanKernel(ScanShape shape, DType in, DType out, DType held, ScanLoops const& loops, bool in_parts)
        : shape_(std::move(shape)), held_(held), loops_(loops), in_parts_(in_parts) {
        in_ = {in, shape_.in_step, 0, 1};
        out_ = {out, shape_.out_step, 0, 1};
        choose_run();
        for (Beside const& label : shape_.beside) units_ *= label.length;
        choose_columns();
        past_cache_ = units_ * shape_.outputs * out_.column_bytes() >= machine::output_past_cache &&
                      columns_.columns.length * out_.column_bytes() >= machine::run_past_cache;
        totals_a_unit_ = in_.run * loops_.parts;
    }

    void launch(KernelCall const& call, WorkerTeam& team) const override {
        ScanPlace at{static_cast<std::byte const*>(call.operands[shape_.operand]),
                     static_cast<std::byte*>(call.output)};
        Extent offset = shape_.prefix.offset + call.begin[shape_.output_label] - call.begin[shape_.term_label];
        ScanSide in = in_, out = out_;
        if (shape_.prefix.is_suffix) {  // both run backwards: j >= i + d is J-1-j <= I-1-i + (J - I - d)
            at.from += (shape_.terms - 1) * in.step;
            at.to += (shape_.outputs - 1) * out.step;
            offset = shape_.terms - shape_.outputs - offset;
            in.step = -in.step;
            out.step = -out.step;
        }
        ScanCourse const course = ScanCourse::of(shape_.outputs, shape_.terms, offset);
        Extent const segments = segments_of(course);
        if (segments > 1) return launch_segments({at, in, out, course, segments}, team);
        for_each_tile(columns_, at, team, [&](ScanPlace const& place, Extent columns) {
            run(place, tiles(columns_, in, out), course, columns, nullptr, 0);
        });
    }

private:
    /// A few elements side by side are one column.
    void choose_run() {
        auto const run = std::find_if(shape_.beside.begin(), shape_.beside.end(), [&](Beside const& label) {
            bool const small = label.length * std::min(shape_.terms, shape_.outputs) < smallest_tile;
            return label.in == in_.size() && label.out == out_.size() &&
                   (small || label.length < machine::least_scanned_columns);
        });
        if (run == shape_.beside.end()) return;
        in_.run = out_.run = run->length;
        shape_.beside.erase(run);
    }

    /// The columns of a tile: a label that lies side by side in memory, else the longest one.
    void choose_columns() {
        Extent best = -1;
        std::size_t chosen = 0;
        for (std::size_t l = 0; l < shape_.beside.size(); ++l) {
            Beside const& label = shape_.beside[l];
            bool const read = label.in == in_.column_bytes(), written = label.out == out_.column_bytes();
            Extent const worth = label.length >= machine::least_scanned_columns && (read || written)
                                     ? (read && written ? 2 : 1) * (Extent{1} << 40) + label.length
                                     : label.length;
            if (worth > best) best = worth, chosen = l;
        }
        Extent unit = units_;
        for (std::size_t l = 0; l < shape_.beside.size(); ++l) {
            unit /= shape_.beside[l].length;
            if (l == chosen) {
                columns_.columns = shape_.beside[l];
                columns_.column_unit = unit;
            } else {
                columns_.outer.push_back(shape_.beside[l]);
                columns_.outer_unit.push_back(unit);
            }
        }
    }

    ScanTiles tiles(ScanUnits const& units, ScanSide in, ScanSide out) const {
        in.column_step = units.columns.in;
        out.column_step = units.columns.out;
        return {in, out, held_, past_cache_};
    }

    /// Of memory or of the loops, whichever is wider.
    Extent column_bytes() const {
        return in_.run * static_cast<Extent>(std::max({size_of(held_), size_of(in_.type), size_of(out_.type)}));
    }

    /// Columns of a tile: as many as are on their way together where they lie side by side, few where each is a stream.
    Extent tile_columns(ScanUnits const& units, WorkerTeam const& team) const {
        Extent const all = machine::scanned_tile / column_bytes();
        bool const beside = units.columns.in == in_.column_bytes() && units.columns.out == out_.column_bytes();
        Extent const terms = std::max<Extent>(1, std::min(shape_.terms, shape_.outputs));
        Extent most = beside ? all / machine::scanned_rows
                             : std::max(machine::scanned_streams,
                                        all / terms / machine::scanned_streams * machine::scanned_streams);
        Extent const wanted = std::max<Extent>(1, team.width() / units.outer_count());
        Extent const even = (units.columns.length + wanted - 1) / wanted;
        most = std::min(most, std::max(machine::least_even_columns, (even + 15) / 16 * 16));
        return std::min(units.columns.length, most);
    }

    /// visit(place, columns), by the threads of a team.
    template <class Visit>
    void for_each_tile(ScanUnits const& units, ScanPlace const& begin, WorkerTeam& team, Visit const& visit) const {
        Extent const width = tile_columns(units, team), blocks = (units.columns.length + width - 1) / width;
        team.run(units.outer_count() * blocks, [&](std::int64_t number) {
            ScanPlace place = begin;
            Extent const first = number % blocks * width;
            move(place, units.columns, units.column_unit, first);
            Extent outer = number / blocks;
            for (std::size_t l = units.outer.size(); l-- > 0; outer /= units.outer[l].length)
                move(place, units.outer[l], units.outer_unit[l], outer % units.outer[l].length);
            visit(place, std::min(width, units.columns.length - first));
            if (past_cache_) finish_past_cache();
        });
    }

    static void move(ScanPlace& place, Beside const& label, Extent unit, Extent index) {
        place.from += index * label.in;
        place.to += index * label.out;
        place.unit += index * unit;
    }

    /// Long columns that are few are cut into parts: what each gives is found first.
    struct Segments {
        ScanPlace begin;
        ScanSide in, out;
        ScanCourse course;
        Extent count;

        Extent terms() const { return course.both / count; }
        Extent totals() const { return count + 1; }  // of a unit: before each segment, and after the last one
        Beside label() const { return {count, terms() * in.step, terms() * out.step}; }
        /// After so many terms and as many outputs, of those that come together.
        ScanPlace place(Extent together) const {
            return {begin.from + (course.skipped + together) * in.step,
                    begin.to + (course.before + together) * out.step};
        }
    };

    bool are_streams() const {
        return columns_.columns.in != in_.column_bytes() || columns_.columns.out != out_.column_bytes();
    }

    Extent segments_of(ScanCourse const& course) const {
        if (!in_parts_ || units_ >= machine::most_pieces) return 1;
        if (!are_streams())
            return std::clamp<Extent>(course.both * units_ / machine::terms_of_a_segment, 1, machine::most_pieces);
        Extent const streams = machine::scanned_streams;
        return std::clamp(course.both / machine::terms_of_a_stream / streams * streams, Extent{1},
                          machine::most_segments);
    }

    /// Units whose numbers leave room for the totals of their segments.
    static ScanUnits with_totals(ScanUnits units, Segments const& segments) {
        units.column_unit *= segments.totals();
        for (Extent& unit : units.outer_unit) unit *= segments.totals();
        return units;
    }
    static void add_outer(ScanUnits& units, Beside const& label, Extent unit) {
        units.outer.push_back(label);
        units.outer_unit.push_back(unit);
    }

    void launch_segments(Segments const& segments, WorkerTeam& team) const {
        ScanCourse const& course = segments.course;
        ScanUnits const units = with_totals(columns_, segments);
        std::vector<ScanTotal> totals(static_cast<std::size_t>(units_ * segments.totals() * totals_a_unit_),
                                      identity());
        auto const of = [&](Extent unit) { return totals.data() + unit * totals_a_unit_; };
        auto const launch_part = [&](ScanUnits const& of_units, ScanPlace const& begin, ScanCourse const& part,
                                     Extent further) {
            for_each_tile(of_units, begin, team, [&](ScanPlace const& place, Extent columns) {
                run(place, tiles(of_units, segments.in, segments.out), part, columns, of(place.unit + further),
                    of_units.column_unit * totals_a_unit_);
            });
        };
        launch_part(units, segments.begin, {course.before, course.skipped, 0, 0}, 0);
        ScanUnits of_segments = units;
        if (are_streams() && units.columns.length < machine::scanned_streams) {
            add_outer(of_segments, units.columns, units.column_unit);
            of_segments.columns = segments.label();
            of_segments.column_unit = 1;
        } else {
            add_outer(of_segments, segments.label(), 1);
        }
        if (segments.in.has_rows_along_memory() && totals_a_unit_ == 1)
            find_totals(segments, of_segments, of(1), team);
        else
            launch_part(of_segments, segments.place(0), {0, segments.terms(), 0, 0}, 1);
        for (Extent unit = 0; unit < units_; ++unit)
            for (Extent k = 0; k < segments.count * totals_a_unit_; ++k) {
                ScanTotal* const before = of(unit * segments.totals()) + k;
                ScanTotal together = before[0];
                loops_.add(together, before[totals_a_unit_]);
                before[totals_a_unit_] = together;
            }
        launch_part(of_segments, segments.place(0), {0, 0, segments.terms(), 0}, 0);
        Extent const done = segments.terms() * segments.count;
        launch_part(units, segments.place(done), {0, 0, course.both - done, course.after}, segments.count);
    }

    ScanTotal identity() const {
        alignas(ScanTotal) std::byte state[2 * ScanLoops::state_bytes];
        ScanTotal total[2];
        loops_.start(state, loops_.parts);
        loops_.save(state, loops_.parts, total, loops_.parts, 0);
        return total[0];
    }

    /// Of every segment by itself: terms along memory.
    void find_totals(Segments const& segments, ScanUnits of_segments, ScanTotal* totals, WorkerTeam& team) const {
        add_outer(of_segments, of_segments.columns, of_segments.column_unit);
        of_segments.columns = {};
        Extent const size = in_.size(), terms = segments.terms(), at_once = machine::scanned_tile / column_bytes();
        for_each_tile(of_segments, segments.place(0), team, [&](ScanPlace const& place, Extent) {
            std::byte const* const begin = place.from + (segments.in.step < 0 ? (terms - 1) * segments.in.step : 0);
            Scratch const scratch(static_cast<std::size_t>(at_once) * size_of(held_));
            ScanTotal& total = totals[place.unit];
            for (Extent done = 0, n = 0; done < terms; done += n) {
                n = std::min(at_once, terms - done);
                void const* from = begin + done * size;
                if (in_.type != held_) {
                    tile_convert(in_.type, from, 1, held_, scratch.data(), static_cast<std::size_t>(n));
                    from = scratch.data();
                }
                ScanTotal part;
                loops_.total(static_cast<std::byte const*>(from), n, part);
                loops_.add(total, part);
            }
        });
    }

    /// One tile's columns from begin to end. @param totals  null: the columns begin here; else where their totals so
    /// far are, `step` apart from column to column, which are replaced by those at the end
    void run(ScanPlace place, ScanTiles const& tiles, ScanCourse const& course, Extent columns, ScanTotal* totals,
             Extent step) const {
        Extent const in_step = tiles.in().step, out_step = tiles.out().step;
        Extent const rows = std::max<Extent>(1, machine::scanned_tile / column_bytes() / columns);
        Extent const loop_columns = columns * totals_a_unit_;
        std::size_t const tile_bytes = lines(tiles.scratch_bytes(rows * columns));
        Scratch const scratch(tile_bytes + static_cast<std::size_t>(loop_columns * ScanLoops::state_bytes));
        std::byte* const state = scratch.data() + tile_bytes;
        if (totals == nullptr)
            loops_.start(state, loop_columns);
        else
            loops_.load(state, loop_columns, totals, totals_a_unit_, step);
        auto const show = [&](Extent count) {
            for (Extent row = 0; row < count; ++row, place.to += out_step) {
                ScanRows const shown = tiles.outputs(place.to, 1, columns, {scratch.data(), 0}, scratch.data());
                loops_.show(state, shown.data, loop_columns);
                tiles.store(shown, place.to, 1, columns, scratch.data());
            }
        };
        auto const take = [&](Extent count, bool shows) {
            for (Extent n = 0; count > 0; count -= n, place.from += n * in_step) {
                n = std::min(rows, count);
                ScanRows const terms = tiles.terms(place.from, n, columns, scratch.data());
                if (!shows) {
                    loops_.run({terms.data, terms.step, nullptr, 0, n, loop_columns}, state);
                    continue;
                }
                ScanRows const shown = tiles.outputs(place.to, n, columns, terms, scratch.data());
                loops_.run({terms.data, terms.step, shown.data, shown.step, n, loop_columns}, state);
                tiles.store(shown, place.to, n, columns, scratch.data());
                place.to += n * out_step;
            }
        };
        show(course.before);
        take(course.skipped, false);
        take(course.both, true);
        show(course.after);
        if (totals != nullptr) loops_.save(state, loop_columns, totals, totals_a_unit_, step);
    }

    ScanShape shape_;
    DType held_;
    ScanLoops loops_;
    bool in_parts_, past_cache_ = false;
    ScanSide in_, out_;
    ScanUnits columns_;
    Extent units_ = 1, totals_a_unit_ = 1;
};

}  // namespace

std::unique_ptr<PreparedKernel const> make_scan_kernel(KernelShape const& shape, Nest const& nest,
                                                       KernelTypes const& types) {
    scalar::Agg const agg = shape.kernel->einsum.agg;
    std::optional<ScanShape> scan = scan_shape(shape.kernel->einsum, nest, types);
    if (!scan) return nullptr;
    DType const held = is_exact(types.accumulate) ? types.accumulate : scalar::own_register_dtype(types.accumulate);
    ScanLoops const loops = scan_loops(agg, held);
    if (loops.parts == 0) return nullptr;
    DType const in = shape.operand_dtypes[scan->operand];
    bool const in_parts = !nest.keeps_order() || is_exact(held);
    return std::make_unique<ScanKernel>(std::move(*scan), in, shape.output_dtype, held, loops, in_parts);
}

}  // namespace ein::executor
