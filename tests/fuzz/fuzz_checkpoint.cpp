#include <glassbox/io/safetensors.h>
#include <glassbox/runs/run_folder.h>

#include "fuzz/fuzz.h"
#include "train/trained_run.h"

using namespace glassbox;
using glassbox_fuzz::folder;

namespace {

// "key=value" lines as the metadata of a file with one tensor: a fuzzer does not keep a header's length
// right.
Bytes file_of(std::string_view lines) {
    std::map<std::string, std::string> metadata;
    for (const std::string& line : glassbox_fuzz::parts_of(lines, '\n')) {
        const std::size_t equals = std::min(line.find('='), line.size());
        metadata[line.substr(0, equals)] = line.substr(std::min(equals + 1, line.size()));
    }
    return format_safetensors({{"model.a", Tensor(Shape{8}, std::vector<real>(8))}}, metadata);
}

void round_trip(const std::string& file) {
    const Checkpoint read = read_checkpoint(file);
    write_checkpoint(folder() / "again.safetensors", read);
    const Checkpoint again = read_checkpoint(folder() / "again.safetensors");
    const bool is_same = again.step == read.step && again.best.epoch == read.best.epoch &&
                         again.best.checksum == read.best.checksum && again.config == read.config &&
                         again.validation_is_due == read.validation_is_due &&
                         again.tensors.size() == read.tensors.size();
    if (!is_same) glassbox_fuzz::broken("a checkpoint is written as it was read", file);
}

// The model that a file's settings describe, with the file's parameters.
void load(const std::string& file) {
    const glassbox::tracer::TrainedRun run = glassbox::tracer::read_run(file);
    (void)run.title();
    PredictRequest request;
    request.model = file;
    (void)glassbox::tracer::answerer_of(task(run.settings.text("task")), run, request);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const bool is_whole_file = size > 8 && data[7] == 0;
    std::string file;
    try {
        file = is_whole_file ? folder().put("best.safetensors", glassbox_fuzz::bytes_of(data, size))
                             : folder().put("best.safetensors", file_of(glassbox_fuzz::text_of(data, size)));
    } catch (const Error&) {  // names that are not UTF-8 are not written
        return 0;
    }
    if (size % 2 == 0) glassbox_fuzz::refuse_or([&] { round_trip(file); });
    else glassbox_fuzz::refuse_with<Error>([&] { load(file); });
    return 0;
}
