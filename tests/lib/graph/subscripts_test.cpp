#include "lib/graph/read/einsum/subscripts.hpp"

#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::graph;

namespace {

using Orders = std::vector<std::optional<std::size_t>>;

std::string joined(Subscripts::Term const& term) {
    std::string text;
    for (std::string const& label : term) text += (text.empty() ? "" : ".") + label;
    return text;
}

/// "i.j,j.k->i.k": labels joined by dots, or the first fault.
std::string read(Json const& einsum, Orders const& orders = {}) {
    Faults faults("g.json");
    auto const subscripts = read_subscripts(Cursor(einsum, faults), orders);
    if (!subscripts) return "fault: " + faults.list().at(0).expected + " | " + faults.list().at(0).found;
    std::string text;
    for (auto const& term : subscripts->inputs)
        text += (&term == &subscripts->inputs.front() ? "" : ",") + joined(term);
    return text + "->" + joined(subscripts->output);
}

}  // namespace

TEST_CASE("letters are NumPy's subscripts, with its implicit output", "[lib][graph]") {
    struct Row {
        char const* text;
        char const* labels;
    };
    // From NumPy's and opt_einsum's own tests; the implicit outputs are what np.einsum documents.
    auto const row = GENERATE(values<Row>({{"ij,jk->ik", "i.j,j.k->i.k"},
                                           {"ij,jk", "i.j,j.k->i.k"},
                                           {"ba", "b.a->a.b"},
                                           {"ii", "i.i->"},
                                           {"ii->i", "i.i->i"},
                                           {"->", "->"},
                                           {"", "->"},
                                           {"i->", "i->"},
                                           {",->", ",->"},
                                           {",", ",->"},
                                           {",ij", ",i.j->i.j"},
                                           {"...i,...j", "....i,....j->....i.j"},
                                           {"...", "...->..."},
                                           {"i...->...", "i....->..."},
                                           {"...ii->...i", "....i.i->....i"},
                                           {"...a,a...", "....a,a....->..."},
                                           {" i j , j k -> i k ", "i.j,j.k->i.k"},
                                           {"ij, jk -> ik", "i.j,j.k->i.k"},
                                           {"a,ab,abc->abc", "a,a.b,a.b.c->a.b.c"},
                                           {"a,b,ab->ab", "a,b,a.b->a.b"},
                                           {"ea,fb,gc,hd,abcd->efgh", "e.a,f.b,g.c,h.d,a.b.c.d->e.f.g.h"},
                                           {"ab,ab,c->", "a.b,a.b,c->"},
                                           {"aab,bc->ac", "a.a.b,b.c->a.c"},
                                           {"eb,cb,fb->cef", "e.b,c.b,f.b->c.e.f"},
                                           {"dd,fb,be,cdb->cef", "d.d,f.b,b.e,c.d.b->c.e.f"},
                                           {"abc,bac->", "a.b.c,b.a.c->"},
                                           {"aB,Bc->ac", "a.B,B.c->a.c"},
                                           {"aB,Ba", "a.B,B.a->"},
                                           {"bca,cdb,dbf,afc->", "b.c.a,c.d.b,d.b.f,a.f.c->"},
                                           {"dba,ead,cad->bce", "d.b.a,e.a.d,c.a.d->b.c.e"},
                                           {"zA", "z.A->A.z"}}));
    CAPTURE(row.text);
    CHECK(read(row.text) == row.labels);
}

TEST_CASE("a term with a space inside makes words", "[lib][graph]") {
    CHECK(read("batch seq d, d ff -> batch seq ff") == "batch.seq.d,d.ff->batch.seq.ff");
    CHECK(read("batch, seq -> batch seq") == "batch,seq->batch.seq");
    CHECK(read("... d, d -> ...") == "....d,d->...");
    CHECK(read("row col, col") == "row.col,col->row");
    CHECK(read("naïve x -> x naïve") == "naïve.x->x.naïve");
}

TEST_CASE("spaces around commas alone: the reading that fits the inputs is taken", "[lib][graph]") {
    CHECK(read("row, row -> row", {1, 1}) == "row,row->row");
    CHECK(read("row, row -> row", {3, 3}) == "r.o.w,r.o.w->r.o.w");
    CHECK(read("row, row -> row", {std::nullopt, 1}) == "row,row->row");
    CHECK(read("ij, jk -> ik", {2, 2}) == "i.j,j.k->i.k");
    CHECK(read("ij, jk -> ik", {7, 7}) == "i.j,j.k->i.k");  // neither fits: reported as letters
}

