#include "../../lessons/support/arrays.h"
#include "support/catch.h"

using glassbox::Tensor;
using lesson::Answer;
using lesson::Collected;
using lesson::Tensors;

namespace {

Matrix filled(int rows, int columns, double number) {
    Matrix m(rows, columns);
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) m(r, c) = number;
    return m;
}

Matrices filled(int count, int rows, int columns, double number) {
    Matrices all(count, rows, columns);
    for (int i = 0; i < count; ++i) all[i] = filled(rows, columns, number + i);
    return all;
}

const Tensors golden = {{"Q", Tensor::zeros({2, 3, 4, 5})}, {"encoding", Tensor::zeros({4, 5})}};

Answer::Step answer_of(const Collected& collected, const std::string& step) {
    return collected.answer(golden).steps.at(step);
}

}  // namespace

TEST_CASE("results that come sequence by sequence are put together to the shape of golden.npz") {
    Collected collected;
    collected.add("Q", filled(3, 4, 5, 0));
    CHECK(answer_of(collected, "Q").problem == lesson::not_there);  // the second sequence is missing
    collected.add("Q", filled(3, 4, 5, 7));
    const Tensor Q = answer_of(collected, "Q").value;
    REQUIRE(Q.defined());
    CHECK(Q.shape() == golden.at("Q").shape());
    CHECK(Q.at({0, 2, 3, 4}) == 2);
    CHECK(Q.at({1, 1, 0, 0}) == 8);
}

TEST_CASE("a step that golden.npz has once for all sequences is taken from the first") {
    Collected collected;
    collected.add("encoding", filled(4, 5, 1));
    collected.add("encoding", filled(4, 5, 2));
    CHECK(answer_of(collected, "encoding").value.at({3, 4}) == 1);
}

TEST_CASE("a wrong shape is reported with the expected one") {
    Collected heads, inside, tables, nothing;
    heads.add("Q", filled(2, 4, 5, 0));
    CHECK(answer_of(heads, "Q").problem == "its shape is (2, 4, 5), expected (3, 4, 5)");
    tables.add("Q", filled(4, 6, 0));
    CHECK(answer_of(tables, "Q").problem == "its shape is (4, 6), expected (4, 5)");
    Matrices uneven(3, 4, 5);
    uneven[2] = Matrix(5, 4);
    inside.add("Q", uneven);
    CHECK(answer_of(inside, "Q").problem == "matrix 2 is (5, 4), matrix 0 is (4, 5)");
    nothing.add("Q", Matrices());
    CHECK(answer_of(nothing, "Q").problem == lesson::not_there);
}

TEST_CASE("an exercise that stops keeps the reason and its results so far") {
    struct Steps {
        Matrix encoding;
    };
    const Answer answer = lesson::run_each<Steps>(
        3, golden,
        [](lesson::index_t, Steps& steps) {
            steps.encoding = Matrix(4, 5);
            steps.encoding(4, 0) = 1;
        },
        [](Collected& all, const Steps& steps) { all.add("encoding", steps.encoding); });
    CHECK(answer.stopped == "row 4, column 0 of a Matrix with 4 rows and 5 columns");
    CHECK(answer.steps.at("encoding").value.defined());
}

TEST_CASE("a step that is used before it has a size is told from a wrong index") {
    struct Steps {
        Matrix encoding;
    };
    const Answer answer = lesson::run_each<Steps>(
        1, golden, [](lesson::index_t, Steps& steps) { steps.encoding(0, 1) = 1; },
        [](Collected& all, const Steps& steps) { all.add("encoding", steps.encoding); });
    CHECK(answer.kind == lesson::Stop::no_size);
    CHECK(answer.stopped ==
          "row 0, column 1 of a Matrix that has no size yet: Matrix(rows, columns) gives it one");
    CHECK_THROWS_AS(Vector()(0), HasNoSize);
    CHECK_THROWS_AS(Matrices()[0], HasNoSize);
    CHECK_THROWS_AS(Matrix(0, 2)(0, 0), std::out_of_range);
    CHECK_NOTHROW([] {
        try {
            (void)Matrix(0, 2)(0, 0);
        } catch (const HasNoSize&) {
            FAIL("it has a size");
        } catch (const std::out_of_range&) {
        }
    }());
}

TEST_CASE("an index out of range is refused, in vectors and in lists of matrices") {
    Vector v(2);
    v(1) = 3;
    CHECK(v(1) == 3);
    CHECK_THROWS_AS(v(2), std::out_of_range);
    CHECK_THROWS_AS(v(-1), std::out_of_range);
    CHECK_THROWS_AS(Vector(-1), std::out_of_range);
    Matrices all(2, 3, 4);
    CHECK(all[1].columns() == 4);
    CHECK_THROWS_AS(all[2], std::out_of_range);
    CHECK_THROWS_AS(Matrices(-1, 2, 2), std::out_of_range);
}
