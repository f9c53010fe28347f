#include <glassbox/io/detail/zip_archive.h>

#include <zip.h>

#include <new>

namespace glassbox::detail {
namespace {

// libzip and zlib return errors where memory runs out: the file is not to be blamed for it. Some of libzip's
// calls fail without setting an error then; what they need is memory alone.
void throw_if_no_memory(const zip_error_t* error) {
    constexpr int zlib_no_memory = -4;  // Z_MEM_ERROR
    const int code = zip_error_code_zip(error);
    if (code == ZIP_ER_OK || code == ZIP_ER_MEMORY ||
        (code == ZIP_ER_ZLIB && zip_error_code_system(error) == zlib_no_memory))
        throw std::bad_alloc();
}

std::string message(zip_error_t& error) {
    throw_if_no_memory(&error);
    std::string text = zip_error_strerror(&error);
    zip_error_fini(&error);
    return text;
}

}  // namespace

void ZipArchive::Discard::operator()(zip* archive) const { zip_discard(archive); }
void ZipArchive::Stream::Close::operator()(zip_file* stream) const { zip_fclose(stream); }

ZipArchive::ZipArchive(Bytes bytes, std::string file) : bytes_(std::move(bytes)), file_(std::move(file)) {
    members_ = read_zip_directory(bytes_, file_);
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t* source = zip_source_buffer_create(bytes_.data(), bytes_.size(), 0, &error);
    if (!source) fail<IoError>("{}: {}", file_, message(error));
    zip_.reset(zip_open_from_source(source, ZIP_RDONLY, &error));
    if (!zip_) {
        zip_source_free(source);
        fail_at(file_, 0, "libzip cannot open the file, or has no memory for it: {}", message(error));
    }
    zip_error_fini(&error);
    check_same_members();
}

// If two parsers disagree about a directory, one content may be hidden behind another.
void ZipArchive::check_same_members() const {
    const zip_int64_t count = zip_get_num_entries(zip_.get(), 0);
    if (count < 0 || static_cast<std::uint64_t>(count) != members_.size())
        fail_at(file_, bytes_.size(), "the zip's directory is ambiguous: {} and {} members", members_.size(),
                count);
    for (std::size_t i = 0; i < members_.size(); ++i) {
        const ZipMember& member = members_[i];
        zip_stat_t about;
        zip_stat_init(&about);
        const bool is_found = zip_stat_index(zip_.get(), i, ZIP_FL_ENC_RAW, &about) == 0;
        if (!is_found || !about.name || member.name != about.name || member.content_bytes != about.size ||
            member.stored_bytes != about.comp_size)
            fail_at(file_, member.entry_offset, "the entry of member '{}' is ambiguous",
                    printable(member.name));
    }
}

ZipArchive::Stream::Stream(ZipArchive& archive, std::size_t index)
    : lock_(archive.mutex_), archive_(archive), member_(archive.members_.at(index)) {
    check_is_supported();
    stream_.reset(zip_fopen_index(archive.zip_.get(), index, 0));
    if (stream_) return;
    throw_if_no_memory(zip_get_error(archive.zip_.get()));
    fail_damaged(zip_strerror(archive.zip_.get()));
}

void ZipArchive::Stream::fail_to_read() const {
    throw_if_no_memory(zip_file_get_error(stream_.get()));
    fail_damaged(zip_file_strerror(stream_.get()));
}

void ZipArchive::Stream::read(std::span<std::byte> into) {
    while (!into.empty()) {
        const zip_int64_t got = zip_fread(stream_.get(), into.data(), into.size());
        if (got < 0) fail_to_read();
        if (got == 0) fail_ended();
        done_ += static_cast<std::uint64_t>(got);
        into = into.subspan(static_cast<std::size_t>(got));
    }
}

void ZipArchive::Stream::finish() {
    std::byte more;
    const zip_int64_t got = zip_fread(stream_.get(), &more, 1);  // libzip compares the checksum at the end
    if (got < 0) fail_to_read();
    if (got > 0) fail_continued();
}

namespace {

// A libzip archive under construction; closing it writes to the source buffer, which stays readable.
class ZipWriter {
  public:
    ZipWriter() {
        zip_error_init(&error_);
        source_ = zip_source_buffer_create(nullptr, 0, 0, &error_);
        if (source_) archive_ = zip_open_from_source(source_, ZIP_TRUNCATE, &error_);
        if (!archive_) {
            if (source_) zip_source_free(source_);
            fail<IoError>("zip: {}", message(error_));
        }
        zip_source_keep(source_);
    }
    ~ZipWriter() {
        if (archive_) zip_discard(archive_);
        zip_source_free(source_);
        zip_error_fini(&error_);
    }
    ZipWriter(const ZipWriter&) = delete;
    ZipWriter& operator=(const ZipWriter&) = delete;

    void add(const std::string& name, ByteView content, unsigned method) {
        zip_source_t* data = zip_source_buffer(archive_, content.data(), content.size(), 0);
        if (!data) fail_with_error();
        const zip_int64_t added = zip_file_add(archive_, name.c_str(), data, ZIP_FL_ENC_UTF_8);
        if (added < 0) {
            zip_source_free(data);
            fail_with_error();
        }
        const auto index = static_cast<zip_uint64_t>(added);
        const zip_uint16_t first_of_january_1980 = (1 << 5) | 1;
        if (zip_set_file_compression(archive_, index, static_cast<zip_int32_t>(method), 0) != 0 ||
            zip_file_set_dostime(archive_, index, 0, first_of_january_1980, 0) != 0)
            fail_with_error();
    }

    Bytes finish() {
        if (zip_close(archive_) != 0) fail_with_error();
        archive_ = nullptr;
        zip_stat_t about;
        if (zip_source_stat(source_, &about) != 0 || zip_source_open(source_) != 0)
            fail_with(zip_source_error(source_));
        Bytes bytes(about.size);
        const zip_int64_t got = zip_source_read(source_, bytes.data(), bytes.size());
        zip_source_close(source_);
        if (got != static_cast<zip_int64_t>(bytes.size()))
            fail<IoError>("zip: read {} of the archive's {} bytes", got, bytes.size());
        return bytes;
    }

  private:
    [[noreturn]] static void fail_with(zip_error_t* error) {
        throw_if_no_memory(error);
        fail<IoError>("zip: {}", zip_error_strerror(error));
    }
    [[noreturn]] void fail_with_error() { fail_with(zip_get_error(archive_)); }

    zip_error_t error_;
    zip_source_t* source_ = nullptr;
    zip_t* archive_ = nullptr;
};

// libzip deletes an archive without members, so this one is written out here.
Bytes empty_zip() {
    Bytes bytes;
    append_little_endian<std::uint32_t>(bytes,
                                        0x06054b50);  // the end record's signature; all its numbers are 0
    bytes.resize(22);
    return bytes;
}

}  // namespace

Bytes format_zip(const std::vector<std::pair<std::string, Bytes>>& members, unsigned method) {
    if (members.empty()) return empty_zip();
    ZipWriter writer;
    for (const auto& [name, content] : members) writer.add(name, content, method);
    return writer.finish();
}

}  // namespace glassbox::detail
