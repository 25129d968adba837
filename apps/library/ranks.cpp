#include <cstdlib>

#include "apps/library/state.hpp"

namespace einloom {

using ein::executor::Connection;

Ranks::Ranks() {
    public_errors([&] { state_ = std::make_unique<State>(State{std::make_unique<Connection>(std::getenv)}); });
}

Ranks::Ranks(int communicator) {
    public_errors([&] { state_ = std::make_unique<State>(State{std::make_unique<Connection>(communicator)}); });
}

Ranks::~Ranks() = default;

int Ranks::rank() const { return state_->connection->transport().rank().value(); }
int Ranks::size() const { return state_->connection->transport().size(); }

}  // namespace einloom
