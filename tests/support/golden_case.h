#pragma once
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include <glassbox/conventions/convention.h>
#include <glassbox/io/numpy.h>

#include "support/compare.h"

namespace glassbox {
class Tape;
}

namespace glassbox_test {

// Tolerances of values, of gradients step by step, and of gradients on the plain path.
struct GoldenTolerances {
    Tolerance values, gradients, plain_gradients;
};

// One case of tests/golden/layers_CONVENTION_N.npz, as make_layers.py describes it.
class GoldenCase {
  public:
    GoldenCase(const glassbox::Npz& file, const std::string& name, const glassbox::Convention& convention,
               glassbox::Device device);

    std::string kind() const { return name_.substr(0, name_.find('.')); }  // "encoder_block"
    const glassbox::Convention& convention() const { return convention_; }
    glassbox::index_t number(const std::string& key) const;  // from the config; 0 where missing
    bool is(const std::string& key) const { return number(key) != 0; }

    glassbox::Tensor input(const std::string& name);  // floats, with their gradients compared later
    glassbox::Tensor integers(const std::string& name) const;
    glassbox::Tensor step(const std::string& path) const;  // value only
    glassbox::Mask mask() const;                           // mask, lengths, causal and window combined
    glassbox::Mask memory_mask() const;

    template <class Model>
    void compare(Model model,
                 const std::type_identity_t<std::function<glassbox::Tensor(const Model&)>>& run) {
        const glassbox::ListParameters parameters = [&model] { return glassbox::parameters_of(model); };
        load(parameters);
        compare(parameters, [&] { return run(model); });
    }

  private:
    struct Pair {
        glassbox::Tensor value, gradient;
    };
    std::string key(const std::string& rest) const { return name_ + "/" + rest; }
    bool has(const std::string& rest) const { return file_.contains(key(rest)); }
    glassbox::Tensor read(const std::string& rest) const { return file_.read(key(rest)); }
    Pair pair(const std::string& rest) const;
    std::vector<glassbox::index_t> lengths(const std::string& name) const;
    std::size_t steps_in_file() const;

    GoldenTolerances tolerances() const;
    void load(const glassbox::ListParameters& parameters) const;
    void compare(const glassbox::ListParameters& parameters,
                 const std::function<glassbox::Tensor()>& run) const;
    void compare_traced(const glassbox::ListParameters& parameters,
                        const std::function<glassbox::Tensor()>& run) const;
    void compare_plain(const glassbox::ListParameters& parameters,
                       const std::function<glassbox::Tensor()>& run) const;
    void compare_ends(const glassbox::ListParameters& parameters, const glassbox::Tape& tape,
                      const Tolerance& tolerance, const std::string& path) const;

    const glassbox::Npz& file_;
    std::string name_;
    const glassbox::Convention& convention_;
    glassbox::Device device_;
    std::map<std::string, glassbox::index_t> config_;
    std::map<std::string, glassbox::Tensor> inputs_;
    std::string title_;  // "report/encoder_block.plain"
};

// d_model, heads, d_ff, norm and activation of a case.
glassbox::BlockChoices block_choices(const GoldenCase& golden_case);

// The conventions with golden data (make_layers.py): at least those of the four documents.
std::vector<glassbox::Convention> golden_conventions();

// Calls `compare` with every case of these kinds in this convention; returns how many there were.
int for_each_case(const std::string& convention, const std::vector<std::string>& kinds,
                  glassbox::Device device, const std::function<void(GoldenCase&)>& compare);

}  // namespace glassbox_test
