// What an expression sends: BCAST of f numbers to s sites f s, SHUF of f numbers f, summed over the distinct
// subexpressions. Two ways to count the f of sums whose pieces are at several sites. `stored` counts every piece, which
// is what is sent; [T] Tables 4 and 6 count so. `frontier` takes each relation for as large as its frontier, one array
// a key, as [T] 4.3 is written; Table 9 counts so. Plans are chosen by `stored`; counting by `frontier` would choose
// the dearer plan in the third row of Table 4. Example: SHUF of 10 sites' partial 1e4 x 1e4 sums: stored 1e9, frontier
// 1e8.
#pragma once

#include "scheduler/ia/expression.hpp"

namespace ein::ia {

struct Cost {
    double stored = 0;
    double frontier = 0;
    Cost& operator+=(Cost const& other);
    friend bool operator==(Cost const&, Cost const&) = default;
};

/// What one operator sends, its inputs' costs not included.
Cost own_cost(Expr const& expr);
Cost cost(std::vector<Expr> const& roots);

}  // namespace ein::ia
