#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include <glassbox/io/named_tensors.h>
#include <glassbox/train/learner.h>

namespace tracer {

using glassbox::index_t;

// The attention maps of the first validation example after each validated epoch (0: before training), so that
// one can watch them form. They are written to maps.npz in the run's folder, "EPOCH/PATH" an array. Models
// whose maps are large keep none.
class KeptMaps {
  public:
    // Continues with what the file has up to `epoch`. An unreadable file is begun anew: it is only for
    // looking.
    KeptMaps(std::filesystem::path file, const glassbox::Learner& learner, const glassbox::DataSet& data,
             glassbox::Device device, index_t epoch);
    void keep(index_t epoch);

  private:
    std::filesystem::path file_;
    const glassbox::Learner& learner_;
    const glassbox::DataSet& data_;
    const glassbox::Device device_;
    glassbox::NamedTensors maps_;
};

// Their file in a run's folder.
std::filesystem::path maps_file(const std::filesystem::path& folder);

// The epoch of such a name; none where it is not of this form.
std::optional<index_t> epoch_of(const std::string& name);

// The maps of a run's folder; empty where it has none.
glassbox::NamedTensors read_maps(const std::filesystem::path& folder);

}  // namespace tracer
