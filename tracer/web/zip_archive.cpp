#include <glassbox/io/detail/zip_archive.h>

#include <array>

#include <glassbox/tensor/format.h>

// In the browser there is no libzip. Members that are stored as they are need none.
namespace glassbox {
namespace {

std::uint32_t crc32(ByteView bytes) {
    static const std::array<std::uint32_t, 256> table = [] {
        std::array<std::uint32_t, 256> made;
        for (std::uint32_t i = 0; i < 256; ++i) {
            std::uint32_t value = i;
            for (int bit = 0; bit < 8; ++bit) value = value & 1 ? (value >> 1) ^ 0xedb88320u : value >> 1;
            made[i] = value;
        }
        return made;
    }();
    std::uint32_t sum = 0xffffffffu;
    for (const std::byte each : bytes)
        sum = table[(sum ^ std::to_integer<std::uint32_t>(each)) & 0xff] ^ (sum >> 8);
    return ~sum;
}

}  // namespace

void ZipArchive::Discard::operator()(zip*) const {}
void ZipArchive::Stream::Close::operator()(zip_file*) const {}

ZipArchive::ZipArchive(Bytes bytes, std::string file) : bytes_(std::move(bytes)), file_(std::move(file)) {
    members_ = read_zip_directory(bytes_, file_);
}

ZipArchive::Stream::Stream(ZipArchive& archive, std::size_t index)
    : lock_(archive.mutex_), archive_(archive), member_(archive.members_.at(index)) {
    if (member_.is_encrypted()) fail_damaged("it is encrypted");
    if (member_.method != zip_stored)
        fail_damaged(
            fmt::format("compression method {} is not supported in the browser: stored is", member_.method));
    if (member_.stored_bytes != member_.content_bytes) fail_damaged("it is stored, and its two sizes differ");
}

// read_zip_directory has checked that the member lies in the file.
ByteView ZipArchive::Stream::content() const {
    const std::byte* const header = archive_.bytes_.data() + member_.header_offset;
    const std::size_t names = load_little_endian<std::uint16_t>(header + 26),
                      extra = load_little_endian<std::uint16_t>(header + 28);
    return {header + 30 + names + extra, static_cast<std::size_t>(member_.content_bytes)};
}

void ZipArchive::Stream::read(std::span<std::byte> into) {
    if (into.size() > member_.content_bytes - done_)
        fail_damaged(fmt::format("its data end after {} bytes", member_.content_bytes));
    std::memcpy(into.data(), content().data() + done_, into.size());
    done_ += into.size();
}

void ZipArchive::Stream::finish() {
    if (done_ != member_.content_bytes) fail_damaged(fmt::format("its data continue after {} bytes", done_));
    const std::byte* const entry = archive_.bytes_.data() + member_.entry_offset;
    if (load_little_endian<std::uint32_t>(entry + 16) != crc32(content())) fail_damaged("CRC error");
}

void ZipArchive::Stream::fail_damaged(const std::string& reason) const {
    fail_at(archive_.file_, member_.header_offset, "member '{}': {}", printable(member_.name), reason);
}

namespace {

// The fields that a member's header and its entry in the directory share, from the version needed on.
void append_fields(Bytes& bytes, const std::string& name, ByteView content) {
    constexpr std::uint16_t version = 20, names_are_utf8 = 0x800, first_of_january_1980 = (1 << 5) | 1;
    for (const std::uint16_t field :
         {version, names_are_utf8, std::uint16_t{zip_stored}, std::uint16_t{0}, first_of_january_1980})
        append_little_endian(bytes, field);
    append_little_endian(bytes, crc32(content));
    append_little_endian(bytes, static_cast<std::uint32_t>(content.size()));
    append_little_endian(bytes, static_cast<std::uint32_t>(content.size()));
    append_little_endian(bytes, static_cast<std::uint16_t>(name.size()));
    append_little_endian<std::uint16_t>(bytes, 0);  // no extra field
}

}  // namespace

// (PKWARE's APPNOTE, 4.3.) Less than 2 GB, which is what a browser has: no ZIP64.
Bytes format_zip(const std::vector<std::pair<std::string, Bytes>>& members, unsigned) {
    Bytes bytes, directory;
    for (const auto& [name, content] : members) {
        append_little_endian<std::uint32_t>(directory, 0x02014b50);
        append_little_endian<std::uint16_t>(directory, 20);  // made by this version
        append_fields(directory, name, content);
        for (int i = 0; i < 3; ++i) append_little_endian<std::uint16_t>(directory, 0);
        append_little_endian<std::uint32_t>(directory, 0);
        append_little_endian(directory, static_cast<std::uint32_t>(bytes.size()));
        append_text(directory, name);

        append_little_endian<std::uint32_t>(bytes, 0x04034b50);
        append_fields(bytes, name, content);
        append_text(bytes, name);
        bytes.insert(bytes.end(), content.begin(), content.end());
    }
    const auto count = static_cast<std::uint16_t>(members.size());
    if (members.size() > 0xfffe)
        fail<IoError>("zip: {} members are more than the browser's program writes", members.size());
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
