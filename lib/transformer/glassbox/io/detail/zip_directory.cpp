#include <glassbox/io/detail/zip_directory.h>

#include <algorithm>

#include <glassbox/io/detail/deflate.h>
#include <glassbox/io/detail/zip_end.h>

namespace glassbox::detail {
namespace {

constexpr std::uint64_t max_inflation = 1032;  // deflate's maximum expansion ratio
constexpr std::uint64_t newest_version = 63;   // of PKWARE's APPNOTE, times ten
constexpr unsigned unicode_path_id = 0x7075;
constexpr unsigned flags_of_content = zip_encrypted | zip_patch;

class DirectoryReader {
  public:
    DirectoryReader(ByteView zip, const std::string& file) : zip_(zip), file_(file) {}

    std::vector<ZipMember> members() {
        const ZipEnd end = find_zip_end(zip_, file_);
        if (end.directory_offset > end.offset || end.directory_bytes != end.offset - end.directory_offset)
            fail_at(file_, end.offset, "the zip's directory, {} bytes from byte {} on, does not end here",
                    end.directory_bytes, end.directory_offset);
        if (end.count > end.directory_bytes / zip_entry_bytes)
            fail_at(file_, end.offset, "the zip claims {} members, its directory has {} bytes", end.count,
                    end.directory_bytes);
        std::vector<ZipMember> members;
        std::uint64_t offset = end.directory_offset;
        for (std::uint64_t i = 0; i < end.count; ++i) members.push_back(entry(offset, end.offset));
        if (offset != end.offset)
            fail_at(file_, offset, "the zip's directory continues after its last member");
        check_layout(members, end.directory_offset);
        return members;
    }

  private:
    template <class T>
    T number(std::uint64_t offset) const {
        return load_little_endian<T>(zip_.data() + offset);
    }

    ZipMember entry(std::uint64_t& offset, std::uint64_t end) const {
        const std::uint64_t at = offset;
        if (end - at < zip_entry_bytes || number<std::uint32_t>(at) != zip_entry_signature)
            fail_at(file_, at, "the zip's directory has no entry here");
        const std::uint64_t name = number<std::uint16_t>(at + 28);
        const std::uint64_t extra = number<std::uint16_t>(at + 30);
        const std::uint64_t comment = number<std::uint16_t>(at + 32);
        if (end - at - zip_entry_bytes < name + extra + comment)
            fail_at(file_, at + 28, "a directory entry reaches beyond the directory");
        offset = at + zip_entry_bytes + name + extra + comment;

        ZipMember member;
        member.entry_offset = at;
        member.flags = number<std::uint16_t>(at + 8);
        member.method = number<std::uint16_t>(at + 10);
        member.crc = number<std::uint32_t>(at + 16);
        member.stored_bytes = number<std::uint32_t>(at + 20);
        member.content_bytes = number<std::uint32_t>(at + 24);
        member.header_offset = number<std::uint32_t>(at + 42);
        member.name = as_text(zip_.subspan(at + zip_entry_bytes, name));
        check_entry(member);
        read_extra(member, at + zip_entry_bytes + name, extra);
        return member;
    }

    void check_entry(const ZipMember& member) const {
        const unsigned version = std::to_integer<unsigned>(zip_[member.entry_offset + 6]);
        if (version > newest_version)
            fail_at(file_, member.entry_offset + 6,
                    "member '{}' needs zip version {}.{}, at most {}.{} is supported", printable(member.name),
                    version / 10, version % 10, newest_version / 10, newest_version % 10);
        if (member.name.find('\0') != std::string::npos || !is_utf8(member.name))
            fail_at(file_, member.entry_offset + 46, "a member's name, '{}', is not UTF-8 text",
                    printable(member.name));
        if (!(member.flags & zip_utf8) && !is_ascii(member.name))
            fail_at(file_, member.entry_offset + 8,
                    "the name of member '{}' is not ASCII and not marked as UTF-8", printable(member.name));
    }

    // Field 1, ZIP64, is required if one of the three numbers did not fit in 32 bits.
    void read_extra(ZipMember& member, std::uint64_t at, std::uint64_t bytes) const {
        bool needs_zip64 = member.content_bytes == in_zip64 || member.stored_bytes == in_zip64 ||
                           member.header_offset == in_zip64;
        for (std::uint64_t i = 0; bytes - i >= 4;) {  // fewer bytes are padding
            const std::uint64_t length = number<std::uint16_t>(at + i + 2), present = bytes - i - 4;
            if (length > present)
                fail_at(file_, at + i, "an extra field of member '{}' claims {} bytes, {} are present",
                        printable(member.name), length, present);
            const unsigned id = number<std::uint16_t>(at + i);
            if (needs_zip64 && id == zip64_field_id) {
                read_zip64(member, at + i + 4, length);
                needs_zip64 = false;
            }
            if (id == unicode_path_id) check_unicode_path(member, at + i + 4, length);
            i += 4 + length;
        }
        if (needs_zip64) fail_at(file_, at, "a member's ZIP64 field is missing");
    }

