#include <signal.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <thread>
#include <tuple>

#include <glassbox/io/numpy.h>
#include <glassbox/io/safetensors.h>
#include <glassbox/runs/folder_lock.h>
#include <glassbox/runs/run_log.h>
#include <nlohmann/json.hpp>

#include "cli/memory.h"
#include "command.h"
#include "support/catch.h"

using namespace glassbox_test;

namespace {

// A run of a second at most: `more` options after those that make it small.
std::vector<std::string> small_run(const std::string& folder, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"train",    "reverse",      "--seq",    "6",        "--examples",
                                   "320",      "--validation", "64",       "--test",   "64",
                                   "--dmodel", "16",           "--epochs", "4",        "--batch",
                                   "32",       "--warmup",     "5",        "--folder", folder};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

// The parameters and moments of a checkpoint, without the metadata, which contain times.
std::map<std::string, std::vector<glassbox::real>> tensors(const std::string& file) {
    std::map<std::string, std::vector<glassbox::real>> result;
    for (const auto& [name, tensor] : glassbox::read_safetensors(file).tensors)
        result[name] = tensor.values();
    return result;
}

}  // namespace

TEST_CASE("train: invalid runs are refused before much memory is announced or requested") {
    const auto many = static_cast<long long>(glassbox::tracer::machine_memory() / 8 /
                                             14);  // a byte per number, and an order
    for (const auto& [option, value, message] :
         {std::tuple{"--seq", "0", "error: --seq: expected at least 1, got 0\n"},
          {"--clip", "-1", "error: --clip: expected a number from 0 to 1e+30, got -1\n"}}) {
        const auto ran = run_program({"train", "sort", "--no-files", "--seq", "6", "--validation",
                                      std::to_string(many), option, value});
        CHECK(ran.code == 2);
        CHECK(ran.err == message);
    }
}

TEST_CASE("train: a run leaves its best and last checkpoint and a log, and reports its result") {
    const Folder folder;
    const Ran ran = run_program(small_run(folder / "run", {"--dff", "24"}));
    CAPTURE(ran.out, ran.err);
    CHECK(ran.code == 0);
    CHECK(ran.err.empty());
    CHECK(has(ran.out, "d_ff = 24"));
    CHECK(has(ran.out, "4 epochs of 10 steps, 32 examples per step"));
    CHECK(has(ran.out, "test: "));
    CHECK(tensors(folder / "run/last.safetensors").count("m.output_net.4.bias") == 1);
    CHECK(tensors(folder / "run/best.safetensors").count("output_net.4.bias") == 1);
    const auto log = glassbox::read_run_log(folder / "run/run.jsonl");
    CHECK(std::holds_alternative<glassbox::RunStart>(log.events.front()));
    CHECK(std::holds_alternative<glassbox::RunEnd>(log.events.back()));
    CHECK(glassbox::step_of(log.events.back()) == 40);
}

TEST_CASE("train: the numbers do not depend on the number of threads") {
    const Folder folder;
    for (const std::string threads : {"1", "2", "3"})
        REQUIRE(run_program(small_run(folder / threads, {"--threads", threads, "--dropout", "0.1"})).code ==
                0);
    CHECK((tensors(folder / "1/last.safetensors") == tensors(folder / "2/last.safetensors")));
    CHECK((tensors(folder / "1/last.safetensors") == tensors(folder / "3/last.safetensors")));
}

TEST_CASE("train: a new run moves an older one aside") {
    const Folder folder;
    REQUIRE(run_program(small_run(folder / "run")).code == 0);
    const auto first = content(folder / "run/best.safetensors");
    const Ran again = run_program(small_run(folder / "run", {"--seed", "7"}));
    CHECK(again.code == 0);
    CHECK(has(again.err, "is now in"));
    CHECK((content(folder / "run.1/best.safetensors") == first));
    CHECK((content(folder / "run/best.safetensors") != first));
}

TEST_CASE("train: --resume gives the bits of an uninterrupted run") {
    const Folder folder;
    REQUIRE(run_program(small_run(folder / "whole", {"--save-every", "7", "--dropout", "0.1"})).code == 0);
    std::filesystem::create_directory(folder / "half");
    // The files of a run stopped after step 35.
    std::filesystem::copy_file(folder / "whole/previous.safetensors", folder / "half/last.safetensors");
    const Ran ran = run_program({"train", "reverse", "--resume", "--folder", folder / "half"});
    CAPTURE(ran.out, ran.err);
    CHECK(ran.code == 0);
    CHECK(has(ran.out, "resuming after step 35 of 40"));
    CHECK((tensors(folder / "half/last.safetensors") == tensors(folder / "whole/last.safetensors")));
}

namespace {

// A run in a separate process, until a signal ends it.
class GoingRun {
  public:
    GoingRun(std::vector<std::string> words, const std::string& out, const std::string& err) : err_(err) {
        words.insert(words.begin(), GLASSBOX_TRACER);
        std::vector<char*> argv;
        for (std::string& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        child_ = ::fork();
        if (child_ != 0) return;
        ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT, 0600), 1);
        ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT, 0600), 2);
        for (const int signal : {SIGHUP, SIGINT}) ::signal(signal, SIG_DFL);  // as left by nohup and &
        ::setenv("GLASSBOX_PATIENCE", "0", 1);
        ::execv(argv[0], argv.data());
        ::_exit(127);
    }

    // Waits until `ready` holds or the run has ended. Returns its standard error.
    std::string interrupt(int signal, const std::function<bool()>& ready) {
        int status = 0;
        while (!ready() && ::waitpid(child_, &status, WNOHANG) == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        ::kill(child_, signal);
        ::waitpid(child_, &status, 0);
        CHECK(WIFSIGNALED(status));
        CHECK(WTERMSIG(status) == signal);
        return content(err_);
    }

  private:
    std::string err_;
    pid_t child_ = 0;
};

