// Ray tracer: spheres and planes behind one virtual interface, mirrors by recursion, shadows.
// Check: a ray at the centre of a sphere hits it at the known distance; every hit lies on its
// surface; the picture of the symmetric scene is symmetric.
// Argument: width of the picture.
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

#include "../common.h"

namespace {

struct Vector {
  double x = 0, y = 0, z = 0;
  Vector operator+(Vector o) const { return {x + o.x, y + o.y, z + o.z}; }
  Vector operator-(Vector o) const { return {x - o.x, y - o.y, z - o.z}; }
  Vector operator*(double s) const { return {x * s, y * s, z * s}; }
  double dot(Vector o) const { return x * o.x + y * o.y + z * o.z; }
  Vector unit() const { return *this * (1 / std::sqrt(dot(*this))); }
};

struct Ray {
  Vector origin, direction;
  Vector at(double t) const { return origin + direction * t; }
};

class Shape {
 public:
  explicit Shape(double mirror) : mirror_(mirror) {}
  virtual ~Shape() = default;
  // Distance along the ray of the nearest hit in front.
  virtual std::optional<double> hit(const Ray&) const = 0;
  virtual Vector normal(Vector point) const = 0;
  virtual double shade(Vector point) const = 0;
  // Zero on the surface.
  virtual double off(Vector point) const = 0;
  double mirror() const { return mirror_; }

 private:
  double mirror_;
};

constexpr double near = 1e-6;

class Sphere final : public Shape {
 public:
  Sphere(Vector centre, double radius, double mirror) : Shape(mirror), centre_(centre), radius_(radius) {}
  std::optional<double> hit(const Ray& ray) const override {
    Vector c = ray.origin - centre_;
    double b = c.dot(ray.direction), d = b * b - c.dot(c) + radius_ * radius_;
    if (d < 0) return std::nullopt;
    double root = std::sqrt(d);
    if (-b - root > near) return -b - root;
    if (-b + root > near) return -b + root;
    return std::nullopt;
  }
  Vector normal(Vector p) const override { return (p - centre_) * (1 / radius_); }
  double shade(Vector) const override { return 0.9; }
  double off(Vector p) const override { return std::sqrt((p - centre_).dot(p - centre_)) - radius_; }

 private:
  Vector centre_;
  double radius_;
};

class Floor final : public Shape {
 public:
  Floor() : Shape(0.2) {}
  std::optional<double> hit(const Ray& ray) const override {
    double t = -(ray.origin.y + 1) / ray.direction.y;
    return ray.direction.y != 0 && t > near && t < 1e4 ? std::optional(t) : std::nullopt;
  }
  Vector normal(Vector) const override { return {0, 1, 0}; }
  double shade(Vector p) const override {
    // Stripes in |x| and z keep the mirror symmetry.
    return (static_cast<int>(std::floor(std::fabs(p.x))) + static_cast<int>(std::floor(p.z))) % 2 == 0 ? 0.8 : 0.3;
  }
  double off(Vector p) const override { return p.y + 1; }
};

class Scene {
 public:
  Scene() {
    shapes_.push_back(std::make_unique<Floor>());
    for (int i = -3; i <= 3; ++i)
      for (int k = 0; k < 3; ++k)
        shapes_.push_back(std::make_unique<Sphere>(Vector{1.5 * i, 0.3 * k, 5.0 + 2 * k}, 0.7, 0.3 + 0.1 * k));
  }

  // Brightness seen along the ray.
  double trace(const Ray& ray, int depth) {
    double distance = 0;
    const Shape* shape = nearest(ray, distance);
    if (shape == nullptr) return 0.5 + 0.5 * ray.direction.y;
    Vector p = ray.at(distance), n = shape->normal(p);
    worst_ = std::fmax(worst_, std::fabs(shape->off(p)));
    Vector light = Vector{0, 10, -2} - p;
    double range = std::sqrt(light.dot(light)), unused = 0;
    Ray shadow{p + n * 1e-5, light * (1 / range)};
    double lit = nearest(shadow, unused) != nullptr ? 0 : std::fmax(0, n.dot(shadow.direction));
    double value = shape->shade(p) * (0.2 + 0.8 * lit) * (1 - shape->mirror());
    if (depth > 0) {
      Vector r = ray.direction - n * (2 * n.dot(ray.direction));
      value += shape->mirror() * trace({p + n * 1e-5, r.unit()}, depth - 1);
    }
    return value;
  }

  double worst() const { return worst_; }

 private:
  const Shape* nearest(const Ray& ray, double& distance) const {
    const Shape* best = nullptr;
    for (const auto& shape : shapes_)
      if (auto t = shape->hit(ray); t && (best == nullptr || *t < distance)) {
        best = shape.get();
        distance = *t;
      }
    return best;
  }

  std::vector<std::unique_ptr<Shape>> shapes_;
  double worst_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  int width = size_argument(argc, argv, 1000), height = width * 3 / 4;
  Scene scene;
  double left = 0, right = 0;
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i) {
      Vector direction{(i - (width - 1) / 2.0) / width, (height / 2.0 - j) / width, 0.8};
      double value = scene.trace({{0, 0.5, 0}, direction.unit()}, 4);
      if (2 * i < width) left += value;
      if (2 * i >= width - 1) right += value;  // both halves have the middle column of an odd width
    }
  auto ahead = Sphere({0, 0, 5}, 2, 0).hit({{0, 0, 0}, {0, 0, 1}});
  double mean = (left + right) / (width * height), skew = std::fabs(left - right) / (left + right);
  std::printf("raytrace: mean brightness %.4f, skew %.1e, off surface %.1e\n", mean, skew, scene.worst());
  return verdict(ahead && std::fabs(*ahead - 3) < 1e-12 && skew < 1e-4 && scene.worst() < 1e-6);
}
