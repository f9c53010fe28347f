#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <glassbox/io/named_tensors.h>
#include <glassbox/train/learner.h>

namespace glassbox::tracer {

// The attention maps of the first validation example after each validated epoch (0: before training), and
// after some steps of the first two, so that one can watch them form. They are written to maps.npz in the
// run's folder, "EPOCH/PATH" or "step/STEP/PATH" an array, and "settings" the checksum of the run's settings.
// Models whose maps are large keep none. They are only for viewing, as are "EPOCH/read", the numbers that the
// example has, and "EPOCH/answer", what the model answers, and
// "EPOCH/expected", what is right, where x is one-hot: any failure is reported on
// standard error, and training goes on.
class KeptMaps {
  public:
    using Settings = std::map<std::string, std::string>;

    KeptMaps(std::filesystem::path file, const Learner& learner, const DataSet& data, Device device,
             const Settings& settings);
    // Goes on with what the file has up to `step`, the last of `epoch` or after it, if it is of the run that
    // had these settings.
    void take_up(index_t epoch, index_t step, const Settings& before);
    // Replaces those of this epoch, if any: a validation may be run twice.
    void keep(index_t epoch);
    // Those of a step, if it is one of the eight that an epoch of `per_epoch` steps has them of.
    void keep_step(index_t step, index_t per_epoch);

  private:
    NamedTensors maps_now() const;  // by path, with read and answer; none where they are large
    using ByNumber = std::map<index_t, NamedTensors>;
    void read(index_t epoch, index_t step, const Settings& before);
    void keep_in(ByNumber& maps, index_t number);
    void write() const;
    void report(const std::string& why);

    std::filesystem::path file_;
    const Learner& learner_;
    const DataSet& data_;
    const Device device_;
    const Tensor settings_;
    ByNumber maps_, steps_;  // by epoch; by step
    std::string reported_;   // of what fails, the last sentence
};

// Their file in a run's folder.
std::filesystem::path maps_file(const std::filesystem::path& folder);

// The epoch of such a name; none where it is not of this form.
std::optional<index_t> epoch_of(const std::string& name);

// Of a map of a step, "step/49/PATH", its step.
std::optional<index_t> step_of(const std::string& name);

// Whether a name in that file is a map's, of an epoch.
bool is_map(const std::string& name);

// What was kept beside the maps of an epoch, "2", or a step, "step/49": "read", "answer" or "expected", as
// whole numbers; none if it was not.
std::vector<std::string> kept_numbers(const NamedTensors& kept, const std::string& when,
                                      const std::string& what);

// All arrays of that file; none without a file. Throws FileError or IoError if it cannot be read.
NamedTensors read_maps(const std::filesystem::path& folder);

}  // namespace glassbox::tracer
