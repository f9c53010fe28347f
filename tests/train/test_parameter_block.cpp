#include <glassbox/train/parameter_block.h>

#include "support/devices.h"
#include "support/errors.h"
#include "support/train_support.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

struct Two {  // parameters of 3 and of 20 numbers, with a gap between them
    Tensor a{1, 2, 3}, b = Tensor::full({4, 5}, 7);
    void parameters(Parameters& all) { all("a", a), all("layer.b", b); }
};

Tensor numbered(const Tensor& like) {
    Tensor x = Tensor::empty(like.shape());
    for (index_t i = 0; i < x.numel(); ++i) x.writable().data[i] = static_cast<real>(i + 1);
    return x;
}

}  // namespace

TEST_CASE("a parameter block: parts start on cache lines, keep names, shapes and numbers; gaps hold 0") {
    Two two;
    const ParameterBlock block([&] { return parameters_of(two); });
    REQUIRE(block.parts().size() == 2);
    CHECK(block.count() == 23);
    CHECK(block.size() == 48);
    CHECK(block.parts()[0].name == "a");
    CHECK(block.part("layer.b").offset == 16);
    CHECK(block.part("layer.b").shape == Shape{4, 5});
    const std::vector<real> values = block.values().values();
    for (std::size_t i = 0; i < values.size(); ++i)
        CHECK(values[i] == (i < 3 ? static_cast<real>(i + 1) : i >= 16 && i < 36 ? 7 : 0));
    check_error([&] { block.part("b"); }, "parameters: no parameter 'b'; there are a, layer.b");
}

TEST_CASE("a parameter block: a part of n numbers takes the next multiple of 16") {
    struct Three {
        explicit Three(index_t n) : a(Tensor::ones({n})), b(Tensor::ones({1})) {}
        Tensor a, b;
        void parameters(Parameters& all) { all("a", a), all("b", b); }
    };
    for (const index_t n : {1, 15, 16, 17, 31, 32, 33}) {
        Three model(n);
        const ParameterBlock block([&] { return parameters_of(model); });
        const index_t taken = n <= 16 ? 16 : n <= 32 ? 32 : 48;
        CHECK(block.part("b").offset == taken);
        CHECK(block.size() == taken + 16);
        CHECK(block.count() == n + 1);
    }
}

TEST_CASE("the model computes with what is written into the block, and ids stay the model's") {
    ClassifierLearner learner(predictor(small_predictor()));
    const Examples some = ReversalData({4, 5, 6}, 1).at({0, 1, 2, 3});
    const Tensor before = learner.score(some).loss;
    ParameterBlock block([&] { return learner.parameters(); });
    check_close(learner.score(some).loss, before, exact, "moved into the block");
    const Tensor values = block.values();
    const std::vector<Parameters::Entry> entries = learner.parameters().entries();
    for (std::size_t i = 0; i < block.parts().size(); ++i) {
        const Parameters::Entry& entry = entries[i];
        CHECK(entry.name == block.parts()[i].name);
        CHECK(entry.tensor->id() == block.tensors()[i].id());
        CHECK(entry.tensor->shares_storage_with(values));
    }
    block.overwrite(block.new_block());
    // All logits are 0: ln 5 for each of 24 elements.
    check_close(learner.score(some).loss, Tensor(static_cast<real>(24 * std::log(5.0))), chain, "all 0");
}

namespace {
template <class Block>
concept Overwritable = requires(Block& block, const Tensor& values) {
    block.overwrite(values);
};
}  // namespace

TEST_CASE("new values apply to the model immediately, and only who may change the block can set them") {
    STATIC_REQUIRE(Overwritable<ParameterBlock>);
    STATIC_REQUIRE_FALSE(Overwritable<const ParameterBlock>);
    Two two;
    ParameterBlock block([&] { return parameters_of(two); });
    const Tensor::Id id = two.a.id();
    block.overwrite(numbered(block.values()));
    CHECK(two.a.id() == id);
    check_close(two.a, {1, 2, 3}, exact, "a");
    CHECK(two.b.at({3, 4}) == 36);
    check_error([&] { block.overwrite(Tensor{1, 2}); }, "parameters: needs a block of (48,), got (2,)");
}

TEST_CASE("parts of a block by name, and into another block") {
    Two two;
    const ParameterBlock block([&] { return parameters_of(two); });
    NamedTensors named = block.named(numbered(block.values()), "m.");
    REQUIRE(named.size() == 2);
    CHECK(named[0].first == "m.a");
    check_close(named[0].second, {1, 2, 3}, exact, "a");
    CHECK(named[1].second.shape() == Shape{4, 5});
    CHECK(named[1].second.at({0, 0}) == 17);
    std::swap(named[0], named[1]);                      // the order does not matter,
    named.emplace_back("model.a", Tensor::zeros({9}));  // nor does what has another prefix
    Tensor copy = block.new_block();
    block.fill(copy, named, "m.");
    check_close(ParameterBlock::view(copy, block.part("a")), {1, 2, 3}, exact, "a");
    CHECK(ParameterBlock::view(copy, block.part("layer.b")).at({3, 4}) == 36);
    CHECK(copy.at({3}) == 0);  // a gap
}

