// What a file is, by its first bytes, and what its reader says.
#include <glassbox/io/file.h>
#include <glassbox/io/numpy.h>
#include <glassbox/io/safetensors.h>

#include "io/io_support.h"

using namespace glassbox;
using namespace glassbox_test;
using namespace std::string_view_literals;

namespace {

struct Brought {
    std::string_view bytes;
    std::string what, advice;  // a part of it
};

std::string zip_with(std::string_view name, std::string_view content) {
    std::string zip("PK\3\4\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x09\0\0\0", 30);
    return zip.append(name).append(content);
}

const std::string torch_zip = zip_with("archive/data.pkl", "\x80\x02}q\0");
const std::string torch_nested =
    zip_with("archive/data.pkl", "\x80\x02}q\0(X\x05\0\0\0epochK\3X\x10\0\0\0model_state_dictq\1"sv);
const std::string torch_module = zip_with("m/data.pkl",
                                          "\x80\x02"
                                          "ctorch.nn.modules.transformer\nX\x08\0\0\0_modules");
const std::string torch_old("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02M", 17);
const std::string keras = zip_with("config.json", "{}PK\3\4model.weights.h5");
const std::string excel = zip_with("[Content_Types].xml", "<Types/>PK\3\4xl/workbook.xml");
const std::string matlab_7 =
    "MATLAB 7.3 MAT-file, Platform: GLNXA64" + std::string(500, ' ') + "\x89HDF\r\n\x1a\n";
const std::string tar = std::string(257, 'a') + "ustar  ";
const std::string zeros(64, '\0');

const std::vector<Brought>& brought() {
    static const std::vector<Brought> all = {
        {"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 90868376\n",
         "a Git LFS pointer to a file of 90868376 bytes", "git lfs pull"},
        {torch_zip, "a file of torch.save", "torch.load('m.pt', map_location='cpu').items()"},
        {torch_nested, "a file of torch.save", "map_location='cpu')['model_state_dict'].items()"},
        {torch_module, "a file of torch.save", "weights_only=False).state_dict()"},
        {torch_old, "a file of torch.save", "torch.load('m.pt'"},
        {"\x80\x04\x95\x10\0\0\0\0\0\0\0}"sv, "a Python pickle", "numpy.savez"},
        {"\x80\x03}q\0"sv, "a Python pickle", "numpy.savez"},
        {"(dp0\nVw\np1\n", "a Python pickle", "numpy.savez"},
        {"\x93NUMPY\1\0\x76\0{'descr': '|O', 'fortran_order': False, 'shape': (), }"sv,
         "an .npy file of Python objects", "allow_pickle=True"},
        {"\x93NUMPY\1\0\x76\0{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"sv,
         "an .npy file of one array", "numpy.savez"},
        {"GGUF\3\0\0\0\x12\1\0\0"sv, "a GGUF file", "model.safetensors"},
        {"\x89HDF\r\n\x1a\n\0\0\0\0 layer_names"sv, "an HDF5 file, as Keras writes them",
         "h5py.File('m.pt')"},
        {"\x89HDF\r\n\x1a\n\0\0\0\0"sv, "an HDF5 file (.h5)", "h5py"},
        {"MATLAB 5.0 MAT-file, Platform: GLNXA64", "a MATLAB file", "scipy.io.loadmat('m.pt')"},
        {matlab_7, "a MATLAB file (version 7.3)", "writematrix"},
        {"\x81\xa6params\x82\xa7"
         "Dense_0\x82",
         "a msgpack file", "weights_from_flax.py"},
        {"\x08\x07\x12\x07pytorch\x1a\x05", "an ONNX model", "onnx.load('m.pt')"},
        {"\x1c\0\0\0TFL3\0"sv, "a TensorFlow Lite model", ""},
        {keras, "a Keras model (.keras)", "unzip m.pt"},
        {excel, "an Excel workbook", "CSV"},
        {"PK\3\4\x14\0\0\0\0\0"sv, "a zip", "unzip m.pt"},
        {"\x1f\x8b\x08\0\0\0\0\0"sv, "a gzip archive", "gunzip m.pt"},
        {"BZh91AY&SY..", "a bzip2 archive", "bunzip2"},
        {"\xfd"
         "7zXZ\0\0"sv,
         "an xz archive", "unxz"},
        {"\x28\xb5\x2f\xfd....", "a Zstandard archive", "unzstd"},
        {tar, "a tar archive", "tar -xf m.pt"},
        {"%PDF-1.7\n", "a PDF", ""},
        {"\x89PNG\r\n\x1a\n", "a PNG picture", ""},
        {"\xff\xd8\xff\xe0", "a JPEG picture", ""},
        {"PAR1....", "a Parquet file", ""},
        {"\n<!DOCTYPE HTML><html>", "an HTML page", "load it again"},
        {"<html lang=\"en\">", "an HTML page", "load it again"},
        {"\xef\xbb\xbf<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code></Error>",
         "an error message of a server", "load it again"},
        {"Entry not found", "a server's answer, \"Entry not found\"", "load the file again"},
        {"{\"metadata\": {\"total_size\": 8}, \"weight_map\": {\"a\": \"model-00001-of-00002.safetensors\"}}",
         "an index of a model's shards", "safetensors.torch"},
        {"{\n  \"architectures\": [\"BertModel\"],\n", "a model's config.json", "model.safetensors"},
        {"{\"a\": [1, 2]}", "JSON", ""},
        {"[ {\"a\": 1}, {\"a\": 2} ]", "JSON", ""},
        {"\xff\xfe"
         "a\0b\0c\0"sv,
         "text in UTF-16", "iconv -f UTF-16 -t UTF-8 m.pt"},
        {"0\0.\0"
         "5\0 \0"
         "1\0"sv,
         "text in UTF-16LE", "iconv -f UTF-16LE"},
        {"\0"
         "0\0.\0"
         "5\0 \0"
         "1"sv,
         "text in UTF-16BE", "iconv -f UTF-16BE"},
        {zeros, "zero bytes and nothing else", "load it again"},
    };
    return all;
}

}  // namespace

