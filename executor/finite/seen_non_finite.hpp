// In which tensors a rank has seen NaN and infinities, and when first: a value that ranks exchange, and out of which
// origins.hpp works out where they begin. Leaves looking to finite_check.hpp.
// Example: after 1/x of x = {0, 1} in the third iteration of loop 0: {tensor Y, infinite: 1 in [0:2], first {{loop 0,
// 3}}}.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "lib/base/box.hpp"
#include "lib/base/json_fwd.hpp"
#include "lib/schedule/model/schedule.hpp"

namespace ein::executor {

struct AtIteration {
    schedule::LoopSpecId loop;
    std::int64_t iteration = 0;  // from 1, since the loop was entered
    friend bool operator==(AtIteration const&, AtIteration const&) = default;
};

/// Of each loop around, outermost first; empty outside of loops.
using Moment = std::vector<AtIteration>;

/// Whether `a` is in a later iteration of a loop that both are in.
bool is_later(Moment const& a, Moment const& b);

/// Elements that are not finite, at the first moment that there were any.
struct Sighting {
    Moment first;
    std::map<Box, std::int64_t> parts;  // elements in each part of the tensor: several ranks may make the same one

    bool any() const { return !parts.empty(); }
    std::int64_t elements() const;
    /// Of two moments the earlier one counts. @param count  0: nothing was seen  @return whether it says more now
    bool add(Box const& part, std::int64_t count, Moment const& when);
    void add(Sighting const& other);
    friend bool operator==(Sighting const&, Sighting const&) = default;
};

struct SeenTensor {
    schedule::TensorId tensor{0};
    Sighting nan, infinite;
    OptionalId<schedule::KernelId> kernel = {};      // that makes it, the first of them; none: it is loaded or moved
    std::vector<schedule::TensorId> inputs = {};     // what its kernels read
    bool means_nan = false, means_infinite = false;  // its kernels' own numbers are, or they aggregate nothing
    friend bool operator==(SeenTensor const&, SeenTensor const&) = default;
};

/// What `next` is in one iteration `inside` is in the following one.
struct CarriedTensor {
    schedule::LoopSpecId loop;
    schedule::TensorId inside, next;
    friend bool operator==(CarriedTensor const&, CarriedTensor const&) = default;
};

struct SeenNonFinite {
    std::vector<SeenTensor> tensors;     // each once
    std::vector<CarriedTensor> carries;  // of all loops
    friend bool operator==(SeenNonFinite const&, SeenNonFinite const&) = default;
};

Json to_json(Moment const& moment);  // [[loop, iteration], ...]
Json to_json(SeenNonFinite const& seen);
SeenNonFinite seen_from_json(Json const& json);

}  // namespace ein::executor
