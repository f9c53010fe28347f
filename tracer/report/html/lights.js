// Which numbers are marked: the chosen one, what it was computed from, what depends on it, and what the pointer is at.
import {allUsersOf, keyOf, operandsOf, usersOf} from "./operands.js";

export class Lights {
    constructor(page) {
        this.page = page;
        this.from = new Map();  // numbers that the chosen one was made from, by tensor
        this.users = new Map();
        this.fromElements = [];
        this.fromKeys = new Set();
    }

    // Marks what a number was made from; of the chosen one also what depends on it.
    show(element, withUsers) {
        const isKnown = this.page.isRevealed(this.page.state.tensor) && this.page.activeTrace.size(element.tensor) > 0;
        const elements = isKnown ? operandsOf(this.page.activeTrace, element).map((e) => this.page.ownElement(e)) : [];
        const from = new Map();
        for (const {tensor, at} of elements)
            (from.get(tensor) || from.set(tensor, new Set()).get(tensor)).add(at);
        const users = !withUsers ? this.users
            : isKnown            ? this.page.ownUsers(usersOf(this.page.activeTrace, element))
                                 : new Map();
        Object.assign(this, {from, users, fromElements: elements, fromKeys: new Set(elements.map(keyOf))});
        if (withUsers) this.followUsers(element, isKnown);
    }

    // All that depends on a number can be much: it is followed once the keys rest.
    followUsers(element, isKnown) {
        clearTimeout(this.timer);
        if (isKnown)
            this.timer = setTimeout(() => {
                this.users = this.page.ownUsers(allUsersOf(this.page.activeTrace, element));
                this.page.step.mark();
                this.page.map.light();
            }, 60);
    }

    hover(element) {
        const {comparison, isOnTheRight} = this.page;
        const other = element && isOnTheRight ? comparison.otherTensor(this.page.stopOf(element.tensor)) : -1;
        this.show(
            other >= 0                     ? {...element, tensor: other}
                : element && !isOnTheRight ? element
                                           : this.page.chosen,
            false);
        this.page.step.mark();
        this.page.map.light();
    }

    // A factor under the pointer is marked where it stands.
    hoverFactor(element) {
        const key = element ? keyOf(element) : "";
        if (key === this.pointed) return;
        this.pointed = key;
        this.page.step.mark();
    }

    marksOf(element) {
        const marks = [], key = keyOf(element), {state} = this.page;
        if (element.tensor === state.tensor && element.at === state.at &&
            Boolean(element.gradient) === state.gradient)
            marks.push("chosen");
        if (this.fromKeys.has(key)) marks.push("from");
        const users = this.users.get(element.tensor);
        if (users && users.has(element.at) && Boolean(element.gradient) === state.gradient)
            marks.push("user");
        if (this.pointed === key) marks.push("pointed");
        return marks;
    }
}
