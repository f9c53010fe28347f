// Each operator new of a piece of work is refused in turn: an error comes out, nothing is leaked, and the
// work gives the same bits afterwards.
#include <filesystem>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include <glassbox/backend/parallel.h>
#include <glassbox/io/file.h>
#include <glassbox/io/numpy.h>
#include <glassbox/io/safetensors.h>
#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/runs/run_folder.h>
#include <glassbox/runs/run_log.h>

#include "../io/io_support.h"
#include "refusing_new.h"
#include "support/train_support.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

using Work = std::function<std::vector<real>()>;

std::size_t open_files() {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

// Runs it with its n-th block refused. Whether one was.
bool is_refused(const Work& work, long n) {
    blocks_until_refused = n;
    bool refused = false;
    try {
        (void)work();
    } catch (const std::bad_alloc&) {
        refused = true;
    } catch (const Error&) {  // "x.npz: cannot read: it does not fit in memory"
        refused = true;
    }
    refused = refused || blocks_until_refused <= 0;
    blocks_until_refused = 0;
    return refused;
}

// How many blocks it asked for.
long refuse_each(const Work& work) {
    const std::vector<real> expected = work();
    (void)work();  // what is kept for reuse is there by now
    const std::size_t files = open_files();
    long n = 1;
    for (; n < 100'000; ++n) {
        const long before = blocks_alive;
        const bool refused = is_refused(work, n);
        const long after = blocks_alive;
        if (after != before) FAIL("block " << n << " refused: " << after - before << " blocks are left");
        if (!refused) break;
    }
    CHECK(open_files() == files);
    CHECK(work() == expected);
    return n - 1;
}

}  // namespace

TEST_CASE("out of memory: a traced pass and its gradients leave nothing behind") {
    set_num_threads(1);
    const Predictor model = predictor(small_predictor());
    const Tensor x = Tensor::full({1, 4, 5}, 0.25);
    const long asked = refuse_each([&] {
        Trace trace;
        Tape tape;
        const Tensor y = sum(model(x));
        tape.backward(y);
        std::vector<real> all = tape.gradient(x).values();
        for (const Trace::Step& step : trace.steps()) all.push_back(step.value.values()[0]);
        return all;
    });
    CHECK(asked > 100);
}

TEST_CASE("out of memory: files are read and written, or left as they were") {
    TemporaryFolder folder;
    const NamedTensors tensors{{"a", Tensor{{1, 2}, {3, 4}}}, {"encoder/0/b", Tensor::full({3}, 0.5)}};
    const auto bits_of = [](const NamedTensors& read) {
        std::vector<real> all;
        for (const auto& [name, tensor] : read)
            for (const real value : tensor.values()) all.push_back(value);
        return all;
    };
    SECTION("npz") {
        CHECK(refuse_each([&] {
                  write_npz(folder / "x.npz", tensors);
                  return bits_of(read_npz(folder / "x.npz").arrays);
              }) > 20);
    }
    SECTION("safetensors") {
        CHECK(refuse_each([&] {
                  write_safetensors(folder / "x.safetensors", tensors, {{"format", "pt"}});
                  return bits_of(read_safetensors(folder / "x.safetensors").tensors);
              }) > 20);
    }
    SECTION("checkpoint") {
        const RunFolder run{folder.path()};
        Checkpoint checkpoint;
        checkpoint.tensors = tensors;
        checkpoint.step = 7;
        run.save(checkpoint);
        CHECK(refuse_each([&] {
                  run.save(checkpoint);
                  return bits_of(run.load().tensors);
              }) > 20);
        CHECK(folder.files() == 2);  // last and previous
    }
    SECTION("run log") {
        CHECK(refuse_each([&] {
                  RunLog log(folder / "run.jsonl");
                  log.append(RunStart{"reverse", "uva-jax", 42, "{\"heads\": \"2\"}"});
                  // (It is not read: nlohmann/json needs memory in a destructor, where nothing may be
                  // thrown.)
                  return std::vector<real>{static_cast<real>(read_file(folder / "run.jsonl").size())};
              }) > 20);
    }
    CHECK(folder.files() <= 2);  // nothing unfinished
}

TEST_CASE("out of memory: the test of it can fail") {
    std::vector<std::string*> lost;
    const long before = blocks_alive;
    lost.push_back(new std::string("kept"));
    CHECK(blocks_alive > before);
    delete lost[0];
    CHECK(is_refused([] { return std::vector<real>(3); }, 1));
    CHECK_FALSE(is_refused([] { return std::vector<real>(3); }, 50));
}
