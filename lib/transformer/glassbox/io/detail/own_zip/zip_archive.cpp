#include <glassbox/io/detail/zip_archive.h>

#include <algorithm>
#include <array>
#include <optional>

#include <glassbox/io/detail/own_zip/deflate.h>
#include <glassbox/io/detail/zip_end.h>
#include <glassbox/tensor/format.h>

// Zip archives where there is no libzip: in a browser, and in the command that is linked statically.
namespace glassbox {

using namespace detail;

namespace {

// The checksum of a zip's members, of which `sum` is that of the bytes before.
std::uint32_t checksum(ByteView bytes, std::uint32_t sum = 0) {
    static const std::array<std::uint32_t, 256> table = [] {
        std::array<std::uint32_t, 256> made;
        for (std::uint32_t i = 0; i < 256; ++i) {
            std::uint32_t value = i;
            for (int bit = 0; bit < 8; ++bit) value = value & 1 ? (value >> 1) ^ 0xedb88320u : value >> 1;
            made[i] = value;
        }
        return made;
    }();
    sum = ~sum;
    for (const std::byte each : bytes)
        sum = table[(sum ^ std::to_integer<std::uint32_t>(each)) & 0xff] ^ (sum >> 8);
    return ~sum;
}

}  // namespace
}  // namespace glassbox

// An open archive has nothing beside its directory; an open member is its data, and where they are deflated
// what inflates them.
struct zip {};
struct zip_file {
    glassbox::ByteView unread;
    std::optional<glassbox::Inflation> inflation;
    std::uint32_t sum = 0;

    glassbox::Inflation::Got read(std::span<std::byte> into) {
        glassbox::Inflation::Got got{std::min(into.size(), unread.size()), ""};
        if (inflation) {
            got = inflation->read(into);
        } else {
            std::copy_n(unread.begin(), got.bytes, into.begin());
            unread = unread.subspan(got.bytes);
        }
        sum = glassbox::checksum(into.first(got.bytes), sum);
        return got;
    }
};

