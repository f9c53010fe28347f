// Pairs as public lists have them: ids, headers, quotes, entities, and UTF-8 that was read as something else.
#include <glassbox/text/corpus.h>
#include <glassbox/text/detail/mended.h>

#include "support/catch.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

using Texts = std::vector<std::string>;

SentencePairs parsed(const std::string& bytes) { return parse_pairs(bytes, "pairs.tsv"); }

// "a=b, c=d"
std::string read(const std::string& bytes) {
    const SentencePairs pairs = parsed(bytes);
    std::string text;
    for (std::size_t i = 0; i < pairs.source.size(); ++i)
        text += (i ? ", " : "") + pairs.source[i] + "=" + pairs.target[i];
    return text;
}

}  // namespace

TEST_CASE("pairs: ids, scores and codes of languages are no sentences, and the notes say so") {
    CHECK(read("1276\tOui.\t1277\tYes.\n55\tNon.\t56\tNo.\n") == "Oui.=Yes., Non.=No.");
    CHECK(
        parsed("1276\tOui.\t1277\tYes.\n55\tNon.\t56\tNo.\n").notes ==
        Texts{"columns 2 and 4 are the sentences: numbers, ids and codes, in column 1 and 3, are left out"});
    CHECK(read("1\tOui.\tYes.\n2\tNon.\tNo.\n") == "Oui.=Yes., Non.=No.");
    CHECK(read("1.25\tOui.\tYes.\n0.87\tNon.\tNo.\n") == "Oui.=Yes., Non.=No.");
    CHECK(read("1\tfra\tOui.\t5\teng\tYes.\n2\tfra\tNon.\t6\teng\tNo.\n3\tfra\tA.\t6\teng\tB.\n4\tfra\tC."
               "\t6\teng\tD.\n") == "Oui.=Yes., Non.=No., A.=B., C.=D.");
    CHECK(read("id\tfr\ten\n1\tOui.\tYes.\n2\tNon.\tNo.\n") == "Oui.=Yes., Non.=No.");
    CHECK(read("\"1\"\t\"Oui.\"\t\"Yes.\"\n\"2\"\t\"Non.\"\t\"No.\"\n\"3\"\t\"A\"\t\"B\"\n") ==
          "Oui.=Yes., Non.=No., A=B");
}

TEST_CASE("pairs: sentences that are numbers, further columns and short files are read as ever") {
    for (const std::string text :
         {"12\tdouze\n13\ttreize\n", "douze\t12\tCC-BY\n", "Oui.\tYes.\t0.5\n3\t3\t0.5\n",
          "de\tfrom\nde\tof\n", "no\tno\nno\tnot\nno\tnope\nno\tnay\n"}) {
        INFO(text);
        const SentencePairs pairs = parsed(text);
        CHECK(pairs.source[0] == text.substr(0, text.find('\t')));
        CHECK(pairs.size() == std::count(text.begin(), text.end(), '\n'));
    }
    CHECK(
        parsed("12\tdouze\n13\ttreize\n").notes ==
        Texts{
            "column 1 has a number in every line, and is read as the sentences: two columns of sentences are "
            "expected"});
    CHECK(parsed("Oui.\tYes.\t0.5\nNon.\tNo.\t1\n").notes.empty());
}

TEST_CASE("pairs: a header is no pair") {
    for (const char* header :
         {"fr\ten", "French\tEnglish", "source\ttarget", "src\ttgt", "# fr\ten", "FR\tEN", "\"fr\"\t\"en\"",
          "sentence_fr\tsentence_en", "français\tanglais", "text\ttranslation", "sentence1\tsentence2",
          "English sentence\tFrench sentence", "source_lang\ttarget_lang"}) {
        INFO(header);
        const SentencePairs pairs = parsed(std::string(header) + "\nOui.\tYes.\nNon.\tNo.\n");
        CHECK(pairs.source == Texts{"Oui.", "Non."});
        REQUIRE(pairs.notes.size() == 1);
        CHECK(pairs.notes[0].ends_with("is read as a header; below another line it would be a pair"));
    }
    CHECK(parsed("Oui.\tYes.\nfr\ten\nNon.\tNo.\n").size() == 3);
}

