#include "executor/device/cpu/gemm/vector_product.hpp"

#include <algorithm>
#include <cstring>
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

class VectorKernel final : public PreparedKernel {
public:
    explicit VectorKernel(MatrixVector product)
        : product_(std::move(product)),
          in_place_(product_.parts == 1 && product_.vector_type == product_.real &&
                    terms().back().positions == static_cast<Extent>(size_of(product_.real))),
          rows_(count_of(product_.labels.rows)),
          terms_(count_of(terms())) {
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
        std::size_t const room =
            in_place_ ? 0 : lines(static_cast<std::size_t>(terms_ * product_.parts) * size_of(product_.real));
        if (pieces < 2) {
            Scratch const packed(room * static_cast<std::size_t>(product_.parts));
            return run(call, 0, all, packed.data(), room, nullptr, team);
        }
        Scratch const packed(product_.labels.batch.empty() ? room * static_cast<std::size_t>(product_.parts) : 0);
        bool const shared = product_.labels.batch.empty() && !in_place_;  // one vector for all
        if (shared) pack(call, 0, packed.data(), room);
        team.run(pieces, [&](std::int64_t piece) {
            Scratch const own(shared ? 0 : room * static_cast<std::size_t>(product_.parts));
            run(call, part_begin(groups, pieces, piece) * product_.loops.rows,
                std::min(all, part_begin(groups, pieces, piece + 1) * product_.loops.rows), own.data(), room,
                shared ? packed.data() : nullptr, team);
        });
    }

private:
    void make_runs() {
        PositionLabel const along = terms().back();
        std::vector<PositionLabel> const around(terms().begin(), terms().end() - 1);
        Extent const size = static_cast<Extent>(size_of(product_.matrix_type)),
                     x_size = static_cast<Extent>(size_of(product_.real));
        Extent const numbers = along.length * product_.parts, cuts = (numbers + terms_of_a_run - 1) / terms_of_a_run;
        for (Extent k = 0; k < std::min(count_of(around), most_runs); ++k) {
            PositionOffsets const at = offsets_of(around, k);
            for (Extent cut = 0; cut < cuts; ++cut) {
                Extent const first = part_begin(numbers, cuts, cut);
                runs_.push_back({at.data / size + first, (in_place_ ? at.positions / x_size : k * numbers) + first,
                                 part_begin(numbers, cuts, cut + 1) - first});
            }
        }
    }

    /// The vector of a batch's element in the order of the runs; of complex numbers the two that give real and
    /// imaginary parts, `room` bytes from one to the other.
    void pack(KernelCall const& call, Extent batch, std::byte* to, std::size_t room) const {
        auto const* const from = static_cast<std::byte const*>(call.operands[product_.vector]) +
                                 offsets_of(product_.labels.batch, batch).positions;
        PositionLabel const along = terms().back();
        auto const size = static_cast<Extent>(size_of(product_.vector_type));
        std::size_t const bytes = static_cast<std::size_t>(along.length) * size_of(product_.type);
        for (Extent k = 0; k < terms_; k += along.length, to += bytes) {
            tile_convert(product_.vector_type, from + offsets_of(terms(), k).positions, along.positions / size,
                         product_.type, to, static_cast<std::size_t>(along.length));
            if (product_.type == DType::c64) set_parts<float>(to, to + room, along.length);
            if (product_.type == DType::c128) set_parts<double>(to, to + room, along.length);
        }
    }
    /// (re, im) becomes (re, -im) and (im, re).
    template <class T>
    static void set_parts(std::byte* numbers, std::byte* exchanged, Extent count) {
        auto* const first = reinterpret_cast<T*>(numbers);
        auto* const second = reinterpret_cast<T*>(exchanged);
        for (Extent k = 0; k < 2 * count; k += 2) {
            second[k] = first[k + 1];
            second[k + 1] = first[k];
            first[k + 1] = -first[k + 1];
        }
    }

    /// @param own  room for a vector that is packed here  @param packed  one that is packed already, or null
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

    void run_rows(VectorCall& call, Extent first, Extent count, std::byte* output, Extent& done,
                  WorkerTeam& team) const {
        Extent const size = static_cast<Extent>(size_of(product_.matrix_type)),
                     row_bytes = terms_ * product_.parts * size;
        RowSums sums;
        call.sums[0] = sums.of_part[0];
        call.sums[1] = sums.of_part[1];
        auto const* const matrix = static_cast<std::byte const*>(call.a);
        PositionLabel const& along = product_.labels.rows.back();
        call.row_step = along.data / size;
        for (Extent row = first; row < first + count; row += call.rows) {
            call.rows = std::min({most_rows, first + count - row, along.length - row % along.length});
            PositionOffsets const at = offsets_of(product_.labels.rows, row);
            call.a = matrix + at.data;
            product_.loops.dot(call);
            store(sums, output + at.output, along.output, call.rows);
            done += call.rows * row_bytes;
            if (done >= machine::bytes_between_pauses) team.pause(), done = 0;
        }
    }

    /// @param sums  real parts, then imaginary ones
    void store(RowSums const& sums, std::byte* to, Extent step, Extent count) const {
        if (product_.parts == 1) {
            alignas(machine::cache_line) std::byte values[static_cast<std::size_t>(most_rows) * sizeof(double)];
            std::memcpy(values, sums.of_part[0], static_cast<std::size_t>(count) * size_of(product_.real));
            return store_results(product_, values, to, step, count);
        }
        if (product_.real == DType::f32) return store_pairs<float>(sums, to, step, count);
        store_pairs<double>(sums, to, step, count);
    }
    template <class T>
    void store_pairs(RowSums const& sums, std::byte* to, Extent step, Extent count) const {
        T values[2 * most_rows];
        for (Extent k = 0; k < count; ++k)
            for (int part = 0; part < 2; ++part)
                std::memcpy(values + 2 * k + part, sums.of_part[part] + k * Extent{sizeof(T)}, sizeof(T));
        store_results(product_, reinterpret_cast<std::byte*>(values), to, step, count);
    }

    std::vector<PositionLabel> const& terms() const { return product_.labels.terms; }

    MatrixVector product_;
    bool in_place_;  // the vector
    Extent rows_, terms_;
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
