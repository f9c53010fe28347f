// What is still accepted and what no longer: files and names at the very limits of their formats.
#include <glassbox/io/detail/crc32c.h>
#include <glassbox/io/detail/descriptor.h>
#include <glassbox/io/detail/elements.h>
#include <glassbox/io/detail/file.h>
#include <glassbox/io/detail/npy_header.h>
#include <glassbox/io/detail/numbers.h>
#include <glassbox/io/detail/safetensors_header.h>
#include <glassbox/io/detail/zip_archive.h>
#include <glassbox/io/detail/zip_directory.h>
#include <glassbox/io/npy.h>
#include <glassbox/io/npz.h>
#include <glassbox/io/safetensors.h>

#include <sys/stat.h>

#include <bit>
#include <cmath>
#include <set>
#include <thread>

#include "io/io_support.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

std::string dict(const std::string& descr, const std::string& shape) {
    return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + "}";
}

Tensor read(const std::string& descr, const std::string& shape, std::size_t data_bytes, int version = 1) {
    return parse_npy(npy_with(dict(descr, shape), data_bytes, version), "x.npy");
}

std::string refused(const std::string& descr, const std::string& shape, std::size_t data_bytes) {
    return message_of<FileError>([&] { read(descr, shape, data_bytes); });
}

Bytes with_byte(Bytes bytes, std::size_t offset, int value) {
    bytes.at(offset) = static_cast<std::byte>(value);
    return bytes;
}

// Inserts bytes before the end record, where the directory gets longer by them.
Bytes with_inserted(Bytes zip, const Bytes& bytes) {
    const std::size_t end = end_record(zip);
    zip = with_number(
        zip, end + 12,
        load_little_endian<std::uint32_t>(&zip[end + 12]) + static_cast<std::uint32_t>(bytes.size()));
    zip.insert(zip.begin() + static_cast<std::ptrdiff_t>(end), bytes.begin(), bytes.end());
    return zip;
}

const Tensor two_numbers{1, 2};

Bytes one_member() { return format_zip({{"a.npy", format_npy(two_numbers)}}, zip_stored); }
Bytes two_members() { return format_npz({{"a", Tensor{1, 2}}, {"b", Tensor{3, 4}}}); }

std::vector<real> numbers_of(const Bytes& zip, const std::string& name = "a") {
    return Npz::parse(zip, "x.npz").read(name).values();
}

std::string npz_error(const Bytes& zip) {
    return message_of<FileError>([&] { static_cast<void>(read_all(Npz::parse(zip, "x.npz"))); });
}

}  // namespace

// ---- npy -----------------------------------------------------------------------------------------------

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
    CHECK(has(refused("<f4", "(,)", 0), "a size expected in 'shape', found ',)"));
    CHECK(has(refused("<f4", "(3,,)", 12), "a size expected in 'shape'"));
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
    std::string longest = dict("<f4", "(2,)");
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
    CHECK(numbers_of(format_zip({{"a.npy", npy_with(dict("<f4", "()"), 4)}}, zip_stored)).size() == 1);
    for (const int version : {1, 2, 3}) CHECK(read("<f4", "(2,)", 8, version).numel() == 2);
    CHECK(has(error(npy_with(dict("<f4", "(2,)"), 8, 4)), "version 4.0"));
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
    Bytes bytes = npy_with(dict("<f2", "(65536,)"), 0);
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
        Bytes all = npy_with(dict("<f8", fmt::format("({},)", before + 1)), 8 * before);
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

// ---- npz -----------------------------------------------------------------------------------------------

TEST_CASE("npz limits: the newest version, an empty archive and the longest comment are read") {
    Bytes zip = two_members();
    const std::size_t second = directory(zip) + 51;
    CHECK(numbers_of(with_byte(zip, second + 6, 63), "b") == std::vector<real>{3, 4});
    CHECK(Npz::parse(format_zip({}, zip_stored), "x.npz").names().empty());
    CHECK(read_all(Npz::parse(format_npz({}), "x.npz")).arrays.empty());
    const std::size_t end = end_record(zip);
    for (const std::size_t length : {std::size_t{1}, std::size_t{65535}}) {
        Bytes commented = with_number(zip, end + 20, static_cast<std::uint16_t>(length));
        commented.resize(commented.size() + length, std::byte{'x'});
        CHECK(numbers_of(commented, "b") == std::vector<real>{3, 4});
        commented.resize(commented.size() + 1, std::byte{'x'});
        CHECK(has(npz_error(commented),
                  length == 1 ? "comment claims 1 bytes, 2 are present" : "no end record"));
    }
}

