"""Pairs of French and English sentences from the package descriptions of Debian or Ubuntu (docs/decoding.md).

    python3 docs/corpus_of_descriptions.py [FOLDER] [--seed 42] [--longest 15] [--french FILE --english FILE]

downloads the lists of translated descriptions, Translation-fr and Translation-en, from the mirrors that apt is configured
for (a few megabytes; no right to install is needed), or reads lists that are there, and writes train.tsv, validation.tsv and
test.tsv into FOLDER: a French and an English text a line, separated by a tab. Descriptions of the same Description-md5 are
aligned: their short descriptions, and their paragraphs of at most 15 words, where both have as many. No text, French or
English, is in more than one of the three files.

The descriptions are part of the packages, each under its package's own licence (/usr/share/doc/PACKAGE/copyright on a
machine that has it), and their translations under the same: a corpus made of them is for study, and is not passed on.
"""
import argparse
import bz2
import lzma
import pathlib
import random
import re
import subprocess
import sys
import unicodedata
import urllib.error
import urllib.request

UNPACK = {".xz": lzma.decompress, ".bz2": bz2.decompress, "": bytes}


def components():
    """The addresses of the components that apt knows: http://deb.debian.org/debian/dists/bookworm/main."""
    shape = "$(REPO_URI)dists/$(RELEASE)/$(COMPONENT)"
    try:
        out = subprocess.run(["apt-get", "indextargets", "--format", shape, "Created-By: Packages"],
                             capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"apt-get indextargets: {error}; give the lists with --french and --english")
    return sorted(set(out.split()))


def downloaded(language):
    """The lists of a language, of all components that have one."""
    lists = []
    for component in components():
        for ending in (".xz", ".bz2"):
            address = f"{component}/i18n/Translation-{language}{ending}"
            try:
                with urllib.request.urlopen(address, timeout=60) as answer:
                    lists.append(UNPACK[ending](answer.read()).decode("utf-8", "replace"))
                print(f"{address}: {len(lists[-1]) / 1e6:.1f} MB", file=sys.stderr)
                break
            except urllib.error.HTTPError as error:
                if error.code != 404:  # most components have no translations
                    sys.exit(f"{address}: {error}")
            except OSError as error:
                sys.exit(f"{address}: {error}")
    if not lists:
        sys.exit(f"no mirror that apt is configured for has Translation-{language}; is there one in /etc/apt/sources.list?")
    return lists


def read(path):
    path = pathlib.Path(path)
    ending = path.suffix if path.suffix in UNPACK else ""
    try:
        return [UNPACK[ending](path.read_bytes()).decode("utf-8", "replace")]
    except (OSError, lzma.LZMAError, EOFError, ValueError) as error:
        sys.exit(f"{path}: {error}")


def descriptions(lists, language):
    """{checksum: (short description, paragraphs)}; a paragraph with verbatim lines is None."""
    found = {}
    for text in lists:
        for entry in text.split("\n\n"):
            md5 = re.search(r"^Description-md5: (\w+)$", entry, re.M)
            body = re.search(rf"^Description-{language}: *(.*)\n((?: .*\n?)*)", entry + "\n", re.M)
            if md5 and body:
                found[md5[1]] = body[1], [paragraph(part) for part in re.split(r"^ \.\n", body[2], flags=re.M)]
    return found


def paragraph(lines):
    rows = lines.splitlines()
    return None if not rows or any(row.startswith("  ") or row[1:2] in "*-" for row in rows) else " ".join(rows)


def cleaned(text):
    """One line of NFC text with plain spaces and quotation marks; None for what is no sentence."""
    text = unicodedata.normalize("NFC", text)
    text = re.sub("[\u2018\u2019]", "'", re.sub("[\u00ab\u201c\u201d\u00bb]", '"', text))
    text = re.sub(r"\s+", " ", re.sub("[\u00a0\u202f\u2009]", " ", text)).strip()
    letters = sum(c.isalpha() for c in text)
    return text if 2 * letters > len(text) and "\ufffd" not in text and not re.search(r"https?://|<trans>", text) else None


def pairs(french, english, longest):
    """Short descriptions first, then paragraphs; each pair once, and no text that was left untranslated."""
    shorts, paragraphs = {}, {}
    for md5 in sorted(french.keys() & english.keys()):
        (short_fr, long_fr), (short_en, long_en) = french[md5], english[md5]
        add(shorts, short_fr, short_en, 10**6)
        for fr, en in zip(long_fr, long_en) if len(long_fr) == len(long_en) else ():
            if fr and en:
                add(paragraphs, fr, en, longest)
    return list(shorts), [pair for pair in paragraphs if pair not in shorts]


def add(found, fr, en, longest):
    fr, en = cleaned(fr), cleaned(en)
    if fr and en and fr.lower() != en.lower() and max(len(fr.split()), len(en.split())) <= longest:
        found[fr, en] = True


def split(all_pairs, seed):
    """Nine tenths for training, the rest in halves. Pairs that share a French or an English text go together."""
    first = {}

    def group(text):
        while first.setdefault(text, text) != text:
            text = first[text]
        return text

    for fr, en in all_pairs:
        first[group(("fr", fr.lower()))] = group(("en", en.lower()))
    roots = sorted({group(("en", en.lower())) for _, en in all_pairs})
    random.Random(seed).shuffle(roots)
    held = max(1, len(roots) // 20)
    part = {root: "test" if i < held else "validation" if i < 2 * held else "train" for i, root in enumerate(roots)}
    parts = {"train": [], "validation": [], "test": []}
    for fr, en in all_pairs:
        parts[part[group(("en", en.lower()))]].append((fr, en))
    for rows in parts.values():
        random.Random(seed).shuffle(rows)
    return parts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default="descriptions", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--longest", type=int, default=15, help="words of a paragraph [default: 15]")
    parser.add_argument("--french", help="Translation-fr, also as .xz or .bz2, instead of downloading it")
    parser.add_argument("--english", help="Translation-en")
    options = parser.parse_args()
    french = descriptions(read(options.french) if options.french else downloaded("fr"), "fr")
    english = descriptions(read(options.english) if options.english else downloaded("en"), "en")
    shorts, paragraphs = pairs(french, english, options.longest)
    if not shorts:
        sys.exit("the two lists have no description in common")
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, rows in split(shorts + paragraphs, options.seed).items():
        temporary = options.folder / f".{name}.tsv.part"
        temporary.write_text("".join(f"{fr}\t{en}\n" for fr, en in rows), encoding="utf-8")
        temporary.replace(options.folder / f"{name}.tsv")
        print(f"{options.folder / name}.tsv: {len(rows)} pairs")
    print(f"{len(shorts)} short descriptions and {len(paragraphs)} paragraphs of at most {options.longest} words")


if __name__ == "__main__":
    main()
