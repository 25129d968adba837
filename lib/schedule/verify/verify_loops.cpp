// Checks of a section's loops: that what an iteration leaves behind is what the next one needs.
#include <algorithm>
#include <set>

#include "lib/schedule/verify/verify.hpp"

namespace ein::schedule {
namespace {

class LoopCheck {
public:
    LoopCheck(Header const& header, Section const& section, Rank rank)
        : header_(header),
          section_(section),
          rank_(rank),
          first_writer_(section.blocks.size()),
          last_writer_(section.blocks.size()) {}

    std::vector<std::string> run() {
        for (TaskId t : section_.tasks.ids())
            if (auto const block = section_.tasks[t].result()) {
                if (!first_writer_[*block]) first_writer_[*block] = t;
                last_writer_[*block] = t;
            }
        std::set<TaskId> ends;
        for (LoopId l : section_.loops.ids())
            if (is_sound_range(l) && ends.insert(section_.loops[l].last).second) check(section_.loops[l]);
        auto const is_end = [](Task const& task) { return task.is<Iterate>(); };
        if (ends.size() != section_.loops.size() || std::count_if(section_.tasks.begin(), section_.tasks.end(),
                                                                  is_end) != static_cast<std::ptrdiff_t>(ends.size()))
            fault("its loops", "one end for each, whole in one another or apart, inner ones first");
        return std::move(faults_);
    }

private:
    void fault(std::string const& place, std::string const& expected) {
        faults_.push_back("rank " + std::to_string(rank_.value()) + ": " + place + ": expected " + expected);
    }
    std::string name_of(Loop const& loop) const { return "loop '" + header_.loops[loop.spec].name + "'"; }

    bool is_sound_range(LoopId l) const {
        Loop const& loop = section_.loops[l];
        if (!header_.loops.has(loop.spec) || !section_.tasks.has(loop.first) || !section_.tasks.has(loop.last) ||
            loop.first > loop.last || !section_.tasks[loop.last].is<Iterate>())
            return false;
        for (LoopId other : section_.loops.ids()) {
            if (other <= l) continue;
            Loop const& outer = section_.loops[other];
            bool const apart = outer.last < loop.first || loop.last < outer.first;
            if (!apart && !outer.contains(loop)) return false;
        }
        return true;
    }

    bool is_made_in(Loop const& loop, BlockId block) const {
        return first_writer_[block] && loop.contains(*first_writer_[block]);
    }

    void check(Loop const& loop) {
        auto const ends_with = section_.reads(loop.last);
        std::set<BlockId> const kept(ends_with.begin(), ends_with.end());
        std::set<BlockId> inside, next;
        for (Loop::Carry const& carry : loop.carries) {
            if (!is_sound(carry) || is_made_in(loop, carry.inside) || !is_made_in(loop, carry.next) ||
                !kept.contains(carry.next) || kept.contains(carry.inside) || !inside.insert(carry.inside).second ||
                !next.insert(carry.next).second)
                return fault(name_of(loop), "blocks that are alike to be carried, each once");
        }
        if (loop.condition &&
            (!kept.contains(*loop.condition) || section_.elements_of(section_.blocks[*loop.condition]) != 1))
            return fault(name_of(loop), "a condition of one element, which its end reads");
        for (TaskId t : section_.tasks.ids()) {
            Task const& task = section_.tasks[t];
            if (loop.contains(t) && !task.traits().repeats)
                return fault(name_of(loop), "no " + std::string(task.traits().name));
            for (BlockId block : section_.reads(task)) {
                bool const made = is_made_in(loop, block);
                bool const sound = loop.contains(t) ? made || kept.contains(block) || inside.contains(block)
                                                    : (!made || next.contains(block)) && !inside.contains(block);
                if (!sound)
                    return fault(name_of(loop) + ", task " + std::to_string(t.value()),
                                 "to read only what is there in every iteration");
            }
            if (auto const result = task.result();
                result && is_made_in(loop, *result) != loop.contains(*last_writer_[*result]))
                return fault(name_of(loop), "blocks made as a whole in it, or outside");
        }
    }

    bool is_sound(Loop::Carry const& carry) const {
        if (!section_.blocks.has(carry.inside) || !section_.blocks.has(carry.next)) return false;
        Block const &a = section_.blocks[carry.inside], &b = section_.blocks[carry.next];
        return a.dtype == b.dtype && a.format == b.format && section_.box_of(a) == section_.box_of(b) &&
               (!a.is<SparseBlock>() || list_alike(a, b));
    }

    /// In one order, with the same room, leaving out the same.
    bool list_alike(Block const& a, Block const& b) const {
        SparseBlock const one = section_.sparse(a), other = section_.sparse(b);
        auto const &fill = header_.tensors[a.tensor].fill, &other_fill = header_.tensors[b.tensor].fill;
        return one.most == other.most && one.layout() == other.layout() && fill && other_fill &&
               scalar::same_value(*fill, *other_fill);
    }

    Header const& header_;
    Section const& section_;
    Rank rank_;
    Table<BlockId, OptionalId<TaskId>> first_writer_, last_writer_;
    std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> faults_of_loops(Header const& header, Section const& section, Rank rank) {
    return LoopCheck(header, section, rank).run();
}

}  // namespace ein::schedule
