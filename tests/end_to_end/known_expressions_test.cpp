// Einsum expressions of the kinds that NumPy's and opt_einsum's own tests use, at several rank counts, against the
// interpreter.
#include <random>

#include "lib/tensor/compare.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/whole_run.hpp"

using namespace ein;

namespace {

/// opt_einsum's extents of its test letters, and some that do not divide.
Extent extent_of(char letter) {
    static std::map<char, Extent> const extents{{'a', 2}, {'b', 6}, {'c', 5}, {'d', 3}, {'e', 4}, {'f', 7},
                                                {'g', 3}, {'h', 2}, {'i', 6}, {'j', 5}, {'k', 4}, {'l', 3}};
    auto const known = extents.find(letter);
    return known == extents.end() ? 3 : known->second;
}

Json graph_of(std::string const& expression, std::string const& dtype) {
    Json tensors = Json::object(), inputs = Json::array();
    std::string const operands = expression.substr(0, expression.find("->"));
    std::size_t begin = 0;
    for (std::size_t k = 0;; ++k) {
        std::size_t const end = std::min(operands.find(',', begin), operands.size());
        Shape shape;
        for (std::size_t c = begin; c < end; ++c) {
            if (operands[c] == '.') {
                shape.insert(shape.end(), {2, 3});
                c += 2;
            } else {
                shape.push_back(extent_of(operands[c]));
            }
        }
        std::string const name = "T" + std::to_string(k);
        bool const whole = dtype == "i64" || dtype == "i32";
        tensors[name] = {
            {"shape", shape},
            {"dtype", dtype},
            {"data", {{"random", "uniform"}, {"low", whole ? -3 : -1}, {"high", whole ? 4 : 1}, {"seed", k + 1}}}};
        inputs.push_back(name);
        if (end == operands.size()) break;
        begin = end + 1;
    }
    return {{"eingraph", 1},
            {"tensors", tensors},
            {"nodes", {{{"name", "Z"}, {"einsum", expression}, {"inputs", inputs}}}},
            {"outputs", {"Z"}}};
}

char const* const expressions[] = {
    // scalars, outer products, Hadamard
    "a,->a", "ab,->ab", ",ab,->ab", ",,->", "a,ab,abc->abc", "a,b,ab->ab", "ea,fb,gc,hd,abcd->efgh",
    "ea,fb,abcd,gc,hd->efgh", "abcd,ea,fb,gc,hd->efgh", "acdf,jbje,gihb,hfac,gfac,gifabc,hfac",
    "cd,bdhe,aidb,hgca,gc,hgibcd,hgac", "abhe,hidj,jgba,hiab,gab", "bde,cdh,agdb,hica,ibd,hgicd,hiac",
    "chd,bde,agbc,hiad,hgc,hgi,hiad", "chd,bde,agbc,hiad,bdi,cgh,agdb", "bdhe,acad,hiab,agac,hibd", "ab,ab,c->",
    "ab,ab,c->c", "ab,ab,cd,cd->", "ab,ab,cd,cd->ac", "ab,ab,cd,cd->cd", "ab,ab,cd,cd,ef,ef->", "ab,cd,ef->abcdef",
    "ab,cd,ef->acdf", "ab,cd,de->abcde", "ab,cd,de->be", "ab,bcd,cd->abcd", "ab,bcd,cd->abd", "eb,cb,fb->cef",
    "dd,fb,be,cdb->cef", "bca,cdb,dbf,afc->", "dcc,fce,ea,dbf->ab", "fdf,cdd,ccd,afe->ae", "abcd,ad",
    "ed,fcd,ff,bcf->be", "baa,dcf,af,cde->be", "bd,db,eac->ace", "fff,fae,bef,def->abd", "efc,dbc,acf,fd->abe",
    // reductions, traces, diagonals, transposes, batches
    "ab,ab", "ab,ba", "abc,abc", "abc,bac", "abc,cba", "ab,bc", "ab,cb", "ba,bc", "ba,cb", "abcd,cd", "abcd,ab",
    "abcd,cdef", "abcd,cdef->feba", "abcd,efdc", "aab,bc->ac", "ab,bcc->ac", "aab,bcc->ac", "baa,bcc->ac",
    "aab,ccb->ac", "aab,fa,df,ecc->bde", "ecb,fef,bad,ed->ac", "bcf,bbb,fbf,fc->", "bb,ff,be->e", "bcb,bb,fc,fff->",
    "fbb,dfd,fc,fc->", "afd,ba,cc,dc->bf", "adb,bc,fa,cfc->d", "bbd,bda,fc,db->acf", "dba,ead,cad->bce",
    "aef,fbc,dca->bde", "ii", "ii->i", "iij->j", "ij->ji", "ijk->kij", "i->", "ij->", "ij->j", "ij,jk,kl->il",
    "ij,jk->ik", "bij,bjk->bik", "ijk,ja,ka->ia", "abcd,cdef->abef", "abcde,efcgd->agbf", "ijkl,jb,kc,ld->ibcd",
    "i,i,i,i->i", "ij,ij,ij->ij", "i,i->", "...a,...b->...", "...,...", "a...,a...->...", "...ab,...bc->...ac",
    "ijj->i", "iijj->ij", "jiij->j", "abab->ab"};

}  // namespace