    // The field holds the numbers that did not fit, in this order, and no others: some readers take each from
    // a fixed place.
    void read_zip64(ZipMember& member, std::uint64_t at, std::uint64_t bytes) const {
        std::uint64_t read = 0;
        for (std::uint64_t* value : {&member.content_bytes, &member.stored_bytes, &member.header_offset}) {
            if (*value != in_zip64) continue;
            if (read + 8 > bytes) fail_at(file_, at - 4, "a ZIP64 field is too short");
            *value = number<std::uint64_t>(at + read);
            read += 8;
        }
        if (read < bytes) fail_at(file_, at - 4, "a ZIP64 field is too long");
    }

    // Info-ZIP's field with the name in UTF-8. Some readers take the name from there, if the field is of
    // version 1 and was made for the entry's own name.
    void check_unicode_path(const ZipMember& member, std::uint64_t at, std::uint64_t bytes) const {
        constexpr std::uint64_t before = 5;  // the version, and the CRC-32 of the entry's name
        if (bytes < before || zip_[at] != std::byte{1} ||
            number<std::uint32_t>(at + 1) != crc32_of(std::as_bytes(std::span(member.name))))
            return;
        const std::string_view name = as_text(zip_.subspan(at + before, bytes - before));
        if (name != member.name)
            fail_at(file_, at - 4, "the entry of member '{}' is ambiguous: a field of it names it '{}'",
                    printable(member.name), printable(name));
    }

    // Members must not overlap, and must lie between the start of the file and the directory.
    void check_layout(const std::vector<ZipMember>& members, std::uint64_t directory) const {
        std::vector<const ZipMember*> sorted;
        for (const ZipMember& member : members) sorted.push_back(&member);
        std::sort(sorted.begin(), sorted.end(),
                  [](const ZipMember* a, const ZipMember* b) { return a->header_offset < b->header_offset; });
        for (std::size_t i = 0; i < sorted.size(); ++i) {
            // A claimed position after the directory is no limit: it may not even be in the file.
            const bool last = i + 1 == sorted.size() || sorted[i + 1]->header_offset > directory;
            check_member_layout(*sorted[i], last ? directory : sorted[i + 1]->header_offset, last);
        }
    }

    void check_member_layout(const ZipMember& member, std::uint64_t next, bool last) const {
        const std::uint64_t at = member.header_offset;
        const std::string name = printable(member.name);
        // Even the member's entry is longer than a local header.
        if (at > zip_.size() - zip_header_bytes || number<std::uint32_t>(at) != zip_header_signature)
            fail_at(file_, member.entry_offset + 42, "member '{}' is not at byte {}", name, at);
        const std::uint64_t data =
            at + zip_header_bytes + number<std::uint16_t>(at + 26) + number<std::uint16_t>(at + 28);
        if (data > next || member.stored_bytes > next - data)
            fail_at(file_, at, "member '{}', {} bytes from byte {} on, overlaps {} at byte {}", name,
                    member.stored_bytes, data, last ? "the directory" : "the next member", next);
        check_local_header(member);
        if (member.method == zip_stored && !member.is_encrypted() &&
            member.stored_bytes != member.content_bytes)
            fail_at(file_, member.entry_offset + 20, "member '{}' is stored in {} bytes but claims {}", name,
                    member.stored_bytes, member.content_bytes);
        if (member.method == zip_deflated && member.content_bytes / max_inflation > member.stored_bytes)
            fail_at(file_, member.entry_offset + 24,
                    "member '{}' claims to inflate {} bytes to {}, which deflate cannot", name,
                    member.stored_bytes, member.content_bytes);
    }

    // The local header repeats the directory's fields; which of the two counts differs between readers.
    void check_local_header(const ZipMember& member) const {
        const std::uint64_t at = member.header_offset;
        const std::uint16_t flags = number<std::uint16_t>(at + 6), method = number<std::uint16_t>(at + 8);
        const std::string_view name =
            as_text(zip_.subspan(at + zip_header_bytes, number<std::uint16_t>(at + 26)));
        if (name != member.name)
            fail_at(file_, at + zip_header_bytes, "the member is named '{}' here and '{}' in the directory",
                    printable(name), printable(member.name));
        if (method != member.method)
            fail_at(file_, at + 8, "member '{}' has compression method {} here, {} in the directory",
                    printable(name), method, member.method);
        const unsigned compared = flags_of_content | (is_ascii(name) ? 0 : zip_utf8);
        if ((flags & compared) != (member.flags & compared))
            fail_at(file_, at + 6, "member '{}' has the flags {:#06x} here, {:#06x} in the directory",
                    printable(name), flags, member.flags);
    }

    ByteView zip_;
    const std::string& file_;
};

}  // namespace

std::vector<ZipMember> read_zip_directory(ByteView zip, const std::string& file) {
    return DirectoryReader(zip, file).members();
}

}  // namespace glassbox::detail
