#include "fuzz/fuzz.h"
#include "tasks/shared/number_tasks.h"
#include "tasks/task.h"
#include "train/trained_run.h"

using namespace glassbox;

namespace {

// "name=value" lines, over the defaults of the task that they name; lines without "=" are a question's
// inputs.
struct Typed {
    Settings settings;
    PredictRequest request;

    explicit Typed(std::string_view lines) {
        Settings::Texts texts;
        for (const std::string& line : glassbox_fuzz::parts_of(lines, '\n')) {
            const std::size_t equals = line.find('=');
            if (equals == line.npos) request.inputs.push_back(line);
            else texts[line.substr(0, equals)] = line.substr(equals + 1);
        }
        const Task& of = task(texts.count("task") ? texts["task"] : "reverse");
        texts.erase("task");
        settings = settings_of(of, texts);
        settings.add("task", of.name);
    }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    glassbox_fuzz::refuse_with<Error>([&] {
        const Typed typed(glassbox_fuzz::text_of(data, size));
        const Task& of = task(typed.settings.text("task"));
        (void)of.table(typed.settings).without_effect();
        (void)of.sizes(typed.settings);
        (void)trainer_config(typed.settings, 1000);
        try {
            if (of.check) of.check(typed.request);
        } catch (const UsageError&) {  // typed: escaped where the command prints it
        }
        // As for a file that is read, which has so many numbers.
        glassbox::tracer::check_sizes(typed.settings,
                                      {{"model.a", Tensor(Shape{4096}, std::vector<real>(4096))}});
        if (of.answerer) (void)of.answerer(typed.settings, {.model = "best.safetensors"});
    });
    glassbox_fuzz::refuse_with<Error>([&] {
        PredictRequest request;
        request.inputs = glassbox_fuzz::parts_of(glassbox_fuzz::text_of(data, size), '\n');
        for (const Numbers& numbers : read_numbers(request, {"reverse", 10, 16}))
            for (const index_t number : numbers)
                if (number < 0 || number >= 10) glassbox_fuzz::broken("a number out of range was read", "");
    });
    return 0;
}
