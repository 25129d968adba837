#include "apps/graph_inputs.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <set>

#include "lib/base/error.hpp"
#include "lib/base/text/near_names.hpp"
#include "lib/tensor/read.hpp"

namespace ein::apps {

namespace {

/// What was given, with what it lacks: "A=A.npy" for "A.npy", "eta=0.1" for "eta".
std::string example_with(std::string const& option, std::string const& text, std::size_t equals) {
    std::string const value = option == "--set" ? "0.1" : "a.npy";
    if (text.empty()) return option == "--set" ? "eta=0.1" : "A=a.npy";
    if (equals == 0) return (option == "--set" ? "eta" : "A") + text;
    if (equals != std::string::npos) return text + value + ", without blanks";
    bool const is_file = option == "--input" && std::filesystem::path(text).has_extension();
    return is_file ? std::filesystem::path(text).stem().string() + "=" + text : text + "=" + value;
}

}  // namespace

std::pair<std::string, std::string> name_and_value(std::string const& option, std::string const& text) {
    auto const equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
        throw UsageError(option + ": expected NAME=" + (option == "--set" ? "NUMBER" : "FILE") + ", found '" + text +
                         "'; write " + option + " " + example_with(option, text, equals));
    return {text.substr(0, equals), text.substr(equals + 1)};
}

std::pair<std::string, std::string> name_and_file(std::string const& text, std::vector<std::string> const& names) {
    for (auto equals = text.find('='); equals != std::string::npos; equals = text.find('=', equals + 1)) {
        std::string name = text.substr(0, equals);
        if (equals + 1 < text.size() && std::find(names.begin(), names.end(), name) != names.end())
            return {std::move(name), text.substr(equals + 1)};
    }
    return name_and_value("--input", text);
}

namespace {
/// Elements and nothing else are what a file is taken for whose name says nothing; of these it says something else.
void check_kind(std::string const& name, std::string const& file) {
    constexpr std::array texts{".csv", ".tsv",  ".txt",     ".json", ".pt", ".pth",
                               ".h5",  ".hdf5", ".parquet", ".mat",  ".gz"};
    std::string const extension = std::filesystem::path(file).extension().string();
    if (std::find(texts.begin(), texts.end(), extension) != texts.end())
        throw UsageError("--input " + name +
                         ": expected a file of elements (.npy, .npz, .safetensors, or raw ones as .bin), found '" +
                         file + "'; write it as one of these, as numpy.save does");
}

/// "A=A.npy,B=B.npy": several files behind one --input.
void refuse_list(std::string const& name, std::string const& file, std::vector<std::string> const& names) {
    std::error_code error;
    if (std::filesystem::exists(file, error)) return;
    for (auto comma = file.find(','); comma != std::string::npos; comma = file.find(',', comma + 1)) {
        std::string const rest = file.substr(comma + 1);
        std::string const other = rest.substr(0, rest.find('='));
        if (rest.find('=') == std::string::npos || std::find(names.begin(), names.end(), other) == names.end())
            continue;
        throw UsageError("--input " + name + ": expected one file, found '" + file +
                         "'; write --input once for each: --input " + name + "=" + file.substr(0, comma) + " --input " +
                         rest);
    }
}

/// What people set that is written in the graph, or "".
std::string mend_setting(std::string const& name, bool has_params) {
    constexpr std::array written{"dtype", "shape", "times", "max", "low", "high", "mean", "std", "density", "fill"};
    if (name == "seed")
        return "a seed stands in the data of its tensor: change it there, \"data\": {\"random\": \"uniform\", "
               "\"seed\": "
               "5}, and plan again";
    if (std::ranges::find(written, name) != written.end())
        return "\"" + name + "\" stands in the graph: change it there, and plan again";
    return has_params
               ? ""
               : "the graph has none; \"params\": {\"" + name + "\": 1} in it makes one, which joins read by name";
}

/// @param others  names that the other one of --input and --set takes
[[noreturn]] void unknown(std::string const& option, std::string const& what, std::string const& name,
                          std::vector<std::string> const& known, std::vector<std::string> const& others) {
    bool const is_other = std::ranges::find(others, name) != others.end();
    std::string const other =
        option == "--set" ? "a tensor: write --input " + name + "=FILE" : "a param: write --set " + name + "=NUMBER";
    std::string const setting = option == "--set" ? mend_setting(name, !known.empty()) : "";
    throw UsageError(Fault{"", option, "the name of a " + what, "'" + name + "'",
                           is_other           ? "it is " + other
                           : !setting.empty() ? setting
                                              : mend_names(name, known, "the graph")});
}

/// The second of two values for one name.
[[noreturn]] void given_twice(std::string const& option, std::string const& name) {
    throw UsageError(option + " " + name + ": expected it once, found it twice; leave one out");
}
}  // namespace

std::vector<std::pair<std::size_t, tensor::Source>> given_sources(std::vector<std::string> const& texts,
                                                                  std::vector<std::string> const& names,
                                                                  std::vector<std::string> const& params) {
    std::vector<std::pair<std::size_t, tensor::Source>> out;
    for (std::string const& text : texts) {
        auto const [name, file] = name_and_file(text, names);
        auto const at = std::find(names.begin(), names.end(), name);
        if (at == names.end()) unknown("--input", "tensor that the graph reads", name, names, params);
        auto const place = static_cast<std::size_t>(at - names.begin());
        if (std::any_of(out.begin(), out.end(), [&](auto const& earlier) { return earlier.first == place; }))
            given_twice("--input", name);
        refuse_list(name, file, names);
        check_kind(name, file);
        out.emplace_back(place, tensor::source_for_file(std::filesystem::absolute(file).string(), name));
    }
    return out;
}

namespace {

/// "1e-3,mu=0.9": several behind one --set. "0,1": a comma for a point.
std::string mend_number(std::string const& name, std::string const& number) {
    auto const comma = number.find(',');
    if (comma == std::string::npos) return "";
    std::string const first = number.substr(0, comma), rest = number.substr(comma + 1);
    if (rest.find('=') != std::string::npos)
        return "; write --set once for each: --set " + name + "=" + first + " --set " + rest;
    return "; write --set " + name + "=" + first + "." + rest;
}

}  // namespace

scalar::Params given_params(std::vector<std::string> const& texts, scalar::Params params,
                            std::vector<std::string> const& tensors) {
    std::vector<std::string> known;
    for (auto const& [name, value] : params) known.push_back(name);
    std::set<std::string> given;
    for (std::string const& text : texts) {
        auto const [name, number] = name_and_value("--set", text);
        if (!params.count(name)) unknown("--set", "param", name, known, tensors);
        if (!given.insert(name).second) given_twice("--set", name);
        double value = 0;
        auto const [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
        if (error != std::errc{} || end != number.data() + number.size())
            throw UsageError("--set " + name + ": expected a number, found '" + number + "'" +
                             mend_number(name, number));
        params[name] = value;
    }
    return params;
}

}  // namespace ein::apps
