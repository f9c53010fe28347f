#include <glassbox/backend/products.h>

#include <atomic>

namespace glassbox {
namespace {
std::atomic<Products> current{Products::fp32};
}

void set_products(Products mode) { current = mode; }
Products products() { return current; }

}  // namespace glassbox
