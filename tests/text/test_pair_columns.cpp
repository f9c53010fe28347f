// Pairs as public lists have them: ids, headers, quotes, entities, and UTF-8 that was read as something else.
#include <glassbox/text/corpus.h>
#include <glassbox/text/detail/mended.h>

#include "support/catch.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox::detail;
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
    CHECK(parsed("12\tdouze\n13\ttreize\n").notes ==
          Texts{"column 1 has a number in every line, and is read as the sentences: expected two columns of "
                "sentences"});
    CHECK(parsed("Oui.\tYes.\t0.5\nNon.\tNo.\t1\n").notes.empty());
}

TEST_CASE("pairs: a number before every sentence of a column is said") {
    const auto said = [](const std::string& bytes) {
        std::string all;
        for (const std::string& note : parsed(bytes).notes) all += note + "\n";
        return all;
    };
    CHECK(has(said("1. Oui.\tYes.\n2. Non.\tNo.\n3. Si.\tDo.\n"),
              "a number precedes every sentence of column 1, as in '2. Non.': it is learned too"));
    CHECK(has(said("Oui.\t1) Yes.\nNon.\t2) No.\nSi.\t3) Do.\n"), "of column 2, as in '2) No.'"));
    CHECK(has(said("(1) Oui.\t1: Yes.\n(2) Non.\t2: No.\n(3) Si.\t3: Do.\n"), "of columns 1 and 2"));
    CHECK(has(said("fr\ten\n1. Oui.\tYes.\n2. Non.\tNo.\n3. Si.\tDo.\n"), "of column 1"));
    CHECK(said("1. Oui.\tYes.\nNon.\tNo.\n3. Si.\tDo.\n").empty());
    CHECK(said("1.5 m.\tA.\n2.5 m.\tB.\n3.5 m.\tC.\n").empty());
    CHECK(said("2 dogs.\tA.\n3 cats.\tB.\n4 cows.\tC.\n").empty());
}

TEST_CASE("pairs: a header is no pair") {
    for (const char* header : {"fr\ten",
                               "French\tEnglish",
                               "source\ttarget",
                               "src\ttgt",
                               "# fr\ten",
                               "FR\tEN",
                               "\"fr\"\t\"en\"",
                               "sentence_fr\tsentence_en",
                               "français\tanglais",
                               "text\ttranslation",
                               "sentence1\tsentence2",
                               "Question\tAnswer",
                               "front\tback",
                               "eng_Latn\tdeu_Latn",
                               "swh_Latn\tzul_Latn",
                               "prompt\tcompletion",
                               "Wort\tÜbersetzung",
                               "term\tdefinition",
                               "English sentence\tFrench sentence",
                               "source_lang\ttarget_lang"}) {
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
          "une langue\ta language", "question\tFrage", "Wort\tword", "front\tVorderseite",
          "eng_Latn\teng_Latn"}) {
        INFO(first);
        CHECK(parsed(std::string(first) + "\nOui.\tYes.\nNon.\tNo.\n").size() == 3);
    }
}

