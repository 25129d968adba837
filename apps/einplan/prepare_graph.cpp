#include "apps/einplan/prepare_graph.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <span>

#include "lib/base/error.hpp"
#include "lib/base/text/hex.hpp"
#include "lib/base/text/sizes.hpp"
#include "lib/graph/lower_graph.hpp"
#include "lib/graph/summation_order.hpp"
#include "lib/graph/tuning.hpp"
#include "lib/schedule/memory/replay.hpp"

namespace ein::apps {
namespace {

/// Parts of the memory that slices are tried to fit in, one after the other.
constexpr double slice_shares[] = {0.75, 0.4, 0.2, 0.1};

graph::OrderLimits limits_of(EinplanOptions const& options, std::optional<std::int64_t> memory) {
    graph::OrderLimits limits;
    limits.work = options.time_limit > 0 ? 1e9 * options.time_limit : graph::tuning::most_search_work;
    limits.ranks = std::max(1, options.ranks);
    limits.rank_bytes = static_cast<double>(memory.value_or(0));
    if (options.reproducible) limits.rank_bytes = 1e300;  // slices add up in another order
    limits.operations = options.limit;
    return limits;
}

bool spills(Planned const& planned) { return schedule::disk_use(planned.made.schedule).blocks > 0; }

std::string short_number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
}

}  // namespace

GraphPreparation::GraphPreparation(EinplanOptions const& options, GraphFile& file, Machines const& machines)
    : options_(options),
      file_(file),
      memory_(budget_of(options, machines)),
      limits_(limits_of(options, memory_)),
      read_(graph::make_what_is_read(read_graph(file))),
      listed_(relation::count_listed(read_, file.folder)) {
    if (options.reproducible)  // slices add up in another order
        for (graph::Node& node : read_.nodes) node.slicing.reset();
}

PreparedGraph GraphPreparation::prepare(graph::OrderLimits const& limits) {
    graph::ChosenOrders chosen = graph::choose_orders(read_, limits, file_.name, searched_);
    PreparedGraph out{graph::with_orders(read_, chosen.orders), listed_, std::move(chosen.orders),
                      std::move(chosen.reports)};
    out.graph = relation::lower_by_size(std::move(out.graph), out.listed, file_.name);
    if (options_.reproducible) out.graph = graph::keep_summation_order(std::move(out.graph), file_.name);
    return out;
}

PreparedGraph GraphPreparation::prepare() { return prepare(limits_); }

std::optional<PreparedGraph> GraphPreparation::prepare_sliced(double slice_bytes) {
    graph::OrderLimits limits = limits_;
    limits.slice_bytes = slice_bytes;
    limits.always_slice = true;
    PreparedGraph out = prepare(limits);
    bool const sliced = std::any_of(out.orders.begin(), out.orders.end(),
                                    [](graph::ContractionOrder const& order) { return order.slicing.has_value(); });
    return sliced ? std::optional(std::move(out)) : std::nullopt;
}

Planned plan_prepared(GraphPreparation& preparation, PreparedGraph& prepared,
                      std::function<Planned(PreparedGraph const&)> const& plan) {
    std::optional<Planned> first;
    std::exception_ptr nothing_fits;
    try {
        first = plan(prepared);
    } catch (MemoryError const&) {
        nothing_fits = std::current_exception();
    }
    if (first && (!preparation.memory() || !spills(*first))) return std::move(*first);
    if (preparation.keeps_order() && nothing_fits) std::rethrow_exception(nothing_fits);
    if (preparation.keeps_order()) return std::move(*first);
    for (double const share :
         preparation.memory() ? std::span<double const>(slice_shares) : std::span<double const>()) {
        auto sliced = preparation.prepare_sliced(share * static_cast<double>(*preparation.memory()));
        if (!sliced) break;
        try {
            Planned planned = plan(*sliced);
            if (spills(planned)) continue;
            prepared = std::move(*sliced);
            return planned;
        } catch (MemoryError const&) {
            continue;  // smaller slices may fit
        }
    }
    if (nothing_fits) std::rethrow_exception(nothing_fits);
    return std::move(*first);
}

PlanningOptions planning_options(EinplanOptions const& options, Machines const& machines, PreparedGraph const& graph,
                                 int ranks) {
    PlanningOptions out = planning_options(options, machines, ranks);
    out.scheduler.listed = graph.listed.in_box;
    out.scheduler.hull = graph.listed.hull;
    return out;
}

Planned plan_file(EinplanOptions const& options, Machines const& machines, GraphFile const& file,
                  GraphPreparation& preparation, PreparedGraph& prepared) {
    check_mesh(prepared.graph, options.ranks, file.name);
    Planned planned = plan_prepared(preparation, prepared, [&](PreparedGraph const& of) {
        PlanningOptions const planning = planning_options(options, machines, of, options.ranks);
        return plan_and_schedule(of.graph, planning, given_plan(options, of.graph, text_hash(file.text)));
    });
    planned.made.schedule.header.orders = prepared.orders;
    planned.orders = prepared.reports;
    return planned;
}

std::vector<std::string> order_lines(std::vector<graph::OrderReport> const& reports) {
    std::vector<std::string> lines;
    for (graph::OrderReport const& report : reports) {
        std::string line = report.value + " of " + std::to_string(report.operands) +
                           " operands: " + short_number(report.operations) + " operations, largest intermediate " +
                           short_number(report.largest) + " elements";
        if (report.slices > 1) {
            std::string labels;
            std::size_t const shown = std::min<std::size_t>(report.sliced.size(), 8);
            for (std::size_t k = 0; k < shown; ++k) labels += (k > 0 ? ", " : "") + report.sliced[k];
            if (shown < report.sliced.size()) labels += ", ...";
            line += " in each of " + short_number(report.slices) + " slices over " + labels + "; " +
                    short_number(report.operations / report.unsliced_operations) +
                    " times the operations of the whole, whose largest is " + short_number(report.largest_unsliced);
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

Json orders_json(std::vector<graph::OrderReport> const& reports) {
    Json out = Json::array();
    for (graph::OrderReport const& report : reports)
        out.push_back({{"value", report.value},
                       {"operands", report.operands},
                       {"operations", report.operations},
                       {"largest_elements", report.largest},
                       {"slices", report.slices},
                       {"sliced", report.sliced},
                       {"unsliced_operations", report.unsliced_operations},
                       {"unsliced_largest_elements", report.largest_unsliced}});
    return out;
}

}  // namespace ein::apps
