#include "apps/explain/print.hpp"

namespace ein::apps::explain {

extern char const page_template[];  // page.html, embedded when this is built

namespace {

constexpr std::string_view place = "@EXPLANATION@";

/// JSON that may stand inside a script element: "</script>" and "<!--" cannot occur in it.
std::string embedded(Json const& json) {
    std::string out;
    for (char c : json.dump(-1, ' ', false, Json::error_handler_t::replace))
        if (c == '<')
            out += "\\u003c";
        else
            out += c;
    return out;
}

}  // namespace

std::string to_html(Explanation const& explanation) {
    std::string out = page_template;
    return out.replace(out.find(place), place.size(), embedded(to_json(explanation)));
}

}  // namespace ein::apps::explain
