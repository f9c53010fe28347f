// Contents of files and arguments never reach a terminal unescaped, and no file can imitate the program's
// messages.
#include <glassbox/io/numpy.h>
#include <glassbox/io/safetensors.h>
#include <glassbox/io/text.h>

#include "command.h"
#include "support/catch.h"

using namespace glassbox_test;
using glassbox::Tensor;

namespace {

const std::vector<std::string> hostile = {
    "\x1b]0;owned\x07",       // a terminal's title
    "\x1b[2J\x1b[31mowned",   // clears the screen
    "a\rb\x08\x7f",           // overwrites itself
    "x\nerror: all is well",  // a separate line
    "\xc2\x9b"
    "31m",                        // CSI in one character
    "\u202eowned\u2066\u200f",    // reverses direction
    "a\u2028error: all is well",  // another line break
    "\xff\xfe\xc3",               // not UTF-8
};

// The positions where a text contains forbidden characters, or starts a line like the program's messages.
std::string complaint(const std::string& text) {
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length =
            text[i] == '\n' || text[i] == '\t' ? 1 : glassbox::printable_length(text, i);
        if (length == 0)
            return "at byte " + std::to_string(i) + ": " + glassbox::printable(text.substr(i), 40);
        i += length;
    }
    const bool forged =
        text.find("error: all is well") == 0 || text.find("\nerror: all is well") != std::string::npos;
    return forged ? "a forged line" : "";
}

void check_quiet(const std::vector<std::string>& words) {
    const Ran ran = tracer_run(words);
    CAPTURE(words.front(), glassbox::printable(ran.out, 400), glassbox::printable(ran.err, 400));
    CHECK(ran.code < 5);
    CHECK(complaint(ran.out) == "");
    CHECK(complaint(ran.err) == "");
}

void append(std::string& bytes, std::uint64_t number, int size) {
    for (int i = 0; i < size; ++i) bytes += static_cast<char>(number >> 8 * i);
}

// A safetensors file with this metadata and one tensor of any name; JSON unescaped.
std::string safetensors_of(const std::string& metadata, const std::string& name) {
    const std::string header = "{\"__metadata__\":{" + metadata + "},\"" + name +
                               "\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}";
    std::string bytes;
    append(bytes, header.size(), 8);
    return bytes + header + std::string(4, '\0');
}

std::string in_json(const std::string& text) {
    std::string escaped;
    for (const char c : text)
        escaped += static_cast<unsigned char>(c) < 0x20 ? fmt::format("\\u{:04x}", static_cast<int>(c))
                                                        : std::string(1, c);
    return escaped;
}

}  // namespace

TEST_CASE(
    "hostile: names in weight files, checkpoints and their settings are escaped wherever they are shown") {
    const Folder folder;
    for (const std::string& text : hostile) {
        const std::string name = in_json(text), file = folder / "f.safetensors";
        write(file, safetensors_of("\"a\":\"b\"", name));
        for (const char* command : {"multihead", "encoder", "transformer", "positional"})
            check_quiet({command, "--weights", file});
        check_quiet({"check-file", file});
        for (const char* key : {"task", "convention", "batch", "pooling", "glassbox.step", "seq"}) {
            std::string metadata =
                "\"glassbox.checkpoint\":\"1\",\"task\":\"reverse\",\"convention\":\"uva-jax\"";
            if (std::string(key) == "task") metadata = "\"x\":\"y\"";
            write(file, safetensors_of(metadata + ",\"" + key + "\":\"" + name + "\"", "w"));
            check_quiet({"train", "reverse", "--resume", file});
            check_quiet({"predict", "reverse", "1 2", "--weights", file});
            check_quiet({"check-file", file});
        }
    }
}

TEST_CASE("hostile: names of arrays and text in logs and headers are escaped, too") {
    const Folder folder;
    for (const std::string& text : hostile) {
        const std::string npz = folder / "f.npz", npy = folder / "f.npy", log = folder / "run.jsonl";
        if (text.find_first_of("\x1b\n\r\x08") == std::string::npos && glassbox::is_utf8(text)) {
            glassbox::write_npz(npz, {{text, Tensor{1, 2}}, {"b", Tensor{1}}});
            for (const char* command : {"attention", "multihead"}) {
                check_quiet({command, "--input", npz});
                check_quiet({command, "--mask", npz});
            }
            check_quiet({"train", "anomaly", "--features", npz});
            check_quiet({"check-file", npz});
        }
        write(npy, "\x93NUMPY\x01" + std::string(1, '\0') + "\x40" + std::string(1, '\0') + "{'descr': '" +
                       text + std::string(40, ' '));
        check_quiet({"attention", "--mask", npy});
        write(log, "{\"event\":\"start\",\"schema\":1,\"task\":\"" + in_json(text) + "\",\"convention\":\"" +
                       text + "\",\"seed\":1,\"config\":{}}\n{\"event\":\"" + in_json(text) + "\"}\n");
        check_quiet({"plot", log});
        check_quiet({"check-file", log});
    }
}