TEST_CASE("a mismatch is refused with everything that is wrong, and nothing changes") {
    Two two;
    const ParameterBlock block([&] { return parameters_of(two); });
    Tensor target = block.new_block();
    const auto filling = [&](const NamedTensors& arrays) {
        return [&block, &target, arrays] { block.fill(target, arrays, "m."); };
    };
    const std::string rule = "parameters: these do not fit the model:\n  ";
    const Tensor a{1, 2, 3}, b = Tensor::ones({4, 5});
    check_error(filling({{"m.a", a}}), rule + "m.layer.b (4, 5) is missing");
    check_error(filling({{"m.a", a}, {"m.layer.b", Tensor::ones({5, 4})}}),
                rule + "m.layer.b has shape (5, 4), the model's is (4, 5)");
    check_error(filling({{"m.a", a}, {"m.layer.b", b}, {"m.c", a}}), rule + "m.c (3,) is not the model's");
    check_error(filling({{"a", a}, {"m.layer.b", a}, {"m.x", b}}),
                rule +
                    "m.a (3,) is missing\n  m.layer.b has shape (3,), the model's is (4, 5)\n  "
                    "m.x (4, 5) is not the model's");
    check_close(target, Tensor::zeros({48}), exact, "target");
}

TEST_CASE("parameters on two devices are refused by name") {
    devices();
    Two two;
    two.b = two.b.to(Device::oracle);
    check_error([&] { ParameterBlock block([&] { return parameters_of(two); }); },
                "training: parameter layer.b is on device oracle, and a on cpu");
}

// ---- tensors are values --------------------------------------------------------------------------------

namespace {

Tensor ones_like(const Tensor& block) { return Tensor::ones(block.shape()); }

}  // namespace

TEST_CASE("kept copies of the model, a parameter or the block keep their numbers when others are written") {
    Two two;
    ParameterBlock block([&] { return parameters_of(two); });
    const auto writes = [&](const char* kept) {
        INFO(kept);
        const Tensor::Id before = block.values().id();
        block.overwrite(ones_like(block.values()));
        CHECK(block.values().id() != before);
        check_close(two.a, {1, 1, 1}, exact, "the model's");
        CHECK(two.b.id() == block.tensors()[1].id());
        CHECK(two.b.shares_storage_with(block.values()));
        block.overwrite(numbered(block.values()));
    };
    block.overwrite(numbered(block.values()));
    {
        const Two before = two;
        writes("a copy of the model");
        check_close(before.a, {1, 2, 3}, exact, "before");
        CHECK(before.b.at({3, 4}) == 36);
    }
    {
        const Tensor before = two.a;
        writes("a copy of a parameter");
        check_close(before, {1, 2, 3}, exact, "before");
    }
    {
        const Tensor before = two.b[3];
        writes("a row of a parameter");
        CHECK(before.at({4}) == 36);
    }
    {
        const Tensor before = block.values();
        writes("the block");
        check_close(before, numbered(before), exact, "before");
    }
    {
        const NamedTensors before = block.named(block.values(), "");
        writes("parts of it by name");
        check_close(before[0].second, {1, 2, 3}, exact, "before");
    }
}

TEST_CASE("without kept copies the block is overwritten in place") {
    Two two;
    ParameterBlock block([&] { return parameters_of(two); });
    const Tensor::Id block_id = block.values().id(), a = two.a.id();
    { const Two gone = two; }
    for (int i = 0; i < 3; ++i) block.overwrite(ones_like(block.values()));
    CHECK(block.values().id() == block_id);
    CHECK(two.a.id() == a);
    CHECK(block.writable().id() == block_id);
}

TEST_CASE("a model with replaced parameters is detected, with the first name") {
    Two two;
    ParameterBlock block([&] { return parameters_of(two); });
    const std::string rule =
        " is no longer the one this trainer trains: the model was given other values after the trainer was "
        "made; make a new Trainer";
    block.check_model();
    two.b = Tensor::zeros({4, 5});
    check_error([&] { block.writable(); }, "trainer: parameter layer.b" + rule);
    two = Two();
    check_error([&] { block.overwrite(block.new_block()); }, "trainer: parameter a" + rule);
    two.b = {};
    check_error(
        [&] { block.check_model(); },
        "trainer: the model has 1 parameters, and had 2 when this trainer was made; make a new Trainer");
}

TEST_CASE("tied weights are one part with all its names, and stay one tensor in the model") {
    Two two;
    two.b = two.a;
    ParameterBlock block([&] { return parameters_of(two); });
    REQUIRE(block.parts().size() == 1);
    CHECK(block.parts()[0].tied == std::vector<std::string>{"layer.b"});
    CHECK(block.count() == 3);
    CHECK(two.a.id() == two.b.id());
    const Tensor::Id before = two.a.id();
    block.overwrite(numbered(block.values()));
    CHECK(two.a.id() == before);  // the model's two copies are its own
    check_close(two.b, {1, 2, 3}, exact, "b");
    const NamedTensors file = block.to_file(block.values());
    REQUIRE(file.size() == 2);
    CHECK(file[1].first == "layer.b");
    parameters_of(two).load(file);
    CHECK(two.a.id() == two.b.id());
}