std::function<bool()> exists(const std::string& file) {
    return [file] { return std::filesystem::exists(file); };
}

// "stopped by SIGINT after step 3 of 40; to continue: COMMAND" → COMMAND
std::string advice(const std::string& err) {
    const std::string before = "; to continue: ";
    const std::size_t begin = err.rfind(before), end = err.find('\n', begin);
    REQUIRE(begin != std::string::npos);
    REQUIRE(end != std::string::npos);
    return err.substr(begin + before.size(), end - begin - before.size());
}

// Parsed like a shell would.
Ran run_line(const std::string& line) { return run_program({"-c", line}, {.program = "/bin/sh"}); }

}  // namespace

TEST_CASE("train: SIGTERM and SIGHUP finish the step, save, and exit as by the signal") {
    const int signal = GENERATE(SIGTERM, SIGHUP);
    const Folder folder;
    GoingRun run(small_run(folder / "run", {"--epochs", "100000"}), "/dev/null", folder / "err");
    const std::string err = run.interrupt(signal, exists(folder / "run/last.safetensors"));
    const std::string name = signal == SIGTERM ? "SIGTERM" : "SIGHUP";
    CHECK(has(err, "stopped by " + name + " after step"));
    const Ran ran = run_program({"train", "reverse", "--resume", "--folder", folder / "run", "--step", "1"});
    CHECK(ran.code == 2);  // step 1 is done
}

TEST_CASE("train: the command printed by an interrupted run continues it exactly as printed",
          "[exhaustive]") {
    const Folder folder;
    const std::string place = folder / "it's my $HOME/run";
    const std::vector<std::string> more{"--epochs",  "60",  "--save-every",     "5",
                                        "--dropout", "0.1", "--validate-every", "7"};
    REQUIRE(run_program(small_run(folder / "whole", more)).code == 0);
    GoingRun run(small_run(place, more), "/dev/null", folder / "err");
    const std::string command = advice(run.interrupt(SIGINT, exists(place + "/last.safetensors")));
    CAPTURE(command);
    const Ran ran = run_line(command);
    CAPTURE(ran.out, ran.err);
    CHECK(ran.code == 0);
    CHECK(has(ran.out, "resuming after step"));
    CHECK((tensors(place + "/last.safetensors") == tensors(folder / "whole/last.safetensors")));
    CHECK((tensors(place + "/best.safetensors") == tensors(folder / "whole/best.safetensors")));
}

TEST_CASE("train: a run is resumed with its own interval of validations, and another is said",
          "[exhaustive]") {
    const Folder folder;
    const std::string place = folder / "run";
    const std::vector<std::string> more{"--epochs", "60", "--save-every", "5", "--validate-every", "7"};
    REQUIRE(run_program(small_run(folder / "whole", more)).code == 0);
    GoingRun run(small_run(place, more), "/dev/null", folder / "err");
    (void)run.interrupt(SIGINT, exists(place + "/last.safetensors"));
    std::filesystem::copy(place, folder / "copy", std::filesystem::copy_options::recursive);
    const Ran ran = run_program({"train", "reverse", "--resume", "--folder", place});
    CHECK(ran.code == 0);
    CHECK(!has(ran.err, "--validate-every"));
    CHECK((tensors(place + "/best.safetensors") == tensors(folder / "whole/best.safetensors")));
    const Ran other =
        run_program({"train", "reverse", "--resume", "--folder", folder / "copy", "--validate-every", "1"});
    CHECK(other.code == 0);
    CHECK(has(other.err,
              "--validate-every 1: it was 7 before, so the best epoch may differ from that of an "
              "uninterrupted run"));
}

TEST_CASE("train: a run with one pooling is resumed without saying which", "[exhaustive]") {
    const Folder folder;
    std::vector<std::string> words{
        "train",     "sequence", "--seq",        "6",  "--examples", "320",
        "--epochs",  "200",      "--validation", "64", "--test",     "64",
        "--pooling", "cls",      "--save-every", "5",  "--folder",   folder / "run"};
    GoingRun run(words, "/dev/null", folder / "err");
    (void)run.interrupt(SIGINT, exists(folder / "run/last.safetensors"));
    for (const std::vector<std::string>& resumed :
         {std::vector<std::string>{"--resume", "--folder", folder / "run"},
          {"--resume", folder / "run"},
          {"--resume", folder / "run/last.safetensors"}}) {
        std::vector<std::string> line{"train", "sequence"};
        line.insert(line.end(), resumed.begin(), resumed.end());
        const Ran ran = run_program(line);
        CAPTURE(ran.err);
        CHECK(ran.code == 0);
        CHECK(has(ran.out, resumed.size() == 3 ? "resuming after step" : "this run is finished"));
    }
}