TEST_CASE("npz limits: every disk number and every count of the end record is compared") {
    const Bytes zip = two_members();
    const std::size_t end = end_record(zip);
    for (const std::size_t offset : {4, 5, 6, 7})
        CHECK(has(npz_error(with_byte(zip, end + offset, 1)), "one part of a multi-part archive"));
    for (const std::size_t offset : {8, 9, 10, 11})
        CHECK(has(npz_error(with_byte(zip, end + offset, 7)), "two different numbers of members"));
    CHECK(has(npz_error(with_number(zip, end + 8, 0x00030003u)), "claims 3 members, its directory has 102"));
    const auto bytes = load_little_endian<std::uint32_t>(&zip[end + 12]);
    for (const std::uint32_t other : {bytes - 1, bytes + 1})
        CHECK(has(npz_error(with_number(zip, end + 12, other)), "does not end here"));
    // 45 bytes that begin like an entry are none.
    Bytes begun = bytes_of("PK\1\2");
    begun.resize(45);
    const Bytes short_entry = with_number(with_inserted(one_member(), begun), 0, 0x04034b50u);
    const std::size_t its_end = end_record(short_entry);
    CHECK(npz_error(with_number(short_entry, its_end + 8, 0x00020002u)) ==
          fmt::format("x.npz: at byte {}: the zip's directory has no entry here", its_end - 45));
}

TEST_CASE("npz limits: entries may have comments and be in another order than the members") {
    const Bytes zip = one_member();
    const std::size_t entry = directory(zip);
    const Bytes commented = with_number(with_inserted(zip, bytes_of("abc")), entry + 32, std::uint16_t{3});
    CHECK(numbers_of(commented) == std::vector<real>{1, 2});
    CHECK(has(npz_error(with_number(commented, entry + 32, std::uint16_t{4})), "beyond the directory"));
    CHECK(has(npz_error(with_number(commented, entry + 32, std::uint16_t{2})), "continues after its last"));
    Bytes swapped = two_members();
    const std::size_t first = directory(swapped);
    std::swap_ranges(swapped.begin() + static_cast<std::ptrdiff_t>(first),
                     swapped.begin() + static_cast<std::ptrdiff_t>(first + 51),
                     swapped.begin() + static_cast<std::ptrdiff_t>(first + 51));
    CHECK(Npz::parse(swapped, "x.npz").names() == std::vector<std::string>{"b", "a"});
    CHECK(numbers_of(swapped, "a") == std::vector<real>{1, 2});
    CHECK(numbers_of(swapped, "b") == std::vector<real>{3, 4});
    // An entry without a name has 46 bytes.
    Bytes nameless = with_number(with_number(zip, 26, std::uint16_t{0}), 28, std::uint16_t{5});
    nameless = with_number(nameless, entry + 28, std::uint16_t{0});
    nameless = with_number(nameless, end_record(nameless) + 12, 46u);
    nameless.erase(nameless.begin() + static_cast<std::ptrdiff_t>(entry + 46),
                   nameless.begin() + static_cast<std::ptrdiff_t>(entry + 51));
    CHECK(Npz::parse(nameless, "x.npz").names() == std::vector<std::string>{""});
    CHECK(numbers_of(nameless, "") == std::vector<real>{1, 2});
}

TEST_CASE("npz limits: a member's place at the very end of the file is none") {
    Bytes zip = one_member();
    const std::size_t entry = directory(zip), end = end_record(zip);
    zip = with_number(zip, end + 20, std::uint16_t{29});
    Bytes comment = bytes_of("PK\3\4");
    comment.resize(29);
    zip.insert(zip.end(), comment.begin(), comment.end());
    for (const std::size_t from_end : {29, 4, 3, 1, 0}) {
        const std::size_t place = zip.size() - from_end;
        CHECK(npz_error(with_number(zip, entry + 42, static_cast<std::uint32_t>(place))) ==
              fmt::format("x.npz: at byte {}: member 'a.npy' is not at byte {}", entry + 42, place));
    }
}

