// What is brought as --weights: files of other kinds, other models' names, and what a file says of its model.
#include <glassbox/io/detail/zip_directory.h>
#include <glassbox/io/detail/zip_writer.h>
#include <glassbox/io/numpy.h>
#include <glassbox/io/safetensors.h>
#include <glassbox/tensor/format.h>

#include "tracer/command.h"

using namespace glassbox_test;
using glassbox::NamedTensors;
using glassbox::Shape;
using glassbox::Tensor;

namespace {

std::string error_of(const std::vector<std::string>& line, int code = 3) {
    const Ran ran = tracer_run(line);
    INFO(ran.err);
    CHECK(ran.code == code);
    return ran.err;
}

// A file that the command wrote, with its names changed.
NamedTensors renamed(const std::string& file, const std::string& prefix) {
    NamedTensors tensors = glassbox::read_safetensors(file).tensors;
    for (auto& [name, value] : tensors) name = prefix + name;
    return tensors;
}

// A model's names and shapes, numbers 0.
std::string zeros_in(const std::string& file, const std::vector<std::pair<std::string, Shape>>& shapes) {
    NamedTensors tensors;
    for (const auto& [name, shape] : shapes) tensors.emplace_back(name, Tensor::zeros(shape));
    glassbox::write_safetensors(file, tensors);
    return file;
}

}  // namespace

TEST_CASE("weights: a file of another kind is named, with what to type") {
    const Folder folder;
    for (const auto& [bytes, what, typed] :
         {std::tuple{"version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 91\n",
                     "a Git LFS pointer to a file of 91 bytes", "git lfs pull"},
          std::tuple{"GGUF\3........", "a GGUF file", "model.safetensors"},
          std::tuple{"<!DOCTYPE html><html>", "an HTML page", "load it again"},
          std::tuple{"{\"weight_map\": {\"a\": \"model-00001-of-00002.safetensors\"}}",
                     "an index of a model's shards", "joins them"}}) {
        const std::string file = folder / "model.safetensors";
        write(file, bytes);
        for (const char* command : {"encoder", "multihead", "predictor"}) {
            const std::string said = error_of({command, "--weights", file});
            INFO(said);
            CHECK(has(said, what));
            CHECK(has(said, ": expected a safetensors file, got "));
            CHECK(has(said, typed));
        }
        for (const char* name : {"model.safetensors", "model.npz", "model.npy", "model.bin"}) {
            write(folder / name, bytes);
            const Ran ran = tracer_run({"check-file", folder / name});
            INFO(ran.out << ran.err);
            CHECK(has(ran.out, what));
        }
        write(folder / "x.npz", bytes);
        CHECK(has(error_of({"encoder", "--input", folder / "x.npz"}), what));
        CHECK(has(error_of({"encoder", "--mask", folder / "x.npz"}), what));
        if (bytes[0] != '{') CHECK(has(error_of({"check", "attention", folder / "x.npz"}), what));
    }
}

TEST_CASE("weights: a folder's file is named") {
    const Folder folder;
    REQUIRE(tracer_run({"encoder", "--save-weights", folder / "model.safetensors"}).code == 0);
    CHECK(has(error_of({"encoder", "--weights", folder / ""}), "a folder: type --weights "));
}

TEST_CASE(
    "weights: a file of a model with other heads, norms or another activation is refused by both values") {
    const Folder folder;
    const std::string file = folder / "w.safetensors";
    REQUIRE(
        tracer_run(
            words("encoder-block --dmodel 8 --heads 4 --norm pre --activation gelu --save-weights " + file))
            .code == 0);
    const std::string said = error_of({"encoder-block", "--weights", file});
    CHECK(has(said, file + ": weights: the file is of another model"));
    CHECK(has(said, "\n  heads: 4 in the file, 2 in this model"));
    CHECK(has(said, "\n  norm: pre in the file, post in this model"));
    CHECK(has(said, "\n  activation: gelu-tanh in the file, relu in this model"));
    CHECK(has(said, "type --heads 4 --activation gelu-tanh --norm pre"));
    CHECK(tracer_run(words("encoder-block --heads 4 --norm pre --activation gelu --weights " + file)).code ==
          0);
    // What other programs write has no such facts.
    glassbox::write_safetensors(file, glassbox::read_safetensors(file).tensors);
    CHECK(tracer_run({"encoder-block", "--weights", file}).code == 0);
    // One of a model's layers
    REQUIRE(tracer_run(words("encoder --dmodel 8 --heads 4 --save-weights " + file)).code == 0);
    CHECK(
        has(error_of(words("encoder --diff uva-torch,paper --weights " + file)), "heads: 4 in the file, 2"));
    CHECK(tracer_run(words("encoder --diff uva-torch,paper --heads 4 --weights " + file)).code == 0);
}

