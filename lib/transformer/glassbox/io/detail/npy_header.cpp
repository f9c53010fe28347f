#include <glassbox/io/detail/npy_header.h>

#include <charconv>
#include <optional>

#include <glassbox/io/detail/npy_dict.h>
#include <glassbox/io/file.h>
#include <glassbox/io/numpy.h>

namespace glassbox::detail {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

void check_magic(ByteView start, std::uint64_t file_bytes, const std::string& file) {
    if (file_bytes == 0) fail_at(file, 0, "the file is empty");
    const std::string_view text = as_text(start);
    const bool has_magic = text.substr(0, magic.size()) == magic.substr(0, text.size());
    if (!has_magic) refuse_other_kind(start, file, Sought::arrays, "an .npy file");
    if (!has_magic) fail_at(file, 0, "not an .npy file: it does not begin with \\x93NUMPY");
    if (file_bytes < npy_prefix_bytes || start.size() < npy_prefix_bytes)
        fail_at(file, file_bytes, "the file ends within its first {} bytes", npy_prefix_bytes);
}

[[noreturn]] void refuse_elements(const std::string& file, std::uint64_t offset, std::string_view descr,
                                  const char* what) {
    throw UnsupportedElements(fmt::format("{}: at byte {}: elements of type '{}' ({}) are not supported",
                                          file, offset, printable(descr), what));
}

const char* unsupported_kind(char kind) {
    switch (kind) {
        case 'U':
            return "text";
        case 'S':
        case 'a':
            return "byte strings";
        case 'c':
            return "complex numbers";
        case 'O':
            return "Python objects: a pickle, which can run code";
        case 'M':
        case 'm':
            return "dates and times";
        case 'V':
            return "raw bytes";
        case 'f':
            return "a float of unknown size";
        case 'i':
        case 'u':
            return "an integer of unknown size";
    }
    return "unknown";
}

std::optional<NumberType> number_of(char kind, int size) {
    switch (kind) {
        case 'f':
            return size == 2   ? std::optional(NumberType::f16)
                   : size == 4 ? std::optional(NumberType::f32)
                   : size == 8 ? std::optional(NumberType::f64)
                               : std::nullopt;
        case 'i':
            return size == 1   ? std::optional(NumberType::i8)
                   : size == 2 ? std::optional(NumberType::i16)
                   : size == 4 ? std::optional(NumberType::i32)
                   : size == 8 ? std::optional(NumberType::i64)
                               : std::nullopt;
        case 'u':
            return size == 1   ? std::optional(NumberType::u8)
                   : size == 2 ? std::optional(NumberType::u16)
                   : size == 4 ? std::optional(NumberType::u32)
                   : size == 8 ? std::optional(NumberType::u64)
                               : std::nullopt;
        case 'b':
            return size == 1 ? std::optional(NumberType::boolean) : std::nullopt;
    }
    return std::nullopt;
}

// "<f4": byte order, kind, size in bytes.
void read_descr(const NpyDict& dict, NpyHeader& header, const std::string& file) {
    const std::string& descr = dict.descr;
    if (dict.descr_is_record) refuse_elements(file, dict.descr_offset, descr, "records");
    if (descr.size() < 2 || std::string_view("<>|=").find(descr[0]) == std::string_view::npos)
        fail_at(file, dict.descr_offset, "'descr' is '{}', expected a byte order and a type, such as '<f4'",
                printable(descr));
    int size = 0;
    const auto [end, error] = std::from_chars(descr.data() + 2, descr.data() + descr.size(), size);
    const bool is_parsed = error == std::errc{} && end == descr.data() + descr.size();
    const auto number = is_parsed ? number_of(descr[1], size) : std::nullopt;
    if (!number) refuse_elements(file, dict.descr_offset, descr, unsupported_kind(descr[1]));
    if (descr[0] == '|' && size > 1)
        fail_at(file, dict.descr_offset, "'descr' is '{}': the byte order is missing", descr);
    header.number = *number;
    header.big_endian = descr[0] == '>';
}

}  // namespace

std::uint64_t npy_header_end(ByteView start, std::uint64_t file_bytes, const std::string& file) {
    check_magic(start, file_bytes, file);
    const int major = std::to_integer<int>(start[6]);
    const int minor = std::to_integer<int>(start[7]);
    if (major < 1 || major > 3 || minor != 0)
        fail_at(file, 6, "format version {}.{} is not supported: 1.0, 2.0 and 3.0 are", major, minor);
    const std::uint64_t length = major == 1 ? load_little_endian<std::uint16_t>(&start[8])
                                            : load_little_endian<std::uint32_t>(&start[8]);
    const std::uint64_t begin = major == 1 ? 10 : 12;
    if (length > max_npy_header_bytes)
        fail_at(file, 8, "header length {} exceeds the limit of {} bytes", length, max_npy_header_bytes);
    if (begin + length > file_bytes)
        fail_at(file, 8, "header length {} exceeds the file's {} bytes", length, file_bytes);
    return begin + length;
}

NpyHeader parse_npy_header(ByteView start, std::uint64_t file_bytes, const std::string& file) {
    NpyHeader header;
    header.data_offset = npy_header_end(start, file_bytes, file);
    const int version = std::to_integer<int>(start[6]);
    const std::size_t begin = version == 1 ? 10 : 12;
    const std::string_view text = as_text(start.subspan(begin, header.data_offset - begin));

    const NpyDict dict = parse_npy_dict(text, version < 3 ? Python::two : Python::three, begin, file);
    read_descr(dict, header, file);
    header.fortran_order = dict.fortran_order;
    const Extent extent = checked_extent(dict.shape, header.number, file, dict.shape_offset);
    header.shape = extent.shape;
    header.data_bytes = extent.bytes;

    if (file_bytes == unknown_length) return header;
    const std::uint64_t present = file_bytes - header.data_offset;
    if (present < extent.bytes)
        fail_at(file, file_bytes, "truncated: shape {} needs {} bytes from byte {} on, {} are present",
                extent.shape, extent.bytes, header.data_offset, present);
    if (present > extent.bytes)
        fail_at(file, header.data_offset + extent.bytes, "{} bytes too many after the last element",
                present - extent.bytes);
    return header;
}

}  // namespace glassbox::detail
