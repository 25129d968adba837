#include "lib/base/json.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>
#include <unordered_set>

#include "lib/base/json_kinds.hpp"
#include "lib/base/json_mistakes.hpp"
#include "lib/base/limits.hpp"

namespace ein {

namespace {

std::string escaped(std::string const& key) {  // RFC 6901
    std::string out;
    for (char c : key) out += c == '~' ? std::string("~0") : c == '/' ? std::string("~1") : std::string(1, c);
    return out;
}

/// Builds the document and notices keys that an object has twice (the parser alone would keep the last).
class DocumentBuilder : public nlohmann::detail::json_sax_dom_parser<Json> {
    using Base = nlohmann::detail::json_sax_dom_parser<Json>;

public:
    /// @param repeated  where JSON pointers of such keys go
    DocumentBuilder(Json& document, std::vector<std::string>& repeated) : Base(document, true), repeated_(repeated) {}

    /// A number that no type holds: where its digits begin in the text, from 1, and what they are.
    std::optional<std::pair<std::size_t, std::string>> overflow;

    template <class Error>
    bool parse_error(std::size_t end, std::string const& token, Error const& error) {
        if constexpr (std::is_same_v<Error, nlohmann::detail::out_of_range>) overflow = {end - token.size() + 1, token};
        return Base::parse_error(end, token, error);
    }
    bool null() { return next_element(), Base::null(); }
    bool boolean(bool value) { return next_element(), Base::boolean(value); }
    bool number_integer(number_integer_t value) { return next_element(), Base::number_integer(value); }
    bool number_unsigned(number_unsigned_t value) { return next_element(), Base::number_unsigned(value); }
    bool number_float(number_float_t value, string_t const& text) {
        return next_element(), Base::number_float(value, text);
    }
    bool string(string_t& value) { return next_element(), Base::string(value); }
    bool start_object(std::size_t size) {
        next_element();
        levels_.push_back({true, 0, "", {}});
        return Base::start_object(size);
    }
    bool key(string_t& key) {
        levels_.back().key = key;
        if (!levels_.back().seen.insert(key).second && repeated_.size() < most_reported) repeated_.push_back(pointer());
        return Base::key(key);
    }
    bool end_object() {
        levels_.pop_back();
        return Base::end_object();
    }
    bool start_array(std::size_t size) {
        next_element();
        levels_.push_back({false, 0, "", {}});
        return Base::start_array(size);
    }
    bool end_array() {
        levels_.pop_back();
        return Base::end_array();
    }

private:
    struct Level {
        bool object;
        std::size_t elements;  // of a list, that have begun
        std::string key;       // of an object, the latest
        std::unordered_set<std::string> seen;
    };
    void next_element() {
        if (!levels_.empty()) ++levels_.back().elements;
    }
    /// Of a place far inside, its beginning and its end.
    std::string pointer() const {
        constexpr std::size_t half = 50;
        std::string out;
        for (std::size_t k = 0; k < levels_.size(); ++k) {
            bool const left_out = levels_.size() > 2 * half && k >= half && k + half < levels_.size();
            if (left_out && k == half) out += "/...";
            if (left_out) continue;
            Level const& level = levels_[k];
            out += "/" + (level.object ? escaped(level.key) : std::to_string(level.elements - 1));
        }
        return out;
    }
    static constexpr std::size_t most_reported = 100;  // repeated keys

    std::vector<Level> levels_;
    std::vector<std::string>& repeated_;
};

std::string line_and_column(std::string_view text, std::size_t byte) {
    std::size_t line = 1, column = 1;
    for (std::size_t i = 0; i + 1 < byte && i < text.size(); ++i) {
        column = text[i] == '\n' ? 1 : column + 1;
        line += text[i] == '\n' ? 1 : 0;
    }
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

/// Goes through the text once, before anything is built: strings and nesting within their limits.
void check_limits(std::string_view text, std::string const& file) {
    auto const refuse = [&](Limit limit, std::size_t at, std::string const& what, std::uint64_t found) {
        throw InputError(Fault{file, line_and_column(text, at + 1), what + " of " + at_most(limit),
                               amount_text(limit, found), "make it smaller, or " + how_to_allow(limit, found)});
    };
    auto const most_text = static_cast<std::size_t>(most(Limit::text)),
               most_string = static_cast<std::size_t>(most(Limit::string)),
               most_nesting = static_cast<std::size_t>(most(Limit::nesting));
    if (text.size() > most_text) refuse(Limit::text, 0, "a JSON text", text.size());
    std::size_t nesting = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '[' || text[at] == '{') {
            if (++nesting > most_nesting) refuse(Limit::nesting, at, "nesting", nesting);
        } else if ((text[at] == ']' || text[at] == '}') && nesting > 0) {
            --nesting;
        } else if (text[at] == '"') {
            std::size_t end = at + 1;
            while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
            if (end - at > most_string + 1) refuse(Limit::string, at, "a string", end - at - 1);
            at = end;
        }
    }
}

/// The library's own words without its prefix: "syntax error while parsing value - unexpected ...".
std::string plain_message(std::string const& what) {
    auto const colon = what.find(": ");
    return colon == std::string::npos ? what : what.substr(colon + 2);
}

}  // namespace