TEST_CASE("train: the same for a run with one pooling, and with all three in sequence", "[exhaustive]") {
    const std::string pooling = GENERATE("", "cls");
    const Folder folder;
    std::vector<std::string> words{
        "train",        "sequence", "--seq",  "6",  "--examples",   "320", "--epochs", "200",
        "--validation", "64",       "--test", "64", "--save-every", "10",  "--folder", folder / "run"};
    if (!pooling.empty()) words.insert(words.end(), {"--pooling", pooling});
    GoingRun run(words, "/dev/null", folder / "err");
    // Of three the second is interrupted, and the third has not started.
    const std::string command = advice(run.interrupt(
        SIGINT, exists(folder / (pooling.empty() ? "run/max/last.safetensors" : "run/last.safetensors"))));
    CAPTURE(command);
    const Ran ran = run_line(command);
    CAPTURE(ran.out, ran.err);
    CHECK(ran.code == 0);
    CHECK(has(ran.out, "resuming after step"));
    if (!pooling.empty()) return;
    CHECK(has(ran.out, "this run is finished"));
    for (const char* each : {"mean ", "max ", "cls "}) CHECK(has(ran.out, std::string("\n") + each));
    CHECK(has(ran.out, "200 epochs of 2 steps"));
    const auto last = glassbox::read_safetensors(folder / "run/cls/last.safetensors");
    CHECK(last.metadata.at("epochs") == "200");
}

TEST_CASE("train: a signal between two of the three ends the run as within one of them", "[exhaustive]") {
    const Folder folder;
    GoingRun run({"train", "sequence", "--seq", "6", "--examples", "60000", "--batch", "6000", "--epochs",
                  "1", "--validation", "64", "--test", "64", "--folder", folder / "run"},
                 "/dev/null", folder / "err");
    const std::string err = run.interrupt(
        SIGTERM, [&] { return has(content(folder / "run/mean/run.jsonl"), "{\"event\":\"end\""); });
    CAPTURE(err);
    CHECK(has(err, "stopped by SIGTERM after step"));
    const Ran ran = run_line(advice(err));
    CAPTURE(ran.out, ran.err);
    CHECK(ran.code == 0);
    CHECK(has(ran.out, "\ncls "));
}

TEST_CASE("train: --resume takes a folder") {
    const Folder folder;
    REQUIRE(run_program(small_run(folder / "run", {"--save-every", "7"})).code == 0);
    std::filesystem::rename(folder / "run/previous.safetensors", folder / "run/last.safetensors");
    const Ran ran = run_program({"train", "reverse", "--resume", folder / "run"});
    CAPTURE(ran.out, ran.err);
    CHECK(ran.code == 0);
    CHECK(has(ran.out, "resuming after step 35 of 40"));
    CHECK(has(ran.out, "files: " + folder / "run/"));
}

TEST_CASE("train: a run killed before its test is tested when resumed, and leftovers are removed") {
    const Folder folder;
    const Ran whole = run_program(small_run(folder / "run"));
    const std::string log = content(folder / "run/run.jsonl"),
                      end = log.substr(log.rfind("{\"event\":\"end\""));
    write(folder / "run/run.jsonl", log.substr(0, log.size() - end.size()));
    write(folder / "run/.glassbox-4711-1a2b3c4d.tmp", "half a checkpoint");
    const Ran ran = run_program({"train", "reverse", "--resume", folder / "run"});
    CAPTURE(ran.out, ran.err);
    CHECK(ran.code == 0);
    const auto test = [](const std::string& out) { return out.substr(out.find("test: "), 70); };
    CHECK(test(ran.out).substr(0, 40) == test(whole.out).substr(0, 40));
    const auto events = glassbox::read_run_log(folder / "run/run.jsonl").events;
    CHECK(std::holds_alternative<glassbox::RunEnd>(events.back()));
    CHECK_FALSE(std::filesystem::exists(folder / "run/.glassbox-4711-1a2b3c4d.tmp"));
    // Again: nothing remains to be done, and the log has one end.
    const std::string before = content(folder / "run/run.jsonl");
    const Ran again = run_program({"train", "reverse", "--resume", folder / "run"});
    CHECK(has(again.out, "this run is finished: step 40 is its last"));
    CHECK(content(folder / "run/run.jsonl") == before);
}

TEST_CASE("train: Ctrl-C in the test or in a validation ends it there; what was cut off is redone",
          "[exhaustive]") {
    const std::string which = GENERATE("--test", "--validation");
    const Folder folder;
    const std::vector<std::string> more{"--epochs", "2", which, "60000"};
    REQUIRE(run_program(small_run(folder / "whole", more)).code == 0);
    GoingRun run(small_run(folder / "run", more), folder / "out", folder / "err");
    // The last step's line is written, and what follows takes long.
    const std::string reached = which == "--test" ? "\"validation\",\"step\":20," : "\"step\",\"step\":10,";
    const std::string err =
        run.interrupt(SIGINT, [&] { return has(content(folder / "run/run.jsonl"), reached); });
    CAPTURE(err);
    CHECK(has(err, "stopped by SIGINT"));
    CHECK_FALSE(has(content(folder / "out"), "test: "));
    const Ran ran = run_line(advice(err));
    CAPTURE(ran.out, ran.err);
    CHECK(ran.code == 0);
    for (const char* file : {"/last.safetensors", "/best.safetensors"})
        CHECK((tensors(folder / "run" + file) == tensors(folder / "whole" + file)));
    const auto end_of = [&](const std::string& name) {
        return std::get<glassbox::RunEnd>(glassbox::read_run_log(folder / name + "/run.jsonl").events.back());
    };
    CHECK(end_of("run").best_epoch == end_of("whole").best_epoch);
    CHECK(end_of("run").test_accuracy == end_of("whole").test_accuracy);
}

