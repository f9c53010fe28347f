#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <glassbox/io/detail/bytes.h>

namespace glassbox {

// What the reader of a file is after, which decides what to type instead.
enum class Sought { weights, arrays, text };

// A file as its first bytes name it.
struct FileKind {
    std::string what;      // "a Git LFS pointer to a file of 90868376 bytes"
    std::string advice;    // "git lfs pull fetches the file itself"; may be empty
    bool is_text = false;  // a reader of text could take it: an HTML page, JSON
    bool is_npz = false;   // or could be: a zip that is nothing else
};

// None for plain text, and for bytes of no kind that is known. `start` is the whole file or its first bytes,
// at least some 1,000 if it has as many; `file` its name, for the advice.
std::optional<FileKind> kind_of_file(ByteView start, const std::string& file, Sought sought);

// For a reader that has seen that the file is not one of its own. Throws FileError if the kind is known:
// "model.safetensors: a Git LFS pointer …, where a .safetensors file is needed: git lfs pull …".
// With Sought::text only for what no reader of text can take.
void refuse_other_kind(ByteView start, const std::string& file, Sought sought, std::string_view needed);

// For the start of what is read as text (a StartCheck of file.h): what no reader of text can take, and what a
// device or pipe gives more of than the start, with bytes of 0 in it: /dev/urandom has no end. With
// Sought::arrays only the latter.
std::function<void(ByteView start, std::uint64_t file_bytes)> text_check(const std::filesystem::path& file,
                                                                         std::string_view needed,
                                                                         Sought sought = Sought::text);

// The line that joins a model's shards, "model-00001-of-00004.safetensors", in a folder ("" or "models/").
std::string joined_shards(const std::string& folder);

// A name as a word of a shell, in quotes where it needs them.
std::string shell_word(const std::string& text);

}  // namespace glassbox
