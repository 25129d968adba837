// Accumulators of one tile of outputs, and vector tiles of values combined into them. The one place that knows that
// some aggregations keep two numbers where others keep one: logsumexp (the largest value, and the sum of exponentials
// relative to it), and sums whose totals are exact (the total, and what rounding lost of it).
// Leaves the order of vector tiles to the loop kernel. All values are in the accumulate type's register type, or in a
// narrower one that sums of integers widen.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "executor/device/cpu/loops/tile_aggregate.hpp"
#include "lib/scalar/program/program.hpp"

namespace ein::executor {

/// Which sums of reals and complex numbers are added without loss of what rounding drops, so that long sums err no more
/// than pairwise ones.
enum class ExactTotals : std::uint8_t {
    none,             // each value is added where it is
    of_vector_tiles,  // a vector tile's values are added first, then their sum to the total
    of_values         // each value is added to the total
};

class Aggregator {
public:
    /// @param values  their type, where integers are summed in a wider one: nothing of it if they are as wide
    /// @return nothing for what is left to the reference: logsumexp, min and max of complex numbers
    static std::optional<Aggregator> make(scalar::Agg agg, DType type, ExactTotals exact = ExactTotals::none,
                                          std::optional<DType> values = {});
    /// Whether sums of integers of `values` into `type` have loops.
    static bool widens(scalar::Agg agg, DType values, DType type);
    /// From now on which of equal zeros, or of nans, is the best, and in which order terms are added, depends on the
    /// terms alone, not on who lies beside.
    void keep_order() { any_order_ = folds_ = false; }
    /// Whether several rows of narrow columns are combined as one, and what comes is folded.
    bool folds() const { return folds_; }

    std::size_t element_bytes() const { return element_; }  // of an accumulator
    std::size_t value_bytes() const { return value_; }
    std::size_t state_bytes(std::size_t tile) const;           // accumulators of `tile` outputs
    std::size_t scratch_bytes(std::size_t vector_tile) const;  // for vector tiles of at most `vector_tile` values

    /// The accumulators of one tile.
    struct Tile {
        std::byte* state;
        std::size_t size;  // outputs
        std::byte* scratch;
    };
    void start(Tile const& tile) const;
    /// Some of them anew.
    void start(Tile const& tile, std::size_t at, std::size_t count) const;
    /// acc[at + r] with each row of values; acc[at + c] with each column; acc[at + i] with values[i].
    void rows(Tile const& tile, std::size_t at, void const* values, std::size_t rows, std::size_t columns) const;
    void columns(Tile const& tile, std::size_t at, void const* values, std::size_t rows, std::size_t columns) const;
    /// acc[at + r][c] with values[r][k][c] for each of `terms` k in turn; where there are loops for that.
    void middle(Tile const& tile, std::size_t at, void const* values, std::size_t rows, std::size_t terms,
                std::size_t columns) const;
    bool has_middle() const { return of_values_.middle != nullptr; }
    void combine(Tile const& tile, std::size_t at, void const* values, std::size_t count) const;
    /// acc[at[i]] with values[i], one after another.
    void scatter(Tile const& tile, std::span<std::size_t const> at, void const* values) const;
    /// Values of an output that are combined sooner one by one, with those of other outputs, than as a row: so many.
    std::size_t short_row() const { return logarithms_ ? 0 : exact_ == ExactTotals::none ? 16 : 4; }
    /// Whether rows of columns may lie apart: `columns_apart` is for these.
    bool takes_rows_apart() const { return exact_ == ExactTotals::none; }
    void columns_apart(Tile const& tile, std::size_t at, void const* values, std::ptrdiff_t step, std::size_t rows,
                       std::size_t columns) const;
    /// The results of `count` outputs, ready to be stored. Asked once for each output.
    void const* finish(Tile const& tile, std::size_t at, std::size_t count) const;
    /// held[i] = held[i] combined with values[i]: plain results, as blocks hold them.
    void merge(void* held, void const* values, std::size_t count, std::byte* scratch) const;

private:
    struct Logarithms;
    std::size_t planes() const;  // of numbers that accumulators keep
    bool turns(std::size_t rows, std::size_t columns) const;
    bool fold_columns(Tile const& tile, std::size_t at, void const* values, std::size_t rows,
                      std::size_t columns) const;
    void add_values(Tile const& tile, std::size_t at, void const* values, std::size_t rows, std::size_t columns) const;
    void logarithms_apart(Tile const& tile, std::size_t at, std::byte const* values, std::ptrdiff_t step,
                          std::size_t rows, std::size_t columns) const;
    std::byte* second_plane(Tile const& tile, std::size_t at) const;

    TileAggregate loops_;
    TileAggregate of_values_;  // the same, unless values are narrower
    std::size_t element_ = 0, value_ = 0;
    bool any_order_ = false;  // combined in any order values give the same bits
    bool folds_ = false;      // narrow columns, in an order that follows from their shape
    bool grouped_ = false;    // rows of any length have loops that take several together
    ExactTotals exact_ = ExactTotals::none;
    alignas(16) std::byte identity_[16] = {};
    std::shared_ptr<Logarithms const> logarithms_;  // of logsumexp only
};

/// Fills `count` elements of `size` bytes with one element.
void repeat_element(void* to, void const* element, std::size_t size, std::size_t count);

}  // namespace ein::executor
