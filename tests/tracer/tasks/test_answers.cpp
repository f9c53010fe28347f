// What each task answers: every field, worked out from the numbers of the same model, and one text of each
// kind.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <glassbox/decoding/decoding.h>
#include <glassbox/io/json.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tasks/copying.h>
#include <glassbox/tensor/format.h>

#include "cli/memory.h"
#include "support/compare.h"
#include "support/errors.h"
#include "support/transcript.h"
#include "tasks/shared/decoding_options.h"
#include "tasks/shared/models.h"
#include "tasks/shared/number_tasks.h"
#include "tasks/task.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;
using Words = std::vector<std::string>;

// All sequences of 1 to `longest` numbers below `categories`.
std::vector<Numbers> every_input(index_t categories, std::size_t longest) {
    std::vector<Numbers> all = {{}};
    for (std::size_t i = 0; i < all.size(); ++i)
        for (index_t n = 0; n < categories && all[i].size() < longest; ++n) {
            Numbers more = all[i];
            more.push_back(n);
            all.push_back(more);
        }
    all.erase(all.begin());
    return all;
}

std::string joined(const Numbers& numbers) {
    std::string text;
    for (const index_t n : numbers) text += (text.empty() ? "" : " ") + std::to_string(n);
    return text;
}

index_t most_likely(const Tensor& p, index_t row) {
    index_t best = 0;
    for (index_t c = 1; c < p.size(1); ++c)
        if (p.at({row, c}) > p.at({row, best})) best = c;
    return best;
}

std::vector<double> row_of(const Tensor& p) {
    const std::vector<real> values = p.values();
    return {values.begin(), values.end()};
}

PredictRequest typed(const Numbers& numbers, const std::string& in_full = "") {
    PredictRequest request;
    request.inputs = {joined(numbers)}, request.in_full = in_full, request.model = "m";
    return request;
}

// The parameter of this name of what `parameters` lists.
Tensor& parameter(const ListParameters& parameters, const std::string& name) {
    for (const auto& entry : parameters().entries())
        if (entry.name == name) return *entry.tensor;
    throw std::logic_error("no parameter " + name);
}

}  // namespace

TEST_CASE("answers of reverse: the fields of every input, right and wrong, padded and whole") {
    const Settings s = settings_of(
        task("reverse"), {{"seq", "3"}, {"categories", "3"}, {"dmodel", "4"}, {"convention", "uva-torch"}});
    const Predictor model = predictor_of(shared_settings(s), 3, 3);
    const Answerer answerer = task("reverse").answerer(s, {});
    std::set<std::pair<index_t, bool>> kinds;
    std::string text;
    for (const Numbers& input : every_input(3, 3)) {
        Numbers filled = input;
        while (filled.size() < 3) filled.push_back(0);
        Tensor x = Tensor::zeros({3, 3});
        for (index_t t = 0; t < 3; ++t) x.writable().data[3 * t + filled[static_cast<std::size_t>(t)]] = 1;
        const Tensor p = softmax(model(x));
        const auto given = static_cast<index_t>(input.size());
        Numbers said, expected(input.rbegin(), input.rend());
        for (index_t i = 3 - given; i < 3; ++i) said.push_back(most_likely(p, i));
        const bool right = said == expected;
        std::vector<double> probabilities;
        for (index_t i = 0; i < given; ++i)
            probabilities.push_back(p.at({3 - given + i, said[static_cast<std::size_t>(i)]}));
        const Answer answer = answerer.answers(typed(input)).at(0);
        if (kinds.emplace(given, right).second) text += text_of(answer, 3) + "\n";
        CHECK(answer.fields == Fields{{"input", JsonValue(input).text()},
                                      {"filler", std::to_string(3 - given)},
                                      {"answer", JsonValue(said).text()},
                                      {"probabilities", JsonValue(probabilities).text()},
                                      {"expected", JsonValue(expected).text()},
                                      {"right", right ? "true" : "false"}});
    }
    CHECK(kinds.size() > 4);
    check_transcript("tracer/reverse_answers", text);

    const Prediction whole = answerer.in_full(typed({2, 1}, "--map"));
    CHECK(whole.words == Words{"2", "1", "∅"});
    CHECK(whole.notes == Words{"x: 2 1 0, one-hot", "∅: padding, a 0"});
    CHECK((whole.map == Prediction::Map::answers));
    check_close(whole.arrays[0].second, Tensor{{0, 0, 1}, {0, 1, 0}, {1, 0, 0}}, exact, "x");
    PredictRequest nothing;
    nothing.in_full = "--map";
    check_error<UsageError>([&] { answerer.in_full(nothing); }, "predict reverse: an input without numbers");
}