TEST_CASE("npz limits: fields after a name are skipped, to the last byte; fewer than four are padding") {
    const Bytes zip = one_member();
    const std::size_t entry = directory(zip);
    const auto with_extra = [&](std::string_view extra) {
        return with_number(with_inserted(zip, bytes_of(extra)), entry + 30,
                           static_cast<std::uint16_t>(extra.size()));
    };
    for (const std::string_view extra :
         {std::string_view("\x99\0\0\0", 4), std::string_view("\x99\0\1\0a", 5),
          std::string_view("\x99\0\0\0\x98\0\1\0a", 9), std::string_view("\1\0\1\0a", 5)})  // not needed
        CHECK(numbers_of(with_extra(extra)) == std::vector<real>{1, 2});
    for (const std::string_view padding : {"\x99", "\x99\x98\x97"})  // which libzip refuses
        for (const std::string_view before : {std::string_view(), std::string_view("\x99\0\0\0", 4)})
            CHECK(read_zip_directory(with_extra(std::string(before) + std::string(padding)), "x").size() ==
                  1);
    CHECK(has(npz_error(with_extra(std::string_view("\x99\0\1\0", 4))), "claims 1 bytes, 0 are present"));
    CHECK(has(npz_error(with_extra(std::string_view("\x99\0\0\0\x98\0\2\0a", 9))),
              fmt::format("at byte {}: an extra field of member 'a.npy' claims 2 bytes, 1 are present",
                          end_record(zip) + 4)));
}

TEST_CASE("npz limits: each of the numbers that did not fit is in the ZIP64 field, alone or with others") {
    const Bytes member = format_npy(two_numbers), zip = one_member();
    const std::size_t entry = directory(zip);
    const std::pair<std::size_t, std::size_t> fields[] = {{24, member.size()}, {20, member.size()}, {42, 0}};
    for (unsigned which = 1; which < 8; ++which) {
        INFO(which);
        Bytes without = zip, field;
        for (unsigned i = 0; i < 3; ++i)
            if (which & 1u << i) {
                without = with_number(without, entry + fields[i].first, 0xFFFFFFFFu);
                append_little_endian<std::uint64_t>(field, fields[i].second);
            }
        CHECK(npz_error(without) ==
              fmt::format("x.npz: at byte {}: a member's ZIP64 field is missing", entry + 51));
        const auto with_field = [&](std::size_t length) {
            Bytes extra = bytes_of(std::string_view("\1\0", 2));
            append_little_endian(extra, static_cast<std::uint16_t>(length));
            extra.insert(extra.end(), field.begin(), field.begin() + static_cast<std::ptrdiff_t>(length));
            return with_number(with_inserted(without, extra), entry + 30,
                               static_cast<std::uint16_t>(extra.size()));
        };
        CHECK(numbers_of(with_field(field.size())) == std::vector<real>{1, 2});
        CHECK(npz_error(with_field(field.size() - 1)) ==
              fmt::format("x.npz: at byte {}: a ZIP64 field is too short", entry + 51));
        // A second such field does not count.
        field.resize(field.size() + 8);
    }
}

