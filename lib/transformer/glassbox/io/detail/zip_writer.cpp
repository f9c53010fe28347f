#include <glassbox/io/detail/zip_writer.h>

#include <algorithm>

#include <glassbox/io/detail/deflate.h>
#include <glassbox/io/detail/zip_end.h>

namespace glassbox::detail {
namespace {

constexpr std::uint16_t made_by = (3 << 8) | 63;      // Unix, version 6.3
constexpr std::uint32_t attributes = 0100666u << 16;  // a file that all may read and write
constexpr std::uint16_t zip64_version = 45;           // the first that has ZIP64
constexpr std::uint16_t first_of_january_1980 = (1 << 5) | 1;
constexpr unsigned smallest = 2;  // flag: deflated as well as it can

// Whether a member's sizes are in its ZIP64 field. The header comes before the data, so the size of the
// content decides: deflate adds at most 5 bytes to 16 KB that it cannot compress.
bool has_large_sizes(const ZipMember& member) { return member.content_bytes >= in_zip64 - (in_zip64 >> 10); }

std::uint32_t if_it_fits(std::uint64_t value) {
    return static_cast<std::uint32_t>(std::min(value, in_zip64));
}

Bytes zip64_field(const std::vector<std::uint64_t>& numbers) {
    Bytes field;
    if (numbers.empty()) return field;
    append_little_endian<std::uint16_t>(field, zip64_field_id);
    append_little_endian(field, static_cast<std::uint16_t>(8 * numbers.size()));
    for (const std::uint64_t number : numbers) append_little_endian(field, number);
    return field;
}

// The fields shared by a member's header and its directory entry.
void append_fields(Bytes& bytes, const ZipMember& member, const Bytes& field) {
    const std::uint16_t plain_version = member.method == zip_deflated ? 20 : 10;
    append_little_endian(bytes, field.empty() ? plain_version : zip64_version);
    append_little_endian(bytes, static_cast<std::uint16_t>(member.flags));
    append_little_endian(bytes, static_cast<std::uint16_t>(member.method));
    append_little_endian<std::uint16_t>(bytes, 0);  // midnight
    append_little_endian(bytes, first_of_january_1980);
    append_little_endian(bytes, member.crc);
    for (const std::uint64_t size : {member.stored_bytes, member.content_bytes})
        append_little_endian(bytes, if_it_fits(has_large_sizes(member) ? in_zip64 : size));
    append_little_endian(bytes, static_cast<std::uint16_t>(member.name.size()));
    append_little_endian(bytes, static_cast<std::uint16_t>(field.size()));
}

std::vector<std::uint64_t> large_sizes(const ZipMember& member) {
    if (!has_large_sizes(member)) return {};
    return {member.content_bytes, member.stored_bytes};
}

void append_entry(Bytes& bytes, const ZipMember& member) {
    std::vector<std::uint64_t> numbers = large_sizes(member);
    if (member.header_offset >= in_zip64) numbers.push_back(member.header_offset);
    const Bytes field = zip64_field(numbers);
    append_little_endian(bytes, zip_entry_signature);
    append_little_endian(bytes, made_by);
    append_fields(bytes, member, field);
    append_little_endian<std::uint16_t>(bytes, 0);  // no comment
    append_little_endian<std::uint32_t>(bytes, 0);  // on the first disk; no text
    append_little_endian(bytes, attributes);
    append_little_endian(bytes, if_it_fits(member.header_offset));
    append_text(bytes, member.name);
    append_text(bytes, as_text(field));
}

void append_zip64_end(Bytes& bytes, const ZipEnd& end) {
    append_little_endian(bytes, zip64_end_signature);
    append_little_endian<std::uint64_t>(bytes, 44);  // bytes of this record from here on
    append_little_endian(bytes, made_by);
    append_little_endian(bytes, zip64_version);
    append_little_endian<std::uint64_t>(bytes, 0);  // the first and only disk
    for (const std::uint64_t number : {end.count, end.count, end.directory_bytes, end.directory_offset})
        append_little_endian(bytes, number);
    append_little_endian(bytes, zip64_locator_signature);
    append_little_endian<std::uint32_t>(bytes, 0);
    append_little_endian(bytes, end.offset);
    append_little_endian<std::uint32_t>(bytes, 1);  // disk in all
}

}  // namespace

void ZipWriter::add(const std::string& name, ByteView content, unsigned method) {
    if (name.size() > 0xFFFF)
        fail<IoError>("zip: a member's name has at most 65535 bytes, not {}", name.size());
    if (!is_utf8(name)) fail<IoError>("zip: a member's name, '{}', is not UTF-8 text", printable(name));
    if (!names_.insert(name).second) fail<IoError>("zip: two members are named '{}'", printable(name));

    const bool deflates = method == zip_deflated && can_deflate() && !content.empty();
    ZipMember member;
    member.name = name;
    member.header_offset = bytes_.size();
    member.content_bytes = content.size();
    member.crc = crc32_of(content);
    member.method = deflates ? zip_deflated : zip_stored;
    member.flags = (deflates ? smallest : 0) | (is_ascii(name) ? 0 : zip_utf8);

    append_text(bytes_, as_text(zip_header(member)));  // how long it is packed will be written over it
    const std::size_t begin = bytes_.size();
    if (deflates) append_deflated(bytes_, content);
    else bytes_.insert(bytes_.end(), content.begin(), content.end());
    member.stored_bytes = bytes_.size() - begin;
    const Bytes header = zip_header(member);
    std::copy(header.begin(), header.end(),
              bytes_.begin() + static_cast<std::ptrdiff_t>(member.header_offset));
    members_.push_back(std::move(member));
}

Bytes ZipWriter::finish() {
    append_text(bytes_, as_text(zip_directory(members_, bytes_.size())));
    return std::move(bytes_);
}

Bytes zip_header(const ZipMember& member) {
    const Bytes field = zip64_field(large_sizes(member));
    Bytes bytes;
    append_little_endian(bytes, zip_header_signature);
    append_fields(bytes, member, field);
    append_text(bytes, member.name);
    append_text(bytes, as_text(field));
    return bytes;
}

Bytes zip_directory(const std::vector<ZipMember>& members, std::uint64_t offset) {
    Bytes bytes;
    for (const ZipMember& member : members) append_entry(bytes, member);
    const ZipEnd end{offset + bytes.size(), members.size(), offset, bytes.size()};
    if (end.count >= 0xFFFF || std::max(end.directory_offset, end.directory_bytes) >= in_zip64)
        append_zip64_end(bytes, end);
    append_little_endian(bytes, zip_end_signature);
    append_little_endian<std::uint32_t>(bytes, 0);  // the first and only disk
    for (int i = 0; i < 2; ++i)
        append_little_endian(bytes, static_cast<std::uint16_t>(std::min<std::uint64_t>(end.count, 0xFFFF)));
    append_little_endian(bytes, if_it_fits(end.directory_bytes));
    append_little_endian(bytes, if_it_fits(end.directory_offset));
    append_little_endian<std::uint16_t>(bytes, 0);  // no comment
    return bytes;
}

Bytes format_zip(const std::vector<std::pair<std::string, Bytes>>& members, unsigned method) {
    ZipWriter zip;
    for (const auto& [name, content] : members) zip.add(name, content, method);
    return zip.finish();
}

}  // namespace glassbox::detail