TEST_CASE("train: a run continues although its log is damaged, and reports the damaged lines") {
    const Folder folder;
    REQUIRE(run_program(small_run(folder / "run", {"--save-every", "7", "--log-every", "1"})).code == 0);
    std::filesystem::rename(folder / "run/previous.safetensors", folder / "run/last.safetensors");
    std::string log = content(folder / "run/run.jsonl");
    log[log.find("\"step\":3,")] = '\x01';
    write(folder / "run/run.jsonl", log + std::string(512, '\0'));
    const Ran ran = run_program({"train", "reverse", "--resume", folder / "run"});
    CAPTURE(ran.out, ran.err);
    CHECK(ran.code == 0);
    CHECK(ran.err.find(folder / "run/run.jsonl: lines 4, ") == 0);
    CHECK(has(ran.err, "are damaged and omitted; the checkpoint is intact"));
    const auto events = glassbox::read_run_log(folder / "run/run.jsonl").events;
    CHECK(std::holds_alternative<glassbox::RunEnd>(events.back()));
}

TEST_CASE("train: files of another run among a run's own are refused") {
    const Folder folder;
    REQUIRE(run_program(small_run(folder / "run", {"--save-every", "7"})).code == 0);
    REQUIRE(run_program(small_run(folder / "other", {"--seed", "7"})).code == 0);
    const auto take = [&](const char* file) {
        std::filesystem::copy_file(folder / "other" + file, folder / "run" + file,
                                   std::filesystem::copy_options::overwrite_existing);
        return run_program({"train", "reverse", "--resume", folder / "run"});
    };
    SECTION("best parameters: they would be tested") {
        std::filesystem::remove(folder / "run/run.jsonl");  // so that the finished run is tested again
        const Ran ran = take("/best.safetensors");
        CAPTURE(ran.out, ran.err);
        CHECK(ran.code == 3);
        CHECK(has(ran.err, "best.safetensors: not the best parameters of this run"));
        CHECK_FALSE(has(ran.out, "test: "));
    }
    SECTION("a log: two runs would be merged") {
        std::filesystem::rename(folder / "run/previous.safetensors", folder / "run/last.safetensors");
        const Ran ran = take("/run.jsonl");
        CHECK(ran.code == 3);
        CHECK(has(ran.err,
                  "run.jsonl: the log of another run: its seed is 7, the checkpoint's 42; move it away"));
        CHECK(content(folder / "run/run.jsonl") == content(folder / "other/run.jsonl"));
    }
    SECTION("a missing log is reported, but is not an error") {
        std::filesystem::rename(folder / "run/previous.safetensors", folder / "run/last.safetensors");
        std::filesystem::remove(folder / "run/run.jsonl");
        const Ran ran = run_program({"train", "reverse", "--resume", folder / "run"});
        CHECK(ran.code == 0);
        CHECK(has(ran.err, "run.jsonl: not found; the log begins after step 35"));
    }
    SECTION("a log without a readable line is not touched") {
        std::filesystem::rename(folder / "run/previous.safetensors", folder / "run/last.safetensors");
        write(folder / "run/run.jsonl", "my notes\n");
        const Ran ran = run_program({"train", "reverse", "--resume", folder / "run"});
        CHECK(ran.code == 3);
        CHECK(has(ran.err, "move it away, the checkpoint is intact"));
        CHECK(content(folder / "run/run.jsonl") == "my notes\n");
    }
}

TEST_CASE("train: a new run of all poolings moves all three old runs aside before the first starts") {
    const Folder folder;
    std::vector<std::string> words{"train",      "sequence", "--epochs", "1",           "--seq",        "6",
                                   "--examples", "64",       "--batch",  "32",          "--validation", "64",
                                   "--test",     "64",       "--folder", folder / "run"};
    REQUIRE(run_program(words).code == 0);
    words[3] = "100000";
    GoingRun run(words, "/dev/null", folder / "err");
    const std::string err = run.interrupt(SIGTERM, [&] {
        return std::filesystem::exists(folder / "run/cls.1") &&
               std::filesystem::exists(folder / "run/mean/last.safetensors");
    });
    CAPTURE(err);
    for (const char* each : {"mean", "max", "cls"}) {
        CHECK(std::filesystem::exists(folder / "run/" + each + ".1/last.safetensors"));
        // A run that had not started must not be resumed.
        if (std::string(each) != "mean")
            CHECK_FALSE(std::filesystem::exists(folder / "run/" + each + "/last.safetensors"));
    }
}

