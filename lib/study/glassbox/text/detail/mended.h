#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/tensor/real.h>

namespace glassbox::detail {

// Sentences as they were meant: those from the web have entities (&auml;), and UTF-8 that a program took for
// Windows-1252 (Ã¼). A text with its own & is unchanged. First every line is examined, then each sentence
// repaired; the notes report what was found.
class Mending {
  public:
    void look_at(std::string_view line);
    std::string mended(std::string_view sentence);
    std::vector<std::string> notes() const;

  private:
    bool reads_entities() const;

    index_t characters_ = 0, escapes_ = 0,
            bare_ = 0;       // &auml; and &#246;; &amp; &lt; …; & and < by themselves
    std::string example_{};  // of an entity
    index_t mended_entities_ = 0, mistaken_ = 0, half_mistaken_ = 0, lost_ = 0;  // sentences
    std::string mistaken_example_{}, meant_example_{};
    index_t tagged_ = 0, escaped_ = 0, invisible_ = 0;  // sentences: <br/>; \n of two characters; U+200B
    std::string tag_{}, escape_{};
    index_t of_mac_ = 0, of_cyrillic_ = 0;  // sentences whose UTF-8 was taken for these
    std::string mac_example_{}, cyrillic_example_{};
};

// What a text was before its UTF-8 was read as Windows-1252: "Ã¼" → "ü". None if it was not, or if that is
// unclear.
std::optional<std::string> before_windows_1252(std::string_view text);

}  // namespace glassbox::detail
