#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <glassbox/io/named_tensors.h>
#include <glassbox/train/learner.h>

namespace glassbox::tracer {

// The attention maps of the first validation example after each validated epoch (0: before training), so that
// one can watch them form. They are written to maps.npz in the run's folder, "EPOCH/PATH" an array, and
// "settings" the checksum of the run's settings. Models whose maps are large keep none. They are only for
// viewing, as are "EPOCH/read", the numbers that the example has, and "EPOCH/answer", what the model answers,
// where x is one-hot: any failure is reported on standard error, and training goes on.
class KeptMaps {
  public:
    using Settings = std::map<std::string, std::string>;

    KeptMaps(std::filesystem::path file, const Learner& learner, const DataSet& data, Device device,
             const Settings& settings);
    // Goes on with what the file has up to `epoch`, if it is of the run that had these settings.
    void take_up(index_t epoch, const Settings& before);
    // Replaces those of this epoch, if any: a validation may be run twice.
    void keep(index_t epoch);

  private:
    NamedTensors maps_now() const;  // by path, with read and answer; none where they are large
    std::map<index_t, NamedTensors> maps_of_file(index_t epoch, const Settings& before) const;
    void write() const;
    void report(const std::string& why);

    std::filesystem::path file_;
    const Learner& learner_;
    const DataSet& data_;
    const Device device_;
    const Tensor settings_;
    std::map<index_t, NamedTensors> maps_;  // by epoch
    std::string reported_;                  // of what fails, the last sentence
};

// Their file in a run's folder.
std::filesystem::path maps_file(const std::filesystem::path& folder);

// The epoch of such a name; none where it is not of this form.
std::optional<index_t> epoch_of(const std::string& name);

// Whether a name in that file is a map's, of an epoch.
bool is_map(const std::string& name);

// What was kept of an epoch beside its maps, "read" or "answer", as whole numbers; none if it was not.
std::vector<std::string> kept_numbers(const NamedTensors& kept, index_t epoch, const std::string& what);

// All arrays of that file; none without a file. Throws FileError or IoError if it cannot be read.
NamedTensors read_maps(const std::filesystem::path& folder);

}  // namespace glassbox::tracer