TEST_CASE("train: a run that cannot be resumed is refused with the reason") {
    const Folder folder;
    REQUIRE(run_program(small_run(folder / "run", {"--save-every", "10"})).code == 0);
    const std::vector<std::string> resume{"train", "reverse", "--resume", "--folder", folder / "run"};
    const auto with = [&](std::vector<std::string> words, const std::vector<std::string>& more) {
        words.insert(words.end(), more.begin(), more.end());
        return run_program(words);
    };
    SECTION("another setting") {
        const Ran ran = with(resume, {"--rate", "0.1"});
        CHECK(ran.code == 2);
        CHECK(has(ran.err, "--rate: the run to be resumed has 0.0005, got 0.1"));
    }
    SECTION("another task") {
        const Ran ran = run_program({"train", "copy", "--resume", folder / "run/last.safetensors"});
        CHECK(ran.code == 2);
        CHECK(has(ran.err, "the checkpoint is of task 'reverse', not 'copy'"));
    }
    SECTION("a truncated checkpoint; the one before is named") {
        const std::string whole = content(folder / "run/last.safetensors");
        write(folder / "run/last.safetensors", whole.substr(0, whole.size() - 100));
        const Ran ran = run_program(resume);
        CHECK(ran.code == 3);
        CHECK(has(ran.err, "last.safetensors"));
        CHECK(has(ran.err, "from step 30: "));
        const Ran before = run_program({"train", "reverse", "--folder", folder / "run", "--resume",
                                        folder / "run/previous.safetensors"});
        CHECK(before.code == 0);
    }
    SECTION("settings that do not match its parameters, however large") {
        const auto file = glassbox::read_safetensors(folder / "run/last.safetensors");
        for (const auto& [setting, text] :
             std::vector<std::pair<std::string, std::string>>{{"dmodel", "1048576"},
                                                              {"dmodel", "1000000000"},
                                                              {"dff", "1000000"},
                                                              {"layers", "10000"},
                                                              {"heads", "3"},
                                                              {"batch", "1000000"},
                                                              {"epochs", "1"},
                                                              {"convention", "none"},
                                                              {"norm", "behind\nFORGED"},
                                                              {"activation", "tanh"},
                                                              {"schedule", ""},
                                                              {"optimiser", "lion"}}) {
            auto metadata = file.metadata;
            metadata[setting] = text;
            glassbox::write_safetensors(folder / "other.safetensors", file.tensors, metadata);
            const Ran ran = run_program({"train", "reverse", "--resume", folder / "other.safetensors"});
            CAPTURE(setting, text, ran.err);
            CHECK(ran.code == 3);
            CHECK(has(ran.err, "other.safetensors: "));
        }
    }
    SECTION("a build with another real type") {
        const auto file = glassbox::read_safetensors(folder / "run/last.safetensors");
        auto metadata = file.metadata;
        metadata.at("glassbox.real") = sizeof(glassbox::real) == sizeof(double) ? "float" : "double";
        glassbox::write_safetensors(folder / "other.safetensors", file.tensors, metadata);
        const Ran ran = run_program({"train", "reverse", "--resume", folder / "other.safetensors"});
        CHECK(ran.code == 3);
        CHECK(has(ran.err, "a checkpoint of a build that computes in"));
    }
    SECTION("weights that are not a checkpoint") {
        const Ran ran = run_program({"train", "reverse", "--resume", folder / "run/best.safetensors"});
        CHECK(ran.code == 3);
        CHECK(has(ran.err, "not a checkpoint of a training run"));
    }
    SECTION("no file") {
        const Ran ran = run_program({"train", "reverse", "--resume", "--folder", folder / "none"});
        CHECK(ran.code == 4);
        CHECK(has(ran.err, "none/last.safetensors"));
    }
}

TEST_CASE("train: a folder in use by another run is left alone") {
    const Folder folder;
    REQUIRE(run_program(small_run(folder / "run")).code == 0);
    const auto before = content(folder / "run/last.safetensors");
    {
        const glassbox::FolderLock lock(folder / "run");
        const Ran ran = run_program(small_run(folder / "run"));
        CHECK(ran.code == 4);
        CHECK(has(ran.err, "run: another run is writing there; --folder names another place"));
    }
    CHECK((content(folder / "run/last.safetensors") == before));
    CHECK_FALSE(std::filesystem::exists(folder / "run.1"));
    CHECK(run_program(small_run(folder / "run")).code == 0);
}

TEST_CASE("train: a checkpoint is resumed in its folder, or in another folder whose run is moved aside") {
    const Folder folder;
    REQUIRE(run_program(small_run(folder / "a", {"--save-every", "7"})).code == 0);
    const std::string checkpoint = folder / "a/previous.safetensors";  // step 35
    SECTION("in its folder") {
        const Ran ran = run_program({"train", "reverse", "--resume", checkpoint});
        CAPTURE(ran.out, ran.err);
        CHECK(ran.code == 0);
        CHECK(ran.err.empty());
        CHECK(has(ran.out, "files: " + folder / "a/"));
        const auto log = glassbox::read_run_log(folder / "a/run.jsonl");
        CHECK(glassbox::step_of(log.events.at(1)) == 1);
        CHECK(glassbox::step_of(log.events.back()) == 40);
    }
    SECTION("elsewhere") {
        REQUIRE(run_program(small_run(folder / "b", {"--seed", "7"})).code == 0);
        const auto others = content(folder / "b/last.safetensors");
        const Ran ran = run_program({"train", "reverse", "--resume", checkpoint, "--folder", folder / "b"});
        CAPTURE(ran.out, ran.err);
        CHECK(ran.code == 0);
        CHECK(has(ran.err, "is now in"));
        CHECK_FALSE(has(ran.err, "best.safetensors"));  // it was copied, too
        CHECK((tensors(folder / "b/best.safetensors") == tensors(folder / "a/best.safetensors")));
        CHECK((content(folder / "b.1/last.safetensors") == others));
        CHECK((tensors(folder / "b/last.safetensors") == tensors(folder / "a/last.safetensors")));
        const auto log = glassbox::read_run_log(folder / "b/run.jsonl");
        CHECK(std::holds_alternative<glassbox::RunStart>(log.events.front()));
    }
}

