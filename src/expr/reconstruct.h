// An expression from a few exact values: how often a block runs at sizes 40, 41, ... becomes "N^3/3 - N/3". Arithmetic
// is with exact fractions, so a form either goes through every sample or is refused; samples beyond the unknowns are
// checks. Tried from the simplest on:
//
//   polynomials                      loops over 0..N, triangular loops
//   quasi-polynomials                a polynomial per residue of N: vectorised and unrolled loops with their remainders
//   steps                            loops that take up to 512 elements at once, then fewer, then one (vector_steps.cc)
//   one term per residue             the same for long periods: polynomials whose terms are shared but for one
//   N, log2 N, 2^floor(log2 N)       halving and doubling loops, recursion (sizes must span three octaves)
//   2^N                              when N itself counts levels
//   products over several parameters
//   any of these plus hidden * polynomial: work that is exact but for one count that depends on the data
//
// Source: Clement 1994, section 4.2.1, replaces counts measured at one size; interpolation takes its place here.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "expr/expr.h"

namespace perfcast::expr {

struct ExactForm {
  Expr expression;
  int unknowns = 0, checks = 0;  // coefficients determined; samples that confirm them
  double from = 0;               // holds for sizes from here on; 0: for every sample
  int degree = 0, period = 1;    // of a (quasi-)polynomial
  std::vector<Expr> functions = {};  // it is a sum of, where those are not powers with a number for each residue
};

class Reconstructor {
 public:
  // points[k] are the values of the parameters in sample k: whole numbers.
  Reconstructor(std::vector<std::string> names, std::vector<std::vector<double>> points, int least_checks = 2);

  std::optional<ExactForm> exact(std::span<const double> values) const;
  // p(N) + H1 q1(N) + H2 q2(N) + ..., where each hidden count has these values in the samples.
  struct Hidden {
    std::string name;
    std::vector<double> values;
  };
  std::optional<ExactForm> exact_with(std::span<const double> values, std::span<const Hidden> hidden) const;

  std::size_t samples() const { return points_.size(); }

 private:
  struct Basis {
    std::vector<Expr> functions;
    int degree = 0, period = 1;
    bool by_octaves = false;  // logarithms and powers of two
  };
  // The rows in the order in which a form with such a basis is found and checked, and how many of them must determine it alone:
  // whatever is a function of the octave only goes through as many octaves as it has terms, so the last octave is all check.
  std::pair<std::vector<std::size_t>, std::size_t> found_and_checked(const Basis& basis, std::vector<std::size_t> rows) const;
  std::optional<ExactForm> solve(const Basis& basis, std::span<const double> values, const std::vector<std::size_t>& rows) const;
  // The samples of the largest sizes behind the others; `found`: where they begin.
  std::vector<std::size_t> largest_last(std::vector<std::size_t> rows, std::size_t& found) const;
  std::optional<ExactForm> by_residues(std::span<const double> values, const std::vector<std::size_t>& rows, int period) const;
  std::optional<ExactForm> one_term_by_residue(std::span<const double> values, const std::vector<std::size_t>& rows, int period) const;
  std::optional<ExactForm> by_steps(std::span<const double> values, const std::vector<std::size_t>& rows) const;
  std::optional<ExactForm> one_parameter(std::span<const double> values, const std::vector<std::size_t>& rows) const;
  std::optional<ExactForm> several_parameters(std::span<const double> values) const;
  std::optional<ExactForm> in_the_product(std::span<const double> values) const;
  std::optional<ExactForm> beyond_short_lines(std::span<const double> values) const;
  std::optional<ExactForm> in_one(std::size_t parameter, std::span<const double> values, bool everywhere) const;
  std::optional<ExactForm> product_of_lines(std::span<const double> values, bool everywhere) const;

  struct Evaluated {
    Basis basis;
    std::vector<std::vector<double>> at;  // [sample][function]
  };
  const std::vector<Evaluated>& bases_with_hidden() const;

  std::vector<std::string> names_;
  std::vector<std::vector<double>> points_;
  mutable std::vector<Evaluated> evaluated_;
  std::vector<std::size_t> order_;  // rows, mixed so that few of them already span the sizes
  int least_checks_;
  std::vector<Basis> special_;      // one parameter: logarithms and powers of two
};

// Laws for counts that have no exact form: the one that extrapolates best from the smaller to the larger samples.
struct Law {
  Expr expression;
  double spread = 0;  // relative standard deviation where it had to extrapolate
};
// `scales`: exact forms the count may be a constant share of, with their values.
struct Scale {
  Expr expression;
  std::vector<double> values;
};
Law law_of(const std::vector<std::string>& names, const std::vector<std::vector<double>>& points, std::span<const double> values,
           std::span<const Scale> scales = {});

// For few samples: a constant and a multiple of one of the scales, neither negative; the simplest that fits about as well
// as the best. One that outgrows the parameters must foretell the largest sample from the others. `spread` is how far it misses the samples themselves.
Law law_in_scales(const std::vector<std::string>& names, const std::vector<std::vector<double>>& points, std::span<const double> values,
                  std::span<const Scale> scales);

// How much memory grows: a constant and a product of powers of the parameters, neither negative, of `most_degree` together. A
// constant alone where the growth does not stand out of the scatter.
Law growth_law(const std::vector<std::string>& names, const std::vector<std::vector<double>>& points, std::span<const double> values, int most_degree = 3);

}  // namespace perfcast::expr
