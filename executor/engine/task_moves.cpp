#include "executor/engine/task_moves.hpp"

#include <map>
#include <utility>

#include "executor/engine/tuning.hpp"

namespace ein::executor {

using schedule::Block;
using schedule::Header;
using schedule::Section;
using schedule::Task;

namespace {

/// Into a box whose memory is reused.
void set_box(Box& box, BoxView from) {
    box.begin.assign(from.begin.begin(), from.begin.end());
    box.length.assign(from.length.begin(), from.length.end());
}

ReshapeCall reshape_call(Header const& header, schedule::ReshapeId id, ReshapeCall::Form form, DType dtype,
                         BoxView from, BoxView to) {
    ReshapeCall call;
    call.spec = &header.reshapes[id];
    call.form = form;
    call.dtype = dtype;
    call.from_box = from.box();
    call.to_box = to.box();
    return call;
}

}  // namespace

void describe(Header const& header, Section const& section, schedule::Copy const& copy, CopyCall& call) {
    Block const& result = section.blocks[copy.result];
    set_box(call.from_box, section.view_of(section.blocks[copy.from]));
    set_box(call.to_box, section.view_of(result));
    set_box(call.region, copy.region);
    call.axes = header.movements[copy.movement].axes;
    call.dtype = result.dtype;
}

ReshapeCall describe(Header const& header, Section const& section, schedule::Reshape const& reshape) {
    Block const& result = section.blocks[reshape.result];
    return reshape_call(header, reshape.reshape, ReshapeCall::Form::direct, result.dtype,
                        section.view_of(section.blocks[reshape.from]), section.view_of(result));
}

ReshapeCall describe(Header const& header, Section const& section, schedule::Pack const& pack) {
    return reshape_call(header, pack.reshape, ReshapeCall::Form::pack, section.blocks[pack.result].dtype,
                        section.view_of(section.blocks[pack.from]), pack.unpacked);
}

ReshapeCall describe(Header const& header, Section const& section, schedule::Unpack const& unpack) {
    Block const& result = section.blocks[unpack.result];
    return reshape_call(header, unpack.reshape, ReshapeCall::Form::unpack, result.dtype, unpack.packed,
                        section.view_of(result));
}

namespace {

/// Names each kind of move to the device.
struct Expect {
    Header const& header;
    Section const& section;
    Accelerator& device;
    CopyCall call = {};

    void operator()(schedule::Copy const& copy) {
        describe(header, section, copy, call);
        device.expect_copy(call);
    }
    void operator()(schedule::Fill const& fill) {
        Block const& result = section.blocks[fill.result];
        device.expect_fill(section.elements_of(result), result.dtype, header.fills[fill.fill].value);
    }
    void operator()(schedule::Reshape const& move) { device.expect_reshape(describe(header, section, move)); }
    void operator()(schedule::Pack const& move) { device.expect_reshape(describe(header, section, move)); }
    void operator()(schedule::Unpack const& move) { device.expect_reshape(describe(header, section, move)); }

    // Kernels are prepared by kernel_table.hpp; the rest is none of the device's.
    void operator()(schedule::Apply const&) {}
    void operator()(schedule::Reduce const&) {}
    void operator()(schedule::Fused const&) {}
    void operator()(schedule::Load const&) {}
    void operator()(schedule::Send const&) {}
    void operator()(schedule::Receive const&) {}
    void operator()(schedule::Store const&) {}
    void operator()(schedule::Spill const&) {}
    void operator()(schedule::Fetch const&) {}
    void operator()(schedule::Iterate const&) {}
    void operator()(schedule::Assemble const&) {}
    void operator()(schedule::Relocate const&) {}
    void operator()(schedule::Refold const&) {}
};

}  // namespace

void expect_moves(Header const& header, Section const& section, Accelerator& device) {
    std::map<std::pair<schedule::TaskKind, std::int32_t>, int> alike;
    Expect expect{header, section, device};
    for (Task const& task : section.tasks)
        if (task.traits().is_on_device() && ++alike[{task.kind(), task.record().entry}] <= tuning::most_alike_moves)
            section.visit(task, expect);
}

}  // namespace ein::executor