TEST_CASE("train: a closed pipe ends the run without an error, saved") {
    const Folder folder;
    std::string command = "\"" GLASSBOX_TRACER "\"";
    for (const std::string& word : small_run(folder / "run", {"--epochs", "100000"})) command += " " + word;
    command += " 2> " + folder / "err" + " | head -n 1 > /dev/null";
    CHECK(std::system(command.c_str()) == 0);
    while (!std::filesystem::exists(folder / "run/last.safetensors"))
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    CHECK(content(folder / "err").empty());
}

TEST_CASE("train: --log - is standard output") {
    const Ran ran =
        run_program({"train", "reverse", "--seq", "6", "--examples", "64", "--epochs", "1", "--batch", "32",
                     "--validation", "8", "--test", "8", "--no-files", "--log", "-", "--format", "json"});
    CHECK(ran.code == 0);
    CHECK(has(ran.out, "{\"event\":\"start\""));
    CHECK(has(ran.out, "{\"event\":\"end\""));
    CHECK_FALSE(std::filesystem::exists("-"));
}

TEST_CASE("train: with --log - standard output has only the log's lines; text is on standard error") {
    const std::string log = GENERATE("-", "/dev/stdout");
    const Ran ran =
        run_program({"train", "reverse", "--seq", "6", "--examples", "64", "--epochs", "2", "--batch", "32",
                     "--validation", "8", "--test", "8", "--no-files", "--log", log});
    CHECK(ran.code == 0);
    const auto events = glassbox::parse_run_log(ran.out, "standard output").events;
    CHECK(std::holds_alternative<glassbox::RunStart>(events.front()));
    CHECK(std::holds_alternative<glassbox::RunEnd>(events.back()));
    for (const char* each : {"Training: reverse", "epoch    step", "test: "}) CHECK(has(ran.err, each));
}

TEST_CASE("train: --format json separates the time of training from that of starting") {
    const Folder folder;
    const auto begin = std::chrono::steady_clock::now();
    const Ran ran = run_program(small_run(folder / "run", {"--format", "json"}));
    const double whole = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    CHECK(ran.code == 0);
    const auto as_json = nlohmann::json::parse(ran.out);
    const double training = as_json["seconds"], start = as_json["start_seconds"],
                 device = as_json["device_seconds"];
    CHECK(training > 0);
    CHECK(start > 0);
    CHECK(training + start <= whole + 1e-3);  // rounded to four digits
    CHECK(device >= 0);
    CHECK(device <= start + 1e-3);
}

TEST_CASE("train: invalid words give exit code 2 and the rule") {
    const auto says = [](const std::vector<std::string>& words, const std::string& what) {
        const Ran ran = run_program(words);
        CAPTURE(words, ran.err);
        CHECK(ran.code == 2);
        CHECK(has(ran.err, what));
        CHECK(ran.out.empty());
    };
    says({"train"}, "train: expected a task, got nothing: one of ");
    says({"train", "revers"}, "revers");
    says({"train", "reverse", "--spread", "1"}, "--spread: tracer train reverse has no such option");
    says({"train", "reverse", "--rate", "fast"}, "--rate: expected a number, got 'fast'");
    says({"train", "reverse", "--dropout", "1"}, "--dropout");
    says({"train", "reverse", "--heads", "3"}, "3 heads do not divide d_model 32");
    says({"train", "reverse", "--batch", "60000"},
         "--batch: 60000 examples per step, and the training set has 50000: at most --batch 50000");
    says({"train", "reverse", "--epochs", "0"}, "--epochs: expected at least 1, got 0");
    says({"train", "reverse", "--step", "3901"}, "--step: expected a step from 1 to 3900, got 3901");
    says({"train", "reverse", "--step", "1", "--number", "nowhere"}, "no parameter 'nowhere'");
    says({"train", "reverse", "--step", "1", "--number", "output_net.4.bias[10]"},
         "is outside the shape (10,)");
    says({"train", "reverse", "--no-files", "--resume"}, "--no-files");
}

TEST_CASE("train: a run that diverges reports the step, and keeps what was saved") {
    const Folder folder;
    const Ran ran = run_program(
        small_run(folder / "run", {"--rate", "1e6", "--warmup", "0", "--clip", "0", "--optimiser", "sgd"}));
    CAPTURE(ran.out, ran.err);
    CHECK(ran.code == 2);
    CHECK(has(ran.err, "the run has diverged"));
}

