// What is still accepted and what no longer: .npy files at the very limits of the format.
#include <glassbox/io/detail/elements.h>
#include <glassbox/io/detail/npy_header.h>
#include <glassbox/io/detail/zip_writer.h>
#include <glassbox/io/file.h>
#include <glassbox/io/numpy.h>

#include <bit>
#include <cmath>
#include <set>

#include "io/io_support.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox::detail;
using namespace glassbox_test;

namespace {

Tensor read(const std::string& descr, const std::string& shape, std::size_t data_bytes, int version = 1) {
    return parse_npy(npy_with(npy_dict(descr, shape), data_bytes, version), "x.npy");
}

std::string refused(const std::string& descr, const std::string& shape, std::size_t data_bytes) {
    return message_of<FileError>([&] { read(descr, shape, data_bytes); });
}

}  // namespace

TEST_CASE("npy limits: of all types these are numbers") {
    const std::set<std::string> numbers = {"f2", "f4", "f8", "i1", "i2", "i4",
                                           "i8", "u1", "u2", "u4", "u8", "b1"};
    for (const char kind : std::string("fiubcxUSOMmVa"))
        for (std::size_t size = 0; size < 20; ++size) {
            const std::string type = kind + std::to_string(size);
            INFO(type);
            if (numbers.contains(type)) {
                CHECK(read("<" + type, "(2,)", 2 * size).values() == std::vector<real>{0, 0});
                CHECK(read(">" + type, "(2,)", 2 * size).values() == std::vector<real>{0, 0});
                CHECK(read("=" + type, "(2,)", 2 * size).values() == std::vector<real>{0, 0});
            } else {
                CHECK(has(refused("<" + type, "(2,)", 2 * size), "elements of type '<" + type + "' ("));
            }
            const bool needs_order = numbers.contains(type) && size > 1;
            if (needs_order) CHECK(has(refused("|" + type, "(2,)", 2 * size), "byte order is missing"));
            else if (numbers.contains(type)) CHECK(read("|" + type, "(2,)", 2 * size).numel() == 2);
        }
    CHECK(has(refused("<", "(2,)", 8), "'descr' is '<', expected a byte order and a type"));
    CHECK(has(refused("<f", "(2,)", 8), "'<f' (a float of unknown size)"));
    CHECK(has(refused("<u", "(2,)", 8), "'<u' (an integer of unknown size)"));
    CHECK(has(refused("!f4", "(2,)", 8), "expected a byte order and a type"));
}

TEST_CASE("npy limits: shapes of 0 to 8 axes, with or without a last comma") {
    CHECK(read("<f4", "()", 4).shape() == Shape{});
    CHECK(read("<f4", "(3,)", 12).shape() == Shape{3});
    CHECK(read("<f4", "( 3 , )", 12).shape() == Shape{3});
    CHECK(read("<f4", "(3, 2)", 24).shape() == Shape{3, 2});
    CHECK(read("<f4", "(3, 2,)", 24).shape() == Shape{3, 2});
    CHECK(read("<f4", "(0,)", 0).shape() == Shape{0});
    CHECK(read("<f4", "(00,)", 0).shape() == Shape{0});
    CHECK(read("<f4", "(3L, 2L)", 24).shape() == Shape{3, 2});
    CHECK(read("<f4", "(1, 1, 1, 1, 1, 1, 1, 2)", 8).shape().rank() == 8);
    CHECK(has(refused("<f4", "(,)", 0), "expected a size in 'shape', found ',)"));
    CHECK(has(refused("<f4", "(3,,)", 12), "expected a size in 'shape'"));
    CHECK(has(refused("<f4", "(3,) ", 11), "truncated: shape (3,) needs 12 bytes from byte "));
    CHECK(has(refused("<f4", "(3,) ", 13), "1 bytes too many"));
    // As many bytes as can be counted, of which there are none: 2⁶³ − 1 of one byte.
    CHECK(has(refused("|u1", "(9223372036854775807,)", 0), "needs 9223372036854775807 bytes"));
    CHECK(has(refused("<u2", "(4611686018427387904,)", 0), "more bytes than can be counted"));
    CHECK(has(refused("<u2", "(4611686018427387903,)", 0), "needs 9223372036854775806 bytes"));
}

TEST_CASE("npy limits: texts in a header have printable ASCII without backslashes") {
    const auto error = [](char c) {
        const Bytes bytes = npy_with(std::string("{'a") + c + "b': 1}", 0);
        return message_of<FileError>([&] { static_cast<void>(parse_npy(bytes, "x.npy")); });
    };
    for (int code = 0; code < 256; ++code) {
        const char c = static_cast<char>(code);
        INFO(code);
        if (code == '\'') continue;  // which ends the text
        const bool is_plain = code >= 0x20 && code <= 0x7E && code != '\\';
        CHECK(has(error(c), is_plain ? "' is unknown" : "is not plain ASCII"));
    }
}

