// What holds of every kind of task and every format of block, whichever there are.
#include <set>

#include "lib/base/error.hpp"
#include "lib/schedule/model/section.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::schedule;

namespace {

/// Gives every field of a task a value of its own.
class Filler {
public:
    void operand(BlockId& block) { block = BlockId{next()}; }
    void operands(std::span<BlockId const>& blocks) {
        for (BlockId& block : list_) block = BlockId{next()};
        blocks = list_;
    }
    void result(BlockId& block) { block = BlockId{next()}; }
    template <class IdType>
    void entry(IdType& id) {
        id = IdType{next()};
    }
    void region(BoxView& box) { box = view(a_box()); }
    void part(std::optional<BoxView>& box) { box = view(a_box()); }
    void peer(Rank& rank) { rank = Rank{next()}; }
    void tag(MessageTag& tag) { tag = MessageTag{next()}; }
    void accumulates(bool& does) { does = true; }
    void follows(TaskId& task) { task = TaskId{next()}; }

private:
    int next() { return ++last_; }
    Box const& a_box() { return box_ = {{next(), next()}, {next(), next()}}; }

    int last_ = 0;
    std::vector<BlockId> list_ = std::vector<BlockId>(3);
    Box box_;
};

/// All fields as text, in the order of the kind's list.
class FieldText {
public:
    void operand(BlockId block) { add("reads", block); }
    void operands(std::span<BlockId const> blocks) {
        for (BlockId block : blocks) add("reads", block);
    }
    void result(BlockId block) { add("writes", block); }
    template <class IdType>
    void entry(IdType id) {
        add("entry", id);
    }
    void region(BoxView box) { text += " region " + to_string(box.box()); }
    void part(std::optional<BoxView> box) { text += box ? " part " + to_string(box->box()) : " whole"; }
    void peer(Rank rank) { add("peer", rank); }
    void tag(MessageTag tag) { add("tag", tag); }
    void accumulates(bool does) { text += does ? " accumulates" : ""; }
    void follows(TaskId task) { add("after", task); }

    std::string text;

private:
    template <class IdType>
    void add(std::string const& what, IdType id) {
        text += " " + what + " " + std::to_string(id.value());
    }
};

template <class T>
std::string text_of(T const& task) {
    FieldText fields;
    T::fields(task, fields);
    return std::string(T::traits.name) + fields.text;
}

/// A section with so many blocks, and a task before the one that is tested.
Section roomy_section() {
    Section section;
    section.blocks.resize(100);
    section.add(Fill{FillId{0}, BlockId{99}});
    return section;
}

template <class T>
void check_kind() {
    CAPTURE(std::string(T::traits.name));
    T filled{};
    Filler filler;
    T::fields(filled, filler);
    for (T const& task : {filled, T{}}) {
        Section section = roomy_section();
        Task const packed = section.tasks[section.add(task)];
        CHECK(packed.is<T>());
        CHECK(packed.traits().name == T::traits.name);
        CHECK(name(packed.kind()) == T::traits.name);
        CHECK(text_of(section.as<T>(packed)) == text_of(task));
        CHECK(section.visit(packed, [](auto const& seen) { return text_of(seen); }) == text_of(task));
        CHECK(section.reads(packed).size() == static_cast<std::size_t>(packed.operands()));
        for (BlockId block : section.reads(packed)) CHECK(section.blocks[block].readers > 0);
        if (packed.result()) CHECK(section.blocks[*packed.result()].writers == 1);
    }
}

template <class... Kind>
void check_all(KindList<Kind...>) {
    (check_kind<Kind>(), ...);
    std::set<std::string_view> const names{Kind::traits.name...};
    CHECK(names.size() == sizeof...(Kind));
    CHECK(task_kinds == sizeof...(Kind));
}

}  // namespace

TEST_CASE("a task of every kind comes out as it went in, and is seen as what it is", "[schedule][model]") {
    check_all(TaskKinds());
}

TEST_CASE("a transfer is a message, whole or in part; other tasks are none", "[schedule][model]") {
    Section section = roomy_section();
    Box const whole{{2, 0}, {4, 5}}, part{{3, 0}, {2, 5}};
    BlockId const block =
        section.blocks.add({.tensor = {}, .dtype = DType::f64, .order = 2, .coords = section.add_box(view(whole))});
    TaskId const send = section.add(Send{block, Rank{7}, MessageTag{3}, view(part)}),
                 receive = section.add(Receive{block, Rank{6}, MessageTag{2}, {}});
    Message const sent = section.message(section.tasks[send]), received = section.message(section.tasks[receive]);
    CHECK(sent.is_send);
    CHECK(sent.peer == Rank{7});
    CHECK(sent.tag == MessageTag{3});
    CHECK(section.range_of(sent).offset == 5 * 8);
    CHECK(section.bytes_of(sent) == 10 * 8);
    CHECK_FALSE(received.is_send);
    CHECK(received.peer == Rank{6});
    CHECK(section.range_of(received).offset == 0);
    CHECK(section.bytes_of(received) == section.bytes_of(block));
    CHECK_THROWS_AS(section.message(section.tasks[TaskId{0}]), InternalError);
}

TEST_CASE("applies and reduces are calls of a kernel", "[schedule][model]") {
    Section section = roomy_section();
    std::vector const read{BlockId{1}, BlockId{1}};
    Box const region{{0}, {4}};
    TaskId const apply = section.add(Apply{KernelId{5}, read, BlockId{2}, view(region)}),
                 reduce = section.add(Reduce{KernelId{6}, read, BlockId{2}, view(region), true}, apply);
    CHECK(section.kernel_call(section.tasks[apply])->kernel == KernelId{5});
    CHECK(section.kernel_call(section.tasks[reduce])->kernel == KernelId{6});
    CHECK_FALSE(section.kernel_call(section.tasks[TaskId{0}]));
    CHECK(section.tasks[reduce].accumulates());
    CHECK(section.tasks[reduce].after() == apply);
    CHECK(section.blocks[BlockId{1}].readers == 4);
    CHECK(section.blocks[BlockId{2}].writers == 2);
}

TEST_CASE("a record of a task takes no more than 40 bytes", "[schedule][model]") { CHECK(sizeof(Task) == 40); }

TEST_CASE("formats of blocks have names of their own, and bytes", "[schedule][model]") {
    std::set<std::string_view> names;
    Box const box{{0}, {6}};
    Section section;
    for (std::size_t number = 0; number < format_traits.size(); ++number) {
        auto const format = static_cast<BlockFormat>(number);
        CHECK(names.insert(traits(format).name).second);
        auto const seen = [](auto const& block) { return std::string(std::decay_t<decltype(block)>::traits.name); };
        bool const sparse = format == format_of<SparseBlock>;
        tensor::SparseLayout const layout{{0}, true};
        BlockId const id = section.blocks.add(
            {.tensor = {},
             .dtype = DType::f32,
             .format = format,
             .order = 1,
             .coords = sparse ? section.add_sparse(view(box), layout, 4) : section.add_box(view(box))});
        Block const& block = section.blocks[id];
        CHECK(visit_format(format, section.coords_of(block), seen) == traits(format).name);
        CHECK(section.elements_of(block) == (sparse ? 4 : 6));
        CHECK(section.bytes_of(block) == (sparse ? tensor::sparse_bytes(layout, box.length, DType::f32, 4) : 6 * 4));
        CHECK(block.is_box() == (format == format_of<DenseBlock>));
        CHECK(block.is_listed() == sparse);
    }
}
