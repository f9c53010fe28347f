#include <glassbox/io/zip_directory.h>

#include <algorithm>
#include <optional>

namespace glassbox {
namespace {

constexpr std::uint32_t local_signature = 0x04034b50;
constexpr std::uint32_t entry_signature = 0x02014b50;
constexpr std::uint32_t end_signature = 0x06054b50;
constexpr std::uint32_t end64_signature = 0x06064b50;
constexpr std::uint32_t locator64_signature = 0x07064b50;
constexpr std::uint64_t local_bytes = 30, entry_bytes = 46, end_bytes = 22, end64_bytes = 56,
                        locator64_bytes = 20;
constexpr std::uint64_t in_zip64 = 0xFFFFFFFF;  // "the number stands in the ZIP64 field"
constexpr std::uint64_t most_inflation = 1032;  // deflate makes at most this many bytes of one

struct End {
    std::uint64_t offset = 0;  // where the directory must end
    std::uint64_t count = 0;
    std::uint64_t directory_offset = 0;
    std::uint64_t directory_bytes = 0;
};

class Reader {
  public:
    Reader(ByteView zip, const std::string& file) : zip_(zip), file_(file) {}

    std::vector<ZipMember> members() {
        const End end = find_end();
        if (end.directory_offset > end.offset || end.directory_bytes != end.offset - end.directory_offset)
            fail_at(file_, end.offset, "the zip's directory, {} bytes from byte {} on, does not end here",
                    end.directory_bytes, end.directory_offset);
        if (end.count > end.directory_bytes / entry_bytes)
            fail_at(file_, end.offset, "the zip claims {} members, its directory has {} bytes", end.count,
                    end.directory_bytes);
        std::vector<ZipMember> members;
        std::uint64_t offset = end.directory_offset;
        for (std::uint64_t i = 0; i < end.count; ++i) members.push_back(entry(offset, end.offset));
        if (offset != end.offset) fail_at(file_, offset, "the zip's directory goes on after its last member");
        check_places(members, end.directory_offset);
        return members;
    }

  private:
    template <class T>
    T number(std::uint64_t offset) const {
        return load_little<T>(zip_.data() + offset);
    }

    // The end record is the file's last: its comment reaches exactly to the end of the file.
    std::uint64_t find_end_record() const {
        if (zip_.empty()) fail_at(file_, 0, "the file is empty");
        if (as_text(zip_).starts_with("\x93NUMPY")) fail_at(file_, 0, "not a zip but a single .npy array");
        const std::uint64_t longest_comment = 0xFFFF;
        for (std::uint64_t comment = 0; comment <= longest_comment; ++comment) {
            if (zip_.size() < end_bytes + comment) break;
            const std::uint64_t offset = zip_.size() - end_bytes - comment;
            if (number<std::uint32_t>(offset) == end_signature &&
                number<std::uint16_t>(offset + 20) == comment)
                return offset;
        }
        if (!as_text(zip_).starts_with("PK")) fail_at(file_, 0, "not a zip: it does not begin with PK");
        fail_at(file_, zip_.size(), "truncated: the zip has no end record");
    }

    End find_end() const {
        const std::uint64_t at = find_end_record();
        if (number<std::uint16_t>(at + 4) != 0 || number<std::uint16_t>(at + 6) != 0)
            fail_at(file_, at + 4, "the zip is one part of several");
        if (number<std::uint16_t>(at + 8) != number<std::uint16_t>(at + 10))
            fail_at(file_, at + 8, "the zip's end record gives two different numbers of members");
        End end{at, number<std::uint16_t>(at + 10), number<std::uint32_t>(at + 16),
                number<std::uint32_t>(at + 12)};
        const bool large =
            end.count == 0xFFFF || end.directory_offset == in_zip64 || end.directory_bytes == in_zip64;
        const bool has_locator =
            at >= locator64_bytes && number<std::uint32_t>(at - locator64_bytes) == locator64_signature;
        return large && has_locator ? find_end64(at - locator64_bytes) : end;
    }

    End find_end64(std::uint64_t locator) const {
        const std::uint64_t at = number<std::uint64_t>(locator + 8);
        if (locator < end64_bytes || at > locator - end64_bytes ||
            number<std::uint32_t>(at) != end64_signature)
            fail_at(file_, locator, "the zip's ZIP64 end record is not at byte {}", at);
        return {at, number<std::uint64_t>(at + 32), number<std::uint64_t>(at + 48),
                number<std::uint64_t>(at + 40)};
    }