Json parse_json(std::string_view text, std::string const& file) {
    check_limits(text, file);
    Json document;
    std::vector<std::string> repeated;
    DocumentBuilder builder(document, repeated);
    try {
        Json::sax_parse(text.begin(), text.end(), &builder);
    } catch (nlohmann::json::parse_error const& error) {
        if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
            throw InputError(Fault{file, "line 1, column 1", "JSON", "an empty text", "write it again"});
        if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
            throw InputError(Fault{file, "line 1, column 1", "UTF-8", "UTF-16, as PowerShell's > writes it",
                                   "save it as UTF-8: iconv -f utf-16 -t utf-8 FILE > NEW"});
        if (std::string_view(error.what()).find("ill-formed UTF-8") != std::string_view::npos)
            throw InputError(Fault{file, line_and_column(text, error.byte), "UTF-8", "a byte that is none",
                                   "save it as UTF-8: iconv -f latin1 -t utf-8 FILE > NEW"});
        if (std::string_view(error.what()).find("; expected end of input") != std::string_view::npos)
            throw InputError(Fault{file, line_and_column(text, error.byte), "JSON", "more text behind its one value",
                                   "remove it, or write a file for each"});
        if (auto const mistake = json_mistake(text, error.byte))
            throw InputError(
                Fault{file, line_and_column(text, mistake->byte), mistake->expected, mistake->found, mistake->fix});
        throw InputError(Fault{file, line_and_column(text, error.byte), "JSON", plain_message(error.what()),
                               "fix the text there (a missing comma, quote or bracket?)"});
    } catch (nlohmann::json::exception const& error) {
        if (auto const& number = builder.overflow)
            throw InputError(Fault{file, line_and_column(text, number->first), "a number of at most 1.797e308",
                                   number->second, "write a smaller one"});
        throw InputError(Fault{file, "", "JSON", plain_message(error.what()), "fix the number or text"});
    }
    Faults faults(file);
    for (std::string const& pointer : repeated)
        faults.add(pointer, "each key once in an object", "it twice", "rename or remove one of them");
    faults.throw_if_any();
    return document;
}

std::string describe(Json const& value) {
    switch (value.type()) {
        case Json::value_t::null: return "null";
        case Json::value_t::boolean: return "a boolean";
        case Json::value_t::string: return "a string";
        case Json::value_t::array: return "a list";
        case Json::value_t::object: return "an object";
        case Json::value_t::number_integer:
        case Json::value_t::number_unsigned:
        case Json::value_t::number_float:
        case Json::value_t::binary:  // not of a text
        case Json::value_t::discarded: break;
    }
    return "a number";
}

namespace {
/// Printing recurses: what is nested deeper than this is described instead.
bool nested_deeper(Json const& value, int levels) {
    if (!value.is_structured() || value.empty()) return false;
    return levels == 0 ||
           std::any_of(value.begin(), value.end(), [&](Json const& item) { return nested_deeper(item, levels - 1); });
}
}  // namespace

std::string brief(Json const& value) {
    if (nested_deeper(value, 8)) return describe(value);
    if (value.is_structured() && value.size() > 16) return describe(value) + " of " + std::to_string(value.size());
    std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    return text.size() <= 40 ? text : text.substr(0, 37) + "...";
}

Cursor Cursor::at(std::string const& key) const { return {value_->at(key), *faults_, pointer_ + "/" + escaped(key)}; }
Cursor Cursor::at(std::size_t index) const {
    return {value_->at(index), *faults_, pointer_ + "/" + std::to_string(index)};
}

void Cursor::fail(std::string expected, std::string found, std::string fix) const {
    faults_->add(pointer_, std::move(expected), std::move(found), std::move(fix));
}

void Cursor::refuse_kind(JsonKind wanted, std::string const& example) const {
    std::string const otherwise = example.empty() ? "" : "write it as " + example;
    fail(expected_text(wanted), brief(*value_), mend_kind(wanted, *value_, otherwise));
}

std::optional<std::string> Cursor::string(std::string const& example) const {
    if (value_->is_string()) return value_->get<std::string>();
    refuse_kind(JsonKind::string, example);
    return std::nullopt;
}

std::optional<std::int64_t> Cursor::integer() const {
    if (value_->is_number_unsigned() && value_->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) {
        fail("an integer below 2^63", brief(*value_), "write a smaller one");
        return std::nullopt;
    }
    if (value_->is_number_integer()) return value_->get<std::int64_t>();
    if (value_->is_number_float()) {
        double const number = value_->get<double>();
        if (std::nearbyint(number) == number && std::fabs(number) < 0x1p62) return static_cast<std::int64_t>(number);
    }
    refuse_kind(JsonKind::integer);
    return std::nullopt;
}

std::optional<double> Cursor::number() const {
    if (value_->is_number()) return value_->get<double>();
    if (value_->is_string()) {
        std::string const& text = value_->get_ref<std::string const&>();
        if (text == "inf" || text == "+inf") return INFINITY;
        if (text == "-inf") return -INFINITY;
        if (text == "nan") return NAN;
    }
    refuse_kind(JsonKind::number);
    return std::nullopt;
}

std::optional<bool> Cursor::boolean() const {
    if (value_->is_boolean()) return value_->get<bool>();
    refuse_kind(JsonKind::boolean);
    return std::nullopt;
}

bool Cursor::expect_object(std::string const& example) const {
    if (!value_->is_object()) refuse_kind(JsonKind::object, example);
    return value_->is_object();
}

bool Cursor::expect_list(std::string const& example) const {
    if (!value_->is_array()) refuse_kind(JsonKind::list, example);
    return value_->is_array();
}

void Cursor::only_keys(std::initializer_list<std::string_view> known) const {
    only_keys(std::span(known.begin(), known.size()));
}

void Cursor::only_keys(std::span<std::string_view const> known) const {
    std::vector<std::string> const names(known.begin(), known.end());
    for (auto const& [key, unused] : value_->items()) {
        if (key.starts_with("x-") || std::find(names.begin(), names.end(), key) != names.end()) continue;
        faults_->add(pointer_ + "/" + escaped(key), one_of(names), "the unknown key \"" + key + "\"",
                     mend_key(key, names, [&](std::string const& name) { return has(name); }));
    }
}

}  // namespace ein
