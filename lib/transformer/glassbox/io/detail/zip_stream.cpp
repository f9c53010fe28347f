#include <glassbox/io/detail/zip_archive.h>

// The messages about a member, with either decompressor.
namespace glassbox {

using namespace detail;

void ZipArchive::Stream::check_is_supported() const {
    if (member_.is_encrypted()) fail_damaged("it is encrypted");
    if (member_.flags & zip_patch) fail_damaged("it is a patch of another file");
    if (member_.method != zip_stored && member_.method != zip_deflated)
        fail_damaged(
            fmt::format("compression method {} is not supported: stored and deflated are", member_.method));
}

void ZipArchive::Stream::fail_damaged(const std::string& reason) const {
    fail_at(archive_.file_, member_.header_offset, "member '{}': {}", printable(member_.name), reason);
}

void ZipArchive::Stream::fail_ended() const {
    fail_damaged(fmt::format("its compressed data end after {} of {} bytes", done_, member_.content_bytes));
}

void ZipArchive::Stream::fail_continued() const {
    fail_damaged(fmt::format("its compressed data continue after {} bytes", member_.content_bytes));
}

}  // namespace glassbox
