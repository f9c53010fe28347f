#include <glassbox/io/numpy.h>

#include <algorithm>
#include <bit>

#include <glassbox/io/detail/npy_header.h>
#include <glassbox/io/detail/zip_writer.h>
#include <glassbox/io/file.h>

#include "io/io_support.h"

using namespace glassbox;
using namespace glassbox::detail;
using namespace glassbox_test;

namespace {

void check_arrays(const NamedTensors& actual, const nlohmann::json& expected) {
    CHECK(actual.size() == expected.size());
    for (const auto& [name, tensor] : actual) {
        REQUIRE(expected.contains(name));
        CHECK(tensor.shape() == described(expected.at(name)).shape());
        check_close(tensor, described(expected.at(name)), exact, name);
    }
}

const NamedTensors sample = {{"Q", Tensor{{1, 2}, {3, 4}}},
                             {"encoder/0/self_attn/logits", Tensor(real(0.1))},
                             {"λ", Tensor::zeros({0, 3})},
                             {"x.npy", Tensor::full({40, 50}, 7)}};

}  // namespace

TEST_CASE("npz: NumPy's stored, deflated and streamed archives are read, with ZIP64 fields and comments") {
    const auto files = golden_json("archives.json").at("files");
    for (const char* file : {"savez.npz", "savez_compressed.npz", "streamed_with_comment.npz"}) {
        CAPTURE(file);
        const NpzContent content = read_npz(golden_io(file));
        CHECK(content.skipped.empty());
        check_arrays(content.arrays, files.at(file));
    }
}

TEST_CASE("npz: folders and macOS's own members are no arrays, and do no harm") {
    const Npz npz = Npz::parse(format_zip({{"out/", {}},
                                           {"out/a.npy", format_npy(Tensor{1, 2})},
                                           {"__MACOSX/out/._a.npy", bytes_of(std::string("\0\5\x16\7", 4))}},
                                          zip_stored),
                               "x.npz");
    CHECK(npz.names() == std::vector<std::string>{"out/a"});
    CHECK(read_all(npz).arrays.size() == 1);
}

TEST_CASE("npz: sizes and a place in a ZIP64 field, behind another extra field, are read") {
    const Bytes member = format_npy(Tensor{1, 2});
    Bytes zip = format_zip({{"a.npy", member}}, zip_stored);
    const std::size_t end = end_record(zip), entry = directory(zip);
    Bytes extra;
    append_text(extra, std::string_view("\x99\0\2\0ab\1\0\x18\0", 10));
    for (const std::size_t value : {member.size(), member.size(), std::size_t{0}})
        append_little_endian<std::uint64_t>(extra, value);
    for (const std::size_t offset : {20, 24, 42}) zip = with_number(zip, entry + offset, 0xFFFFFFFFu);
    zip = with_number(zip, entry + 30, static_cast<std::uint16_t>(extra.size()));
    zip = with_number(zip, end + 12, static_cast<std::uint32_t>(end - entry + extra.size()));
    zip.insert(zip.begin() + static_cast<std::ptrdiff_t>(end), extra.begin(), extra.end());
    const TemporaryFolder folder;
    write_file_atomically(folder / "x.npz", zip);
    check_close(Npz(folder / "x.npz").read("a"), Tensor{1, 2}, exact, "a");
}

TEST_CASE("npz: an array of text is listed as skipped and does not affect the others") {
    const NpzContent content = read_npz(golden_io("with_text.npz"));
    check_arrays(content.arrays, golden_json("archives.json").at("files").at("with_text.npz"));
    REQUIRE(content.skipped.size() == 1);
    CHECK(has(content.skipped[0], "member 'version.npy': at byte"));
    CHECK(has(content.skipped[0], "(text)"));
    CHECK(Npz(golden_io("with_text.npz")).read("Q").shape() == Shape{3, 2});
}

TEST_CASE("npz: one array is read although another cannot be unpacked") {
    const Npz npz(golden_io("bzip2_member.npz"));
    CHECK(npz.names() == std::vector<std::string>{"packed", "Q"});
    CHECK(npz.read("Q").shape() == Shape{3, 2});
    CHECK(has(message_of<FileError>([&] { return npz.read("packed"); }), "method 12"));
    CHECK_THROWS_AS(read_all(npz), FileError);
}

TEST_CASE("npz: round trips are bit for bit, stored and deflated, in order") {
    const TemporaryFolder folder;
    for (const Compression compression : {Compression::stored, Compression::deflated}) {
        write_npz(folder / "x.npz", sample, compression);
        const Npz npz(folder / "x.npz");
        REQUIRE(npz.names().size() == sample.size());
        for (std::size_t i = 0; i < sample.size(); ++i) {
            CHECK(npz.names()[i] == sample[i].first);
            CHECK(npz.contains(sample[i].first));
            CHECK(npz.read(sample[i].first).shape() == sample[i].second.shape());
            CHECK(npz.read(sample[i].first).values() == sample[i].second.values());
        }
    }
    CHECK(format_npz(sample, Compression::deflated).size() < format_npz(sample).size() / 2);
    write_npz(folder / "none.npz", {});
    CHECK(Npz(folder / "none.npz").names().empty());
}

