// Checks of a section's loops: that what a turn leaves behind is what the next one needs.
#include <algorithm>
#include <set>

#include "lib/schedule/verify/verify.hpp"

namespace ein::schedule {
namespace {

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

class LoopCheck {
public:
    LoopCheck(Header const& header, Section const& section, Rank rank)
        : header_(header),
          section_(section),
          rank_(rank),
          first_writer_(section.blocks.size(), -1),
          last_writer_(section.blocks.size(), -1) {}

    std::vector<std::string> run() {
        for (std::int32_t t = 0; at(t) < section_.tasks.size(); ++t)
            if (std::int32_t const block = section_.tasks[at(t)].output; block >= 0) {
                if (first_writer_[at(block)] < 0) first_writer_[at(block)] = t;
                last_writer_[at(block)] = t;
            }
        std::set<std::int32_t> turns;
        for (std::size_t l = 0; l < section_.loops.size(); ++l)
            if (is_sound_range(l) && turns.insert(section_.loops[l].turn).second) check(section_.loops[l]);
        auto const is_turn = [](Task const& task) { return task.kind == TaskKind::turn; };
        if (turns.size() != section_.loops.size() ||
            std::count_if(section_.tasks.begin(), section_.tasks.end(), is_turn) !=
                static_cast<std::ptrdiff_t>(turns.size()))
            fault("its loops", "one turn for each, whole in one another or apart, inner ones first");
        return std::move(faults_);
    }

private:
    void fault(std::string const& place, std::string const& expected) {
        faults_.push_back("rank " + std::to_string(rank_.value()) + ": " + place + ": expected " + expected);
    }
    std::string name_of(Loop const& loop) const { return "loop '" + header_.loops[at(loop.spec)].name + "'"; }

    bool is_sound_range(std::size_t l) const {
        Loop const& loop = section_.loops[l];
        if (loop.spec < 0 || at(loop.spec) >= header_.loops.size() || loop.first < 0 || loop.first > loop.turn ||
            at(loop.turn) >= section_.tasks.size() || section_.tasks[at(loop.turn)].kind != TaskKind::turn)
            return false;
        for (std::size_t other = l + 1; other < section_.loops.size(); ++other) {
            Loop const& outer = section_.loops[other];
            bool const apart = outer.turn < loop.first || loop.turn < outer.first;
            if (!apart && !(outer.first <= loop.first && loop.turn < outer.turn)) return false;
        }
        return true;
    }

    void check(Loop const& loop) {
        auto const is_inside = [&](std::int32_t task) { return task >= loop.first && task <= loop.turn; };
        auto const made_inside = [&](std::int32_t block) { return is_inside(first_writer_[at(block)]); };
        auto const turn_inputs = section_.inputs_of(section_.tasks[at(loop.turn)]);
        std::set<std::int32_t> const kept(turn_inputs.begin(), turn_inputs.end());
        std::set<std::int32_t> inside, next;
        for (Loop::Carry const& carry : loop.carries) {
            if (!is_sound(carry) || made_inside(carry.inside) || !made_inside(carry.next) ||
                !kept.contains(carry.next) || kept.contains(carry.inside) || !inside.insert(carry.inside).second ||
                !next.insert(carry.next).second)
                return fault(name_of(loop), "blocks that are alike to be carried, each once");
        }
        if (loop.condition != -1 && (loop.condition < 0 || !kept.contains(loop.condition) ||
                                     section_.elements_of(section_.blocks[at(loop.condition)]) != 1))
            return fault(name_of(loop), "a condition of one element, which its turn reads");
        for (std::int32_t t = 0; at(t) < section_.tasks.size(); ++t) {
            Task const& task = section_.tasks[at(t)];
            if (is_inside(t) && !may_be_repeated(task.kind))
                return fault(name_of(loop), "no " + std::string(name(task.kind)));
            for (std::int32_t block : section_.inputs_of(task)) {
                bool const sound = is_inside(t)
                                       ? made_inside(block) || kept.contains(block) || inside.contains(block)
                                       : (!made_inside(block) || next.contains(block)) && !inside.contains(block);
                if (!sound)
                    return fault(name_of(loop) + ", task " + std::to_string(t),
                                 "to read only what is there in every turn");
            }
            if (task.output >= 0 && made_inside(task.output) != is_inside(last_writer_[at(task.output)]))
                return fault(name_of(loop), "blocks made as a whole in it, or outside");
        }
    }

    static bool may_be_repeated(TaskKind kind) {
        return kind != TaskKind::load && kind != TaskKind::store && kind != TaskKind::spill && kind != TaskKind::fetch;
    }

    bool is_sound(Loop::Carry const& carry) const {
        auto const exists = [&](std::int32_t block) { return block >= 0 && at(block) < section_.blocks.size(); };
        if (!exists(carry.inside) || !exists(carry.next)) return false;
        Block const &a = section_.blocks[at(carry.inside)], &b = section_.blocks[at(carry.next)];
        return a.dtype == b.dtype && a.packed == b.packed && section_.box_of(a) == section_.box_of(b);
    }

    Header const& header_;
    Section const& section_;
    Rank rank_;
    std::vector<std::int32_t> first_writer_, last_writer_;  // by block
    std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> faults_of_loops(Header const& header, Section const& section, Rank rank) {
    return LoopCheck(header, section, rank).run();
}

}  // namespace ein::schedule
