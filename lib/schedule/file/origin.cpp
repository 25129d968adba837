#include "lib/schedule/file/origin.hpp"

#include <algorithm>
#include <map>

#include "lib/base/json.hpp"
#include "lib/base/text/hex.hpp"
#include "lib/tensor/formats/file_reader.hpp"
#include "lib/tensor/read.hpp"
#include "lib/tensor/storage/storage.hpp"

namespace ein::schedule {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t longest_shown = 60;     // characters of a value
constexpr std::size_t deepest_looked = 1000;  // lists and objects in one another: no graph has more

std::string const plan_again = "plan again with einplan, or give back what was there";

/// Nothing where the file is not there, or cannot be read: whoever needs it says so.
std::optional<tensor::Fingerprint> fingerprint_of(fs::path const& file) {
    try {
        return tensor::fingerprint(*tensor::open_file(file));
    } catch (Error const&) {
        return std::nullopt;
    }
}

/// Inputs by the file that they are read from.
using ByFile = std::map<std::string, std::vector<InputId>>;

ByFile inputs_by_file(Header const& header) {
    ByFile out;
    for (InputId input : header.inputs.ids())
        if (std::string const* const file = tensor::file_of(header.inputs[input].source)) out[*file].push_back(input);
    return out;
}

std::string names_of(Header const& header, std::vector<InputId> const& inputs) {
    std::string const first = "tensor '" + header.tensors[header.inputs[inputs.front()].tensor].name + "'";
    return inputs.size() == 1 ? first : first + " and " + std::to_string(inputs.size() - 1) + " more";
}

/// The same for all of them but those that are read from elsewhere now.
std::optional<tensor::Fingerprint> planned(Header const& header, std::vector<InputId> const& inputs) {
    for (InputId input : inputs)
        if (header.inputs[input].planned) return header.inputs[input].planned;
    return std::nullopt;
}

void add_changed_inputs(Header const& header, fs::path const& folder, std::vector<Fault>& out) {
    for (auto& [file, inputs] : inputs_by_file(header)) {
        std::optional<tensor::Fingerprint> const then = planned(header, inputs);
        if (!then) continue;
        fs::path const path = tensor::path_in(folder, file);
        std::optional<tensor::Fingerprint> const now = fingerprint_of(path);
        if (!now || *now == *then) continue;
        out.push_back({path.string(), names_of(header, inputs),
                       "what was there when the schedule was planned (" + to_text(*then) + ")",
                       (now->size == then->size ? "other contents (" : "another size (") + to_text(*now) + ")",
                       plan_again});
    }
}

bool is_read(std::string const& key) { return !key.starts_with("x-"); }

std::string shown(Json const& value) {
    if (value.is_structured()) return describe(value);  // of any depth
    std::string const text = value.dump();
    return text.size() <= longest_shown ? text : describe(value);
}

struct Difference {
    Json::json_pointer where;
    std::string then, now;
};

/// The first one in the order of the keys; nothing where both mean the same.
std::optional<Difference> first_difference(Json const& then, Json const& now, Json::json_pointer const& where,
                                           std::size_t depth = 0) {
    if (depth > deepest_looked) return std::nullopt;
    if (then.is_object() && now.is_object()) {
        for (auto const& [key, value] : then.items()) {
            if (!is_read(key)) continue;
            if (!now.contains(key)) return Difference{where / key, shown(value), "nothing"};
            if (auto found = first_difference(value, now.at(key), where / key, depth + 1)) return found;
        }
        for (auto const& [key, value] : now.items())
            if (is_read(key) && !then.contains(key)) return Difference{where / key, "nothing", shown(value)};
        return std::nullopt;
    }
    if (then.is_array() && now.is_array()) {
        for (std::size_t i = 0; i < std::min(then.size(), now.size()); ++i)
            if (auto found = first_difference(then[i], now[i], where / i, depth + 1)) return found;
        if (then.size() == now.size()) return std::nullopt;
        return Difference{where, std::to_string(then.size()) + " entries", std::to_string(now.size())};
    }
    if (then == now) return std::nullopt;
    return Difference{where, shown(then), shown(now)};
}

std::optional<DType> dtype_at(Json const& object) {
    bool const named = object.is_object() && object.contains("dtype") && object["dtype"].is_string();
    return named ? dtype_from_name(object["dtype"].get<std::string>()) : std::nullopt;
}

/// What a tensor is that leaves out its dtype: what its file says, or the graph's. Nothing where the file cannot be
/// read now, or is not the graph's: what it is says nothing of the graph.
std::optional<DType> left_out_dtype(Header const& header, std::string const& tensor, fs::path const& folder,
                                    DType of_graph) {
    for (InputId id : header.inputs.ids()) {
        Input const& input = header.inputs[id];
        if (header.tensors[input.tensor].name != tensor) continue;
        if (input.given) return std::nullopt;
        try {
            auto const contents = tensor::contents_of(input.source, tensor, folder);
            if (!contents) return of_graph;
            return tensor::left_out_dtype(input.source, contents->dtype, of_graph);
        } catch (Error const&) {
            return std::nullopt;
        }
    }
    return std::nullopt;
}

/// The text of a schedule says the shape and dtype of every tensor, a graph may leave them to data files: what it
/// leaves out, or writes in another way, is written in `now` as in `then` where it means the same.
void write_alike(Json const& then, Json& now, Header const& header, fs::path const& folder) {
    auto const has_tensors = [](Json const& graph) {
        return graph.is_object() && graph.contains("tensors") && graph["tensors"].is_object();
    };
    if (!has_tensors(then) || !has_tensors(now)) return;
    DType const of_graph = dtype_at(now).value_or(DType::f32);
    for (auto const& [name, planned] : then["tensors"].items()) {
        if (!planned.is_object() || !now["tensors"].contains(name) || !now["tensors"][name].is_object()) continue;
        Json& tensor = now["tensors"][name];
        bool const same_data = planned.contains("data") && tensor.contains("data") && planned["data"] == tensor["data"];
        if (!same_data) continue;
        if (planned.contains("shape")) {
            Json const& shape = planned["shape"];
            if (!tensor.contains("shape") || Json::array({tensor["shape"]}) == shape) tensor["shape"] = shape;
        }
        auto const dtype = dtype_at(planned);
        if (!dtype) continue;
        auto const found = tensor.contains("dtype") ? dtype_at(tensor) : left_out_dtype(header, name, folder, of_graph);
        if (found == dtype || (!found && !tensor.contains("dtype"))) tensor["dtype"] = planned["dtype"];
    }
}

/// What is another in the graph's text. @return nothing where both mean the same
std::optional<Difference> changed(Header const& header, std::string const& text, fs::path const& path) {
    try {
        Json const then = parse_json(header.graph_text, path.string());
        Json now = parse_json(text, path.string());
        write_alike(then, now, header, path.parent_path());
        return first_difference(then, now, Json::json_pointer());
    } catch (InputError const&) {
        return Difference{Json::json_pointer(), "the graph", "what is no JSON"};
    }
}

void add_changed_graph(Header const& header, fs::path const& folder, std::vector<Fault>& out) {
    fs::path const path = tensor::path_in(folder, header.graph_file);
    std::error_code error;
    if (header.graph_file.empty() || !fs::is_regular_file(path, error)) return;
    std::string now;
    try {
        now = read_text_file(path);
    } catch (Error const&) {
        return;
    }
    if (now == header.graph_text) return;
    std::optional<Difference> const difference = changed(header, now, path);
    if (!difference) return;
    out.push_back({path.string(), difference->where.to_string(),
                   difference->then + " as when the schedule was planned (hash " + text_hash(header.graph_text) + ")",
                   difference->now + " (hash " + text_hash(now) + ")", plan_again});
}

}  // namespace

std::vector<std::string> note_input_files(Header& header, fs::path const& folder) {
    std::vector<std::string> unread;
    for (auto const& [file, inputs] : inputs_by_file(header)) {
        fs::path const path = tensor::path_in(folder, file);
        std::optional<tensor::Fingerprint> const now = fingerprint_of(path);
        std::error_code error;
        if (!now && fs::exists(path, error))
            unread.push_back(path.string() + " cannot be read: einrun will not see whether it changed since now");
        for (InputId input : inputs) header.inputs[input].planned = now;
    }
    return unread;
}

std::vector<Fault> changes_since_planning(Header const& header, fs::path const& folder) {
    std::vector<Fault> out;
    add_changed_graph(header, folder, out);
    add_changed_inputs(header, folder, out);
    return out;
}

}  // namespace ein::schedule
