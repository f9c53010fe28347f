#include <glassbox/io/numpy.h>

#include <glassbox/io/detail/npy_header.h>
#include <glassbox/io/file.h>

#include "io/io_support.h"

using namespace glassbox;
using namespace glassbox::detail;
using namespace glassbox_test;

TEST_CASE("npy: every number type, byte order, element order and version that NumPy writes is read") {
    const auto cases = golden_json("npy_cases.json").at("read");
    REQUIRE(cases.size() >= 50);
    for (const auto& item : cases) {
        const std::string name = item.at("name");
        const Tensor expected = described(item);
        const Tensor actual = parse_npy(from_hex(item.at("hex")), name);
        CAPTURE(name);
        CHECK(actual.shape() == expected.shape());
        CHECK(actual.contiguous());
        check_close(actual, expected, exact.with_nan(), name);
    }
}

TEST_CASE("npy: types that are not numbers are refused by name") {
    const auto cases = golden_json("npy_cases.json").at("refused");
    REQUIRE(cases.size() == 9);
    for (const auto& item : cases) {
        const std::string name = item.at("name"), reason = item.at("reason");
        const std::string message =
            message_of<UnsupportedElements>([&] { return parse_npy(from_hex(item.at("hex")), "x.npy"); });
        CAPTURE(name, message);
        CHECK(has(message, "x.npy: at byte "));
        CHECK(has(message, reason));
    }
}

TEST_CASE("npy: headers with keys in any order, other spaces, quotes and lengths are read") {
    const std::string usual = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";
    std::vector<std::string> dicts = {
        usual, "{'shape': (2, 3), 'descr': '<f4', 'fortran_order': False}",
        "{\"fortran_order\":False,\"shape\":(2,3),\"descr\":\"<f4\"}",
        " \n{ 'shape' : ( 2 , 3 , ) ,\t'descr':'=f4' ,'fortran_order':False , } \n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 3L), }\n"};
    for (const std::size_t spaces : {1000, 65'000}) dicts.emplace_back(usual).append(spaces, ' ');
    for (const std::string& dict : dicts) {
        CAPTURE(dict.substr(0, 80));
        CHECK(parse_npy(npy_with(dict, 24), "x.npy").shape() == Shape{2, 3});
    }
    std::string longer = usual;
    longer.append(100'000, ' ');
    CHECK(parse_npy(npy_with(longer, 24, 2), "x.npy").shape() == Shape{2, 3});
    longer = usual;
    longer.insert(longer.size() - 1, 100'000, ' ');  // the newline last, as in NumPy's files
    CHECK(parse_npy(npy_with(longer, 24, 3), "x.npy").shape() == Shape{2, 3});
}

TEST_CASE("npy: integers not representable in float are rounded, as by astype") {
    const Bytes bytes = [] {
        Bytes file = npy_with("{'descr': '<i8', 'fortran_order': False, 'shape': (), }", 0);
        append_little_endian<std::uint64_t>(
            file,
            16'777'217);  // 2^24 + 1: halfway between two floats, to the even one
        return file;
    }();
    CHECK(parse_npy(bytes, "x.npy").item() == (in_double ? real(16'777'217) : real(16'777'216)));
}

TEST_CASE("npy: a finite number does not become infinite") {
    Bytes bytes = npy_with("{'descr': '>f8', 'fortran_order': False, 'shape': (2,), }", 8);
    for (const int byte : {0x7E, 0x37, 0xE4, 0x3C, 0x88, 0x00, 0x75, 0x9C})
        bytes.push_back(static_cast<std::byte>(byte));
    if (in_double) {
        CHECK(parse_npy(bytes, "x.npy").at({1}) == real(1e300L));
        return;
    }
    const std::string message = message_of<FileError>([&] { return parse_npy(bytes, "x.npy"); });
    CHECK(has(message, fmt::format("x.npy: at byte {}: 1e+300 is beyond", bytes.size() - 8)));
}

TEST_CASE("npy: round trips are bit for bit, for every rank, empty and strided tensors") {
    const TemporaryFolder folder;
    for (const Shape& shape :
         {Shape{}, Shape{0}, Shape{5}, Shape{2, 3}, Shape{3, 0, 2}, Shape{1, 2, 1, 2, 1, 2, 1, 3}}) {
        std::vector<real> values;
        for (index_t i = 0; i < shape.numel(); ++i) values.push_back(std::sqrt(static_cast<real>(i)));
        const Tensor tensor(shape, values);
        write_npy(folder / "x.npy", tensor);
        const Tensor again = read_npy(folder / "x.npy");
        CHECK(again.shape() == shape);
        CHECK(again.values() == values);
    }
    const Tensor matrix{{1, 2, 3}, {4, 5, 6}};
    const Tensor transposed = matrix.alias({3, 2}, {1, 3});
    write_npy(folder / "x.npy", transposed);
    CHECK(read_npy(folder / "x.npy").values() == std::vector<real>{1, 4, 2, 5, 3, 6});
}

TEST_CASE("npy: numbers are read in pieces, never all together") {
    const index_t count = 1'000'003;
    std::size_t largest = 0, total = 0;
    const auto next = [&](std::span<std::byte> into) {
        largest = std::max(largest, into.size());
        total += into.size();
        std::fill(into.begin(), into.end(), std::byte{1});
    };
    const Tensor tensor = to_tensor({NumberType::u16, false, Shape{count}, 0, {}}, next, "x.npy");
    CHECK(tensor.at({count - 1}) == 257);
    CHECK(total == static_cast<std::size_t>(count) * 2);
    CHECK(largest <= std::size_t{1} << 20);
}

TEST_CASE("npy: the shape can be refused before the numbers are read") {
    const TemporaryFolder folder;
    write_npy(folder / "x.npy", Tensor::zeros({3, 2}));
    Shape seen;
    CHECK(read_npy(folder / "x.npy", [&](const Shape& shape) { seen = shape; }).shape() == Shape{3, 2});
    CHECK(seen == Shape{3, 2});
    const auto refuse = [](const Shape& shape) { fail("unwanted {}", shape); };
    CHECK(message_of<Error>([&] { return read_npy(folder / "x.npy", refuse); }) == "unwanted (3, 2)");
    std::string longer = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    longer.append(100'000, ' ');
    write_file_atomically(folder / "longer.npy", npy_with(longer + '\n', 24, 2));
    CHECK(message_of<Error>([&] { return read_npy(folder / "longer.npy", refuse); }) == "unwanted (2, 3)");
}

TEST_CASE("npy: the bytes match NumPy's for float32") {
    if (in_double) SKIP("the double build writes float64");
    int compared = 0;
    const auto cases = golden_json("npy_cases.json").at("read");
    for (const auto& item : cases) {
        const std::string name = item.at("name");
        const bool row_major = !has(name, "Fortran");
        if (!(name == "<f4 row-major" || name == "sliced" || (name.starts_with("shape") && row_major)))
            continue;
        CAPTURE(name);
        CHECK(format_npy(described(item)) == from_hex(item.at("hex")));
        ++compared;
    }
    CHECK(compared == 8);
}
