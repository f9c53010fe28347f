#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include <glassbox/io/file.h>
#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>

#include "cli/failure.h"
#include "cli/heartbeat.h"
#include "cli/output.h"
#include "commands/shared/named_model.h"
#include "worksheet/latex_text.h"
#include "worksheet/make_sheet.h"
#include "worksheet/sheet.h"

// A worksheet for a class: the steps of a layer with gaps, or with the answers.
namespace glassbox::tracer::commands {
namespace {

constexpr std::int64_t max_students = 1000;

struct WorksheetFlags {
    std::string layer;
    Blanks blanks;
    std::string scope;
    index_t precision = 2, questions = 4;
    bool asks_all = false;
    bool is_key = false;
    std::string student, students;
    std::filesystem::path output;
};

void declare_own(Options& o, WorksheetFlags& flags) {
    o.group("Worksheet");
    o.value("--blank", flags.blanks,
            {.help = "Leave these steps blank, by path or end of a path, or single numbers: "
                     "scaled,'attention[0,1]'",
             .default_text = "about 30 numbers, some of every step that is computed"});
    o.flag("--all", flags.asks_all, "Leave every number that is computed blank");
    o.value("--questions", flags.questions,
            {.help = "At most this many questions to think about, answered from this pass's numbers",
             .min = 0,
             .max = 4});
    o.value("--scope", flags.scope,
            {.help = "Print only the steps inside this part, encoder/0, and what they need",
             .value_name = "PATH"});
    o.value("--precision", flags.precision,
            {.help = "Number of digits after the point, of what is given and of the answers",
             .min = 0,
             .max = 8});
    o.flag("--key", flags.is_key, "Print the answers, and the arithmetic of one number of each step");
    o.value("--name", flags.student,
            {.help = "The student's name", .value_name = "NAME", .default_text = "a line to write it on"});
    o.value("--students", flags.students,
            {.help = "A sheet for each of this many students, or of the names in a file, one per line; each "
                     "has its own numbers, from --seed on",
             .value_name = "N|FILE",
             .endings = {".txt"}});
    o.value("-o,--output", flags.output,
            {.help = "Write to this file, .md, .tex or .pdf, instead of Markdown to standard output",
             .endings = {".md", ".tex", ".pdf"}});
}

void declare(Options& o, WorksheetFlags& flags) {
    declare_layer(o, "worksheet", flags.layer);
    declare_own(o, flags);
}

enum class Format { markdown, latex, pdf };

Format format_of(const std::filesystem::path& output) {
    const std::string ending = output.extension().string();
    if (output.empty() || output == "-" || ending == ".md") return Format::markdown;
    if (ending == ".tex") return Format::latex;
    if (ending == ".pdf") return Format::pdf;
    fail<UsageError>("-o {}: a worksheet is written as .md, .tex or .pdf, by the file's ending{}",
                     output.string(), ending == ".html" ? "; pandoc makes a page of the .md" : "");
}

// The lines of the file that are not blank.
std::vector<std::string> names_in(const std::string& path) {
    const Bytes bytes = read_file(path);
    std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    std::vector<std::string> names;
    const std::string file = display_name(path);
    for (int line = 1; !text.empty(); ++line) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view name = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        while (!name.empty() && std::string_view(" \t\r").find(name.back()) != std::string_view::npos)
            name.remove_suffix(1);
        name.remove_prefix(std::min(name.find_first_not_of(" \t"), name.size()));
        if (name.empty()) continue;
        if (!is_utf8(name)) fail<FileError>("{}:{}: a name that is not UTF-8", file, line);
        names.push_back(printable(name));
        if (names.size() > max_students) fail<FileError>("{}: more than {} names", file, max_students);
    }
    if (names.empty()) fail<FileError>("{}: expected names, one on each line, got none", file);
    return names;
}

// A name for each sheet, "" to be written by hand.
std::vector<std::string> students(const WorksheetFlags& flags) {
    if (flags.students.empty()) return {printable(flags.student)};
    if (!flags.student.empty())
        fail<UsageError>("--name: cannot be combined with --students, which has several");
    const bool is_number =
        flags.students.find_first_not_of("-0123456789") == std::string::npos && flags.students != "-";
    if (!is_number) return names_in(flags.students);
    return std::vector<std::string>(
        static_cast<std::size_t>(parse_integer("--students", flags.students, 1, max_students)));
}

bool has_option(const Options& options, const std::string& flag) {
    const auto& all = options.described();
    return std::any_of(all.begin(), all.end(),
                       [&](const Options::Described& each) { return each.flags == flag; });
}

// The command line that makes only this sheet: first the model, then the sheet.
std::string command_line(NamedModel& model, const WorksheetFlags& flags, const std::string& student) {
    const Options& options = model.options();
    std::string line = fmt::format("tracer worksheet {}{}", model.name(),
                                   model.typed({"--seed", "--blank", "--all", "--questions", "--scope",
                                                "--precision", "--key", "--name", "--students", "--output"}));
    if (options.given("--blank")) line += " --blank " + shell_word(OptionValue<Blanks>::text(flags.blanks));
    if (flags.asks_all) line += " --all";
    if (options.given("--questions")) line += fmt::format(" --questions {}", flags.questions);
    if (options.given("--scope")) line += " --scope " + shell_word(flags.scope);
    if (options.given("--precision")) line += fmt::format(" --precision {}", flags.precision);
    if (has_option(options, "--seed")) line += fmt::format(" --seed {}", model.settings().seed);
    if (!student.empty()) line += " --name " + shell_word(student);
    if (!flags.output.empty() && flags.output != "-")
        line += " -o " + shell_word(flags.output.filename().string());
    return line + (flags.is_key ? " --key" : "");
}

bool has_heads(const ModelCommand& command) {
    const auto& shared = command.options.shared;
    return std::find(shared.begin(), shared.end(), "--heads") != shared.end();
}

std::string numbers_of(const Sheet& sheet) {
    std::string all;
    for (const SheetStep& step : sheet.steps)
        for (const SheetMatrix& matrix : step.matrices)
            for (const SheetMatrix::Cell& cell : matrix.cells) all += cell.text + " ";
    return all;
}

// By the numbers, which a sheet and its key share.
std::string number_of(const Sheet& sheet) {
    std::uint32_t hash = 2166136261;  // FNV-1a
    for (const char c : numbers_of(sheet)) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    return fmt::format("{:06}", hash % 1000000);
}

Sheet sheet_of(const Arguments& arguments, std::uint64_t index, const std::string& student) {
    WorksheetFlags flags;
    NamedModel model("worksheet", arguments, [&](Options& o) { declare_own(o, flags); });
    std::uint64_t& seed = model.settings().seed;
    if (seed > std::numeric_limits<std::uint64_t>::max() - index)
        fail<UsageError>("--seed {}: too large for the seeds of all students to follow it", seed);
    seed += index;
    const SheetRequest request{
        .blanks = flags.blanks,
        .asks_all = flags.asks_all,
        .questions = flags.questions,
        .decimals = static_cast<int>(flags.precision),
        .scope = flags.scope,
        .has_head_axis = has_heads(model.command()) || model.options().given("--heads"),
        .is_key = flags.is_key};
    Sheet sheet = make_sheet(model.subject(), model.input(), request);
    sheet.student = student;
    sheet.origin = fmt::format("Convention {}, {}", model.settings().convention->name, model.input().origin);
    sheet.number = number_of(sheet);
    sheet.command = command_line(model, flags, student);
    return sheet;
}

// All sheets, one after the other.
std::string sheets_of(const Arguments& arguments, const std::vector<std::string>& names, Format format) {
    const Activity doing("making the sheets", static_cast<index_t>(names.size()));
    std::string text, first;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const Sheet sheet = sheet_of(arguments, i, names[i]);
        if (i > 0) text += format == Format::markdown ? markdown_page_break : latex_page_break;
        text += format == Format::markdown ? markdown_sheet(sheet) : latex_sheet(sheet);
        if (i == 0) first = numbers_of(sheet);
        if (i == 1 && numbers_of(sheet) == first)
            say("note: these numbers do not come from a seed: every student has the same\n");
        Activity::done(static_cast<index_t>(i + 1));
    }
    return format == Format::markdown ? text : latex_document(text);
}

