#include "executor/transport/loopback_transport.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/rank_threads.hpp"
#include "tests/support/transport_checks.hpp"

using namespace ein;
using namespace ein::executor;
using ein::test::on_ranks;

namespace {
std::vector<std::string> nothing_wrong(int ranks) { return std::vector<std::string>(static_cast<std::size_t>(ranks)); }
}  // namespace

TEST_CASE("loopback ranks exchange blocks of any size, cut and delayed", "[executor][transport]") {
    int const ranks = GENERATE(1, 2, 3, 5);
    LoopbackOptions const options{1000, 5, 7};
    CHECK(on_ranks(ranks, options, [](Transport& transport) {
              return test::exchange_all(transport, {0, 1, 999, 1000, 1001, 12345});
          }) == nothing_wrong(ranks));
}

TEST_CASE("loopback ranks receive what is shorter than there is room for", "[executor][transport]") {
    int const ranks = GENERATE(1, 2, 3);
    LoopbackOptions const options{1000, 5, 7};
    CHECK(on_ranks(ranks, options, [](Transport& transport) { return test::exchange_shorter(transport, 4321); }) ==
          nothing_wrong(ranks));
}

TEST_CASE("loopback ranks gather texts and send notes", "[executor][transport]") {
    int const ranks = GENERATE(1, 2, 4);
    CHECK(on_ranks(ranks, {}, [](Transport& transport) { return test::gather_texts(transport); }) ==
          nothing_wrong(ranks));
    CHECK(on_ranks(ranks, {}, [](Transport& transport) { return test::send_notes(transport); }) ==
          nothing_wrong(ranks));
}

TEST_CASE("a loopback rank that aborts ends the others with its code", "[executor][transport]") {
    auto codes = on_ranks(3, {}, [](Transport& transport) {
        try {
            if (transport.rank() == Rank{1}) transport.abort(ExitCode::no_memory);
            transport.barrier();
        } catch (RunAborted const& aborted) {
            return aborted.code();
        }
        return ExitCode::done;
    });
    CHECK(codes == std::vector<ExitCode>(3, ExitCode::no_memory));
}

TEST_CASE("a receive of another length than its message is refused", "[executor][transport]") {
    auto faults = on_ranks(2, {}, [](Transport& transport) -> std::string {
        std::vector<std::byte> bytes(transport.rank() == Rank{0} ? 8 : 12);
        try {
            if (transport.rank() == Rank{0}) {
                transport.start_send(bytes, Rank{1}, 4, 0, SendEnds::when_free);
                test::poll_until(transport, 1);
            } else {
                transport.start_receive(bytes, Rank{0}, 4, 0);
                test::poll_until(transport, 1);
            }
        } catch (RunAborted const&) {
            return "aborted";
        } catch (RunError const& error) {
            try {
                transport.abort(error.code());
            } catch (RunAborted const&) {
            }
            return error.what();
        }
        return "done";
    });
    CHECK(faults == std::vector<std::string>{"aborted", "message 4 from rank 0 has 8 bytes, the receiver expects 12"});
}