TEST_CASE("npz limits: numbers of the end record that did not fit are those of the ZIP64 record") {
    const Bytes small = one_member();
    const std::size_t record = end_record(small), first = directory(small), end = record + 76;
    Bytes zip = small;
    zip.resize(record);
    append_text(zip, "PK\6\6");
    for (const std::uint64_t value : {44, 0x2D002D, 0}) append_little_endian<std::uint64_t>(zip, value);
    zip.resize(record + 24);
    for (const std::uint64_t value : {std::uint64_t{1}, std::uint64_t{1}, record - first, first})
        append_little_endian<std::uint64_t>(zip, value);
    append_text(zip, "PK\6\7");
    append_little_endian<std::uint32_t>(zip, 0);
    append_little_endian<std::uint64_t>(zip, record);
    append_little_endian<std::uint32_t>(zip, 1);
    zip.insert(zip.end(), small.begin() + static_cast<std::ptrdiff_t>(record), small.end());
    const std::vector<real> expected{1, 2};
    CHECK(numbers_of(zip) == expected);
    for (const std::size_t offset : {8, 12, 16})
        CHECK(numbers_of(with_number(zip, end + offset, 0xFFFFFFFFu)) == expected);
    CHECK(numbers_of(with_number(with_number(with_number(zip, end + 8, 0xFFFFFFFFu), end + 12, 0xFFFFFFFFu),
                                 end + 16, 0xFFFFFFFFu)) == expected);
    CHECK(has(npz_error(with_number(zip, end + 8, 0x00020002u)), "end records differ: 1 and 2 members"));
    for (const std::size_t offset : {12, 16})
        CHECK(has(npz_error(with_byte(zip, end + offset, 1)), "the zip's two end records differ"));
    CHECK(numbers_of(with_byte(zip, end - 4, 0)) == expected);  // some writers count no disks
    for (const std::size_t offset : {end - 16, record + 16, record + 20})
        CHECK(has(npz_error(with_byte(zip, offset, 1)), "one part of a multi-part archive"));
    for (const std::size_t offset : {end - 12, record})
        CHECK(has(npz_error(with_byte(zip, offset, 1)), "the zip's ZIP64 end record is not at byte"));
}

TEST_CASE("npz limits: flags that say what a member holds are compared, others are not") {
    const Bytes zip = one_member();
    const std::size_t entry = directory(zip);
    for (const std::size_t flags : {std::size_t{6}, entry + 8}) {
        for (const int content : {0x01, 0x20, 0x40})
            CHECK(has(npz_error(with_byte(zip, flags, content)), "member 'a.npy' has the flags "));
        for (const int other : {0x02, 0x04, 0x10, 0x80})
            CHECK(numbers_of(with_byte(zip, flags, other)).size() == 2);
        CHECK(numbers_of(with_byte(zip, flags + 1, 8)).size() == 2);  // UTF-8, which ASCII is too
    }
}

TEST_CASE("npz limits: a claim that deflate can just fulfil is tried, the next is refused") {
    const Bytes deflated = format_npz({{"a", Tensor::full({1000}, 1)}}, Compression::deflated);
    const std::size_t entry = directory(deflated);
    const auto stored = load_little_endian<std::uint32_t>(&deflated[entry + 20]);
    const auto claims = [&](std::uint32_t content) { return with_number(deflated, entry + 24, content); };
    CHECK(has(npz_error(claims(1032 * (stored + 1))), "which deflate cannot"));
    CHECK_FALSE(has(npz_error(claims(1032 * stored + 1031)), "which deflate cannot"));
}

TEST_CASE("npz limits: deflated data that are shorter or longer than claimed") {
    const auto header = [](int count) { return npy_with(dict("<f4", fmt::format("({},)", count)), 0); };
    const std::size_t begin = header(500).size();  // that of 700 is as long
    const auto member = [&](int claimed, std::size_t present) {
        Bytes content = header(claimed);
        content.resize(begin + 4 * present);
        const Bytes zip = format_zip({{"a.npy", content}}, zip_deflated);
        const auto bytes = static_cast<std::uint32_t>(begin + 4 * static_cast<std::size_t>(claimed));
        return with_number(with_number(zip, 22, bytes), directory(zip) + 24, bytes);
    };
    CHECK(numbers_of(member(500, 500)).size() == 500);
    CHECK(npz_error(member(700, 500)) ==
          fmt::format("x.npz: at byte 0: member 'a.npy': its compressed data end after {} of {} bytes",
                      begin + 2000, begin + 2800));
    CHECK(npz_error(member(500, 700)) ==
          fmt::format("x.npz: at byte 0: member 'a.npy': its compressed data continue after {} bytes",
                      begin + 2000));
}

