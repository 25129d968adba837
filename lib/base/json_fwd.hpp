// The name of our JSON values, for headers that only mention them. What reads and writes them is in json.hpp, which
// costs a compiler much more. Example: Json to_json(Schedule const& schedule); needs this header where it is declared,
// json.hpp where it is called.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace ein {

using Json = nlohmann::json;  // object keys sorted: what we write is the same every time

}  // namespace ein
