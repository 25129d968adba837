#include "executor/checkpoint/folder/manifest.hpp"

#include <algorithm>
#include <cmath>

#include "executor/checkpoint/folder/manifest_text.hpp"
#include "lib/base/error.hpp"
#include "lib/tensor/sparse/output/sparse_archive.hpp"

namespace ein::executor {

namespace {

/// Two hexadecimal digits a byte.
std::string pairs_of(std::span<std::byte const> bytes) {
    std::string digits;
    for (std::byte const byte : bytes) digits += hex(std::to_integer<std::uint64_t>(byte)).substr(14);
    return digits;
}

/// Text as JSON; where it is not UTF-8 (a path may be any bytes) its bytes in hexadecimal.
Json text_json(std::string const& text) {
    try {
        (void)Json(text).dump();
        return text;
    } catch (Json::exception const&) {
        return {{"hex", pairs_of(std::as_bytes(std::span(text)))}};
    }
}

/// JSON has no nan and no infinity; Cursor::number reads these words.
Json number_json(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return value;
}

Json input_json(NamedInput const& input) {
    Json out{{"tensor", text_json(input.tensor)}, {"source", text_json(input.source)}};
    if (input.file) out["file"] = {{"bytes", input.file->size}, {"checksum", hex(input.file->checksum)}};
    if (!input.copy.empty()) out["copy"] = text_json(input.copy);
    return out;
}

Json value_json(SavedValue const& value) {
    Json boxes = Json::array();
    for (SavedBox const& saved : value.boxes) {
        Json box{{"begin", saved.box.begin}, {"length", saved.box.length}, {"hash", hex(saved.hash)}};
        if (value.is_sparse()) box["listed"] = saved.listed;
        boxes.push_back(std::move(box));
    }
    Json out{{"name", text_json(value.name)},
             {"file", text_json(value.file)},
             {"dtype", std::string(name(value.dtype))},
             {"shape", value.shape},
             {"boxes", boxes}};
    if (value.frame) out.update({{"sparse", true}, {"fill", pairs_of(value.fill)}, {"frame", hex(*value.frame)}});
    return out;
}

Json copy_json(SavedCopy const& copy) {
    Json hashes = Json::array();
    for (std::uint64_t const hash : copy.hashes) hashes.push_back(hex(hash));
    return {{"file", text_json(copy.file)}, {"bytes", copy.bytes}, {"hashes", hashes}};
}

template <class Items, class ToJson>
Json list_json(Items const& items, ToJson to_json) {
    Json out = Json::array();
    for (auto const& item : items) out.push_back(to_json(item));
    return out;
}

Json document_of(Manifest const& manifest) {
    Json params = Json::object();
    for (auto const& [name, value] : manifest.params) params[name] = number_json(value);
    Json out{{"checkpoint", manifest_format},
             {"version", manifest.version},
             {"schedule", manifest.schedule_hash},
             {"graph", manifest.graph_hash},
             {"device", manifest.device},
             {"bases", manifest.bases},
             {"ranks", manifest.ranks},
             {"nodes", manifest.nodes},
             {"iterations", manifest.iterations},
             {"begun", manifest.begun},
             {"tasks_done", manifest.tasks_done},
             {"seconds", manifest.seconds},
             {"time", manifest.time},
             {"params", params},
             {"inputs", list_json(manifest.inputs, input_json)},
             {"values", list_json(manifest.values, value_json)}};
    if (!manifest.copies.empty()) out["copies"] = list_json(manifest.copies, copy_json);
    if (manifest.rest) out["rest"] = {{"bytes", manifest.rest->bytes}, {"hash", hex(manifest.rest->hash)}};
    return out;
}

/// A key a line, and an item a line of a list of objects: people read it, and a box takes no line for each number.
std::string lines_of(Json const& document) {
    std::string out;
    for (auto const& [key, value] : document.items()) {
        out += (out.empty() ? "{\n " : ",\n ") + Json(key).dump() + ": ";
        if (!value.is_array() || value.empty() || !value.front().is_object()) {
            out += value.dump();
            continue;
        }
        for (std::size_t i = 0; i < value.size(); ++i) out += (i == 0 ? "[\n  " : ",\n  ") + value[i].dump();
        out += "]";
    }
    return out + "\n}\n";
}

}  // namespace

std::string to_text(Manifest const& manifest) {
    Json document = document_of(manifest);
    document["checksum"] = checksum_of(document);
    return lines_of(document);
}

std::size_t pieces_of(std::uint64_t bytes) { return (bytes + copied_piece - 1) / copied_piece; }

std::uint64_t piece_bytes(SavedCopy const& copy, std::size_t piece) {
    return std::min(copied_piece, copy.bytes - piece * copied_piece);
}

Extent SavedValue::listed() const {
    Extent out = 0;
    for (SavedBox const& saved : boxes) out += saved.listed;
    return out;
}

std::uint64_t saved_bytes(SavedValue const& value) {
    if (value.is_sparse()) return tensor::list_bytes(value.shape, value.dtype, value.listed());
    std::uint64_t elements = 0;
    for (SavedBox const& saved : value.boxes) elements += static_cast<std::uint64_t>(saved.box.elements());
    return elements * size_of(value.dtype);
}

}  // namespace ein::executor