TEST_CASE("npz limits: written archives say how they are packed") {
    const auto field = [](const Bytes& zip, std::size_t offset) {
        return load_little_endian<std::uint16_t>(&zip[offset]);
    };
    const Bytes stored = format_npz({{"a", Tensor{1}}}),
                deflated = format_npz({{"λ", Tensor{1}}}, Compression::deflated);
    for (const std::size_t in : {std::size_t{0}, directory(stored) + 2}) {
        CHECK(field(stored, in + 4) == 10);  // the version needed
        CHECK(field(stored, in + 6) == 0);   // flags
        CHECK(field(stored, in + 8) == zip_stored);
    }
    for (const std::size_t in : {std::size_t{0}, directory(deflated) + 2}) {
        CHECK(field(deflated, in + 4) == 20);
        CHECK(field(deflated, in + 6) == (0x800 | 2));  // UTF-8, as small as deflate can
        CHECK(field(deflated, in + 8) == zip_deflated);
        CHECK(field(deflated, in + 10) == 0);         // midnight
        CHECK(field(deflated, in + 12) == (32 + 1));  // 1980-01-01
    }
}

// ---- safetensors ---------------------------------------------------------------------------------------

TEST_CASE("safetensors limits: a header's length at its limits") {
    const auto length_of = [](std::uint64_t length, std::uint64_t file_bytes, bool with_brace = true) {
        Bytes start;
        append_little_endian(start, length);
        if (with_brace) append_text(start, "{");
        return safetensors_header_length(start, file_bytes, "x");
    };
    const auto error = [&](std::uint64_t length, std::uint64_t file_bytes) {
        return message_of<FileError>([&] { length_of(length, file_bytes); });
    };
    CHECK(length_of(1, 9) == 1);
    CHECK(length_of(2, 10) == 2);
    CHECK(length_of(2, 10, false) == 2);
    CHECK(error(3, 10) == "x: at byte 0: header length 3 exceeds the file's 10 bytes");
    CHECK(error(0, 10) == "x: at byte 8: the header does not begin with '{'");
    CHECK(length_of(16'000'000, 1 << 30) == 16'000'000);
    CHECK(
        has(error(16'000'001, 1 << 30), "exceeds the limit of 16000000 bytes (the format allows 100000000)"));
    CHECK(has(error(100'000'000, 1 << 30), "exceeds the limit of 16000000 bytes"));
    CHECK(has(error(100'000'001, 1 << 30), "exceeds the format's limit of 100000000"));
}

TEST_CASE(
    "safetensors limits: headers of every length are aligned, and every number type is written as read") {
    for (std::size_t length = 1; length < 20; ++length) {
        const Bytes bytes =
            format_safetensors({{std::string(length, 'n'), Tensor{1, 2}}}, {{"key", "value"}});
        const auto header = load_little_endian<std::uint64_t>(bytes.data());
        CHECK(header % 8 == 0);
        CHECK(bytes.size() == 8 + header + 2 * sizeof(real));
        const std::string text(as_text(ByteView(bytes).subspan(8, header)));
        CHECK(text.size() - text.find_last_of('}') - 1 < 8);  // no more spaces than needed
    }
    const Safetensors none = parse_safetensors(format_safetensors({}, {}), "x");
    CHECK((none.tensors.empty() && none.metadata.empty() && none.has_checksums));
    const std::string entry = R"("dtype":"F32","shape":[],"data_offsets":[0,4])";
    CHECK(parse_safetensors(safetensors_with(R"({"w":{)" + entry + "}}", 4), "x").tensors.size() == 1);
    // The largest size that can be counted is read, and then compared with the data.
    CHECK(has(message_of<FileError>([] {
                  static_cast<void>(parse_safetensors(
                      safetensors_with(
                          R"({"w":{"dtype":"U8","shape":[9223372036854775807],"data_offsets":[0,8]}})", 8),
                      "x"));
              }),
              "needs 9223372036854775807 bytes, its data have 8"));
}

TEST_CASE("safetensors limits: data of the second tensor that begin or end elsewhere, with the numbers") {
    const auto error = [](const std::string& offsets) {
        const Bytes bytes = safetensors_with(
            R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":)" +
                offsets + "}}",
            8);
        return message_of<FileError>([&] { static_cast<void>(parse_safetensors(bytes, "x")); });
    };
    const std::string b = "x: at byte 64: tensor 'b': ";
    CHECK(error("[6,8]") == b + "its data begin at 6, after a gap of 2 bytes");
    CHECK(error("[4,7]") == b + "shape (4,) of U8 needs 4 bytes, its data have 3");
    CHECK(error("[4,9]") == b + "its data end at 9, the file holds 8 bytes of data");
    CHECK(error("[3,7]") == b + "its data begin at 3 and overlap those that end at 4");
    CHECK(error("[8,4]") == b + "its data end at 4, before they begin at 8");
}

