#include "executor/device/cpu/gemm/vector_columns.hpp"

#include <algorithm>
#include <cstring>

#include "executor/device/cpu/gemm/matrix_vector.hpp"
#include "executor/device/cpu/loops/tile_convert.hpp"
#include "executor/device/cpu/machine.hpp"
#include "executor/device/cpu/scratch.hpp"
#include "lib/base/partition.hpp"

namespace ein::executor {
namespace {

/// Terms of a part, whose sums are added without loss, but no more parts than so many: threads have them where columns
/// are few, each with sums of its own.
constexpr Extent terms_of_a_part = 512, most_parts = 64;
constexpr Extent bytes_of_a_chunk = 16 << 10;  // of sums, which stay in the first-level cache
constexpr Extent least_run = 8;                // terms evenly apart

class ColumnsKernel final : public PreparedKernel {
public:
    explicit ColumnsKernel(MatrixVector product)
        : product_(std::move(product)),
          around_(product_.labels.batch),
          terms_(count_of(product_.labels.terms)),
          batches_(count_of(product_.labels.batch)) {
        std::vector<PositionLabel> const& rows = product_.labels.rows;
        for (PositionLabel row : std::span(rows).first(rows.size() - 1))
            around_.push_back({row.length, 0, row.data, row.output});
        calls_ = count_of(around_);
        chunks_ = (columns().length * product_.parts * number_size() + bytes_of_a_chunk - 1) / bytes_of_a_chunk;
        parts_ = std::clamp<Extent>((terms_ + terms_of_a_part - 1) / terms_of_a_part, 1, most_parts);
        in_place_ = product_.parts == 1 && product_.vector_type == product_.real && along().positions == number_size();
    }

    /// Whether columns lie together, and enough of them, and terms evenly apart.
    bool is_worth() const {
        return columns().data == product_.number_bytes() * product_.parts &&
               columns().length * product_.parts >= product_.loops.least &&
               (along().length >= least_run || along().length == terms_);
    }

    void launch(KernelCall const& call, WorkerTeam& team) const override {
        std::size_t const room = lines(static_cast<std::size_t>(batches_ * terms_) * size_of(product_.real));
        Scratch const factors(in_place_ ? 0 : room * static_cast<std::size_t>(product_.parts));
        if (!in_place_) pack(call, factors.data(), room);
        Source const from{call, factors.data(), room};
        std::int64_t const units = calls_ * chunks_;
        if (team.width() == 1 || product_.matrix_bytes() < machine::bytes_of_a_vector_piece) {
            for (std::int64_t unit = 0; unit < units; ++unit) add_all(from, unit, team);
        } else if (units >= 4 * team.width() || parts_ == 1) {
            team.run(units, [&](std::int64_t unit) { add_all(from, unit, team); });
        } else {
            for (std::int64_t unit = 0; unit < units; ++unit) add_parts(from, unit, team);
        }
    }

private:
    struct Source {
        KernelCall const& call;
        std::byte* factors;  // where packed
        std::size_t room;    // bytes from those of real parts to those of imaginary ones
    };

    PositionLabel const& columns() const { return product_.labels.rows.back(); }
    PositionLabel const& along() const { return product_.labels.terms.back(); }

    /// All vectors, in the order of terms.
    void pack(KernelCall const& call, std::byte* to, std::size_t room) const {
        auto const* const vector = static_cast<std::byte const*>(call.operands[product_.vector]);
        for (Extent batch = 0; batch < batches_; ++batch) {
            std::byte const* const from = vector + offsets_of(product_.labels.batch, batch).positions;
            for (Extent term = 0; term < terms_; term += along().length, to += along().length * number_size())
                pack_run(from + offsets_of(product_.labels.terms, term).positions, to, room);
        }
    }
    void pack_run(std::byte const* from, std::byte* to, std::size_t room) const {
        auto const step = along().positions / static_cast<Extent>(size_of(product_.vector_type));
        if (product_.parts == 1)
            return tile_convert(product_.vector_type, from, step, product_.real, to,
                                static_cast<std::size_t>(along().length));
        static constexpr Extent together = 256;
        alignas(machine::cache_line) std::byte values[together * 16];
        for (Extent k = 0; k < along().length; k += together, to += together * number_size()) {
            Extent const n = std::min(together, along().length - k);
            tile_convert(product_.vector_type, from + k * along().positions, step, product_.type, values,
                         static_cast<std::size_t>(n));
            product_.real == DType::f32 ? take_apart<float>(values, n, to, to + room)
                                        : take_apart<double>(values, n, to, to + room);
        }
    }
    template <class T>
    void take_apart(std::byte const* values, Extent count, std::byte* real, std::byte* imaginary) const {
        auto const* const from = reinterpret_cast<T const*>(values);
        T const sign = product_.conjugates_vector ? T{-1} : T{1};
        for (Extent k = 0; k < count; ++k) {
            reinterpret_cast<T*>(real)[k] = from[2 * k];
            reinterpret_cast<T*>(imaginary)[k] = sign * from[2 * k + 1];
        }
    }

