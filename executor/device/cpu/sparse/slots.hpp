// Accumulators of one row of the output, found by a key: all keys there may be, side by side, or only those that are
// met, by hashing. A key has `run` accumulators, side by side: the labels that a vector tile runs along are not in it.
// Slots that were met are known. Example: with run 8, slot_of(3) is 24 where all keys have slots.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "executor/device/cpu/loops/aggregator.hpp"

namespace ein::executor {

class Slots {
public:
    /// @param keys  from 0 to here  @param direct  every key has a slot
    Slots(Aggregator const& aggregator, std::uint64_t keys, std::size_t run, bool direct, std::size_t vector_tile);

    std::size_t element_bytes() const { return aggregator_.element_bytes(); }
    std::size_t run() const { return run_; }
    std::size_t short_row() const { return aggregator_.short_row(); }
    /// The first accumulator of a key, which is met now.
    std::size_t slot_of(std::uint64_t key);
    bool is_met(std::uint64_t key) const { return direct_ && met_[static_cast<std::size_t>(key)]; }
    /// In ascending order.
    std::vector<std::uint64_t> const& met_keys();

    void assign(std::size_t slot, void const* values, std::size_t count);
    void combine(std::size_t slot, void const* values, std::size_t count);
    /// All into one accumulator.
    void combine_all(std::size_t slot, void const* values, std::size_t count);
    /// Each row of values, one after another.
    void combine_rows(std::size_t slot, void const* values, std::size_t rows, std::size_t count);
    /// Each value into an accumulator of its own, in order.
    void assign_scattered(std::span<std::size_t const> slots, std::byte const* values);
    void combine_scattered(std::span<std::size_t const> slots, std::byte const* values);
    /// Results of a run, from one accumulator on; asked once for each.
    void const* finish(std::size_t slot, std::size_t count);
    /// Nothing is met any more.
    void clear();

private:
    struct Plate {  // accumulators that are reserved together
        std::vector<std::byte> bytes;
        Aggregator::Tile tile;
    };
    Plate& add_plate(std::size_t size);
    Plate& plate_of(std::size_t& slot) {
        if (direct_) return plates_.front();
        std::size_t const number = slot / plate_size_;
        slot %= plate_size_;
        return plates_[number];
    }
    std::size_t hashed_slot(std::uint64_t key);
    void grow();

    Aggregator const& aggregator_;
    std::size_t run_, plate_size_;
    bool direct_;
    std::vector<std::byte> scratch_;
    std::deque<Plate> plates_;
    std::vector<bool> met_;             // by key
    std::vector<std::uint64_t> keys_;   // those met
    std::vector<std::uint64_t> table_;  // of a hash table: key + 1, or 0
    std::vector<std::size_t> slots_;    // of its entries
};

}  // namespace ein::executor