TEST_CASE("a file is named for what its first bytes are, with what to type") {
    for (const Brought& each : brought()) {
        const auto kind = kind_of_file(bytes_of(each.bytes), "m.pt", Sought::weights);
        CAPTURE(each.what);
        REQUIRE(kind);
        CAPTURE(kind->what, kind->advice);
        CHECK(has(kind->what, each.what));
        CHECK(has(kind->advice, each.advice));
    }
}

TEST_CASE("plain text, numbers and unknown bytes are of no other kind") {
    for (const std::string_view plain :
         {""sv, "0.1 0.2\n0.3 0.4\n"sv, "# a line\n1 2"sv, "BZh is a word"sv, "MZ, II and MM"sv,
          "[[1, 2], [3, 4]]"sv, "version 1.0"sv, "GIF is a format"sv, "GGUF is a format, too\n"sv,
          "\xef\xbb\xbf"
          "date,value\n"sv,
          "Je suis\tI am\n"sv, "\xd0\x9f\xd1\x80\tHi"sv, "Obj,1\n"sv, "x\0y"sv,
          "\0"
          "1"sv,
          "\x01\x02\x03\x04\x05\x06\x07\x08\x09"sv, "tensor([[0.1, 0.2]])"sv, "MATLAB is a program"sv})
        CHECK_FALSE(kind_of_file(bytes_of(plain), "x", Sought::text));
}

TEST_CASE("a reader of text refuses what is no text, and takes pages and JSON") {
    for (const Brought& each : brought()) {
        const Bytes bytes = bytes_of(each.bytes);
        CAPTURE(each.what);
        if (kind_of_file(bytes, "m", Sought::text)->is_text)
            CHECK_NOTHROW(refuse_other_kind(bytes, "m", Sought::text, "text"));
        else
            CHECK(has(message_of<FileError>([&] { refuse_other_kind(bytes, "m", Sought::text, "text"); }),
                      ", got " + each.what));
    }
}

TEST_CASE("readers of arrays say which other file they were given") {
    const TemporaryFolder folder;
    for (const Brought& each : brought()) {
        CAPTURE(each.what);
        const auto check = [&](const char* name, auto read) {
            const std::filesystem::path path = folder / name;
            write_file_atomically(path, each.bytes);
            const std::string message = message_of<FileError>([&] { read(path); });
            CHECK(message.starts_with(path.string() + ": expected "));
            CHECK(has(message, ", got " + each.what));
        };
        check("m.safetensors", [](const auto& path) { (void)read_safetensors(path); });
        if (!each.bytes.starts_with("\x93NUMPY"))
            check("m.npy", [](const auto& path) { (void)read_npy(path); });
        if (!each.bytes.starts_with("PK")) check("m.npz", [](const auto& path) { (void)Npz(path); });
    }
}

TEST_CASE("safetensors, npz and npy under another's name are named") {
    const Bytes tensors = format_safetensors({{"w", Tensor{1}}}), zip = format_npz({{"w", Tensor{1}}}),
                array = format_npy(Tensor{1});
    CHECK(kind_of_file(tensors, "m", Sought::weights)->what == "a safetensors file");
    CHECK(kind_of_file(zip, "m", Sought::weights)->what == "an .npz of arrays");
    CHECK(kind_of_file(array, "m", Sought::weights)->what == "an .npy file of one array");
    CHECK(
        has(message_of<FileError>([&] { (void)parse_safetensors(zip, "m.safetensors"); }),
            "m.safetensors: expected a safetensors file, got an .npz of arrays: its name must end in .npz"));
    CHECK(has(message_of<FileError>([&] { (void)parse_npy(zip, "m.npy"); }),
              "m.npy: expected an .npy file, got an .npz of arrays"));
    CHECK(has(message_of<FileError>([&] { (void)Npz::parse(array, "m.npz"); }),
              "m.npz: expected an .npz, got an .npy file of one"));
    CHECK(has(message_of<FileError>([&] { (void)Npz::parse(tensors, "m.npz"); }),
              "m.npz: expected an .npz, got a safetensors file"));
}

TEST_CASE("what is to be typed has the file's name in quotes where a shell needs them") {
    const auto advice = [](const std::string& file, std::string_view bytes) {
        return kind_of_file(bytes_of(bytes), file, Sought::weights)->advice;
    };
    CHECK(shell_word("a b.gz") == "'a b.gz'");
    CHECK(shell_word("it's") == "'it'\\''s'");
    CHECK(shell_word("models/é-1.gz") == "models/é-1.gz");
    CHECK(advice("my model.gz", "\x1f\x8b\x08") == "gunzip 'my model.gz' unpacks it");
    CHECK(advice("standard input", "\x1f\x8b\x08") == "gunzip FILE unpacks it");
    CHECK(has(advice("my model.pt", torch_zip), "torch.load('my model.pt', "));
    CHECK(has(advice("runs/best.v2.pt", torch_zip), "'best.safetensors')"));
    CHECK(has(advice("a\"; rm -r x; \".pt", torch_zip), "torch.load('FILE', "));
}