    /// Sums of one chunk of columns: what is being added, their total, and what rounding lost of it.
    class Sums {
    public:
        Sums(Extent numbers, MatrixVector const& product)
            : product_(product),
              numbers_(numbers),
              bytes_(lines(static_cast<std::size_t>(numbers) * size_of(product.real))),
              memory_(6 * bytes_) {
            std::memset(memory_.data(), 0, 6 * bytes_);
        }
        std::byte* part(int vector) { return place(vector); }
        void clear_part() { std::memset(memory_.data(), 0, 2 * bytes_); }
        /// @param values  of each vector, `step` bytes from one's to the next's
        void add(std::byte const* values, std::size_t step) {
            for (int v = 0; v < product_.parts; ++v)
                product_.loops.add_total(place(2 + v), place(4 + v), values + static_cast<std::size_t>(v) * step,
                                         numbers_);
        }
        void add_part() { add(memory_.data(), bytes_); }
        /// The results, (real, imaginary) where they are complex.
        std::byte* finish() {
            product_.real == DType::f32 ? finish_as<float>() : finish_as<double>();
            return place(2);
        }

    private:
        std::byte* place(int number) { return memory_.data() + static_cast<std::size_t>(number) * bytes_; }
        template <class T>
        void finish_as() {
            for (int v = 0; v < product_.parts; ++v) {
                auto* const total = reinterpret_cast<T*>(place(2 + v));
                auto const* const low = reinterpret_cast<T const*>(place(4 + v));
                for (Extent k = 0; k < numbers_; ++k) total[k] += low[k];
            }
            if (product_.parts == 2) join_parts<T>();
        }
        template <class T>
        void join_parts() {
            auto* const by_real = reinterpret_cast<T*>(place(2));
            auto const* const by_imaginary = reinterpret_cast<T const*>(place(3));
            for (Extent k = 0; k < numbers_; k += 2) {
                by_real[k] -= by_imaginary[k + 1];
                by_real[k + 1] += by_imaginary[k];
            }
        }

        MatrixVector const& product_;
        Extent numbers_;
        std::size_t bytes_;
        Scratch memory_;
    };

    Extent number_size() const { return static_cast<Extent>(size_of(product_.real)); }
    Extent first_column(std::int64_t unit) const { return part_begin(columns().length, chunks_, unit % chunks_); }
    Extent numbers(std::int64_t unit) const {
        return (part_begin(columns().length, chunks_, unit % chunks_ + 1) - first_column(unit)) * product_.parts;
    }

    void add_all(Source const& from, std::int64_t unit, WorkerTeam& team) const {
        Sums sums(numbers(unit), product_);
        for (Extent part = 0; part < parts_; ++part) {
            if (part > 0) sums.clear_part();
            add_terms(from, unit, part, {sums.part(0), sums.part(1)}, team);
            sums.add_part();
        }
        store(from, unit, sums);
    }

    /// The same, threads making the parts.
    void add_parts(Source const& from, std::int64_t unit, WorkerTeam& team) const {
        std::size_t const bytes = lines(static_cast<std::size_t>(numbers(unit)) * size_of(product_.real));
        Scratch const made(2 * bytes * static_cast<std::size_t>(parts_));
        team.run(parts_, [&](std::int64_t part) {
            std::byte* const to = made.data() + 2 * bytes * static_cast<std::size_t>(part);
            std::memset(to, 0, 2 * bytes);
            add_terms(from, unit, part, {to, to + bytes}, team);
        });
        Sums sums(numbers(unit), product_);
        for (Extent part = 0; part < parts_; ++part)
            sums.add(made.data() + 2 * bytes * static_cast<std::size_t>(part), bytes);
        store(from, unit, sums);
    }

    void add_terms(Source const& from, std::int64_t unit, Extent part, std::array<std::byte*, 2> sums,
                   WorkerTeam& team) const {
        PositionOffsets const at = offsets_of(around_, unit / chunks_);
        Extent const batch = unit / chunks_ / (calls_ / batches_), bytes = product_.number_bytes();
        auto const* const matrix = static_cast<std::byte const*>(from.call.operands[product_.matrix]) + at.data +
                                   first_column(unit) * columns().data;
        auto const* const vector = static_cast<std::byte const*>(from.call.operands[product_.vector]) + at.positions;
        ColumnsCall call;
        call.row_step = along().data / bytes;
        call.width = numbers(unit);
        call.sums[0] = sums[0];
        call.sums[1] = sums[1];
        Extent const end = part_begin(terms_, parts_, part + 1);
        for (Extent term = part_begin(terms_, parts_, part); term < end; term += call.rows) {
            Extent const together = std::max<Extent>(8, machine::bytes_between_pauses / (call.width * bytes) / 8 * 8);
            call.rows = std::min({end - term, along().length - term % along().length, together});
            PositionOffsets const place = offsets_of(product_.labels.terms, term);
            call.a = matrix + place.data;
            std::byte const* const packed = from.factors + (batch * terms_ + term) * number_size();
            call.factors[0] = in_place_ ? vector + place.positions : packed;
            call.factors[1] = packed + from.room;
            product_.loops.add_rows(call);
            team.pause();
        }
    }

    void store(Source const& from, std::int64_t unit, Sums& sums) const {
        Extent const step = columns().output;
        std::byte* const to = static_cast<std::byte*>(from.call.output) + offsets_of(around_, unit / chunks_).output +
                              first_column(unit) * step;
        store_results(product_, sums.finish(), to, step, numbers(unit) / product_.parts);
    }

    MatrixVector product_;
    std::vector<PositionLabel> around_;  // batch labels, then rows that are no columns here
    Extent terms_, batches_, calls_ = 1, chunks_ = 1, parts_ = 1;
    bool in_place_ = false;  // the vector
};

}  // namespace

std::unique_ptr<PreparedKernel const> make_columns_kernel(MatrixVector const& product) {
    auto kernel = std::make_unique<ColumnsKernel>(product);
    return kernel->is_worth() ? std::move(kernel) : nullptr;
}

}  // namespace ein::executor
