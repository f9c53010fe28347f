#include <glassbox/io/file.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace glassbox {
namespace {

using Text = std::string_view;
using namespace std::string_view_literals;

// A file to be named: its first bytes, its name as a shell word, and what is sought in it.
struct Unknown {
    Text bytes;
    std::string path, file;  // the name, and the same as a word of a shell
    Sought sought;

    bool begins(Text with, std::size_t at = 0) const {
        return bytes.size() > at && bytes.substr(at).starts_with(with);
    }
    bool holds(Text part) const { return bytes.find(part) != Text::npos; }
    unsigned byte(std::size_t at) const {
        return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0u;
    }
    std::string folder() const { return path.substr(0, path.rfind('/') + 1); }  // npos + 1 is 0
    std::string stem() const {                                                  // "model" of "runs/model.pt"
        const std::size_t slash = path.rfind('/');
        const std::string last = slash == std::string::npos ? path : path.substr(slash + 1);
        const std::size_t dot = last.find('.');
        std::string stem = dot == 0 || dot == std::string::npos ? last : last.substr(0, dot);
        std::erase_if(stem, [](unsigned char c) { return !std::isalnum(c) && c != '-' && c != '_'; });
        return stem.empty() ? "model" : stem;
    }
};

using Kind = std::optional<FileKind>;

Kind binary(std::string what, std::string advice = "") {
    return FileKind{std::move(what), std::move(advice)};
}
Kind textual(std::string what, std::string advice = "") {
    return FileKind{std::move(what), std::move(advice), true};
}
Kind npz(std::string what, std::string advice) {
    return FileKind{std::move(what), std::move(advice), false, true};
}

// What to type for weights or arrays that a program of Python has.
std::string python(const std::string& code) {
    return "python3 -c \"" + code + "\" writes one that can be read";
}

// The name inside a command between double quotes, as Python's text. Names that contain quotes are left to
// the user.
std::string in_python(const Unknown& u) {
    const bool is_plain = u.path.find_first_of("'\"\\$`!") == std::string::npos;
    return is_plain ? "'" + u.path + "'" : "'FILE'";
}

// ---- Python's

// The key of a checkpoint under which the weights are: {"model_state_dict": …, "optimizer": …}.
Text checkpoint_key(const Unknown& u) {
    for (const Text key : {"model_state_dict"sv, "state_dict"sv, "model"sv, "net"sv}) {
        std::string written =
            "X";  // as pickles of protocol 2 write a text: X, four bytes of length, the text
        written += static_cast<char>(key.size());
        written.append(3, '\0');
        if (u.holds(written.append(key))) return key;
    }
    return "";
}

std::string of_torch(const Unknown& u) {
    if (u.sought == Sought::arrays) return "save the numbers with numpy.save(file, x.detach().numpy())";
    if (u.sought == Sought::text) return "";
    const bool is_module = u.holds("torch.nn.modules") && checkpoint_key(u).empty();
    const Text key = checkpoint_key(u);
    const std::string load = "torch.load(" + in_python(u) + ", map_location='cpu'" +
                             (is_module     ? ", weights_only=False).state_dict()"
                              : key.empty() ? ")"
                                            : fmt::format(")['{}']", key));
    return python(fmt::format("import torch, safetensors.torch as s; s.save_file({{k: v.clone().contiguous() "
                              "for k, v in {}.items()}}, '{}.safetensors')",
                              load, u.stem())) +
           (is_module ? " (it runs what the file says: only for a file that you trust)" : "");
}

Kind torch_file(const Unknown& u) {
    const bool is_zip = u.begins("PK\3\4"sv) && (u.holds("/data.pkl") || u.begins("data.pkl", 30));
    const bool is_old = u.begins("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"sv);
    if (!is_zip && !is_old) return {};
    return binary("a file of torch.save, which can run code when it is read", of_torch(u));
}

// Protocol 0, which is text.
bool is_old_pickle(const Unknown& u) {
    for (const Text begin :
         {"(dp0\n"sv, "(lp0\n"sv, "(dp1\n"sv, "(lp1\n"sv, "ccopy_reg\n"sv, "cnumpy"sv, "ccollections\n"sv})
        if (u.begins(begin)) return true;
    return false;
}

Kind pickle(const Unknown& u) {
    const bool is_old = is_old_pickle(u);
    if (!is_old && (u.byte(0) != 0x80 || u.byte(1) < 2 || u.byte(1) > 5)) return {};
    // After the protocol: a frame, or the first of few opcodes.
    const bool is_framed = u.byte(1) >= 4 && u.byte(2) == 0x95;
    if (!is_old && !is_framed && "}](cX)\x8c\x8a"sv.find(static_cast<char>(u.byte(2))) == Text::npos)
        return {};
    return binary("a Python pickle, which can run code when it is read",
                  u.sought == Sought::text ? ""
                  : u.sought == Sought::weights
                      ? "save a dict of NumPy arrays with numpy.savez('" + u.stem() + ".npz', **arrays)"
                      : "save the numbers with numpy.save(file, x)");
}

Kind numpy_file(const Unknown& u) {
    if (!u.begins("\x93NUMPY"sv)) return {};
    if (u.holds("'descr': '|O'"))
        return binary("an .npy file of Python objects, a pickle, which can run code when it is read",
                      u.sought == Sought::weights
                          ? python("import numpy; numpy.savez('" + u.stem() + ".npz', **numpy.load(" +
                                   in_python(u) + ", allow_pickle=True).item())") +
                                " if it is a dict of arrays that you trust"
                          : "");
    return binary("an .npy file of one array",
                  u.sought == Sought::weights
                      ? "weights have names: numpy.savez('" + u.stem() + ".npz', **arrays) keeps them"
                      : "");
}

// ---- weights of other programs

Kind hdf5(const Unknown& u) {
    const Text magic = "\x89HDF\r\n\x1a\n"sv;
    const bool is_matlab = u.begins("MATLAB 7.3 MAT-file");
    if (!u.begins(magic) && !u.begins(magic, 512) && !u.begins(magic, 1024) && !is_matlab) return {};
    if (is_matlab)
        return binary("a MATLAB file (version 7.3)",
                      "in MATLAB writematrix(x, 'x.csv') saves a matrix as text");
    const bool is_keras = u.path.find(".weights.h5") != std::string::npos || u.holds("keras") ||
                          u.holds("layer_names") || u.holds("model_weights");
    return binary(is_keras ? "an HDF5 file, as Keras writes them" : "an HDF5 file (.h5)",
                  u.sought == Sought::text
                      ? ""
                      : python("import h5py, numpy; a = {}; h5py.File(" + in_python(u) +
                               ").visititems(lambda k, v: a.update({k.replace('/', '.'): v[()]}) if "
                               "hasattr(v, 'shape') else None); numpy.savez('" +
                               u.stem() + ".npz', **a)"));
}

Kind matlab(const Unknown& u) {
    const bool is_4 = u.path.ends_with(".mat") && u.bytes.find('\0') != Text::npos;  // has no specific words
    if (!u.begins("MATLAB 5.0 MAT-file") && !is_4) return {};
    return binary("a MATLAB file (.mat)", u.sought == Sought::text
                                              ? ""
                                              : python("import scipy.io, numpy; numpy.savez('" + u.stem() +
                                                       ".npz', **{k: v for k, v in scipy.io.loadmat(" +
                                                       in_python(u) + ").items() if k[0] != '_'})"));
}

Kind gguf(const Unknown& u) {
    if (u.begins("GGUF") && u.byte(4) >= 1 && u.byte(4) <= 8)  // the version
        return binary("a GGUF file, as llama.cpp reads them",
                      "take the model's own model.safetensors, which most GGUF files were made from");
    for (const Text magic : {"lmgg"sv, "fmgg"sv, "tjgg"sv, "algg"sv})
        if (u.begins(magic) && u.bytes.find('\0') != Text::npos)
            return binary("a GGML file, as old versions of llama.cpp read them",
                          "take the model's own model.safetensors");
    return {};
}

// A map whose first key is a short word, as flax.serialization.to_bytes writes a tree of parameters.
Kind msgpack(const Unknown& u) {
    const unsigned map = u.byte(0);
    const std::size_t key = map > 0x80 && map < 0x90 ? 1 : map == 0xDE ? 3 : map == 0xDF ? 5 : 0;
    if (key == 0) return {};
    const unsigned tag = u.byte(key);
    const std::size_t length = tag > 0xA0 && tag < 0xC0 ? tag & 0x1Fu : tag == 0xD9 ? u.byte(key + 1) : 0;
    const std::size_t begin = key + (tag == 0xD9 ? 2 : 1);
    if (length == 0 || begin + length >= u.bytes.size()) return {};
    const Text word = u.bytes.substr(begin, length);
    if (!std::all_of(word.begin(), word.end(), [](unsigned char c) { return c > 0x20 && c < 0x7F; }))
        return {};
    return binary("a msgpack file, as Flax writes them",
                  u.sought == Sought::weights
                      ? "docs/weights_from_flax.py writes a tree of parameters as model.safetensors"
                      : "");
}

Kind other_models(const Unknown& u) {
    if (u.begins("TFL3", 4)) return binary("a TensorFlow Lite model");
    if (u.byte(0) == 8 && u.byte(1) < 0x20 && u.byte(2) == 0x12) {
        const Text head = u.bytes.substr(0, 64);
        for (const Text maker : {"pytorch"sv, "onnx"sv, "tf2onnx"sv})
            if (head.find(maker) != Text::npos)
                return binary("an ONNX model",
                              u.sought == Sought::weights
                                  ? python("import onnx, numpy; from onnx import numpy_helper as h; "
                                           "numpy.savez('" +
                                           u.stem() + ".npz', **{t.name: h.to_array(t) for t in onnx.load(" +
                                           in_python(u) + ").graph.initializer})")
                                  : "");
    }
    return {};
}

Kind safetensors(const Unknown& u) {
    if (u.byte(8) != '{') return {};
    const auto length = load_little_endian<std::uint64_t>(std::as_bytes(std::span(u.bytes)).data());
    if (length < 2 || length > 100'000'000) return {};
    return binary("a safetensors file", "its name must end in .safetensors");
}

// ---- archives and documents

Kind zip(const Unknown& u) {
    if (!u.begins("PK\3\4"sv) && !u.begins("PK\5\6"sv)) return {};
    if (u.begins("PK\5\6"sv)) return binary("an empty zip");
    const auto arrays = [&] {
        return npz("an .npz of arrays", u.sought == Sought::text ? "" : "its name must end in .npz");
    };
    // By its first member: the numbers of arrays may hold any of the words below.
    if (u.bytes.substr(std::min<std::size_t>(30, u.bytes.size()), u.byte(26) + 256 * u.byte(27))
            .ends_with(".npy"))
        return arrays();
    for (const auto& [part, what] :
         {std::pair{"xl/"sv, "an Excel workbook (.xlsx)"}, std::pair{"word/"sv, "a Word document (.docx)"},
          std::pair{"[Content_Types].xml"sv, "an Office document"},
          std::pair{"vnd.oasis.opendocument"sv, "an OpenDocument file"}})
        if (u.holds(part))
            return binary(what, u.sought == Sought::arrays || u.holds("xl/") || u.holds("spreadsheet")
                                    ? "save the sheet as CSV"
                                    : "save it as plain text");
    if (u.holds("model.weights.h5"))
        return binary("a Keras model (.keras)", "unzip " + u.file + " takes model.weights.h5 out of it");
    if (u.holds(".npy")) return arrays();
    return npz("a zip", "unzip " + u.file + " takes its files out");
}

Kind packed(const Unknown& u) {
    struct Packing {
        Text magic;
        const char *what, *unpack;
    };
    constexpr std::array packings{
        Packing{"\x1F\x8B\x08"sv, "a gzip archive", "gunzip"},
        Packing{"BZh"sv, "a bzip2 archive", "bunzip2"},
        Packing{"\xFD\x37zXZ\0"sv, "an xz archive", "unxz"},
        Packing{"\x28\xB5\x2F\xFD"sv, "a Zstandard archive", "unzstd"},
        Packing{"\x04\x22\x4D\x18"sv, "an lz4 archive", "unlz4"},
        Packing{"7z\xBC\xAF\x27\x1C"sv, "a 7-Zip archive", "7z x"},
        Packing{"Rar!\x1A\x07"sv, "a RAR archive", "unrar x"},
        Packing{"\x1F\x9D"sv, "a compressed file (.Z)", "uncompress"},
    };
    for (const Packing& each : packings)
        if (u.begins(each.magic) && (each.magic != "BZh"sv || u.begins("1AY&SY", 4)))
            return binary(each.what, fmt::format("{} {} unpacks it", each.unpack, u.file));
    if (u.begins("ustar", 257)) return binary("a tar archive", "tar -xf " + u.file + " takes its files out");
    return {};
}

Kind document(const Unknown& u) {
    struct Signature {
        std::size_t at;
        Text magic;
        const char* what;
    };
    constexpr std::array signatures{
        Signature{0, "%PDF-"sv, "a PDF"},
        Signature{0, "\x89PNG\r\n"sv, "a PNG picture"},
        Signature{0, "\xFF\xD8\xFF"sv, "a JPEG picture"},
        Signature{0, "GIF87a"sv, "a GIF picture"},
        Signature{0, "GIF89a"sv, "a GIF picture"},
        Signature{0, "II*\0"sv, "a TIFF picture"},
        Signature{0, "MM\0*"sv, "a TIFF picture"},
        Signature{8, "WEBP"sv, "a WebP picture"},
        Signature{8, "WAVEfmt"sv, "a WAV sound"},
        Signature{0, "fLaC\0"sv, "a FLAC sound"},
        Signature{0, "OggS\0"sv, "an Ogg sound"},
        Signature{0, "PAR1"sv, "a Parquet file"},
        Signature{0, "ARROW1\0"sv, "an Arrow file (Feather)"},
        Signature{0, "FEA1"sv, "a Feather file"},
        Signature{0, "Obj\x01"sv, "an Avro file"},
        Signature{0, "SQLite format 3\0"sv, "an SQLite database"},
        Signature{0, "RDX3\n"sv, "a file of R (.RData)"},
        Signature{0, "RDX2\n"sv, "a file of R (.RData)"},
        Signature{0, "CDF\x01"sv, "a NetCDF file"},
        Signature{0, "CDF\x02"sv, "a NetCDF file"},
        Signature{0, "CDF\x05"sv, "a NetCDF file"},
        Signature{0, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"sv, "an old Office document (.xls, .doc)"},
        Signature{0,
                  "\x7F"
                  "ELF"sv,
                  "a program or library"},
        Signature{0, "MZ\x90\0"sv, "a Windows program"},
        Signature{0, "\xCF\xFA\xED\xFE"sv, "a program of macOS"},
        Signature{0, "\0\x05\x16\x07"sv, "a file of macOS's Finder (._NAME), not the file itself"},
    };
    for (const Signature& each : signatures)
        if (u.begins(each.magic, each.at)) {
            const bool is_table = Text(each.what).find("Parquet") != Text::npos ||
                                  Text(each.what).find("Feather") != Text::npos;
            return binary(each.what,
                          is_table && u.sought != Sought::weights ? "pandas' to_csv writes it as text" : "");
        }
    return {};
}

// ---- text in place of something else

std::size_t text_begin(const Unknown& u) {
    const std::size_t mark = u.begins("\xEF\xBB\xBF"sv) ? 3 : 0;
    return std::min(u.bytes.find_first_not_of(" \t\r\n", mark), u.bytes.size());
}

bool begins_as(Text text, Text lower) {  // whatever the case
    return text.size() >= lower.size() &&
           std::equal(lower.begin(), lower.end(), text.begin(),
                      [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
}

Kind lfs_pointer(const Unknown& u) {
    if (!u.begins("version https://git-lfs.github.com/spec/")) return {};
    std::string size;
    if (const std::size_t at = u.bytes.find("\nsize "); at != Text::npos) {
        for (const char c : u.bytes.substr(at + 6, 20))
            if (c >= '0' && c <= '9') size += c;
            else break;
    }
    return binary("a Git LFS pointer" + (size.empty() ? "" : " to a file of " + size + " bytes"),
                  "type git lfs pull in its folder, which fetches the file itself");
}

Kind page(const Unknown& u) {
    const Text text = u.bytes.substr(text_begin(u));
    const char* again = "the download gave a page, not the file: load it again";
    if (begins_as(text, "<!doctype html") || begins_as(text, "<html") || begins_as(text, "<head"))
        return textual("an HTML page", again);
    if (begins_as(text, "<?xml"))
        return textual(u.holds("<Error>") ? "an error message of a server, in XML" : "an XML file",
                       u.holds("<Error>") ? again : "");
    for (const Text message :
         {"Entry not found"sv, "Repository not found"sv, "Invalid username or password"sv,
          "Access to model "sv, "404: Not Found"sv, "Not Found"sv, "Forbidden"sv})
        if (text.starts_with(message) && u.bytes.size() < 1000)
            return textual(
                "a server's answer, \"" + printable(text.substr(0, text.find_first_of("\r\n")), 80) + "\"",
                "load the file again");
    return {};
}

Kind json(const Unknown& u) {
    const Text text = u.bytes.substr(text_begin(u));
    if (!text.starts_with('{') && !text.starts_with("[")) return {};
    if (u.holds("\"weight_map\""))
        return textual("an index of a model's shards, without numbers",
                       u.sought == Sought::weights ? joined_shards(u.folder()) : "");
    if (u.holds("\"model_type\"") || u.holds("\"architectures\""))
        return textual("a model's config.json, without numbers",
                       "model.safetensors next to it has the weights");
    const Text inner = text.substr(std::min(text.find_first_not_of(" \t\r\n", 1), text.size()));
    const bool is_list = text.starts_with('[') && (inner.starts_with('{') || inner.starts_with('"'));
    if ((text.starts_with('{') || is_list) && u.holds("\"")) return textual("JSON");
    if (text.starts_with('{') && u.holds("}")) return textual("JSON");
    return {};
}

bool is_plain(unsigned c) { return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c < 0x7F); }

// Whether every second byte, from `zero` on, is 0 and the others are plain characters.
bool is_wide(const Unknown& u, std::size_t zero) {
    const std::size_t pairs = std::min<std::size_t>(u.bytes.size() / 2, 32);
    for (std::size_t i = 0; i < pairs; ++i)
        if (u.byte(2 * i + zero) != 0 || !is_plain(u.byte(2 * i + 1 - zero))) return false;
    return pairs >= 4;
}

Kind wide_text(const Unknown& u) {
    const char* name = u.begins("\xFF\xFE\0\0"sv) || u.begins("\0\0\xFE\xFF"sv) ? "UTF-32"
                       : u.begins("\xFF\xFE"sv) || u.begins("\xFE\xFF"sv)       ? "UTF-16"
                       : is_wide(u, 1) ? "UTF-16LE"  // without a mark
                       : is_wide(u, 0) ? "UTF-16BE"
                                       : nullptr;
    if (!name) return {};
    return binary(fmt::format("text in {}", name),
                  fmt::format("iconv -f {} -t UTF-8 {} > utf8.txt converts it", name, u.file));
}

Kind zeros(const Unknown& u) {
    if (u.bytes.size() < 64 || u.bytes.find_first_not_of('\0') != Text::npos) return {};
    return binary("zero bytes and nothing else", "the copy or download failed: load it again");
}

// In this order, the exact ones before those that look at less.
constexpr std::array kinds{lfs_pointer,  torch_file, numpy_file, safetensors, gguf,   hdf5,
                           matlab,       zip,        packed,     document,    page,   json,
                           other_models, zeros,      wide_text,  pickle,      msgpack};

}  // namespace

std::string joined_shards(const std::string& folder) {
    const bool is_plain = folder.find_first_of("'\"\\$`!") == std::string::npos;
    return fmt::format(
        "python3 -c \"import glob, safetensors.torch as s; a = {{}}; [a.update(s.load_file(f)) for f in "
        "glob.glob('{}*-of-*.safetensors')]; s.save_file(a, 'model.safetensors')\" joins them",
        is_plain ? folder : "");
}

std::string shell_word(const std::string& text) {
    const bool is_plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return std::isalnum(c) || c >= 0x80 || Text("-_./+,:=@%").find(static_cast<char>(c)) != Text::npos;
    });
    if (is_plain) return text;
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

std::optional<FileKind> kind_of_file(ByteView start, const std::string& file, Sought sought) {
    // Sources without a path, standard input and a member of a zip, cannot be typed.
    const bool has_path = file != "standard input" && file.find(": member '") == std::string::npos;
    const Unknown unknown{as_text(start).substr(0, start_bytes), has_path ? file : "FILE",
                          has_path ? shell_word(file) : "FILE", sought};
    for (const auto& kind : kinds)
        if (Kind found = kind(unknown)) return found;
    return {};
}

void refuse_other_kind(ByteView start, const std::string& file, Sought sought, std::string_view needed) {
    const std::optional<FileKind> kind = kind_of_file(start, file, sought);
    if (!kind || (sought == Sought::text && kind->is_text)) return;
    throw FileError(fmt::format("{}: expected {}, got {}{}{}", file, needed, kind->what,
                                kind->advice.empty() ? "" : ": ", kind->advice));
}

std::function<void(ByteView, std::uint64_t)> text_check(const std::filesystem::path& file,
                                                        std::string_view needed, Sought sought) {
    return [name = display_name(file), needed = std::string(needed), sought](ByteView start,
                                                                             std::uint64_t bytes) {
        const bool is_binary = bytes == unknown_length && as_text(start).find('\0') != Text::npos;
        if (sought == Sought::text || is_binary) refuse_other_kind(start, name, sought, needed);
        if (is_binary) fail<FileError>("{}: expected {}, got zero bytes", name, needed);
    };
}

}  // namespace glassbox
