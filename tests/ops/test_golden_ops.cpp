// Every op and its gradient, against real PyTorch (tests/golden/make_ops.py).
#include <map>
#include <set>

#include <glassbox/io/numpy.h>
#include <glassbox/ops/ops.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/gradient_check.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

using In = std::vector<Tensor>;

// The names in make_ops.py.
const std::map<std::string, Function>& ops() {
    static const Function plus = [](const In& x) { return x[0] + x[1]; };
    static const Function product = [](const In& x) { return matmul(x[0], x[1]); };
    static const Function affine = [](const In& x) { return linear(x[0], x[1], x[2]); };
    static const Function norm = [](const In& x) { return layer_norm(x[0], x[1], x[2]); };
    static const Function soft = [](const In& x) { return softmax(x[0]); };
    static const std::map<std::string, Function> all = {
        {"add", plus},
        {"add_broadcast", plus},
        {"sub_broadcast", [](const In& x) { return x[0] - x[1]; }},
        {"mul_broadcast", [](const In& x) { return x[0] * x[1]; }},
        {"div_broadcast", [](const In& x) { return x[0] / x[1]; }},
        {"scale", [](const In& x) { return x[0] * 1.7; }},
        {"exp", [](const In& x) { return exp(x[0]); }},
        {"log", [](const In& x) { return log(x[0]); }},
        {"sqrt", [](const In& x) { return sqrt(x[0]); }},
        {"tanh", [](const In& x) { return tanh(x[0]); }},
        {"relu", [](const In& x) { return relu(x[0]); }},
        {"matmul", product},
        {"matmul_batch", product},
        {"matmul_broadcast", product},
        {"matmul_weight", product},
        {"matmul_transposed", [](const In& x) { return matmul(transpose(x[0]), transpose(x[1])); }},
        {"softmax", soft},
        {"softmax_long", soft},
        {"log_softmax", [](const In& x) { return log_softmax(x[0]); }},
        {"masked_fill", [](const In& x) { return masked_fill(x[0], x[1], -2.5); }},
        {"sum", [](const In& x) { return sum(x[0]); }},
        {"sum_axis", [](const In& x) { return sum(x[0], 1); }},
        {"sum_axis_keep", [](const In& x) { return sum(x[0], -1, true); }},
        {"mean", [](const In& x) { return mean(x[0]); }},
        {"mean_axis", [](const In& x) { return mean(x[0], 0); }},
        {"transpose", [](const In& x) { return transpose(x[0]); }},
        {"permute",
         [](const In& x) {
             return permute(x[0], {2, 0, 3, 1});
         }},
        {"reshape",
         [](const In& x) {
             return reshape(permute(x[0], {2, 1, 0}), {6, 4});
         }},
        {"slice", [](const In& x) { return slice(x[0], 1, 1, 4); }},
        {"split", [](const In& x) { return split(x[0], -1, 3)[0] * split(x[0], -1, 3)[2]; }},
        {"concat", [](const In& x) { return concat(x, 1); }},
        {"broadcast_to",
         [](const In& x) {
             return broadcast_to(x[0], {2, 3, 4});
         }},
        {"sin", [](const In& x) { return sin(x[0]); }},
        {"cos", [](const In& x) { return cos(x[0]); }},
        {"erf", [](const In& x) { return erf(x[0]); }},
        {"gelu_erf", [](const In& x) { return gelu(x[0]); }},
        {"gelu_tanh", [](const In& x) { return gelu(x[0], Activation::gelu_tanh); }},
        {"linear", affine},
        {"linear_without_bias", [](const In& x) { return linear(x[0], x[1]); }},
        {"linear_of_a_row", affine},
        {"layer_norm", norm},
        {"layer_norm_wide", norm},
        {"embedding", [](const In& x) { return embedding(x[0], x[1]); }},
        {"max_axis", [](const In& x) { return max(x[0], 1); }},
        {"number_minus", [](const In& x) { return 2.5 - x[0]; }},
        {"number_over", [](const In& x) { return 2.5 / x[0]; }},
        {"number_plus", [](const In& x) { return 2.5 + x[0]; }},
        {"sigmoid", [](const In& x) { return sigmoid(x[0]); }},
        {"silu", [](const In& x) { return silu(x[0]); }},
        {"pow_2", [](const In& x) { return pow(x[0], 2); }},
        {"pow_3", [](const In& x) { return pow(x[0], 3); }},
        {"pow_0", [](const In& x) { return pow(x[0], 0); }},
        {"pow_minus_2", [](const In& x) { return pow(x[0], -2); }},
        {"pow_half", [](const In& x) { return pow(x[0], 0.5); }},
        {"pow_2.7", [](const In& x) { return pow(x[0], 2.7); }},
        {"abs", [](const In& x) { return abs(x[0]); }},
        {"clip", [](const In& x) { return clip(x[0], -0.5, 1.25); }},
        {"var", [](const In& x) { return var(x[0]); }},
        {"var_axis", [](const In& x) { return var(x[0], 0); }},
        {"var_axis_corrected", [](const In& x) { return var(x[0], -1, true, 1); }},
        {"where", [](const In& x) { return where(x[0], x[1], x[2]); }},
        {"min_axis", [](const In& x) { return min(x[0], 1); }},
        {"reshape_free",
         [](const In& x) {
             return reshape(permute(x[0], {2, 1, 0}), {2, -1});
         }},
        {"used_twice", [](const In& x) { return matmul(softmax(matmul(x[0], x[0])), x[0]) + x[0] * x[0]; }},
    };
    return all;
}

// Compares a file's contents, and returns the names.
std::set<std::string> check_file(const std::string& name_of_file, Device device) {
    const Npz file(std::string(GLASSBOX_GOLDEN) + "/" + name_of_file);
    CHECK(file.contains("versions"));
    std::set<std::string> names;
    for (const std::string& key : file.names())
        if (key != "versions") names.insert(key.substr(0, key.find('/')));
    for (const std::string& name : names) {
        REQUIRE(ops().count(name) == 1);
        const Function& op = ops().at(name);
        std::vector<Tensor> inputs;
        for (const char* letter : {"a", "b", "c"})
            if (file.contains(name + "/" + letter))
                inputs.push_back(file.read(name + "/" + letter).to(device));
        check_close(op(inputs), file.read(name + "/y"), golden, name);
        const std::vector<Tensor> gradients = tape_gradients(op, inputs, file.read(name + "/w").to(device));
        const char* letters = "abc";
        for (std::size_t i = 0; i < inputs.size(); ++i)
            check_close(gradients[i], file.read(name + "/grad/" + letters[i]), golden,
                        name + "/grad/" + letters[i]);
    }
    return names;
}

}  // namespace

DEVICE_TEST("every op and its gradient match PyTorch") {
    const std::size_t first = check_file("ops_torch.npz", device).size();
    CHECK(first + check_file("ops_torch_more.npz", device).size() == ops().size());
}
