#include "executor/call_check/call_tallies.hpp"

#include <algorithm>
#include <limits>

#include "executor/call_check/tuning.hpp"
#include "lib/base/json.hpp"

namespace ein::executor {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// JSON has no infinity.
Json to_json(CallTally const& tally) {
    return {tally.made,
            tally.calls,
            tally.elements,
            tally.differ,
            tally.ill_conditioned,
            tally.overflow,
            tally.tolerance,
            tally.max_rel < infinity ? Json(tally.max_rel) : Json()};
}

CallTally tally_from(Json const& json) {
    auto const count = [&](std::size_t at) { return json.at(at).get<std::int64_t>(); };
    return {count(0),
            count(1),
            count(2),
            count(3),
            count(4),
            count(5),
            json.at(7).is_null() ? infinity : json.at(7).get<double>(),
            json.at(6).get<double>()};
}

Json to_json(RankCalls const& calls) {
    Json nodes = Json::object();
    for (auto const& [node, tally] : calls.nodes) nodes[node] = to_json(tally);
    return {{"nodes", nodes}, {"mismatches", calls.mismatches}};
}

RankCalls calls_from(Json const& json) {
    RankCalls out;
    for (auto const& [node, tally] : json.at("nodes").items()) out.nodes[node] = tally_from(tally);
    out.mismatches = json.at("mismatches").get<std::vector<std::string>>();
    return out;
}

}  // namespace

void CallTally::add(CheckedElement const& element) {
    ++elements;
    differ += element.verdict == CheckedElement::Verdict::wrong;
    ill_conditioned += element.verdict == CheckedElement::Verdict::ill_conditioned;
    overflow += element.verdict == CheckedElement::Verdict::overflow;
    max_rel = std::max(max_rel, element.relative);
    tolerance = std::max(tolerance, element.tolerance);
}

void CallTally::add(CallTally const& other) {
    made += other.made;
    calls += other.calls;
    elements += other.elements;
    differ += other.differ;
    ill_conditioned += other.ill_conditioned;
    overflow += other.overflow;
    max_rel = std::max(max_rel, other.max_rel);
    tolerance = std::max(tolerance, other.tolerance);
}

void RankCalls::add(RankCalls const& other) {
    for (auto const& [node, tally] : other.nodes) nodes[node].add(tally);
    for (std::string const& message : other.mismatches)
        if (mismatches.size() < tuning::most_mismatches) mismatches.push_back(message);
}

relation::CheckedCalls RankCalls::summed() const {
    relation::CheckedCalls out;
    CallTally all;
    for (auto const& [node, tally] : nodes) {
        all.add(tally);
        ++out.of_nodes;
        out.nodes += tally.elements > 0;
        if (tally.elements == 0) out.unchecked_nodes.push_back(node);
    }
    out.elements = all.elements;
    out.calls = all.calls;
    out.of_calls = all.made;
    out.differ = all.differ;
    out.ill_conditioned = all.ill_conditioned;
    out.overflow = all.overflow;
    out.max_rel = all.max_rel;
    out.tolerance = all.tolerance;
    out.mismatches = mismatches;
    return out;
}

void CallTallies::add(std::string const& node, CallTally const& call, std::string mismatch) {
    MutexLock const lock(mutex_);
    found_.nodes[node].add(call);
    if (!mismatch.empty() && found_.mismatches.size() < tuning::most_mismatches)
        found_.mismatches.push_back(std::move(mismatch));
}

bool CallTallies::is_enough() const {
    MutexLock const lock(mutex_);
    return found_.mismatches.size() >= tuning::most_mismatches;
}

RankCalls CallTallies::so_far() const {
    MutexLock const lock(mutex_);
    return found_;
}

relation::CheckedCalls gather_checked_calls(Transport& transport, RankCalls const& mine) {
    RankCalls all;
    for (std::string const& text : transport.all_gather(to_json(mine).dump())) all.add(calls_from(Json::parse(text)));
    return all.summed();
}

}  // namespace ein::executor