TEST_CASE("train: a run's own files are not written over by its log or its result") {
    const Folder folder;
    for (const std::string file : {"best.safetensors", "last.safetensors", "next.safetensors", "maps.npz"}) {
        const std::string there = folder / "run/" + file;
        CHECK(run_program(small_run(folder / "run", {"--log", there})).err ==
              "error: --log: " + there + " is a file of the run itself\n");
        CHECK(run_program(small_run(folder / "run", {"-o", there})).code == 2);
    }
    CHECK(run_program(small_run(folder / "run", {"-o", folder / "run/run.jsonl"})).code == 2);
    CHECK_FALSE(std::filesystem::exists(folder / "run"));
    CHECK(run_program(small_run(folder / "run", {"--log", folder / "run/run.jsonl"})).code == 0);
}

TEST_CASE("train: a log that cannot be written ends the run with exit code 4") {
    const Folder folder;
    const Ran ran = run_program(small_run(folder / "run", {"--log", "/dev/full"}));
    CAPTURE(ran.err);
    CHECK(ran.code == 4);
}

TEST_CASE("train: an option without effect is refused, with what it belongs to") {
    const std::vector<std::pair<std::string, std::string>> refused = {
        {"--momentum 0.9", "--momentum: requires --optimiser sgd; this run's is adam"},
        {"--optimiser sgd --beta1 0.8", "--beta1: requires --optimiser adam or adamw; this run's is sgd"},
        {"--optimiser sgd --beta2 0.8", "--beta2: requires --optimiser adam or adamw; this run's is sgd"},
        {"--optimiser sgd --epsilon 1e-6",
         "--epsilon: requires --optimiser adam or adamw; this run's is sgd"},
        {"--schedule constant --warmup 5",
         "--warmup: requires a --schedule with a warm-up; this run's is constant"},
        {"--convention report --warmup 5",
         "--warmup: requires a --schedule with a warm-up; this run's is constant"},
        {"--convention report --dff 5", "--dff: convention report always has d_ff = 2·d_model = 64, got 5"},
        {"--number a[0]", "--number: requires --step N, which shows numbers"},
        {"--precision 3", "--precision: requires --step N, which shows numbers"},
        {"--step 1 --save-every 3",
         "--save-every: cannot be combined with --step, which shows one step and writes no files"},
        {"--step 1 --log-every 3",
         "--log-every: cannot be combined with --step, which shows one step and writes no files"},
        {"--step 1 --validate-every 3",
         "--validate-every: cannot be combined with --step, which shows one step and writes no files"},
        {"--step 1 --tensorboard",
         "--tensorboard: cannot be combined with --step, which shows one step and writes no files"},
        {"--step 1 --log x.jsonl",
         "--log: cannot be combined with --step, which shows one step and writes no files"},
        {"--step 1 --folder x", "--folder: --step writes no files: add --resume, or leave it out"},
        {"--step 1 --format json --precision 3", "--precision: applies to text only; json has every digit"},
        {"--step 1 --format json --number a", "--number: requires text; json has all elements"},
        {"--no-files --save-every 3",
         "--save-every: cannot be combined with --no-files, which saves nothing"},
        {"--no-files --log-every 3", "--log-every: --no-files writes no log: add --log FILE"},
        {"--no-files --folder x", "--no-files: cannot be combined with --resume, --folder or --tensorboard"},
        {"--no-files --format npz -o x.npz", "--format: npz requires --step N"},
        {"--no-files --format json -o x.npz", "-o x.npz: its extension says npz, but the output is json"},
        {"--no-files --format text -o x.json", "-o x.json: its extension says json, but the output is text"},
    };
    for (const auto& [options, message] : refused) {
        std::vector<std::string> words =
            glassbox_test::words("train reverse --examples 64 --epochs 1 " + options);
        const Ran ran = run_program(words);
        INFO(options << "\n" << ran.err);
        CHECK(ran.code == 2);
        CHECK(ran.err.find("error: " + message) == 0);
        CHECK(ran.out.empty());
    }
    const auto of = [](const std::string& options) { return run_program(words("train " + options)).err; };
    CHECK(has(of("anomaly --no-files --label-smoothing 0.1"),
              "--label-smoothing: requires a choice among classes"));
    CHECK(has(of("anomaly --no-files --features x.npz --spread 1"), "--spread: requires generated features"));
    CHECK(has(of("anomaly --no-files --test-features x.npz"), "--test-features: requires --features"));
    CHECK(has(of("copy --no-files --input-dropout 0.1"), "--input-dropout: requires an input network"));
}

TEST_CASE("train: restating a default is accepted, and -o's ending is a format") {
    const Folder folder;
    const Ran ran =
        run_program(words("train reverse --seq 4 --examples 64 --epochs 1 --batch 32 --validation 8 "
                          "--test 8 --no-files --schedule constant --warmup 0 --momentum 0 -o " +
                          (folder / "x.json")));
    CHECK(ran.err == "");
    CHECK(nlohmann::json::parse(content(folder / "x.json"))["task"] == "reverse");
}