TEST_CASE("weights: what wrappers put before every name is taken away, and said") {
    const Folder folder;
    const std::string file = folder / "w.safetensors", other = folder / "other.safetensors";
    REQUIRE(tracer_run(words("encoder --dmodel 6 --layers 2 --save-weights " + file)).code == 0);
    const std::string right = tracer_run({"encoder", "--weights", file}).out;
    for (const char* prefix : {"module.", "_orig_mod.", "model.", "module._orig_mod."}) {
        glassbox::write_safetensors(other, renamed(file, prefix));
        const Ran ran = tracer_run({"encoder", "--weights", other});
        INFO(prefix << ran.err);
        CHECK(ran.out == right);
        CHECK(has(ran.err, std::string("the names are read without '") + prefix + "'"));
    }
}

TEST_CASE(
    "weights: wrappers that differ from name to name are taken away, not where names would be the same") {
    const Folder folder;
    const std::string file = folder / "w.safetensors", other = folder / "other.safetensors";
    REQUIRE(tracer_run(words("encoder --dmodel 6 --layers 2 --save-weights " + file)).code == 0);
    const std::string right = tracer_run({"encoder", "--weights", file}).out;
    for (const char* second : {"model.", ""}) {
        NamedTensors mixed = renamed(file, "module.");
        for (std::size_t i = 0; i < mixed.size(); i += 2) mixed[i].first = second + mixed[i].first.substr(7);
        glassbox::write_safetensors(other, mixed);
        const Ran ran = tracer_run({"encoder", "--weights", other});
        INFO(ran.err);
        CHECK(ran.out == right);
        CHECK(has(ran.err, "the names are read without 'mod"));
    }
    NamedTensors twice = renamed(file, "module.");
    for (const auto& each : renamed(file, "model.")) twice.push_back(each);
    glassbox::write_safetensors(other, twice);
    CHECK(tracer_run({"encoder", "--weights", other}).code == 3);
}

TEST_CASE("weights: reasons are true: axes of 1, arrays that were not read, and metadata that is none") {
    const Folder folder;
    const std::string file = folder / "w.safetensors", other = folder / "other.safetensors";
    REQUIRE(tracer_run(words("encoder-block --dmodel 6 --save-weights " + file)).code == 0);
    glassbox::Safetensors content = glassbox::read_safetensors(file);
    NamedTensors tensors = content.tensors;
    std::string norm;
    for (auto& [name, value] : tensors)
        if (norm.empty() && name.ends_with("weight") && value.rank() == 1)
            norm = name, value = Tensor(Shape{1, value.numel()}, value.values());
    REQUIRE(!norm.empty());
    glassbox::write_safetensors(other, tensors);
    const std::string shape = error_of({"encoder-block", "--weights", other});
    CHECK(has(shape, norm + " (1, 6) instead of (6,), an axis of 1 apart: save x.reshape(6)"));
    CHECK(!has(shape, "transposed"));

    content.metadata["glassbox.heads"] = "many";
    glassbox::write_safetensors(other, content.tensors, content.metadata);
    const std::string heads = error_of({"encoder-block", "--weights", other});
    CHECK(has(heads, "no model has heads 'many': the file's metadata is damaged"));
    CHECK(!has(heads, "--heads many"));

    // An array of Python's objects in an .npz is there, and cannot be read.
    const std::string dict = "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }";
    std::string objects = std::string("\x93NUMPY\x01\0", 8) + char(117 + 1) + '\0' + dict;
    objects += std::string(117 - dict.size(), ' ') + "\nN.";
    std::vector<std::pair<std::string, glassbox::Bytes>> members;
    for (const auto& [name, value] : content.tensors)
        members.emplace_back(name + ".npy", glassbox::format_npy(value));
    const auto* begin = reinterpret_cast<const std::byte*>(objects.data());
    members[0].second = glassbox::Bytes(begin, begin + objects.size());
    write(folder / "objects.npz",
          std::string(glassbox::as_text(glassbox::format_zip(members, glassbox::Compression::stored))));
    const std::string said = error_of({"encoder-block", "--weights", folder / "objects.npz"});
    CHECK(has(said, "not read: "));
    CHECK(has(said, "member '" + members[0].first));
}

