#pragma once
#include <filesystem>
#include <optional>

#include <glassbox/tensor/words.h>

namespace tracer {

// The output format of commands that show no steps.
enum class DataFormat { text, json };

// The format of --format, else from the extension of -o, else text. Throws UsageError if the two contradict.
DataFormat data_format(std::optional<DataFormat> format, const std::filesystem::path& output);

}  // namespace tracer

template <>
struct glassbox::EnumWords<tracer::DataFormat> {
    static constexpr const char* what = "format";
    static constexpr Word<tracer::DataFormat> all[] = {{tracer::DataFormat::text, "text"},
                                                       {tracer::DataFormat::json, "json"}};
};
