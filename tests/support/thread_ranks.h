#pragma once
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include <glassbox/distributed/communicator.h>
#include <glassbox/tensor/format.h>

namespace glassbox_test {

// Ranks as threads of this process: training on any number of ranks without MPI.
class ThreadRanks {
  public:
    explicit ThreadRanks(int size) : size_(size), slots_(static_cast<std::size_t>(size)) {}

    // Runs body(communicator) on all ranks. Returns the error of each rank, "" without one; when a rank
    // fails, the others fail too instead of waiting forever.
    std::vector<std::string> run(const std::function<void(glassbox::Communicator&)>& body) {
        std::vector<std::string> errors(slots_.size());
        std::vector<std::thread> threads;
        for (int rank = 0; rank < size_; ++rank)
            threads.emplace_back([&, rank] {
                Rank communicator(*this, rank);
                try {
                    body(communicator);
                } catch (const std::exception& error) {
                    errors[static_cast<std::size_t>(rank)] = error.what();
                    fail();
                }
            });
        for (std::thread& thread : threads) thread.join();
        return errors;
    }

  private:
    class Rank : public glassbox::Communicator {
      public:
        Rank(ThreadRanks& all, int rank) : all_(all), rank_(rank) {}
        int rank() const override { return rank_; }
        int size() const override { return all_.size_; }
        void continue_sum(std::span<glassbox::real> total) override {
            all_.wait([&] { return all_.turn_ == rank_; });
            if (rank_ > 0) std::copy(all_.passed_.begin(), all_.passed_.end(), total.begin());
        }
        void share_sum(std::span<glassbox::real> total) override {
            all_.change([&] {
                all_.passed_.assign(total.begin(), total.end());
                ++all_.turn_;
            });
            wait_for_all();
            std::copy(all_.passed_.begin(), all_.passed_.end(), total.begin());
            wait_for_all();
            if (rank_ == 0) all_.change([&] { all_.turn_ = 0; });
            wait_for_all();
        }
        std::vector<double> gather(const std::vector<double>& own) override {
            all_.change([&] { all_.slots_[static_cast<std::size_t>(rank_)] = own; });
            wait_for_all();
            std::vector<double> every;
            for (const auto& each : all_.slots_) every.insert(every.end(), each.begin(), each.end());
            wait_for_all();
            return every;
        }
        bool any(bool value) override {
            for (const double each : gather({value ? 1.0 : 0.0}))
                if (each != 0) return true;
            return false;
        }
        void wait_for_all() override {
            int round = 0;
            all_.change([&] {
                round = all_.round_;
                if (++all_.arrived_ == all_.size_) all_.arrived_ = 0, ++all_.round_;
            });
            all_.wait([&] { return all_.round_ != round; });
        }
        void abort(int) override {}

      private:
        ThreadRanks& all_;
        const int rank_;
    };

    template <class Change>
    void change(const Change& change) {
        const std::lock_guard<std::mutex> lock(mutex_);
        change();
        changed_.notify_all();
    }
    template <class Condition>
    void wait(const Condition& holds) {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [&] { return failed_ || holds(); });
        if (!holds()) glassbox::fail("another rank has failed");
    }
    void fail() {
        change([&] { failed_ = true; });
    }

    const int size_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::vector<double>> slots_;
    std::vector<glassbox::real> passed_;
    int turn_ = 0, arrived_ = 0, round_ = 0;
    bool failed_ = false;
};

}  // namespace glassbox_test
