#pragma once
#include <filesystem>
#include <optional>

#include <glassbox/tensor/words.h>

namespace tracer {

// How a command writes that has no steps to show: text for people, JSON for programs.
enum class DataFormat { text, json };

// What --format says, else what the ending of -o says, else text. UsageError where the two differ.
DataFormat data_format(std::optional<DataFormat> format, const std::filesystem::path& output);

}  // namespace tracer

template <>
struct glassbox::EnumWords<tracer::DataFormat> {
    static constexpr const char* what = "format";
    static constexpr Word<tracer::DataFormat> all[] = {{tracer::DataFormat::text, "text"},
                                                       {tracer::DataFormat::json, "json"}};
};