TEST_CASE("npz: the same tensors give the same bytes, dated 1980-01-01") {
    const Bytes bytes = format_npz(sample);
    CHECK(bytes == format_npz(sample));
    CHECK(load_little_endian<std::uint16_t>(&bytes[10]) == 0);       // 00:00:00
    CHECK(load_little_endian<std::uint16_t>(&bytes[12]) == 0x0021);  // 1980-01-01
}

TEST_CASE("npz: a missing array is an error that lists the existing ones") {
    const Npz npz = Npz::parse(format_npz(sample), "x.npz");
    CHECK_FALSE(npz.contains("K"));
    CHECK(message_of<FileError>([&] { return npz.read("K"); }) ==
          "x.npz: no array 'K' among its 4: Q, encoder/0/self_attn/logits, λ, x.npy");
}

TEST_CASE("npz: a shape is read from the array's header only") {
    const Npz npz = Npz::parse(format_npz(sample, Compression::deflated), "x.npz");
    for (const auto& [name, tensor] : sample) CHECK(npz.shape(name) == tensor.shape());
    CHECK(message_of<FileError>([&] { return npz.shape("K"); }) ==
          message_of<FileError>([&] { return npz.read("K"); }));

    Bytes bytes = format_npz({{"Q", Tensor{1, 2, 3}}});
    bytes[30 + 5 + 128] = std::byte{1};  // the first number, covered by the checksum
    const Npz damaged = Npz::parse(bytes, "x.npz");
    CHECK(damaged.shape("Q") == Shape{3});
    CHECK(has(message_of<FileError>([&] { return damaged.read("Q"); }), "CRC error"));

    const Npz text(golden_io("with_text.npz"));
    CHECK_THROWS_AS(text.shape("version"), UnsupportedElements);
}

TEST_CASE("npz: arrays of every type longer than a piece are read piece by piece to the same numbers") {
    const std::size_t count = 300'001;
    for (const std::string descr : {"<f8", ">f8", "<i2", "|u1"}) {
        const std::size_t size = static_cast<std::size_t>(descr[2] - '0');
        Bytes member = npy_with(
            fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({},), }}", descr, count), 0);
        const std::size_t begin = member.size();
        for (std::size_t i = 0; i < count; ++i) {
            const double value = static_cast<double>(i % 100);
            if (size == 8) append_little_endian(member, std::bit_cast<std::uint64_t>(value));
            else if (size == 2) append_little_endian(member, static_cast<std::uint16_t>(value));
            else append_little_endian(member, static_cast<std::uint8_t>(value));
            if (descr[0] == '>') std::reverse(member.end() - 8, member.end());
        }
        const Tensor read = Npz::parse(format_zip({{"a.npy", member}}, zip_deflated), "x.npz").read("a");
        REQUIRE(read.shape() == Shape{static_cast<index_t>(count)});
        const real* values = read.data();
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < count; ++i) wrong += values[i] != static_cast<real>(i % 100);
        CAPTURE(descr);
        CHECK(wrong == 0);
        if (descr != "<f8" || in_double) continue;
        const std::size_t place = begin + 200'000 * 8;
        member[place + 7] = std::byte{0x7E};  // about 1e300
        const Npz large = Npz::parse(format_zip({{"a.npy", member}}, zip_stored), "x.npz");
        CHECK(
            has(message_of<FileError>([&] { return large.read("a"); }), fmt::format("at byte {}: ", place)));
    }
}

TEST_CASE("npz: names that could not be read back are not written") {
    const Tensor x(real(1));
    CHECK(has(message_of<Error>([&] {
                  return format_npz({{"Q", x}, {"Q", x}});
              }),
              "two tensors are named 'Q'"));
    CHECK(has(message_of<Error>([&] { return format_npz({{"", x}}); }), "empty name"));
    CHECK(has(message_of<Error>([&] { return format_npz({{"\xFF", x}}); }), "'\\xff' is not UTF-8"));
    CHECK(has(message_of<Error>([&] {
                  return format_npz({{std::string("a\0b", 3), x}});
              }),
              "not UTF-8 text"));
    CHECK(has(message_of<Error>([&] {
                  return format_npz({{"a\nb", x}});
              }),
              "'a\\x0ab' has a control character"));
}

TEST_CASE("npz: a member's name cannot send commands to the terminal through a message") {
    Bytes bytes = format_zip({{"a?[2J.npy", bytes_of("no array")}}, zip_stored);
    std::replace(bytes.begin(), bytes.end(), std::byte{'?'}, std::byte{0x1B});
    const Npz npz = Npz::parse(bytes, "x.npz");
    const std::string message = message_of<FileError>([&] { return npz.read(npz.names()[0]); });
    CHECK(has(message, "member 'a\\x1b[2J.npy'"));
    CHECK_FALSE(has(message, "\x1b"));
}