TEST_CASE("answers of reverse: a file whose sequences would cost too much is refused, up to the limits") {
    const auto answerer = [](index_t length, const Settings::Texts& more, const char* in_full) {
        Settings::Texts texts{{"seq", std::to_string(length)}, {"dmodel", "2"}, {"heads", "1"}};
        for (const auto& [name, text] : more) texts[name] = text;
        PredictRequest request;
        request.in_full = in_full;
        return task("reverse").answerer(settings_of(task("reverse"), texts), request);
    };
    CHECK_NOTHROW(answerer(1'000'000, {}, ""));  // 10¹² pairs, 2 products of 2 numbers: exactly the limit
    check_error([&] { answerer(1'000'001, {}, ""); },
                "its settings, seq = 1000001 and d_model = 2, need 4e+12 multiply–adds for one answer; the "
                "limit is 4e+12");
    check_error(
        [&] {
            answerer(1 << 20, {{"layers", "3"}, {"dmodel", "8"}}, "");
        },
        "its settings, seq = 1048576 and d_model = 8, need 5.3e+13 multiply–adds for one answer; the "
        "limit is 4e+12");
    // 2 layers, 3 heads: 4 arrays of L² numbers each
    const auto length_for = [](double part) {
        return static_cast<index_t>(
            std::sqrt(part * glassbox::tracer::machine_memory() / (2 * 3 * 4 * sizeof(real))));
    };
    const Settings::Texts more{{"layers", "2"}, {"dmodel", "6"}, {"heads", "3"}};
    const index_t small = length_for(0.49), large = length_for(0.51);
    CHECK_NOTHROW(answerer(small, more, "--steps"));
    CHECK_NOTHROW(answerer(large, more, ""));
    const double bytes = static_cast<double>(large) * static_cast<double>(large) * 2 * 3 * 4 * sizeof(real);
    check_error([&] { answerer(large, more, "--steps"); },
                fmt::format("its settings, seq = {}, need {:.3g} GB to show every step; the limit is half of "
                            "this machine's {:.3g} GB",
                            large, bytes * 1e-9, glassbox::tracer::machine_memory() * 1e-9));
}

