// Sets of cores as Linux writes them, and keeping this process to some.
// Example: cores_from_list("0-2,8") is {0, 1, 2, 8}, and list_of_cores({0, 1, 2, 8}) is "0-2,8".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ein::executor {

/// Ascending; nothing where it is no such list.
std::vector<int> cores_from_list(std::string_view text);
std::string list_of_cores(std::vector<int> const& cores);

/// Keeps the calling thread, and threads that it makes from now on, to those of `near` that are among `allowed`, where
/// the launcher has left it all `online` cores to choose from. @return the cores that it may use then
std::vector<int> settle_near(std::vector<int> const& near, std::vector<int> const& allowed, int online);

}  // namespace ein::executor
