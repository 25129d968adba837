#include "executor/device/cpu/gemm/vector_product.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "executor/device/cpu/gemm/matrix_vector.hpp"
#include "executor/device/cpu/gemm/vector_columns.hpp"
#include "executor/device/cpu/loops/tile_convert.hpp"
#include "executor/device/cpu/machine.hpp"
#include "executor/device/cpu/scratch.hpp"
#include "lib/base/partition.hpp"

namespace ein::executor {
namespace {

/// Terms of a run, so that what rounding loses of long sums is kept; runs of sums over several labels are at least
/// `least_of_many` long, else adding lanes takes longer than terms.
constexpr Extent terms_of_a_run = 2048, least_of_many = 128, most_runs = 1 << 14;

constexpr Extent most_rows = 128;  // of a call
struct RowSums {
    alignas(machine::cache_line) std::byte of_part[2][static_cast<std::size_t>(most_rows) * sizeof(double)];
};
/// The processor fetches longer rows by itself; of shorter ones it would wait for the first lines of each page.
constexpr Extent row_fetched_itself = 1024, bytes_ahead = 2048;

/// Where some rows lie in the matrix, in numbers; and stretches of rows that are evenly apart: how many, and where
/// their results go, in bytes.
struct RowPlaces {
    Extent matrix[most_rows];
    Extent stretches, length[most_rows], output[most_rows];
};

/// Rows for which a batch inside of them is walked there, and bytes that stay in the second-level cache meanwhile.
constexpr Extent least_rows_around = 64, bytes_with_batch = 256 << 10;

/// Takes the labels of a batch out that lie inside of rows: the matrix is read in its own order.
std::vector<PositionLabel> take_inner(VectorLabels& labels) {
    std::vector<PositionLabel> inner;
    if (count_of(labels.rows) < least_rows_around) return inner;
    std::erase_if(labels.batch, [&](PositionLabel const& label) {
        bool const is_inside = label.data < labels.rows.front().data;
        if (is_inside) inner.push_back(label);
        return is_inside;
    });
    std::ranges::stable_sort(inner, std::greater(), &PositionLabel::data);
    return inner;
}

class VectorKernel final : public PreparedKernel {
public:
    explicit VectorKernel(MatrixVector product)
        : product_(std::move(product)),
          inner_(take_inner(product_.labels)),
          in_place_(product_.parts == 1 && product_.vector_type == product_.real &&
                    terms().back().positions == number_size()),
          rows_(count_of(product_.labels.rows)),
          terms_(count_of(terms())),
          vectors_(count_of(inner_)) {
        make_runs();
    }

    /// Whether terms lie together, in runs that are long enough.
    bool is_worth() const {
        Extent const runs = terms_ / terms().back().length, least = runs > 1 ? least_of_many : 1;
        return terms().back().data == product_.number_bytes() * product_.parts && runs <= most_runs &&
               terms().back().length * product_.parts >= std::max(least, product_.loops.least);
    }

    void launch(KernelCall const& call, WorkerTeam& team) const override {
        Extent const all = count_of(product_.labels.batch) * rows_;
        Extent const bytes = product_.matrix_bytes();
        Extent const groups = (all + product_.loops.rows - 1) / product_.loops.rows;
        std::int64_t const pieces =
            bytes < machine::bytes_of_a_vector_piece
                ? 1
                : std::min<std::int64_t>({groups, 8 * team.width(), bytes / machine::bytes_of_a_vector_piece});
        std::size_t const room = in_place_ ? 0 : lines(static_cast<std::size_t>(vectors_ * vector_bytes()));
        if (pieces < 2) {
            Scratch const packed(room * static_cast<std::size_t>(product_.parts));
            return run(call, 0, all, packed.data(), room, nullptr, team);
        }
        Scratch const packed(product_.labels.batch.empty() ? room * static_cast<std::size_t>(product_.parts) : 0);
        bool const shared = product_.labels.batch.empty() && !in_place_;  // what all rows need
        if (shared) pack(call, 0, packed.data(), room);
        team.run(pieces, [&](std::int64_t piece) {
            Scratch const own(shared ? 0 : room * static_cast<std::size_t>(product_.parts));
            run(call, part_begin(groups, pieces, piece) * product_.loops.rows,
                std::min(all, part_begin(groups, pieces, piece + 1) * product_.loops.rows), own.data(), room,
                shared ? packed.data() : nullptr, team);
        });
    }

private:
    Extent number_size() const { return static_cast<Extent>(size_of(product_.real)); }
    Extent vector_bytes() const { return terms_ * product_.parts * number_size(); }
    Extent row_bytes() const { return terms_ * product_.parts * product_.number_bytes(); }
    std::vector<PositionLabel> const& terms() const { return product_.labels.terms; }

