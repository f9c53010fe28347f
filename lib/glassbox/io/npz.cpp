#include <glassbox/io/npz.h>

#include <algorithm>
#include <map>
#include <new>

#include <glassbox/io/file.h>
#include <glassbox/io/npy.h>
#include <glassbox/io/npy_header.h>
#include <glassbox/io/zip_archive.h>

namespace glassbox {
namespace {

std::string array_name(const std::string& member) {
    return member.ends_with(".npy") ? member.substr(0, member.size() - 4) : member;
}

}  // namespace

class Npz::Archive {
  public:
    Archive(Bytes bytes, std::string file) : zip_(std::move(bytes), std::move(file)) {
        const std::vector<ZipMember>& members = zip_.members();
        for (std::size_t i = 0; i < members.size(); ++i) {
            names_.push_back(array_name(members[i].name));
            if (!index_.emplace(names_.back(), i).second)
                fail_at(zip_.file(), members[i].entry_offset, "two members are named '{}'",
                        printable(names_.back()));
        }
    }

    const std::vector<std::string>& names() const { return names_; }
    bool contains(std::string_view name) const { return index_.find(name) != index_.end(); }

    Tensor read(std::string_view name) {
        const auto found = index_.find(name);
        if (found == index_.end())
            fail<FileError>("{}: no array '{}' among its {}: {}", zip_.file(), printable(name), names_.size(),
                            printable(fmt::format("{}", fmt::join(names_, ", "))));
        const ZipMember& member = zip_.members()[found->second];
        const std::string file = fmt::format("{}: member '{}'", zip_.file(), printable(member.name));
        try {
            return unpack(found->second, member.content_bytes, file);
        } catch (const std::bad_alloc&) {
            fail<FileError>("{}: its {} bytes do not fit into memory", file, member.content_bytes);
        }
    }

  private:
    // The header is unpacked first: memory is asked for only when it and the directory agree on the size.
    Tensor unpack(std::size_t index, std::uint64_t content_bytes, const std::string& file) {
        if (content_bytes > max_file_bytes)
            fail_at(file, 0, "{} bytes are more than the {} that are read", content_bytes, max_file_bytes);
        ZipArchive::Stream stream(zip_, index);
        Bytes start(std::min(content_bytes, npy_prefix_bytes));
        stream.read(start);
        const std::uint64_t begun = start.size();
        start.resize(npy_header_end(start, content_bytes, file));
        if (start.size() > begun) stream.read(std::span(start).subspan(begun));
        const NpyHeader header = parse_npy_header(start, content_bytes, file);

        Bytes data(header.data_bytes);
        stream.read(data);
        stream.finish();
        return npy_data(header, data, file);
    }

    ZipArchive zip_;
    std::vector<std::string> names_;
    std::map<std::string, std::size_t, std::less<>> index_;
};

Npz::Npz(const std::filesystem::path& path) : Npz(parse(read_file_whole(path), shown_name(path))) {}

Npz Npz::parse(Bytes bytes, std::string name) {
    return Npz(std::make_shared<Archive>(std::move(bytes), std::move(name)));
}

const std::vector<std::string>& Npz::names() const { return archive_->names(); }
bool Npz::contains(std::string_view name) const { return archive_->contains(name); }
Tensor Npz::read(std::string_view name) const { return archive_->read(name); }

NpzContent read_all(const Npz& npz) {
    NpzContent content;
    for (const std::string& name : npz.names()) {
        try {
            content.arrays.emplace_back(name, npz.read(name));
        } catch (const UnsupportedElements& error) {
            content.skipped.push_back(error.what());
        }
    }
    return content;
}

NpzContent read_npz(const std::filesystem::path& path) { return read_all(Npz(path)); }

Bytes format_npz(const NamedTensors& arrays, Compression compression) {
    check_names("write_npz", arrays);
    std::vector<std::pair<std::string, Bytes>> members;
    for (const auto& [name, tensor] : arrays) {
        if (std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < 0x20; }))
            fail("write_npz: the name '{}' has a control character, which zip readers refuse",
                 printable(name));
        members.emplace_back(name + ".npy", format_npy(tensor));
    }
    return format_zip(members, compression == Compression::stored ? zip_stored : zip_deflated);
}

void write_npz(const std::filesystem::path& path, const NamedTensors& arrays, Compression compression) {
    write_file_whole(path, format_npz(arrays, compression));
}

}  // namespace glassbox
