#include "scheduler/lower/lowering_context.hpp"

#include "lib/graph/sparse/stored_size.hpp"

namespace ein::scheduler {

CarriedValues::CarriedValues(graph::EinGraph const& graph) {
    for (graph::Loop const& loop : graph.loops)
        for (graph::Loop::Carry const& carry : loop.carries) {
            insides.insert(carry.inside);
            by_result[carry.result] = carry.inside;
        }
}

LoweringContext::LoweringContext(graph::EinGraph const& of, relation::Plan const& as_planned,
                                 LoweringOptions const& how, schedule::Header& entered)
    : graph(of),
      plan(as_planned),
      options(how),
      header(entered),
      parts(value_parts(graph, plan)),
      pipelined(pipelined_values(graph, plan, parts, {options.subblock_bytes, options.staging, options.split})),
      carried(graph),
      has_sparse(graph::has_sparse(graph)),
      outlines(outlines_of(graph, plan)),
      sections(static_cast<std::size_t>(plan.ranks)),
      tables(header),
      emit(sections),
      directory(graph, parts),
      traffic(graph, plan.ranks),
      mover(graph, directory, tables, emit, options.listed),
      delivery(directory, mover, emit, traffic, options.inputs, options.messages),
      all_gather(directory, mover, delivery, traffic, options.staging),
      placement(plan, outlines, options.place, options.decided) {}

}  // namespace ein::scheduler
