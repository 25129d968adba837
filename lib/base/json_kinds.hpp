// A value of another kind than is expected, and how what it holds would be written: a list for an object of named
// entries, a number for a string of digits. Which kind is expected where is said by the readers (json.hpp).
// Example: mend_kind(JsonKind::integer, "4") is: write 4, without quotes.
#pragma once

#include <string>

#include "lib/base/json_fwd.hpp"

namespace ein {

enum class JsonKind { string, integer, number, boolean, object, list };

/// "an object", "true or false": what is expected, for messages.
std::string expected_text(JsonKind kind);

/// What to write in place of a value that is of another kind. @param otherwise  where what was found does not say it
std::string mend_kind(JsonKind wanted, Json const& found, std::string const& otherwise = "");

}  // namespace ein
