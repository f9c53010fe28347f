#include <glassbox/backend/products.h>

#include <atomic>

namespace glassbox {
namespace {
std::atomic<Products> mode{Products::fp32};
}

void set_products(Products wanted) { mode = wanted; }
Products products() { return mode; }

}  // namespace glassbox
