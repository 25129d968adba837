#include "executor/device/cpu/sparse/slots.hpp"

#include <algorithm>
#include <cstring>

#include "executor/device/cpu/scratch.hpp"
#include "executor/device/cpu/sparse/tuning.hpp"

namespace ein::executor {
namespace {

std::byte* at_a_line(std::vector<std::byte>& bytes) {
    auto const address = reinterpret_cast<std::uintptr_t>(bytes.data());
    return bytes.data() + (lines(address) - address);
}

std::uint64_t hashed(std::uint64_t key) { return key * 0x9e3779b97f4a7c15u >> 20; }

}  // namespace

Slots::Slots(Aggregator const& aggregator, std::uint64_t keys, std::size_t run, bool direct, std::size_t vector_tile)
    : aggregator_(aggregator),
      run_(run),
      plate_size_(std::max<std::size_t>(1, sparse_tuning::hashed_plate / std::max<std::size_t>(run, 1)) * run),
      direct_(direct),
      scratch_(aggregator.scratch_bytes(vector_tile) + machine::cache_line) {
    if (direct_) {
        met_.assign(static_cast<std::size_t>(keys), false);
        add_plate(static_cast<std::size_t>(keys) * run);
    } else {
        table_.assign(64, 0);
        slots_.assign(64, 0);
    }
}

Slots::Plate& Slots::add_plate(std::size_t size) {
    Plate& plate = plates_.emplace_back();
    plate.bytes.resize(aggregator_.state_bytes(size) + machine::cache_line);
    plate.tile = {at_a_line(plate.bytes), size, at_a_line(scratch_)};
    aggregator_.start(plate.tile);
    return plate;
}

std::size_t Slots::slot_of(std::uint64_t key) {
    if (!direct_) return hashed_slot(key);
    auto const number = static_cast<std::size_t>(key);
    if (!met_[number]) {
        met_[number] = true;
        keys_.push_back(key);
    }
    return number * run_;
}

std::size_t Slots::hashed_slot(std::uint64_t key) {
    std::size_t const mask = table_.size() - 1;
    std::size_t entry = static_cast<std::size_t>(hashed(key)) & mask;
    for (; table_[entry] != 0; entry = (entry + 1) & mask)
        if (table_[entry] == key + 1) return slots_[entry];
    if (2 * (keys_.size() + 1) > table_.size()) {
        grow();
        return hashed_slot(key);
    }
    table_[entry] = key + 1;
    slots_[entry] = keys_.size() * run_;
    keys_.push_back(key);
    while (plates_.size() * plate_size_ < keys_.size() * run_) add_plate(plate_size_);
    return slots_[entry];
}

void Slots::grow() {
    std::vector<std::uint64_t> const table = std::move(table_);
    std::vector<std::size_t> const slots = std::move(slots_);
    table_.assign(table.size() * 2, 0);
    slots_.assign(table.size() * 2, 0);
    std::size_t const mask = table_.size() - 1;
    for (std::size_t from = 0; from < table.size(); ++from) {
        if (table[from] == 0) continue;
        std::size_t entry = static_cast<std::size_t>(hashed(table[from] - 1)) & mask;
        while (table_[entry] != 0) entry = (entry + 1) & mask;
        table_[entry] = table[from];
        slots_[entry] = slots[from];
    }
}

std::vector<std::uint64_t> const& Slots::met_keys() {
    std::sort(keys_.begin(), keys_.end());
    return keys_;
}

void Slots::assign(std::size_t slot, void const* values, std::size_t count) {
    Plate& plate = plate_of(slot);
    std::memcpy(plate.tile.state + slot * element_bytes(), values, count * element_bytes());
}

void Slots::combine(std::size_t slot, void const* values, std::size_t count) {
    Plate& plate = plate_of(slot);
    aggregator_.combine(plate.tile, slot, values, count);
}

void Slots::combine_all(std::size_t slot, void const* values, std::size_t count) {
    Plate& plate = plate_of(slot);
    aggregator_.rows(plate.tile, slot, values, 1, count);
}

void Slots::combine_rows(std::size_t slot, void const* values, std::size_t rows, std::size_t count) {
    Plate& plate = plate_of(slot);
    aggregator_.columns(plate.tile, slot, values, rows, count);
}

void Slots::assign_scattered(std::span<std::size_t const> slots, std::byte const* values) {
    for (std::size_t i = 0; i < slots.size(); ++i) assign(slots[i], values + i * element_bytes(), 1);
}

void Slots::combine_scattered(std::span<std::size_t const> slots, std::byte const* values) {
    if (direct_) return aggregator_.scatter(plates_.front().tile, slots, values);
    for (std::size_t i = 0; i < slots.size(); ++i) combine(slots[i], values + i * element_bytes(), 1);
}

void const* Slots::finish(std::size_t slot, std::size_t count) {
    Plate& plate = plate_of(slot);
    return aggregator_.finish(plate.tile, slot, count);
}

void Slots::clear() {
    if (direct_ && 2 * keys_.size() > met_.size()) {
        aggregator_.start(plates_.front().tile);
        std::fill(met_.begin(), met_.end(), false);
        keys_.clear();
        return;
    }
    std::size_t number = 0;
    for (std::uint64_t key : keys_) {
        std::size_t slot = direct_ ? static_cast<std::size_t>(key) * run_ : number++ * run_;
        Plate& plate = plate_of(slot);
        aggregator_.start(plate.tile, slot, run_);
        if (direct_) met_[static_cast<std::size_t>(key)] = false;
    }
    if (!direct_) {
        std::fill(table_.begin(), table_.end(), 0);
        plates_.resize(std::min<std::size_t>(plates_.size(), (keys_.size() * run_ + plate_size_ - 1) / plate_size_));
    }
    keys_.clear();
}

}  // namespace ein::executor
