// libFuzzer asks here for a change: half of them are its own, which grow by what it has seen, half keep the structure.
#include <cstring>

#include "tests/fuzz/mutate.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    ein::fuzz::Random random(seed);
    if (random.one_in(2) || size == 0) return LLVMFuzzerMutate(data, size, most);
    ein::fuzz::Bytes input(data, data + size);
    ein::fuzz::Bytes const before = input;
    for (std::size_t i = 0, count = 1 + random.below(3); i < count; ++i)
        ein::fuzz::mutate_structure(input, before, random);
    if (input.empty() || input.size() > most) return LLVMFuzzerMutate(data, size, most);
    std::memcpy(data, input.data(), input.size());
    return input.size();
}

/// Of two inputs: parts of the second in the first.
extern "C" std::size_t LLVMFuzzerCustomCrossOver(std::uint8_t const* first, std::size_t first_size,
                                                 std::uint8_t const* second, std::size_t second_size, std::uint8_t* out,
                                                 std::size_t most, unsigned seed) {
    ein::fuzz::Random random(seed);
    ein::fuzz::Bytes input(first, first + first_size);
    ein::fuzz::mutate_structure(input, ein::fuzz::Bytes(second, second + second_size), random);
    if (input.size() > most) input.resize(most);
    std::memcpy(out, input.data(), input.size());
    return input.size();
}
