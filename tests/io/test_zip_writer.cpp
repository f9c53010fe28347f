// Zips to the last byte, what they say of themselves where 16 and 32 bits do not hold it, and names that no
// zip can have.
#include <sys/mman.h>

#include <glassbox/io/detail/zip_archive.h>
#include <glassbox/io/detail/zip_end.h>
#include <glassbox/io/detail/zip_writer.h>

#include "io/io_support.h"

using namespace glassbox;
using namespace glassbox::detail;
using namespace glassbox_test;

namespace {

constexpr std::uint64_t gib = std::uint64_t{1} << 30;

// Zeros that take no memory until they are written over.
class Zeros {
  public:
    explicit Zeros(std::size_t size)
        : size_(size),
          begin_(::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                        -1, 0)) {
        REQUIRE(begin_ != MAP_FAILED);
    }
    ~Zeros() { ::munmap(begin_, size_); }
    Zeros(const Zeros&) = delete;
    Zeros& operator=(const Zeros&) = delete;

    std::byte* at(std::uint64_t offset) { return static_cast<std::byte*>(begin_) + offset; }
    ByteView first(std::uint64_t size) { return {at(0), static_cast<std::size_t>(size)}; }

  private:
    std::size_t size_;
    void* begin_;
};

ZipMember member_at(std::uint64_t offset, const std::string& name, std::uint64_t content,
                    std::uint64_t stored) {
    ZipMember member;
    member.name = name;
    member.header_offset = offset;
    member.content_bytes = content;
    member.stored_bytes = stored;
    member.method = content == stored ? zip_stored : zip_deflated;
    member.crc = 0x12345678;
    return member;
}

// The zip of these members, whose data are zeros, as it is read.
std::vector<ZipMember> read_back(const std::vector<ZipMember>& members, std::uint64_t directory_offset) {
    const Bytes directory = zip_directory(members, directory_offset);
    Zeros zip(directory_offset + directory.size());
    for (const ZipMember& member : members) {
        const Bytes header = zip_header(member);
        std::copy(header.begin(), header.end(), zip.at(member.header_offset));
    }
    std::copy(directory.begin(), directory.end(), zip.at(directory_offset));
    return read_zip_directory(zip.first(directory_offset + directory.size()), "x.zip");
}

std::uint16_t version_needed(const Bytes& header) { return load_little_endian<std::uint16_t>(&header[4]); }

bool ends_with_zip64(const Bytes& directory) {
    return load_little_endian<std::uint32_t>(&directory[directory.size() - 42]) == zip64_locator_signature;
}

}  // namespace

TEST_CASE("zip: what is written is the same, to the last byte") {
    CHECK(format_zip({{"a", bytes_of("hello")}}, zip_stored) ==
          from_hex("504b03040a00000000000000210086a6103605000000050000000100000061"
                   "68656c6c6f"
                   "504b01023f030a00000000000000210086a6103605000000050000000100000000000000000000"
                   "00b6810000000061"
                   "504b050600000000010001002f000000240000000000"));
    const ZipMember large = member_at(0x123456789A, "a", 0x2000000001, 0x1000000003);
    CHECK(zip_header(large) == from_hex("504b03042d000000080000002100"
                                        "78563412ffffffffffffffff0100140061"
                                        "0100100001000000200000000300000010000000"));
    CHECK(zip_directory({large}, 0x3000000000) ==
          from_hex("504b01023f032d00000008000000210078563412ffffffffffffffff01001c0000000000000000"
                   "00b681ffffffff61010018000100000020000000030000001000"
                   "00009a78563412000000"
                   "504b06062c000000000000003f032d00000000000000000001000000000000000100000000000000"
                   "4b000000000000000000000030000000504b0607000000004b0000003000000001000000"
                   "504b050600000000010001004b000000ffffffff0000"));
}

