#pragma once
#include <string>

#include <glassbox/conventions/convention.h>

namespace tracer {

using glassbox::index_t;

// The --weights file, if any: provides the weights, and the sizes that no option gives.
class WeightFile {
  public:
    WeightFile() = default;
    explicit WeightFile(const std::string& path);
    bool is_there() const { return !path_.empty(); }
    // The size of axis `axis` of the parameter with this name (the library's), or `fallback` if the file does
    // not have it. Tries the names of this convention first, then the library's and those of the others.
    index_t size(const std::string& name, int axis, const glassbox::Convention& convention,
                 index_t fallback) const;
    // The number of blocks prefix.0, prefix.1, … by any convention's names.
    index_t blocks(const std::string& prefix, index_t fallback) const;
    bool has(const std::string& name) const;
    void load_into(glassbox::Parameters&& parameters, const glassbox::Convention& convention) const;
    // The same with the naming scheme that fits: this convention's, the library's or another convention's.
    // Returns false, with nothing changed, if none does.
    bool load_by_any_name(const glassbox::ListParameters& parameters,
                          const glassbox::Convention& convention) const;

  private:
    std::string path_;
    glassbox::NamedTensors tensors_;
};

}  // namespace tracer
