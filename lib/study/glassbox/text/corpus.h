#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/tensor/real.h>

namespace glassbox {

// Lines of UTF-8, ended by \n or \r\n, or by \r where there is no \n; a byte order mark at the beginning is
// left out. Everything else is refused with FileError, which names file, line, byte and reason: bytes that
// are not UTF-8, NUL, and files without any text. IoError if reading fails. Files are read whole: at most 8
// GB, or 1 GB from a pipe.

// Every line; a blank one is empty.
std::vector<std::string> read_lines(const std::filesystem::path& file);

// Sentences in two languages: source[i] and target[i] mean the same.
struct SentencePairs {
    std::vector<std::string> source, target;
    index_t further_columns = 0;  // that were ignored: at most this many in a line
    index_t left_out = 0;         // lines of two files of which one or both were blank
    // How the file was read where it is not just two columns: ids, a header, quotes, entities. For people.
    std::vector<std::string> notes{};
    index_t size() const { return static_cast<index_t>(source.size()); }
};

// Two columns separated by a tab, as the public lists have them; further columns (Tatoeba's attribution) are
// ignored. So are blank lines. A line with one column or with an empty one is refused.
//
// What lists from elsewhere also have is recognised and reported in the notes: ids, scores or codes of the
// languages before the sentences (Tatoeba's "id, text, id, text"); a header; quotes around all cells;
// entities (&auml;), unless the texts have their own &; UTF-8 that was once taken for Windows-1252 (Ã¼).
// Reported and kept: the same text on both sides, swapped sides, UTF-8 that was taken for another encoding.
// Refused with a question: a column of few different texts where two others are more like sentences, a tab in
// quotes.
SentencePairs read_pairs(const std::filesystem::path& file);
SentencePairs parse_pairs(std::string_view bytes, const std::string& file);  // `file` is the name in messages

// Line i of one file and line i of the other. A pair of which one line is blank is left out; files of
// different numbers of lines are refused.
SentencePairs read_pairs(const std::filesystem::path& source, const std::filesystem::path& target);

}  // namespace glassbox
