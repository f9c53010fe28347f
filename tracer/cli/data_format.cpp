#include "cli/data_format.h"

namespace tracer {

DataFormat data_format(std::optional<DataFormat> format, const std::filesystem::path& output) {
    const bool ends_in_json = output.extension() == ".json";
    if (format == DataFormat::text && ends_in_json)
        glassbox::fail<glassbox::UsageError>("-o {}: its ending says json, and what is written is text",
                                             output.string());
    return format.value_or(ends_in_json ? DataFormat::json : DataFormat::text);
}

}  // namespace tracer