TEST_CASE("pairs: a first pair that looks like a header stays a pair") {
    for (const char* first :
         {"français\tFrench", "French\tfrançais", "texte\ttext", "phrase\tsentence", "source\tsource",
          "anglais\tEnglish", "La source est claire.\tThe source is clear.", "Oui.\tYes.", "la\tthe",
          "une langue\ta language"}) {
        INFO(first);
        CHECK(parsed(std::string(first) + "\nOui.\tYes.\nNon.\tNo.\n").size() == 3);
    }
}

TEST_CASE("pairs: quotes around all cells are no part of the sentences, others are") {
    const SentencePairs quoted =
        parsed("\"Oui.\"\t\"Yes.\"\n\"Il dit \"\"non\"\".\"\t\"He says \"\"no\"\".\"\n\"A\"\t\"B\"\n");
    CHECK(quoted.source == Texts{"Oui.", "Il dit \"non\".", "A"});
    CHECK(quoted.target == Texts{"Yes.", "He says \"no\".", "B"});
    CHECK(quoted.notes == Texts{"the quotes around all cells are no part of the sentences"});
    // As csv writers quote: only where a quote is inside.
    CHECK(read("Oui.\tYes.\n\"Il dit \"\"non\"\".\"\tHe says no.\n") ==
          "Oui.=Yes., Il dit \"non\".=He says no.");
    for (const std::string text :
         {"\"Oui.\"\t\"Yes.\"\nNon.\tNo.\nA\tB\n", "\"Oui\" et \"non\"\t\"Yes\" and \"no\"\n",
          "\"Oui.\"\t\"Yes.\"\n", "\"A\" \"B\"\t\"A\"\n\"C\"\t\"D\"\n\"E\"\t\"F\"\n"}) {
        INFO(text);
        CHECK(parsed(text).source[0] == text.substr(0, text.find('\t')));
    }
}

TEST_CASE("pairs: entities are the characters that they stand for, unless the text has an & of its own") {
    CHECK(read("f&uuml;r &#246;l\tfor &#x6F;il\n") == "für öl=for oil");
    CHECK(read("A &amp; B\tA &quot;C&quot;\n") == "A & B=A \"C\"");
    CHECK(read("l&apos;eau &#91;1&#93;\twater &lt;3\n") == "l'eau [1]=water <3");
    CHECK(read("10 &euro; &#150; R&D\t10 &hellip;\n") == "10 € – R&D=10 …");
    CHECK(
        parsed("f&uuml;r\tfor\nb\tc\n").notes ==
        Texts{
            "1 sentence with entities such as &uuml;, which are read as the characters that they stand for"});
    for (const std::string source : {"R&D", "AT&T; Bell", "a && b; c", "x &unknown; y", "&#; &;", "Q&A & co",
                                     "if (a < b &amp;&amp; c)"}) {
        INFO(source);
        CHECK(parsed(source + "\tx\n").source == Texts{source});
    }
    CHECK(parsed("a < b &amp; c\tx\n").notes ==
          Texts{"1 entity such as &amp;, kept as they are: the texts have & or < by themselves, too"});
}

TEST_CASE("pairs: UTF-8 that was taken for Windows-1252 is read as it was meant") {
    for (const auto& [mistaken, meant] :
         std::vector<std::pair<std::string, std::string>>{{"fÃ¼r Ã–l", "für Öl"},
                                                          {"Ã©tÃ©", "été"},
                                                          {"lâ€™eau", "l’eau"},
                                                          {"lÃ\u00a0", "là"},
                                                          {"10 â‚¬", "10 €"},
                                                          {"ÐŸÑ€Ð¸Ð²ÐµÑ‚", "Привет"},
                                                          {"â€œouiâ€\u009d", "“oui”"},
                                                          {"20Â\u00a0%", "20\u00a0%"},
                                                          {"Å\u0082Ã³d", "łód"},
                                                          {"ðŸ˜€", "😀"}}) {
        INFO(mistaken);
        CHECK(before_windows_1252(mistaken) == meant);
    }
    for (const std::string right :
         {"für", "CAFÉ…", "É»", "PÅ…", "MANHÃ…", "IRMÃ»", "SÃO PAULO", "ESPAÑA", "Â", "Ångström", "à Å",
          "naïve", "Привет", "日本", "ÑÐ", "âge", "ÇÃO", "20 °C", "Ä“ist"}) {
        INFO(right);
        CHECK_FALSE(before_windows_1252(right));
        CHECK(parsed(right + "\tx\n").source == Texts{right});
    }
    const SentencePairs pairs = parsed("fÃ¼r\tfor\nNon.\tNo.\n");
    CHECK(pairs.source == Texts{"für", "Non."});
    CHECK(pairs.notes ==
          Texts{"1 sentence of which the UTF-8 was once taken for Windows-1252, read as it was meant: "
                "'fÃ¼r' is 'für'"});
    CHECK(parsed("fÃ¼r 日本\tfor\n").notes == Texts{"1 sentence of which a part of the UTF-8 was once taken "
                                                    "for Windows-1252 (Ã¼ for ü): kept as they "
                                                    "are"});
    CHECK(parsed("caf\uFFFD\tcoffee\n").notes ==
          Texts{"1 sentence with U+FFFD, which stands for a character that was lost"});
}

