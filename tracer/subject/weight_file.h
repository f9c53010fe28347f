#pragma once
#include <set>
#include <string>
#include <vector>

#include <glassbox/conventions/convention.h>
#include <glassbox/layers/parameters.h>

namespace glassbox::tracer {

// The --weights file, if any: provides the weights, and the sizes that no option gives.
class WeightFile {
  public:
    WeightFile() = default;
    explicit WeightFile(const std::string& path);
    bool is_there() const { return !path_.empty(); }
    // The size of axis `axis` of the parameter with this name (the library's), or `fallback` if the file does
    // not have it. Tries the names of this convention first, then the library's and those of the others; then
    // the same after a prefix, if there is only one.
    index_t size(const std::string& name, int axis, const Convention& convention, index_t fallback) const;
    // The number of blocks prefix.0, prefix.1, … by any convention's names.
    index_t blocks(const std::string& prefix, index_t fallback) const;
    bool has(const std::string& name) const;
    void load_into(glassbox::Parameters&& parameters, const Convention& convention) const;
    // The same with the naming scheme that fits: this convention's, the library's or another convention's.
    // Returns false, with nothing changed, if none does.
    bool load_by_any_name(const ListParameters& parameters, const Convention& convention) const;
    // Throws FileError if the file has none of the requested sizes: it is another program's, or several of
    // its parts could be meant. The user's own sizes would be refused for no reason.
    void check_is_known() const;

  private:
    const Tensor* find(const std::string& name, int axis, const Convention& convention) const;
    void find_part(const std::string& name, const Convention& convention) const;
    void check_is_known(const std::vector<glassbox::Parameters::Entry>& entries,
                        const Convention& convention) const;
    void say_what_was_read() const;
    void check_numbers(const std::vector<glassbox::Parameters::Entry>& entries, const FileNames& names) const;
    NamedTensors with_biases(const std::vector<glassbox::Parameters::Entry>& entries,
                             const FileNames& names) const;
    std::string without_more(const std::vector<glassbox::Parameters::Entry>& entries,
                             const FileNames& names) const;
    std::string way_out(const std::vector<glassbox::Parameters::Difference>& differences) const;

    std::string path_;
    std::string wrapper_;               // what was taken away from the names, "module."
    std::vector<std::string> skipped_;  // why arrays of an .npz were not read
    NamedTensors tensors_;
    FileFacts facts_;
    // Found at the first requested size.
    mutable std::string part_;             // what is read: the names with this prefix, "encoder."
    mutable std::set<std::string> parts_;  // the prefixes that would do, if several
    mutable bool was_asked_ = false, is_known_ = false;
};

}  // namespace glassbox::tracer
