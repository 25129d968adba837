#include "executor/run/messages.hpp"

namespace ein::executor {

std::string first_said(Transport& transport, std::string const& mine) {
    for (std::string& text : transport.all_gather(mine))
        if (!text.empty()) return std::move(text);
    return "";
}

}  // namespace ein::executor
