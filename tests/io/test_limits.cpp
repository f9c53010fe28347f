// What is still accepted and what no longer: .safetensors files, names and numbers at the very limits.
#include <glassbox/io/detail/safetensors_header.h>
#include <glassbox/io/file.h>
#include <glassbox/io/numpy.h>
#include <glassbox/io/safetensors.h>
#include <glassbox/io/text.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <thread>

#include "io/io_support.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox::detail;
using namespace glassbox_test;

// ---- safetensors ---------------------------------------------------------------------------------------

TEST_CASE("safetensors limits: a header's length at its limits") {
    const auto length_of = [](std::uint64_t length, std::uint64_t file_bytes, bool with_brace = true) {
        Bytes start;
        append_little_endian(start, length);
        if (with_brace) append_text(start, "{");
        return safetensors_header_length(start, file_bytes, "x");
    };
    const auto error = [&](std::uint64_t length, std::uint64_t file_bytes) {
        return message_of<FileError>([&] { length_of(length, file_bytes); });
    };
    CHECK(length_of(1, 9) == 1);
    CHECK(length_of(2, 10) == 2);
    CHECK(length_of(2, 10, false) == 2);
    CHECK(error(3, 10) == "x: at byte 0: header length 3 exceeds the file's 10 bytes");
    CHECK(error(0, 10) == "x: at byte 8: the header does not begin with '{'");
    CHECK(length_of(16'000'000, 1 << 30) == 16'000'000);
    CHECK(
        has(error(16'000'001, 1 << 30), "exceeds the limit of 16000000 bytes (the format allows 100000000)"));
    CHECK(has(error(100'000'000, 1 << 30), "exceeds the limit of 16000000 bytes"));
    CHECK(has(error(100'000'001, 1 << 30), "exceeds the format's limit of 100000000"));
}

TEST_CASE(
    "safetensors limits: headers of every length are aligned, and every number type is written as read") {
    for (std::size_t length = 1; length < 20; ++length) {
        const Bytes bytes =
            format_safetensors({{std::string(length, 'n'), Tensor{1, 2}}}, {{"key", "value"}});
        const auto header = load_little_endian<std::uint64_t>(bytes.data());
        CHECK(header % 8 == 0);
        CHECK(bytes.size() == 8 + header + 2 * sizeof(real));
        const std::string text(as_text(ByteView(bytes).subspan(8, header)));
        CHECK(text.size() - text.find_last_of('}') - 1 < 8);  // no more spaces than needed
    }
    const Safetensors none = parse_safetensors(format_safetensors({}, {}), "x");
    CHECK((none.tensors.empty() && none.metadata.empty() && none.has_checksums));
    const std::string entry = R"("dtype":"F32","shape":[],"data_offsets":[0,4])";
    CHECK(parse_safetensors(safetensors_with(R"({"w":{)" + entry + "}}", 4), "x").tensors.size() == 1);
    // The largest size that can be counted is read, and then compared with the data.
    CHECK(has(message_of<FileError>([] {
                  static_cast<void>(parse_safetensors(
                      safetensors_with(
                          R"({"w":{"dtype":"U8","shape":[9223372036854775807],"data_offsets":[0,8]}})", 8),
                      "x"));
              }),
              "needs 9223372036854775807 bytes, its data have 8"));
}

TEST_CASE("safetensors limits: data of the second tensor that begin or end elsewhere, with the numbers") {
    const auto error = [](const std::string& offsets) {
        const Bytes bytes = safetensors_with(
            R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":)" +
                offsets + "}}",
            8);
        return message_of<FileError>([&] { static_cast<void>(parse_safetensors(bytes, "x")); });
    };
    const std::string b = "x: at byte 64: tensor 'b': ";
    CHECK(error("[6,8]") == b + "its data begin at 6, after a gap of 2 bytes");
    CHECK(error("[4,7]") == b + "shape (4,) of U8 needs 4 bytes, its data have 3");
    CHECK(error("[4,9]") == b + "its data end at 9, the file holds 8 bytes of data");
    CHECK(error("[3,7]") == b + "its data begin at 3 and overlap those that end at 4");
    CHECK(error("[8,4]") == b + "its data end at 4, before they begin at 8");
}

