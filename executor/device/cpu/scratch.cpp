#include "executor/device/cpu/scratch.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "executor/device/cpu/machine.hpp"
#include "lib/base/error.hpp"

namespace ein::executor {
namespace {

constexpr std::align_val_t alignment{machine::cache_line};

struct Free {
    void operator()(std::byte* data) const { ::operator delete(data, alignment); }
};

std::byte* allocate(std::size_t bytes) {
    try {
        return static_cast<std::byte*>(::operator new(bytes, alignment));
    } catch (std::bad_alloc const&) {
        throw MemoryError("working memory of a kernel: expected " + std::to_string(bytes) +
                          " bytes more, found none; run on more ranks or cut the tensors into more parts");
    }
}

struct Stack {
    std::unique_ptr<std::byte, Free> data{allocate(machine::scratch_stack)};
    std::size_t used = 0, peak = 0;
};

Stack& stack() {
    thread_local Stack mine;
    return mine;
}

}  // namespace

Scratch::Scratch(std::size_t bytes) : bytes_(lines(bytes)) {
    Stack& mine = stack();
    on_stack_ = bytes_ <= machine::scratch_stack - mine.used;
    data_ = on_stack_ ? mine.data.get() + mine.used : allocate(bytes_);
    if (on_stack_) mine.used += bytes_;
    mine.peak = std::max(mine.peak, mine.used);
}

Scratch::~Scratch() {
    if (on_stack_)
        stack().used -= bytes_;
    else
        Free{}(data_);
}

std::size_t Scratch::take_peak() { return std::exchange(stack().peak, stack().used); }

}  // namespace ein::executor
