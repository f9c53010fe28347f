#include <glassbox/io/npz.h>

#include <glassbox/io/file.h>
#include <glassbox/io/zip_archive.h>

#include "io/io_support.h"

using namespace glassbox;
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

TEST_CASE(
    "npz: stored, deflated and streamed archives of NumPy are read, ZIP64 fields and comments included") {
    const auto files = golden_json("archives.json").at("files");
    for (const char* file : {"savez.npz", "savez_compressed.npz", "streamed_with_comment.npz"}) {
        CAPTURE(file);
        const NpzContent content = read_npz(golden_io(file));
        CHECK(content.skipped.empty());
        check_arrays(content.arrays, files.at(file));
    }
}

TEST_CASE("npz: an array of text is listed as skipped and does not stand in the way of the others") {
    const NpzContent content = read_npz(golden_io("with_text.npz"));
    check_arrays(content.arrays, golden_json("archives.json").at("files").at("with_text.npz"));
    REQUIRE(content.skipped.size() == 1);
    CHECK(contains(content.skipped[0], "member 'version.npy': at byte"));
    CHECK(contains(content.skipped[0], "(text)"));
    CHECK(Npz(golden_io("with_text.npz")).read("Q").shape() == Shape{3, 2});
}

TEST_CASE("npz: one array is read beside another that cannot be unpacked") {
    const Npz npz(golden_io("bzip2_member.npz"));
    CHECK(npz.names() == std::vector<std::string>{"packed", "Q"});
    CHECK(npz.read("Q").shape() == Shape{3, 2});
    CHECK(contains(message_of<FileError>([&] { npz.read("packed"); }), "method 12"));
    CHECK_THROWS_AS(read_all(npz), FileError);
}

TEST_CASE("npz: what is written is read again, bit for bit, stored and deflated, in its order") {
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
    CHECK(load_little<std::uint16_t>(&bytes[10]) == 0);       // 00:00:00
    CHECK(load_little<std::uint16_t>(&bytes[12]) == 0x0021);  // 1980-01-01
}

TEST_CASE("npz: a missing array is an error that says which there are") {
    const Npz npz = Npz::parse(format_npz(sample), "x.npz");
    CHECK_FALSE(npz.contains("K"));
    CHECK(message_of<FileError>([&] { npz.read("K"); }) ==
          "x.npz: no array 'K' among its 4: Q, encoder/0/self_attn/logits, λ, x.npy");
}

TEST_CASE("npz: names that could not be read back are not written") {
    const Tensor x(real(1));
    CHECK(contains(message_of<Error>([&] {
                       format_npz({{"Q", x}, {"Q", x}});
                   }),
                   "two tensors are named 'Q'"));
    CHECK(contains(message_of<Error>([&] { format_npz({{"", x}}); }), "empty name"));
    CHECK(contains(message_of<Error>([&] { format_npz({{"\xFF", x}}); }), "'\\xff' is not UTF-8"));
    CHECK(contains(message_of<Error>([&] { format_npz({{std::string("a\0b", 3), x}}); }), "not UTF-8 text"));
    CHECK(contains(message_of<Error>([&] {
                       format_npz({{"a\nb", x}});
                   }),
                   "'a\\x0ab' has a control character"));
}

TEST_CASE("npz: a member's name cannot send commands to the terminal through a message") {
    Bytes bytes = format_zip({{"a?[2J.npy", bytes_of("no array")}}, zip_stored);
    std::replace(bytes.begin(), bytes.end(), std::byte{'?'}, std::byte{0x1B});
    const Npz npz = Npz::parse(bytes, "x.npz");
    const std::string message = message_of<FileError>([&] { npz.read(npz.names()[0]); });
    CHECK(contains(message, "member 'a\\x1b[2J.npy'"));
    CHECK_FALSE(contains(message, "\x1b"));
}
