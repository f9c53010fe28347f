#include <glassbox/io/safetensors.h>

#include <algorithm>
#include <array>
#include <optional>

#include <glassbox/io/detail/safetensors_checksum.h>
#include <glassbox/io/detail/safetensors_header.h>
#include <glassbox/io/file.h>
#include <glassbox/io/json.h>

namespace glassbox {

using namespace detail;

namespace {

constexpr std::array<std::pair<std::string_view, NumberType>, 13> dtypes = {{{"F16", NumberType::f16},
                                                                             {"BF16", NumberType::bf16},
                                                                             {"F32", NumberType::f32},
                                                                             {"F64", NumberType::f64},
                                                                             {"I8", NumberType::i8},
                                                                             {"I16", NumberType::i16},
                                                                             {"I32", NumberType::i32},
                                                                             {"I64", NumberType::i64},
                                                                             {"U8", NumberType::u8},
                                                                             {"U16", NumberType::u16},
                                                                             {"U32", NumberType::u32},
                                                                             {"U64", NumberType::u64},
                                                                             {"BOOL", NumberType::boolean}}};

NumberType number_of(const SafetensorsEntry& entry, const std::string& file) {
    for (const auto& [name, number] : dtypes)
        if (name == entry.dtype) return number;
    fail_at(file, entry.offset, "tensor '{}': elements of type '{}' are not supported", printable(entry.name),
            printable(entry.dtype));
}

std::string_view header_of(ByteView bytes, const std::string& file) {
    return as_text(bytes.subspan(length_bytes, safetensors_header_length(bytes, bytes.size(), file)));
}

// One tensor, after checking its offsets against its shape, the end of the previous tensor and the data.
Tensor read_tensor(const SafetensorsEntry& entry, ByteView data, index_t expected_begin,
                   std::uint64_t data_offset, const std::string& file) {
    const std::string name = printable(entry.name);
    const NumberType number = number_of(entry, file);
    const Extent extent = checked_extent(entry.shape, number, file, entry.offset);
    const index_t begin = entry.data_offsets[0];
    const index_t end = entry.data_offsets[1];
    if (end < begin)
        fail_at(file, entry.offset, "tensor '{}': its data end at {}, before they begin at {}", name, end,
                begin);
    if (static_cast<std::uint64_t>(end) > data.size())
        fail_at(file, entry.offset, "tensor '{}': its data end at {}, the file holds {} bytes of data", name,
                end, data.size());
    if (begin < expected_begin)
        fail_at(file, entry.offset, "tensor '{}': its data begin at {} and overlap those that end at {}",
                name, begin, expected_begin);
    if (begin > expected_begin)
        fail_at(file, entry.offset, "tensor '{}': its data begin at {}, after a gap of {} bytes", name, begin,
                begin - expected_begin);
    if (static_cast<std::uint64_t>(end - begin) != extent.bytes)
        fail_at(file, entry.offset, "tensor '{}': shape {} of {} needs {} bytes, its data have {}", name,
                extent.shape, entry.dtype, extent.bytes, end - begin);
    const Elements elements{
        number, false, extent.shape, data_offset + static_cast<std::uint64_t>(begin),
        data.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(extent.bytes))};
    return to_tensor(elements, file);
}

// The header's entries for tensors stored one after the other.
std::vector<SafetensorsEntry> entries_of(const NamedTensors& tensors) {
    std::vector<SafetensorsEntry> entries;
    index_t offset = 0;
    for (const auto& [name, tensor] : tensors) {
        const index_t end = offset + tensor.numel() * static_cast<index_t>(sizeof(real));
        entries.push_back(
            {name, fmt::format("F{}", 8 * sizeof(real)), tensor.shape().to_vector(), {offset, end}, 0});
        offset = end;
    }
    return entries;
}

std::string header_text(const SafetensorsHeader& content) {
    JsonObject metadata(json_tight);
    for (const auto& [key, value] : content.metadata) metadata.add(key, value);
    JsonObject json({{"__metadata__", metadata}}, json_tight);
    const auto numbers = [](const auto& all) { return JsonList(all, std::identity{}, json_tight); };
    for (const SafetensorsEntry& entry : content.entries)
        json.add(entry.name, JsonObject({{"dtype", entry.dtype},
                                         {"shape", numbers(entry.shape)},
                                         {"data_offsets", numbers(entry.data_offsets)}},
                                        json_tight));
    std::string header = json.text();
    header.append((8 - header.size() % 8) % 8, ' ');  // the data are aligned to 8 bytes
    return header;
}

}  // namespace

