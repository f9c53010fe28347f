#include "train/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include <glassbox/backend/backend.h>
#include <glassbox/backend/parallel.h>
#include <glassbox/io/file.h>
#include <glassbox/io/json.h>
#include <glassbox/io/numpy.h>
#include <glassbox/io/safetensors.h>
#include <glassbox/io/text.h>
#include <glassbox/mistakes/mistaken_learner.h>
#include <glassbox/tensor/format.h>

#include "cli/command.h"
#include "cli/failure.h"
#include "cli/heartbeat.h"
#include "cli/number.h"
#include "cli/output.h"
#include "cli/text_width.h"
#include "report/page.h"
#include "report/renderer.h"
#include "train/before_run.h"
#include "train/kept_maps.h"
#include "train/ledger.h"
#include "train/trained_run.h"

namespace glassbox::tracer {

namespace {

bool is_text(const TrainOptions& typed) {
    return typed.format() == TrainFormat::text && typed.output.empty();
}

}  // namespace

TrainFormat TrainOptions::format() const {
    TrainFormat by_ending = TrainFormat::text;
    for (const auto& [format, word] : EnumWords<TrainFormat>::all)
        if (output.extension() == fmt::format(".{}", word)) by_ending = format;
    const TrainFormat format = given_format.value_or(by_ending);
    if (!given_format) check_known_ending(output, {".txt", ".json", ".npz", ".html"});
    check_ending(glassbox::name(format), output);
    return format;
}

Session::Session(const TrainOptions& typed, const Options& options)
    : typed_(typed), options_(options), resumes_(!typed.resume.empty()) {
    if (!is_first()) Heartbeat::disable();  // only rank 0 prints
    if (typed.task.empty())
        fail<UsageError>("train: expected a task, got nothing: one of {}",
                         fmt::join(glassbox::task_names(), ", "));
    const glassbox::Task& task = glassbox::task(typed.task);
    if (typed.no_files && (resumes_ || !typed.folder.empty() || typed.tensorboard))
        fail<UsageError>("--no-files: cannot be combined with --resume, --folder or --tensorboard");
    folder_.path = typed.folder.empty() ? default_folder(task.name) : typed.folder;
    use_products(typed.products, typed.backend);
    const Clock::time_point before = Clock::now();
    device_ = ready(typed.backend);
    glassbox::backend(device_).wait();
    device_seconds_ = since(before);
    if (typed.eager && device_ != Device::cuda)
        fail<UsageError>("--eager: requires --backend cuda; on {} nothing is recorded",
                         device_ == Device::cpu ? "the cpu" : name(device_));
    if (!typed.settings.at(names::pieces.name).empty() && device_ == Device::cpu)
        fail<UsageError>(
            "--pieces: requires --backend cuda; on the cpu it follows from the size of the batch");
    if (typed.threads) set_num_threads(static_cast<int>(*typed.threads));
    if (resumes_) {
        read_checkpoint();
        check_ranks();
        // The file's settings are untrusted: inconsistencies are reported as its errors.
        made_from(checkpoint_, [this] {
            check_sizes(settings_, from_.tensors);
            make_trainer();
            trainer_->restore(from_);
        });
    } else {
        settings_ = settings_of(task, typed.settings);
        const bool is_given = typed_.whole_folder.empty();  // otherwise they come from another run
        if (is_given) check_settings_count(settings_, typed_.settings);
        check_ranks();
        make_trainer();
    }
    check_own_files();
}

// The run's log or result must not overwrite what it writes to its folder.
void Session::check_own_files() const {
    if (typed_.no_files) return;
    for (const auto& [option, file] : {std::pair("--log", typed_.log), std::pair("-o", typed_.output)})
        for (const auto& own : {folder_.log(), folder_.last(), folder_.previous(), folder_.best(),
                                folder_.next(), maps_file(folder_.path)})
            if (!file.empty() && file != "-" && place_of(file) == place_of(own) &&
                !(own == folder_.log() && option == std::string_view("--log")))
                fail<UsageError>("{}: {} is a file of the run itself", option, display_name(file));
}

// All ranks must have the same options, given or by default; only the number of threads may differ.
void Session::check_ranks() const {
    Common own;
    for (const auto& [name, value] : options_.values())
        if (name != "--threads" && !settings_.has(name.substr(name.find_first_not_of('-'))))
            own.emplace_back(name, value);
    for (const Setting& setting : settings())  // in this order: later ones can depend on earlier ones
        if (settings_.has(setting.name)) own.emplace_back("--" + setting.name, settings_.text(setting.name));
    check_ranks_agree(ranks_, own);
}

// A run resumed from a named checkpoint continues in the checkpoint's folder unless --folder is given. A
// folder means its last checkpoint.
void Session::read_checkpoint() {
    bool named = typed_.resume != the_last;
    std::filesystem::path file = named ? typed_.resume : folder_.last();
    if (named && is_folder(file)) {
        file = RunFolder{file}.last();
        if (typed_.folder.empty()) folder_.path = typed_.resume, named = false;
    }
    if (typed_.folder.empty() && named)
        folder_.path = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
    checkpoint_ = display_name(file);
    checkpoint_file_ = file;
    from_ = named ? glassbox::read_checkpoint(file) : folder_.load();
    if (from_.config["task"] != typed_.task)
        fail<UsageError>("--resume: the checkpoint is of task '{}', not '{}'",
                         printable(from_.config["task"]), typed_.task);
    settings_ = settings_of_checkpoint(from_.config, typed_.settings);
    check_mistakes();
    moves_in_ = named && !(is_there(folder_.path) &&
                           std::filesystem::equivalent(file.parent_path() / ".", folder_.path));
}

// On a GPU dropout and sums depend on how a batch is cut. The number of pieces is therefore a setting, so
// that a run resumed on another number of GPUs gives the same bits.
void Session::make_trainer() {
    if (device_ != Device::cpu) settings_.add(names::pieces.name, std::to_string(ranks_.size()));
    const glassbox::Task& task = glassbox::task(typed_.task);
    constexpr index_t any_number_of_examples = index_t{1} << 40;
    // The settings are checked before the data are built.
    TrainerConfig config = trainer_config(settings_, any_number_of_examples);
    check_memory(task, settings_, config.batch);
    const Activity doing("making the data and the model");
    setup_ = task.make(settings_);
    keep();
    put_mistakes();
    setup_.learner->parameters().move_to(device_);
    const bool shows_batch = typed_.step.has_value();  // including its features
    if (setup_.move_data && device_ != Device::cpu && !shows_batch) setup_.move_data(device_);
    fit_batch(config.batch);
    config = trainer_config(settings_, setup_.training->size());
    config.recorded = !typed_.eager && device_ == Device::cuda;
    trainer_ = std::make_unique<Trainer>(*setup_.learner, *setup_.training, config, ranks_);
}

// A user's own data may be fewer than the default batch; a batch that was given is as given.
void Session::fit_batch(index_t batch) {
    const index_t examples = setup_.training->size();
    const auto given = typed_.settings.find(names::batch.name);
    const bool is_given = given != typed_.settings.end() && !given->second.empty();
    if (resumes_ || is_given || examples < 1 || batch <= examples) return;
    Settings::Texts texts = settings_.texts();
    say(fmt::format("note: --batch {}, as the training set has only that many; the default is {}\n", examples,
                    texts[names::batch.name]));
    texts[names::batch.name] = std::to_string(examples);
    settings_ = Settings(texts);
}

// Adds what was learned from the data to the settings; in a resumed run it must be the same as before.
void Session::keep() {
    for (const auto& [name, text] : setup_.kept) {
        if (resumes_ && (!settings_.has(name) || settings_.text(name) != text))
            fail("the data have changed: their {} is not the run's", name);
        settings_.add(name, text);
    }
}

namespace {

using Mistakes = std::vector<PlacedMistake>;

}  // namespace

// A run's mistakes are kept in its checkpoints, for --resume.
void Session::check_mistakes() const {
    const std::string typed = OptionValue<Mistakes>::text(typed_.mistakes);
    const std::string before = settings_.has("mistake") ? settings_.text("mistake") : "nothing";
    if (!typed.empty() && typed != before)
        fail<UsageError>("--mistake: the run to be resumed has {}, got {}; settings cannot change", before,
                         typed);
}

void Session::put_mistakes() {
    if (!typed_.mistakes.empty()) settings_.add("mistake", OptionValue<Mistakes>::text(typed_.mistakes));
    if (!settings_.has("mistake")) return;
    const Mistakes mistakes = OptionValue<Mistakes>::parse({"--mistake", settings_.text("mistake"), {}});
    std::vector<int> acted;
    {
        Trace trace;
        trace.set_hook(hook_of(mistakes, &acted));
        (void)setup_.learner->score(setup_.training->at({0, 1}));
    }
    for (std::size_t i = 0; i < acted.size(); ++i)
        if (acted[i] == 0)
            fail<UsageError>("--mistake: {} cannot be made in {}: no step has what it needs",
                             mistakes[i].name(), typed_.task);
    setup_.learner = std::make_unique<MistakenLearner>(std::move(setup_.learner), mistakes);
}

// Moves an earlier run in the folder away.
void Session::open_folder() {
    lock_.emplace(folder_.path);
    folder_.remove_leftovers();
    if (resumes_ && !moves_in_) return;
    move_earlier_run();
    if (!moves_in_) return;
    // Copy the best parameters so far.
    const RunFolder before{std::filesystem::path(checkpoint_file_).parent_path()};
    if (is_there(before.best()))
        write_file_atomically(folder_.best(), glassbox::as_text(read_file(before.best())));
}

void Session::move_earlier_run() {
    const std::filesystem::path old = folder_.make_new();
    if (old.empty()) return;
    lock_.reset();
    lock_.emplace(folder_.path);
    say(fmt::format("the earlier run in {} is now in {}\n", display_name(folder_.path), display_name(old)));
}

std::filesystem::path Session::log_path() const { return typed_.log.empty() ? folder_.log() : typed_.log; }

// If so, standard output is only for the log, and other text goes to standard error.
bool Session::log_is_output() const {
    return !typed_.log.empty() && (typed_.log == "-" || inherited_descriptor(typed_.log) == 1);
}

void (*Session::writer() const)(std::string_view) { return log_is_output() ? say : write_out; }

// Compares the settings at the start of the log with the checkpoint's: it may be the log of another run,
// which was named by mistake, or its own, which is damaged.
void Session::check_log(const std::filesystem::path& log) const {
    const Bytes bytes = read_file(log);
    const std::string_view text = glassbox::as_text(bytes), line = text.substr(0, text.find('\n'));
    std::string other;
    try {
        const auto events = parse_run_log(line, "").events;
        const auto* start = events.empty() ? nullptr : std::get_if<RunStart>(&events[0]);
        if (!start) return;
        const auto config = nlohmann::json::parse(start->config);
        for (const auto& [name, value] : settings_.texts())
            if (other.empty() && config.contains(name) && config[name].is_string() && config[name] != value)
                other = fmt::format("{}: the log of another run: its {} is {}, the checkpoint's {}",
                                    display_name(log), name, printable(config[name].get<std::string>()),
                                    printable(value));
    } catch (const FileError&) {  // damaged: reported later
    }
    if (other.empty()) return;
    if (!typed_.log.empty()) fail<UsageError>("{}; choose another file with --log", other);
    fail<FileError>("{}; move it away, or choose another file with --log", other);
}

ContinuedLog Session::continued_log(const std::filesystem::path& log, const RunStart& start) const {
    try {
        return RunLog::continue_after(log, from_.step, start, from_.validation_is_due);
    } catch (const FileError& error) {
        fail<FileError>("{}; none of its lines is readable: move it away, the checkpoint is intact",
                        error.what());
    }
}

// On rank 0 only.
void Session::open_files() {
    if (!typed_.no_files) open_folder();
    JsonObject config;
    for (const auto& [name, text] : settings_.texts())
        if (!setup_.kept.count(name)) config.add(name, text);
    const RunStart start{settings_.text("task"), settings_.text("convention"), trainer_->config().seed,
                         config.text()};
    const std::filesystem::path log = log_path();
    const bool has_log = resumes_ && log != "-" && !inherited_descriptor(log) && is_there(log) &&
                         std::filesystem::is_regular_file(log);
    if (resumes_ && !moves_in_ && !has_log && typed_.log.empty() && from_.step > 0)
        say(fmt::format("{}: not found; the log begins after step {}\n", display_name(log), from_.step));
    if (has_log) {
        check_log(log);
        ContinuedLog continued = continued_log(log, start);
        if (!continued.damaged.empty())
            say(fmt::format("{}: {} {} damaged and omitted; the checkpoint is intact\n", display_name(log),
                            continued.str(), continued.damaged.size() > 1 ? "are" : "is"));
        log_.emplace(std::move(continued.log));
    } else if (!typed_.no_files || !typed_.log.empty()) {
        log_.emplace(log);
        log_->append(start);
    }
    if (typed_.tensorboard) events_.emplace(folder_.path, from_.step);
}

void Session::print_header() const {
    const Convention& c = settings_.convention();
    std::string text = fmt::format("Training: {} · convention {} ({}) · seed {}\n", settings_.text("task"),
                                   c.name, c.source, settings_.text(names::seed.name));
    for (const std::string& line : setup_.header) text += line + "\n";
    const TrainerConfig& config = trainer_->config();
    text += fmt::format("{} parameters; {} of {}, {} per step\n", trainer_->parameters().count(),
                        counted(config.epochs, "epoch"), counted(trainer_->steps_per_epoch(), "step"),
                        counted(config.batch, "example"));
    text += fmt::format("{}, learning rate {}, schedule {}", name(config.optimiser.kind),
                        settings_.text(names::rate.name), name(config.schedule.kind));
    if (config.schedule.kind != ScheduleKind::constant)
        text += fmt::format(" with {} of warm-up{}", counted(config.schedule.warmup, "step"),
                            config.schedule.warmup > 0 && config.schedule.warmup >= trainer_->steps()
                                ? ", in which the run ends"
                                : "");
    if (config.clipping.max_norm > 0)
        text += fmt::format(", gradients clipped at {}", config.clipping.max_norm);
    const index_t pieces = std::min(config.pieces, config.batch);
    if (device_ != Device::cpu)
        text += fmt::format("\non {}, {}{}", glassbox::name(device_),
                            trainer_->is_recorded() ? "with recorded steps" : "kernel by kernel",
                            pieces > 1 ? fmt::format(", a batch split into {} pieces", pieces) : "");
    if (ranks_.size() > 1) text += fmt::format("\n{} ranks, each with a part of every batch", ranks_.size());
    if (ranks_.size() > 1 && device_ != Device::cpu && pieces < ranks_.size())
        text += fmt::format("; {} of them without a piece", ranks_.size() - pieces);
    if (settings_.has("mistake"))
        text += fmt::format("\nwith a mistake in every score: {}", settings_.text("mistake"));
    if (resumes_) text += fmt::format("\nresuming after step {} of {}", from_.step, trainer_->steps());
    writer()(wrapped_lines(text, line_width(typed_.output.string())) + "\n\n");
}

namespace {

// "a[0,1],b" → "a[0,1]", "b"
std::vector<std::string> places(const std::string& text) {
    std::vector<std::string> result;
    bool inside = false, fresh = true;
    for (const char c : text) {
        if (c == ',' && !inside) {
            fresh = true;
            continue;
        }
        if (fresh) result.emplace_back();
        fresh = false;
        inside = c == '[' || (inside && c != ']');
        result.back() += c;
    }
    return result;
}

}  // namespace

void Session::show_step() {
    if (resumes_) say(other_bits_text(checkpoint_, from_, device_));
    const int precision = static_cast<int>(typed_.precision);
    const bool is_page = typed_.format() == TrainFormat::html;
    Ledger ledger =
        open_ledger(*trainer_, *typed_.step, places(typed_.number), precision,
                    settings_.convention().file_names(), is_page ? setup_.learner.get() : nullptr);
    if (typed_.format() == TrainFormat::npz) {
        const Bytes bytes = format_npz(ledger_arrays(ledger));
        return deliver_bytes(glassbox::as_text(bytes), typed_.output.string());
    }
    if (typed_.format() == TrainFormat::json) return deliver(ledger_json(ledger), typed_.output.string());
    const TextStyle style = text_style(precision, ColorWhen::automatic, typed_.output.string());
    const LedgerText text = is_page ? update_text(ledger, style) : ledger_text(ledger, style);
    if (is_page) {
        ledger.page.title = fmt::format("{} · step {} of {}", typed_.task, *typed_.step, trainer_->steps());
        ledger.page.convention = settings_.convention().name;
        ledger.page.header.insert(ledger.page.header.begin(), setup_.header.begin(), setup_.header.end());
        ledger.page.footer = text.text;
        return deliver_checked(text.agrees,
                               page(PageKind::trace, ledger.page.title, page_json(ledger.page, 4)),
                               typed_.output.string());
    }
    if (is_text(typed_)) print_header();
    deliver_checked(text.agrees, text.text, typed_.output.string());
}

void Session::run() {
    if (typed_.step) {
        if (ranks_.size() > 1)
            fail<UsageError>("--step: needs a single process, and mpirun has started {}", ranks_.size());
        return show_step();
    }
    if (is_text(typed_) && is_first()) print_header();
    train();
}

// Whether the run is finished and its log has the final event, written after the test.
bool Session::was_tested() const {
    if (!resumes_ || moves_in_ || !trainer_->is_finished() || from_.validation_is_due) return false;
    try {
        const std::vector<RunEvent> events = read_run_log(log_path()).events;
        return !events.empty() && std::holds_alternative<RunEnd>(events.back());
    } catch (const Error&) {
        return false;
    }
}

// As the run began, unless something else was typed: with another interval another epoch may be the best.
index_t Session::validate_every() const {
    if (from_.validate_every == 0 || from_.validate_every == typed_.validate_every)
        return typed_.validate_every;
    if (!options_.given("--validate-every")) return from_.validate_every;
    if (is_first())
        say(
            fmt::format("--validate-every {}: it was {} before, so the best epoch may differ from that of an "
                        "uninterrupted run\n",
                        typed_.validate_every, from_.validate_every));
    return typed_.validate_every;
}

void Session::train() {
    if (caught_signal() && is_first()) end_by_signal("");  // at the end of the previous variant's run
    const bool was_tested = this->was_tested();
    if (was_tested && is_first())
        writer()(fmt::format("this run is finished: step {} is its last\n", trainer_->steps()));
    if (!was_tested && is_first()) open_files();
    if (resumes_ && is_first() && !trainer_->is_finished()) say(other_bits_text(checkpoint_, from_, device_));
    if (was_tested && is_first() && !typed_.no_files) {
        lock_.emplace(folder_.path);
        folder_.remove_leftovers();
    }
    listen_for_signals();
    TrainProgress::Config progress_config;
    progress_config.steps = trainer_->steps();
    progress_config.epochs = trainer_->config().epochs;
    progress_config.source_epochs = glassbox::task(typed_.task).source_epochs;
    progress_config.seconds_before = from_.seconds;
    progress_config.log_every = typed_.log_every;
    if (is_text(typed_) && is_first()) progress_config.write_row = writer();
    progress_config.line = is_first();
    std::optional<KeptMaps> maps;
    const index_t per_epoch = trainer_->steps_per_epoch();
    if (is_first() && !typed_.no_files && !was_tested && setup_.validation) {
        maps.emplace(maps_file(folder_.path), *setup_.learner, *setup_.validation, device_,
                     settings_.texts());
        if (trainer_->steps_done() == 0) maps->keep(0);
        else maps->take_up(trainer_->steps_done() / per_epoch, trainer_->steps_done(), from_.config);
        progress_config.at_validation = [&](index_t epoch) { maps->keep(epoch); };
        progress_config.at_step = [&maps, per_epoch](index_t step) { maps->keep_step(step, per_epoch); };
    }
    TrainProgress progress(progress_config, log_ ? &*log_ : nullptr, events_ ? &*events_ : nullptr);
    RunOptions options;
    options.validation = setup_.validation.get();
    options.validate_every = validate_every();
    options.save_every = typed_.save_every;
    options.folder = typed_.no_files ? nullptr : &folder_;
    options.config = settings_.texts();
    options.parameter_names = settings_.convention().file_names();
    start_seconds_ = since(begin_);
    const glassbox::RunResult result = [&] {
        const Activity doing("training, step", trainer_->steps());
        return glassbox::run(*trainer_, options, progress, ranks_, resumes_ ? &from_ : nullptr);
    }();
    show_line("");
    if (!is_first()) return;
    if (result.finished) return report(result);
    if (progress.pipe_is_closed()) throw ClosedPipe();
    end_by_signal("");
}

// The command that resumes this run.
std::string Session::resume_command() const {
    const std::string folder =
        typed_.whole_folder.empty() ? folder_.path.string() : typed_.whole_folder;  // that of all variants
    std::string text =
        program_name() + " train" + options_.command_line({"--resume", "--folder"}) + " --resume";
    if (std::filesystem::path(folder) != default_folder(typed_.task)) text += " " + shell_word(folder);
    return text;
}

void Session::end_by_signal(const std::string& when) const {
    const int signal = caught_signal() ? caught_signal() : SIGTERM;  // caught by another rank
    say(fmt::format(
        "stopped by {} after step {} of {}{}{}\n", signal_name(signal), trainer_->steps_done(),
        trainer_->steps(), when,
        typed_.no_files ? "; nothing is saved (--no-files)" : "; to continue: " + resume_command()));
    glassbox::tracer::end_by_signal(signal);
}

// Tests the parameters of the best validation. Returns nothing if a signal interrupts it.
std::optional<Scored> Session::test_best(const glassbox::RunResult& result) {
    if (result.best_values.defined()) {
        trainer_->parameters().overwrite(result.best_values);
    } else if (result.best.epoch > 0 && is_there(folder_.best())) {
        Learner& learner = *setup_.learner;
        load(learner.parameters(), folder_.best(), settings_.convention().file_names());
        const std::string found =
            glassbox::checksum(ParameterBlock([&] { return learner.parameters(); }).values());
        if (!result.best.checksum.empty() && found != result.best.checksum)
            fail<FileError>(
                "{}: not the best parameters of this run: they have the checksum {}, the checkpoint's {}",
                display_name(folder_.best()), found, printable(result.best.checksum));
    } else if (result.best.epoch > 0) {
        say(fmt::format("{}: not found; testing the last parameters instead\n",
                        display_name(folder_.best())));
    }
    const Activity doing("the test");
    return trainer_->evaluate(*setup_.test, [] { return caught_signal() != 0; });
}

std::string Session::json_of(const glassbox::RunResult& result, const Scored& test,
                             const TestReport& more) const {
    JsonObject json{{"schema", 1},
                    {"command", "train"},
                    {"task", settings_.text("task")},
                    {"steps", trainer_->steps_done()},
                    {"best_epoch", result.best.epoch},
                    {"validation_accuracy", result.has_accuracy ? JsonValue(result.best.accuracy) : nullptr},
                    {"validation_loss", result.best.loss},
                    {"test_accuracy", test.has_correct ? JsonValue(test.accuracy()) : nullptr},
                    {"test_loss", test.loss}};
    for (const auto& [name, value] : more.fields) json.add(name, JsonValue::raw(value));
    json.add("seconds", {result.seconds, 4});
    json.add("start_seconds", {start_seconds_, 4}).add("device_seconds", {device_seconds_, 4});
    return json.text() + "\n";
}

std::string Session::result_text(const glassbox::RunResult& result, const Scored& test) const {
    const glassbox::BestScore& best = result.best;
    if (!test.has_correct)
        return fmt::format("\nbest validation in epoch {}: loss {:.6f}\ntest: loss {:.6f} over {} {}\n",
                           best.epoch, best.loss, test.loss, test.counted, setup_.unit);
    return fmt::format("\nbest validation: {:.2f} % of {} correct, with the lowest loss in epoch {}\n",
                       100 * best.accuracy, setup_.unit, best.epoch) +
           fmt::format("test: {:.2f} % of {} correct ({} of {}), loss {:.6f}\n", 100 * test.accuracy(),
                       setup_.unit, test.correct, test.counted, test.loss);
}

// What to look at now, for a terminal.
std::string Session::next_commands() const {
    if (line_width(typed_.output.string()) == 0) return "";
    const std::string folder = shell_word(folder_.path.string());
    const std::string& example = glassbox::task(typed_.task).example;
    return fmt::format("next: {0} plot {1} -o run.html\n      {0} predict {2}{3} --folder {1}\n",
                       program_name(), folder, typed_.task, example.empty() ? "" : " " + shell_word(example));
}

void Session::report(const glassbox::RunResult& result) {
    const std::optional<Scored> tested = test_best(result);
    if (!tested) end_by_signal(", in the test");
    const Scored& test = *tested;
    result_ = Result{result.best, test, result.seconds};
    const std::optional<double> accuracy = test.has_correct ? std::optional(test.accuracy()) : std::nullopt;
    if (log_) log_->append(run_end(*trainer_, result, accuracy));
    const TestReport more = setup_.tested ? setup_.tested() : TestReport();
    if (typed_.format() == TrainFormat::json)
        return deliver(json_of(result, test, more), typed_.output.string());
    std::string text = result_text(result, test);
    for (const std::string& line : more.lines) text += line + "\n";
    text += fmt::format("{:.2f} s\n", result.seconds);
    if (!typed_.no_files)
        text += fmt::format("files: {}\n", display_name(folder_.path / "")) + next_commands();
    if (typed_.output.empty()) writer()(text);
    else deliver(text, typed_.output.string());
}

}  // namespace glassbox::tracer
