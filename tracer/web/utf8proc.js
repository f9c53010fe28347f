// utf8proc's functions, with the browser's own Unicode (lib/study/glassbox/text/unicode.cpp calls them).
mergeInto(LibraryManager.library, {
    $unicode: {
        // In the order of utf8proc_category_t; Cn is the first.
        categories: ["Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po",
                     "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co"],
        patterns: null,
        known: null, // code point → category
        cluster: "",
        segmenter: null,
        version: 0,
    },
    // A copy of a text that lives as long as the program.
    $lastingText__deps: ["malloc"],
    $lastingText: function (text) {
        const bytes = lengthBytesUTF8(text) + 1, copy = _malloc(bytes);
        stringToUTF8(text, copy, bytes);
        return copy;
    },

    utf8proc_category__deps: ["$unicode"],
    utf8proc_category: function (code) {
        if (!unicode.known) {
            unicode.known = new Map();
            unicode.patterns = unicode.categories.map((name) => new RegExp("^\\p{" + name + "}$", "u"));
        }
        if (!unicode.known.has(code)) {
            const character = code >= 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
            unicode.known.set(code, unicode.patterns.findIndex((pattern) => pattern.test(character)) + 1);
        }
        return unicode.known.get(code);
    },

    utf8proc_tolower: function (code) {
        const lower = String.fromCodePoint(code).toLowerCase();
        const first = lower.codePointAt(0);
        return lower.length === String.fromCodePoint(first).length ? first : code;
    },

    // Composes or decomposes a text of valid UTF-8; the result is the caller's.
    utf8proc_map__deps: ["malloc"],
    utf8proc_map: function (text, length, result, options) {
        const composes = 1 << 3;
        const mapped = UTF8ToString(text, length).normalize(options & composes ? "NFC" : "NFD");
        const bytes = lengthBytesUTF8(mapped);
        const copy = _malloc(bytes + 1);
        stringToUTF8(mapped, copy, bytes + 1);
        HEAPU32[result >> 2] = copy;
        return bytes;
    },

    // Whether a cluster ends between two code points; *state is 0 at the start of a text.
    utf8proc_grapheme_break_stateful__deps: ["$unicode"],
    utf8proc_grapheme_break_stateful: function (before, code, state) {
        unicode.segmenter = unicode.segmenter || new Intl.Segmenter("en", { granularity: "grapheme" });
        if (HEAP32[state >> 2] === 0) unicode.cluster = String.fromCodePoint(before);
        unicode.cluster += String.fromCodePoint(code);
        HEAP32[state >> 2] = 1;
        const clusters = Array.from(unicode.segmenter.segment(unicode.cluster));
        if (clusters.length === 1) return false;
        unicode.cluster = clusters[clusters.length - 1].segment;
        return true;
    },

    utf8proc_encode_char: function (code, into) {
        const character = String.fromCodePoint(code);
        const bytes = new TextEncoder().encode(character);
        HEAPU8.set(bytes, into);
        return bytes.length;
    },

    utf8proc_unicode_version: function () {
        if (!unicode.version) unicode.version = lastingText("the browser's");
        return unicode.version;
    },
    utf8proc_unicode_version__deps: ["$unicode", "$lastingText"],

    utf8proc_errmsg__deps: ["$unicode", "$lastingText"],
    utf8proc_errmsg: function () {
        return lastingText("this text cannot be normalised");
    },
});
