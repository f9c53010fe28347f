#include "train/kept_maps.h"

#include <fmt/format.h>

#include <charconv>

#include <glassbox/io/detail/file.h>
#include <glassbox/io/npz.h>
#include <glassbox/observe/trace.h>

#include "cli/output.h"
#include "report/report.h"

namespace tracer {
namespace {

constexpr index_t max_numbers = 32768;  // of an epoch: 8 maps of 64 positions

}  // namespace

std::optional<index_t> epoch_of(const std::string& name) {
    index_t epoch = -1;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), epoch);
    const bool is_followed = end != name.data() + name.size() && *end == '/';
    return error == std::errc() && is_followed && epoch >= 0 ? std::optional(epoch) : std::nullopt;
}

KeptMaps::KeptMaps(std::filesystem::path file, const glassbox::Learner& learner,
                   const glassbox::DataSet& data, glassbox::Device device, index_t epoch)
    : file_(std::move(file)), learner_(learner), data_(data), device_(device) {
    if (epoch > 0)
        for (auto& [name, map] : read_maps(file_.parent_path()))
            if (const auto of = epoch_of(name); of && *of <= epoch) maps_.emplace_back(name, map);
    if (epoch == 0) keep(0);
}

void KeptMaps::keep(index_t epoch) {
    if (data_.size() == 0) return;
    glassbox::Trace trace;
    (void)learner_.score(data_.at({0}).to(device_));
    index_t numbers = 0;
    glassbox::NamedTensors found;
    for (const glassbox::Trace::Step& step : trace.steps()) {
        if (last_part(step.path) != "attention") continue;
        numbers += step.value.numel();
        found.emplace_back(fmt::format("{}/{}", epoch, step.path), step.value.to(glassbox::Device::cpu));
    }
    if (found.empty() || numbers > max_numbers) return;
    maps_.insert(maps_.end(), found.begin(), found.end());
    try {
        glassbox::write_npz(file_, maps_);
    } catch (
        const glassbox::IoError& error) {  // training goes on: a checkpoint says whether the disk is full
        say(fmt::format("the attention maps are not kept: {}\n", error.what()));
    }
}

std::filesystem::path maps_file(const std::filesystem::path& folder) { return folder / "maps.npz"; }

glassbox::NamedTensors read_maps(const std::filesystem::path& folder) {
    const std::filesystem::path file = maps_file(folder);
    if (!glassbox::is_there(file)) return {};
    try {
        return glassbox::read_npz(file).arrays;
    } catch (const glassbox::FileError&) {  // damaged: it is written anew
        return {};
    }
}

}  // namespace tracer
