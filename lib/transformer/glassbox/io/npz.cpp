#include <glassbox/io/numpy.h>

#include <algorithm>
#include <map>
#include <new>

#include <glassbox/io/detail/npy_header.h>
#include <glassbox/io/detail/zip_archive.h>
#include <glassbox/io/detail/zip_end.h>
#include <glassbox/io/detail/zip_writer.h>
#include <glassbox/io/file.h>

namespace glassbox {

using namespace detail;

namespace {

std::string array_name(const std::string& member) {
    return member.ends_with(".npy") ? member.substr(0, member.size() - 4) : member;
}

// What zip -r and macOS add: a member for each folder, and the Finder's own data.
bool is_no_array(const std::string& member) {
    return member.ends_with("/") || member.starts_with("__MACOSX/");
}

// One array being decompressed: the header in the constructor, the numbers in read().
class Member {
  public:
    Member(ZipArchive& zip, std::size_t index)
        : bytes_(zip.members()[index].content_bytes),
          file_(fmt::format("{}: member '{}'", zip.file(), printable(zip.members()[index].name))),
          stream_(zip, index) {
        if (bytes_ > max_file_bytes)
            fail_at(file_, 0, "{} bytes exceed the limit of {}", bytes_, max_file_bytes);
        Bytes start(std::min(bytes_, npy_prefix_bytes));
        stream_.read(start);
        const std::uint64_t prefix_bytes = start.size();
        start.resize(npy_header_end(start, bytes_, file_));
        if (start.size() > prefix_bytes) stream_.read(std::span(start).subspan(prefix_bytes));
        header_ = parse_npy_header(start, bytes_, file_);
    }

    const NpyHeader& header() const { return header_; }

    // Allocates only now, after the sizes in the header and the directory have been compared.
    Tensor read() {
        try {
            const Tensor tensor = npy_data(
                header_, [this](std::span<std::byte> into) { stream_.read(into); }, file_);
            stream_.finish();
            return tensor;
        } catch (const std::bad_alloc&) {
            fail<FileError>("{}: its {} bytes do not fit in memory", file_, bytes_);
        }
    }

  private:
    std::uint64_t bytes_;
    std::string file_;  // for messages
    ZipArchive::Stream stream_;
    NpyHeader header_;
};

}  // namespace

class Npz::Archive {
  public:
    Archive(Bytes bytes, std::string file) : zip_(std::move(bytes), std::move(file)) {
        const std::vector<ZipMember>& members = zip_.members();
        for (std::size_t i = 0; i < members.size(); ++i) {
            if (is_no_array(members[i].name)) continue;
            names_.push_back(array_name(members[i].name));
            if (!index_.emplace(names_.back(), i).second)
                fail_at(zip_.file(), members[i].entry_offset, "two members are named '{}'",
                        printable(names_.back()));
        }
    }

    const std::vector<std::string>& names() const { return names_; }
    bool contains(std::string_view name) const { return index_.find(name) != index_.end(); }

    Shape shape(std::string_view name) { return open(name).header().shape; }
    bool is_of_bytes(std::string_view name) {
        const NumberType number = open(name).header().number;
        return number == NumberType::i8 || number == NumberType::u8;
    }
    Tensor read(std::string_view name) { return open(name).read(); }

  private:
    Member open(std::string_view name) {
        const auto found = index_.find(name);
        if (found == index_.end())
            fail<FileError>("{}: no array '{}' among its {}: {}", zip_.file(), printable(name), names_.size(),
                            printable(fmt::format("{}", fmt::join(names_, ", "))));
        return Member(zip_, found->second);
    }

    ZipArchive zip_;
    std::vector<std::string> names_;
    std::map<std::string, std::size_t, std::less<>> index_;
};

namespace {

// A zip of another program, as torch.save writes, is not one of arrays.
void check_npz_start(ByteView start, const std::string& file) {
    check_zip_start(start, file);
    const auto kind = kind_of_file(start, file, Sought::weights);
    if (kind && !kind->is_npz && as_text(start).starts_with("PK\3"))
        refuse_other_kind(start, file, Sought::weights, "an .npz");
}

}  // namespace

Npz::Npz(const std::filesystem::path& path)
    : Npz(parse(read_file(path, [name = display_name(path)](ByteView start,
                                                            std::uint64_t) { check_npz_start(start, name); }),
                display_name(path))) {}

Npz Npz::parse(Bytes bytes, std::string name) {
    return Npz(std::make_shared<Archive>(std::move(bytes), std::move(name)));
}

const std::vector<std::string>& Npz::names() const { return archive_->names(); }
bool Npz::contains(std::string_view name) const { return archive_->contains(name); }
Shape Npz::shape(std::string_view name) const { return archive_->shape(name); }
bool Npz::is_of_bytes(std::string_view name) const { return archive_->is_of_bytes(name); }
Tensor Npz::read(std::string_view name) const { return archive_->read(name); }

NpzContent read_all(const Npz& npz) {
    NpzContent content;
    for (const std::string& name : npz.names()) {
        try {
            content.arrays.emplace_back(name, npz.read(name));
            if (npz.is_of_bytes(name)) content.of_bytes.push_back(name);
        } catch (const UnsupportedElements& error) {
            content.skipped.push_back(error.what());
        }
    }
    return content;
}

NpzContent read_npz(const std::filesystem::path& path) { return read_all(Npz(path)); }

Bytes format_npz(const NamedTensors& arrays, Compression compression) {
    check_names("write_npz", arrays);
    std::size_t stored_bytes = 128;  // the end of the zip
    for (const auto& [name, tensor] : arrays)
        stored_bytes += 512 + 2 * name.size() + static_cast<std::size_t>(tensor.numel()) * sizeof(real);
    const bool stores = compression == Compression::stored;
    ZipWriter zip(stores ? stored_bytes : 0);
    for (const auto& [name, tensor] : arrays) {
        if (std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < 0x20; }))
            fail("write_npz: the name '{}' has a control character, which zip readers refuse",
                 printable(name));
        zip.add(name + ".npy", format_npy(tensor), stores ? zip_stored : zip_deflated);
    }
    return zip.finish();
}

void write_npz(const std::filesystem::path& path, const NamedTensors& arrays, Compression compression) {
    write_file_atomically(path, format_npz(arrays, compression));
}

Bytes format_zip(const std::vector<std::pair<std::string, Bytes>>& files, Compression compression) {
    return detail::format_zip(files, compression == Compression::stored ? zip_stored : zip_deflated);
}

}  // namespace glassbox
