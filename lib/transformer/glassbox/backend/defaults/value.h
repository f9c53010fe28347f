#pragma once
#include <vector>

#include <glassbox/backend/backend.h>
#include <glassbox/tensor/memory.h>
#include <glassbox/tensor/tensor.h>

// The vocabulary of the default kernels. Each function returns the result of one kernel call. Shapes
// broadcast as in NumPy.
namespace glassbox::defaults {

// An operand or intermediate result: a view of the caller's numbers, or a new tensor on the same device.
class Value {
  public:
    Value(Backend& on, const ConstView& given) : on_(&on), view_(given) {}
    Value(Backend& on, const Tensor& numbers) : on_(&on), numbers_(numbers), view_(numbers.view()) {}

    Backend& on() const { return *on_; }
    const Shape& shape() const { return view_.shape; }
    const ConstView& view() const { return view_; }
    // The same numbers with another shape and strides.
    Value reinterpreted(const Shape& shape, const Strides& strides) const;

    // A host copy, row-major: for the few steps without a required kernel.
    friend std::vector<real> on_host(const Value& x);

  private:
    Backend* on_;
    Tensor numbers_;  // undefined for a view of the caller's numbers
    ConstView view_;
};

// y = x, element by element in row-major order: y may lack axes of size 1.
void assign(const View& y, const Value& x);

Value operator+(const Value& a, const Value& b);
Value operator-(const Value& a, const Value& b);
Value operator*(const Value& a, const Value& b);
Value operator/(const Value& a, const Value& b);
Value operator+(const Value& a, real b);
Value operator*(const Value& a, real b);
Value operator/(const Value& a, real b);
Value operator-(real a, const Value& b);
Value operator/(real a, const Value& b);
Value operator-(const Value& x);

Value exp(const Value& x);
Value log(const Value& x);
Value sqrt(const Value& x);
Value tanh(const Value& x);
Value erf(const Value& x);
Value relu(const Value& x);
Value is_positive(const Value& x);                               // 1 where x > 0, else 0
Value where(const Value& mask, const Value& x, real otherwise);  // x where the mask is not 0

Value row_sum(const Value& x);     // (…, n) → (…, 1)
Value row_mean(const Value& x);    // (…, n) → (…, 1)
Value row_max(const Value& x);     // (…, n) → (…, 1)
Value column_sum(const Value& x);  // (…, n) → (1, …, 1, n)

Value row_softmax(const Value& x);
Value row_log_softmax(const Value& x);
Value activated(Activation f, const Value& x);
Value product(const Value& a, const Value& b);  // (…, m, k) · (…, k, n) → (…, m, n)

Value transpose(const Value& x);       // (…, m, n) → (…, n, m)
Value column(const Value& x);          // (…) → (…, 1)
Value rows(const Value& x);            // (…, n) → (rows, n)
Value arange(Backend& on, index_t n);  // 0, 1, …, n − 1

// A Live argument's current value, copied from the device if it is stored there.
template <class T>
T current(const Live<T>& number, Device device) {
    T value = number.now;
    if (number.device_value) memory(device).to_host(&value, number.device_value, sizeof value);
    return value;
}

}  // namespace glassbox::defaults
