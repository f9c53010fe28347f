#include <glassbox/io/file.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdio>
#include <iostream>
#include <thread>

#include <glassbox/io/numpy.h>
#include <glassbox/io/safetensors.h>

#include "io/io_support.h"

using namespace glassbox;
using namespace glassbox_test;
namespace fs = std::filesystem;

namespace {

std::string text(const Bytes& bytes) { return std::string(as_text(bytes)); }

// Replaces standard input or output by a file until the end of the scope.
class Redirected {
  public:
    Redirected(int which, int to) : which_(which), kept_(::dup(which)) {
        std::cout.flush();  // earlier output goes to the original destination
        std::fflush(nullptr);
        ::dup2(to, which);
    }
    ~Redirected() {
        ::dup2(kept_, which_);
        ::close(kept_);
    }
    Redirected(const Redirected&) = delete;
    Redirected& operator=(const Redirected&) = delete;

  private:
    int which_, kept_;
};

mode_t mode_of(const fs::path& path) {
    struct stat about {};
    REQUIRE(::stat(path.c_str(), &about) == 0);
    return about.st_mode & 07777;
}

}  // namespace

TEST_CASE("file: written files are read back, small, empty and longer than one read") {
    const TemporaryFolder folder;
    for (const std::string& content : {std::string("abc"), std::string(), std::string(300'000, 'x')}) {
        write_file_atomically(folder / "a", content);
        CHECK(text(read_file(folder / "a")) == content);
    }
    CHECK(folder.files() == 1);
}

TEST_CASE("file: a missing file, a folder and a file in place of a folder give specific errors") {
    const TemporaryFolder folder;
    write_file_atomically(folder / "a", "abc");
    const std::string missing = (folder / "x.npz").string();
    CHECK(message_of<IoError>([&] { read_file(missing); }) ==
          missing + ": cannot open: No such file or directory");
    CHECK(message_of<IoError>([&] { Npz{fs::path(missing)}; }) ==
          missing + ": cannot open: No such file or directory");
    CHECK(has(message_of<IoError>([&] { read_file(folder.path()); }), "it is a folder"));
    CHECK(has(message_of<IoError>([&] { read_file(folder / "a/b"); }), "Not a directory"));
    CHECK(has(message_of<IoError>([&] { write_file_atomically(folder.path(), "x"); }), "it is a folder"));
    CHECK(has(message_of<IoError>([&] { write_file_atomically(folder / "a/b", "x"); }), "Not a directory"));
    CHECK(has(message_of<IoError>([&] { write_file_atomically(folder / "none/b", "x"); }),
              "none: No such file or directory"));
}

TEST_CASE("file: a file longer than the limit is refused before it is read") {
    const TemporaryFolder folder;
    write_file_atomically(folder / "a", "0123456789");
    CHECK(read_file(folder / "a", 10).size() == 10);
    CHECK(has(message_of<IoError>([&] { read_file(folder / "a", 9); }), "10 bytes exceed the limit of 9"));
    REQUIRE(::truncate((folder / "a").c_str(), off_t{1} << 40) == 0);  // a sparse file of 1 TiB
    CHECK(has(message_of<IoError>([&] { read_file(folder / "a"); }), "exceed the limit of"));
}

TEST_CASE("file: an endless device is refused at the limit") {
    CHECK(has(message_of<IoError>([] { read_file("/dev/zero", 10, 1 << 20); }),
              "more than 1048576 bytes, the limit for a pipe"));
}

TEST_CASE("file: the same bytes again and again are refused long before the limit") {
    CHECK(has(message_of<FileError>([] { read_file("/dev/zero"); }),
              "/dev/zero: the same byte again and again, 16 MiB of them so far: an input without an end"));
}

TEST_CASE("file: the first bytes are checked before the rest is read, and the length where it is known") {
    const TemporaryFolder folder;
    struct Seen {
        std::size_t start;
        std::uint64_t length;
    };
    const auto seen = [](const fs::path& path) {
        Seen first{};
        const Bytes all = read_file(path, [&](ByteView start, std::uint64_t length) {
            first = {start.size(), length};
        });
        CHECK(all.size() >= first.start);
        return first;
    };
    for (const std::size_t length : {std::size_t{0}, std::size_t{5}, start_bytes, 3 * start_bytes + 1}) {
        write_file_atomically(folder / "a", std::string(length, 'x'));
        CHECK(seen(folder / "a").start == std::min(length, start_bytes));
        CHECK(seen(folder / "a").length == length);
    }
    CHECK(seen("/proc/self/status").length == seen("/proc/self/status").start);
    const auto refuse = [](ByteView start, std::uint64_t length) {
        fail("{} of {}", start.size(), length == unknown_length ? "many" : "few");
    };
    CHECK(message_of<Error>([&] { read_file("/dev/zero", refuse); }) == "65536 of many");
}

TEST_CASE("file: an endless device is refused by its first bytes, with the format's message") {
    const std::string again = "the copy or download failed: load it again";
    CHECK(message_of<FileError>([] { return read_npy("/dev/zero"); }) ==
          "/dev/zero: expected an .npy file, got zero bytes and nothing else: " + again);
    CHECK(message_of<FileError>([] { Npz{fs::path("/dev/zero")}; }) ==
          "/dev/zero: expected an .npz, got zero bytes and nothing else: " + again);
    CHECK(message_of<FileError>([] { return read_safetensors("/dev/zero"); }) ==
          "/dev/zero: expected a safetensors file, got zero bytes and nothing else: " + again);
}

TEST_CASE("file: a pipe whose array has an unwanted shape is not read further") {
    const TemporaryFolder folder;
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    const auto handler = std::signal(SIGPIPE, SIG_IGN);
    const Bytes bytes = npy_with("{'descr': '<f4', 'fortran_order': False, 'shape': (512, 512), }", 1 << 20);
    ssize_t written = 0;
    std::thread writer([&] {
        const int to = ::open((folder / "pipe").c_str(), O_WRONLY);
        written = ::write(to, bytes.data(), bytes.size());
        ::close(to);
    });
    const auto refuse = [](const Shape& shape) { fail("unwanted {}", shape); };
    CHECK(message_of<Error>([&] { return read_npy(folder / "pipe", refuse); }) == "unwanted (512, 512)");
    writer.join();
    std::signal(SIGPIPE, handler);
    CHECK(written < ssize_t{1} << 19);
}

TEST_CASE("file: a huge file of something else is refused by its first bytes") {
    const TemporaryFolder folder;
    write_file_atomically(folder / "a", "something else");
    REQUIRE(::truncate((folder / "a").c_str(), off_t{7} << 30) == 0);  // a sparse file
    CHECK_THROWS_AS(read_npy(folder / "a"), FileError);
    CHECK_THROWS_AS(Npz{folder / "a"}, FileError);
    CHECK_THROWS_AS(read_safetensors(folder / "a"), FileError);
    // A valid start, with a shape that does not match the length.
    write_file_atomically(folder / "b",
                          npy_with("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", 0));
    REQUIRE(::truncate((folder / "b").c_str(), off_t{7} << 30) == 0);
    CHECK(
        has(message_of<FileError>([&] { return read_npy(folder / "b"); }), "bytes too many after the last"));
}

TEST_CASE("file: files of unknown length and pipes are read completely") {
    CHECK(has(text(read_file("/proc/self/status")), "Pid:"));
    const TemporaryFolder folder;
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    const std::string content(500'000, 'y');
    std::thread writer([&] { write_file_atomically(folder / "pipe", content); });
    CHECK(text(read_file(folder / "pipe")) == content);
    writer.join();
    CHECK(fs::is_fifo(folder / "pipe"));
}

TEST_CASE("file: - is standard input and standard output") {
    const TemporaryFolder folder;
    write_npy(folder / "x.npy", Tensor{1, 2, 3});
    const int in = ::open((folder / "x.npy").c_str(), O_RDONLY);
    {
        const Redirected input(0, in);
        CHECK(read_npy("-").values() == std::vector<real>{1, 2, 3});
    }
    ::close(in);
    const int out = ::open((folder / "out").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    {
        const Redirected output(1, out);
        write_file_atomically("-", "one ");
        write_file_atomically("/dev/stdout", "two ");
        write_file_atomically("/dev/fd/1", "three");
    }
    ::close(out);
    CHECK(text_of(folder / "out") == "one two three");
    CHECK(folder.files() == 2);
}

TEST_CASE("file: a full device is an error for every format, and remains a device") {
    if (!fs::exists("/dev/full")) SKIP("no /dev/full here");
    const std::string expected = "/dev/full: cannot write: No space left on device";
    CHECK(message_of<IoError>([] { write_file_atomically("/dev/full", "x"); }) == expected);
    CHECK(message_of<IoError>([] { write_npy("/dev/full", Tensor{1, 2}); }) == expected);
    CHECK(message_of<IoError>([] { write_npz("/dev/full", {{"x", Tensor{1, 2}}}); }) == expected);
    CHECK(message_of<IoError>([] { write_safetensors("/dev/full", {{"x", Tensor{1, 2}}}); }) == expected);
    CHECK(fs::is_character_file("/dev/full"));
    const TemporaryFolder folder;
    fs::create_symlink("/dev/full", folder / "link");
    CHECK(has(message_of<IoError>([&] { write_file_atomically(folder / "link", "x"); }), "No space left"));
    const int full = ::open("/dev/full", O_WRONLY);
    const Redirected output(1, full);
    CHECK(has(message_of<IoError>([] { write_file_atomically("-", "x"); }), "standard output: cannot write"));
    ::close(full);
}

TEST_CASE("file: when the disk is full the old file is intact and nothing is left behind") {
    const TemporaryFolder folder;
    write_file_atomically(folder / "a", "old content");
    std::string message, message_new;
    {
        const FullDisk disk(1000);
        message = message_of<IoError>([&] { write_file_atomically(folder / "a", std::string(5000, 'n')); });
        message_new =
            message_of<IoError>([&] { write_file_atomically(folder / "b", std::string(5000, 'n')); });
    }
    CHECK(message == (folder / "a").string() + ": cannot write: File too large");
    CHECK(has(message_new, "cannot write: File too large"));
    CHECK(text_of(folder / "a") == "old content");
    CHECK(folder.files() == 1);
}

TEST_CASE("file: a folder without write permission is reported") {
    CHECK(has(message_of<IoError>([] { write_file_atomically("/proc/x.npy", "x"); }),
              "/proc/x.npy: cannot create a file in /proc: "));
    if (::geteuid() == 0) SKIP("root may write everywhere");
    const TemporaryFolder folder;
    write_file_atomically(folder / "a", "old");
    fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
    CHECK(has(message_of<IoError>([&] { write_file_atomically(folder / "b", "x"); }), "Permission denied"));
    fs::permissions(folder.path(), fs::perms::owner_all);
    fs::permissions(folder / "a", fs::perms::owner_read);
    CHECK(has(message_of<IoError>([&] { write_file_atomically(folder / "a", "x"); }),
              "cannot write: Permission denied"));
    CHECK(text_of(folder / "a") == "old");
}

TEST_CASE("file: symbolic links remain, and their target is written") {
    const TemporaryFolder folder;
    fs::create_directory(folder / "sub");
    write_file_atomically(folder / "sub/target", "old");
    fs::create_symlink("sub/target", folder / "link");
    fs::create_symlink("link", folder / "link to link");
    write_file_atomically(folder / "link to link", "new");
    CHECK(fs::is_symlink(folder / "link"));
    CHECK(fs::is_symlink(folder / "link to link"));
    CHECK(text_of(folder / "sub/target") == "new");

    fs::create_symlink("sub/not yet", folder / "dangling");
    write_file_atomically(folder / "dangling", "made");
    CHECK(fs::is_symlink(folder / "dangling"));
    CHECK(text_of(folder / "sub/not yet") == "made");

    fs::create_symlink("loop", folder / "loop");
    CHECK(has(message_of<IoError>([&] { write_file_atomically(folder / "loop", "x"); }), "Too many levels"));
}

TEST_CASE("file: an existing file keeps its mode, a new one follows the umask") {
    const TemporaryFolder folder;
    const mode_t old_mask = ::umask(027);
    write_file_atomically(folder / "new", "x");
    ::umask(old_mask);
    CHECK(mode_of(folder / "new") == 0640);
    REQUIRE(::chmod((folder / "new").c_str(), 0604) == 0);
    write_file_atomically(folder / "new", "y");
    CHECK(mode_of(folder / "new") == 0604);
}

TEST_CASE("file: a name without a folder is written in the current one") {
    const TemporaryFolder folder;
    const fs::path before = fs::current_path();
    fs::current_path(folder.path());
    write_file_atomically("plain", "x");
    fs::current_path(before);
    CHECK(text_of(folder / "plain") == "x");
}