namespace glassbox {

void ZipArchive::Discard::operator()(zip* archive) const { delete archive; }
void ZipArchive::Stream::Close::operator()(zip_file* stream) const { delete stream; }

ZipArchive::ZipArchive(Bytes bytes, std::string file) : bytes_(std::move(bytes)), file_(std::move(file)) {
    members_ = read_zip_directory(bytes_, file_);
}

// read_zip_directory has checked that the member lies in the file.
ZipArchive::Stream::Stream(ZipArchive& archive, std::size_t index)
    : lock_(archive.mutex_), archive_(archive), member_(archive.members_.at(index)) {
    check_is_supported();
    const std::byte* const header = archive_.bytes_.data() + member_.header_offset;
    const std::size_t names = load_little_endian<std::uint16_t>(header + 26),
                      extra = load_little_endian<std::uint16_t>(header + 28);
    stream_.reset(
        new zip_file{{header + 30 + names + extra, static_cast<std::size_t>(member_.stored_bytes)}, {}});
    if (member_.method == zip_deflated) stream_->inflation.emplace(stream_->unread);
}

void ZipArchive::Stream::read(std::span<std::byte> into) {
    const auto [bytes, error] = stream_->read(into);
    done_ += bytes;
    if (!error.empty()) fail_damaged(error);
    if (bytes < into.size()) fail_ended();
}

void ZipArchive::Stream::finish() {
    std::byte more;
    const auto [bytes, error] = stream_->read({&more, 1});
    if (!error.empty()) fail_damaged(error);
    if (bytes > 0) fail_continued();
    const std::byte* const entry = archive_.bytes_.data() + member_.entry_offset;
    if (load_little_endian<std::uint32_t>(entry + 16) != stream_->sum) fail_damaged("CRC error");
}

namespace {

// A member as the archive holds it.
struct Packed {
    const std::string& name;
    ByteView data;
    std::uint16_t method;
    std::uint32_t sum, content_bytes;
};

// The fields that a member's header and its entry in the directory share, from the version needed on. All
// fields are those that libzip writes: every build makes the same bytes.
void append_fields(Bytes& bytes, const Packed& member) {
    const std::uint16_t version = member.method == zip_deflated ? 20 : 10;
    const bool is_ascii = std::all_of(member.name.begin(), member.name.end(),
                                      [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    const std::uint16_t smallest = member.method == zip_deflated ? 2 : 0,
                        names_are_utf8 = is_ascii ? 0 : 0x800;
    const std::uint16_t flags = smallest | names_are_utf8, first_of_january_1980 = (1 << 5) | 1;
    for (const std::uint16_t field : {version, flags, member.method, std::uint16_t{0}, first_of_january_1980})
        append_little_endian(bytes, field);
    append_little_endian(bytes, member.sum);
    append_little_endian(bytes, static_cast<std::uint32_t>(member.data.size()));
    append_little_endian(bytes, member.content_bytes);
    append_little_endian(bytes, static_cast<std::uint16_t>(member.name.size()));
    append_little_endian<std::uint16_t>(bytes, 0);  // no extra field
}

void append_member(Bytes& bytes, Bytes& directory, const Packed& member) {
    append_little_endian<std::uint32_t>(directory, 0x02014b50);
    append_little_endian<std::uint16_t>(directory, (3 << 8) | 63);  // made on Unix, by version 6.3
    append_fields(directory, member);
    for (int i = 0; i < 3; ++i) append_little_endian<std::uint16_t>(directory, 0);
    append_little_endian<std::uint32_t>(directory, 0100666u << 16);  // a file that all may read and write
    append_little_endian(directory, static_cast<std::uint32_t>(bytes.size()));
    append_text(directory, member.name);

    append_little_endian<std::uint32_t>(bytes, 0x04034b50);
    append_fields(bytes, member);
    append_text(bytes, member.name);
    bytes.insert(bytes.end(), member.data.begin(), member.data.end());
}

// Without ZIP64, which has room for more.
void check_sizes(const std::vector<std::pair<std::string, Bytes>>& members) {
    if (members.size() >= 0xffff)
        fail<IoError>("zip: this program writes at most 65534 members, not {}", members.size());
    std::uint64_t total = 0;
    for (const auto& [name, content] : members) {
        if (name.size() > 0xffff)
            fail<IoError>("zip: a member's name has at most 65535 bytes, not {}", name.size());
        // Deflate adds at most 5 bytes to each 16 KB that it cannot compress.
        total += 30 + 46 + 2 * name.size() + content.size() + content.size() / 1024 + 64;
    }
    if (total >= in_zip64)
        fail<IoError>("zip: this program writes archives of less than 4 GiB, not {} bytes", total);
}

}  // namespace

// (PKWARE's APPNOTE, 4.3.)
Bytes format_zip(const std::vector<std::pair<std::string, Bytes>>& members, unsigned method) {
    check_sizes(members);
    Bytes bytes, directory;
    for (const auto& [name, content] : members) {
        const bool deflates = method == zip_deflated && can_deflate() && !content.empty();
        const Bytes smaller = deflates ? deflated(content) : Bytes();
        append_member(bytes, directory,
                      {name, deflates ? ByteView(smaller) : ByteView(content),
                       static_cast<std::uint16_t>(deflates ? zip_deflated : zip_stored), checksum(content),
                       static_cast<std::uint32_t>(content.size())});
    }
    const auto count = static_cast<std::uint16_t>(members.size());
    const auto begin = static_cast<std::uint32_t>(bytes.size());
    bytes.insert(bytes.end(), directory.begin(), directory.end());
    append_little_endian<std::uint32_t>(bytes, 0x06054b50);
    for (const std::uint16_t field : {std::uint16_t{0}, std::uint16_t{0}, count, count})
        append_little_endian(bytes, field);
    append_little_endian(bytes, static_cast<std::uint32_t>(directory.size()));
    append_little_endian(bytes, begin);
    append_little_endian<std::uint16_t>(bytes, 0);
    return bytes;
}

}  // namespace glassbox
