#include "executor/finite/origins.hpp"

#include "lib/base/json.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using namespace ein::executor;
using schedule::KernelId;
using schedule::LoopSpecId;
using schedule::TensorId;

namespace {

TensorId const x{0}, y{1}, z{2}, carried{3};

schedule::Header header() {
    schedule::Header out;
    for (char const* name : {"X", "Y", "Z", "W"}) out.tensors.add({name, {8}, DType::f32});
    out.loops.add({"train", 9, false});
    out.loops.add({"inner", 9, false});
    return out;
}

Moment during(std::int64_t train) { return {{LoopSpecId{0}, train}}; }
Moment during(std::int64_t train, std::int64_t inner) { return {{LoopSpecId{0}, train}, {LoopSpecId{1}, inner}}; }

Sighting elements(std::int64_t count, Moment const& when = {}, Extent begin = 0) {
    Sighting out;
    out.add(Box{{begin}, {4}}, count, when);
    return out;
}

SeenTensor loaded(TensorId tensor, Sighting nan, Sighting infinite) {
    return {tensor, std::move(nan), std::move(infinite)};
}
SeenTensor made(TensorId tensor, int kernel, std::vector<TensorId> inputs, Sighting nan, Sighting infinite) {
    return {tensor, std::move(nan), std::move(infinite), KernelId{kernel}, std::move(inputs)};
}

/// "Y: 1 element (1 NaN)" for each, a '?' before those whose inputs are infinite.
std::vector<std::string> found(std::vector<SeenNonFinite> const& seen) {
    std::vector<std::string> out;
    for (Origin const& each : origins(header(), seen))
        out.push_back((each.inputs_are_finite ? "" : "?") + each.node + ": " + text_of(each.count) +
                      text_of(each.first, header()));
    return out;
}
using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("they begin in a node whose inputs are finite, not in those that read it", "[executor][finite]") {
    SeenTensor const first = made(y, 0, {x}, {}, elements(2)), second = made(z, 1, {y, x}, elements(1), elements(1));
    CHECK(found({{{first, second}, {}}}) == Texts{"Y: 2 elements (2 infinite)", "?Z: 1 element (1 NaN)"});
    CHECK(found({{{first}, {}}, {{second}, {}}}) == Texts{"Y: 2 elements (2 infinite)", "?Z: 1 element (1 NaN)"});
}

TEST_CASE("nothing begins where an input has some already", "[executor][finite]") {
    CHECK(found({{{loaded(x, elements(1), {}), made(y, 0, {x}, elements(4), elements(1))}, {}}}).empty());
    CHECK(found({{{loaded(x, {}, elements(1)), made(y, 0, {x}, {}, elements(3))}, {}}}).empty());
    CHECK(found({{{made(y, 0, {x}, {}, elements(3))}, {}}, {{loaded(x, {}, elements(1))}, {}}}).empty());
}

TEST_CASE("numbers that a join has itself are meant, of the same kind alone", "[executor][finite]") {
    SeenTensor mask = made(y, 0, {x}, {}, elements(3));
    mask.means_infinite = true;
    CHECK(found({{{mask}, {}}}).empty());
    mask.nan = elements(1);
    CHECK(found({{{mask}, {}}}) == Texts{"Y: 1 element (1 NaN)"});
    mask.means_nan = true;
    CHECK(found({{{mask}, {}}}).empty());
}

TEST_CASE("NaN of a join that has inf is told apart", "[executor][finite]") {
    SeenTensor mask = made(y, 0, {x}, elements(2), elements(3));
    CHECK_THAT(fault_text(origins(header(), {{{mask}, {}}}), header()),
               Catch::Contains("look at what it reads") && !Catch::Contains("0*inf"));
    mask.means_infinite = true;
    CHECK_THAT(fault_text(origins(header(), {{{mask}, {}}}), header()),
               Catch::Contains("0*inf and inf - inf are nan, and its join has inf: write where(MASK, x, -inf)"));
}

TEST_CASE("parts that several ranks make are counted once", "[executor][finite]") {
    std::vector<SeenNonFinite> const seen{{{made(y, 0, {x}, elements(2), {})}, {}},
                                          {{made(y, 0, {x}, elements(2), {})}, {}},
                                          {{made(y, 0, {x}, elements(1, {}, 4), {})}, {}}};
    CHECK(found(seen) == Texts{"Y: 3 elements (3 NaN)"});
    CHECK(origins(header(), seen)[0].ranks == std::vector<int>{0, 1, 2});
}

TEST_CASE("in loops the first iteration counts, and what is carried is there in the next one", "[executor][finite]") {
    // `carried` comes from y; y = f(carried), z = g(y).
    std::vector<CarriedTensor> const carries{{LoopSpecId{0}, carried, y}};
    SeenTensor const body = made(y, 0, {carried}, {}, elements(1, during(3))),
                     reader = made(z, 1, {y, carried}, {}, elements(1, during(3)));
    CHECK(found({{{body, reader}, carries}}) == Texts{"Y: 1 element (1 infinite) in iteration 3 of loop 'train'"});
    SeenTensor const later = made(z, 1, {carried}, elements(2, during(4)), {});
    CHECK(found({{{body, later}, carries}}) == Texts{"Y: 1 element (1 infinite) in iteration 3 of loop 'train'",
                                                     "?Z: 2 elements (2 NaN) in iteration 4 of loop 'train'"});
    SeenTensor const sooner = made(z, 1, {carried}, elements(2, during(3)), {});  // when carried was finite still
    CHECK(found({{{body, sooner}, carries}}).size() == 2);
    CHECK(first_fault(origins(header(), {{{body, sooner}, carries}}))->node == "Y");
    SeenTensor const after = made(z, 1, {carried, y}, {}, elements(1));  // the loop
    CHECK(found({{{body, after}, carries}}).size() == 1);
}

TEST_CASE("what is carried through an inner loop begins where it began", "[executor][finite]") {
    std::vector<CarriedTensor> const carries{{LoopSpecId{1}, carried, y}, {LoopSpecId{0}, x, y}};
    SeenTensor const body = made(y, 1, {carried, x}, {}, elements(1, during(2, 3))),
                     reader = made(z, 0, {x}, elements(1, during(3)), {});
    CHECK(found({{{body, reader}, carries}}) ==
          Texts{"?Z: 1 element (1 NaN) in iteration 3 of loop 'train'",
                "Y: 1 element (1 infinite) in iteration 3 of loop 'inner', iteration 2 of loop 'train'"});
}

TEST_CASE("of several faults the earliest iteration is the first, then the lowest kernel", "[executor][finite]") {
    SeenTensor const early = made(y, 5, {}, elements(1, during(2)), {}),
                     late = made(z, 3, {}, elements(1, during(4)), {});
    CHECK(first_fault(origins(header(), {{{early, late}, {}}}))->node == "Y");
    SeenTensor const same = made(z, 3, {}, elements(1, during(2)), {});
    CHECK(first_fault(origins(header(), {{{early, same}, {}}}))->node == "Z");
    CHECK(first_fault({}) == nullptr);
    CHECK(fault_text(origins(header(), {{{early, same}, {}}}), header()) ==
          "--check-finite: node 'Z': expected finite elements, since its inputs are finite, found 1 element (1 NaN) in "
          "iteration 2 of loop 'train' on rank 0; they begin in 1 more node; look at what it reads; where "
          "they are meant, write inf or nan in its join");
}

TEST_CASE("what a rank has seen goes to the others as JSON", "[executor][finite]") {
    SeenTensor tensor = made(y, 2, {x, z}, elements(2, during(3, 1)), elements(1, during(4, 1), 4));
    tensor.means_infinite = true;
    SeenNonFinite const seen{{tensor, loaded(x, elements(1), {})}, {{LoopSpecId{0}, x, y}}};
    CHECK(seen_from_json(Json::parse(to_json(seen).dump())) == seen);
}
