#include "train/kept_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <exception>
#include <new>
#include <span>

#include <glassbox/io/file.h>
#include <glassbox/io/numpy.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

#include "cli/output.h"
#include "report/report.h"

namespace glassbox::tracer {
namespace {

constexpr index_t max_numbers = 32768;  // of an epoch: 8 maps of 64 positions
constexpr const char* settings_name = "settings";
constexpr std::string_view step_prefix = "step/";

// A pipe would be waited for, and a device may be endless.
void check_is_file(const std::filesystem::path& file) {
    std::error_code unknown;  // then reading or writing it says why
    if (is_there(file) && !std::filesystem::is_regular_file(file, unknown) && !unknown)
        fail<FileError>("{}: not a regular file", display_name(file));
}

// In halves, which any `real` holds exactly.
Tensor checksum_of(const KeptMaps::Settings& settings) {
    std::string text;
    for (const auto& [name, value] : settings) text += name + "=" + value + "\n";
    const std::uint32_t crc = crc32c(std::as_bytes(std::span(text)));
    return Tensor({2}, {static_cast<real>(crc >> 16), static_cast<real>(crc & 0xffff)});
}

// The largest entry's number along the last axis, for the first example.
Tensor ids_of(const Tensor& x) {
    const Tensor first = x.rank() > 2 ? select(x.to(Device::cpu), 0, 0) : x.to(Device::cpu);
    const std::vector<index_t> ids = argmax(first, -1);
    return Tensor({first.size(0)}, std::vector<real>(ids.begin(), ids.end()));
}

bool is_one_hot(const Tensor& x) {
    const std::vector<real> values = x.values();
    const auto count_of_1 = std::count(values.begin(), values.end(), real(1));
    const auto count_of_0 = std::count(values.begin(), values.end(), real(0));
    return static_cast<index_t>(count_of_1) * x.size(-1) == x.numel() &&
           static_cast<index_t>(count_of_1 + count_of_0) == x.numel();
}

std::string path_in(const std::string& name) { return name.substr(name.find('/') + 1); }

}  // namespace

std::optional<index_t> epoch_of(const std::string& name) {
    index_t epoch = -1;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), epoch);
    const bool is_followed = end != name.data() + name.size() && *end == '/';
    return error == std::errc() && is_followed && epoch >= 0 ? std::optional(epoch) : std::nullopt;
}

std::optional<index_t> step_of(const std::string& name) {
    return name.starts_with(step_prefix) ? epoch_of(name.substr(step_prefix.size())) : std::nullopt;
}

KeptMaps::KeptMaps(std::filesystem::path file, const Learner& learner, const DataSet& data, Device device,
                   const Settings& settings)
    : file_(std::move(file)),
      learner_(learner),
      data_(data),
      device_(device),
      settings_(checksum_of(settings)) {}

void KeptMaps::read(index_t epoch, index_t step, const Settings& before) {
    const NamedTensors now = maps_now();
    if (now.empty()) return;
    const auto is_own = [&](const std::string& path, const Tensor& map) {
        return std::any_of(now.begin(), now.end(), [&](const auto& own) {
            return own.first == path && own.second.shape() == map.shape();
        });
    };
    const std::vector<real> settings = checksum_of(before).values();
    ByNumber epochs, steps;
    for (auto& [name, map] : read_maps(file_.parent_path())) {
        if (name == settings_name && map.values() == settings) continue;
        const std::optional<index_t> at_step = step_of(name), at_epoch = epoch_of(name);
        const std::string path = path_in(at_step ? path_in(name) : name);
        if ((!at_step && !at_epoch) || !is_own(path, map))
            fail<FileError>("{}: the maps of another run", display_name(file_));
        if (at_step && *at_step <= step) steps[*at_step].emplace_back(path, map);
        if (at_epoch && *at_epoch <= epoch) epochs[*at_epoch].emplace_back(path, map);
    }
    maps_ = std::move(epochs), steps_ = std::move(steps);
}

void KeptMaps::take_up(index_t epoch, index_t step, const Settings& before) {
    try {
        read(epoch, step, before);
    } catch (const std::exception& error) {
        say(fmt::format("{}; the attention maps are recorded afresh\n", error.what()));
    }
}

NamedTensors KeptMaps::maps_now() const {
    if (data_.size() == 0) return {};
    Trace trace;
    const glassbox::Examples example = data_.at({0});
    (void)learner_.score(example.to(device_));
    index_t numbers = 0;
    NamedTensors found;
    for (const Trace::Step& step : trace.steps()) {
        if (last_part(step.path) != "attention") continue;
        numbers += step.value.numel();
        found.emplace_back(step.path, step.value.to(Device::cpu));
    }
    if (found.empty() || numbers > max_numbers) return {};
    if (trace.contains("x") && trace.contains("logits") && is_one_hot(trace["x"])) {
        found.emplace_back("read", ids_of(trace["x"]));
        found.emplace_back("answer", ids_of(trace["logits"]));
        if (example.has("labels") && example["labels"].shape() == Shape{1, found.back().second.numel()})
            found.emplace_back("expected", reshape(example["labels"].to(Device::cpu), {-1}));
    }
    return found;
}

void KeptMaps::keep(index_t epoch) { keep_in(maps_, epoch); }

void KeptMaps::keep_step(index_t step, index_t per_epoch) {
    constexpr index_t epochs = 2, maps = 8;
    const index_t in_epoch = step % per_epoch, apart = std::max<index_t>(1, per_epoch / maps);
    if (step > epochs * per_epoch || in_epoch == 0 || in_epoch % apart != 0) return;
    if (in_epoch / apart < maps) keep_in(steps_, step);
}

void KeptMaps::keep_in(ByNumber& maps, index_t number) {
    try {
        NamedTensors now = maps_now();
        if (now.empty()) return;
        maps[number] = std::move(now);
        write();
    } catch (const std::bad_alloc&) {
        report(std::strerror(ENOMEM));
    } catch (const std::exception& error) {
        report(error.what());
    }
}

void KeptMaps::report(const std::string& why) {
    if (why != reported_)
        say(fmt::format("the attention maps are not kept: {}\n", why));  // once, not after every epoch
    reported_ = why;
}

void KeptMaps::write() const {
    check_is_file(file_);
    NamedTensors all{{settings_name, settings_}};
    for (const auto& [epoch, maps] : maps_)
        for (const auto& [path, map] : maps) all.emplace_back(fmt::format("{}/{}", epoch, path), map);
    for (const auto& [step, maps] : steps_)
        for (const auto& [path, map] : maps)
            all.emplace_back(fmt::format("{}{}/{}", step_prefix, step, path), map);
    write_npz(file_, all);
}

std::filesystem::path maps_file(const std::filesystem::path& folder) { return folder / "maps.npz"; }

bool is_map(const std::string& name) { return epoch_of(name).has_value() && last_part(name) == "attention"; }

std::vector<std::string> kept_numbers(const NamedTensors& kept, const std::string& when,
                                      const std::string& what) {
    std::vector<std::string> numbers;
    for (const auto& [name, ids] : kept)
        if (name == fmt::format("{}/{}", when, what))
            for (const real id : ids.values()) numbers.push_back(fmt::format("{:.0f}", id));
    return numbers;
}

NamedTensors read_maps(const std::filesystem::path& folder) {
    const std::filesystem::path file = maps_file(folder);
    if (!is_there(file)) return {};
    check_is_file(file);
    return read_npz(file).arrays;
}

}  // namespace glassbox::tracer