TEST_CASE("known einsum expressions equal the interpreter's", "[end_to_end][einsum]") {
    auto const [ranks, dtype] =
        GENERATE(table<int, std::string>({{1, "f64"}, {2, "i64"}, {3, "f64"}, {5, "i64"}, {7, "f64"}}));
    for (char const* expression : expressions) {
        CAPTURE(expression, ranks, dtype);
        test::WholeRunSetup setup;
        setup.ranks = ranks;
        setup.subblock_bytes = 0;
        setup.staging.ranks = 3;
        test::WholeRun const run = test::whole_run(graph_of(expression, dtype), setup);
        for (std::string const& failure : run.failures) FAIL_CHECK(failure);
        double const tolerance = tensor::tolerance(run.expected.at("Z").dtype(), 1e5);
        tensor::Difference const d = tensor::compare(run.results.at("Z"), run.expected.at("Z"), tolerance);
        CHECK(d.same_shape);
        CHECK((d.count == 0 || d.max_abs < 1e-11));
    }
}

TEST_CASE("any and all ask of each element where nothing is aggregated, as an output and for readers", "[end_to_end]") {
    Json const graph = Json::parse(R"~({"eingraph": 1, "dtype": "f64",
        "tensors": {"v": {"shape": [4], "data": {"values": [0, 2.5, -3, "nan"]}},
                    "w": {"shape": [4], "dtype": "i32", "data": {"values": [0, 2, -3, 7]}},
                    "s": {"shape": [], "data": {"values": 4}}},
        "nodes": [{"name": "a", "einsum": "i->i", "inputs": ["v"], "agg": "any"},
                  {"name": "b", "einsum": "i->i", "inputs": ["v"], "agg": "all", "join": "x"},
                  {"name": "c", "einsum": "i->i", "inputs": ["w"], "agg": "any"},
                  {"name": "d", "einsum": "->", "inputs": ["s"], "agg": "all"},
                  {"name": "e", "einsum": "i->i", "inputs": ["v"], "agg": "any", "join": "2*x"},
                  {"name": "f", "einsum": "i->", "inputs": ["a"]},
                  {"name": "g", "einsum": "i,i->i", "inputs": ["a", "e"], "join": "x + 2*y"}],
        "outputs": ["a", "b", "c", "d", "e", "f", "g"]})~");
    std::map<std::string, std::vector<double>> const expected{
        {"a", {0, 1, 1, 1}}, {"b", {0, 1, 1, 1}}, {"c", {0, 1, 1, 1}}, {"d", {1}},
        {"e", {0, 1, 1, 1}}, {"f", {3}},          {"g", {0, 3, 3, 3}}};
    for (int const ranks : {1, 2, 3}) {
        test::WholeRun const run = test::whole_run(graph, {.ranks = ranks});
        for (std::string const& failure : run.failures) FAIL_CHECK(failure);
        for (auto const& [name, values] : expected)
            for (std::size_t i = 0; i < values.size(); ++i) {
                CAPTURE(ranks, name, i);
                auto const number = [&](tensor::HostTensor const& of) {
                    scalar::Scalar const value = of.at(static_cast<Extent>(i));
                    return value.is_integer ? static_cast<double>(value.integer) : value.number.real();
                };
                CHECK(number(run.results.at(name)) == values[i]);
                CHECK(number(run.expected.at(name)) == values[i]);
            }
    }
}
