// Sets of labels as rows of bits, for searches that compare millions of orders: unions and sizes are a few words each.
// Labels of one extent share words, so the size of a set is a count of bits times a logarithm.
// Example: labels a, b of extent 2 and c of 3: two words, (a, b) and (c); log2 of the size of {a, c} is 1 + 1.58.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "lib/graph/contract/network.hpp"

namespace ein::graph {

class LabelSets {
public:
    using Word = std::uint64_t;

    explicit LabelSets(Network const& network);

    std::size_t words() const { return words_; }
    /// Sets the bit of a label of the network.
    void insert(Word* row, int label) const;
    std::vector<int> labels(Word const* row) const;  // sorted
    /// Of the labels that the output has.
    std::vector<Word> const& kept() const { return kept_; }

    /// log2 of the elements of a tensor with these labels.
    double log_size(Word const* row) const {
        double sum = 0;
        for (std::size_t w = 0; w < words_; ++w)
            if (row[w] != 0) sum += log_of(w, row[w]);
        return sum;
    }
    /// The same of the union of two.
    double log_size(Word const* a, Word const* b) const {
        double sum = 0;
        for (std::size_t w = 0; w < words_; ++w)
            if (Word const both = a[w] | b[w]; both != 0) sum += log_of(w, both);
        return sum;
    }

private:
    double log_of(std::size_t w, Word bits) const {
        if (log_of_word_[w] > 0) return log_of_word_[w] * std::popcount(bits);
        double sum = 0;
        for (; bits != 0; bits &= bits - 1)
            sum += log_of_bit_[64 * w + static_cast<std::size_t>(std::countr_zero(bits))];
        return sum;
    }

    std::size_t words_ = 0;
    std::vector<int> bit_of_label_, label_of_bit_;
    std::vector<double> log_of_bit_, log_of_word_;  // of a word: 0 where its labels differ
    std::vector<Word> kept_;
};

}  // namespace ein::graph
