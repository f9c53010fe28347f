#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include <glassbox/random/stream.h>
#include <glassbox/text/vocabulary.h>

namespace glassbox {

// The embedding matrix of a vocabulary, a row for each id (fourth document, "word embedding matrix").
struct WordVectors {
    Tensor table;                      // (vocabulary, d)
    index_t found = 0;                 // words whose row is from the file
    std::vector<std::string> missing;  // words that the file lacks, without <pad>, <start> and <end>
    index_t repeated = 0;              // lines of a word that was there before: the first counts
};

// Random rows from N(0, 1), as in torch.nn.Embedding; that of <pad> is 0.
[[nodiscard]] Tensor random_word_vectors(const Vocabulary& vocabulary, index_t d, Stream& stream);

// From a text file of GloVe or word2vec: a word and its d numbers in each line, separated by spaces;
// word2vec's first line has the number of words and d. A word may contain spaces, as in GloVe's 840B file:
// the last d fields are the numbers. Words are compared in normal form C. Rows that the file lacks are drawn
// from a normal distribution with the mean and variance of the numbers found (N(0, 1) without any); that of
// <pad> is 0. The file is read line by line. Throws FileError with line and reason for a line of fewer
// numbers, for an invalid or non-finite number of a word of the vocabulary, and for a file that ends early;
// IoError if reading fails.
[[nodiscard]] WordVectors read_word_vectors(const std::filesystem::path& file, const Vocabulary& vocabulary,
                                            Stream& stream);

}  // namespace glassbox
