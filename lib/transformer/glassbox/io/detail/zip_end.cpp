#include <glassbox/io/detail/zip_end.h>

#include <algorithm>

#include <glassbox/io/file.h>

namespace glassbox::detail {
namespace {

constexpr std::string_view end_signature = "PK\5\6";
constexpr std::uint64_t end_bytes = 22, end64_bytes = 56, locator64_bytes = 20;
constexpr std::uint64_t max_comment_bytes = 0xFFFF;

class EndReader {
  public:
    EndReader(ByteView zip, const std::string& file) : zip_(zip), file_(file) {}

    ZipEnd find() const {
        const std::uint64_t at = find_record();
        if (number<std::uint16_t>(at + 4) != 0 || number<std::uint16_t>(at + 6) != 0)
            fail_at(file_, at + 4, "the zip is one part of a multi-part archive");
        if (number<std::uint16_t>(at + 8) != number<std::uint16_t>(at + 10))
            fail_at(file_, at + 8, "the zip's end record gives two different numbers of members");
        const ZipEnd end{at, number<std::uint16_t>(at + 10), number<std::uint32_t>(at + 16),
                         number<std::uint32_t>(at + 12)};
        const bool has_locator =
            at >= locator64_bytes && number<std::uint32_t>(at - locator64_bytes) == zip64_locator_signature;
        return has_locator ? with_zip64(end, at - locator64_bytes) : end;
    }

  private:
    template <class T>
    T number(std::uint64_t offset) const {
        return load_little_endian<T>(zip_.data() + offset);
    }

    // The last signature counts, and its comment must end exactly at the end of the file: a signature inside
    // a comment would be the end record to some readers only.
    std::uint64_t find_record() const {
        if (zip_.empty()) fail_at(file_, 0, "the file is empty");
        check_zip_start(zip_, file_);
        const std::uint64_t from =
            zip_.size() - std::min<std::uint64_t>(zip_.size(), end_bytes + max_comment_bytes);
        const std::size_t found = as_text(zip_.subspan(from)).rfind(end_signature);
        const std::uint64_t at = from + found;
        if (found == std::string_view::npos || zip_.size() - at < end_bytes)
            fail_at(file_, zip_.size(), "truncated: the zip has no end record");
        const std::uint64_t comment = number<std::uint16_t>(at + 20), present = zip_.size() - at - end_bytes;
        if (comment != present)
            fail_at(file_, at + 20, "the zip's comment claims {} bytes, {} are present", comment, present);
        return at;
    }

    // The ZIP64 record must immediately precede its locator, and agree with every number in the end record
    // that is not a sentinel.
    ZipEnd with_zip64(const ZipEnd& end, std::uint64_t locator) const {
        const std::uint64_t at = number<std::uint64_t>(locator + 8);
        if (locator < end64_bytes || at != locator - end64_bytes ||
            number<std::uint32_t>(at) != zip64_end_signature)
            fail_at(file_, locator, "the zip's ZIP64 end record is not at byte {}", at);
        if (number<std::uint32_t>(locator + 4) != 0 || number<std::uint32_t>(locator + 16) > 1 ||
            number<std::uint64_t>(at + 16) != 0)
            fail_at(file_, locator, "the zip is one part of a multi-part archive");
        const ZipEnd large{at, number<std::uint64_t>(at + 32), number<std::uint64_t>(at + 48),
                           number<std::uint64_t>(at + 40)};
        const auto differ = [](std::uint64_t small, std::uint64_t other, std::uint64_t sentinel) {
            return small != sentinel && small != other;
        };
        if (number<std::uint64_t>(at + 24) != large.count || differ(end.count, large.count, 0xFFFF) ||
            differ(end.directory_offset, large.directory_offset, in_zip64) ||
            differ(end.directory_bytes, large.directory_bytes, in_zip64))
            fail_at(file_, at, "the zip's two end records differ: {} and {} members, directory at {} and {}",
                    large.count, end.count, large.directory_offset, end.directory_offset);
        return large;
    }

    ByteView zip_;
    const std::string& file_;
};

}  // namespace

void check_zip_start(ByteView start, const std::string& file) {
    const std::string_view begin = as_text(start.first(std::min<std::size_t>(start.size(), 4)));
    if (std::string_view("PK\3\4").starts_with(begin) || end_signature.starts_with(begin)) return;
    refuse_other_kind(start, file, Sought::weights, "an .npz");
    fail_at(file, 0, "not a zip: it does not begin with PK\\x03\\x04");
}

ZipEnd find_zip_end(ByteView zip, const std::string& file) { return EndReader(zip, file).find(); }

}  // namespace glassbox::detail