TEST_CASE("answers of sequence: the fields of every input, with ties and without, for both questions") {
    std::string text;
    for (const std::string question : {"most-frequent", "parity"}) {
        INFO(question);
        const bool parity = question == "parity";
        const Settings s = settings_of(task("sequence"), {{"seq", "3"},
                                                          {"categories", "3"},
                                                          {"dmodel", "4"},
                                                          {"question", question},
                                                          {"pooling", "mean"}});
        PredictorChoices choices = predictor_choices(shared_settings(s).stack, 3, parity ? 2 : 3);
        choices.pooling = Pooling::mean;
        const Predictor model = predictor_of(shared_settings(s), choices);
        const Answerer answerer = task("sequence").answerer(s, {});
        std::set<std::pair<bool, std::string>> kinds;  // is short, is right
        for (const Numbers& input : every_input(3, 3)) {
            Tensor x = Tensor::zeros({static_cast<index_t>(input.size()), 3});
            Numbers counts(3), expected;
            for (std::size_t t = 0; t < input.size(); ++t) {
                x.writable().data[3 * static_cast<index_t>(t) + input[t]] = 1;
                ++counts[static_cast<std::size_t>(input[t])];
            }
            const index_t most = *std::max_element(counts.begin(), counts.end());
            if (parity) expected = {counts[0] % 2};
            else
                for (index_t n = 0; n < 3; ++n)
                    if (counts[static_cast<std::size_t>(n)] == most) expected.push_back(n);
            const Tensor p = reshape(softmax(model(x)), {1, parity ? 2 : 3});
            const index_t said = most_likely(p, 0);
            const bool has_one = expected.size() == 1;
            const std::string right = !has_one ? "null" : expected[0] == said ? "true" : "false";
            const Answer answer = answerer.answers(typed(input)).at(0);
            if (kinds.emplace(input.size() < 3, right).second) text += text_of(answer, 3) + "\n";
            CHECK(answer.about == "pooling mean: " + std::string(parity
                                                                     ? "is the number of zeros even or odd?"
                                                                     : "which number is most frequent?"));
            CHECK(answer.fields == Fields{{"pooling", "\"mean\""},
                                          {"question", "\"" + question + "\""},
                                          {"input", JsonValue(input).text()},
                                          {"answer", std::to_string(said)},
                                          {"probabilities", JsonValue(row_of(p)).text()},
                                          {"expected", has_one ? std::to_string(expected[0]) : "null"},
                                          {"right", right}});
        }
        CHECK(kinds.count({false, "true"}) + kinds.count({true, "true"}) > 0);
        CHECK(kinds.count({false, "false"}) + kinds.count({true, "false"}) > 0);
        CHECK((kinds.count({false, "null"}) + kinds.count({true, "null"}) > 0) == !parity);
    }
    check_transcript("tracer/sequence_answers", text);
    const Settings s = settings_of(task("sequence"), {{"seq", "3"}, {"dmodel", "4"}, {"pooling", "cls"}});
    const Prediction whole = task("sequence").answerer(s, {}).in_full(typed({4, 1}, "--map"));
    CHECK(whole.words == Words{"[CLS]", "4", "1"});
    CHECK((whole.map == Prediction::Map::cls));
}

