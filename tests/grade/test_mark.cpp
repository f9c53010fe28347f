// Which steps count, and what they are worth.
#include "class.h"

#include "support/errors.h"
#include "tracer/grade/mark.h"

using namespace glassbox;
using namespace glassbox::tracer;
using glassbox_test::check_error;
using glassbox_test::has;

namespace {

StepMark step(const char* name, Verdict of, bool is_known = false) {
    StepMark one{name, of, ""};
    one.is_known = is_known;
    return one;
}

Judged counted_steps(std::vector<StepMark> steps, std::vector<NamedMistake> mistakes = {}) {
    Judged found{"", "", std::move(steps), std::move(mistakes)};
    count(found);
    return found;
}

double points(const CourseTask& task, const Judged& found) { return mark(task, found).points; }

CourseTask worth(double points) {
    CourseTask task;
    task.name = "task";
    task.points = points;
    return task;
}

}  // namespace

TEST_CASE("mark: a step that follows counts where the mistake before it is known, or code made it") {
    const Judged known =
        counted_steps({step("logits", Verdict::right), step("scaled", Verdict::wrong, true),
                       step("attention", Verdict::inherited), step("values", Verdict::inherited)});
    CHECK(points(worth(4), known) == 3);
    const Judged unknown =
        counted_steps({step("logits", Verdict::right), step("scaled", Verdict::wrong),
                       step("attention", Verdict::inherited), step("values", Verdict::inherited)});
    CHECK(points(worth(4), unknown) == 1);
    StepMark own = step("values", Verdict::inherited);
    own.is_own = true;
    CHECK(points(worth(2), counted_steps({step("scaled", Verdict::wrong), own})) == 1);
}

TEST_CASE("mark: the last array alone is worth all, or what its known mistakes leave") {
    const auto last = [](Verdict of, bool is_known, std::vector<NamedMistake> mistakes) {
        return counted_steps({step("logits", Verdict::not_given), step("scaled", Verdict::not_given),
                              step("attention", Verdict::not_given), step("values", of, is_known)},
                             std::move(mistakes));
    };
    CHECK(points(worth(4), last(Verdict::right, false, {})) == 4);
    CHECK(points(worth(4), last(Verdict::wrong, false, {})) == 0);
    CHECK(points(worth(4), last(Verdict::wrong, true, {{"values", "scaled/no-root", ""}})) == 2);
}

TEST_CASE("mark: a mistake in steps without a weight costs the next one that has a weight and is not right") {
    StepMark scaled = step("scaled", Verdict::wrong, true), values = step("values", Verdict::wrong, true);
    scaled.is_mistaken = true, values.counts = true;
    const auto of = [&](std::map<std::string, double> weights) {
        CourseTask task = worth(4);
        task.weights = std::move(weights);
        return points(task, {"", "", {scaled, values}, {}});
    };
    CHECK(of({{"values", 1}}) == 0);
    CHECK(of({{"scaled", 1}, {"values", 3}}) == 3);
    CourseTask last = worth(4);
    last.only_last = true;
    CHECK(points(last, {"", "", {scaled, values}, {}}) == 0);
}

TEST_CASE("mark: of a function that returns certain steps, only what leads to them has a weight") {
    StepMark loss = step("loss", Verdict::right), gradient = step("dlogits", Verdict::not_given);
    loss.counts = true, gradient.is_asked = false;
    CourseTask task = worth(2);
    task.returns = {"loss"};
    CHECK(points(task, {"", "", {loss, gradient}, {}}) == 2);
    task.weights = {{"loss", 1}, {"dlogits", 3}};
    CHECK(points(task, {"", "", {loss, gradient}, {}}) == 2);
    task.weights = {{"dlogits", 3}};
    check_error<glassbox::FileError>(
        [&] {
            points(task, {"", "", {loss, gradient}, {}});
        },
        "task 'task': steps: none of them leads to what the function returns");
    task.weights.clear(), task.only_last = true;
    CHECK(points(task, {"", "", {loss, gradient}, {}}) == 2);
}

TEST_CASE("mark: no more than the course gives where the result is wrong, whatever was right before it") {
    const auto of = [](Verdict values, double at_most) {
        CourseTask task = worth(4);
        task.at_most = at_most;
        return mark(task, counted_steps({step("logits", Verdict::right), step("scaled", Verdict::right),
                                         step("attention", Verdict::right), step("values", values, true)}));
    };
    CHECK(of(Verdict::wrong, 1).points == 3);
    CHECK(of(Verdict::wrong, 0.6).points == 2.4);
    CHECK(of(Verdict::wrong, 0.6).is_capped);
    CHECK(of(Verdict::wrong, 0.9).points == 3);
    CHECK_FALSE(of(Verdict::wrong, 0.9).is_capped);
    CHECK(of(Verdict::wrong, 0).points == 0);
    CHECK(of(Verdict::right, 0.6).points == 4);
    // Right for what it was given, so that its numbers are wrong.
    CourseTask task = worth(4);
    task.at_most = 0.5;
    const Judged follows =
        counted_steps({step("logits", Verdict::right), step("scaled", Verdict::wrong, true),
                       step("attention", Verdict::inherited), step("values", Verdict::inherited)});
    CHECK(points(task, follows) == 2);
}

TEST_CASE("mark: of what a function returns beside the result only what leads to it has a weight") {
    StepMark loss = step("loss", Verdict::right), gradient = step("dlogits", Verdict::not_given);
    loss.counts = true, gradient.is_asked = false;
    Judged found{"", "", {loss, gradient}, {}};
    found.is_part = true;
    CHECK(points(worth(3), found) == 3);
    CourseTask of_gradient = worth(3);
    of_gradient.weights = {{"dlogits", 1}};
    CHECK(points(of_gradient, found) == 0);
    CHECK(has(mark(of_gradient, found).found.problem, "a step that counts"));
}

TEST_CASE("mark: who earns all has full marks, whatever the points are") {
    StepMark one = step("scaled", Verdict::right), other = step("values", Verdict::right);
    one.counts = other.counts = true;
    const TaskMark all = mark(worth(0.33333), {"", "", {one, other}, {}});
    CHECK(all.is_full());
    other.counts = false;
    CHECK(points(worth(0.33333), {"", "", {one, other}, {}}) == 0.1667);
}

TEST_CASE("mark: weights, the last step only, and a step that there is none of") {
    const Judged found = counted_steps({step("scaled", Verdict::wrong), step("values", Verdict::right)});
    CHECK(points(worth(8), found) == 4);
    CourseTask last = worth(8);
    last.only_last = true;
    CHECK(points(last, found) == 8);
    CourseTask weighted = worth(8);
    weighted.weights = {{"scaled", 3}, {"values", 1}};
    CHECK(points(weighted, found) == 2);
    weighted.weights = {{"scald", 1}};
    try {
        (void)mark(weighted, found);
        FAIL("a step that there is none of was taken");
    } catch (const glassbox::FileError& error) {
        CHECK(has(error.what(), "; did you mean 'scaled'?"));
    }
}
