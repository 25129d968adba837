// Memory that is still held but whose contents nobody reads again, given back to the system page by page.
// Example: of an array that is copied from its beginning on, what was copied.
#pragma once

#include <cstddef>
#include <span>

namespace ein {

/// Whole pages inside `memory` are zeros from now on, or what they were, and take none of the machine's memory until
/// they are written.
void release_pages(std::span<std::byte> memory);

}  // namespace ein
