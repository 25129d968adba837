#include <algorithm>
#include <charconv>
#include <cmath>

#include "apps/eintool/make/graph_kind.hpp"
#include "lib/base/error.hpp"

namespace ein::apps::tool {
namespace {

std::string names_of(std::vector<SizeOf> const& sizes) {
    std::string out;
    for (SizeOf const& size : sizes) out += (out.empty() ? "" : " ") + size.name;
    return out.empty() ? "none" : out;
}

/// The kinds that have an option, for whoever gave it to another one.
std::string owners(std::string const& option) {
    std::vector<std::string> names;
    for (GraphKind const& kind : graph_kinds())
        if (std::any_of(kind.options.begin(), kind.options.end(), [&](Option const& o) { return o.name == option; }))
            names.push_back(kind.name);
    return one_of(names);
}

std::string number_text(double value) {
    if (std::trunc(value) == value) return std::to_string(static_cast<Extent>(value));
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

template <class Number>
bool is_within(std::string const& text, double least, double most) {
    Number value{};
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() && static_cast<double>(value) >= least &&
           static_cast<double>(value) <= most;
}

/// What may be given, in words; empty where `text` is that.
std::string expectation(Option const& option, std::string const& text) {
    auto const range = " from " + number_text(option.least) + " to " + number_text(option.most);
    switch (option.value) {
        case OptionValue::flag: return "";
        case OptionValue::extent:
            return is_within<Extent>(text, option.least, option.most) ? "" : "a whole number" + range;
        case OptionValue::number: return is_within<double>(text, option.least, option.most) ? "" : "a number" + range;
        case OptionValue::word:
            return std::count(option.words.begin(), option.words.end(), text) ? "" : one_of(option.words);
    }
    throw InternalError("an option of no known value");
}

}  // namespace

Request::Request(GraphKind const& kind, Wanted const& wanted) : kind_(kind) {
    take_sizes(wanted.sizes);
    take_options(wanted.options);
    take_dtype(wanted.dtype);
}

void Request::take_sizes(std::vector<Extent> const& given) {
    if (given.size() > kind_.sizes.size())
        throw UsageError("make " + kind_.name + ": expected at most " + std::to_string(kind_.sizes.size()) +
                         " sizes (" + names_of(kind_.sizes) + "), found " + std::to_string(given.size()));
    for (std::size_t k = 0; k < kind_.sizes.size(); ++k)
        sizes_[kind_.sizes[k].name] = k < given.size() ? given[k] : kind_.sizes[k].by_default;
}

void Request::take_options(std::map<std::string, std::string> const& given) {
    for (Option const& option : kind_.options)
        if (!option.by_default.empty()) options_[option.name] = option.by_default;
    for (auto const& [name, text] : given) {
        auto const option = std::find_if(kind_.options.begin(), kind_.options.end(),
                                         [&, &name = name](Option const& o) { return o.name == name; });
        if (option == kind_.options.end())
            throw UsageError("make " + kind_.name + ": " + name + " is an option of make " + owners(name));
        std::string const expected = expectation(*option, text);
        if (!expected.empty())
            throw UsageError("make " + kind_.name + " " + name + ": expected " + expected + ", found '" + text + "'");
        options_[name] = text;
    }
}

void Request::take_dtype(std::string const& given) {
    auto const dtype = given.empty() ? kind_.dtypes.front() : dtype_from_name(given);
    std::vector<std::string> names;
    for (DType allowed : kind_.dtypes) names.emplace_back(name(allowed));
    if (!dtype || !std::count(kind_.dtypes.begin(), kind_.dtypes.end(), *dtype))
        throw UsageError(Fault{"", "make " + kind_.name + " --dtype", one_of(names), "'" + given + "'",
                               dtype ? "" : mend_dtype(given)});
    dtype_ = name(*dtype);
}

void Request::require_at_most(std::string const& size, std::string const& bound) const {
    if (sizes_.at(size) > sizes_.at(bound))
        throw UsageError("make " + kind_.name + ": expected " + size + " of at most " + bound + " (" +
                         std::to_string(sizes_.at(bound)) + "), found " + std::to_string(sizes_.at(size)));
}

/// With all that the graph depends on, defaults too: they may change.
std::string Request::command() const {
    std::string out = "eintool make " + kind_.name;
    for (SizeOf const& size : kind_.sizes) out += " " + std::to_string(sizes_.at(size.name));
    for (auto const& [name, text] : options_) out += " " + name + (text.empty() ? "" : " " + text);
    return out + " --dtype " + dtype_;
}

GraphText Request::graph() const {
    GraphText out(kind_.name, dtype_);
    out.note("about", kind_.about);
    out.note("made-by", command());
    return out;
}

double rounded(double value) {
    if (value == 0) return 0;
    double const unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 1);
    double const digits = std::round(value / unit);
    return unit < 1 ? digits / std::round(1 / unit) : digits * unit;  // 0.1 has no exact unit below it
}

}  // namespace ein::apps::tool
