// What a whole run gave, beside what the interpreter says or another run gave.
// Example: check_results(test::whole_run(json, setup)) fails where an element is off by more than the graph's
// roundings.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>

#include "lib/tensor/compare.hpp"
#include "lib/tensor/convert.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/whole_run.hpp"

namespace ein::test {

inline bool same_bits(tensor::HostTensor const& a, tensor::HostTensor const& b) {
    return a.dtype() == b.dtype() && a.shape() == b.shape() && std::ranges::equal(a.bytes(), b.bytes());
}

/// The same, whichever nan a nan is.
inline bool same_bits_but_nans(tensor::HostTensor const& a, tensor::HostTensor const& b) {
    if (same_bits(a, b)) return true;
    if (a.dtype() != b.dtype() || a.shape() != b.shape() || is_exact(a.dtype())) return false;
    std::size_t const size = size_of(a.dtype());
    auto const part_of = [&](tensor::HostTensor const& of, std::size_t at) {
        std::complex<double> value;
        tensor::convert(of.dtype(), of.bytes().data() + at, 1, DType::c128, &value, 1);
        return value;
    };
    auto const same = [](double x, double y) {
        return (std::isnan(x) && std::isnan(y)) || std::memcmp(&x, &y, sizeof x) == 0;
    };
    for (std::size_t at = 0; at < a.bytes().size(); at += size) {
        std::complex<double> const x = part_of(a, at), y = part_of(b, at);
        if (!same(x.real(), y.real()) || !same(x.imag(), y.imag())) return false;
    }
    return true;
}

/// Sums of many roundings and a few steepening functions one after another: wider than one operation's tolerance.
inline double allowance(WholeRun const& run, std::string const& output) {
    double tolerance = 0;
    for (graph::Value const& value : run.graph.values)
        tolerance = std::max(tolerance, tensor::tolerance(value.dtype, run.reduction_length.at(output)));
    return 100 * tolerance;
}

inline void check_results(WholeRun const& run) {
    for (std::string const& failure : run.failures) FAIL_CHECK(failure);
    if (!run.failures.empty()) return;
    for (auto const& [name, expected] : run.expected) {
        CAPTURE(name);
        tensor::HostTensor const& found = run.results.at(name);
        REQUIRE(found.shape() == expected.shape());
        REQUIRE(found.dtype() == expected.dtype());
        tensor::Difference const d = tensor::compare(found, expected, allowance(run, name));
        CAPTURE(d.worst, d.max_abs, d.max_rel);
        std::vector<Extent> off;  // inputs are near 1: what cancels to nothing is compared by that
        for (Extent position : d.differing)
            if (!(tensor::distance(found.at(position), expected.at(position)) <= allowance(run, name)))
                off.push_back(position);
        CHECK(rounding_explains(run, name, off));
    }
}

/// Loops that may end before they have run as often as is predicted.
inline bool has_conditions(WholeRun const& run) {
    return std::ranges::any_of(run.graph.loops, [](auto const& loop) { return loop.condition.has_value(); });
}

/// What was predicted of bytes, messages and memory holds; exactly where the messages are known.
inline void check_promises(WholeRun const& run) {
    schedule::Prediction const& p = run.schedule.header.prediction;
    bool const all_iterations = !has_conditions(run);
    for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
        CAPTURE(rank);
        CHECK(run.ranks[rank].transfers.bytes_sent <= p.bytes_sent[rank]);
        CHECK(run.ranks[rank].transfers.messages_sent ==
              run.ranks[rank].predicted.messages_sent);  // as often as it ran
        if (knows_what_it_sends(run.schedule.sections[Rank{static_cast<int>(rank)}])) {
            CHECK(run.ranks[rank].transfers.bytes_sent == run.ranks[rank].predicted.sent);
            if (all_iterations) CHECK(run.ranks[rank].transfers.bytes_sent == p.bytes_sent[rank]);
        }
        if (all_iterations) CHECK(run.ranks[rank].transfers.messages_sent == p.messages_sent[rank]);
        CHECK(run.ranks[rank].blocks.peak_bytes() <= run.ranks[rank].peak_predicted);
        if (!run.ranks[rank].device)  // with memory of its own: it joins tasks, and predicts anew
            CHECK(run.ranks[rank].blocks.peak_bytes() <= p.peak_bytes[rank]);
        CHECK(run.ranks[rank].blocks.created() == run.ranks[rank].blocks.deleted());
    }
}

}  // namespace ein::test
