#include "lib/schedule/verify/verify.hpp"

#include <algorithm>
#include <functional>

#include "tests/support/catch.hpp"
#include "tests/support/damage.hpp"
#include "tests/support/small_schedule.hpp"

using namespace ein;
using schedule::KernelId;
using schedule::MovementId;
using schedule::OutputId;
using schedule::Schedule;
using schedule::TensorId;

namespace {

schedule::Section& first_of(Schedule& s) { return s.sections[Rank{0}]; }
schedule::Section& second_of(Schedule& s) { return s.sections[Rank{1}]; }

/// Changes a task of rank 0.
template <class How>
void change(Schedule& s, int task, How&& how) {
    test::change(first_of(s), TaskId{task}, how);
}

void swap_tasks(schedule::Section& section, int a, int b) {
    std::swap(section.tasks[TaskId{a}], section.tasks[TaskId{b}]);
}

/// Puts a task's copy before it.
void insert_again(schedule::Section& section, TaskId task) {
    auto& tasks = section.tasks.list();
    tasks.insert(tasks.begin() + task.value(), schedule::Task(section.tasks[task]));
}

void send_part(Schedule& s, Box const& part) {
    change(s, 2, [&](auto& send) {
        send.order = static_cast<std::int32_t>(part.order());
        send.coords = first_of(s).add_box(view(part));
    });
}

schedule::ByteRange range_sent(Schedule const& s) {
    schedule::Section const& section = s.sections[Rank{0}];
    return section.range_of(section.message(section.tasks[TaskId{2}]));
}

}  // namespace

TEST_CASE("a sound schedule has no faults", "[schedule][verify]") {
    CHECK(schedule::faults_of(test::small_schedule()).empty());
}

TEST_CASE("a message may be a part of its block that lies in one run", "[schedule][verify]") {
    Schedule schedule = test::small_schedule();
    send_part(schedule, {{2, 0}, {2, 3}});  // all of it
    CHECK(schedule::faults_of(schedule).empty());
    CHECK(range_sent(schedule).bytes == 48);
    send_part(schedule, {{3, 1}, {1, 2}});
    schedule::ByteRange const part = range_sent(schedule);
    CHECK(part.offset == 4 * 8);
    CHECK(part.bytes == 2 * 8);
    CHECK(schedule::faults_of(schedule.header, schedule.sections[Rank{0}], Rank{0}).empty());
}

TEST_CASE("a reproducible schedule has whole sums; those of integers may be in parts", "[schedule][verify]") {
    Schedule schedule = test::small_schedule();
    schedule.header.reproducible = true;
    CHECK(schedule::faults_of(schedule).empty());
    schedule.header.kernels[KernelId{0}].einsum.extents[1] = 4;
    CHECK_FALSE(schedule::faults_of(schedule).empty());
    schedule.header.kernels[KernelId{0}].einsum.agg = scalar::Agg::any;
    CHECK(schedule::faults_of(schedule).empty());
}

