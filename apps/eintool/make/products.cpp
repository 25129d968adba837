// Products of matrices and tensors, and a chain of elementwise nodes: what other libraries are compared with.
#include <algorithm>
#include <cmath>

#include "apps/eintool/make/graph_kind.hpp"

namespace ein::apps::tool {
namespace {

std::string matmul(Request const& request) {
    GraphText g = request.graph();
    g.random("A", {request.size("I"), request.size("J")});
    g.random("B", {request.size("J"), request.size("K")});
    g.einsum("C", "ij,jk->ik", {"A", "B"});
    return g.text({"C"});
}

/// Source: [E] section 9, experiment 1.
std::string matrix_chain(Request const& request) {
    bool const skewed = request.has("--skewed");
    Extent const s = request.size("S"), inner = skewed ? std::max<Extent>(1, s / 10) : s, wide = skewed ? 10 * s : s;
    GraphText g = request.graph();
    double const bound = 1 / std::sqrt(static_cast<double>(s));  // results stay near 1
    g.random("A", {s, inner}, bound);
    g.random("B", {inner, s}, bound);
    g.random("C", {s, inner}, bound);
    g.random("D", {inner, wide}, bound);
    g.random("E", {wide, s}, bound);
    g.einsum("AB", "ij,jk->ik", {"A", "B"});
    g.einsum("DE", "ij,jk->ik", {"D", "E"});
    g.einsum("CDE", "ij,jk->ik", {"C", "DE"});
    g.einsum("Z", "ik,ik->ik", {"AB", "CDE"}, {{"join", "x+y"}});
    return g.text({"Z"});
}

std::string elementwise(Request const& request) {
    GraphText g = request.graph();
    g.random("X", {request.size("N")});
    g.random("Y", {request.size("N")});
    g.einsum("Z", "i,i->i", {"X", "Y"}, {{"join", "x+y"}});
    return g.text({"Z"});
}

std::string mttkrp(Request const& request) {
    Extent const i = request.size("I"), j = request.size("J"), k = request.size("K"), r = request.size("R");
    GraphText g = request.graph();
    if (request.has("--sparse"))
        g.sparse_uniform("T", {i, j, k}, -1, 1, request.number("--density"));
    else
        g.random("T", {i, j, k});
    g.random("B", {j, r});
    g.random("C", {k, r});
    g.einsum("A", "ijk,jr,kr->ir", {"T", "B", "C"});
    return g.text({"A"});
}

std::string spmm(Request const& request) {
    Extent const i = request.size("I"), j = request.size("J"), k = request.size("K");
    GraphText g = request.graph();
    if (request.has("--sparse"))
        g.sparse_uniform("A", {i, j}, -1, 1, request.number("--density"));
    else
        g.random("A", {i, j});
    g.random("X", {j, k});
    g.einsum("Y", "ij,jk->ik", {"A", "X"});
    return g.text({"Y"});
}

std::string ttmc(Request const& request) {
    Extent const i = request.size("I"), j = request.size("J"), k = request.size("K");
    GraphText g = request.graph();
    g.random("T", {i, j, k});
    g.random("B", {j, request.size("R")});
    g.random("C", {k, request.size("S")});
    g.einsum("Y", "ijk,jr,ks->irs", {"T", "B", "C"});
    return g.text({"Y"});
}

std::vector<DType> const signed_dtypes{DType::f32,  DType::f64, DType::f16, DType::bf16, DType::c64,
                                       DType::c128, DType::i8,  DType::i16, DType::i32,  DType::i64};

}  // namespace

std::vector<GraphKind> product_kinds() {
    return {
        {"matmul", "C = A B", {{"I", 1024}, {"J", 1024}, {"K", 1024}}, {}, signed_dtypes, matmul},
        {"matrix-chain",
         "(A B) + (C (D E)) of S x S matrices",
         {{"S", 1024}},
         {{"--skewed", "a tenth of S inside each product, but 10 S between D and E", OptionValue::flag}},
         real_dtypes,
         matrix_chain},
        {"elementwise",
         "the sum of two long vectors: memory bandwidth",
         {{"N", 1 << 24}},
         {},
         signed_dtypes,
         elementwise},
        {"mttkrp",
         "matricized tensor times Khatri-Rao product: a mode's right-hand side in a CP decomposition of rank R",
         {{"I", 200}, {"J", 200}, {"K", 200}, {"R", 32}},
         {sparse_option(), density_option()},
         signed_dtypes,
         mttkrp},
        {"spmm",
         "Y = A X, a few columns X of a large matrix A",
         {{"I", 4096}, {"J", 4096}, {"K", 64}},
         {sparse_option(), density_option()},
         signed_dtypes,
         spmm},
        {"ttmc",
         "tensor times matrices, J to R and K to S: a mode's chain in a Tucker decomposition",
         {{"I", 200}, {"J", 200}, {"K", 200}, {"R", 16}, {"S", 16}},
         {},
         signed_dtypes,
         ttmc},
    };
}

}  // namespace ein::apps::tool
