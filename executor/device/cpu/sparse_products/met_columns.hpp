// Which columns of a row were met, as bits; they are taken in order.
// Example: of columns 70, 3 and 70, add gives 1, 1 and 0, and take visits 3, then 70.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ein::executor {

class MetColumns {
public:
    explicit MetColumns(std::size_t columns) : words_((columns + 63) / 64, 0), touched_((words_.size() + 63) / 64, 0) {}
    /// @return 1 if it is new
    std::uint64_t add(std::uint32_t column) {
        std::uint64_t& word = words_[column >> 6];
        std::uint64_t const bit = std::uint64_t{1} << (column & 63);
        std::uint64_t const is_new = (word & bit) == 0;
        word |= bit;
        touched_[column >> 12] |= std::uint64_t{1} << (column >> 6 & 63);
        return is_new;
    }
    /// visit(column) in ascending order; then none is met.
    template <class Visit>
    void take(Visit&& visit) {
        for (std::size_t t = 0; t < touched_.size(); ++t) {
            for (std::uint64_t some = touched_[t]; some != 0; some &= some - 1) {
                std::size_t const w = t * 64 + static_cast<std::size_t>(std::countr_zero(some));
                for (std::uint64_t word = words_[w]; word != 0; word &= word - 1)
                    visit(w * 64 + static_cast<std::size_t>(std::countr_zero(word)));
                words_[w] = 0;
            }
            touched_[t] = 0;
        }
    }

private:
    std::vector<std::uint64_t> words_, touched_;  // bits of columns, of words
};

}  // namespace ein::executor
