// A line of three servers with waiting lines, simulated event by event (several files, virtual
// calls, priority_queue, deque, log).
// Check: by Jackson's theorem the mean stay is the sum of 1 / (mu - lambda) over the servers; all
// customers leave, in the order they came.
// Argument: thousands of customers.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "../../common.h"
#include "simulation.h"

int main(int argc, char** argv) {
  int customers = 1000 * size_argument(argc, argv, 1300);
  const double arrival = 1.0, service[] = {0.5, 0.6, 0.4};
  Exit exit(customers);
  Server third(service[2], &exit), second(service[1], &third), first(service[0], &second);
  Source source(arrival, first, customers);
  Simulation simulation(139);
  source.arrive(simulation, 0);
  int64_t events = 0;
  while (simulation.step()) ++events;

  double stay = 0, theory = 0;
  for (int i = 0; i < customers; ++i) {
    auto c = static_cast<std::size_t>(i);
    stay += (exit.left()[c] - source.entered()[c]) / customers;
  }
  for (double mean : service) theory += 1 / (1 / mean - 1 / arrival);
  bool in_order = std::is_sorted(exit.left().begin(), exit.left().end()) && exit.left().front() > 0;
  std::printf("queue: %lld events, mean stay %.4f, theory %.4f\n", static_cast<long long>(events), stay, theory);
  return verdict(in_order && events == 4LL * customers && std::fabs(stay / theory - 1) < 30 / std::sqrt(customers));
}
