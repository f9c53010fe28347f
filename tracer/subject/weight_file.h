#pragma once
#include <string>

#include <glassbox/conventions/convention.h>

namespace tracer {

using glassbox::index_t;

// Where weights come from when a file has them: sizes that no option gives are read off its shapes.
class WeightFile {
  public:
    WeightFile() = default;
    explicit WeightFile(const std::string& path);
    bool is_there() const { return !path_.empty(); }
    // Axis `axis` of the parameter with this name (the library's), or `otherwise` when the file has none. A
    // file may have the names of another convention: those are looked for when this one's are not there.
    index_t size(const std::string& name, int axis, const glassbox::Convention& convention,
                 index_t otherwise) const;
    index_t blocks(const std::string& prefix,
                   index_t otherwise) const;  // how many prefix.0, prefix.1, … there are, by anybody's names
    bool has(const std::string& name) const;
    void load_into(glassbox::Parameters&& parameters, const glassbox::Convention& convention) const;
    // The same by whichever names the file has: this convention's, the library's own or another convention's.
    // False, and nothing is changed, when none of them fits.
    bool load_by_any_name(const glassbox::ListParameters& parameters,
                          const glassbox::Convention& convention) const;

  private:
    std::string path_;
    glassbox::NamedTensors tensors_;
};

}  // namespace tracer