TEST_CASE("every broken promise is found", "[schedule][verify]") {
    struct Break {
        char const* what;
        std::function<void(Schedule&)> how;
    };
    auto const broken = GENERATE(values<Break>({
        {"a tensor that is not there", [](Schedule& s) { first_of(s).blocks[BlockId{0}].tensor = TensorId{9}; }},
        {"a negative tensor", [](Schedule& s) { first_of(s).blocks[BlockId{0}].tensor = TensorId{-1}; }},
        {"coordinates outside the pool", [](Schedule& s) { first_of(s).blocks[BlockId{0}].coords = 1 << 20; }},
        {"a huge order", [](Schedule& s) { first_of(s).blocks[BlockId{0}].order = 1 << 30; }},
        {"a box outside its tensor", [](Schedule& s) { first_of(s).coords[2] = 5; }},
        {"a negative length", [](Schedule& s) { first_of(s).coords[2] = -1; }},
        {"a wrong reader count", [](Schedule& s) { first_of(s).blocks[BlockId{0}].readers = 1; }},
        {"a wrong writer count", [](Schedule& s) { first_of(s).blocks[BlockId{2}].writers = 2; }},
        {"an input that is not there", [](Schedule& s) { first_of(s).operands[0] = BlockId{77}; }},
        {"inputs outside the pool", [](Schedule& s) { change(s, 1, [](auto& task) { task.first_operand = 1000; }); }},
        {"an output that is not there",
         [](Schedule& s) { change(s, 0, [](auto& task) { task.result = BlockId{3}; }); }},
        {"a kernel that is not there", [](Schedule& s) { change(s, 3, [](auto& task) { task.entry = 1; }); }},
        {"a region beyond the block",
         [](Schedule& s) {
             auto const at = second_of(s).tasks[TaskId{1}].record().coords;
             second_of(s).coords[static_cast<std::size_t>(at)] = 1;
         }},
        {"a dense load of a part of what is there",
         [](Schedule& s) { change(s, 0, [](auto& task) { task.order = 2, task.coords = 0; }); }},
        {"a read before the write", [](Schedule& s) { swap_tasks(first_of(s), 1, 2); }},
        {"a load after a task", [](Schedule& s) { swap_tasks(second_of(s), 0, 1); }},
        {"a store before a task", [](Schedule& s) { swap_tasks(first_of(s), 3, 4); }},
        {"a message to oneself", [](Schedule& s) { change(s, 2, [](auto& task) { task.peer = 0; }); }},
        {"a message to nobody", [](Schedule& s) { change(s, 2, [](auto& task) { task.peer = 2; }); }},
        {"a message without its receiver", [](Schedule& s) { change(s, 2, [](auto& task) { task.tag = 1; }); }},
        {"a message of fewer bytes than its receiver wants", [](Schedule& s) { send_part(s, {{2, 0}, {1, 3}}); }},
        {"a message of what lies apart", [](Schedule& s) { send_part(s, {{2, 0}, {2, 2}}); }},
        {"a message from outside its block", [](Schedule& s) { send_part(s, {{1, 0}, {2, 3}}); }},
        {"a message of more elements than can be counted",
         [](Schedule& s) { send_part(s, {{2, 0}, {INT64_MAX, INT64_MAX}}); }},
        {"a message of negative length", [](Schedule& s) { send_part(s, {{2, 0}, {-2, -3}}); }},
        {"a message of other axes than its block's", [](Schedule& s) { send_part(s, {{2}, {2}}); }},
        {"accumulation onto nothing", [](Schedule& s) { change(s, 3, [](auto& task) { task.accumulates = true; }); }},
        {"a task after a later one", [](Schedule& s) { change(s, 1, [](auto& task) { task.after = TaskId{3}; }); }},
        {"a copy of more elements than can be counted",
         [](Schedule& s) {
             auto const lengths = first_of(s).coords.begin() + first_of(s).tasks[TaskId{1}].record().coords + 2;
             lengths[0] = lengths[1] = Extent{1} << 32;
         }},
        {"a step of zero", [](Schedule& s) { s.header.movements[MovementId{0}].axes[0].step = 0; }},
        {"a copy from outside", [](Schedule& s) { s.header.movements[MovementId{0}].axes[0].start = 1; }},
        {"a copy that overflows", [](Schedule& s) { s.header.movements[MovementId{0}].axes[0].step = INT64_MAX / 2; }},
        {"a kernel label that is not there",
         [](Schedule& s) { s.header.kernels[KernelId{0}].einsum.inputs[0][0] = 5; }},
        {"a repeated output label", [](Schedule& s) { s.header.kernels[KernelId{0}].einsum.output = {0, 0}; }},
        {"a wrong dtype of a stored block", [](Schedule& s) { first_of(s).blocks[BlockId{2}].dtype = DType::f32; }},
        {"a stored block of another shape", [](Schedule& s) { s.header.outputs[OutputId{0}].tensor = TensorId{0}; }},
        {"a part of a sum where results are to be reproducible",
         [](Schedule& s) {
             s.header.reproducible = true;
             s.header.kernels[KernelId{0}].einsum.extents[1] = 4;
         }},
        {"a wrong predicted peak", [](Schedule& s) { s.header.prediction.peak_bytes[0] += 1; }},
        {"wrong predicted bytes", [](Schedule& s) { s.header.prediction.bytes_sent[0] += 1; }},
        {"too few predictions", [](Schedule& s) { s.header.prediction.peak_bytes.pop_back(); }},
        {"a shape too large",
         [](Schedule& s) { s.header.tensors[TensorId{0}].shape = {Extent{1} << 40, Extent{1} << 40}; }},
    }));
    CAPTURE(broken.what);
    Schedule schedule = test::small_schedule();
    broken.how(schedule);
    CHECK_FALSE(schedule::faults_of(schedule).empty());
}

