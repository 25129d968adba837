// XXH3, 64 bits, of bytes that come in parts. The same bytes have the same hash on every machine; finds damage, no
// defence against malice. Example: hash_of({}) is 0x2d06800538d394c2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace ein::executor {

class ElementHash {
public:
    ElementHash();
    ~ElementHash();
    void add(std::span<std::byte const> bytes);
    std::uint64_t value() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

std::uint64_t hash_of(std::span<std::byte const> bytes);

}  // namespace ein::executor