    /// What is read next: the next of the batch, or some groups of rows later. @return in numbers; 0 for long rows
    Extent fetched_ahead() const {
        if (row_bytes() > row_fetched_itself) return 0;
        if (!inner_.empty()) return inner_.back().data / product_.number_bytes();
        Extent const step = product_.labels.rows.back().data * product_.loops.rows;
        return (bytes_ahead + step - 1) / step * step / product_.number_bytes();
    }

    void make_runs() {
        PositionLabel const along = terms().back();
        std::vector<PositionLabel> const around(terms().begin(), terms().end() - 1);
        Extent const size = static_cast<Extent>(size_of(product_.matrix_type));
        Extent const numbers = along.length * product_.parts, cuts = (numbers + terms_of_a_run - 1) / terms_of_a_run;
        for (Extent k = 0; k < std::min(count_of(around), most_runs); ++k) {
            PositionOffsets const at = offsets_of(around, k);
            for (Extent cut = 0; cut < cuts; ++cut) {
                Extent const first = part_begin(numbers, cuts, cut);
                runs_.push_back({at.data / size + first,
                                 (in_place_ ? at.positions / number_size() : k * numbers) + first,
                                 part_begin(numbers, cuts, cut + 1) - first});
            }
        }
    }

    /// The vectors of the batch inside of rows, for one element of the batch around, in the order of the runs; of
    /// complex numbers the two that give real and imaginary parts, `room` bytes from one to the other.
    void pack(KernelCall const& call, Extent batch, std::byte* to, std::size_t room) const {
        auto const* const from = static_cast<std::byte const*>(call.operands[product_.vector]) +
                                 offsets_of(product_.labels.batch, batch).positions;
        PositionLabel const along = terms().back();
        auto const size = static_cast<Extent>(size_of(product_.vector_type));
        std::size_t const bytes = static_cast<std::size_t>(along.length) * size_of(product_.type);
        for (Extent vector = 0; vector < vectors_; ++vector) {
            std::byte const* const begin = from + offsets_of(inner_, vector).positions;
            for (Extent k = 0; k < terms_; k += along.length, to += bytes) {
                tile_convert(product_.vector_type, begin + offsets_of(terms(), k).positions, along.positions / size,
                             product_.type, to, static_cast<std::size_t>(along.length));
                if (product_.type == DType::c64) set_parts<float>(to, to + room, along.length);
                if (product_.type == DType::c128) set_parts<double>(to, to + room, along.length);
            }
        }
    }
    /// (re, im) becomes (re, -im) and (im, re).
    template <class T>
    void set_parts(std::byte* numbers, std::byte* exchanged, Extent count) const {
        auto* const first = reinterpret_cast<T*>(numbers);
        auto* const second = reinterpret_cast<T*>(exchanged);
        T const sign = product_.conjugates_vector ? T{-1} : T{1};
        for (Extent k = 0; k < 2 * count; k += 2) {
            second[k] = sign * first[k + 1];
            second[k + 1] = first[k];
            first[k + 1] = -second[k];
        }
    }

    /// @param own  room for vectors that are packed here  @param packed  those that are packed already, or null
    void run(KernelCall const& call, Extent first, Extent last, std::byte* own, std::size_t room,
             std::byte const* packed, WorkerTeam& team) const {
        Extent done = 0;
        for (Extent at = first; at < last;) {
            Extent const batch = at / rows_, row = at - batch * rows_, count = std::min(rows_ - row, last - at);
            PositionOffsets const offsets = offsets_of(product_.labels.batch, batch);
            VectorCall one;
            one.runs = runs_.data();
            one.runs_count = static_cast<Extent>(runs_.size());
            one.a = static_cast<std::byte const*>(call.operands[product_.matrix]) + offsets.data;
            std::byte const* x = packed;
            if (in_place_)
                x = static_cast<std::byte const*>(call.operands[product_.vector]) + offsets.positions;
            else if (packed == nullptr)
                pack(call, batch, own, room), x = own;
            one.x[0] = x;
            one.x[1] = x == nullptr ? nullptr : x + room;
            run_rows(one, row, count, static_cast<std::byte*>(call.output) + offsets.output, done, team);
            at += count;
        }
    }