TEST_CASE("zip: members and places beyond 4 GiB are read back as they were written") {
    const std::uint64_t most = in_zip64 - 1;  // what 32 bits hold
    const std::vector<ZipMember> stored{member_at(0, "first", 10, 10),
                                        member_at(1000, "large", 4 * gib + 1, 4 * gib + 1),
                                        member_at(4 * gib + 2000, "small, far behind", 7, 7)},
        packed{member_at(0, "to more than 4 GiB", 9 * gib, 4 * gib + 1)},
        packed_well{member_at(0, "to less", 9 * gib, gib)};
    for (const std::vector<ZipMember>& members : {stored, packed, packed_well}) {
        const std::vector<ZipMember> read = read_back(members, 4 * gib + 3000);
        REQUIRE(read.size() == members.size());
        for (std::size_t i = 0; i < members.size(); ++i) {
            INFO(members[i].name);
            CHECK(read[i].name == members[i].name);
            CHECK(read[i].header_offset == members[i].header_offset);
            CHECK(read[i].content_bytes == members[i].content_bytes);
            CHECK(read[i].stored_bytes == members[i].stored_bytes);
            CHECK(read[i].method == members[i].method);
            CHECK(read[i].crc == members[i].crc);
        }
    }
    // At the limits of 32 bits.
    for (const std::uint64_t size : {most - gib / 256, most - 1, most, most + 1, most + 2})
        CHECK(read_back({member_at(0, "a", size, size)}, size + 100).at(0).stored_bytes == size);
    for (const std::uint64_t offset : {most - 1, most, most + 1})
        CHECK(read_back({member_at(0, "a", 1, 1), member_at(offset, "b", 1, 1)}, offset + 100)
                  .at(1)
                  .header_offset == offset);
}

TEST_CASE("zip: ZIP64's fields and records are written only where a number needs them") {
    const std::uint64_t most = in_zip64 - 1;
    // A header says it before it is known how long the packed data are: these may be longer than the content.
    CHECK(version_needed(zip_header(member_at(0, "a", most - gib / 256, 1))) == 20);
    CHECK(version_needed(zip_header(member_at(0, "a", most, 1))) == 45);
    CHECK(version_needed(zip_header(member_at(most + 1, "a", 1, 1))) == 10);
    const Bytes header = zip_header(member_at(0, "a", 5 * gib, 6 * gib));
    CHECK(header.size() == 30 + 1 + 20);
    for (const std::size_t size : {18, 22})
        CHECK(load_little_endian<std::uint32_t>(&header[size]) == in_zip64);
    CHECK(load_little_endian<std::uint32_t>(&header[31]) ==
          0x00100001);  // the field's number and its 16 bytes
    CHECK(load_little_endian<std::uint64_t>(&header[35]) == 5 * gib);
    CHECK(load_little_endian<std::uint64_t>(&header[43]) == 6 * gib);

    const std::vector<ZipMember> one{member_at(0, "a", 1, 1)};
    for (const std::uint64_t offset : {std::uint64_t{1}, most})
        CHECK_FALSE(ends_with_zip64(zip_directory(one, offset)));
    for (const std::uint64_t offset : {most + 1, most + 2})
        CHECK(ends_with_zip64(zip_directory(one, offset)));
}

TEST_CASE("zip: more members than 16 bits count are written and read") {
    std::vector<std::pair<std::string, Bytes>> members;
    for (int i = 0; i < 65534; ++i) members.emplace_back(fmt::format("{}", i), Bytes());
    for (const std::size_t count : {65534, 65535, 65536}) {
        INFO(count);
        if (members.size() < count)
            members.emplace_back("number " + std::to_string(count), bytes_of("content"));
        const Bytes zip = format_zip(members, zip_stored);
        CHECK(ends_with_zip64(zip) == (count >= 65535));
        ZipArchive archive(zip, "x.zip");
        REQUIRE(archive.members().size() == count);
        CHECK(archive.members().back().name == members.back().first);
        std::string content(members.back().second.size(), ' ');
        ZipArchive::Stream last(archive, count - 1);
        last.read(std::as_writable_bytes(std::span(content)));
        last.finish();
        CHECK(content == as_text(members.back().second));
    }
}

TEST_CASE("zip: names that a zip cannot have, or has already, are refused") {
    ZipWriter zip;
    const std::string longest(65535, 'x');
    zip.add(longest, {}, zip_stored);
    zip.add("a", {}, zip_stored);
    const auto error = [&](const std::string& name) {
        return message_of<IoError>([&] { zip.add(name, {}, zip_stored); });
    };
    CHECK(error(longest + "x") == "zip: a member's name has at most 65535 bytes, not 65536");
    CHECK(error("\xFF") == "zip: a member's name, '\\xff', is not UTF-8 text");
    CHECK(error("a") == "zip: two members are named 'a'");
    const Bytes bytes = zip.finish();
    const std::vector<ZipMember> read = read_zip_directory(bytes, "x.zip");
    REQUIRE(read.size() == 2);
    CHECK(read[0].name == longest);
    CHECK(read[1].name == "a");
}
