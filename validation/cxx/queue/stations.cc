// What happens at the stations.
#include "simulation.h"

void Server::arrive(Simulation& simulation, int customer) {
  line_.push_back(customer);
  if (line_.size() == 1) simulation.schedule(simulation.exponential(mean_), *this, customer);
}

void Server::finish(Simulation& simulation, int customer) {
  line_.pop_front();
  next_->arrive(simulation, customer);
  if (!line_.empty()) simulation.schedule(simulation.exponential(mean_), *this, line_.front());
}

void Exit::arrive(Simulation& simulation, int customer) { left_[static_cast<std::size_t>(customer)] = simulation.now(); }

void Source::arrive(Simulation& simulation, int customer) {
  simulation.schedule(simulation.exponential(mean_), *this, customer);
}

void Source::finish(Simulation& simulation, int customer) {
  entered_[static_cast<std::size_t>(customer)] = simulation.now();
  first_.arrive(simulation, customer);
  if (customer + 1 < customers_) arrive(simulation, customer + 1);
}
