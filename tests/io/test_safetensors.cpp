#include <glassbox/io/safetensors.h>

#include <glassbox/io/detail/safetensors_header.h>

#include "io/io_support.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox::detail;
using namespace glassbox_test;

TEST_CASE("safetensors: files of the safetensors library are read, every number type") {
    const auto files = golden_json("archives.json").at("files");
    for (const char* file : {"torch.safetensors", "numpy.safetensors"}) {
        const Safetensors content = read_safetensors(golden_io(file));
        CHECK(content.tensors.size() == files.at(file).size());
        for (const auto& [name, tensor] : content.tensors) {
            const Tensor expected = described(files.at(file).at(name));
            CAPTURE(file, name);
            CHECK(tensor.shape() == expected.shape());
            check_close(tensor, expected, exact, name);
        }
    }
    const Safetensors content = read_safetensors(golden_io("torch.safetensors"));
    CHECK(content.metadata == std::map<std::string, std::string>{{"note", "quoted \"π\""}});
    CHECK(content["scalar"].item() == real(2.5));
    CHECK_THROWS_AS(content["none"], Error);
}

TEST_CASE("safetensors: 8-bit floats are refused by name") {
    const std::string message =
        message_of<FileError>([] { return read_safetensors(golden_io("float8.safetensors")); });
    CHECK(has(message, "float8.safetensors: at byte "));
    CHECK(has(message, "tensor 'weight': elements of type 'F8_E4M3' are not supported"));
}

TEST_CASE("safetensors: round trips are bit for bit, with metadata and order") {
    const TemporaryFolder folder;
    const NamedTensors tensors = {{"z", Tensor{{1, 2}, {3, 4}}},
                                  {"scalar", Tensor(real(0.1))},
                                  {"empty", Tensor::zeros({0, 3})},
                                  {"quoted \" \\ \n λ", Tensor::full({1, 2, 1, 2, 1, 2, 1, 3}, -1)}};
    const std::map<std::string, std::string> metadata = {{"made by", "a \"test\""}, {"λ", ""}};
    write_safetensors(folder / "x.safetensors", tensors, metadata);
    const Safetensors again = read_safetensors(folder / "x.safetensors");
    CHECK(again.metadata == metadata);
    REQUIRE(again.tensors.size() == tensors.size());
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        CHECK(again.tensors[i].first == tensors[i].first);
        CHECK(again.tensors[i].second.shape() == tensors[i].second.shape());
        CHECK(again.tensors[i].second.values() == tensors[i].second.values());
    }
    CHECK(load_little_endian<std::uint64_t>(format_safetensors(tensors).data()) % 8 == 0);
    CHECK(parse_safetensors(format_safetensors({}), "x").tensors.empty());
}

TEST_CASE("safetensors: a written file has checksums, and one flipped bit is detected") {
    const NamedTensors tensors = {
        {"w", Tensor{{1, 2}, {3, 4}}}, {"empty", Tensor::zeros({0})}, {"b", Tensor{5, 6}}};
    const std::map<std::string, std::string> metadata = {{"seed", "42"}};
    const Bytes whole = format_safetensors(tensors, metadata);
    const Safetensors before = parse_safetensors(whole, "x");
    CHECK(before.has_checksums);
    CHECK(before.metadata == metadata);
    for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
        INFO("bit " << bit % 8 << " of byte " << bit / 8);
        Bytes flipped = whole;
        flipped[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
        CHECK_THROWS_AS(parse_safetensors(flipped, "x"), FileError);
    }
}

TEST_CASE("safetensors: a damaged tensor and a damaged header are named, with both checksums") {
    const Bytes whole =
        format_safetensors({{"w", Tensor{{1, 2}, {3, 4}}}, {"b", Tensor{5, 6}}}, {{"seed", "42"}});
    const auto said = [&](std::size_t at, char to) {
        Bytes changed = whole;
        changed[at] = static_cast<std::byte>(to);
        return message_of<FileError>([&] { return parse_safetensors(changed, "x"); });
    };
    const std::size_t header = 8 + load_little_endian<std::uint64_t>(whole.data());
    const std::string tensor = said(whole.size() - 1, 1);
    CHECK(has(tensor, fmt::format("x: at byte {}: tensor 'b' is damaged: its data have the checksum ",
                                  header + 4 * sizeof(real))));
    CHECK(has(tensor, ", expected "));
    CHECK(has(said(as_text(whole).find("42"), '5'), "x: at byte 0: damaged: the header has the checksum "));
}

TEST_CASE(
    "safetensors: files from other programs have no checksums and are read; incomplete ones are refused") {
    CHECK_FALSE(read_safetensors(golden_io("torch.safetensors")).has_checksums);
    const Bytes few = safetensors_with(
        R"({"__metadata__":{"glassbox.crc32c":"00000000"},"a":{"shape":[1],"data_offsets":[0,4],"dtype":"I32"}})",
        4);
    CHECK(has(message_of<FileError>([&] { return parse_safetensors(few, "x"); }),
              "damaged: the metadata have 8 characters of checksums, and 1 tensors need 17"));
}

TEST_CASE("safetensors: tensors are found for any order of the header") {
    const Bytes bytes = safetensors_with(
        R"({"b":{"data_offsets":[8,9],"dtype":"U8","shape":[1]},"__metadata__":{"k":"v"},)"
        R"("a":{"shape":[2,1],"data_offsets":[0,8],"dtype":"I32"},"none":{"dtype":"F64","shape":[0],"data_offsets":[8,8]}}   )",
        9);
    const Safetensors content = parse_safetensors(bytes, "x.safetensors");
    CHECK(content["a"].shape() == Shape{2, 1});
    CHECK(content["b"].shape() == Shape{1});
    CHECK(content["none"].shape() == Shape{0});
    CHECK(content.metadata.at("k") == "v");
}

TEST_CASE("safetensors: names that could not be read back are not written") {
    const Tensor x(real(1));
    CHECK(has(message_of<Error>([&] {
                  return format_safetensors({{"a", x}, {"a", x}});
              }),
              "two tensors are named 'a'"));
    CHECK(has(message_of<Error>([&] { return format_safetensors({{"__metadata__", x}}); }), "__metadata__"));
}

TEST_CASE("safetensors: a header that could not be read back is not written") {
    const std::map<std::string, std::string> metadata = {{"x", std::string(max_header_bytes, 'a')}};
    const std::string message = message_of<Error>([&] { return format_safetensors({}, metadata); });
    CHECK(has(message, "write_safetensors: a header of 160"));
    CHECK(has(message, "exceeds the limit of 16000000"));
}

TEST_CASE("a missing tensor of a safetensors file is reported with the existing ones") {
    const Safetensors file{{{"weight", Tensor{1}}, {"bias", Tensor{2}}}, {}, {}, false};
    CHECK(file["bias"].item() == 2);
    check_error([&] { file["nope"]; }, "safetensors: no tensor 'nope' among its 2: weight, bias");
}
