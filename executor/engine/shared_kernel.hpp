// A kernel cut in pieces, which idle workers may take too. Who runs it lends it to the others (RunState::lend); every
// thread takes pieces until none is left. Results do not depend on who takes which.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "lib/base/ids.hpp"

namespace ein::executor {

struct SharedKernel {
    TaskId task;
    std::function<void(std::int64_t)> const* piece = nullptr;
    std::int64_t pieces = 0;
    std::atomic<std::int64_t> next{0};

    bool has_pieces() const { return next.load(std::memory_order_relaxed) < pieces; }
};

}  // namespace ein::executor
