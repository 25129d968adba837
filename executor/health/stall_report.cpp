#include "executor/health/stall_report.hpp"

#include "executor/health/task_text.hpp"
#include "executor/health/tuning.hpp"

namespace ein::executor {

namespace {

/// The block that a task waits for, by way of the receive that is to bring it.
std::string waiting_for(schedule::Header const& header, schedule::Section const& section, Dispatcher const& dispatcher,
                        TaskId receive) {
    std::string out = task_text(header, section, receive);
    for (TaskId reader : dispatcher.links().readers(*section.tasks[receive].result()))
        if (!dispatcher.ended(reader)) return out + ", which " + task_text(header, section, reader) + " reads";
    return out;
}

}  // namespace

std::string standstill_text(schedule::Header const& header, schedule::Section const& section,
                            Dispatcher const& dispatcher, std::span<OptionalId<TaskId> const> running,
                            BlockStorage::UnderWay const& ahead) {
    std::string const of_device = ahead.tasks == 0 ? ""
                                                   : "its device has not done " + std::to_string(ahead.tasks) +
                                                         " tasks that it was given, " +
                                                         task_text(header, section, *ahead.oldest) + " the first";
    if (dispatcher.finished() == 0 && dispatcher.phase_done())
        return "has begun no task: it prepares memory, or waits for ranks that do";
    if (dispatcher.phase_done())
        return of_device.empty() ? "has ended its part and waits for other ranks" : "waits: " + of_device;
    std::string out;
    std::int64_t receives = 0;
    for (TaskId task = dispatcher.head(); task < dispatcher.links().end(); task = following(task)) {
        bool const receive = section.tasks[task].is<schedule::Receive>();
        if (dispatcher.ended(task) || (!receive && task != dispatcher.head())) continue;
        receives += receive ? 1 : 0;
        if (receives > tuning::most_receives_named) continue;
        out += (out.empty() ? "waits for " : "; for ") +
               (receive ? waiting_for(header, section, dispatcher, task) : task_text(header, section, task));
    }
    if (receives > tuning::most_receives_named)
        out += "; for " + std::to_string(receives - tuning::most_receives_named) + " more receives";
    for (std::size_t worker = 0; worker < running.size(); ++worker)
        if (running[worker])
            out += "; worker " + std::to_string(worker) + " runs " + task_text(header, section, *running[worker]);
    if (dispatcher.transfers_in_flight() > 0)
        out += "; " + std::to_string(dispatcher.transfers_in_flight()) +
               (dispatcher.transfers_in_flight() == 1 ? " transfer is under way" : " transfers are under way");
    if (!of_device.empty()) out += "; " + of_device;
    return out;
}

}  // namespace ein::executor
