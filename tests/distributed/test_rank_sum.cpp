#include <glassbox/distributed/detail/rank_sum.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include <glassbox/distributed/communicator.h>
#include <glassbox/tensor/format.h>
#include <glassbox/train/training_step.h>

#include "support/devices.h"
#include "support/errors.h"
#include "support/train_support.h"

using namespace glassbox;
using namespace glassbox::detail;
using namespace glassbox_test;

namespace {

// Messages between ranks as threads, and their total size.
class Post {
  public:
    void send(int from, int to, std::vector<real> numbers) {
        const std::lock_guard<std::mutex> lock(mutex_);
        sent_[from] += static_cast<index_t>(numbers.size());
        boxes_[{from, to}].push_back(std::move(numbers));
        arrived_.notify_all();
    }
    std::vector<real> receive(int from, int to) {
        std::unique_lock<std::mutex> lock(mutex_);
        std::deque<std::vector<real>>& box = boxes_[{from, to}];
        arrived_.wait(lock, [&] { return !box.empty(); });
        const std::vector<real> numbers = std::move(box.front());
        box.pop_front();
        return numbers;
    }
    index_t sent(int from) { return sent_[from]; }

  private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::map<std::pair<int, int>, std::deque<std::vector<real>>> boxes_;
    std::map<int, index_t> sent_;
};

class PostedExchange : public Exchange {
  public:
    PostedExchange(Post& post, int rank, int ranks) : post_(post), rank_(rank), ranks_(ranks) {}

    void exchange(const std::vector<Outgoing>& outgoing, const std::vector<Incoming>& incoming) override {
        for (const Outgoing& each : outgoing)
            post_.send(rank_, each.to, {each.numbers, each.numbers + each.count});
        for (const Incoming& each : incoming) take(each.from, each.numbers, each.count);
    }
    void gather(real* all, index_t count) override {
        const real* const own = all + rank_ * count;
        for (int rank = 0; rank < ranks_; ++rank)
            if (rank != rank_) post_.send(rank_, rank, {own, own + count});
        for (int rank = 0; rank < ranks_; ++rank)
            if (rank != rank_) take(rank, all + rank * count, count);
    }
    void wait() override {}
    bool is_well() const { return is_well_; }

  private:
    void take(int from, real* to, index_t count) {
        const std::vector<real> numbers = post_.receive(from, rank_);
        is_well_ = is_well_ && static_cast<index_t>(numbers.size()) == count;
        std::copy_n(numbers.begin(), std::min<std::size_t>(numbers.size(), static_cast<std::size_t>(count)),
                    to);
    }

    Post& post_;
    int rank_, ranks_;
    bool is_well_ = true;
};

// Each rank's sum of its share of the blocks, twice, the second time with other blocks.
struct SumOfRanks {
    std::vector<Tensor> totals;
    std::vector<index_t> sent;
    bool is_well = true;
};
SumOfRanks sum_of_ranks(const std::vector<std::vector<Tensor>>& batches, int ranks) {
    Post post;
    SumOfRanks result;
    result.totals.resize(static_cast<std::size_t>(ranks));
    std::vector<char> well(static_cast<std::size_t>(ranks));
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank)
        threads.emplace_back([&, rank] {
            PostedExchange exchange(post, rank, ranks);
            RankSum sum(exchange, rank, ranks, batches[0][0].numel(), Device::cpu);
            for (const std::vector<Tensor>& blocks : batches) {
                const index_t count = static_cast<index_t>(blocks.size());
                sum({blocks.begin() + share_begin(rank, count, ranks),
                     blocks.begin() + share_begin(rank + 1, count, ranks)},
                    count);
            }
            result.totals[static_cast<std::size_t>(rank)] = sum.total();
            well[static_cast<std::size_t>(rank)] = exchange.is_well();
        });
    for (std::thread& thread : threads) thread.join();
    result.is_well = std::count(well.begin(), well.end(), 1) == ranks;
    for (int rank = 0; rank < ranks; ++rank) result.sent.push_back(post.sent(rank));
    return result;
}

