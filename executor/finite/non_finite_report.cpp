#include "executor/finite/non_finite_report.hpp"

#include <algorithm>

#include "executor/finite/meant_numbers.hpp"
#include "lib/base/error.hpp"
#include "lib/base/json.hpp"

namespace ein::executor {

using tensor::NonFinite;

namespace {

constexpr Extent most_read = Extent{1} << 22;  // elements of an input at a time
constexpr std::size_t most_outputs = 8;        // that a message or a summary names

Json counts_json(NonFinite const& count) { return {count.nan, count.infinite}; }
NonFinite counts_from(Json const& json) { return {json.at(0).get<std::int64_t>(), json.at(1).get<std::int64_t>()}; }

/// What each rank sends to the others.
Json message_of(RankNonFinite const& mine) {
    Json outputs = Json::array();
    for (NonFinite const& count : mine.outputs) outputs.push_back(counts_json(count));
    return {{"outputs", outputs}, {"seen", mine.seen ? to_json(*mine.seen) : Json(nullptr)}};
}

/// Kinds of `found` that `known` has none of.
NonFinite without(NonFinite found, NonFinite const& known) {
    if (known.nan != 0) found.nan = 0;
    if (known.infinite != 0) found.infinite = 0;
    return found;
}

/// Calls look(part) for parts of a box, of most_read elements at most, until it says to stop. @return whether it did
template <class Look>
bool in_parts(Box const& box, Look const& look) {
    if (box.empty()) return false;
    if (box.elements() <= most_read) return look(box);
    std::size_t axis = 0;
    while (box.length[axis] == 1) ++axis;
    Box first = box, rest = box;
    first.length[axis] /= 2;
    rest.begin[axis] += first.length[axis];
    rest.length[axis] -= first.length[axis];
    return in_parts(first, look) || in_parts(rest, look);
}

/// In what this rank loads, up to where it has each of the kinds that are looked for. What cannot be read any more is
/// left out.
NonFinite in_inputs(schedule::Header const& header, schedule::Section const& section, Readers const& readers,
                    NonFinite const& wanted) {
    NonFinite found;
    for (schedule::Task const& task : section.tasks) {
        if (!task.is<schedule::Load>()) continue;
        schedule::Load const load = section.as<schedule::Load>(task);
        DType const dtype = header.tensors[header.inputs[load.input].tensor].dtype;
        if (is_exact(dtype)) continue;
        auto const look = [&](Box const& part) {
            std::vector<std::byte> const bytes = readers[load.input].elements(part, dtype);
            found += tensor::count_non_finite(dtype, bytes.data(), bytes.size() / size_of(dtype));
            return !without(wanted, found).any();
        };
        try {
            if (in_parts(section.box_of(section.blocks[load.result]), look)) break;
        } catch (Error const&) {
            continue;
        }
    }
    return found;
}

NonFinite in_outputs(NonFiniteReport const& report) {
    NonFinite out;
    for (NonFiniteReport::Of const& each : report.outputs) out += each.count;
    return out;
}

/// What is in an output though the graph does not write such numbers, and no input has them.
NonFinite unexplained(NonFiniteReport const& report, NonFinite const& count) {
    return without(without(count, report.meant), report.inputs.value_or(NonFinite{}));
}

/// What outputs have and inputs have not.
std::string kinds_text(NonFinite const& inputs) {
    if (inputs.infinite != 0) return "NaN in outputs, and none in inputs, which have infinities: ";
    if (inputs.nan != 0) return "infinities in outputs, and none in inputs, which have NaN: ";
    return "NaN or infinities in outputs, and none in inputs: ";
}

std::string unexplained_text(NonFiniteReport const& report) {
    std::string first, others;
    std::size_t more = 0;
    for (NonFiniteReport::Of const& each : report.outputs) {
        NonFinite const count = unexplained(report, each.count);
        if (!count.any()) continue;
        if (first.empty())
            first = "first in '" + each.output + "', " + text_of(count, each.of);
        else if (++more < most_outputs)
            others += (others.empty() ? "; also in '" : ", '") + each.output + "'";
    }
    if (first.empty()) return "";
    if (more >= most_outputs) others += " and " + std::to_string(more - most_outputs + 1) + " more";
    return kinds_text(report.inputs.value_or(NonFinite{})) + first + others +
           "; run with --check-finite to see in which node they begin";
}

}  // namespace

NonFiniteReport report_non_finite(Transport& transport, schedule::Header const& header,
                                  schedule::Section const& section, Readers const& readers, RankNonFinite const& mine) {
    NonFiniteReport out;
    OutputCounts sums(header.outputs.size());
    std::vector<SeenNonFinite> seen;
    for (std::string const& text : transport.all_gather(message_of(mine).dump())) {
        Json const rank = Json::parse(text);
        for (schedule::OutputId output : sums.ids()) sums[output] += counts_from(rank.at("outputs").at(at(output)));
        if (!rank.at("seen").is_null()) seen.push_back(seen_from_json(rank.at("seen")));
    }
    for (schedule::OutputId output : sums.ids())
        if (sums[output].any())
            out.outputs.push_back({header.outputs[output].name, sums[output],
                                   element_count(header.tensors[header.outputs[output].tensor].shape)});
    out.every_node = mine.seen.has_value();
    out.origins = origins(header, seen);
    out.meant = meant_numbers(header);
    NonFinite const wanted = without(in_outputs(out), out.meant);
    if (!wanted.any() || first_fault(out.origins) != nullptr) return out;
    NonFinite sum;
    for (std::string const& text :
         transport.all_gather(counts_json(in_inputs(header, section, readers, wanted)).dump()))
        sum += counts_from(Json::parse(text));
    out.inputs = sum;
    return out;
}

std::string fault_of(NonFiniteReport const& report, schedule::Header const& header) {
    return first_fault(report.origins) == nullptr ? "" : fault_text(report.origins, header);
}

std::vector<std::string> warnings_of(NonFiniteReport const& report, schedule::Header const& header) {
    std::vector<std::string> out;
    for (Origin const& each : report.origins)
        if (!each.inputs_are_finite && out.empty())
            out.push_back("NaN comes up in node '" + each.node + "', whose inputs have infinities and no NaN: " +
                          text_of(each.count) + text_of(each.first, header));
    if (report.every_node) return out;
    if (std::string text = unexplained_text(report); !text.empty()) out.push_back(std::move(text));
    return out;
}

std::string summary_of(NonFiniteReport const& report) {
    std::string out;
    for (std::size_t i = 0; i < std::min(report.outputs.size(), most_outputs); ++i)
        out += "  not finite " + text_of(report.outputs[i].count, report.outputs[i].of) + " of '" +
               report.outputs[i].output + "'\n";
    if (report.outputs.size() > most_outputs)
        out += "  not finite in " + std::to_string(report.outputs.size() - most_outputs) + " more outputs\n";
    return out;
}

Json to_json(NonFiniteReport const& report, schedule::Header const& header) {
    Json outputs = Json::array(), nodes = Json::array(), inputs = nullptr;
    for (NonFiniteReport::Of const& each : report.outputs)
        outputs.push_back(
            {{"name", each.output}, {"of", each.of}, {"nan", each.count.nan}, {"infinite", each.count.infinite}});
    if (report.inputs) inputs = {{"nan", report.inputs->nan}, {"infinite", report.inputs->infinite}};
    for (Origin const& each : report.origins) {
        Json iterations = Json::array();
        for (AtIteration const& at : each.first)
            iterations.push_back({{"loop", header.loops[at.loop].name}, {"iteration", at.iteration}});
        nodes.push_back({{"node", each.node},
                         {"nan", each.count.nan},
                         {"infinite", each.count.infinite},
                         {"inputs_are_finite", each.inputs_are_finite},
                         {"iterations", iterations},
                         {"ranks", each.ranks}});
    }
    return {{"every_node", report.every_node}, {"outputs", outputs}, {"in_inputs", inputs}, {"nodes", nodes}};
}

}  // namespace ein::executor