TEST_CASE(
    "train anomaly: says that its features are generated, and what the tutorial's 100 epochs would take",
    "[exhaustive]") {
    const auto out = [](const std::string& more) {
        return run_program(
                   words("train anomaly --no-files --seq 4 --examples 30 --test 10 --dmodel 16 --heads 2 "
                         "--layers 1 --dropout 0 " +
                         more))
            .out;
    };
    const std::string ran = out("--epochs 1");
    CHECK(has(ran, "\nthe features are generated (spread 1.4); --features FILE reads the tutorial's own"));
    CHECK(has(ran, "parameters; 1 epoch of "));
    CHECK(has(ran, "\nan epoch takes "));
    CHECK(has(ran, " here; the source's 100 epochs (--epochs 100) would take about "));
    CHECK_FALSE(has(out("--epochs 100 --seq 3 --batch 1800"), "an epoch takes "));
    CHECK_FALSE(
        has(run_program(words("train reverse --no-files --epochs 1 --examples 64 --batch 32 --seq 4")).out,
            "an epoch takes "));
}

TEST_CASE("train --step: the arithmetic shown gives the optimiser's result") {
    for (const std::string optimiser : {"adam", "adamw", "sgd"}) {
        std::vector<std::string> words{"train",
                                       "reverse",
                                       "--step",
                                       "4",
                                       "--optimiser",
                                       optimiser,
                                       "--clip",
                                       "0.5",
                                       "--weight-decay",
                                       "0.01",
                                       "--number",
                                       "input_net.1.weight[3,2],"
                                       "output_net.4.bias",
                                       "--examples",
                                       "512"};
        if (optimiser == "sgd") words.insert(words.end(), {"--momentum", "0.9"});
        const Ran ran = run_program(words);
        CAPTURE(ran.out, ran.err);
        CHECK(ran.code == 0);
        CHECK(has(ran.out, "input_net.1.weight[3,2]"));
        CHECK(has(ran.out, "output_net.4.bias[0]"));
        CHECK(has(ran.out, "✓ the optimiser's result"));
        CHECK_FALSE(has(ran.out, "✗"));
        CHECK(has(ran.out, "exceeds 0.5: the gradient is multiplied by clip"));
    }
}

TEST_CASE("train --step: parameters have the names of the convention's files, everywhere") {
    const std::vector<std::pair<std::string, std::string>> first_bias = {
        {"report", "transformer.layers.0.mlp.0.bias"}, {"paper", "encoder.layers.0.self_attn.in_proj_bias"}};
    for (const auto& [convention, name] : first_bias) {
        const Folder folder;
        const auto step = [&, convention = convention](const std::vector<std::string>& more) {
            std::vector<std::string> words{"train",  "reverse", "--convention", convention,
                                           "--step", "1",       "--examples",   "128"};
            words.insert(words.end(), more.begin(), more.end());
            const Ran ran = run_program(words);
            INFO(ran.err);
            REQUIRE(ran.code == 0);
            return ran.out;
        };
        const std::string text = step({"--number", name + "[1]"}), as_json = step({"--format", "json"});
        CHECK(has(text, "   " + name + "[1]\n"));
        for (const char* ours : {"linear_net", "input_net.1", convention == "paper" ? "qkv_proj" : "norm1"}) {
            CHECK_FALSE(has(text, ours));
            CHECK_FALSE(has(as_json, ours));
        }
        CHECK(has(as_json, "\"" + name + "\""));
        step({"-o", folder / "step.npz"});
        CHECK(glassbox::Npz(folder / "step.npz").contains("grad/weights/" + name));
    }
    const Ran wrong = run_program({"train", "reverse", "--convention", "report", "--step", "1", "--number",
                                   "transformer.layers.0.mlp.0.bia[0]"});
    CHECK(has(wrong.err, "; did you mean 'transformer.layers.0.mlp.0.bias'?"));
    CHECK_FALSE(has(wrong.err, "linear_net"));
}

TEST_CASE("train --step: t is the number of the step in every part") {
    const Ran ran = run_program({"train", "reverse", "--step", "3", "--examples", "512"});
    CHECK(has(ran.out, "warm-up n / W"));
    CHECK(has(ran.out, "\n   t = 3: n = 2 updates before, W = 50, "));
    CHECK(has(ran.out, " / (1 − 0.9^3) = "));
    CHECK(has(run_program({"train", "reverse", "--step", "2", "--examples", "512"}).out,
              "\n   t = 2: n = 1 update before"));
}

TEST_CASE("train --step: the arrays contain the step, and its update follows from them") {
    const Folder folder;
    REQUIRE(run_program({"train", "reverse", "--step", "2", "-o", folder / "step.npz", "--clip", "0"}).code ==
            0);
    const glassbox::Npz arrays(folder / "step.npz");
    const std::string name = "output_net.4.bias";
    const auto g = arrays.read("grad/weights/" + name).values(), m = arrays.read("before/m/" + name).values(),
               after = arrays.read("after/m/" + name).values();
    for (std::size_t i = 0; i < g.size(); ++i)
        CHECK(std::abs(0.9 * m[i] + 0.1 * g[i] - after[i]) <= 1e-6 * (1 + std::abs(after[i])));
    CHECK(arrays.read("losses").shape() == glassbox::Shape{16, 16});
    CHECK(arrays.read("grad/logits").shape() == arrays.read("logits").shape());
    const auto as_json = nlohmann::json::parse(
        run_program({"train", "reverse", "--step", "2", "--format", "json", "--clip", "0"}).out);
    CHECK(as_json["step"] == 2);
    CHECK(as_json["parameters"].size() == 20);
}