TEST_CASE("weights: the one part of a file that the model could be is read, and said") {
    const Folder folder;
    const std::string file = folder / "w.safetensors", other = folder / "other.safetensors";
    REQUIRE(tracer_run(words("encoder --dmodel 6 --layers 2 --save-weights " + file)).code == 0);
    const std::string right = tracer_run({"encoder", "--weights", file}).out;
    NamedTensors more = renamed(file, "net.encoder.");
    more.emplace_back("embedding.weight", Tensor::zeros({3, 6}));
    glassbox::write_safetensors(other, more);
    const Ran ran = tracer_run({"encoder", "--weights", other});
    CHECK(ran.out == right);
    CHECK(has(ran.err, "only the names that begin with 'net.encoder.' are read"));
    glassbox::write_safetensors(folder / "m-00001-of-00003.safetensors",
                                {{"decoder.weight", Tensor::zeros({3})}});
    CHECK(has(error_of({"encoder", "--weights", folder / "m-00001-of-00003.safetensors"}),
              "it is shard 1 of 3: "));
    // Of two blocks either could be meant.
    const std::string said = error_of({"encoder-block", "--heads", "3", "--weights", other});
    CHECK(has(said, "2 parts of it could be this model: net.encoder.layers.0., net.encoder.layers.1."));
    CHECK(has(said, "if k.startswith('net.encoder.layers.0.')"));
}

TEST_CASE("weights: a file without biases has biases of 0") {
    const Folder folder;
    const std::string file = folder / "w.safetensors", without = folder / "without.safetensors";
    REQUIRE(tracer_run(words("encoder-block --convention uva-torch --save-weights " + file)).code == 0);
    NamedTensors zero, none;
    for (const auto& [name, value] : glassbox::read_safetensors(file).tensors) {
        const bool is_bias = name.ends_with("bias");
        zero.emplace_back(name, is_bias ? Tensor::zeros(value.shape()) : value);
        if (!is_bias) none.emplace_back(name, value);
    }
    glassbox::write_safetensors(file, zero), glassbox::write_safetensors(without, none);
    const Ran ran = tracer_run({"encoder-block", "--convention", "uva-torch", "--weights", without});
    CHECK(ran.out == tracer_run({"encoder-block", "--convention", "uva-torch", "--weights", file}).out);
    CHECK(has(ran.err, "without biases, which are taken as 0"));
    none.pop_back();  // a matrix or a norm is missing: no matter of biases
    glassbox::write_safetensors(without, none);
    CHECK(has(error_of({"encoder-block", "--convention", "uva-torch", "--weights", without}), "missing: "));
}

TEST_CASE("weights: another program's model is named by its family and sizes") {
    const Folder folder;
    const std::string file = folder / "m.safetensors";
    const auto said = [&](const std::vector<std::pair<std::string, Shape>>& shapes) {
        zeros_in(file, shapes);
        std::string all;
        for (const char* line :
             {"encoder --heads 12", "encoder", "encoder-block", "multihead", "transformer"})
            all = error_of(words(std::string(line) + " --weights " + file));
        return all;
    };
    CHECK(has(said({{"encoder.layer.0.attention.self.query.weight", {24, 24}},
                    {"encoder.layer.1.attention.self.query.weight", {24, 24}},
                    {"encoder.layer.1.intermediate.dense.weight", {96, 24}},
                    {"embeddings.word_embeddings.weight", {50, 24}}}),
              "m.safetensors: looks like a BERT of Hugging Face, d_model 24, 2 layers, d_ff 96"));
    CHECK(has(said({{"h.0.attn.c_attn.weight", {24, 72}}, {"h.0.mlp.c_fc.weight", {24, 96}}}),
              "looks like a GPT-2 of Hugging Face, d_model 24, 1 layer, d_ff 96"));
    CHECK(has(said({{"transformer.h.0.attn.c_attn.weight", {72, 24}}}), "looks like a nanoGPT, d_model 24"));
    CHECK(has(said({{"model.layers.0.self_attn.q_proj.weight", {24, 24}},
                    {"model.layers.0.mlp.gate_proj.weight", {64, 24}}}),
              "looks like a Llama or one of its family, d_model 24, 1 layer, d_ff 64"));
    CHECK(has(said({{"layers/0/self_attn/query/kernel", {24, 24}}}), "looks like parameters of Flax"));
    CHECK(has(said({{"my.own", {2}}}), "has none of this model's names"));
    CHECK(has(said({{"my.own", {2}}}), "but my.own (2,)"));
}

