#pragma once
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include <glassbox/io/file.h>
#include <glassbox/io/numpy.h>
#include <glassbox/tensor/tensor.h>

#include "support/catch.h"
#include "support/compare.h"
#include "support/errors.h"
#include "support/temporary_folder.h"

namespace glassbox_test {

// Limits the size of files in this process: writing beyond it fails, as on a full disk.
class FullDisk {
  public:
    explicit FullDisk(rlim_t bytes) {
        ::getrlimit(RLIMIT_FSIZE, &old_);
        rlimit now{bytes, old_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &now);
        handler_ = std::signal(SIGXFSZ, SIG_IGN);
    }
    ~FullDisk() {
        ::setrlimit(RLIMIT_FSIZE, &old_);
        std::signal(SIGXFSZ, handler_);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

  private:
    rlimit old_{};
    void (*handler_)(int);
};

inline std::filesystem::path golden_io(const std::string& name) {
    return std::filesystem::path(GLASSBOX_GOLDEN) / "io" / name;
}

inline nlohmann::json golden_json(const std::string& name) {
    std::ifstream file(golden_io(name));
    return nlohmann::json::parse(file);
}

// The tensor described in make_io.py as {"shape": […], "values": […]}.
inline glassbox::Tensor described(const nlohmann::json& array) {
    std::vector<glassbox::real> values;
    for (const auto& value : array.at("values")) {
        double number = std::numeric_limits<double>::quiet_NaN();
        if (value == "Infinity") number = std::numeric_limits<double>::infinity();
        else if (value == "-Infinity") number = -std::numeric_limits<double>::infinity();
        else if (value != "NaN") number = value.get<double>();
        values.push_back(static_cast<glassbox::real>(number));
    }
    return {glassbox::Shape(array.at("shape").get<std::vector<glassbox::index_t>>()), values};
}

inline glassbox::Bytes bytes_of(std::string_view text) {
    glassbox::Bytes bytes;
    glassbox::append_text(bytes, text);
    return bytes;
}

inline glassbox::Bytes from_hex(const std::string& hex) {
    glassbox::Bytes bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        bytes.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
    return bytes;
}

// A header of an .npy file, and the values of an array in a zip.
inline std::string npy_dict(const std::string& descr, const std::string& shape) {
    return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + "}";
}
inline std::vector<glassbox::real> numbers_of(const glassbox::Bytes& zip, const std::string& name = "a") {
    return glassbox::Npz::parse(zip, "x.npz").read(name).values();
}

inline std::string text_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// An .npy file with this dict as its header, unpadded as the format allows.
inline glassbox::Bytes npy_with(const std::string& dict, std::size_t data_bytes, int version = 1) {
    glassbox::Bytes bytes = bytes_of("\x93NUMPY");
    bytes.push_back(static_cast<std::byte>(version));
    bytes.push_back(std::byte{0});
    if (version == 1) glassbox::append_little_endian(bytes, static_cast<std::uint16_t>(dict.size()));
    else glassbox::append_little_endian(bytes, static_cast<std::uint32_t>(dict.size()));
    glassbox::append_text(bytes, dict);
    bytes.resize(bytes.size() + data_bytes);
    return bytes;
}

// A safetensors file with this header.
inline glassbox::Bytes safetensors_with(const std::string& header, std::size_t data_bytes) {
    glassbox::Bytes bytes;
    glassbox::append_little_endian(bytes, static_cast<std::uint64_t>(header.size()));
    glassbox::append_text(bytes, header);
    bytes.resize(bytes.size() + data_bytes);
    return bytes;
}

// Where a zip without a comment has its end record and its directory.
inline std::size_t end_record(const glassbox::Bytes& zip) { return zip.size() - 22; }
inline std::size_t directory(const glassbox::Bytes& zip) {
    return glassbox::load_little_endian<std::uint32_t>(&zip[end_record(zip) + 16]);
}

template <class T>
glassbox::Bytes with_number(glassbox::Bytes bytes, std::size_t offset, T value) {
    glassbox::Bytes number;
    glassbox::append_little_endian(number, value);
    std::copy(number.begin(), number.end(), bytes.begin() + static_cast<std::ptrdiff_t>(offset));
    return bytes;
}

}  // namespace glassbox_test
