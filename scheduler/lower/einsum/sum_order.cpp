#include "scheduler/lower/einsum/sum_order.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "scheduler/tuning.hpp"

namespace ein::scheduler {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

class Ordering {
public:
    Ordering(SharedSum const& sum, std::size_t stride) : sum_(sum), stride_(stride), members_(sum.members()) {
        for (std::size_t m = 0; m < members_.size(); ++m) {
            members_[m].parts.resize(sum.parts.size());
            for (SummedCall const& call : sum.calls[m]) ++members_[m].parts[call.part].left;
            members_[m].made.resize(sum.calls[m].size(), false);
            find_next(m);
        }
    }

    SumOrder run() {
        while (true) {
            auto const first = std::min_element(members_.begin(), members_.end(),
                                                [](Member const& a, Member const& b) { return a.starts < b.starts; });
            if (first == members_.end() || first->starts == never) break;
            compute(static_cast<std::size_t>(first - members_.begin()));
        }
        for (std::size_t m = 0; m < members_.size(); ++m)
            for (std::size_t part = 0; part < sum_.parts.size(); ++part) receive(m, part, never);
        for (Member const& member : members_) out_.seconds = std::max(out_.seconds, member.now);
        return std::move(out_);
    }

private:
    struct Message {
        double arrival;
        std::size_t from;
    };
    /// What a member has of a part.
    struct Part {
        std::size_t left = 0;         // calls to be made
        bool begun = false;           // something is there
        std::vector<Message> coming;  // in the order in which they come
    };
    struct Member {
        double now = 0, link_free = 0;
        std::vector<Part> parts;
        std::vector<bool> made;  // by call
        std::size_t first = 0;   // call that is not made
        std::size_t next = 0;    // call to be made
        double starts = never;   // when
    };

    bool is_kept(std::size_t member, std::size_t part) const { return sum_.parts[part].keeper == member; }

    /// When a call can be made, as far as is known: a member adds its own to what comes, but what it keeps itself.
    double ready(std::size_t member, std::size_t call) const {
        SummedCall const& of = sum_.calls[member][call];
        Part const& part = members_[member].parts[of.part];
        bool const waits = !part.begun && !is_kept(member, of.part) && sum_.turn(member, of.part) > stride_;
        if (!waits) return of.at_hand;
        return part.coming.empty() ? never : std::max(of.at_hand, part.coming.front().arrival);
    }

    /// The first call that can be made now, else the one that can be made first.
    void find_next(std::size_t member) {
        Member& self = members_[member];
        self.starts = never;
        while (self.first < self.made.size() && self.made[self.first]) ++self.first;
        for (std::size_t call = self.first; call < self.made.size(); ++call) {
            if (self.made[call]) continue;
            double const at = std::max(self.now, ready(member, call));
            if (at < self.starts) self.starts = at, self.next = call;
            if (at <= self.now) return;
        }
    }

    void compute(std::size_t member) {
        Member& self = members_[member];
        SummedCall const& call = sum_.calls[member][self.next];
        self.now = self.starts;
        receive(member, call.part, self.now);
        out_.events.push_back({false, member, self.next, 0, call.part});
        self.made[self.next] = true;
        self.now += call.seconds;
        Part& part = self.parts[call.part];
        part.begun = true;
        if (--part.left == 0 && !is_kept(member, call.part)) send(member, call.part);
        find_next(member);
    }

    /// What has come of a part by a time.
    void receive(std::size_t member, std::size_t number, double until) {
        Member& self = members_[member];
        Part& part = self.parts[number];
        auto const end = std::find_if(part.coming.begin(), part.coming.end(),
                                      [&](Message const& message) { return message.arrival > until; });
        for (auto message = part.coming.begin(); message != end; ++message) {
            out_.events.push_back({true, message->from, 0, member, number});
            self.now = std::max(self.now, message->arrival);
            if (part.begun) self.now += sum_.parts[number].addition;
            part.begun = true;
        }
        part.coming.erase(part.coming.begin(), end);
    }

    void send(std::size_t member, std::size_t part) {
        std::size_t const to = sum_.destination(member, part, stride_);
        Member& there = members_[to];
        there.link_free = std::max(there.link_free, members_[member].now) + sum_.parts[part].message;
        there.parts[part].coming.push_back({there.link_free, member});
        find_next(to);
    }

    SharedSum const& sum_;
    std::size_t const stride_;
    std::vector<Member> members_;
    SumOrder out_;
};

}  // namespace

SumOrder sum_order(SharedSum const& sum, std::size_t stride) { return Ordering(sum, stride).run(); }

std::size_t best_stride(SharedSum const& sum) {
    std::size_t best = sum.members();
    double least = sum_order(sum, best).seconds;
    auto const next = [](std::size_t stride) { return stride > 4 ? stride / 2 : stride - 1; };
    for (std::size_t stride = sum.members() / 2; stride > 0; stride = next(stride))
        if (double const seconds = sum_order(sum, stride).seconds; seconds < (1 - tuning::worth_a_stride) * least)
            best = stride, least = seconds;
    return best;
}

}  // namespace ein::scheduler
