#pragma once
#include <filesystem>
#include <string>

namespace glassbox_test {

// Checks that a printed text is what the file tests/FOLDER/transcripts/NAME.txt has, to the character; `name`
// is "FOLDER/NAME", the folder that of the calling test. `./dev test --update` writes the file. A transcript
// shows that the layout is as somebody approved it, and not that the numbers are right: check them from
// another source, too. Its numbers must be the same on every processor: show so few digits that rounding is
// not seen.
void check_transcript(const std::string& name, const std::string& text);

// What is wrong with a transcript, in lines to be read; "" where it is `text`. With `update` a file that is
// missing or different is written, which is said on standard output.
std::string transcript_fault(const std::filesystem::path& file, const std::string& text, bool update);

}  // namespace glassbox_test