TEST_CASE("every broken promise about spills is found", "[schedule][verify]") {
    using schedule::Section;
    struct Break {
        char const* what;
        std::function<void(Section&, TaskId spill, TaskId fetch)> how;
    };
    auto const broken = GENERATE(values<Break>({
        {"a fetch after nothing",
         [](Section& s, TaskId, TaskId fetch) { test::change(s, fetch, [](auto& task) { task.after = {}; }); }},
        {"a fetch after another task",
         [](Section& s, TaskId, TaskId fetch) { test::change(s, fetch, [](auto& task) { task.after = TaskId{0}; }); }},
        {"a fetch of another dtype",
         [](Section& s, TaskId, TaskId fetch) { s.blocks[*s.tasks[fetch].result()].dtype = DType::f32; }},
        {"a fetch of another box",
         [](Section& s, TaskId, TaskId fetch) {
             s.blocks[*s.tasks[fetch].result()].coords = s.blocks[BlockId{1}].coords;
         }},
        {"a fetch after the spill of a block that is not there",
         [](Section& s, TaskId spill, TaskId) {
             test::change(s, spill, [](auto& task) { task.first_operand = 1 << 20; });
         }},
        {"a fetch after the spill of no block",
         [](Section& s, TaskId spill, TaskId) { test::change(s, spill, [](auto& task) { task.operands = 0; }); }},
        {"a spill that nobody fetches",
         [](Section& s, TaskId spill, TaskId fetch) {
             insert_again(s, spill);
             ++s.blocks[s.reads(spill)[0]].readers;
             test::change(s, following(fetch), [&](auto& task) { task.after = spill; });
         }},
        {"a fetch as second writer",
         [](Section& s, TaskId, TaskId fetch) {
             insert_again(s, fetch);
             ++s.blocks[*s.tasks[fetch].result()].writers;
         }},
    }));
    CAPTURE(broken.what);
    Schedule schedule = test::small_schedule();
    Section& section = first_of(schedule);
    // X is spilled once it is loaded, and fetched at once for the copy that reads it.
    BlockId const x{0}, fetched = test::block(section, TensorId{0}, {{0, 0}, {4, 3}});
    TaskId const spill{1}, fetch{2}, copy{3};
    section.add(schedule::Spill{x});
    section.add(schedule::Fetch{spill, fetched});
    auto& tasks = section.tasks.list();
    std::rotate(tasks.begin() + 1, tasks.end() - 2, tasks.end());
    section.operands[static_cast<std::size_t>(section.tasks[copy].record().first_operand)] = fetched;
    ++section.blocks[fetched].readers;
    --section.blocks[x].readers;
    REQUIRE(schedule::faults_of(schedule.header, section, Rank{0}).empty());
    broken.how(section, spill, fetch);
    CHECK_FALSE(schedule::faults_of(schedule.header, section, Rank{0}).empty());
}

TEST_CASE("orders that wait for each other are found", "[schedule][verify]") {
    Schedule schedule = test::small_schedule();
    // rank 1 now also sends something that rank 0 wants before its own send
    schedule::Section &first = first_of(schedule), &second = second_of(schedule);
    BlockId const wanted = test::block(first, TensorId{0}, {{2, 0}, {2, 3}});
    second.add(schedule::Send{BlockId{0}, Rank{0}, schedule::MessageTag{0}, {}});
    first.add(schedule::Receive{wanted, Rank{1}, schedule::MessageTag{0}, {}});
    for (schedule::Section* section : {&first, &second}) {
        auto& tasks = section->tasks.list();
        std::rotate(tasks.begin() + 1, tasks.end() - 1, tasks.end());
    }
    auto const faults = schedule::faults_of(schedule);
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].find("an order that ends on all ranks") != std::string::npos);
}

namespace {

/// Rank 0 makes a sparse block of no parts and sends it to rank 1, where its elements lie in this order.
Schedule with_sparse_message(tensor::SparseLayout const& received) {
    Schedule s;
    s.header.ranks = 2;
    TensorId const a = s.header.tensors.add({"A", {4, 4}, DType::f64, scalar::Scalar{}});
    Box const box = Box::whole({4, 4});
    auto const add_block = [&](schedule::Section& section, tensor::SparseLayout const& layout) {
        return section.blocks.add({a, DType::f64, schedule::format_of<schedule::SparseBlock>, 0, 0, 2,
                                   section.add_sparse(view(box), layout, 5)});
    };
    s.sections = Table<Rank, schedule::Section>(2);
    BlockId const sent = add_block(first_of(s), tensor::in_order(2)), arrived = add_block(second_of(s), received);
    first_of(s).add(schedule::Assemble{{}, sent});
    first_of(s).add(schedule::Send{sent, Rank{1}, schedule::MessageTag{0}, {}});
    second_of(s).add(schedule::Receive{arrived, Rank{0}, schedule::MessageTag{0}, {}});
    schedule::Prediction& p = s.header.prediction;
    p.bytes_sent = p.bytes_received = p.messages_sent = p.peak_bytes = std::vector<std::int64_t>(2, 0);
    return s;
}

bool says(std::vector<std::string> const& faults, std::string const& what) {
    return std::any_of(faults.begin(), faults.end(),
                       [&](std::string const& fault) { return fault.find(what) != std::string::npos; });
}

}  // namespace

