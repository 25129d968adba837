// A run on one rank in a folder that is gone at the end: Z = X, four elements of 2.
#pragma once

#include <optional>

#include "executor/run/finish.hpp"
#include "executor/run/prepared_run.hpp"
#include "executor/transport/loopback_transport.hpp"
#include "tests/executor/run/said.hpp"
#include "tests/lib/tensor/temporary_folder.hpp"
#include "tests/support/schedule_builder.hpp"

namespace ein::test {

struct OneRank {
    TemporaryFolder folder;
    Said said;
    executor::Messages messages = said.messages();
    executor::RunSettings settings;
    executor::RankSchedule schedule;
    executor::MemoryFit fit{.peaks = {64}};
    executor::HostShare share{"node", {0}, 1};
    executor::LoopbackHub hub{1, {}};
    std::unique_ptr<executor::Transport> transport = hub.join(Rank{0});
    std::optional<executor::PreparedRun> run;

    OneRank() {
        settings.schedule = folder.path() / "double.sched";
        settings.out = folder.path() / "results";
        settings.device.kind = executor::DeviceKind::cpu;
        settings.version = "1.2.3";
        ScheduleBuilder b(1);
        b.tensor("X", {4}), b.tensor("Z", {4});
        auto const sum = b.kernel("Z", sum_of_products("i->i", {{'i', 4}}));
        b.load(0, "x", "X", {{0}, {4}}, tensor::FillSource{.value = 2, .integer = 2});
        b.block(0, "z", "Z", {{0}, {4}});
        b.apply(0, sum, {{0}, {4}}, {"x"}, "z");
        b.store(0, "z");
        schedule::Schedule made = b.finish();
        schedule = {made.header, made.sections[Rank{0}], "0123456789abcdef", folder.path()};
    }

    void prepare() {
        run.emplace(executor::RunParts{*transport, settings, schedule, fit, share, "test", messages});
        run->create_outputs();
    }
    executor::RunEnd end_of(executor::Ran const& ran) const {
        return {settings, schedule, run->facts(), ran.result, run->record(), ran.clock, run->output_files()};
    }
};

}  // namespace ein::test
