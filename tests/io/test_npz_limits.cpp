// What is still accepted and what no longer: .npz files at the very limits of the format.
#include <glassbox/io/detail/zip_directory.h>
#include <glassbox/io/detail/zip_writer.h>
#include <glassbox/io/numpy.h>

#include "io/io_support.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox::detail;
using namespace glassbox_test;

namespace {

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

std::string npz_error(const Bytes& zip) {
    return message_of<FileError>([&] { static_cast<void>(read_all(Npz::parse(zip, "x.npz"))); });
}

}  // namespace

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
    for (const std::string padding : {"\x99", "\x99\x98\x97"})
        for (const std::string& before : {std::string(), std::string("\x99\0\0\0", 4)})
            CHECK(numbers_of(with_extra(before + padding)) == std::vector<real>{1, 2});
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
        field.resize(field.size() + 8);
        CHECK(npz_error(with_field(field.size())) ==
              fmt::format("x.npz: at byte {}: a ZIP64 field is too long", entry + 51));
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
    const auto header = [](int count) { return npy_with(npy_dict("<f4", fmt::format("({},)", count)), 0); };
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