TEST_CASE("lists name any number of labels", "[lib][graph]") {
    CHECK(read(Json::parse(R"({"in": [["i", "j"], ["j", "k"]], "out": ["i", "k"]})")) == "i.j,j.k->i.k");
    CHECK(read(Json::parse(R"({"in": [["row", "..."], []]})")) == "row....,->....row");
    CHECK(read(Json::parse(R"({"in": [["i1", "i2"], ["i2"]], "out": []})")) == "i1.i2,i2->");
    CHECK(read(Json::parse(R"({"in": [["i", "j"], "j"], "out": "i"})")) == "i.j,j->i");
}

TEST_CASE("sublists are NumPy's, with the output's or without, and labels may be numbers", "[lib][graph]") {
    CHECK(read(Json::parse("[[0, 1], [1, 2], [0, 2]]"), {2, 2}) == "0.1,1.2->0.2");
    CHECK(read(Json::parse("[[0, 1], [1, 2]]"), {2, 2}) == "0.1,1.2->0.2");
    CHECK(read(Json::parse("[[10, 2], [2, 3]]"), {2, 2}) == "10.2,2.3->3.10");  // sorted as numbers
    CHECK(read(Json::parse(R"([["b", 10, 9]])"), {3}) == "b.10.9->9.10.b");
    CHECK(read(Json::parse(R"([["i", "..."], []])"), {3}) == "i....->");
    CHECK(read(Json::parse("[[0, 0], [0]]"), {2}) == "0.0->0");
    CHECK(read(Json::parse(R"({"in": [[0, 1], [1]], "out": 0})")) == "0.1,1->0");
}

TEST_CASE("each way to be wrong is reported", "[lib][graph]") {
    struct Row {
        char const* json;
        char const* fault;
    };
    auto const row = GENERATE(values<Row>(
        {{R"("i1->i")", "fault: letters a to z and A to Z, or '...', as NumPy's einsum has them | 'i1'"},
         {R"("i->j->k")", "fault: one '->' and one output term after it | 'i->j->k'"},
         {R"("i->i,j")", "fault: one '->' and one output term after it | 'i->i,j'"},
         {R"("ij->ii")", "fault: each label once in the output | 'i' twice"},
         {R"("...i...->i")", "fault: '...' at most once in a term | it twice"},
         {R"("i..->i")", "fault: letters a to z and A to Z, or '...', as NumPy's einsum has them | 'i..'"},
         {R"("a b.. -> a")", "fault: words without ',', '[', ']' or '..' (or the word '...') | 'b..'"},
         {R"(3)", "fault: a string, {\"in\": ..., \"out\": ...} or a list of lists | 3"},
         {R"({"out": []})", "fault: the key \"in\" | none"},
         {R"({"in": ["ij"], "out": []})", "fault: a list of labels | \"ij\""},
         {R"({"in": [["i", -2]]})", "fault: a label: a string, or a number from 0 | -2"},
         {R"({"in": [["A", [0, 1]]]})", "fault: a label: a string, or a number from 0 | [0,1]"},
         {R"({"in": [["i", null]]})", "fault: a string | null"},
         {R"(["A", [0, 1]])", "fault: 0 lists of labels, one for each input, or one more for the output | 2"},
         {R"("b (h w) c -> b h w c")",
          "fault: one word for each axis | '(h w)', axes that are merged or split as in einops"},
         {R"({"in": [["i j"]]})", "fault: a label without spaces, ',', '[', ']' or '..' (or \"...\") | 'i j'"},
         {R"({"in": [["i"]], "to": []})", "fault: in, out or labels | the unknown key \"to\""}}));
    CAPTURE(row.json);
    Faults faults("g.json");
    Json const einsum = Json::parse(row.json);
    CHECK((read_subscripts(Cursor(einsum, faults), {}), !faults.empty()));
    REQUIRE(!faults.empty());
    CHECK("fault: " + faults.list()[0].expected + " | " + faults.list()[0].found == row.fault);
}
