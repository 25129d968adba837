#include "apps/graph_inputs.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>

#include "lib/base/error.hpp"
#include "lib/tensor/read.hpp"

namespace ein::apps {

std::pair<std::string, std::string> name_and_value(std::string const& option, std::string const& text) {
    auto const equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
        throw UsageError(option + ": expected NAME=" + (option == "--set" ? "NUMBER" : "FILE") + ", found '" + text +
                         "'");
    return {text.substr(0, equals), text.substr(equals + 1)};
}

namespace {
[[noreturn]] void unknown(std::string const& option, std::string const& what, std::string const& name,
                          std::vector<std::string> const& known) {
    std::string const near = nearest_name(name, known);
    throw UsageError(option + ": expected the name of a " + what + ", found '" + name + "'" +
                     (near.empty() ? known.empty() ? "; the graph has none"
                                                   : "; the graph has " + one_of(std::span(known).first(
                                                                              std::min<std::size_t>(known.size(), 8)))
                                   : "; did you mean '" + near + "'?"));
}

/// The second of two values for one name.
[[noreturn]] void given_twice(std::string const& option, std::string const& name) {
    throw UsageError(option + " " + name + ": expected it once, found it twice; leave one out");
}
}  // namespace

std::vector<std::pair<std::size_t, tensor::Source>> given_sources(std::vector<std::string> const& texts,
                                                                  std::vector<std::string> const& names) {
    std::vector<std::pair<std::size_t, tensor::Source>> out;
    for (std::string const& text : texts) {
        auto const [name, file] = name_and_value("--input", text);
        auto const at = std::find(names.begin(), names.end(), name);
        if (at == names.end()) unknown("--input", "tensor that the graph reads", name, names);
        auto const place = static_cast<std::size_t>(at - names.begin());
        if (std::any_of(out.begin(), out.end(), [&](auto const& earlier) { return earlier.first == place; }))
            given_twice("--input", name);
        out.emplace_back(place, tensor::source_for_file(std::filesystem::absolute(file).string(), name));
    }
    return out;
}

scalar::Params given_params(std::vector<std::string> const& texts, scalar::Params params) {
    std::vector<std::string> known;
    for (auto const& [name, value] : params) known.push_back(name);
    std::set<std::string> given;
    for (std::string const& text : texts) {
        auto const [name, number] = name_and_value("--set", text);
        if (!params.count(name)) unknown("--set", "param", name, known);
        if (!given.insert(name).second) given_twice("--set", name);
        double value = 0;
        auto const [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
        if (error != std::errc{} || end != number.data() + number.size())
            throw UsageError("--set " + name + ": expected a number, found '" + number + "'");
        params[name] = value;
    }
    return params;
}

}  // namespace ein::apps
