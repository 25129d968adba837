// Which threads may touch an emulated device's memory from outside, as a GPU's context says for MPI and other
// libraries: those that have entered it.
// Example: context.own(memory, 4096); check_emulated_access(memory) throws until this thread calls context.enter().
#pragma once

#include <cstddef>
#include <cstdint>

namespace ein::executor {

class EmulatedContext {
public:
    EmulatedContext();
    ~EmulatedContext();  // its memory is nobody's
    EmulatedContext(EmulatedContext const&) = delete;
    EmulatedContext& operator=(EmulatedContext const&) = delete;

    void own(std::byte const* memory, std::int64_t bytes) const;
    void enter() const;

private:
    std::int64_t const number_;
};

/// @throws InternalError for memory of an emulated device that this thread has not entered, or not entered last
void check_emulated_access(void const* memory);

}  // namespace ein::executor
