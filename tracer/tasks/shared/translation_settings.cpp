#include "tasks/shared/translation_settings.h"

namespace glassbox {

void declare(SettingTable& table, TranslationSettings& s) {
    constexpr SettingName pairs{"pairs", names::data, "FILE",
                                "Sentence pairs, two columns with a tab between, or those of the grammar",
                                ".tsv"},
        source{"source", names::data, "FILE", "Sentences to be translated, one a line; with --target",
               ".txt"},
        target{"target", names::data, "FILE", "Their translations, one a line", ".txt"},
        lower{"lower", names::data, "SIDE", "Which texts are read in lower case"},
        vocabularies{"vocabularies", names::model, "KIND",
                     "One vocabulary for each language, or one for both"};
    table.without_effect(names::input_dropout, "requires an input network; this task has embedding tables");
    table.value(pairs, s.pairs, {.none = "grammar"});
    table.value(source, s.source, {.none = "none"});
    table.value(target, s.target, {.none = "none"});
    table.value(lower, s.lower);
    table.value(vocabularies, s.vocabularies);
    declare(table, s.tokens);
    table.value(names::seq, s.longest, {.max = 1 << 16});
    if (!s.is_generated())
        table.without_effect(names::examples,
                             "requires the grammar's sentences, not --pairs or --source and --target");
    declare(table, s.drawn, 1 << 26);
}

}  // namespace glassbox