TEST_CASE("file limits: a file that grows while it is read is refused, one that shrinks is read to its end") {
    const TemporaryFolder folder;
    for (const std::size_t length : {std::size_t{10}, start_bytes + 10}) {
        const std::string content(length, 'x');
        write_file_atomically(folder / "a", content);
        const auto read = [&](std::size_t becomes) {
            return read_file(folder / "a", [&](ByteView, std::uint64_t) {
                std::filesystem::resize_file(folder / "a", becomes);
            });
        };
        check_error<IoError>([&] { read(length + 1); },
                             (folder / "a").string() + ": the file grew while it was being read");
        write_file_atomically(folder / "a", content);
        CHECK(read(length).size() == length);
        CHECK(read(length - 1).size() == (length < start_bytes ? length : length - 1));
    }
}

// ---- files and descriptors -----------------------------------------------------------------------------

TEST_CASE("file limits: files and pipes as long as what is read first, and one byte more and less") {
    const TemporaryFolder folder;
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    for (const std::size_t length :
         {std::size_t{0}, std::size_t{1}, start_bytes - 1, start_bytes, start_bytes + 1, 2 * start_bytes,
          3 * start_bytes - 1, 3 * start_bytes, 3 * start_bytes + 1}) {
        INFO(length << " bytes");
        std::string content(length, 'x');
        for (std::size_t i = 0; i < length; ++i) content[i] = static_cast<char>('a' + i % 26);
        const auto checked = [&](const std::filesystem::path& path) {
            std::size_t start = 0;
            std::uint64_t claimed = 0;
            const Bytes bytes = read_file(
                path, [&](ByteView first, std::uint64_t all) { start = first.size(), claimed = all; });
            CHECK(as_text(bytes) == content);
            CHECK(start == std::min(length, start_bytes));
            return claimed;
        };
        write_file_atomically(folder / "file", content);
        CHECK(checked(folder / "file") == length);
        std::thread writer([&] { write_file_atomically(folder / "pipe", content); });
        CHECK(checked(folder / "pipe") == (length < start_bytes ? length : unknown_length));
        writer.join();
    }
}

