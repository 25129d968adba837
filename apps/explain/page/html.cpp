#include "apps/explain/page/picture.hpp"
#include "apps/explain/print.hpp"

namespace ein::apps::explain {

extern char const page_template[];  // page.html with its style and scripts, embedded when this is built

namespace {

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

void put(std::string& page, std::string_view place, Json const& json) {
    page.replace(page.find(place), place.size(), embedded(json));
}

}  // namespace

std::string to_html(Explanation const& explanation) {
    std::string out = page_template;
    put(out, "@PICTURE@", to_json(picture_of(explanation.nodes)));
    put(out, "@EXPLANATION@", to_json(explanation));
    return out;
}

}  // namespace ein::apps::explain
