#include "planner/search/candidates.hpp"

#include <algorithm>
#include <numeric>

#include "lib/base/error.hpp"

namespace ein::planner {
namespace {

std::vector<std::int64_t> divisors_of(std::int64_t number) {
    std::vector<std::int64_t> low, high;
    for (std::int64_t d = 1; d * d <= number; ++d) {
        if (number % d != 0) continue;
        low.push_back(d);
        if (d != number / d) high.push_back(number / d);
    }
    low.insert(low.end(), high.rbegin(), high.rend());
    return low;
}

/// The labels that may be cut, the largest extents first.
std::vector<std::size_t> labels_by_extent(std::span<Extent const> extents) {
    std::vector<std::size_t> labels(extents.size());
    std::iota(labels.begin(), labels.end(), std::size_t{0});
    std::stable_sort(labels.begin(), labels.end(),
                     [&](std::size_t a, std::size_t b) { return extents[a] > extents[b]; });
    while (!labels.empty() && extents[labels.back()] < 2) labels.pop_back();
    return labels;
}

/// Ways to write each divisor of `calls` as a product of one part a label, counted label by label.
class Ways {
public:
    explicit Ways(std::int64_t calls) : divisors_(divisors_of(calls)), ways_(divisors_.size(), 0) { ways_[0] = 1; }

    void add_label(Extent extent) {
        for (std::size_t product = divisors_.size(); product-- > 0;) {  // downwards: smaller products are still without
            for (std::size_t smaller = 0; smaller < product; ++smaller) {
                if (divisors_[product] % divisors_[smaller] == 0 && divisors_[product] / divisors_[smaller] <= extent)
                    ways_[product] += ways_[smaller];
            }
        }
    }
    double of_all() const { return ways_.back(); }
    double of(std::int64_t product) const {
        auto const at = std::lower_bound(divisors_.begin(), divisors_.end(), product);
        return ways_[static_cast<std::size_t>(at - divisors_.begin())];
    }

private:
    std::vector<std::int64_t> divisors_;
    std::vector<double> ways_;
};

bool attainable(std::span<Extent const> extents, std::vector<std::size_t> const& labels, std::int64_t calls) {
    Ways ways(calls);
    for (std::size_t label : labels) {
        if (ways.of_all() > 0) break;
        ways.add_label(extents[label]);
    }
    return ways.of_all() > 0;
}

/// Writes out the vectors over `labels`, each of which has `calls` as product.
class Listing {
public:
    Listing(std::span<Extent const> extents, std::vector<std::size_t> labels, std::int64_t calls, std::size_t limit)
        : extents_(extents),
          labels_(std::move(labels)),
          divisors_(divisors_of(calls)),
          limit_(limit),
          current_(extents.size(), 1) {
        after_.assign(labels_.size() + 1, Ways(calls));  // after_[k]: products of the labels k, k + 1, ...
        for (std::size_t k = labels_.size(); k-- > 0;) {
            after_[k] = after_[k + 1];
            after_[k].add_label(extents_[labels_[k]]);
        }
        extend(0, calls);
    }
    std::vector<Parts> take() && { return std::move(found_); }

private:
    void extend(std::size_t k, std::int64_t rest) {
        if (found_.size() == limit_) return;
        if (rest == 1) {
            found_.push_back(current_);
            return;
        }
        for (auto part = divisors_.rbegin(); part != divisors_.rend(); ++part) {
            if (rest % *part != 0 || *part > extents_[labels_[k]] || after_[k + 1].of(rest / *part) == 0) continue;
            current_[labels_[k]] = *part;
            extend(k + 1, rest / *part);
        }
        current_[labels_[k]] = 1;
    }

    std::span<Extent const> extents_;
    std::vector<std::size_t> labels_;
    std::vector<std::int64_t> divisors_;
    std::size_t limit_;
    std::vector<Ways> after_;
    Parts current_;
    std::vector<Parts> found_;
};

/// As many of `labels` as keep the number of vectors within `limit`, but enough to reach `calls`.
std::vector<std::size_t> limited(std::span<Extent const> extents, std::vector<std::size_t> labels, std::int64_t calls,
                                 std::size_t limit) {
    Ways ways(calls);
    bool reached = calls == 1;
    for (std::size_t k = 0; k < labels.size(); ++k) {
        ways.add_label(extents[labels[k]]);
        if (reached && ways.of_all() > static_cast<double>(limit)) {
            labels.resize(k);
            break;
        }
        reached = reached || ways.of_all() > 0;
    }
    return labels;
}

}  // namespace

std::int64_t attainable_calls(std::span<Extent const> extents, std::int64_t calls) {
    promise(calls >= 1, "a node needs at least one kernel call");
    std::vector<std::size_t> const labels = labels_by_extent(extents);
    std::int64_t all = 1;  // capped just above `calls`
    for (std::size_t label : labels) {
        if (all > calls / extents[label]) {
            all = calls + 1;
            break;
        }
        all *= extents[label];
    }
    if (all <= calls) return all;
    while (!attainable(extents, labels, calls)) --calls;
    return calls;
}

double count_candidates(std::span<Extent const> extents, std::int64_t calls) {
    Ways ways(calls);
    for (Extent extent : extents) ways.add_label(extent);
    return ways.of_all();
}

namespace {
/// The vectors of the free labels, each with the given parts.
Candidates candidates_beside(std::span<Extent const> extents, std::int64_t calls, std::size_t limit,
                             std::span<std::int64_t const> fixed) {
    constexpr std::int64_t most = std::int64_t{1}
                                  << 62;  // of what is given: how far it is beyond `calls` is all the same
    std::vector<Extent> free(extents.begin(), extents.end());
    std::int64_t given = 1;
    for (std::size_t k = 0; k < free.size(); ++k) {
        if (fixed[k] == 0) continue;
        free[k] = 1;
        given = given > most / fixed[k] ? most : given * fixed[k];
    }
    Candidates out = candidates(free, std::max<std::int64_t>(1, calls / given), limit);
    out.calls = out.calls > most / given ? most : out.calls * given;
    for (Parts& parts : out.parts)
        for (std::size_t k = 0; k < parts.size(); ++k)
            if (fixed[k] > 0) parts[k] = fixed[k];
    return out;
}
}  // namespace

Candidates candidates(std::span<Extent const> extents, std::int64_t calls, std::size_t limit,
                      std::span<std::int64_t const> fixed) {
    promise(limit >= 1, "a limit of no candidates");
    if (!fixed.empty()) return candidates_beside(extents, calls, limit, fixed);
    Candidates out;
    out.calls = attainable_calls(extents, calls);
    out.total = count_candidates(extents, out.calls);
    std::vector<std::size_t> labels = labels_by_extent(extents);
    if (out.total > static_cast<double>(limit)) labels = limited(extents, std::move(labels), out.calls, limit);
    out.parts = Listing(extents, std::move(labels), out.calls, limit).take();
    std::sort(out.parts.begin(), out.parts.end(), std::greater<>());
    return out;
}

}  // namespace ein::planner