namespace {

// Rows of cells, numbered and under each other.
std::string rows(const std::string& row, int n = 5) {
    std::string text;
    for (int i = 0; i < n; ++i) {
        std::string line = row;
        for (std::size_t at; (at = line.find('#')) != std::string::npos;)
            line.replace(at, 1, std::to_string(i));
        text += line + "\n";
    }
    return text;
}

}  // namespace

TEST_CASE("pairs: addresses, ids with letters and codes of several languages are no sentences") {
    for (const char* row : {"https://a.fr/#\thttps://a.com/#\tOui.\tYes.", "s#\tOui.\tYes.",
                            "2dc#43d7-aa\tOui.\tYes.", "Oui.\tq#b\tYes."}) {
        INFO(row);
        const SentencePairs pairs = parsed(rows(row));
        CHECK(pairs.source[0] == "Oui.");
        CHECK(pairs.target[0] == "Yes.");
        CHECK(pairs.notes.at(0).ends_with("are left out"));
    }
    CHECK(read("fr\tOui.\tYes.\nde\tJa.\tYes.\nfr\tNon.\tNo.\nde\tNein.\tNo.\n") ==
          "Oui.=Yes., Ja.=Yes., Non.=No., Nein.=No.");
    // Tasks of numbers and codes, and sentences with numbers, are what they were.
    for (const char* row : {"#+1\t1+#", "a#b\tb#a", "En 200#.\tIn 200#.\tCC-BY", "x#\ty#\tz#"}) {
        INFO(row);
        const std::string first = rows(row, 1);
        CHECK(parsed(rows(row)).source[0] == first.substr(0, first.find('\t')));
    }
}

TEST_CASE("pairs: joined files have a header and a byte order mark each") {
    const std::string part =
        "\xEF\xBB\xBF"
        "fr_FR\ten_US\nOui.\tYes.\nNon.\tNo.\n";
    const SentencePairs joined = parsed(part + part);
    CHECK(joined.source == Texts{"Oui.", "Non.", "Oui.", "Non."});
    REQUIRE(joined.notes.size() == 2);
    CHECK(joined.notes[1] == "the header is there 2 times, as where files were joined");
    CHECK(parsed("Oui.\tYes.\nOui.\tYes.\nNon.\tNo.\n").size() == 3);
}

TEST_CASE("pairs: a letter that was escaped twice is one, the name of an entity stays") {
    CHECK(read("&amp;eacute;t&amp;#233;\tsummer\n") == "été=summer");
    CHECK(read("Write &amp;amp; for it\tx\n") == "Write &amp; for it=x");
}

TEST_CASE("pairs: files of another kind are told what writes tabs") {
    const auto why = [](const std::string& text) {
        return message_of<FileError>([&] { parse_pairs(text, "p"); });
    };
    CHECK(why("{\"fr\": \"Oui.\"}\n").find("jq -r") != std::string::npos);
    CHECK(why("Oui.,Yes.\n").find("'excel-tab'") != std::string::npos);
    CHECK(why("Oui.\tYes.\nNon, non.\n").find("excel") == std::string::npos);
    CHECK(why("\x82t\x82\tsummer\n").find("iconv -f CP850") != std::string::npos);
    CHECK(why("\xE9t\xE9\tsummer\n").find("iconv -f WINDOWS-1252") != std::string::npos);
    CHECK(why("l\x92\xE9t\xE9\tsummer\n").find("iconv -f WINDOWS-1252") != std::string::npos);
}
