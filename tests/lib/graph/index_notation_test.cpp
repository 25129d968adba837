// What papers and programs write for an einsum, as subscripts for messages.
#include "lib/graph/read/einsum/index_notation.hpp"

#include "tests/support/catch.hpp"

using ein::graph::subscripts_of_indices;

TEST_CASE("indices behind tensors become subscripts", "[lib][graph][subscripts]") {
    CHECK(subscripts_of_indices("C_ik = A_ij B_jk") == "ij,jk->ik");
    CHECK(subscripts_of_indices("C[i,k] = A[i,j]*B[j,k]") == "ij,jk->ik");
    CHECK(subscripts_of_indices("C[i,k] := A[i,j] * B[j,k]") == "ij,jk->ik");
    CHECK(subscripts_of_indices("C[i,k] += A[i,j]*B[j,k]") == "ij,jk->ik");
    CHECK(subscripts_of_indices("A[i, j]*B[j, k]->[i, k]") == "ij,jk->ik");
    CHECK(subscripts_of_indices("y_{i} = sum W1_{ij} x_{j}") == "ij,j->i");
}

TEST_CASE("other texts are none of them", "[lib][graph][subscripts]") {
    for (auto const* text : {"ij,jk->ik", "", "seq d_model, d_model d_ff -> seq d_ff", "A_ij B_jk", "jk=>ik", "x = y",
                             "C_ik = A_i+ B_jk", "A[i,j", "C[1,2] = A[i,j]", "a_ij = b_ij = c_ij"}) {
        CAPTURE(text);
        CHECK(subscripts_of_indices(text).empty());
    }
}
