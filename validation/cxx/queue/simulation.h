// Discrete-event simulation: a calendar of events and the stations that handle them.
#ifndef PERFCAST_VALIDATION_SIMULATION_H
#define PERFCAST_VALIDATION_SIMULATION_H

#include <cstdint>
#include <deque>
#include <memory>
#include <queue>
#include <vector>

class Simulation;

// Something customers arrive at.
class Station {
 public:
  virtual ~Station() = default;
  virtual void arrive(Simulation& simulation, int customer) = 0;
  virtual void finish(Simulation& simulation, int customer) = 0;
};

class Simulation {
 public:
  explicit Simulation(uint64_t seed) : seed_(seed) {}
  double now() const { return now_; }
  double exponential(double mean);
  // The customer finishes at the station after the delay.
  void schedule(double delay, Station& station, int customer);
  // One event; false when none is left.
  bool step();

 private:
  struct Event {
    double time;
    Station* station;
    int customer;
    bool operator<(const Event& o) const { return time > o.time; }
  };
  std::priority_queue<Event> calendar_;
  double now_ = 0;
  uint64_t seed_;
};

// One server with a waiting line, exponential service; hands the customer on.
class Server final : public Station {
 public:
  Server(double mean, Station* next) : mean_(mean), next_(next) {}
  void arrive(Simulation& simulation, int customer) override;
  void finish(Simulation& simulation, int customer) override;

 private:
  double mean_;
  Station* next_;
  std::deque<int> line_;
};

// Notes when each customer left.
class Exit final : public Station {
 public:
  explicit Exit(int customers) : left_(static_cast<std::size_t>(customers), -1) {}
  void arrive(Simulation& simulation, int customer) override;
  void finish(Simulation&, int) override {}
  const std::vector<double>& left() const { return left_; }

 private:
  std::vector<double> left_;
};

// Poisson arrivals.
class Source final : public Station {
 public:
  Source(double mean, Station& first, int customers)
      : mean_(mean), first_(first), customers_(customers), entered_(static_cast<std::size_t>(customers), 0) {}
  void arrive(Simulation& simulation, int customer) override;
  void finish(Simulation& simulation, int customer) override;
  const std::vector<double>& entered() const { return entered_; }

 private:
  double mean_;
  Station& first_;
  int customers_;
  std::vector<double> entered_;
};

#endif