TEST_CASE("answers of copy and sort: what is written, and whether it ends and is right") {
    std::string text;
    std::set<std::array<bool, 3>> kinds;  // is short, has ended, is right
    for (const Writing writing : {Writing::copy, Writing::sort})
        for (const double for_end : {-30.0, 0.0, 30.0}) {
            const std::string task_name = name(writing);
            INFO(task_name << ", " << for_end);
            const Settings s =
                settings_of(task(task_name), {{"seq", "4"}, {"categories", "3"}, {"dmodel", "8"}});
            Transformer model = transformer_of(shared_settings(s), 6, 6);
            const Answerer answerer = task(task_name).answerer(s, {});
            for (Tensor* bias : {&model.generator.bias, &parameter(answerer.parameters, "generator.bias")})
                bias->writable().data[Vocabulary::end] = static_cast<real>(for_end);
            for (const Numbers& input : {Numbers{2, 0}, Numbers{2, 1, 0}, Numbers{0, 1, 1, 2}}) {
                Numbers read, expected = input;
                for (const index_t n : input) read.push_back(n + 3);
                read.push_back(Vocabulary::end);
                if (writing == Writing::sort) std::sort(expected.begin(), expected.end());
                const Decoded decoded = decode(model, read, {.max_tokens = 5});
                Words written;
                for (const index_t token : decoded.tokens)
                    written.push_back(
                        token < 3 ? Words{"<pad>", "<start>", "<end>"}[static_cast<std::size_t>(token)]
                                  : std::to_string(token - 3));
                Numbers right_tokens;
                for (const index_t n : expected) right_tokens.push_back(n + 3);
                right_tokens.push_back(Vocabulary::end);
                const bool right = decoded.tokens == right_tokens;
                CHECK(decoded.ended == (decoded.tokens.back() == Vocabulary::end));
                const Answer answer = answerer.answers(typed(input)).at(0);
                if (kinds.insert({input.size() < 3, decoded.ended, right}).second)
                    text += text_of(answer, 3) + "\n";
                REQUIRE(answer.fields.size() == 5);
                CHECK(answer.fields[0] == Fields::value_type{"input", JsonValue(input).text()});
                CHECK(answer.fields[1] == Fields::value_type{"written", JsonValue(written).text()});
                CHECK(answer.fields[3] == Fields::value_type{"ended", decoded.ended ? "true" : "false"});
                CHECK(answer.fields[4] == Fields::value_type{"right", right ? "true" : "false"});

                const Prediction last = answerer.in_full(typed(input, "--map"));
                CHECK(last.words.size() == input.size() + 1);
                CHECK(last.words.front() == std::to_string(input[0]));
                CHECK(last.words.back() == "<end>");
                CHECK(last.target_words.size() == decoded.tokens.size());
                CHECK(last.target_words.front() == "<start>");
                CHECK(last.choices == Words{"0", "1", "2"});
                CHECK((last.map == Prediction::Map::cross));
                CHECK(last.notes[0] == "source: " + joined(input) + " <end>");
                CHECK(last.notes[1].ends_with(", and now " + last.written.back()));
                Trace trace;
                last.run(last.arrays);
                CHECK(argmax(reshape(trace["logits"], {static_cast<index_t>(decoded.tokens.size()), 6}),
                             -1) == decoded.tokens);
            }
        }
    check_transcript("tracer/copy_and_sort_answers", text);
    // Where sequences are shorter than three symbols, the longest are the shortest.
    const Settings s = settings_of(task("copy"), {{"seq", "2"}, {"categories", "3"}, {"dmodel", "8"}});
    const auto said = [&](const Numbers& input) {
        return text_of(task("copy").answerer(s, {}).answers(typed(input)).at(0));
    };
    CHECK(said({1}).find("(2 to 2 symbols)") != std::string::npos);
    CHECK(said({1, 2}).find("shorter") == std::string::npos);
    check_error<UsageError>(
        [&] {
            said({1, 2, 0});
        },
        "predict copy: expected at most 2 numbers, as m was trained on, got 3");
    check_error<UsageError>([&] { said({3}); }, "predict copy: number 1: expected at most 2, got 3");
}

TEST_CASE("tokens: a row each, with its probability and the two that come next, ties in the order of ids") {
    Decoded decoded;
    decoded.tokens = {3, 0, 2};
    decoded.probabilities =
        Tensor{{0.25, 0.125, 0.125, 0.5}, {0.5, 0, 0.25, 0.25}, {0.125, 0.5, 0.25, 0.125}};
    const Words names = {"a", "für", "c", "étonnante"};
    Answer answer;
    say_tokens(answer, decoded, [&](index_t id) { return names[static_cast<std::size_t>(id)]; });
    CHECK(text_of(answer, 3) ==
          "  step   written     probability   next most likely\n"
          "     0   étonnante         0.500   a 0.250, für 0.125\n"
          "     1   a                 0.500   c 0.250, étonnante 0.250\n"
          "     2   c                 0.250   für 0.500, a 0.125\n");
    CHECK(answer.fields ==
          Fields{{"written", "[\"étonnante\", \"a\", \"c\"]"}, {"probabilities", "[0.5, 0.5, 0.25]"}});
    // A vocabulary of two, and of one: there is nothing else to say.
    Decoded few;
    few.tokens = {1}, few.probabilities = Tensor{{0.25, 0.75}};
    Answer of_two, of_one;
    say_tokens(of_two, few, [](index_t id) { return id ? "b" : "a"; });
    CHECK(text_of(of_two, 2) ==
          "  step   written   probability   next most likely\n"
          "     0   b                0.75   a 0.25\n");
    few.tokens = {0}, few.probabilities = Tensor::ones({1, 1});
    say_tokens(of_one, few, [](index_t) { return "a"; });
    CHECK(text_of(of_one, 2) ==
          "  step   written   probability   next most likely\n"
          "     0   a                1.00   \n");
}

