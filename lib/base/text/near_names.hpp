// Names that are like one that nobody knows, and the one way in which messages ask whether they were meant: in double
// quotes, as JSON writes them, whatever the name is of. Files that are like a missing one are in files/missing_path.
// Example: mend_name("einsun", {"einsum", "inputs"}) is: did you mean "einsum"?
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ein {

/// The name among `known` most like `name`, or "" when none is near: one that differs in capitals alone, else by a few
/// edits that leave its first letter, or one edit, of equally near ones the first whose length differs least. Words
/// that mean something else elsewhere and look like ours are not its business: tables say what to write for them.
std::string nearest_name(std::string_view name, std::span<std::string const> known);

/// did you mean "greedy"?
std::string did_you_mean(std::string_view meant);

/// The same of the nearest name; where none is near, `otherwise`.
std::string mend_name(std::string_view name, std::span<std::string const> known, std::string otherwise = "");

/// did you mean "a", "b" or "c"? When nothing is near, what there is: "the file has among others ...".
/// @param holder  what has the names: "the file"
std::string mend_names(std::string_view name, std::vector<std::string> known, std::string const& holder);

/// A mend and what else may be done: "check its name, or X", "did you mean "A.npy"? or X".
std::string or_else(std::string const& mend, std::string const& other);

}  // namespace ein
