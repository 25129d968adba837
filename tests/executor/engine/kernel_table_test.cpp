#include "executor/engine/kernel_table.hpp"

#include "executor/engine/distinct_kernels.hpp"
#include "executor/health/task_text.hpp"
#include "lib/schedule/dispatch/kernel_widths.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sample_schedules.hpp"

using namespace ein;
using namespace ein::executor;
using namespace ein::test;

TEST_CASE("one kernel is prepared for all tasks of one shape", "[executor][kernels]") {
    auto const schedule = split_k_schedule(3);
    ToyDevice device;
    KernelTable const table(schedule.header, schedule.sections[Rank{0}], device, {});
    CHECK(device.prepared == 4);  // contract and add, each fresh and accumulating
    CHECK(&table.kernel(TaskId{2}) != &table.kernel(TaskId{3}));
    CHECK(table.input_offset(schedule.sections[Rank{0}].tasks[TaskId{3}], 0) == 4 * 8);
    CHECK(table.input_offset(schedule.sections[Rank{0}].tasks[TaskId{3}], 1) == 4 * 6 * 8);
}

TEST_CASE("equal EinSums of several nodes are one kernel", "[executor][kernels]") {
    auto kernel = [](std::string node, std::string const& text) {
        return schedule::Kernel{std::move(node), sum_of_products(text, {{'i', 2}, {'j', 3}, {'k', 4}}), DType::f64};
    };
    using schedule::KernelId;
    Table<KernelId, schedule::Kernel> kernels(std::vector{kernel("a", "ij,jk->ik"), kernel("b", "ij,jk->ik"),
                                                          kernel("c", "ij,jk->ki"), kernel("d", "ij,jk->ik"),
                                                          kernel("e", "ij,jk->ik")});
    kernels[KernelId{3}].compute = DType::f32;
    kernels[KernelId{4}].einsum.join = scalar::Expr::operand(0) + scalar::Expr::operand(1);
    CHECK(distinct_kernels(kernels).list() ==
          std::vector{KernelId{0}, KernelId{0}, KernelId{2}, KernelId{3}, KernelId{4}});
}

TEST_CASE("threads are shared out by work among tasks of one depth", "[executor][kernels]") {
    ScheduleBuilder b(1);
    b.tensor("X", {1000}), b.tensor("Y", {1000});
    auto const copy = b.kernel("copy", sum_of_products("i->i", {{'i', 1000}}));
    b.load(0, "x", "X", {{0}, {1000}});
    for (char const* name : {"a", "b", "c", "d", "e"}) b.block(0, name, "Y", {{0}, {1000}});
    b.apply(0, copy, {{0}, {1000}}, {"x"}, "a");
    b.apply(0, copy, {{0}, {10}}, {"x"}, "b");
    b.apply(0, copy, {{0}, {500}}, {"a"}, "c");
    b.apply(0, copy, {{0}, {500}}, {"a"}, "d");
    b.apply(0, copy, {{0}, {1000}}, {"d"}, "e");
    b.store(0, "e");
    auto const section = b.finish().sections[Rank{0}];
    CHECK(schedule::kernel_widths({}, section, 4).list() == std::vector<std::int16_t>{4, 4, 1, 2, 2, 4, 1});
    CHECK(schedule::kernel_widths({}, section, 1).empty());
}

TEST_CASE("large kernels side by side are cut for all threads each", "[executor][kernels]") {
    auto const widths = [](Extent rows) {
        ScheduleBuilder b(1);
        b.tensor("X", {rows, 1024});
        auto const copy = b.kernel("copy", sum_of_products("ij->ij", {{'i', rows}, {'j', 1024}}));
        b.load(0, "x", "X", Box::whole({rows, 1024}));
        for (char const* name : {"y", "z"}) {
            b.block(0, name, "X", Box::whole({rows, 1024}));
            b.apply(0, copy, Box::whole({rows, 1024}), {"x"}, name);
        }
        for (char const* name : {"y", "z"}) b.store(0, name);
        return schedule::kernel_widths({}, b.finish().sections[Rank{0}], 2).list();
    };
    CHECK(widths(2048) == std::vector<std::int16_t>{2, 2, 2, 1, 1});  // the load, two kernels, two stores
    CHECK(widths(1024) == std::vector<std::int16_t>{2, 1, 1, 1, 1});
}

TEST_CASE("partial results are added by all threads, whatever stands at their depth", "[executor][kernels]") {
    auto const width_of_sum = [](Extent rows) {
        ScheduleBuilder b(1);
        b.tensor("X", {rows, 1024}), b.tensor("Y", {rows, 1024}), b.tensor("W", {1024, 1024});
        auto const add = b.kernel("add", sum_of_products("ij->ij", {{'i', rows}, {'j', 1024}}));
        auto const product = b.kernel("product", sum_of_products("ij,jk->ik", {{'i', rows}, {'j', 1024}, {'k', 1024}}));
        b.load(0, "x", "X", Box::whole({rows, 1024}));
        b.load(0, "w", "W", Box::whole({1024, 1024}));
        for (char const* name : {"sum", "z"}) b.block(0, name, "Y", Box::whole({rows, 1024}));
        b.reduce(0, add, Box::whole({rows, 1024}), "x", "sum", false);
        b.apply(0, product, Box::whole({rows, 1024, 1024}), {"x", "w"}, "z");
        b.store(0, "sum");
        auto const section = b.finish().sections[Rank{0}];
        return schedule::kernel_widths({}, section, 4)[TaskId{2}];
    };
    CHECK(width_of_sum(256) == 4);
    CHECK(width_of_sum(64) == 4);
    CHECK(width_of_sum(16) == 1);
}

TEST_CASE("tasks are named by kind, owner and block", "[executor][kernels]") {
    auto const schedule = split_k_schedule(2);
    auto const text = [&](int task) { return task_text(schedule.header, schedule.sections[Rank{0}], TaskId{task}); };
    CHECK(text(0) == "task 0 (load of tensor 'A', block A[0:6, 0:8])");
    CHECK(text(2) == "task 2 (apply of node 'AB', block Z[0:6, 0:6])");
    CHECK(text(5) == "task 5 (receive from rank 1, message 0, block Z[0:6, 0:6])");
    CHECK(text(7) == "task 7 (store of output 'Z', block Z[0:6, 0:6])");
}