TEST_CASE("beams: a line each with score and probability, … where a sequence goes on, nothing without") {
    const auto text = [](const Numbers& ids) { return joined(ids); };
    Decoded decoded;
    decoded.alternatives = {{{4, 2}, -1.5, -0.75, true}, {{3}, -12.25, -10.5, false}};
    Answer answer;
    say_beams(answer, decoded, text);
    CHECK(text_of(answer) ==
          "   score   ln P   sequence\n"
          " -0.7500  -1.50   4 2\n"
          "-10.5000 -12.25   3 …\n");
    CHECK(answer.fields == Fields{{"beams",
                                   "[{\"score\": -0.75, \"log_probability\": -1.5, \"text\": \"4 2\"}, "
                                   "{\"score\": -10.5, \"log_probability\": -12.25, \"text\": \"3\"}]"}});
    Answer empty;
    say_beams(empty, {}, text);
    CHECK(text_of(empty).empty());
    CHECK(empty.fields == Fields{{"beams", "[]"}});
}

TEST_CASE("decoding options: what was typed, the limits, and what goes with what") {
    const auto config = [](const std::map<std::string, std::string>& options, const char* in_full = "") {
        PredictRequest request;
        request.options = options, request.in_full = in_full;
        return decoding_config(request, {.max_tokens = 7, .beam = 1, .length_penalty = 0.25});
    };
    const DecodingConfig none = config({});
    CHECK(none.max_tokens == 7);
    CHECK(none.beam == 1);
    CHECK(none.length_penalty == 0.25);
    CHECK(none.cache);
    const DecodingConfig beam = config({{"beam", "1024"}, {"length-penalty", "0"}, {"no-cache", ""}});
    CHECK(beam.beam == 1024);
    CHECK(beam.length_penalty == 0);
    CHECK_FALSE(beam.cache);
    const DecodingConfig drawn =
        config({{"temperature", "0.5"}, {"top-k", "1"}, {"top-p", "1"}, {"sample-seed", "9"}});
    CHECK(drawn.temperature == 0.5);
    CHECK(drawn.top_k == 1);
    CHECK(drawn.top_p == 1);
    CHECK(drawn.seed == 9);
    CHECK_NOTHROW(config({{"every-pass", ""}}, "--steps"));
    const auto refused = [&](const std::map<std::string, std::string>& options, const std::string& message) {
        INFO(message);
        check_error<UsageError>([&] { (void)config(options); }, message);
    };
    refused({{"beam", "0"}}, "--beam: expected at least 1, got 0");
    refused({{"beam", "1025"}}, "--beam: expected at most 1024, got 1025");
    refused({{"beam", "2"}, {"length-penalty", "-1"}}, "--length-penalty: expected at least 0, got -1");
    refused({{"length-penalty", "1"}}, "--length-penalty: requires --beam of at least 2");
    refused({{"temperature", "-1"}}, "--temperature: expected at least 0, got -1");
    refused({{"temperature", "1"}, {"top-k", "0"}}, "--top-k: expected at least 1, got 0");
    refused({{"temperature", "1"}, {"top-p", "0"}}, "--top-p: expected above 0 and at most 1, got 0");
    refused({{"temperature", "1"}, {"top-p", "1.5"}}, "--top-p: expected above 0 and at most 1, got 1.5");
    refused({{"temperature", "1"}, {"sample-seed", "-1"}},
            "--sample-seed: expected a whole number from 0 to 18446744073709551615, got '-1'");
    refused({{"every-pass", ""}}, "--every-pass: requires --steps, --only and the like, which show steps");
    refused({{"beam", "2"}, {"temperature", "1"}}, "--beam: cannot be combined with --temperature");
    refused({{"top-k", "3"}}, "--top-k: requires a --temperature above 0");
    refused({{"top-p", "0.5"}, {"temperature", "0"}}, "--top-p: requires a --temperature above 0");
    refused({{"sample-seed", "3"}}, "--sample-seed: requires a --temperature above 0");
}
