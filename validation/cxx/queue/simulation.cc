// The calendar.
#include "simulation.h"

#include <cmath>

#include "../../common.h"

double Simulation::exponential(double mean) { return -mean * std::log(1 - next_unit(&seed_)); }

void Simulation::schedule(double delay, Station& station, int customer) {
  calendar_.push({now_ + delay, &station, customer});
}

bool Simulation::step() {
  if (calendar_.empty()) return false;
  Event event = calendar_.top();
  calendar_.pop();
  now_ = event.time;
  event.station->finish(*this, event.customer);
  return true;
}