// A signal stops LaTeX and removes its folder.
void deliver_pdf(const std::string& sheets, const std::string& latex, const std::filesystem::path& output) {
    listen_for_signals();
    try {
        deliver_bytes(typeset(sheets, latex), output.string());
    } catch (const Interrupted&) {
        say(fmt::format("stopped by {}; no sheet is written\n", signal_name(caught_signal())));
    }
    if (caught_signal()) end_by_signal(caught_signal());
}

void run(const Arguments& arguments) {
    WorksheetFlags flags;
    NamedModel first("worksheet", arguments, [&](Options& o) { declare_own(o, flags); });
    if (!first.is_wanted()) return;
    const Format format = format_of(flags.output);
    if (flags.asks_all && !flags.blanks.wanted.empty())
        fail<UsageError>("--all: cannot be combined with --blank {}, which names what is blank",
                         OptionValue<Blanks>::text(flags.blanks));
    const std::vector<std::string> names = students(flags);
    for (const char* flag : {"--input", "--weights"})
        if (names.size() > 1 && first.options().given(flag) &&
            (flag == std::string("--input") ? first.settings().input : first.settings().weights) == "-")
            fail<UsageError>("{} -: can be read only once, but there are {} students", flag, names.size());
    const bool has_foreign = std::any_of(names.begin(), names.end(), needs_unicode_fonts);
    const std::string latex = format == Format::pdf ? installed_latex(has_foreign) : "";
    const std::string sheets = sheets_of(arguments, names, format);
    if (format == Format::pdf) deliver_pdf(sheets, latex, flags.output);
    else deliver(sheets, flags.output.string());
}

}  // namespace

Command worksheet() {
    Command command{
        .order = 119,
        .name = "worksheet",
        .summary = "A worksheet for a class: the worked example of a layer with gaps, and its key.",
        .examples = {
            {"tracer worksheet attention --seq 3 --dk 2 --blank scaled,attention -o sheet.pdf",
             "The tutorial's example with two steps to compute, typeset by LaTeX."},
            {"tracer worksheet attention --seq 3 --dk 2 --blank scaled,attention --key -o key.pdf",
             "The same sheet with the answers."},
            {"tracer worksheet multihead --blank 'attention[0,0,1]' --students names.txt -o class.tex",
             "A sheet for each student, with its own numbers."}}};
    return about_model<WorksheetFlags>(std::move(command), declare, run);
}

}  // namespace glassbox::tracer::commands