TEST_CASE("file limits: a file that grows while it is read is refused, one that shrinks is read to its end") {
    const TemporaryFolder folder;
    for (const std::size_t length : {std::size_t{10}, start_bytes + 10}) {
        const std::string content(length, 'x');
        write_file_atomically(folder / "a", content);
        const auto read = [&](std::size_t becomes) {
            return read_file(folder / "a", [&](ByteView, std::uint64_t) {
                std::filesystem::resize_file(folder / "a", becomes);
            });
        };
        check_error<IoError>([&] { read(length + 1); },
                             (folder / "a").string() + ": the file grew while it was being read");
        write_file_atomically(folder / "a", content);
        CHECK(read(length).size() == length);
        CHECK(read(length - 1).size() == (length < start_bytes ? length : length - 1));
    }
}

// ---- files and descriptors -----------------------------------------------------------------------------

TEST_CASE("file limits: files and pipes as long as what is read first, and one byte more and less") {
    const TemporaryFolder folder;
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    for (const std::size_t length :
         {std::size_t{0}, std::size_t{1}, start_bytes - 1, start_bytes, start_bytes + 1, 2 * start_bytes,
          3 * start_bytes - 1, 3 * start_bytes, 3 * start_bytes + 1}) {
        INFO(length << " bytes");
        std::string content(length, 'x');
        for (std::size_t i = 0; i < length; ++i) content[i] = static_cast<char>('a' + i % 26);
        const auto checked = [&](const std::filesystem::path& path) {
            std::size_t start = 0;
            std::uint64_t claimed = 0;
            const Bytes bytes = read_file(
                path, [&](ByteView first, std::uint64_t all) { start = first.size(), claimed = all; });
            CHECK(as_text(bytes) == content);
            CHECK(start == std::min(length, start_bytes));
            return claimed;
        };
        write_file_atomically(folder / "file", content);
        CHECK(checked(folder / "file") == length);
        std::thread writer([&] { write_file_atomically(folder / "pipe", content); });
        CHECK(checked(folder / "pipe") == (length < start_bytes ? length : unknown_length));
        writer.join();
    }
}