TEST_CASE("file limits: a pipe may be as long as its limit") {
    const TemporaryFolder folder;
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    for (const std::size_t length : {std::size_t{10}, std::size_t{100'000}}) {
        for (const std::size_t limit : {length - 1, length, length + 1}) {
            std::thread writer([&] { write_file_atomically(folder / "pipe", std::string(length, 'x')); });
            const auto read = [&] { return read_file(folder / "pipe", 0, limit).size(); };
            if (limit >= length) CHECK(read() == length);
            else
                check_error<IoError>([&] { read(); },
                                     fmt::format("{}: more than {} bytes, the limit for a pipe",
                                                 (folder / "pipe").string(), limit));
            writer.join();
        }
    }
}

TEST_CASE("file limits: paths that are open descriptors of this process") {
    const std::pair<const char*, std::optional<int>> cases[] = {{"/dev/stdin", 0},
                                                                {"/dev/stdout", 1},
                                                                {"/dev/stderr", 2},
                                                                {"/dev/fd/0", 0},
                                                                {"/dev/fd/12", 12},
                                                                {"/proc/self/fd/5", 5},
                                                                {"/dev//fd/7", 7},
                                                                {"/dev/./fd/../stdout", 1},
                                                                {"/dev/fd/", {}},
                                                                {"/dev/fd/-1", {}},
                                                                {"/dev/fd/1x", {}},
                                                                {"/dev/fd/x", {}},
                                                                {"/dev/fd", {}},
                                                                {"/dev/null", {}},
                                                                {"dev/fd/1", {}},
                                                                {"/proc/self/fd/", {}},
                                                                {"/dev/stdin2", {}},
                                                                {"/proc/1/fd/1", {}},
                                                                {"/dev/fd/99999999999", {}},
                                                                {"", {}}};
    for (const auto& [path, expected] : cases) {
        INFO(path);
        CHECK(inherited_descriptor(path) == expected);
    }
}

TEST_CASE("file limits: a chain of 39 links is followed, one of 40 is refused") {
    const TemporaryFolder folder;
    for (int i = 1; i <= 40; ++i)
        std::filesystem::create_symlink(i == 1 ? "file" : std::to_string(i - 1), folder / std::to_string(i));
    write_file_atomically(folder / "39", "39");
    CHECK(text_of(folder / "file") == "39");
    check_error<IoError>([&] { write_file_atomically(folder / "40", "40"); },
                         (folder / "40").string() + ": cannot open: Too many levels of symbolic links");
    CHECK(text_of(folder / "file") == "39");
}

TEST_CASE("file limits: names of unfinished files") {
    const std::string one = temporary_name(), two = temporary_name();
    CHECK(one != two);
    CHECK(one.starts_with(fmt::format(".glassbox-{}-", ::getpid())));
    CHECK((is_temporary_name(one) && is_temporary_name(two) && is_temporary_name(".glassbox-1-2.tmp")));
    for (const char* other :
         {".glassbox-1", "1.tmp", "glassbox-1.tmp", "", "x.glassbox-1.tmp", ".glassbox-1.tmp2"})
        CHECK_FALSE(is_temporary_name(other));
    CHECK(display_name("-") == "standard input");
    CHECK(display_name("./-") == "./-");
    CHECK(display_name(std::string(4096, 'x')) == std::string(4096, 'x'));
    CHECK(display_name(std::string(4097, 'x')) == std::string(4096, 'x') + "…");
}

// ---- numbers and checksums -----------------------------------------------------------------------------

TEST_CASE("number limits: the ends of a range are in it") {
    CHECK(parse_integer("--n", "1", 1, 100) == 1);
    CHECK(parse_integer("--n", "100", 1, 100) == 100);
    CHECK(parse_integer("--n", "-5", -5, -5) == -5);
    CHECK(parse_integer("--n", "-9223372036854775808", INT64_MIN) == INT64_MIN);
    CHECK(parse_integer("--n", "9223372036854775807", INT64_MIN) == INT64_MAX);
    check_error<UsageError>([] { parse_integer("--n", "-9223372036854775809", INT64_MIN); },
                            "--n: at least -9223372036854775808 expected, got -9223372036854775809");
    check_error<UsageError>([] { parse_integer("--n", "9223372036854775808", INT64_MIN); },
                            "--n: at most 9223372036854775807 possible, got 9223372036854775808");
    check_error<UsageError>([] { parse_integer("--n", "-6", -5, -5); }, "--n: at least -5 expected, got -6");
    check_error<UsageError>([] { parse_integer("--n", "-4", -5, -5); }, "--n: at most -5 possible, got -4");
    CHECK(parse_real("--rate", "0", 0) == 0);
    CHECK(parse_real("--rate", "-0.5", -0.5) == -0.5);
    CHECK(parse_real("--rate", "1.7976931348623157e308", 0) == std::numeric_limits<double>::max());
    check_error<UsageError>([] { parse_real("--rate", "-0.50001", -0.5); },
                            "--rate: at least -0.5 expected, got -0.50001");
    CHECK(parse_seed("--seed", "0") == 0);
    CHECK(parse_seed("--seed", "1") == 1);
}

TEST_CASE("crc32c: of any length and beginning it is that of a bit by bit division") {
    Bytes bytes;
    for (int i = 0; i < 64; ++i) bytes.push_back(static_cast<std::byte>(i * i * 37 + 11 * i + 5));
    const auto by_bits = [](ByteView some) {
        std::uint32_t remainder = 0xFFFFFFFF;
        for (const std::byte byte : some) {
            remainder ^= std::to_integer<std::uint32_t>(byte);
            for (int bit = 0; bit < 8; ++bit) remainder = (remainder >> 1) ^ ((remainder & 1) * 0x82F63B78u);
        }
        return ~remainder;
    };
    for (std::size_t begin = 0; begin < 9; ++begin)
        for (std::size_t length = 0; length + begin <= bytes.size(); ++length) {
            const ByteView some = ByteView(bytes).subspan(begin, length);
            REQUIRE(crc32c(some) == by_bits(some));
        }
    CHECK(checksum(Tensor{1, 2}).size() == 8);
    CHECK(checksum(Tensor{1, 2}) != checksum(Tensor{2, 1}));
}
