#include <glassbox/io/file.h>

#include <sys/resource.h>

#include <csignal>

#include "io_support.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox_test;
using Existing = AppendFile::Existing;

TEST_CASE("append file: every record is in the file when append returns") {
    const TemporaryFolder folder;
    AppendFile file(folder / "a", Existing::refuse);
    for (const char* whole : {"one\n", "one\ntwo\n", "one\ntwo\nthree\n"}) {
        file.append(std::string_view(whole).substr(text_of(folder / "a").size()));
        CHECK(text_of(folder / "a") == whole);
    }
}

TEST_CASE("append file: existing content is replaced, kept or refused") {
    const TemporaryFolder folder;
    AppendFile(folder / "a", Existing::replace).append("old\n");
    AppendFile(folder / "a", Existing::keep).append("more\n");
    CHECK(text_of(folder / "a") == "old\nmore\n");
    CHECK(has(message_of<IoError>([&] { AppendFile(folder / "a", Existing::refuse); }),
              "/a: cannot open: File exists"));
    AppendFile(folder / "a", Existing::replace).append("new\n");
    CHECK(text_of(folder / "a") == "new\n");
}

TEST_CASE("append file: on a full disk the record is left out completely, and the error says why") {
    const TemporaryFolder folder;
    AppendFile file(folder / "a", Existing::refuse);
    file.append("0123456789\n");
    {
        const FullDisk full(15);
        CHECK(has(message_of<IoError>([&] { file.append("abcdefghij\n"); }), "/a: cannot write: "));
        CHECK(text_of(folder / "a") == "0123456789\n");
    }
    file.append("go on\n");
    CHECK(text_of(folder / "a") == "0123456789\ngo on\n");
    check_error<IoError>([] { AppendFile("/dev/full", Existing::keep).append("x"); },
                         "/dev/full: cannot write: No space left on device");
}

TEST_CASE("append file: a missing folder is named") {
    check_error<IoError>([] { AppendFile("no/such/run.jsonl", Existing::replace); },
                         "no/such/run.jsonl: cannot open: No such file or directory");
}

// RFC 3720, B.4, and the check value listed in CRC catalogues.
TEST_CASE("crc32c: the vectors of RFC 3720") {
    Bytes zeros(32), ones(32, std::byte{0xFF}), up, down;
    for (int i = 0; i < 32; ++i) up.push_back(static_cast<std::byte>(i));
    for (int i = 31; i >= 0; --i) down.push_back(static_cast<std::byte>(i));
    CHECK(crc32c(zeros) == 0x8A9136AA);
    CHECK(crc32c(ones) == 0x62A8AB43);
    CHECK(crc32c(up) == 0x46DD794E);
    CHECK(crc32c(down) == 0x113FDB5C);
    CHECK(crc32c(bytes_of("123456789")) == 0xE3069283);
    CHECK(crc32c({}) == 0);
}
