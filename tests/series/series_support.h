#pragma once
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include <glassbox/io/file.h>
#include <glassbox/series/read_series.h>
#include <glassbox/series/times.h>

#include "support/errors.h"

namespace glassbox_test {

using Texts = std::vector<std::string>;

// A file that exists as long as this object.
struct Csv {
    explicit Csv(const std::string& text)
        : path(std::filesystem::temp_directory_path() / glassbox::temporary_name()) {
        glassbox::write_file_atomically(path, std::string_view(text));
    }
    ~Csv() { std::filesystem::remove(path); }
    glassbox::Series read(const glassbox::SeriesColumns& columns = {}) const {
        return glassbox::read_series(path, columns);
    }
    void check_refused(const std::string& message, const glassbox::SeriesColumns& columns = {}) const {
        INFO(message);
        check_error<glassbox::FileError>([&] { read(columns); }, path.string() + ": " + message);
    }
    std::filesystem::path path;
};

// A column of texts beside one that counts them from `first`: times;0 or 1,value, by the row's format.
template <class Row>
Csv rows_of(const std::string& header, const Texts& texts, std::size_t first, Row row) {
    std::string text = header + "\n";
    for (std::size_t i = 0; i < texts.size(); ++i) text += row(texts[i], first + i) + "\n";
    return Csv(text);
}

inline Csv with_times(const Texts& times) {
    return rows_of("date;value", times, 0,
                   [](const std::string& time, std::size_t i) { return fmt::format("\"{}\";{}", time, i); });
}

inline Csv with_values(const Texts& values) {
    return rows_of("t,a", values, 1,
                   [](const std::string& value, std::size_t i) { return fmt::format("{},{}", i, value); });
}

inline glassbox::Spacing spacing(const std::vector<std::string>& texts) {
    std::vector<glassbox::Moment> moments;
    std::vector<glassbox::index_t> lines;
    for (const std::string& text : texts) {
        moments.push_back(glassbox::parse_moment(text));
        lines.push_back(static_cast<glassbox::index_t>(lines.size()) + 2);
    }
    return glassbox::spacing_of(moments, lines, true);
}

}  // namespace glassbox_test