TEST_CASE("pairs: quotes around all cells are no part of the sentences, others are") {
    const SentencePairs quoted =
        parsed("\"Oui.\"\t\"Yes.\"\n\"Il dit \"\"non\"\".\"\t\"He says \"\"no\"\".\"\n\"A\"\t\"B\"\n");
    CHECK(quoted.source == Texts{"Oui.", "Il dit \"non\".", "A"});
    CHECK(quoted.target == Texts{"Yes.", "He says \"no\".", "B"});
    CHECK(quoted.notes == Texts{"the quotes around all cells are not part of the sentences"});
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
          Texts{"1 entity such as &amp;, kept as they are: the texts also have plain & or <"});
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
    CHECK(pairs.notes == Texts{"1 sentence whose UTF-8 was once misread as Windows-1252, now repaired: "
                               "'fÃ¼r' is 'für'"});
    CHECK(parsed("fÃ¼r 日本\tfor\n").notes ==
          Texts{"1 sentence part of whose UTF-8 was once misread as Windows-1252 (Ã¼ for ü): kept as they "
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
    CHECK(why("\xE9t\xE9\tsummer\n").find("where it is Windows-1252 or Latin-1, iconv -f WINDOWS-1252") !=
          std::string::npos);
    CHECK(why("l\x92\xE9t\xE9\tsummer\n").find("iconv -f WINDOWS-1252") != std::string::npos);
}

TEST_CASE("pairs: an encoding is named as far as its bytes show it") {
    const auto why = [](const std::string& text) {
        return message_of<FileError>([&] { parse_pairs(text, "p"); });
    };
    const auto is_said = [&](const std::string& text, const std::string& what) {
        INFO(why(text));
        CHECK(why(text).find(what) != std::string::npos);
        CHECK((what.find("1252") != std::string::npos || why(text).find("1252") == std::string::npos));
    };
    // Привет мир
    is_said("hello\t\xCF\xF0\xE8\xE2\xE5\xF2 \xEC\xE8\xF0\n", "WINDOWS-1251 for Cyrillic");
    is_said("hello\t\xF0\xD2\xC9\xD7\xC5\xD4 \xCD\xC9\xD2\n",
            "where it is Cyrillic in KOI8-R, iconv -f KOI8-R");
    // 私は本を見る
    is_said("I\t\x8E\x84\x82\xCD\x96\x7B\x82\xF0\x8C\xA9\x82\xE9\n", "SHIFT_JIS");
    is_said("I\t\xBB\xE4\xA4\xCF\xCB\xDC\xA4\xF2\xB8\xAB\xA4\xEB\n", "EUC-JP");
    // źle łóżko; Tür, schön
    is_said("bad\t\x9Fle \xB3\xF3\xBFko\n", "WINDOWS-1250");
    is_said("door\tT\x9Fr sch\x9An\n", "where it is Mac Roman, iconv -f MACINTOSH");
    is_said("door\tT\x81r sch\x94n\n", "code page 850");
    is_said("für\tfor\nTür\tdoor\nschön\tfine\nsch\xF6n\tfine\n", "other places are UTF-8");
    CHECK(why("door\tT+APw-r\nb\tsch+APY-n\nc\t+ANw-bung\n").find("text in UTF-7") != std::string::npos);
    CHECK(why("I\t\x1b$B;d$O\x1b(B\n").find("text in ISO-2022-JP") != std::string::npos);
    CHECK(parsed("C+AND-gate\tx\n1+A2-b\ty\n").size() == 2);
}

TEST_CASE("pairs: lines that end as on an old Mac are lines") {
    CHECK(read("Oui.\tYes.\rNon.\tNo.\r") == "Oui.=Yes., Non.=No.");
    CHECK(read("Oui.\tYes.\r\nNon.\tNo.\r\n") == "Oui.=Yes., Non.=No.");
}

TEST_CASE("pairs: a tab inside quotes is asked about") {
    CHECK(message_of<FileError>([] { parse_pairs("Oui.\tYes.\n\"Oui\toui.\"\tYes.\n", "p"); }) ==
          "p: line 2, at byte 10: 3 columns, but other lines have 2, and a tab inside quotes: write a "
          "space for "
          "the tab where it belongs to the text");
    CHECK(read("\"Oui\" oui.\tYes.\n\"Non\tNo.\n") == "\"Oui\" oui.=Yes., \"Non=No.");
}

TEST_CASE("pairs: a column that names the parts of a set beside two of sentences is asked about") {
    const auto why = [](const std::string& text) {
        return message_of<FileError>([&] { parse_pairs(text, "p"); });
    };
    for (const char* label : {"train", "news", "Anna Smith"}) {
        std::string text;
        for (int i = 0; i < 20; ++i)
            text += fmt::format("{}\tsentence {} here\tphrase {} ici\n", i % 7 ? label : "other", i * i,
                                i * 3 + 1);
        for (std::size_t at = 0; (at = text.find_first_of("0123456789", at)) != std::string::npos;)
            text[at] = static_cast<char>('a' + text[at] - '0');
        INFO(text);
        CHECK(why(text).find("columns 1 and 2 would be the sentences, and column 1 has only") !=
              std::string::npos);
        CHECK(why(text).find("if the sentences are columns 2 and 3, cut -f2,3 writes them alone") !=
              std::string::npos);
        CHECK(parsed("domain\tsource\ttarget\n" + text).source[0] == "sentence a here");
    }
    CHECK(parsed(rows("Lesson #\tOui # fois.\tYes, so.") + "Lesson 7\tNon.\tNo.\n").source[0] ==
          "Oui 0 fois.");
    // A list of words with notes is what it was.
    std::string words;
    for (const char* word :
         {"haus", "hund", "katze", "maus", "tisch", "stuhl", "lampe", "wand", "dach", "tor"})
        for (const char* note : {"noun", "noun"}) words += fmt::format("{}\tthe {}\t{}\n", word, word, note);
    CHECK(parsed(words).size() == 20);
}

TEST_CASE("pairs: sides that are exchanged, and the same text on both, are said") {
    const std::vector<std::string> french{"je vois la maison", "tu lis un livre", "il mange une pomme",
                                          "elle ouvre la porte", "nous lisons le journal"},
        english{"i see the house", "you read a book", "he eats an apple", "she opens the door",
                "we read the paper"};
    const auto with = [&](int exchanged) {
        std::string text;
        for (int i = 0; i < 50; ++i) {
            const auto k = static_cast<std::size_t>(i % 5);
            text += i % 9 < exchanged ? english[k] + "\t" + french[k] + "\n"
                                      : french[k] + "\t" + english[k] + "\n";
        }
        return text;
    };
    CHECK(parsed(with(0)).notes.empty());
    CHECK(parsed(with(10)).notes.empty());
    for (const int exchanged : {1, 3, 5, 8}) {
        INFO(exchanged);
        REQUIRE(parsed(with(exchanged)).notes.size() == 1);
        CHECK(parsed(with(exchanged)).notes[0].find("pairs have their languages swapped") !=
              std::string::npos);
    }
    std::string same, talk;
    for (int i = 0; i < 20; ++i) {
        const auto k = static_cast<std::size_t>(i % 5);
        same += french[k] + "\t" + (i % 2 ? english[k] : french[k]) + "\n";
        talk += english[k] + "\t" + english[(k + 1 + static_cast<std::size_t>(i) / 5) % 5] + "\n";
    }
    CHECK(parsed(same).notes == Texts{"10 of 20 pairs have the same text on both sides"});
    CHECK(parsed(talk).notes.size() <= 1);  // one language answers in itself: nothing is exchanged
    CHECK((parsed(talk).notes.empty() || parsed(talk).notes[0].find("other way") == std::string::npos));
}

TEST_CASE("pairs: UTF-8 that was taken for Mac Roman or Windows-1251 is said") {
    CHECK(parsed("T√ºr\tdoor\nsch√∂n\tfine\n").notes.at(0) ==
          "2 sentences whose UTF-8 was once misread as Mac Roman, such as 'T√ºr': kept as they are; "
          "iconv -f "
          "UTF-8 -t MACINTOSH turns the file back");
    CHECK(parsed("РџСЂРёРІРµС‚\thello\n").notes.at(0).find("misread as Windows-1251") != std::string::npos);
    for (const char* right : {"√2 + √π", "Привет, Россия", "СССР и США", "РФ", "√x", "Сэр"})
        CHECK(parsed(std::string(right) + "\tx\n").notes.empty());
}

TEST_CASE("pairs: quotes around cells with commas alone are a spreadsheet's, and others are said") {
    const std::string excel =
        "\"Oui, je viens.\"\t\"Yes, I come.\"\nJe dors.\tI sleep.\n\"Non, merci.\"\tNo.\n";
    CHECK(read(excel) == "Oui, je viens.=Yes, I come., Je dors.=I sleep., Non, merci.=No.");
    CHECK(parsed(excel).notes ==
          Texts{"the quotes around cells with commas, and only around these, are not part of the sentences"});
    const std::string some = "\"Oui.\"\tYes.\nJe dors, moi.\tI sleep.\nNon.\t\"No.\"\n";
    CHECK(read(some) == "\"Oui.\"=Yes., Je dors, moi.=I sleep., Non.=\"No.\"");
    CHECK(parsed(some).notes ==
          Texts{"quotes around 2 cells, but not around all: they are learned with the text"});
}

TEST_CASE("pairs: two columns of numbers are said to be no sentences") {
    CHECK(has(parsed("0\t500\n1\t501\n2\t502\n").notes.at(0), "both columns have numbers in every line"));
}

TEST_CASE("pairs: tags, written line ends and characters without width are said") {
    const auto note = [](const std::string& sentence) {
        const SentencePairs pairs = parsed(sentence + "\tYes.\nNon.\tNo.\n");
        CHECK(pairs.source[0] == sentence);
        return pairs.notes.empty() ? "" : pairs.notes[0];
    };
    CHECK(note("Oui.<br/>") == "1 sentence with tags such as <br/>: kept as they are, and learned");
    CHECK(note("<s> Oui. </s>") == "1 sentence with tags such as <s>: kept as they are, and learned");
    CHECK(note("Oui.\\n") ==
          "1 sentence with '\\n' of two characters, where a line may have ended: kept as they are, and "
          "learned");
    CHECK(note("\u200bOui.") ==
          "1 sentence with characters of no width, such as U+200B: kept as they are, and learned");
    for (const char* right : {"3 < 4 et 5 > 4", "C:\\new\\text", "<3", "می\u200cخواهم", "a<b"})
        CHECK(note(right).empty());
}