const Tensor& Safetensors::operator[](std::string_view name) const {
    for (const auto& [key, tensor] : tensors)
        if (key == name) return tensor;
    std::vector<std::string_view> names;
    for (const auto& [key, tensor] : tensors) names.push_back(key);
    fail("safetensors: no tensor '{}' among its {}: {}", printable(name), tensors.size(),
         printable(fmt::format("{}", fmt::join(names, ", "))));
}

Safetensors parse_safetensors(ByteView bytes, const std::string& name) {
    const std::string_view json = header_of(bytes, name);
    SafetensorsHeader header = parse_safetensors_header(json, length_bytes, name);
    std::stable_sort(
        header.entries.begin(), header.entries.end(),
        [](const SafetensorsEntry& a, const SafetensorsEntry& b) { return a.data_offsets < b.data_offsets; });
    const std::uint64_t data_offset = length_bytes + json.size();
    const ByteView data = bytes.subspan(data_offset);

    Safetensors result;
    index_t end = 0;
    for (const SafetensorsEntry& entry : header.entries) {
        result.tensors.emplace_back(entry.name, read_tensor(entry, data, end, data_offset, name));
        if (entry.dtype == "I8" || entry.dtype == "U8") result.of_bytes.push_back(entry.name);
        end = entry.data_offsets[1];
    }
    if (static_cast<std::uint64_t>(end) != data.size())
        fail_at(name, data_offset + static_cast<std::uint64_t>(end), "{} bytes belong to no tensor",
                data.size() - static_cast<std::uint64_t>(end));
    result.has_checksums = verify_checksums(header, data, data_offset, name);
    result.metadata = std::move(header.metadata);
    result.metadata.erase(checksum_key);
    return result;
}

Safetensors read_safetensors(const std::filesystem::path& path) {
    const std::string name = display_name(path);
    const auto check = [&](ByteView start, std::uint64_t file_bytes) {
        safetensors_header_length(start, file_bytes, name);
    };
    return parse_safetensors(read_file(path, check), name);
}

Bytes format_safetensors(const NamedTensors& tensors, const std::map<std::string, std::string>& metadata) {
    check_names("write_safetensors", tensors);
    for (const auto& [name, tensor] : tensors)
        if (name == "__metadata__") fail("write_safetensors: '__metadata__' cannot be a tensor's name");
    SafetensorsHeader content{entries_of(tensors), metadata};
    content.metadata[checksum_key] = std::string(checksums_size(tensors.size()), '0');
    const std::size_t header_bytes = header_text(content).size();
    if (header_bytes > max_header_bytes)
        fail("write_safetensors: a header of {} bytes exceeds the limit of {}", header_bytes,
             max_header_bytes);
    Bytes bytes;
    append_little_endian(bytes, static_cast<std::uint64_t>(header_bytes));
    bytes.resize(length_bytes + header_bytes);
    for (const auto& [name, tensor] : tensors) {
        const std::vector<real> values = tensor.values();
        const ByteView data = std::as_bytes(std::span(values));
        bytes.insert(bytes.end(), data.begin(), data.end());
    }
    // The checksums are only known now; the header was sized with zeros of the same length in their place.
    content.metadata[checksum_key] = checksums(content, ByteView(bytes).subspan(length_bytes + header_bytes));
    const std::string header = header_text(content);
    std::copy_n(reinterpret_cast<const std::byte*>(header.data()), header_bytes,
                bytes.begin() + length_bytes);
    return bytes;
}

void write_safetensors(const std::filesystem::path& path, const NamedTensors& tensors,
                       const std::map<std::string, std::string>& metadata) {
    write_file_atomically(path, format_safetensors(tensors, metadata));
}

}  // namespace glassbox
