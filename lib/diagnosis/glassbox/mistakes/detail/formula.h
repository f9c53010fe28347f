#pragma once
#include <string>
#include <vector>

#include <glassbox/observe/trace.h>

// The formula of a step as it was computed, of which one part can be changed.
namespace glassbox::detail {

constexpr int all_axes = -100;
// In Part::of: the part in whose place this one is, and the edit's own second operand.
constexpr int what_was_there = -1, the_other = -2;

// An operation, or a value that one is of.
struct Part {
    std::string op{};             // empty: a value
    std::vector<int> of{};        // the parts that it is of
    double setting = 0;           // the axis of a reduction, from the back; the exponent of a power
    Tensor value{};               // of a value; of a view what it gave, for its shape
    std::string name{};           // of a value
    bool has_other_axis = false;  // of a reduction

    bool is_value() const { return op.empty(); }
    bool is_number() const { return is_value() && value.defined() && value.numel() == 1; }
};

// A part in the place of another.
struct Edit {
    std::size_t at;
    Part becomes;
    Part other{};
};

class Formula {
  public:
    // That of the step which is being named, from the steps before it; fused ops as what they compute.
    // Without names it is made faster, and has the same parts.
    Formula(const Frame& frame, const Tensor& made, bool has_names = true);

    const std::vector<Part>& parts() const { return parts_; }  // and the other steps of its scope
    std::size_t whole() const { return whole_; }

    Formula changed(const Edit& edit) const;
    bool is_within(std::size_t part, std::size_t whole) const;
    Tensor value() const;  // throws Error where the shapes do not fit
    std::string text(std::size_t part, int inside = 0, int depth = 0) const;
    std::string text() const { return text(whole_); }

  private:
    std::size_t add(Part part);
    std::size_t add_op(const char* op, std::vector<std::size_t> of, double setting = 0);
    std::size_t add_number(double number, const std::string& name = {});
    std::size_t add_value(const Frame& frame, const Tensor& value, std::string name);
    std::string unnamed(const Tensor& value) const;
    std::size_t add_computed(const Frame& frame, const Tensor& value, const char* unnamed);
    std::size_t add_fused(const Operation& operation, const std::vector<std::size_t>& of);
    Tensor value_of(std::size_t part, std::vector<Tensor>& known, int depth) const;

    std::vector<Part> parts_;
    std::size_t whole_ = 0;
    bool is_whole_next_ = true;  // what is added first
    bool has_names_ = true;
};

}  // namespace glassbox::detail
