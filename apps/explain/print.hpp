// An Explanation for people and for programs: text for a terminal, JSON, and a page for a browser. No figure is
// computed here.
#pragma once

#include <string>

#include "apps/explain/explanation.hpp"
#include "lib/base/json.hpp"

namespace ein::apps::explain {

/// At most 100 columns; nodes that differ in names alone are shown once.
std::string to_text(Explanation const& explanation);

Json to_json(Explanation const& explanation);
Json to_json(NodeReport const& report);

/// One page that needs nothing else.
std::string to_html(Explanation const& explanation);

}  // namespace ein::apps::explain
