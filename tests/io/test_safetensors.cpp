#include <glassbox/io/safetensors.h>

#include "io/io_support.h"

using namespace glassbox;
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
        message_of<FileError>([] { read_safetensors(golden_io("float8.safetensors")); });
    CHECK(contains(message, "float8.safetensors: at byte "));
    CHECK(contains(message, "tensor 'weight': elements of type 'F8_E4M3' are not read"));
}

TEST_CASE("safetensors: what is written is read again, bit for bit, with its metadata and order") {
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
    CHECK(load_little<std::uint64_t>(format_safetensors(tensors).data()) % 8 == 0);
    CHECK(parse_safetensors(format_safetensors({}), "x").tensors.empty());
}

TEST_CASE("safetensors: tensors are found whatever the order of the header") {
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
    CHECK(contains(message_of<Error>([&] {
                       format_safetensors({{"a", x}, {"a", x}});
                   }),
                   "two tensors are named 'a'"));
    CHECK(contains(message_of<Error>([&] { format_safetensors({{"__metadata__", x}}); }), "__metadata__"));
}
