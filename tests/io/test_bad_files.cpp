// One entry for each way in which a file can be wrong: its name, the file, and the place and reason that the
// error must give.
#include <glassbox/io/detail/deflate.h>
#include <glassbox/io/detail/zip_writer.h>
#include <glassbox/io/file.h>
#include <glassbox/io/numpy.h>
#include <glassbox/io/safetensors.h>

#include <set>

#include "io/io_support.h"

using namespace glassbox;
using namespace glassbox::detail;
using namespace glassbox_test;

namespace {

struct BadFile {
    std::string what;
    Bytes bytes;
    std::string place;   // follows the file name
    std::string reason;  // part of the rest
};

std::string at(std::size_t offset) { return fmt::format("at byte {}: ", offset); }

void check_refused(const std::vector<BadFile>& table, const std::string& file, void (*read)(const Bytes&)) {
    std::set<std::string> names;
    for (const BadFile& bad : table) {
        const std::string message = message_of<FileError>([&] { read(bad.bytes); });
        CAPTURE(bad.what, message);
        CHECK(names.insert(bad.what).second);
        CHECK(message.starts_with(file + ": " + bad.place));
        CHECK(has(message, bad.reason));
    }
}

// ---- npy

std::string dict(const std::string& shape, const std::string& descr = "'<f4'",
                 const std::string& order = "False") {
    return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

Bytes shaped(const std::string& shape, std::size_t data_bytes = 24) {
    return npy_with(dict(shape), data_bytes);
}

Bytes typed(const std::string& descr, std::size_t data_bytes = 8) {
    return npy_with(dict("(1,)", descr), data_bytes);
}

Bytes with_byte(Bytes bytes, std::size_t offset, int value) {
    bytes.at(offset) = static_cast<std::byte>(value);
    return bytes;
}

Bytes cut(Bytes bytes, std::size_t length) {
    bytes.resize(length);
    return bytes;
}

std::vector<BadFile> bad_headers() {
    const Bytes good = shaped("(2, 3)");
    const std::string entries = "'descr': '<f4', 'fortran_order': False, ";
    return {
        {"empty file", {}, at(0), "empty"},
        {"another format", bytes_of("\x89QNG\r\n\x1a\n and more"), at(0), "does not begin with \\x93NUMPY"},
        {"an npz under the name of an npy", format_npz({{"x", Tensor{1}}}),
         "expected an .npy file, got an .npz of arrays: ", "must end in .npz"},
        {"magic cut short", cut(good, 4), at(4), "ends within its first 12 bytes"},
        {"length field cut short", cut(good, 9), at(9), "ends within its first 12 bytes"},
        {"version 4", with_byte(good, 6, 4), at(6), "version 4.0 is not supported"},
        {"version 0", with_byte(good, 6, 0), at(6), "version 0.0 is not supported"},
        {"version 1.1", with_byte(good, 7, 1), at(6), "version 1.1 is not supported"},
        {"header longer than the file", with_byte(good, 9, 0xFD), at(8), "exceeds the file's"},
        {"header cut short", cut(good, 40), at(8), "exceeds the file's 40 bytes"},
        {"version 2 header of 4 GiB", with_byte(npy_with(dict("(2, 3)"), 24, 2), 11, 0xFF), at(8),
         "exceeds the limit of 1048576 bytes"},
        {"no dict but a list", npy_with("['descr', '<f4']", 4), at(10), "not a Python dict"},
        {"empty header", npy_with("", 24), at(10), "not a Python dict"},
        {"dict not closed", npy_with("{" + entries, 24), at(51), "a key in quotes, found its end"},
        {"text after the dict", npy_with(dict("(2, 3)") + "x", 24), at(70), "continues after its dict"},
        {"an indented dict", npy_with("\n " + dict("(2, 3)"), 24), at(11), "not a Python dict"},
        {"an indented line after the dict in version 3", npy_with(dict("(2, 3)") + " \n", 24, 3), at(72),
         "continues after its dict with ' "},
        {"no shape", npy_with("{" + entries + "}", 24), at(10), "no 'shape'"},
        {"no descr", npy_with("{'fortran_order': False, 'shape': (2, 3)}", 24), at(10), "no 'descr'"},
        {"no fortran_order", npy_with("{'descr': '<f4', 'shape': (2, 3)}", 24), at(10), "no 'fortran_order'"},
        {"a key twice", npy_with("{" + entries + "'descr': '<f8'}", 24), at(51), "'descr' appears twice"},
        {"an unknown key", npy_with("{" + entries + "'colour': 1}", 24), at(51), "'colour' is unknown"},
        {"a key without quotes", npy_with("{descr: '<f4'}", 24), at(11), "a key in quotes"},
        {"a key without a value", npy_with("{'descr'}", 24), at(18), "expected ':'"},
        {"entries without a comma", npy_with("{'descr': '<f4' 'shape': (1,)}", 24), at(26),
         "expected ',' or '}'"},
        {"a quote not closed", npy_with("{'descr: <f4}", 24), at(11), "quote is not closed"},
        {"bytes beyond ASCII", npy_with("{'d\xC3\xA9scr': '<f4'}", 24), at(11), "not plain ASCII"},
        {"a control character in a key", npy_with("{'de\x1bscr': '<f4'}", 24), at(11), "de\\x1bscr"},
        {"fortran_order is a number", npy_with(dict("(2, 3)", "'<f4'", "0"), 24), at(44), "True or False"},
    };
}

std::vector<BadFile> bad_shapes() {
    return {
        {"shape is a number", shaped("6"), at(60), "must be a tuple, found '6"},
        {"shape is a list", shaped("[2, 3]"), at(60), "must be a tuple"},
        {"shape is a number in brackets", shaped("(6)"), at(62), "(6,) instead of (6)"},
        {"shape of text", shaped("('a',)"), at(61), "expected a size"},
        {"shape of fractions", shaped("(2.0, 3)"), at(62), "expected ',' or ')'"},
        {"shape not closed", npy_with("{'shape': (2, 3", 24), at(25),
         "expected ',' or ')' in 'shape', found its end"},
        {"a size that begins with 0", shaped("(04, 3)"), at(61), "a size in 'shape' begins with 0: 04"},
        {"a size of two words", shaped("(1_0,)"), at(62), "expected ',' or ')'"},
        {"a size in another base", shaped("(0x2, 3)"), at(62), "expected ',' or ')'"},
        {"a size that is a word", shaped("(True, 6)"), at(61), "expected a size"},
        {"a long integer in version 3", npy_with(dict("(2L, 3L)"), 24, 3), at(64), "expected ',' or ')'"},
        {"negative size", shaped("(-2, 3)"), at(61), "negative"},
        {"size beyond 64 bits", shaped("(99999999999999999999,)"), at(61), "larger than can be counted"},
        {"product beyond 64 bits", shaped("(4294967296, 4294967296)"), at(60),
         "more bytes than can be counted"},
        {"bytes beyond 64 bits", shaped("(4611686018427387904,)"), at(60), "more bytes than can be counted"},
        {"product beyond 64 bits beside a 0", shaped("(4294967296, 0, 4294967296)", 0), at(60),
         "more bytes than"},
        {"nine axes", shaped("(1, 1, 1, 1, 1, 1, 1, 1, 1)", 4), at(60), "9 axes, at most 8"},
        {"an absurd size", shaped("(9999999999,)"), at(101),
         "needs 39999999996 bytes from byte 77 on, 24 are present"},
        {"data cut short", shaped("(2, 3)", 23), at(93), "truncated: shape (2, 3) needs 24 bytes"},
        {"no data", shaped("(2, 3)", 0), at(70), "0 are present"},
        {"bytes after the data", shaped("(2, 3)", 25), at(94), "1 bytes too many"},
        {"a second array after the first", shaped("(0,)", 128), at(68), "128 bytes too many"},
    };
}

std::vector<BadFile> bad_types() {
    return {
        {"no byte order", typed("'f4'"), at(20), "'f4'"},
        {"no byte order for more than a byte", typed("'|f4'"), at(20), "the byte order is missing"},
        {"an empty type", typed("''"), at(20), "expected a byte order and a type"},
        {"a type that is no text", typed("None"), at(20), "expected 'descr' in quotes"},
        {"complex numbers", typed("'<c8'"), at(20), "'<c8' (complex numbers)"},
        {"Python objects", typed("'|O'"), at(20), "pickle"},
        {"text", typed("'<U2'"), at(20), "(text)"},
        {"dates", typed("'<M8[ns]'"), at(20), "(dates and times)"},
        {"raw bytes", typed("'|V8'"), at(20), "(raw bytes)"},
        {"a record", typed("[('a', '<f4'), ('b', '<i4')]"), at(20), "(records)"},
        {"a record not closed", npy_with("{'descr': [('a', '<f4'", 8), at(32), "not closed"},
        {"a float of 16 bytes", typed("'<f16'"), at(20), "a float of unknown size"},
        {"an integer of 3 bytes", typed("'<i3'"), at(20), "an integer of unknown size"},
        {"a type with a tail", typed("'<f4x'"), at(20), "'<f4x'"},
        {"an unknown type", typed("'<z4'"), at(20), "unknown"},
    };
}

// ---- npz

// Changes a byte in the first member's directory entry and the same byte in its local header.
Bytes in_both(const Bytes& zip, std::size_t entry, std::size_t offset, int value) {
    const std::size_t own = offset >= 46 ? offset - 16 : offset - 2;
    return with_byte(with_byte(zip, entry + offset, value), own, value);
}

Bytes zip_of(const Bytes& member) { return format_zip({{"a.npy", member}}, zip_stored); }

std::vector<BadFile> bad_zips() {
    const Bytes zip = format_npz({{"a", Tensor{1, 2}}, {"b", Tensor{3, 4}}});
    const std::size_t end = end_record(zip), first = directory(zip);
    const std::size_t member_bytes = format_npy(Tensor{1, 2}).size();
    const std::size_t second_member = load_little_endian<std::uint32_t>(&zip[first + 46 + 5 + 42]);
    const auto u16 = [&](std::size_t offset, std::uint16_t value) { return with_number(zip, offset, value); };
    const auto u32 = [&](std::size_t offset, std::uint32_t value) { return with_number(zip, offset, value); };
    return {
        {"empty zip file", {}, at(0), "empty"},
        {"no zip", bytes_of(std::string(100, 'x')), at(0), "not a zip"},
        {"an npy under the name of an npz", format_npy(Tensor{1}), "expected an .npz, got",
         "an .npy file of one array"},
        {"end record cut off", cut(zip, end), at(end), "truncated: the zip has no end record"},
        {"end record cut short", cut(zip, zip.size() - 1), at(zip.size() - 1), "no end record"},
        {"one part of several", u16(end + 4, 1), at(end + 4), "one part of a multi-part archive"},
        {"two numbers of members", u16(end + 8, 1), at(end + 8), "two different numbers"},
        {"more members than the directory holds", u32(end + 8, 0x03E803E8), at(end), "claims 1000 members"},
        {"fewer members than the directory holds", u32(end + 8, 0x00010001), at(first + 51),
         "continues after its last"},
        {"directory beyond the file", u32(end + 16, 0x7FFFFFFF), at(end), "does not end here"},
        {"directory at the wrong place", u32(end + 16, static_cast<std::uint32_t>(first - 8)), at(end),
         "does not end"},
        {"ZIP64 record missing", u32(end + 16, 0xFFFFFFFF), at(end), "does not end here"},
        {"directory entry damaged", u32(first, 0x12345678), at(first), "no entry here"},
        {"directory entry beyond the directory", u16(first + 28, 0xFFFF), at(first + 28),
         "beyond the directory"},
        {"ZIP64 field of a member missing", u32(first + 24, 0xFFFFFFFF), at(first + 51),
         "ZIP64 field is missing"},
        {"member beyond the file", u32(first + 42, 0x7FFFFFF0), at(first + 42),
         "'a.npy' is not at byte 2147483632"},
        {"member that is none", u32(first + 42, 4), at(first + 42), "'a.npy' is not at byte 4"},
        {"name beyond the file, before a member beyond it",
         with_number(u32(first + 51 + 42, 0x7FFFFFF0), 26, std::uint16_t{0xFFFF}), at(0),
         "from byte 65565 on, overlaps the directory"},
        {"two members in one place", u32(first + 51 + 42, 0), at(0), "overlaps the next member"},
        {"member longer than its place", with_number(u32(first + 20, 1000), first + 24, std::uint32_t{1000}),
         at(0), "1000 bytes from byte 35 on, overlaps the next member"},
        {"last member reaches into the directory",
         with_number(u32(first + 71, 1000), first + 75, std::uint32_t{1000}), at(second_member),
         "overlaps the directory"},
        {"stored member with two sizes", u32(first + 24, 999), at(first + 20),
         fmt::format("in {} bytes but claims 999", member_bytes)},
        {"a bomb: more than deflate can hold",
         with_number(in_both(zip, first, 10, 8), first + 24, std::uint32_t{1} << 30), at(first + 24),
         fmt::format("inflate {} bytes to 1073741824, which deflate cannot", member_bytes)},
        {"two members of one name", with_byte(with_byte(zip, first + 51 + 46, 'a'), second_member + 30, 'a'),
         at(first + 51), "two members are named 'a'"},
        {"two members of one array name", format_zip({{"a.npy", {}}, {"a", {}}}, zip_stored), at(117),
         "two members are named 'a'"},
        {"a name that is no text", in_both(zip, first, 46, 0xFF), at(first + 46),
         "'\\xff.npy', is not UTF-8"},
        {"a name with a NUL", in_both(zip, first, 46, 0), at(first + 46), "'\\x00.npy', is not UTF-8"},
    };
}

// Content that zip readers interpret differently. NumPy rejects all of them except those marked.
std::vector<BadFile> zips_read_in_two_ways() {
    const Bytes zip = format_npz({{"a", Tensor{1, 2}}, {"b", Tensor{3, 4}}});
    const Bytes greek = format_npz({{"λ", Tensor{1, 2}}});
    const std::size_t end = end_record(zip), first = directory(zip), second = first + 51;
    const std::size_t local = load_little_endian<std::uint32_t>(&zip[second + 42]);
    Bytes hidden = with_number(zip, end + 20, std::uint16_t{22});  // an end record in another's comment
    hidden.insert(hidden.end(), zip.begin() + static_cast<std::ptrdiff_t>(end), zip.end());
    hidden[hidden.size() - 2] = std::byte{1};
    Bytes behind = bytes_of("#!/bin/sh\n");
    behind.insert(behind.end(), zip.begin(), zip.end());
    return {
        {"another name in a member's own header", with_byte(zip, local + 30, 'Q'), at(local + 30),
         "named 'Q.npy' here and 'b.npy' in the directory"},
        {"another name in the directory", with_byte(zip, second + 46, 'Q'), at(local + 30),
         "named 'b.npy' here and 'Q.npy' in the directory"},
        {"a shorter name in a member's own header", with_byte(zip, local + 26, 4), at(local + 30),
         "in the directory"},
        {"another method in a member's own header (NumPy follows the directory)",
         with_byte(zip, local + 8, 8), at(local + 8), "compression method 8 here, 0 in the directory"},
        {"encrypted in the directory alone", with_byte(zip, second + 8, 1), at(local + 6),
         "the flags 0x0000 here, 0x0001 in the directory"},
        {"a name beyond ASCII that is UTF-8 in the directory alone", with_byte(greek, 7, 0), at(6),
         "the flags 0x0000 here, 0x0800 in the directory"},
        {"a name beyond ASCII that is not marked as UTF-8 (NumPy reads it as '╬╗')",
         with_byte(greek, directory(greek) + 9, 0), at(directory(greek) + 8), "not marked as UTF-8"},
        {"a version to come", with_byte(zip, second + 6, 255), at(second + 6),
         "'b.npy' needs zip version 25.5, at most 6.3 is supported"},
        {"version 6.4", with_byte(zip, second + 6, 64), at(second + 6), "version 6.4"},
        {"a comment that holds an end record", hidden, at(hidden.size() - 2),
         "comment claims 1 bytes, 0 are present"},
        {"bytes after the end record", cut(zip, zip.size() + 3), at(end + 20),
         "comment claims 0 bytes, 3 are present"},
        {"bytes before the first member", behind, at(0), "does not begin with PK"},
    };
}

// The same array in a zip with a ZIP64 end record, as some writers add.
Bytes zip64_of(const Bytes& zip) {
    const std::size_t end = end_record(zip), first = directory(zip);
    Bytes bytes = cut(zip, end);
    append_text(bytes, "PK\6\6");
    for (const std::uint64_t value : {44, 0x2D002D, 0}) append_little_endian<std::uint64_t>(bytes, value);
    bytes.resize(end + 24);
    for (const std::uint64_t value : {std::uint64_t{1}, std::uint64_t{1}, end - first, first})
        append_little_endian<std::uint64_t>(bytes, value);
    append_text(bytes, "PK\6\7");
    append_little_endian<std::uint32_t>(bytes, 0);
    append_little_endian<std::uint64_t>(bytes, end);
    append_little_endian<std::uint32_t>(bytes, 1);
    bytes.insert(bytes.end(), zip.begin() + static_cast<std::ptrdiff_t>(end), zip.end());
    return bytes;
}

std::vector<BadFile> bad_zip64() {
    const Bytes small = zip_of(format_npy(Tensor{1, 2})), zip = zip64_of(small);
    const std::size_t record = end_record(small), locator = record + 56, end = locator + 20;
    return {
        {"end records with two numbers of members", with_byte(zip, end + 8, 2), at(end + 8), "two different"},
        {"a ZIP64 record that counts otherwise", with_byte(zip, record + 32, 2), at(record),
         "end records differ: 2 and 1 members"},
        {"a ZIP64 record with two numbers of members", with_byte(zip, record + 24, 2), at(record), "differ"},
        {"a ZIP64 record with another directory", with_byte(zip, record + 48, 2), at(record), "differ"},
        {"a ZIP64 record of another length", with_byte(zip, record + 40, 2), at(record), "differ"},
        {"a ZIP64 record elsewhere", with_byte(zip, locator + 8, 0), at(locator), "record is not at byte"},
        {"a ZIP64 locator of one part of several", with_byte(zip, locator + 16, 2), at(locator), "one part"},
        {"a ZIP64 record of one part of several", with_byte(zip, record + 16, 2), at(locator), "one part"},
    };
}

// A directory entry with these bytes after its name.
Bytes with_extra(std::string_view extra, Bytes zip = zip_of(format_npy(Tensor{1, 2}))) {
    const std::size_t entry = directory(zip), end = end_record(zip);
    zip = with_number(zip, entry + 30, static_cast<std::uint16_t>(extra.size()));
    zip = with_number(zip, end + 12, static_cast<std::uint32_t>(end - entry + extra.size()));
    const Bytes bytes = bytes_of(extra);
    zip.insert(zip.begin() + static_cast<std::ptrdiff_t>(end), bytes.begin(), bytes.end());
    return zip;
}

// Info-ZIP's field with another name for the member, of this version and made for this name.
Bytes named_twice(std::string_view name, int version = 1, std::string_view made_for = "a.npy") {
    Bytes extra = bytes_of("up");
    append_little_endian(extra, static_cast<std::uint16_t>(5 + name.size()));
    extra.push_back(static_cast<std::byte>(version));
    append_little_endian(extra, crc32_of(bytes_of(made_for)));
    append_text(extra, name);
    return with_extra(as_text(extra));
}

std::vector<BadFile> bad_extra_fields() {
    const std::size_t extra = end_record(zip_of(format_npy(Tensor{1, 2})));
    const auto text = [](const char(&bytes)[7]) { return std::string_view(bytes, 6); };
    return {
        {"an extra field longer than its place", with_extra(text("\x99\0\x03\0ab")), at(extra),
         "an extra field of member 'a.npy' claims 3 bytes, 2 are present"},
        {"a short ZIP64 field",
         with_number(with_extra(text("\1\0\2\0ab")), extra - 51 + 24, std::uint32_t{0xFFFFFFFF}), at(extra),
         "a ZIP64 field is too short"},
        {"another name in a field", named_twice("b.npy"), at(extra),
         "the entry of member 'a.npy' is ambiguous: a field of it names it 'b.npy'"},
        {"no name in a field", named_twice(""), at(extra), "a field of it names it ''"},
    };
}

// Deflate makes at most 1,032 bytes of one: so many could be 8 GiB and a byte, as the directory says.
Bytes member_of_gigabytes() {
    Bytes stored = zip_of(Bytes(8'400'000));
    const Bytes zip = in_both(stored, directory(stored), 10, zip_deflated);
    const std::string_view zip64("\1\0\x08\0\1\0\0\0\2\0\0\0", 12);
    return with_number(with_extra(zip64, zip), directory(zip) + 24, std::uint32_t{0xFFFFFFFF});
}

std::vector<BadFile> bad_members() {
    const Bytes zip = zip_of(format_npy(Tensor{1, 2}));
    const Bytes deflated = format_npz({{"a", Tensor::full({1000}, 1)}}, Compression::deflated);
    const std::size_t entry = directory(zip);
    const std::string member = "member 'a.npy': ";
    return {
        {"a wrong checksum", with_byte(zip, 30 + 5 + 130, 1), at(0) + member, "CRC error"},
        {"damaged deflate data", with_byte(deflated, 35, 0xFF), at(0) + member, "Zlib error"},
        {"an encrypted member", in_both(zip, entry, 8, 1), at(0) + member, "encrypted"},
        {"a strongly encrypted member", in_both(zip, entry, 8, 0x40), at(0) + member, "encrypted"},
        {"a member that is a patch", in_both(zip, entry, 8, 0x20), at(0) + member, "a patch"},
        {"an unknown packing", in_both(zip, entry, 10, 97), at(0) + member,
         "compression method 97 is not supported"},
        {"a member beyond every limit", member_of_gigabytes(), member + at(0),
         "8589934593 bytes exceed the limit of 8589934592"},
        {"an empty member", zip_of({}), member + at(0), "the file is empty"},
        {"a member that is no array", zip_of(bytes_of("hello, hello, hello")), member + at(0),
         "not an .npy file"},
        {"a member cut short", zip_of(shaped("(2, 3)", 20)), member + at(90), "truncated"},
        {"a member too long", zip_of(shaped("(2, 3)", 28)), member + at(94), "4 bytes too many"},
        {"a member with an absurd shape", zip_of(shaped("(9999999999,)")), member + at(101),
         "needs 39999999996 bytes"},
        {"a member with a long header", zip_of(with_byte(shaped("(2, 3)"), 9, 1)), member + at(8), "exceeds"},
        {"a member of Python objects", zip_of(typed("'|O'")), member + at(20), "pickle"},
    };
}

// ---- safetensors

Bytes tensor_with(const std::string& fields, std::size_t data_bytes = 8) {
    return safetensors_with(R"({"w":{)" + fields + "}}", data_bytes);
}

std::vector<BadFile> bad_safetensors_headers() {
    const Bytes good = tensor_with(R"("dtype":"F32","shape":[2],"data_offsets":[0,8])");
    const std::string w = R"("w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]})";
    return {
        {"empty safetensors file", {}, at(0), "empty"},
        {"header length cut short", cut(good, 7), at(7), "within its first 8 bytes"},
        {"header longer than the safetensors file", with_byte(good, 1, 1), at(0), "exceeds the file's"},
        {"header cut short by one", cut(good, good.size() - 9), at(0), "exceeds the file's"},
        {"header beyond 100 MB", with_byte(good, 7, 1), at(0), "exceeds the format's limit of 100000000"},
        {"header of 88 MB", with_number(good, 0, std::uint64_t{88'000'000}), at(0),
         "header length 88000000 exceeds the limit of 16000000 bytes (the format allows 100000000)"},
        {"no JSON object", safetensors_with("[1, 2]", 0), at(8), "does not begin with '{'"},
        {"space before the object", safetensors_with(" {}", 0), at(8), "does not begin with '{'"},
        {"header of no bytes", safetensors_with("", 0), at(8), "does not begin with '{'"},
        {"JSON not closed", safetensors_with("{" + w, 8), at(61), "not JSON"},
        {"JSON with a syntax error", safetensors_with("{\"w\" 1}", 8), at(13), "not JSON"},
        {"JSON that is not UTF-8", safetensors_with("{\"\xFF\":{}}", 8), at(10), "not JSON"},
        {"text after the JSON", safetensors_with("{} x", 0), at(11), "not JSON"},
        {"a NUL that would hide the rest", safetensors_with(std::string("{}\0{}", 5), 0), at(10), "NUL"},
        {"a tensor twice", safetensors_with("{" + w + "," + w + "}", 8), at(65), "'w' appears twice"},
        {"dtype twice", tensor_with(R"("dtype":"F32","dtype":"F64")"), at(35), "'dtype' appears twice"},
        {"metadata twice", safetensors_with(R"({"__metadata__":{},"__metadata__":{}})", 0), at(41),
         "appears twice"},
        {"a metadata key twice", safetensors_with(R"({"__metadata__":{"a":"","a":""}})", 0), at(35),
         "'a' appears twice"},
        {"metadata that is no text", safetensors_with(R"({"__metadata__":{"a":1}})", 0), at(31),
         "text to text"},
        {"metadata in metadata", safetensors_with(R"({"__metadata__":{"a":{}}})", 0), at(30), "text to text"},
        {"a tensor that is a number", safetensors_with(R"({"w":1})", 0), at(15), "described by an object"},
        {"an unknown field", tensor_with(R"("strides":[1])"), at(23), "'strides' is unknown"},
        {"a deep nest", tensor_with(R"("shape":)" + std::string(10'000, '[')), at(24), "cannot hold a list"},
    };
}

std::vector<BadFile> bad_safetensors_fields() {
    const std::string f32 = R"("dtype":"F32",)";
    const auto shape = [&](const std::string& s) {
        return tensor_with(f32 + R"("data_offsets":[0,8],"shape":)" + s);
    };
    const auto offsets = [&](const std::string& s) {
        return tensor_with(f32 + R"("shape":[2],"data_offsets":)" + s);
    };
    const auto two = [](const std::string& a, const std::string& b) {
        return safetensors_with(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)" + a +
                                    R"(},"b":{"dtype":"U8","shape":[4],"data_offsets":)" + b + "}}",
                                8);
    };
    return {
        {"no dtype", tensor_with(R"("shape":[2],"data_offsets":[0,8])"), at(47), "'w' has no 'dtype'"},
        {"no data_offsets", tensor_with(f32 + R"("shape":[2])"), at(40), "no 'data_offsets'"},
        {"dtype is a number", tensor_with(R"("dtype":32)"), at(25), "'dtype' cannot hold a number"},
        {"an unknown dtype", tensor_with(R"("dtype":"Q7","shape":[2],"data_offsets":[0,8])"), at(12),
         "type 'Q7'"},
        {"a negative size of a tensor", shape("[-2]"), at(61), "cannot hold a negative number"},
        {"a fraction as size", shape("[2.0]"), at(62), "cannot hold the number 2.0"},
        {"null as size", shape("[null]"), at(62), "cannot hold null"},
        {"a truth value as size", shape("[true]"), at(62), "cannot hold true or false"},
        {"shape of a tensor is text", shape("\"2\""), at(60), "'shape' cannot hold text"},
        {"a size of a tensor beyond 64 bits", shape("[99999999999999999999]"), at(79),
         "cannot hold the number 9999"},
        {"a size beyond 63 bits", shape("[9223372036854775808]"), at(78), "larger than can be counted"},
        {"sizes whose product is beyond 64 bits", shape("[4294967296,4294967296]"), at(12),
         "more bytes than"},
        {"a tensor of nine axes", shape("[1,1,1,1,1,1,1,1,2]"), at(12), "9 axes"},
        {"shape and bytes that differ", shape("[3]"), at(12),
         "shape (3,) of F32 needs 12 bytes, its data have 8"},
        {"one offset", offsets("[0]"), at(58), "holds 1 numbers, not 2"},
        {"three offsets", offsets("[0,4,8]"), at(62), "holds 3 numbers, not 2"},
        {"data that end before they begin", offsets("[8,0]"), at(12), "before they begin"},
        {"data beyond the file", offsets("[0,9]"), at(12), "the file holds 8 bytes of data"},
        {"offsets that would wrap around", offsets("[9223372036854775807,9223372036854775807]"), at(12),
         "data end at"},
        {"a gap before the first tensor", offsets("[4,8]"), at(12), "after a gap of 4 bytes"},
        {"tensors that overlap", two("[0,4]", "[3,7]"), at(64), "'b': its data begin at 3 and overlap"},
        {"two tensors on the same bytes", two("[0,4]", "[0,4]"), at(64), "overlap those that end at 4"},
        {"a gap between tensors", two("[0,3]", "[4,8]"), at(12), "needs 4 bytes, its data have 3"},
        {"bytes that belong to no tensor", tensor_with(f32 + R"("shape":[2],"data_offsets":[0,8])", 9),
         at(70), "1 bytes belong to no tensor"},
    };
}

void read_npy_bytes(const Bytes& bytes) { static_cast<void>(parse_npy(bytes, "bad.npy")); }
void read_npz_bytes(const Bytes& bytes) { static_cast<void>(read_all(Npz::parse(bytes, "bad.npz"))); }
void read_first(const Bytes& bytes) { static_cast<void>(Npz::parse(bytes, "bad.npz").read("a")); }
void read_safetensors_bytes(const Bytes& bytes) {
    static_cast<void>(parse_safetensors(bytes, "bad.safetensors"));
}

}  // namespace

TEST_CASE("bad npy: damaged headers") { check_refused(bad_headers(), "bad.npy", read_npy_bytes); }
TEST_CASE("bad npy: impossible shapes and wrong lengths") {
    check_refused(bad_shapes(), "bad.npy", read_npy_bytes);
}
TEST_CASE("bad npy: types that are not numbers") { check_refused(bad_types(), "bad.npy", read_npy_bytes); }
TEST_CASE("bad npz: damaged zips") { check_refused(bad_zips(), "bad.npz", read_npz_bytes); }
TEST_CASE("bad npz: ambiguous zips") { check_refused(zips_read_in_two_ways(), "bad.npz", read_npz_bytes); }
TEST_CASE("bad npz: ZIP64 records that disagree with the others") {
    const Tensor sound = Npz::parse(zip64_of(zip_of(format_npy(Tensor{1, 2}))), "x.npz").read("a");
    CHECK(sound.values() == std::vector<real>{1, 2});
    check_refused(bad_zip64(), "bad.npz", read_npz_bytes);
}
TEST_CASE("bad npz: extra fields that exceed their bounds") {
    check_refused(bad_extra_fields(), "bad.npz", read_npz_bytes);
    for (const Bytes& sound :
         {named_twice("a.npy"), named_twice("b.npy", 2), named_twice("b.npy", 1, "b.npy"),
          with_extra(std::string_view("up\4\0\1abc", 8))})
        CHECK(numbers_of(sound) == std::vector<real>{1, 2});
}
TEST_CASE("bad npz: damaged members") { check_refused(bad_members(), "bad.npz", read_first); }
TEST_CASE("bad safetensors: damaged headers") {
    check_refused(bad_safetensors_headers(), "bad.safetensors", read_safetensors_bytes);
}
TEST_CASE("bad safetensors: impossible tensors") {
    check_refused(bad_safetensors_fields(), "bad.safetensors", read_safetensors_bytes);
}

TEST_CASE("bad files: the same errors come from disk, with the path") {
    const TemporaryFolder folder;
    write_file_atomically(folder / "x.npy", shaped("(2, 3)", 23));
    write_file_atomically(folder / "x.npz", zip_of(shaped("(2, 3)", 23)));
    write_file_atomically(folder / "x.safetensors",
                          tensor_with(R"("dtype":"Q7","shape":[2],"data_offsets":[0,8])"));
    const std::string path = (folder / "x").string();
    CHECK(message_of<FileError>([&] {
              return read_npy(path + ".npy");
          }).starts_with(path + ".npy: at byte 93: "));
    CHECK(message_of<FileError>([&] {
              return Npz(path + ".npz").read("a");
          }).starts_with(path + ".npz: member 'a.npy': at byte 93: "));
    CHECK(message_of<FileError>([&] {
              return read_safetensors(path + ".safetensors");
          }).starts_with(path + ".safetensors: at byte 12: "));
}

TEST_CASE("bad files: a valid file cut short anywhere is refused, and only with FileError") {
    const std::vector<std::pair<std::string, void (*)(const Bytes&)>> files = {
        {"savez.npz", read_npz_bytes},
        {"savez_compressed.npz", read_npz_bytes},
        {"streamed_with_comment.npz", read_npz_bytes},
        {"torch.safetensors", read_safetensors_bytes}};
    for (const auto& [name, read] : files) {
        const Bytes whole = read_file(golden_io(name));
        for (std::size_t length = 0; length < whole.size(); ++length) {
            CAPTURE(name, length);
            CHECK_THROWS_AS(read(cut(whole, length)), FileError);
        }
    }
}

TEST_CASE("bad files: a valid file with any byte changed is read or refused with FileError") {
    const std::vector<std::pair<std::string, void (*)(const Bytes&)>> files = {
        {"savez.npz", read_npz_bytes},
        {"savez_compressed.npz", read_npz_bytes},
        {"torch.safetensors", read_safetensors_bytes}};
    for (const auto& [name, read] : files) {
        const Bytes whole = read_file(golden_io(name));
        for (std::size_t i = 0; i < whole.size(); ++i) {
            for (const int flip : {0x01, 0x80, 0xFF}) {
                try {
                    read(with_byte(whole, i, std::to_integer<int>(whole[i]) ^ flip));
                } catch (const FileError&) {
                } catch (const std::exception& error) {
                    FAIL_CHECK(name << " with byte " << i << " changed: " << error.what());
                }
            }
        }
    }
}
