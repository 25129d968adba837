// How a damaged part of a schedule file is refused.
#pragma once

#include <string>

namespace ein::schedule {

/// @param file  names the file in the error  @throws InputError always
[[noreturn]] void damaged(std::string const& file, std::string const& found);

}  // namespace ein::schedule
