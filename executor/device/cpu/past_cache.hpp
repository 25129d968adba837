// Stores that go past the cache, for outputs that leave it before anyone reads them: a line that is written whole need
// not be read first, which is a third of an elementwise kernel's traffic. Leaves to kernels whether an output is so
// large. Example: copy_past_cache(to, from, 4096); ...; finish_past_cache();
#pragma once

#include <cstddef>

namespace ein::executor {

/// As memcpy; whole lines of `to` are written past the cache.
void copy_past_cache(void* to, void const* from, std::size_t bytes);

/// To be called when a thread has written: others see its stores from here on.
void finish_past_cache();

}  // namespace ein::executor