// The second of two ranks, which repeats the first one's data.
class Mirror : public SingleProcess {
  public:
    int size() const override { return 2; }
    std::vector<double> gather(const std::vector<double>& own) override {
        std::vector<double> all = own;
        all.insert(all.end(), own.begin(), own.end());
        return all;
    }
};

}  // namespace

TEST_CASE("ranks' shares add up to the bits of one rank's sum, for any ranks, blocks and sizes") {
    Random random(1);
    for (const int ranks : {1, 2, 3, 5})
        for (const index_t count : {1, 2, 3, 7})
            for (const index_t size : {16, 48, 1008}) {
                INFO(ranks << " ranks, " << count << " blocks of " << size);
                std::vector<std::vector<Tensor>> batches(2);
                for (std::vector<Tensor>& blocks : batches)
                    for (index_t i = 0; i < count; ++i) blocks.push_back(random.normal({size}));
                Tensor expected = Tensor::zeros({size});
                add_in_order(batches[1], expected, false);
                const SumOfRanks found = sum_of_ranks(batches, ranks);
                CHECK(found.is_well);
                for (const Tensor& total : found.totals) check_close(total, expected, exact, "sum");
            }
}

// Shares are multiples of 16 numbers: the last ranks may have a short one, or none.
TEST_CASE("ranks' shares add up for blocks of any size, down to one number") {
    Random random(2);
    for (const int ranks : {1, 2, 3, 5})
        for (const index_t size : {1, 15, 17, 31, 33, 40, 79, 80, 81}) {
            INFO(ranks << " ranks, blocks of " << size);
            std::vector<std::vector<Tensor>> batches;
            for (const index_t count : {4, 1, 7}) {  // fewer than before, and more
                batches.emplace_back();
                for (index_t i = 0; i < count; ++i) batches.back().push_back(random.normal({size}));
            }
            Tensor expected = Tensor::zeros({size});
            add_in_order(batches.back(), expected, false);
            const SumOfRanks found = sum_of_ranks(batches, ranks);
            CHECK(found.is_well);
            for (const Tensor& total : found.totals) {
                CHECK(total.shape() == Shape{size});
                check_close(total, expected, exact, "sum");
            }
            // Each block but the rank's own share of it, then that share of the sum to all others, padded.
            const index_t share = ((size + ranks - 1) / ranks + 15) / 16 * 16;
            for (int rank = 0; rank < ranks; ++rank) {
                index_t own = 0;
                for (const index_t count : {4, 1, 7})
                    own += share_begin(rank + 1, count, ranks) - share_begin(rank, count, ranks);
                const index_t begin = std::min(rank * share, size), end = std::min((rank + 1) * share, size);
                CHECK(found.sent[static_cast<std::size_t>(rank)] ==
                      own * (size - (end - begin)) + 3 * (ranks - 1) * share);
            }
        }
}

TEST_CASE("a rank sends 2 (R - 1) / R of its block") {
    const index_t size = 16 * 5 * 4;
    for (const int ranks : {2, 4, 5}) {
        const std::vector<Tensor> blocks(static_cast<std::size_t>(ranks), Tensor::ones({size}));
        for (const index_t sent : sum_of_ranks({blocks}, ranks).sent)
            CHECK(sent == 2 * (ranks - 1) * size / ranks);
    }
}

TEST_CASE("several ranks need a device that can send") {
    devices();
    Predictor model = predictor(small_predictor());
    parameters_of(model).move_to(Device::oracle);
    ClassifierLearner learner(std::move(model));
    const ParameterBlock parameters([&] { return learner.parameters(); });
    Mirror ranks;
    check_error(
        [&] { BatchGradient(learner, parameters, ranks); },
        "training: 2 ranks, and the parameters are on device oracle: several ranks train on cpu or cuda");
}

DEVICE_TEST("two ranks with one GPU are rejected, with its name and the number of GPUs") {
    if (device != Device::cuda) return;
    const DeviceQueue queue = cuda_queue();
    Mirror ranks;
    check_error([&] { nccl(ranks); },
                fmt::format("training on cuda: ranks 0 and 1 would share {}: there are 2 ranks, and rank 0 "
                            "sees {} GPU{}. Start one rank for each GPU (mpirun -np), or train on the cpu",
                            queue.device, queue.devices, queue.devices == 1 ? "" : "s"));
}
