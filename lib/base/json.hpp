// Reading JSON that people write: parse errors with line and column, repeated keys refused, and a cursor whose
// JSON pointer grows as it descends. Unknown keys are faults with the nearest known key; keys that begin with x- are
// left alone. Example: doc.at("nodes").at(3).at("agg").fail("sum or max", "'summ'", "write \"sum\"") adds
//          "g.json: /nodes/3/agg: expected sum or max, found 'summ'; write \"sum\"".
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lib/base/error.hpp"
#include "lib/base/json_fwd.hpp"
#include "lib/base/json_kinds.hpp"

namespace ein {

/// Reads a whole file as text. @throws InputError when it cannot be read
std::string read_text_file(std::filesystem::path const& path);

/// Parses JSON; `file` names it in errors. Stack use is bounded whatever the nesting.
/// @throws InputError with line and column (text that is not JSON) or for an object that has a key twice
Json parse_json(std::string_view text, std::string const& file);

/// "a number", "a list", "an object", ...: for messages.
std::string describe(Json const& value);
/// The value as JSON, cut to about 40 characters.
std::string brief(Json const& value);

/// A place in a document and the list that its faults go to. Cheap to copy; the document must outlive it.
class Cursor {
public:
    Cursor(Json const& value, Faults& faults, std::string pointer = "")
        : value_(&value), faults_(&faults), pointer_(std::move(pointer)) {}

    Json const& value() const { return *value_; }
    std::string const& pointer() const { return pointer_; }
    Faults& faults() const { return *faults_; }

    bool has(std::string const& key) const { return value_->is_object() && value_->contains(key); }
    Cursor at(std::string const& key) const;  // the key must be there
    Cursor at(std::size_t index) const;       // the index must be there
    std::size_t size() const { return value_->size(); }

    /// Adds a fault here.
    void fail(std::string expected, std::string found, std::string fix) const;

    /// Typed readers: add a fault and return nothing when the value is of another type.
    /// @param example  of what is to be written, for messages of what is no string
    std::optional<std::string> string(std::string const& example = "") const;
    std::optional<std::int64_t> integer() const;  // 3 or 3.0
    std::optional<double> number() const;         // also "inf", "-inf", "nan"
    std::optional<bool> boolean() const;
    /// @param example  how it may be written, where what is found does not say it
    bool expect_object(std::string const& example = "") const;
    bool expect_list(std::string const& example = "") const;

    /// A fault for each key that is neither in `known` nor begins with "x-".
    void only_keys(std::initializer_list<std::string_view> known) const;
    void only_keys(std::span<std::string_view const> known) const;

private:
    void refuse_kind(JsonKind wanted, std::string const& example = "") const;

    Json const* value_;
    Faults* faults_;
    std::string pointer_;
};

}  // namespace ein
