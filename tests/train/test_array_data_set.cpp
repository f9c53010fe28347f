#include <glassbox/ops/ops.h>
#include <glassbox/train/examples.h>

#include "support/compare.h"
#include "support/devices.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox_test;

TEST_CASE("a data set of arrays gives their rows in the requested order, from any device and stride") {
    const Tensor x{{1, 2}, {3, 4}, {5, 6}}, label{7, 8, 9};
    for (const Device device : devices()) {
        const ArrayDataSet data({{"x", x.to(device)}, {"label", label.to(device)}});
        CHECK(data.size() == 3);
        const Examples some = data.at({2, 0, 2});
        check_close(some["x"], {{5, 6}, {1, 2}, {5, 6}}, exact, "x");
        check_close(some["label"], {9, 7, 9}, exact, "label");
        CHECK(data.at({}).size() == 0);
    }
    const ArrayDataSet turned({{"x", transpose(x)}});
    check_close(turned.at({1})["x"], {{2, 4, 6}}, exact, "x");
}

TEST_CASE("invalid arrays are refused by name, and so is a missing row") {
    check_error([] { ArrayDataSet data((NamedTensors())); }, "data set: needs at least one array, got none");
    check_error(
        [] {
            ArrayDataSet data({{"x", Tensor{1, 2, 3}}, {"label", Tensor{1, 2}}});
        },
        "data set: 'x' has 3 examples, 'label' has 2");
    check_error(
        [] {
            ArrayDataSet data({{"x", Tensor(1.0)}});
        },
        "data set: 'x' has shape (); its first axis counts the examples");
    check_error([] { ArrayDataSet data({{"x", Tensor()}}); }, "data set: 'x' is undefined");
    check_error(
        [] {
            ArrayDataSet data({{"x", Tensor{1}}, {"x", Tensor{2}}});
        },
        "data set: two tensors are named 'x'");
    const ArrayDataSet data({{"x", Tensor{1, 2, 3}}});
    check_error([&] { data.at({0, 3}); }, "data set: no example 3 among 3");
    check_error([&] { data.at({-1}); }, "data set: no example -1 among 3");
}
