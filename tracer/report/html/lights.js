// Which numbers are marked: the chosen one, all that it was made from, all that depends on it, and what the pointer is at.
import {ancestorsOf, tensorKey} from "./ancestors.js";
import {allUsersOf, keyOf, operandsOf, usersOf} from "./operands.js";
import {max, min} from "./shape.js";

const faintest = 4;  // marks of what is farther away are as pale
const slice = 12;    // milliseconds of following at a time

export class Lights {
    constructor(page) {
        this.page = page;
        this.from = new Map();  // numbers that the chosen one's arithmetic names, by tensor
        this.users = new Map();
        this.far = new Map();  // how far away all others are that it was made from, by tensorKey
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
        Object.assign(this, {from, users, far: new Map(), fromElements: elements, fromKeys: new Set(elements.map(keyOf))});
        clearTimeout(this.timer);
        if (isKnown) this.timer = setTimeout(() => this.follow(element, withUsers), 60);
    }

    // All that depends on a number, and all that it was made from, can be much: it is followed once the keys rest.
    follow(element, withUsers) {
        const {page} = this, trace = page.activeTrace, found = new Map(), walk = ancestorsOf(trace, element, found);
        if (withUsers) {
            this.users = page.ownUsers(allUsersOf(trace, element));
            this.refresh();
        }
        const goOn = () => {
            for (const end = performance.now() + slice; performance.now() < end;)
                if (walk.next().done) return this.arrive(found, withUsers);
            this.timer = setTimeout(goOn, 0);
        };
        goOn();
    }

    arrive(found, isOfChosen) {
        const {page} = this;
        this.far = found;
        if (page.isOnTheRight)
            this.far = new Map([...found].map(([key, distances]) => {
                const gradient = key.startsWith("∂");
                return [tensorKey(page.ownTensor(Number(key.slice(gradient ? 1 : 0))), gradient), distances];
            }));
        this.refresh();
        if (isOfChosen) page.arithmetic.showOrigins();
    }

    refresh() {
        this.page.step.mark();
        this.page.map.light();
    }

    hover(element) {
        const {comparison, isOnTheRight} = this.page;
        const other = element && isOnTheRight ? comparison.otherTensor(this.page.stopOf(element.tensor)) : -1;
        this.show(
            other >= 0                     ? {...element, tensor: other}
                : element && !isOnTheRight ? element
                                           : this.page.chosen,
            false);
        this.refresh();
    }

    // A factor under the pointer is marked where it stands.
    hoverFactor(element) {
        const key = element ? keyOf(element) : "";
        if (key === this.pointed) return;
        this.pointed = key;
        this.page.step.mark();
    }

    // The distances of a tensor's numbers, 0 where the chosen one was not made from them; null for none.
    distancesOf(tensor, gradient) { return this.far.get(tensorKey(tensor, gradient)) || null; }

    marksOf(element) {
        const marks = [], key = keyOf(element), {state} = this.page, far = this.distancesOf(element.tensor, element.gradient);
        if (element.tensor === state.tensor && element.at === state.at &&
            !!element.gradient === state.gradient)
            marks.push("chosen");
        if (this.fromKeys.has(key)) marks.push("from");
        else if (far && far[element.at]) marks.push("far", paleness(far[element.at]));
        const users = this.users.get(element.tensor);
        if (users && users.has(element.at) && !!element.gradient === state.gradient)
            marks.push("user");
        if (this.pointed === key) marks.push("pointed");
        return marks;
    }
}

// far-2 … far-4: the class of a mark by its distance.
export const paleness = (distance) => "far-" + min(max(distance, 2), faintest);
