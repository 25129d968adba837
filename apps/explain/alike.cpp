#include "apps/explain/alike.hpp"

#include <unordered_map>

#include "apps/explain/print.hpp"

namespace ein::apps::explain {
namespace {

/// All that is shown of a node but names.
std::string form_of(NodeReport report) {
    report.name.clear();
    report.output.tensor.clear();
    for (ListedTensor& listed : report.listed) listed.tensor.clear();
    for (std::vector<std::string>& set : report.drivers)
        for (std::string& name : set) name.clear();
    for (std::string& name : report.looked_up) name.clear();
    std::string made;
    for (std::size_t k = 0; k < report.inputs.size(); ++k) {
        Flow& flow = report.inputs[k];
        made += flow.maker ? 'n' : 'i';
        flow.tensor = std::to_string(k);
        flow.maker.reset();
    }
    report.output.maker.reset();
    return made + to_json(report).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::vector<std::vector<std::size_t>> alike(std::vector<NodeReport> const& nodes) {
    std::vector<std::vector<std::size_t>> groups;
    std::unordered_map<std::string, std::size_t> known;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        auto const [at, fresh] = known.emplace(form_of(nodes[n]), groups.size());
        if (fresh) groups.emplace_back();
        groups[at->second].push_back(n);
    }
    return groups;
}

}  // namespace ein::apps::explain
