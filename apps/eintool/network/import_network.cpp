#include "apps/eintool/network/import_network.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "apps/eintool/graph_text.hpp"
#include "lib/base/dtype.hpp"
#include "lib/base/error.hpp"
#include "lib/base/files/file_kind.hpp"

namespace ein::apps::tool {
namespace {

/// Labels as a graph may have them: without blanks, ',', '[', ']', ".." and "->".
class GraphLabels {
public:
    explicit GraphLabels(Network const& network) {
        for (NetworkLabels const& term : network.inputs)
            for (std::string const& label : term)
                if (renamed(label) == label) used_.insert(label);
    }

    std::string of(std::string const& label) {
        auto const [known, fresh] = names_.try_emplace(label, label);
        std::string const plain = renamed(label);
        if (!fresh || plain == label) return known->second;
        std::string& name = known->second = plain;
        for (int k = 2; !used_.insert(name).second; ++k) name = plain + "_" + std::to_string(k);
        return name;
    }

    std::vector<std::string> of(NetworkLabels const& labels) {
        std::vector<std::string> out;
        for (std::string const& label : labels) out.push_back(of(label));
        return out;
    }

private:
    static std::string renamed(std::string label) {
        for (std::size_t k = 0; k < label.size(); ++k) {
            auto const c = static_cast<unsigned char>(label[k]);
            bool const pair = k > 0 && ((label[k - 1] == '.' && c == '.') || (label[k - 1] == '-' && c == '>'));
            if (c <= ' ' || c == ',' || c == '[' || c == ']' || pair) label[k] = '_';
        }
        return label.empty() ? "_" : label;
    }

    std::map<std::string, std::string> names_;
    std::set<std::string> used_;
};

std::string list_of(NetworkLabels const& labels) {
    std::string out;
    for (std::string const& label : labels) out += (out.empty() ? "" : " ") + label;
    return out;
}

}  // namespace

std::string import_network(NetworkImport const& request) {
    if (!request.dtype.empty() && !dtype_from_name(request.dtype))
        throw UsageError(Fault{"", "import " + request.format + " --dtype", "one such as f32, f64, c64 or c128",
                               "'" + request.dtype + "'", mend_dtype(request.dtype)});
    FileUse const use = request.format == "opt_einsum" ? FileUse::opt_einsum
                        : request.format == "cotengra" ? FileUse::cotengra
                                                       : FileUse::omeinsum;
    Json const document = read_json_of(use, "a contraction as " + request.format + " writes it", request.file);
    Network const network = read_network(document, request.format, request.file,
                                         request.replan ? NetworkOrder::left_out : NetworkOrder::kept);
    std::string const& dtype = !request.dtype.empty() ? request.dtype : network.dtype;
    GraphText g("einsum", dtype.empty() ? "f32" : dtype);
    NetworkLabels sliced, kept_whole;  // labels of the result stay whole
    for (std::string const& label : network.sliced) {
        auto const open = std::find(network.output.begin(), network.output.end(), label) != network.output.end();
        (open || network.inputs.size() < 3 ? kept_whole : sliced).push_back(label);
    }
    if (!kept_whole.empty())
        g.note("slices", "the file slices over " + list_of(kept_whole) + " too; einplan slices products of three " +
                             "operands and more over labels that their result lacks");
    std::vector<std::string> names;
    for (Shape const& shape : network.shapes) {
        names.push_back("T" + std::to_string(names.size()));
        g.random(names.back(), shape);
    }
    OrderedJson more = OrderedJson::object();
    if (network.path && !network.path->empty()) {
        more["path"] = OrderedJson::array();
        for (auto const& [a, b] : *network.path) more["path"].push_back({a, b});
    }
    GraphLabels labels(network);
    OrderedJson in = OrderedJson::array();
    for (NetworkLabels const& term : network.inputs) in.push_back(labels.of(term));
    if (!sliced.empty()) more["slices"] = labels.of(sliced);
    g.einsum("result", {{"in", in}, {"out", labels.of(network.output)}}, names, more);
    return g.text({"result"});
}

}  // namespace ein::apps::tool
