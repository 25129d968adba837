#include "executor/device/cuda/move_programs.hpp"

#include <cstring>
#include <utility>

namespace ein::executor::cuda {
namespace {

/// The numbers that a program depends on, as bytes. One of each thread is used again: no memory is taken for a look-up.
class Key {
public:
    explicit Key(char kind) {
        bytes().clear();
        add(kind);
    }
    template <class Number>
    Key& add(Number number) {
        char raw[sizeof number];
        std::memcpy(raw, &number, sizeof number);
        bytes().append(raw, sizeof number);
        return *this;
    }
    Key& add_all(std::vector<Extent> const& numbers) {
        add(numbers.size());
        for (Extent number : numbers) add(number);
        return *this;
    }
    Key& add_box(Box const& box) { return add_all(box.begin).add_all(box.length); }
    Key& add_place(void const* at) {
        constexpr std::uintptr_t widest_unit = 16;
        return add(static_cast<char>(reinterpret_cast<std::uintptr_t>(at) % widest_unit));
    }
    std::string const& text() const { return bytes(); }

private:
    static std::string& bytes() {
        thread_local std::string all;
        return all;
    }
};

}  // namespace

PreparedProgram const& MovePrograms::find(std::string const& key, std::function<Program()> const& make) {
    MutexLock const lock(mutex_);
    auto const known = known_.find(key);
    if (known != known_.end()) return *known->second;
    std::string const mine = key;  // the thread's other keys come before it is stored
    auto made = std::make_unique<PreparedProgram const>(launcher_.prepare(make()));
    return *known_.emplace(mine, std::move(made)).first->second;
}

PreparedProgram const& MovePrograms::of(CopyCall const& call) {
    Key key('c');
    key.add(call.dtype).add_place(call.from).add_place(call.to).add_box(call.from_box).add_box(call.to_box);
    key.add_box(call.region);
    for (graph::AxisMap const& axis : call.axes) key.add(axis.start).add(axis.step);
    return find(key.text(), [&] { return copy_program(call, launcher_.shape()); });
}

PreparedProgram const& MovePrograms::of(ReshapeCall const& call) {
    Key key('r');
    key.add(call.dtype).add(call.form).add_place(call.from).add_place(call.to);
    key.add_box(call.from_box).add_box(call.to_box).add_all(call.spec->from).add_all(call.spec->to);
    return find(key.text(), [&] { return reshape_program(call, launcher_.shape()); });
}

PreparedProgram const& MovePrograms::of_fill(void const* to, Extent elements, DType dtype,
                                             scalar::Scalar const& value) {
    Key key('f');
    key.add(dtype).add_place(to).add(elements).add(value.is_integer);
    key.add(value.is_integer ? value.integer : std::int64_t{0}).add(value.number.real()).add(value.number.imag());
    return find(key.text(),
                [&] { return fill_program(const_cast<void*>(to), elements, dtype, value, launcher_.shape()); });
}

}  // namespace ein::executor::cuda
