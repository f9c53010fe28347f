#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include <glassbox/tensor/words.h>

#include "cli/output.h"

namespace glassbox::tracer {

// The output format of commands that show no steps.
enum class DataFormat { text, json };

// The format of --format, else from the extension of -o, else text. Throws UsageError if the two contradict.
inline DataFormat data_format(std::optional<DataFormat> format, const std::filesystem::path& output) {
    const bool ends_in_json = output.extension() == ".json";
    if (format == DataFormat::text && ends_in_json)
        fail<UsageError>("-o {}: its extension says json, but the output is text", output.string());
    const std::string ending = output.extension().string();
    for (const char* other : {".html", ".png", ".pdf", ".svg", ".gif", ".xlsx", ".npz"})
        if (ending == other)
            fail<UsageError>("-o {}: its extension says {}, but the output is {}", output.string(),
                             ending.substr(1), format == DataFormat::json ? "json" : "text");
    if (!format) check_known_ending(output, {".txt", ".json"});
    return format.value_or(ends_in_json ? DataFormat::json : DataFormat::text);
}

}  // namespace glassbox::tracer

template <>
struct glassbox::EnumWords<glassbox::tracer::DataFormat> {
    static constexpr const char* what = "format";
    static constexpr Word<glassbox::tracer::DataFormat> all[] = {
        {glassbox::tracer::DataFormat::text, "text"}, {glassbox::tracer::DataFormat::json, "json"}};
};