    ZipMember entry(std::uint64_t& offset, std::uint64_t end) const {
        const std::uint64_t at = offset;
        if (end - at < entry_bytes || number<std::uint32_t>(at) != entry_signature)
            fail_at(file_, at, "the zip's directory has no entry here");
        const std::uint64_t name = number<std::uint16_t>(at + 28);
        const std::uint64_t extra = number<std::uint16_t>(at + 30);
        const std::uint64_t comment = number<std::uint16_t>(at + 32);
        if (end - at - entry_bytes < name + extra + comment)
            fail_at(file_, at + 28, "a directory entry reaches beyond the directory");
        offset = at + entry_bytes + name + extra + comment;

        ZipMember member;
        member.entry_offset = at;
        member.encrypted = number<std::uint16_t>(at + 8) & 1;
        member.method = number<std::uint16_t>(at + 10);
        member.stored_bytes = number<std::uint32_t>(at + 20);
        member.content_bytes = number<std::uint32_t>(at + 24);
        member.header_offset = number<std::uint32_t>(at + 42);
        member.name = as_text(zip_.subspan(at + entry_bytes, name));
        read_zip64(member, at + entry_bytes + name, extra);
        return member;
    }

    // Extra field 1 holds, in this order, those of the three numbers that did not fit.
    void read_zip64(ZipMember& member, std::uint64_t at, std::uint64_t bytes) const {
        if (member.content_bytes != in_zip64 && member.stored_bytes != in_zip64 &&
            member.header_offset != in_zip64)
            return;
        for (std::uint64_t i = 0; bytes >= i + 4;) {
            const std::uint64_t length = number<std::uint16_t>(at + i + 2);
            if (bytes - i - 4 < length) break;
            if (number<std::uint16_t>(at + i) == 1) {
                std::uint64_t from = at + i + 4;
                for (std::uint64_t* value :
                     {&member.content_bytes, &member.stored_bytes, &member.header_offset}) {
                    if (*value != in_zip64) continue;
                    if (from + 8 > at + i + 4 + length) fail_at(file_, at + i, "a ZIP64 field is too short");
                    *value = number<std::uint64_t>(from);
                    from += 8;
                }
                return;
            }
            i += 4 + length;
        }
        fail_at(file_, at, "a member's ZIP64 field is missing");
    }

    // Every member has its own bytes between the start of the file and the directory.
    void check_places(const std::vector<ZipMember>& members, std::uint64_t directory) const {
        std::vector<const ZipMember*> sorted;
        for (const ZipMember& member : members) sorted.push_back(&member);
        std::sort(sorted.begin(), sorted.end(),
                  [](const ZipMember* a, const ZipMember* b) { return a->header_offset < b->header_offset; });
        for (std::size_t i = 0; i < sorted.size(); ++i) {
            const bool last = i + 1 == sorted.size();
            check_place(*sorted[i], last ? directory : sorted[i + 1]->header_offset, last);
        }
    }

    void check_place(const ZipMember& member, std::uint64_t next, bool last) const {
        const std::uint64_t at = member.header_offset;
        const std::string name = printable(member.name);
        if (zip_.size() < local_bytes || at > zip_.size() - local_bytes ||
            number<std::uint32_t>(at) != local_signature)
            fail_at(file_, member.entry_offset + 42, "member '{}' is not at byte {}", name, at);
        const std::uint64_t data =
            at + local_bytes + number<std::uint16_t>(at + 26) + number<std::uint16_t>(at + 28);
        if (data > next || member.stored_bytes > next - data)
            fail_at(file_, at, "member '{}', {} bytes from byte {} on, overlaps {} at byte {}", name,
                    member.stored_bytes, data, last ? "the directory" : "the next member", next);
        if (member.method == zip_stored && !member.encrypted && member.stored_bytes != member.content_bytes)
            fail_at(file_, member.entry_offset + 20, "member '{}' is stored, in {} bytes that claim to be {}",
                    name, member.stored_bytes, member.content_bytes);
        if (member.method == zip_deflated && member.content_bytes / most_inflation > member.stored_bytes)
            fail_at(file_, member.entry_offset + 24,
                    "member '{}' claims to inflate {} bytes to {}, deflate cannot", name, member.stored_bytes,
                    member.content_bytes);
    }

    ByteView zip_;
    const std::string& file_;
};

}  // namespace

std::vector<ZipMember> read_zip_directory(ByteView zip, const std::string& file) {
    return Reader(zip, file).members();
}

}  // namespace glassbox