TEST_CASE("weights: numbers of 8 bits are refused as weights, and read as an input") {
    const Folder folder;
    const std::string file = folder / "w.safetensors", input = folder / "x.npz";
    REQUIRE(tracer_run(words("multihead --save-weights " + file)).code == 0);
    std::string bytes = content(file);
    const NamedTensors right = glassbox::read_safetensors(file).tensors;
    // The same with int8 numbers: the header of one tensor is enough.
    std::string header = "{", data;
    for (const auto& [name, value] : right) {
        const bool is_first = data.empty();
        const std::size_t size = is_first ? 1 : 4, n = static_cast<std::size_t>(value.numel());
        std::string shape;
        for (const auto each : value.shape().to_vector())
            shape += (shape.empty() ? "" : ",") + std::to_string(each);
        header += (is_first ? "" : ",") + ("\"" + name + R"(":{"dtype":")") + (is_first ? "I8" : "F32") +
                  R"(","shape":[)" + shape + "],\"data_offsets\":[" + std::to_string(data.size()) + "," +
                  std::to_string(data.size() + n * size) + "]}";
        data.append(n * size, '\0');
    }
    header += "}";
    std::string file_bytes;
    for (std::size_t i = 0; i < 8; ++i) file_bytes += static_cast<char>(header.size() >> (8 * i) & 0xFF);
    write(file, file_bytes + header + data);
    const std::string said = error_of({"multihead", "--weights", file});
    CHECK(has(said, right[0].first + " is of whole numbers of 8 bits, as quantised weights are"));
}

TEST_CASE("weights: what a file has beyond the model is named, with the line that leaves it out") {
    const Folder folder;
    const std::string file = folder / "w.safetensors";
    REQUIRE(tracer_run(words("encoder-block --save-weights " + file)).code == 0);
    NamedTensors more = renamed(file, "");
    more.emplace_back("pooler.weight", Tensor::zeros({2}));
    glassbox::write_safetensors(file, more);
    const std::string said = error_of({"encoder-block", "--weights", file});
    CHECK(has(said, "unexpected: pooler.weight (2,)"));
    CHECK(has(said, "if k not in ['pooler.weight']"));
    more.back().first = "a']; import os; ['";  // a stranger's name is no part of a line to type
    glassbox::write_safetensors(file, more);
    CHECK_FALSE(has(error_of({"encoder-block", "--weights", file}), "python3"));
}

TEST_CASE("weights: transposed matrices, a gap in the blocks and a model without biases are named") {
    const Folder folder;
    const std::string file = folder / "w.safetensors";
    REQUIRE(tracer_run({"encoder", "--convention", "paper", "--layers", "2", "--dmodel", "8", "--heads", "2",
                        "--dff", "16", "--save-weights", file, "-o", folder / "x.npz"})
                .code == 0);
    const NamedTensors right = glassbox::read_safetensors(file).tensors;
    const auto changed = [&](auto change) {
        NamedTensors tensors;
        for (auto [name, value] : right)
            if (change(name, value)) tensors.emplace_back(name, value);
        glassbox::write_safetensors(file, tensors);
        return tracer_run({"encoder", "--convention", "paper", "--heads", "2", "--weights", file});
    };
    const Ran turned = changed([](const std::string& name, Tensor& value) {
        if (name.ends_with("linear1.weight")) value = Tensor(Shape{8, 16}, value.values());
        return true;
    });
    CHECK(turned.code == 3);
    CHECK(has(turned.err,
              "transposed, as their biases show: layers.0.linear1.weight (8, 16), "
              "layers.1.linear1.weight (8, 16): save the transpose, x.T, of each"));
    const Ran gap = changed([](std::string& name, Tensor&) {
        if (name.starts_with("layers.1.")) name.replace(7, 1, "2");
        return true;
    });
    CHECK(gap.code == 3);
    CHECK(has(gap.err, "has block 2 of layers, and no block 1: their numbers have a gap"));
    const Ran bare = changed([](const std::string& name, Tensor&) {
        return !name.ends_with("bias") || name.find("norm") != std::string::npos;
    });
    CHECK(bare.code == 0);
    CHECK(has(bare.err, "without biases, which are taken as 0"));
    const Ran one = changed([](const std::string& name, Tensor&) { return name != "layers.0.linear1.bias"; });
    CHECK(one.code == 3);
    CHECK(has(one.err, "only biases are missing"));
    const Ran broken = changed([](const std::string& name, Tensor& value) {
        if (name == "layers.1.norm1.weight") value = Tensor::full({8}, NAN);
        return true;
    });
    CHECK(has(broken.err, "NaN or infinity in 1 of its tensors, layers.1.norm1.weight the first"));
}

