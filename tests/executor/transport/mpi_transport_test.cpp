// Runs under mpirun: every rank makes the same calls, and an assertion is about what all of them found.
#include "executor/transport/mpi_transport.hpp"

#include <cstdio>
#include <cstdlib>

#include "tests/support/catch.hpp"
#include "tests/support/run_catch.hpp"
#include "tests/support/transport_checks.hpp"

using namespace ein;
using namespace ein::executor;

namespace {
MpiSession* session = nullptr;

/// What went wrong on any rank; the same on all.
std::string shared_fault(Transport& transport, std::string const& mine) {
    for (std::string const& fault : transport.all_gather(mine))
        if (!fault.empty()) return fault;
    return "";
}
}  // namespace

TEST_CASE("MPI ranks exchange blocks of any size in pieces of at most a thousand bytes", "[executor][transport][mpi]") {
    MpiTransport transport(*session, 1000);
    CHECK(shared_fault(transport, test::exchange_all(transport, {0, 1, 999, 1000, 1001, 123456})).empty());
}

TEST_CASE("MPI ranks receive what is shorter than there is room for", "[executor][transport][mpi]") {
    MpiTransport transport(*session, 1000);
    CHECK(shared_fault(transport, test::exchange_shorter(transport, 4321)).empty());
    CHECK(shared_fault(transport, test::exchange_shorter(transport, 900)).empty());
}

TEST_CASE("MPI ranks exchange large blocks whole", "[executor][transport][mpi]") {
    MpiTransport transport(*session);
    CHECK(shared_fault(transport, test::exchange_all(transport, {0, 8, 3 << 20})).empty());
}

TEST_CASE("MPI ranks gather texts and send notes", "[executor][transport][mpi]") {
    MpiTransport transport(*session);
    CHECK(shared_fault(transport, test::gather_texts(transport)).empty());
    CHECK(shared_fault(transport, test::send_notes(transport)).empty());
}

TEST_CASE("a tag that MPI cannot carry is refused", "[executor][transport][mpi]") {
    MpiTransport transport(*session);
    CHECK_THROWS_AS(transport.start_send({}, Rank{0}, -1, 0, SendEnds::when_free), RunError);
}

TEST_CASE("notes that nobody read do not disturb the end", "[executor][transport][mpi]") {
    MpiTransport transport(*session);
    for (int to = 0; to < transport.size(); ++to)
        if (Rank{to} != transport.rank()) transport.post_note(Rank{to}, "unread");
    SUCCEED();
}

TEST_CASE("a block of another length than its receiver expects is refused", "[executor][transport][mpi]") {
    MpiTransport transport(*session);
    std::string fault;
    std::vector<std::byte> bytes(12);
    std::vector<Transport::Ticket> done;
    if (transport.size() > 1 && transport.rank() == Rank{0}) {
        transport.start_send(std::span(bytes).first(8), Rank{1}, 4, 0, SendEnds::when_free);
        test::poll_until(transport, 1);
    } else if (transport.rank() == Rank{1}) {
        transport.start_receive(bytes, Rank{0}, 4, 0);
        try {
            while (done.empty()) transport.poll(done);
            fault = "accepted";
        } catch (RunError const& error) {
            if (std::string(error.what()) != "message 4 from rank 0 brought 8 bytes, expected 12") fault = error.what();
        }
    }
    CHECK(shared_fault(transport, fault).empty());
}

TEST_CASE("Open MPI is set up for exchanges, but what the user set stays", "[mpi]") {
    CHECK(std::string(std::getenv("OMPI_MCA_btl_tcp_sndbuf")) == "100000");
    char const* const flags = std::getenv("OMPI_MCA_btl_tcp_flags");
    REQUIRE(flags != nullptr);
    CHECK(std::string(flags).find("put") == std::string::npos);
    char const* const part = std::getenv("OMPI_MCA_btl_tcp_max_send_size");
    REQUIRE(part != nullptr);
    CHECK(std::string(part) == "32768");
}

int main(int argc, char** argv) {
    setenv("OMPI_MCA_btl_tcp_sndbuf", "100000", 1);
    unsetenv("OMPI_MCA_btl_tcp_flags");
    unsetenv("OMPI_MCA_btl_tcp_max_send_size");
    MpiSession mpi;
    session = &mpi;
    int const failed = test::run_catch(argc, argv);
    MpiTransport transport(mpi);
    return shared_fault(transport, failed == 0 ? "" : "failed").empty() ? 0 : 1;
}
