// Documents with one value of another type: what reads JSON from outside refuses them as bad input, whatever the place.
// Example: for {"a": [1]} there are documents such as {"a": "text"}, {"a": [null]} and {"a": [{"x": 1}]}.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/base/json.hpp"

namespace ein::test {

/// Calls `take` with such documents and the place of the odd value: two for each place, of types in turn.
inline void for_each_other_type(Json document, std::function<void(Json const&, std::string const&)> const& take) {
    static std::vector<Json> const odd{
        nullptr, true, 7, -0.5, "text", Json::array({1, "x"}), Json{{"x", 1}}, -9223372036854775807};
    std::vector<std::string> places;
    Json const flat = document.flatten();
    for (auto const& [place, unused] : flat.items())  // and each list and object on the way
        for (std::size_t end = place.find('/', 1); !place.empty(); end = place.find('/', end + 1)) {
            std::string const part = place.substr(0, end);
            if (places.empty() || std::find(places.begin(), places.end(), part) == places.end()) places.push_back(part);
            if (end == std::string::npos) break;
        }
    std::size_t next = 0;
    for (std::string const& place : places) {
        Json& at = document.at(Json::json_pointer(place));
        Json const right = at;
        for (int k = 0; k < 2; ++k) {
            at = odd[next++ % odd.size()];
            take(document, place + " is " + at.dump());
        }
        ++next;
        at = right;
    }
}

/// The places for which `read` throws anything but InputError, with what it threw.
inline std::vector<std::string> badly_refused(Json const& document, std::function<void(Json const&)> const& read) {
    std::vector<std::string> out;
    for_each_other_type(document, [&](Json const& odd, std::string const& place) {
        try {
            read(odd);
        } catch (InputError const&) {
        } catch (std::exception const& error) {
            out.push_back(place + ": " + error.what());
        }
    });
    return out;
}

}  // namespace ein::test
