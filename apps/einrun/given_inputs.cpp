#include "apps/einrun/given_inputs.hpp"

#include <algorithm>

#include "apps/graph_inputs.hpp"
#include "executor/io/inputs.hpp"
#include "lib/base/json.hpp"
#include "lib/tensor/formats/raw_doubts.hpp"

namespace ein::apps {
namespace {

/// Without those for tensors of the graph that no output needs.
std::vector<std::string> needed_inputs(std::vector<std::string> const& texts, schedule::Header const& header,
                                       std::function<void(std::string const&)> const& warn) {
    std::vector<std::string> const read = executor::input_names(header);
    std::vector<std::string> out;
    Json tensors;  // of the graph, once one is asked for that is not read
    for (std::string const& text : texts) {
        std::string const name = name_and_file(text, read).first;
        bool const is_read = std::find(read.begin(), read.end(), name) != read.end();
        if (!is_read && tensors.is_null()) tensors = Json::parse(header.graph_text).value("tensors", Json::object());
        if (is_read || !tensors.contains(name))
            out.push_back(text);
        else
            warn("--input " + name + ": no output needs this tensor; the file is not read");
    }
    return out;
}

}  // namespace

void take_inputs_and_params(EinrunOptions const& options, schedule::Header& header,
                            std::function<void(std::string const&)> const& warn) {
    std::vector<std::string> const tensors = executor::input_names(header);
    std::vector<std::string> params;
    for (auto const& [name, value] : header.params) params.push_back(name);
    std::vector<std::string> const given = needed_inputs(options.inputs, header, warn);
    for (auto& [at, source] : given_sources(given, tensors, params)) {
        schedule::Input& input = header.inputs[schedule::InputId{static_cast<std::int32_t>(at)}];
        input.source = source;
        input.planned.reset();  // another file was not there then
        input.given = true;
        auto const* const raw = std::get_if<tensor::RawSource>(&source);
        schedule::Tensor const& tensor = header.tensors[input.tensor];
        auto const doubt =
            raw != nullptr ? tensor::doubt_of_raw(*raw, tensor.name, tensor.dtype, tensor.shape, "") : std::nullopt;
        if (doubt) warn("--input " + tensor.name + ": " + *doubt);
    }
    header.params = given_params(options.params, header.params, tensors);
}

}  // namespace ein::apps