    /// Some rows, all of the batch that lies inside of them, and the next ones.
    void run_rows(VectorCall const& around, Extent first, Extent count, std::byte* output, Extent& done,
                  WorkerTeam& team) const {
        Extent const bytes = vectors_ * row_bytes();
        Extent const groups = std::max<Extent>(1, bytes_with_batch / bytes / product_.loops.rows);
        Extent const together = vectors_ > 1 ? std::min(most_rows, groups * product_.loops.rows) : most_rows;
        RowSums sums;
        RowPlaces places;
        VectorCall call = around;
        call.sums[0] = sums.of_part[0];
        call.sums[1] = sums.of_part[1];
        call.row_at = places.matrix;
        call.ahead = fetched_ahead();
        for (Extent row = first; row < first + count; row += call.rows) {
            call.rows = std::min(together, first + count - row);
            find_places(row, call.rows, places);
            for (Extent vector = 0; vector < vectors_; ++vector) {
                PositionOffsets const at = offsets_of(inner_, vector);
                Extent const x = in_place_ ? at.positions : vector * vector_bytes();
                call.a = static_cast<std::byte const*>(around.a) + at.data;
                for (int k = 0; k < product_.parts; ++k) call.x[k] = static_cast<std::byte const*>(around.x[k]) + x;
                product_.loops.dot(call);
                for (Extent k = 0, begin = 0; k < places.stretches; begin += places.length[k++])
                    store(sums, begin, output + at.output + places.output[k], places.length[k]);
            }
            done += call.rows * bytes;
            if (done >= machine::bytes_between_pauses) team.pause(), done = 0;
        }
    }

    void find_places(Extent first, Extent count, RowPlaces& places) const {
        PositionLabel const& along = product_.labels.rows.back();
        Extent const size = product_.number_bytes(), step = along.data / size;
        places.stretches = 0;
        for (Extent row = 0; row < count;) {
            PositionOffsets const at = offsets_of(product_.labels.rows, first + row);
            Extent const length = std::min(count - row, along.length - (first + row) % along.length);
            for (Extent k = 0, here = at.data / size; k < length; ++k, here += step) places.matrix[row + k] = here;
            places.length[places.stretches] = length;
            places.output[places.stretches++] = at.output;
            row += length;
        }
    }

    /// @param sums  real parts, then imaginary ones
    void store(RowSums const& sums, Extent begin, std::byte* to, Extent count) const {
        product_.real == DType::f32 ? store_as<float>(sums, begin, to, count)
                                    : store_as<double>(sums, begin, to, count);
    }
    template <class T>
    void store_as(RowSums const& sums, Extent begin, std::byte* to, Extent count) const {
        T values[2 * most_rows];
        for (int part = 0; part < product_.parts; ++part) {
            auto const* const from = reinterpret_cast<T const*>(sums.of_part[part]) + begin;
            for (Extent k = 0; k < count; ++k) values[product_.parts * k + part] = from[k];
        }
        store_results(product_, reinterpret_cast<std::byte*>(values), to, product_.labels.rows.back().output, count);
    }

    MatrixVector product_;              // its batch is what lies around rows
    std::vector<PositionLabel> inner_;  // the rest of it
    bool in_place_;                     // the vectors
    Extent rows_, terms_, vectors_;
    std::vector<VectorRun> runs_;
};

}  // namespace

std::unique_ptr<PreparedKernel const> make_rows_kernel(MatrixVector const& product) {
    auto kernel = std::make_unique<VectorKernel>(product);
    return kernel->is_worth() ? std::move(kernel) : nullptr;
}

std::unique_ptr<PreparedKernel const> make_vector_kernel(KernelShape const& shape, Nest const& nest,
                                                         KernelTypes const& types, scalar::Params const& params) {
    std::optional<MatrixVector> const product = matrix_by_vector(shape, nest, types, params);
    if (!product) return nullptr;
    auto rows = make_rows_kernel(*product);
    return rows ? std::move(rows) : make_columns_kernel(*product);
}

}  // namespace ein::executor
