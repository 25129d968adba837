#include "apps/explain/page/scopes.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace ein::apps::explain {
namespace {

using Reads = std::vector<std::vector<Source>>;

bool comes_from(Source const& source, std::size_t begin, std::size_t end) {
    return source.from == Source::From::step && source.index >= begin && source.index < end;
}

/// An input of a group's copies that comes from outside of the copy.
InPort in_port(Reads const& reads, Repeat const& repeat, std::size_t step, std::size_t input) {
    InPort out;
    for (std::size_t copy = 0; copy < repeat.copies; ++copy) {
        Source const& source = reads[repeat.first + copy * repeat.period + step][input];
        if (comes_from(source, repeat.first, repeat.end())) {
            std::size_t const at = source.index - repeat.first;
            out.carry = Carry{at % repeat.period, copy - at / repeat.period};
            break;
        }
        out.sources.push_back(source);
    }
    return out;
}

bool is_graph_input(InPort const& port) {
    return !port.carry && std::all_of(port.sources.begin(), port.sources.end(),
                                      [](Source const& source) { return source.from == Source::From::graph; });
}

/// A group, and what its copies read as they see it.
struct Copy {
    Group group;
    Reads reads;
};

Copy seen_by_copy(Reads const& reads, Repeat const& repeat) {
    Copy out{{repeat.first, repeat.period, repeat.copies, 0, {}, {}, {}}, Reads(repeat.period)};
    std::map<InPort, std::size_t> known;
    for (std::size_t step = 0; step < repeat.period; ++step)
        for (std::size_t k = 0; k < reads[repeat.first + step].size(); ++k) {
            Source const& source = reads[repeat.first + step][k];
            if (comes_from(source, repeat.first, repeat.first + repeat.period)) {
                out.reads[step].push_back({Source::From::step, source.index - repeat.first});
                continue;
            }
            InPort port = in_port(reads, repeat, step, k);
            if (is_graph_input(port)) {
                out.reads[step].push_back({});
                continue;
            }
            auto const [at, fresh] = known.emplace(std::move(port), out.group.in.size());
            if (fresh) out.group.in.push_back(at->first);
            out.reads[step].push_back({Source::From::port, at->second});
        }
    return out;
}

/// Steps of a group's copy that something outside of that copy reads.
std::set<std::size_t> outs_of(Scope const& around, Group const& group) {
    std::size_t const end = group.first + group.period * group.copies;
    std::set<std::size_t> out;
    for (InPort const& port : group.in)
        if (port.carry) out.insert(port.carry->step);
    auto const left = [&](std::size_t step) { return (step - group.first) % group.period; };
    for (std::size_t step = end; step < around.reads.size(); ++step)
        for (Source const& source : around.reads[step])
            if (comes_from(source, group.first, end)) out.insert(left(source.index));
    for (std::size_t step : around.out_ports)
        if (step >= group.first && step < end) out.insert(left(step));
    return out;
}

class Scopes {
public:
    std::size_t add(Reads reads, std::vector<Repeat> const& repeats, std::size_t in_ports,
                    std::set<std::size_t> const& outs) {
        std::size_t const self = list_.size();
        list_.emplace_back();
        Scope scope;
        scope.reads = std::move(reads);
        scope.in_ports = in_ports;
        scope.out_ports.assign(outs.begin(), outs.end());
        std::size_t step = 0;
        for (Repeat const& repeat : repeats) {
            for (; step < repeat.first; ++step) scope.items.push_back({step, std::nullopt});
            Copy copy = seen_by_copy(scope.reads, repeat);
            std::size_t const ports = copy.group.in.size();
            copy.group.scope = add(std::move(copy.reads), repeat.inside, ports, outs_of(scope, copy.group));
            scope.items.push_back({repeat.first, scope.groups.size()});
            scope.groups.push_back(std::move(copy.group));
            step = repeat.end();
        }
        for (; step < scope.reads.size(); ++step) scope.items.push_back({step, std::nullopt});
        list_[self] = std::move(scope);
        return self;
    }

    std::vector<Scope> list() { return std::move(list_); }

private:
    std::vector<Scope> list_;
};

}  // namespace

std::vector<Scope> scopes_of(std::vector<SequenceStep> const& steps, std::vector<Repeat> const& repeats) {
    Reads reads;
    for (SequenceStep const& step : steps) {
        reads.emplace_back();
        for (auto const& maker : step.makers)
            reads.back().push_back(maker ? Source{Source::From::step, *maker} : Source{});
    }
    Scopes scopes;
    scopes.add(std::move(reads), repeats, 0, {});
    return scopes.list();
}

}  // namespace ein::apps::explain
