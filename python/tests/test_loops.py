"""Training loops with an optimiser of PyTorch: right ones pass, in any order that is right, and of wrong ones it is said what comes
where, or the mistake is named."""
import pytest

import glassbox

torch = pytest.importorskip("torch")
clip_grad_norm_ = torch.nn.utils.clip_grad_norm_


def loop(*order, divides=True, place=lambda i, k: (i + 1) % k == 0):
    """A loop over micro-batches: what is done for each, and after "|" for each update."""
    def train(model, loader, optimizer, criterion, scheduler, accumulation_steps, max_norm):
        acts = {"zero": optimizer.zero_grad, "step": optimizer.step, "schedule": scheduler.step,
                "clip": lambda: clip_grad_norm_(model.parameters(), max_norm),
                "values": lambda: torch.nn.utils.clip_grad_value_(model.parameters(), max_norm)}
        for i, (x, y) in enumerate(loader):
            for act in order[:order.index("|")]:
                loss = criterion(model(x), y)
                acts.get(act, (loss / accumulation_steps if divides else loss).backward)()
            if place(i, accumulation_steps):
                for act in order[order.index("|") + 1:]:
                    acts[act]()
    return train


def of_squares(model, loader, optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()


def in_its_own_lines(model, train_loader, optimizer, loss_fn, epochs=3, device="cuda"):
    model.train()
    for _ in range(epochs):
        for i, (x, y) in enumerate(train_loader):
            (loss_fn(model(x.to(device)), y.to(device)) / 4).backward()
            if (i + 1) % 4 == 0:
                clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)


def one_step(model, optimizer, x, y, criterion):
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
    return loss.item()


def scaled(model, loader, optimizer, criterion, scaler):
    for x, y in loader:
        optimizer.zero_grad()
        scaler.scale(criterion(model(x), y)).backward()
        scaler.step(optimizer)
        scaler.update()


def never_cleared(model, loader, optimizer, criterion):
    optimizer.zero_grad()
    for x, y in loader:
        criterion(model(x), y).backward()
        optimizer.step()


def step_first(model, loader, optimizer, criterion):
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        optimizer.step()
        loss.backward()


@pytest.mark.parametrize("given", [
    loop("backward", "|", "clip", "step", "schedule", "zero"), loop("backward", "|", "clip", "step", "zero", "schedule"), of_squares,
    in_its_own_lines, one_step, scaled])
def test_what_is_right_passes(given):
    result = glassbox.check("training-step", given, quiet=True)
    assert result, result.text


@pytest.mark.parametrize("given, named", [
    (never_cleared, "accumulated/not-cleared"), (loop("backward", "|", "clip", "step"), "accumulated/not-cleared"),
    (loop("backward", "|", "clip", "step", "zero", divides=False), "accumulated/not-divided"),
    (loop("zero", "backward", "|", "clip", "step"), "accumulated/last-divided"), (loop("backward", "|", "step", "zero"), "clipped/left-out"),
    (loop("backward", "|", "values", "step", "zero"), "clipped/by-value"),
    (loop("backward", "|", "step", "clip", "zero"), "shortened after optimizer.step()"),
    (loop("backward", "|", "clip", "schedule", "step", "zero"), "scheduler.step() comes before optimizer.step()"),
    (loop("backward", "zero", "|", "clip", "step"), "zero_grad() comes between backward() and step()"),
    (step_first, "optimizer.step() comes before loss.backward()"), (loop("backward", "|", "zero"), "optimizer.step() is never called"),
    (loop("zero", "|", "step"), "loss.backward() is never called"),
    (loop("backward", "|", "clip", "step", "zero", place=lambda i, k: i % k == 0), "is it made where (i + 1) % accumulation_steps is 0?"),
    (loop("backward", "step", "zero", "|"), "called for every micro-batch")])
def test_of_what_is_wrong_is_said_what(given, named):
    result = glassbox.check("training-step", given, quiet=True)
    assert not result and named in result.text, result.text


def test_where_numbers_are_cut_gradients_that_are_cleared_are_not_called_left():
    result = glassbox.check("training-step", loop("backward", "|", "values", "step", "zero", divides=False), quiet=True)
    assert result.mistakes == ["accumulated/not-divided", "clipped/by-value"], result.text
    assert "the step is as many times too long" in result.text and "zero_grad is missing" not in result.text, result.text


def test_gradients_that_are_left_are_still_told_where_numbers_are_cut():
    result = glassbox.check("training-step", loop("backward", "|", "values", "step", divides=False), quiet=True)
    assert "accumulated/not-divided" not in result.mistakes, result.text


def test_a_schedule_that_counts_micro_batches_is_told():
    result = glassbox.check("training-step", loop("backward", "schedule", "|", "clip", "step", "zero"), quiet=True)
    assert "scheduler.step() comes before" in result.text
    result = glassbox.check("training-step", loop("schedule", "backward", "|", "clip", "step", "zero"), quiet=True)
    assert not result