TEST_CASE("both ends of a message list elements in one order", "[schedule][verify]") {
    std::string const unlike = "expected a sender and a receiver that list elements alike";
    CHECK_FALSE(says(schedule::faults_of(with_sparse_message(tensor::in_order(2))), unlike));
    CHECK(says(schedule::faults_of(with_sparse_message({{1, 0}, true})), unlike));
    CHECK(says(schedule::faults_of(with_sparse_message({{0, 1}, false})), "expected"));
}

TEST_CASE("sparse blocks are assembled from sparse blocks of their tensor", "[schedule][verify]") {
    Schedule s = with_sparse_message(tensor::in_order(2));
    CHECK(schedule::faults_of(s.header, first_of(s), Rank{0}).empty());
    BlockId const dense = first_of(s).blocks.add({TensorId{0}, DType::f64, schedule::format_of<schedule::DenseBlock>, 0,
                                                  0, 2, first_of(s).add_box(view(Box::whole({4, 4})))});
    schedule::FillId const zero = s.header.fills.add({"A", {}});
    first_of(s).add(schedule::Fill{zero, dense});
    BlockId const made = first_of(s).blocks.add(first_of(s).blocks[BlockId{0}]);
    first_of(s).blocks[made].readers = first_of(s).blocks[made].writers = 0;
    first_of(s).add(schedule::Assemble{{&dense, 1}, made});
    CHECK(says(schedule::faults_of(s.header, first_of(s), Rank{0}),
               "(assemble): expected inputs, output and region that fit its kind"));
}

TEST_CASE("sparse blocks are moved within boxes, between tensors with one fill", "[schedule][verify]") {
    struct Wrong {
        std::string name;
        scalar::Scalar fill = {};
        graph::AxisMap map = {1, 1};
        Box region = Box::whole({3, 4});
        bool sound = false;
    };
    auto const [name, fill, map, region, sound] =
        GENERATE(values<Wrong>({{.name = "nothing", .sound = true},
                                {.name = "another fill", .fill = scalar::Scalar::of(std::complex<double>(1))},
                                {.name = "a step of 0", .map = {0, 0}},
                                {.name = "steps beyond all numbers", .map = {0, Extent{1} << 62}},
                                {.name = "a region outside", .region = Box{{1, 0}, {3, 4}}},
                                {.name = "another order", .region = Box::whole({3})}}));
    CAPTURE(name);
    Schedule s = with_sparse_message(tensor::in_order(2));
    TensorId const z = s.header.tensors.add({"Z", {3, 4}, DType::f64, fill});
    schedule::MovementId const movement = s.header.movements.add({"Z", {map, {0, 1}}});
    Box const box = Box::whole({3, 4});
    BlockId const made = first_of(s).blocks.add({z, DType::f64, schedule::format_of<schedule::SparseBlock>, 0, 0, 2,
                                                 first_of(s).add_sparse(view(box), tensor::in_order(2), 5)});
    BlockId const from{0};
    first_of(s).add(schedule::Relocate{movement, {&from, 1}, made, view(region)});
    CHECK(says(schedule::faults_of(s.header, first_of(s), Rank{0}),
               "(relocate): expected inputs, output and region that fit its kind") != sound);
}

TEST_CASE("sparse blocks are reshaped within their shapes", "[schedule][verify]") {
    bool const has_parts = GENERATE(true, false), inside = GENERATE(true, false);
    Schedule s = with_sparse_message(tensor::in_order(2));
    Shape const from = inside ? Shape{4, 4} : Shape{2, 8};
    TensorId const z = s.header.tensors.add({"Z", {16}, DType::f64, scalar::Scalar{}});
    schedule::ReshapeId const reshape = s.header.reshapes.add({"Z", from, {16}});
    BlockId const made =
        first_of(s).blocks.add({z, DType::f64, schedule::format_of<schedule::SparseBlock>, 0, 0, 1,
                                first_of(s).add_sparse(view(Box::whole({16})), tensor::in_order(1), 5)});
    BlockId const part{0};
    first_of(s).add(schedule::Refold{reshape, {&part, has_parts ? std::size_t{1} : 0}, made});
    CHECK(says(schedule::faults_of(s.header, first_of(s), Rank{0}),
               "(refold): expected inputs, output and region that fit its kind") != (has_parts && inside));
}