TEST_CASE("npy limits: the shortest files and the longest header") {
    const std::string file = "x.npy: ";
    const auto error = [&](const Bytes& bytes) {
        return message_of<FileError>([&] { static_cast<void>(parse_npy(bytes, "x.npy")); });
    };
    CHECK(error(npy_with("{", 0)) == file + "at byte 11: the file ends within its first 12 bytes");
    CHECK(error(npy_with("{}", 0)) == file + "at byte 10: the header has no 'descr'");
    std::string longest = npy_dict("<f4", "(2,)");
    longest.append(max_npy_header_bytes - longest.size(), ' ');
    CHECK(parse_npy(npy_with(longest, 8, 2), "x.npy").numel() == 2);
    CHECK(parse_npy(npy_with(longest, 8, 3), "x.npy").numel() == 2);
    CHECK(error(npy_with(longest + " ", 8, 2)) ==
          file + "at byte 8: header length 1048577 exceeds the limit of 1048576 bytes");
    // In a zip and in a file the same header is longer than what is read first.
    const TemporaryFolder folder;
    write_file_atomically(folder / "x.npy", npy_with(longest, 8, 2));
    CHECK(read_npy(folder / "x.npy").numel() == 2);
    CHECK(numbers_of(format_zip({{"a.npy", npy_with(longest, 8, 2)}}, zip_stored)).size() == 2);
    CHECK(numbers_of(format_zip({{"a.npy", npy_with(npy_dict("<f4", "()"), 4)}}, zip_stored)).size() == 1);
    for (const int version : {1, 2, 3}) CHECK(read("<f4", "(2,)", 8, version).numel() == 2);
    CHECK(has(error(npy_with(npy_dict("<f4", "(2,)"), 8, 4)), "version 4.0"));
}

TEST_CASE("npy limits: a header is aligned to 64 bytes, with room for the first size to grow to 21 digits") {
    for (const Shape& shape : {Shape{}, Shape{0}, Shape{1}, Shape{12345}, Shape{1, 1}, Shape{3, 1, 4, 1, 5},
                               Shape{1, 2, 3, 4, 5, 6, 7, 8}}) {
        INFO(shape.str());
        const Bytes bytes = format_npy(Tensor::zeros(shape));
        const std::size_t length = load_little_endian<std::uint16_t>(&bytes[8]);
        CHECK((10 + length) % 64 == 0);
        const std::string header(as_text(ByteView(bytes).subspan(10, length)));
        CHECK(header.back() == '\n');
        const std::size_t text = header.find('}') + 1, spaces = length - 1 - text;
        const std::size_t digits = shape.rank() == 0 ? 21 : std::to_string(shape[0]).size();
        CHECK(spaces >= 21 - digits + 1);  // NumPy adds 64 rather than none
        CHECK(spaces <= 21 - digits + 64);
    }
}

TEST_CASE("npy limits: every half-precision number") {
    Bytes bytes = npy_with(npy_dict("<f2", "(65536,)"), 0);
    for (unsigned half = 0; half < 65536; ++half)
        append_little_endian(bytes, static_cast<std::uint16_t>(half));
    const std::vector<real> read = parse_npy(bytes, "x.npy").values();
    unsigned wrong = 0;
    for (unsigned half = 0; half < 65536; ++half) {  // IEEE 754, 3.4
        const unsigned exponent = half / 1024 % 32, fraction = half % 1024;
        double value =
            exponent == 0 ? fraction * 0x1p-24 : (1 + fraction / 1024.0) * std::pow(2, exponent - 15.0);
        if (exponent == 31) value = fraction ? NAN : INFINITY;
        if (half >= 32768) value = -value;
        const double got = static_cast<double>(read[half]);
        if (std::isnan(value) ? !std::isnan(got) : got != value || std::signbit(got) != std::signbit(value))
            ++wrong;
    }
    CHECK(wrong == 0);
}

TEST_CASE(
    "npy limits: a double that rounds to the largest float is read; the next is refused with its place") {
    const auto bytes = [](double value, std::size_t before) {
        Bytes all = npy_with(npy_dict("<f8", fmt::format("({},)", before + 1)), 8 * before);
        append_little_endian(all, std::bit_cast<std::uint64_t>(value));
        return all;
    };
    const double largest = 0x1.fffffep127, half_above = 0x1.ffffffp127;
    CHECK(parse_npy(bytes(largest, 3), "x.npy").values()[3] == static_cast<real>(largest));
    CHECK(static_cast<double>(parse_npy(bytes(-INFINITY, 0), "x.npy").values()[0]) == -INFINITY);
    if (sizeof(real) == sizeof(double)) return;
    CHECK(parse_npy(bytes(std::nextafter(half_above, 0), 3), "x.npy").values()[3] ==
          static_cast<real>(largest));
    // The place, also beyond the first piece that is read at once.
    for (const std::size_t before : {std::size_t{0}, std::size_t{2}, std::size_t{200'000}}) {
        const Bytes all = bytes(half_above, before);
        CHECK(message_of<FileError>([&] {
                  static_cast<void>(parse_npy(all, "x.npy"));
              }).starts_with(fmt::format("x.npy: at byte {}: 3.402823", all.size() - 8)));
    }
}