def test_a_loss_that_nobody_knows_is_asked_for():
    def of_its_own(model, loader, optimizer):
        for x, _ in loader:
            optimizer.zero_grad()
            (model(x)**2).sum().backward()
            optimizer.step()

    with pytest.raises(glassbox.Error, match="its loss is in its own lines.*as a parameter criterion"):
        glassbox.check("training-step", of_its_own, quiet=True)
    with pytest.raises(glassbox.Error, match="what does the parameter 'config' take"):
        glassbox.check("training-step", lambda config, optimizer: None, quiet=True)


def few(clears):
    def train_step(model, optimizer, loss_fn, micro_batches, max_norm):
        if clears:
            optimizer.zero_grad()
        for x, y in micro_batches:
            (loss_fn(model(x), y) / len(micro_batches)).backward()
        clip_grad_norm_(model.parameters(), max_norm)
        optimizer.step()
    return train_step


def test_one_update_of_all_that_it_is_given_is_made_several_times():
    assert glassbox.check("training-step", few(clears=True), quiet=True)
    assert glassbox.check("training-step", few(clears=False), quiet=True).mistakes[0].startswith("accumulated/not-cleared")


# ---- gradients without backward(), and updates without step() --------------------------------------------------------


def micro_batches_by_grad(model, optimizer, criterion, loader, accumulation_steps, max_norm):
    params = list(model.parameters())
    sums = [torch.zeros_like(each) for each in params]
    for i, (x, y) in enumerate(loader):
        for total, gradient in zip(sums, torch.autograd.grad(criterion(model(x), y), params)):
            total.add_(gradient)
        if (i + 1) % accumulation_steps == 0:
            for each, total in zip(params, sums):
                each.grad = total / accumulation_steps
            clip_grad_norm_(params, max_norm)
            optimizer.step()
            sums = [torch.zeros_like(each) for each in params]


def by_hand(model, loader, criterion, lr):
    for x, y in loader:
        gradients = torch.autograd.grad(criterion(model(x), y), list(model.parameters()))
        with torch.no_grad():
            for each, gradient in zip(model.parameters(), gradients):
                each -= lr * gradient


def one_by_hand(model, x, y, criterion, lr):
    model.zero_grad()
    criterion(model(x), y).backward()
    for each in model.parameters():
        each.data = each.data - lr * each.grad


def with_its_own(model, loader, criterion, lr, clears=True, kind=torch.optim.SGD):
    own = kind(model.parameters(), lr=lr)
    for x, y in loader:
        if clears:
            own.zero_grad()
        criterion(model(x), y).backward()
        own.step()


def uphill(model, loader, criterion, lr):
    for x, y in loader:
        model.zero_grad()
        criterion(model(x), y).backward()
        with torch.no_grad():
            for each in model.parameters():
                each += lr * each.grad


def not_cleared(model, loader, criterion, lr):
    with_its_own(model, loader, criterion, lr, clears=False)


def of_another_name(model, loader, criterion, lr):
    for x, y in loader:
        criterion(model(x), y).backward()
        for each in model.parameters():
            each = each - lr * each.grad


def not_handed_on(model, loader, optimizer, criterion):
    for x, y in loader:
        torch.autograd.grad(criterion(model(x), y), list(model.parameters()))
        optimizer.step()


@pytest.mark.parametrize("given", [micro_batches_by_grad, by_hand, one_by_hand, with_its_own])
def test_gradients_and_updates_may_come_about_in_any_way(given):
    result = glassbox.check("training-step", given, quiet=True)
    assert result, result.text


@pytest.mark.parametrize("given, named", [
    (uphill, "uphill"), (not_cleared, "zero_grad is missing"), (of_another_name, "no parameter has changed"),
    (not_handed_on, "reads p.grad, which torch.autograd.grad does not set")])
def test_of_updates_without_an_optimiser_it_is_said_what_is_wrong(given, named):
    result = glassbox.check("training-step", given, quiet=True)
    assert not result and named in result.text, result.text


def test_an_update_of_its_own_kind_is_asked_for_and_not_called_wrong():
    def adam(model, loader, criterion, lr):
        with_its_own(model, loader, criterion, lr, kind=torch.optim.Adam)
    with pytest.raises(glassbox.Error, match="in its own lines"):
        glassbox.check("training-step", adam, quiet=True)


def test_a_loop_that_fails_is_wrong():
    def fails(model, loader, optimizer, criterion):
        return model.missing
    result = glassbox.check("training-step", fails, quiet=True)
    assert not result and "has no attribute 'missing'" in result.text


def test_its_parameters_may_be_told_by_usual_names():
    def loop(aa, bb, cc, dd):
        for x, y in bb:
            cc.zero_grad()
            dd(aa(x), y).backward()
            torch.nn.utils.clip_grad_norm_(aa.parameters(), 1.0)
            cc.step()
    names = {"aa": "net", "bb": "loader", "cc": "optimizer", "dd": "criterion"}
    assert glassbox.check("training-step", loop, arguments=names, quiet=True)


def test_a_clip_before_backward_is_told():
    def early(model, loader, optimizer, criterion, max_norm=1.0):
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            clip_grad_norm_(model.parameters(), max_norm)
            loss.backward()
            optimizer.step()
    result = glassbox.check("training-step", early, quiet=True)
    assert not result and "clipped before loss.backward()" in result.text, result.text