TEST_CASE(
    "weights: bits of other types that were kept as integers are refused, and zeros and ones are said") {
    const Folder folder;
    const std::string file = folder / "w.safetensors", command = "multihead";
    REQUIRE(tracer_run({command, "--dmodel", "4", "--heads", "2", "--save-weights", file}).code == 0);
    const NamedTensors own = glassbox::read_safetensors(file).tensors;
    const auto with = [&](auto&& changed, bool is_npz) {
        NamedTensors tensors;
        for (const auto& [name, value] : own) {
            std::vector<glassbox::real> numbers = value.values();
            for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = changed(numbers[i], i);
            tensors.emplace_back(name, Tensor(value.shape(), numbers));
        }
        const std::string other = folder / (is_npz ? "other.npz" : "other.safetensors");
        is_npz ? glassbox::write_npz(other, tensors) : glassbox::write_safetensors(other, tensors);
        return tracer_run({command, "--heads", "2", "--weights", other});
    };
    const auto bits = [](glassbox::real x, std::size_t i) {
        return std::floor(16000 + 700 * x) + static_cast<glassbox::real>(i % 2 ? 32768 : 0);
    };
    for (const bool is_npz : {false, true}) {
        const Ran ran = with(bits, is_npz);
        INFO(ran.err);
        CHECK(ran.code == 3);
        CHECK(has(ran.err, "the bits of float16 or bfloat16, kept as integers, or quantised weights"));
    }
    const Ran wide = with([](glassbox::real x, std::size_t) { return std::floor(1e9F + 1e8F * x); }, true);
    CHECK(wide.code == 3);
    CHECK(has(wide.err, "the bits of float32, kept as integers"));
    // Whole numbers by hand are weights, and so is what is large.
    CHECK(with([](glassbox::real, std::size_t i) { return static_cast<glassbox::real>(i % 7); }, true).err ==
          "");
    CHECK(with([](glassbox::real, std::size_t i) { return i % 5 == 0 ? 1000.0F : 0.0F; }, true).err == "");
    CHECK(with([](glassbox::real x, std::size_t) { return 1000 * x; }, true).code == 0);
    const Ran masks = with([](glassbox::real, std::size_t i) { return i % 3 ? 1.0F : 0.0F; }, true);
    CHECK(masks.code == 0);
    CHECK(has(masks.err, "all numbers are 0 and 1, as those of masks are"));
}

TEST_CASE("weights: that a file was written for another convention is said") {
    const Folder folder;
    const std::string file = folder / "w.safetensors";
    REQUIRE(tracer_run({"encoder-block", "--dmodel", "4", "--heads", "2", "--save-weights", file}).code == 0);
    const NamedTensors own = glassbox::read_safetensors(file).tensors;
    CHECK(tracer_run({"encoder-block", "--heads", "2", "--weights", file}).err == "");
    glassbox::write_safetensors(file, own, {{"convention", "paper"}});
    CHECK(has(tracer_run({"encoder-block", "--heads", "2", "--weights", file}).err,
              "written for --convention paper, and uva-jax is taken"));
    for (const char* said : {"uva-jax", "mine"}) {
        glassbox::write_safetensors(file, own, {{"convention", said}});
        CHECK(tracer_run({"encoder-block", "--heads", "2", "--weights", file}).err == "");
    }
}
