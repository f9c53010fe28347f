#pragma once
#include <map>
#include <string>
#include <vector>

#include <glassbox/io/named_tensors.h>

#include "answer.h"
#include "guard.h"
#include "matrices.h"
#include "vector.h"
#include "weights.h"

namespace lesson {

using glassbox::index_t;

Tensors golden_case(const glassbox::NamedTensors& golden,
                    const std::string& name);  // its "case/name" by name

// From golden's arrays to what exercises use.
Matrix matrix_of(const Tensor& x, index_t i = 0);  // the i-th matrix; leading axes count matrices
Matrices matrices_of(const Tensor& x);             // all of them
Vector vector_of(const Tensor& x);                 // of one axis
int number_of(const Tensor& x);                    // of one number
index_t matrices_in(const Tensor& x);              // how many: the product of the leading axes
void append(std::vector<glassbox::real>& values, const Matrix& m);  // row by row, after what is there
// From "heads" and "<path>qkv_proj.weight", …; path "self_attn." in an encoder block.
AttentionWeights attention_weights_of(const Tensors& golden, const std::string& path = "");
// Weights of golden.npz under PyTorch's names after a path: "encoder.layers.0." in a model, "" in a block.
NormWeights norm_weights_of(const Tensors& golden, const std::string& path);  // "<path>weight", "<path>bias"
EncoderBlockWeights encoder_block_weights_of(const Tensors& golden, const std::string& path = "");
DecoderBlockWeights decoder_block_weights_of(const Tensors& golden, const std::string& path = "");
TransformerWeights transformer_weights_of(const Tensors& golden);

// An exercise's output for one case, sequence after sequence, by the steps' names.
class Collected {
  public:
    void add(const std::string& step, const Matrix& given);
    void add(const std::string& step, const Matrices& given);
    void add(const std::string& step, const Vector& given);
    // Put together to golden's shapes. For a step that golden has once for all sequences, the first is taken.
    Answer answer(const Tensors& golden, const Ended& ended = {}) const;

  private:
    struct Given {
        glassbox::Shape shape;  // of one sequence
        std::vector<glassbox::real> values;
        std::string problem;  // not_there, or that the matrices inside differ in size
    };
    static Answer::Step stacked(const std::vector<Given>& all, const glassbox::Shape& expected);
    static Answer::Step of_other_shape(const std::vector<Given>& all, const glassbox::Shape& expected);
    std::map<std::string, std::vector<Given>> given_;
};

// Calls call(i, steps) for the sequences 0 … count − 1, until one stops early; add(collected, steps) takes
// what there is after each.
template <class Steps, class Call, class Add>
Answer run_each(index_t count, const Tensors& golden, Call call, Add add) {
    Collected collected;
    Ended ended;
    for (index_t i = 0; i < count && ended.early.empty(); ++i) {
        Steps steps;
        ended = run_guarded([&] { call(i, steps); });
        add(collected, steps);
    }
    return collected.answer(golden, ended);
}

}  // namespace lesson