TEST_CASE("hostile: arguments and file names are escaped as well") {
    const Folder folder;
    for (const std::string& text : hostile) {
        check_quiet({text});
        check_quiet({"attention", "--" + text});
        check_quiet({"attention", "--seq", text});
        check_quiet({"attention", "--mask", text});
        check_quiet({"attention", "--only", text});
        check_quiet({"encoder", "--text", text});
        check_quiet({"encoder", "--text", text, "--map"});
        check_quiet({"encoder", "--text", text, "--format", "json"});
        check_quiet({"transformer", "--text", text, "--target", text});
        check_quiet({"train", "reverse", "--rate", text});
        check_quiet({"train", text});
        check_quiet({"predict", "reverse", text});
        check_quiet({"plot", folder / text});
        check_quiet({"check-file", folder / text + ".npz"});
    }
}

TEST_CASE("hostile: where there are colours, only the program's own are output") {
    const Ran ran = tracer_run(
        {"encoder", "--text", "\x1b[31mowned \x1b]0;x\x07", "--color", "always", "--only", "attention"});
    CHECK(ran.out.find("\x1b[48;5;") != std::string::npos);
    CHECK(ran.out.find('\x07') == std::string::npos);
    CHECK(ran.out.find("\x1b]") == std::string::npos);
}

TEST_CASE("hostile: a long silence is ended by a progress message") {
    const Ran ran = tracer_run({"attention", "--grad", "--seq", "40"}, {.set = {"GLASSBOX_PATIENCE=0.01"}});
    CHECK(ran.code == 0);
    CHECK(ran.err.find("tracer attention: 0 s so far") == 0);
    for (const char* patience : {"1e10", "1e300", "inf", "nan", "-1"})
        CHECK(tracer_run({"attention", "--grad"}, {.set = {std::string("GLASSBOX_PATIENCE=") + patience}})
                  .err == "");
}

TEST_CASE("hostile: a language that cannot be one reaches nobody's terminal") {
    const Folder folder;
    for (const char* name : {"LANG", "LC_ALL", "FC_LANG"}) {
        const Ran ran = tracer_run({"attention", "--map", folder / "map.png"},
                                   {.set = {std::string(name) + "=\x1b[31mX"}});
        CHECK(ran.err.find('\x1b') == std::string::npos);
    }
}

TEST_CASE("hostile: limits of file size and address space give an error message, and leave nothing behind") {
    const Folder folder;
    const auto limited = [&](const std::string& limit, const std::string& command) {
        return run_program({"-c", "ulimit " + limit + "; exec \"" GLASSBOX_TRACER "\" " + command},
                           {.program = "/bin/sh"});
    };
    const Ran file = limited("-f 1", "multihead --seq 100 -o " + folder / "f.npz");
    CHECK(file.code == 4);
    CHECK(file.err == "error: " + folder / "f.npz: cannot write: File too large\n");
    CHECK(std::filesystem::is_empty(folder / ""));
}

TEST_CASE("hostile: a file's name that is a colour is escaped, beside the colours of the command") {
    const Folder folder;
    const std::string file = folder / "\x1b[1mw.safetensors";
    REQUIRE(run_program({"attention", "--din", "2", "--save-weights", file}).code == 0);
    const Ran ran = run_program({"attention", "--din", "2", "--weights", file, "--color", "always"});
    CHECK(has(ran.out, "\\x1b[1mw.safetensors"));
    CHECK_FALSE(has(ran.out, "\x1b[1mw"));
}

TEST_CASE("hostile: a word that is a colour is escaped, beside the colours of the command") {
    for (const std::string word : {"\x1b[5;33;45m", "\x1b[1mowned", "\x1b[0m"})
        for (const char* line : {"transformer --target x --text", "transformer --text x --target",
                                 "transformer --target x --only softmax --text", "predictor --text",
                                 "shift --target x --text"}) {
            std::vector<std::string> all = words(line);
            all.insert(all.end(), {word, "--color", "always"});
            const Ran ran = run_program(all);
            CAPTURE(line, glassbox::printable(ran.out, 2000), glassbox::printable(ran.err, 400));
            CHECK(ran.code == 0);
            CHECK(has(ran.out, glassbox::printable(word)));
            if (word != "\x1b[0m") CHECK_FALSE(has(ran.out, word));
        }
}

TEST_CASE("hostile: an input without an end is refused at its beginning, whatever reads it") {
    for (const char* device : {"/dev/zero", "/dev/urandom"})
        for (const char* command : {"plot ", "check attention ", "train translate --pairs ",
                                    "train forecast --series ", "train text --corpus "}) {
            INFO(command << device);
            const Ran ran = run_program(words(std::string(command) + device));
            INFO(ran.err);
            CHECK(ran.code == 3);
            CHECK((has(ran.err, "got zero bytes") || has(ran.err, "zero bytes and nothing else")));
        }
}
