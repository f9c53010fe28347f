#!/usr/bin/env python3
"""What is in the static tracer: an SPDX 2.3 document and the licences of others' work.

    contents.py BUILD-FOLDER VERSION --spdx FILE --licences FILE [--architecture arm64]

The list is not kept by hand: it is read from what the compiler and the linker have opened. The headers are in Ninja's log
of dependencies, the libraries in the linker's; dpkg knows the package and the version of each. Debian and Ubuntu only.
"""
import argparse, datetime, hashlib, json, os, pathlib, re, subprocess, sys
from urllib.parse import quote

# By the name of a Debian package: the work, its licence (SPDX's identifier), where it comes from. A package that is opened
# and not listed here stops the release: check its licence first.
WORKS = [
    (r"libfmt-dev", "fmt", "MIT", "https://github.com/fmtlib/fmt"),
    (r"libxtensor-dev", "xtensor", "BSD-3-Clause", "https://github.com/xtensor-stack/xtensor"),
    (r"xtl-dev|libxtl-dev", "xtl", "BSD-3-Clause", "https://github.com/xtensor-stack/xtl"),
    (r"libxtensor-blas-dev", "xtensor-blas", "BSD-3-Clause", "https://github.com/xtensor-stack/xtensor-blas"),
    (r"libxsimd-dev", "xsimd", "BSD-3-Clause", "https://github.com/xtensor-stack/xsimd"),
    (r"nlohmann-json3-dev", "nlohmann-json", "MIT", "https://github.com/nlohmann/json"),
    (r"libutf8proc-dev", "utf8proc", "MIT AND Unicode-DFS-2015", "https://github.com/JuliaStrings/utf8proc"),
    (r"zlib1g-dev", "zlib", "Zlib", "https://zlib.net"),
    (r"libc6-dev(-.*-cross)?", "glibc", "LGPL-2.1-or-later", "https://www.gnu.org/software/libc/"),
    (r"lib(stdc\+\+|gcc)-\d+-dev(-.*-cross)?", "gcc-runtime", "GPL-3.0-or-later WITH GCC-exception-3.1",
     "https://gcc.gnu.org"),
]
NOT_IN_THE_PROGRAM = r"linux-libc-dev(-.*-cross)?"  # the kernel's constants, part of glibc's own headers
TARGETS = r"CMakeFiles/(glassbox|glassbox_fmt|tracer_parts|tracer)\.dir/"


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def headers(build):
    """All headers that the program's objects include."""
    found, is_ours = set(), False
    for line in output("ninja", "-C", str(build), "-t", "deps").splitlines():
        if line[:1] not in (" ", ""):
            is_ours = re.match(TARGETS, line) is not None
        elif is_ours and line.strip():
            found.add(line.strip())
    return found


def libraries(build):
    text = (build / "tracer.linked").read_text().replace("\\\n", " ")
    return set(text.split(":", 1)[1].split("\n", 1)[0].split())


def packages(files, build, architecture):
    """Debian's packages of these files: {package: version}. What is in the project's own folders has none. A header may be
    in the packages of several architectures at once."""
    source = pathlib.Path(__file__).resolve().parents[2]
    real = {(build / file).resolve() for file in files}
    foreign = sorted(str(file) for file in real if source not in file.parents and build not in file.parents)
    owned = {}
    found = subprocess.run(["dpkg-query", "-S", *foreign], capture_output=True, text=True)
    for line in found.stdout.splitlines():
        names, path = line.split(": ", 1)
        names = names.split(", ")
        owned[path] = next((name for name in names if name.endswith(":" + architecture)), names[0])
    lost = [file for file in foreign if file not in owned]
    if lost:
        sys.exit(f"contents.py: no package has {lost[0]} ({len(lost)} such files): the list would not be whole")
    return {name: output("dpkg-query", "-W", "-f=${Version}", name) for name in sorted(set(owned.values()))}


def works(packaged):
    """{work: (licence, home, {package: version})}, in the order of WORKS."""
    named = {}
    for package, version in packaged.items():
        name = package.split(":")[0]
        if re.fullmatch(NOT_IN_THE_PROGRAM, name):
            continue
        known = [work for work in WORKS if re.fullmatch(work[0], name)]
        if not known:
            sys.exit(f"contents.py: the licence of {package}, which is linked in, is not listed")
        _, work, licence, home = known[0]
        named.setdefault(work, (licence, home, {}))[2][package] = version
    return {work: named[work] for _, work, _, _ in WORKS if work in named}


def spdx_package(name, version, licence, home, purls=()):
    return {"name": name, "SPDXID": f"SPDXRef-{name}", "versionInfo": version, "downloadLocation": "NOASSERTION",
            "homepage": home, "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": licence,
            "copyrightText": "NOASSERTION",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}
                             for purl in purls]}


def upstream(version):
    """1:1.2.13.dfsg-1 → 1.2.13: without Debian's epoch, revision and marks."""
    return re.sub(r"([+.](dfsg|ds)\d*|[+~-]\d*(really|cross|deb|ubuntu).*)$", "", version.split(":")[-1].rsplit("-", 1)[0])


def spdx(version, parts):
    system = re.search(r'^ID="?(\w+)', pathlib.Path("/etc/os-release").read_text(), re.M).group(1)
    listed = [dict(spdx_package("glassbox", version, "MIT", "NOASSERTION"), primaryPackagePurpose="APPLICATION")]
    del listed[0]["externalRefs"]
    for name, (licence, home, packaged) in parts.items():
        purls = [f"pkg:deb/{system}/{quote(package.split(':')[0])}@{quote(v)}" for package, v in packaged.items()]
        listed.append(spdx_package(name, upstream(next(iter(packaged.values()))), licence, home, purls))
    moment = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"glassbox-{version}",
        "creationInfo": {"created": f"{moment:%Y-%m-%dT%H:%M:%SZ}", "creators": ["Tool: glassbox-contents.py"]},
        "packages": listed,
        "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                           "relatedSpdxElement": "SPDXRef-glassbox"}] +
                         [{"spdxElementId": "SPDXRef-glassbox", "relationshipType": "STATIC_LINK",
                           "relatedSpdxElement": f"SPDXRef-{name}"} for name in parts]}
    digest = hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
    document["documentNamespace"] = f"https://spdx.org/spdxdocs/glassbox-{version}-{digest[:32]}"
    return json.dumps(document, indent=2) + "\n"


def licences(parts):
    text = ["The command tracer is linked with these works, each under its own licence. glibc is under the LGPL: whoever wants\n"
            "to link the command with another one has all of its source and builds it with the preset `static`.\n"]
    for name, (licence, home, packaged) in parts.items():
        package = next(iter(packaged))
        folder = pathlib.Path("/usr/share/doc") / package.split(":")[0]
        text.append(f"{'=' * 100}\n{name} {upstream(packaged[package])} · {licence} · {home}\n{'=' * 100}\n\n"
                    + (folder / "copyright").read_text(errors="replace").strip() + "\n")
    return "\n".join(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("version")
    parser.add_argument("--spdx", type=pathlib.Path, required=True)
    parser.add_argument("--licences", type=pathlib.Path, required=True)
    parser.add_argument("--architecture", default=output("dpkg", "--print-architecture").strip())
    given = parser.parse_args()
    parts = works(packages(headers(given.build) | libraries(given.build), given.build, given.architecture))
    given.spdx.write_text(spdx(given.version, parts))
    given.licences.write_text(licences(parts))


if __name__ == "__main__":
    main()