TEST_CASE("file limits: a pipe may be as long as its limit") {
    const TemporaryFolder folder;
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    for (const std::size_t length : {std::size_t{10}, std::size_t{100'000}}) {
        for (const std::size_t limit : {length - 1, length, length + 1}) {
            std::thread writer([&] { write_file_atomically(folder / "pipe", std::string(length, 'x')); });
            const auto read = [&] { return read_file(folder / "pipe", 0, limit).size(); };
            if (limit >= length) CHECK(read() == length);
            else
                check_error<IoError>([&] { read(); },
                                     fmt::format("{}: more than {} bytes, the limit for a pipe",
                                                 (folder / "pipe").string(), limit));
            writer.join();
        }
    }
}

TEST_CASE("file limits: paths that are open descriptors of this process") {
    const std::pair<const char*, std::optional<int>> cases[] = {{"/dev/stdin", 0},
                                                                {"/dev/stdout", 1},
                                                                {"/dev/stderr", 2},
                                                                {"/dev/fd/0", 0},
                                                                {"/dev/fd/12", 12},
                                                                {"/proc/self/fd/5", 5},
                                                                {"/dev//fd/7", 7},
                                                                {"/dev/./fd/../stdout", 1},
                                                                {"/dev/fd/", {}},
                                                                {"/dev/fd/-1", {}},
                                                                {"/dev/fd/1x", {}},
                                                                {"/dev/fd/x", {}},
                                                                {"/dev/fd", {}},
                                                                {"/dev/null", {}},
                                                                {"dev/fd/1", {}},
                                                                {"/proc/self/fd/", {}},
                                                                {"/dev/stdin2", {}},
                                                                {"/proc/1/fd/1", {}},
                                                                {"/dev/fd/99999999999", {}},
                                                                {"", {}}};
    for (const auto& [path, expected] : cases) {
        INFO(path);
        CHECK(inherited_descriptor(path) == expected);
    }
}

TEST_CASE("file limits: a chain of 39 links is followed, one of 40 is refused") {
    const TemporaryFolder folder;
    for (int i = 1; i <= 40; ++i)
        std::filesystem::create_symlink(i == 1 ? "file" : std::to_string(i - 1), folder / std::to_string(i));
    write_file_atomically(folder / "39", "39");
    CHECK(text_of(folder / "file") == "39");
    check_error<IoError>([&] { write_file_atomically(folder / "40", "40"); },
                         (folder / "40").string() + ": cannot open: Too many levels of symbolic links");
    CHECK(text_of(folder / "file") == "39");
}

TEST_CASE("file limits: names of unfinished files") {
    const std::string one = temporary_name(), two = temporary_name();
    CHECK(one != two);
    CHECK(one.starts_with(fmt::format(".glassbox-{}-", ::getpid())));
    CHECK((is_temporary_name(one) && is_temporary_name(two) && is_temporary_name(".glassbox-1-2.tmp")));
    for (const char* other :
         {".glassbox-1", "1.tmp", "glassbox-1.tmp", "", "x.glassbox-1.tmp", ".glassbox-1.tmp2"})
        CHECK_FALSE(is_temporary_name(other));
    CHECK(display_name("-") == "standard input");
    CHECK(display_name("./-") == "./-");
    CHECK(display_name(std::string(4096, 'x')) == std::string(4096, 'x'));
    CHECK(display_name(std::string(4097, 'x')) == std::string(4096, 'x') + "…");
}

// ---- numbers and checksums -----------------------------------------------------------------------------

TEST_CASE("number limits: the ends of a range are in it") {
    CHECK(parse_integer("--n", "1", 1, 100) == 1);
    CHECK(parse_integer("--n", "100", 1, 100) == 100);
    CHECK(parse_integer("--n", "-5", -5, -5) == -5);
    CHECK(parse_integer("--n", "-9223372036854775808", INT64_MIN) == INT64_MIN);
    CHECK(parse_integer("--n", "9223372036854775807", INT64_MIN) == INT64_MAX);
    check_error<UsageError>([] { parse_integer("--n", "-9223372036854775809", INT64_MIN); },
                            "--n: expected at least -9223372036854775808, got -9223372036854775809");
    check_error<UsageError>([] { parse_integer("--n", "9223372036854775808", INT64_MIN); },
                            "--n: expected at most 9223372036854775807, got 9223372036854775808");
    check_error<UsageError>([] { parse_integer("--n", "-6", -5, -5); }, "--n: expected at least -5, got -6");
    check_error<UsageError>([] { parse_integer("--n", "-4", -5, -5); }, "--n: expected at most -5, got -4");
    CHECK(parse_real("--rate", "0", 0) == 0);
    CHECK(parse_real("--rate", "-0.5", -0.5) == -0.5);
    CHECK(parse_real("--rate", "1.7976931348623157e308", 0) == std::numeric_limits<double>::max());
    check_error<UsageError>([] { parse_real("--rate", "-0.50001", -0.5); },
                            "--rate: expected at least -0.5, got -0.50001");
    CHECK(parse_seed("--seed", "0") == 0);
    CHECK(parse_seed("--seed", "1") == 1);
}

TEST_CASE("crc32c: of any length and beginning it is that of a bit by bit division") {
    Bytes bytes;
    for (int i = 0; i < 64; ++i) bytes.push_back(static_cast<std::byte>(i * i * 37 + 11 * i + 5));
    const auto by_bits = [](ByteView some) {
        std::uint32_t remainder = 0xFFFFFFFF;
        for (const std::byte byte : some) {
            remainder ^= std::to_integer<std::uint32_t>(byte);
            for (int bit = 0; bit < 8; ++bit) remainder = (remainder >> 1) ^ ((remainder & 1) * 0x82F63B78u);
        }
        return ~remainder;
    };
    for (std::size_t begin = 0; begin < 9; ++begin)
        for (std::size_t length = 0; length + begin <= bytes.size(); ++length) {
            const ByteView some = ByteView(bytes).subspan(begin, length);
            REQUIRE(crc32c(some) == by_bits(some));
        }
    CHECK(checksum(Tensor{1, 2}).size() == 8);
    CHECK(checksum(Tensor{1, 2}) != checksum(Tensor{2, 1}));
}
