// The panel of disturbances: a slider for every one that tasks have. The swarm goes on while they are moved.
(() => {
  "use strict";
  const PARTS = 100; // of a slider, unless it counts
  const SETTLED = 1500; // milliseconds after which a slider that was let go shows what the server has

  const element = (tag, className = "", text = "") => Object.assign(document.createElement(tag), { className, textContent: text });

  class Disturbances {
    // `parts`: panel (a <details>), summary, reason, list (a <fieldset>), facts and off.
    constructor(parts, send) {
      this.parts = parts; this.send = send;
      this.controls = new Map(); // by the name of the setting
      this.asked = {}; // what the reader has set
      this.count = 2; // agents
      this.waiting = new Set(); // what has to be sent with the next picture
      parts.panel.addEventListener("toggle", () => {
        document.body.classList.toggle("is-disturbing", parts.panel.open);
        this.prepare();
        if (parts.panel.open) this.bringIntoView();
      });
      parts.off.addEventListener("click", () => this.calm());
    }

    // What the server offers, once.
    build(groups) {
      if (this.controls.size) return;
      for (const { title, settings } of groups) {
        this.parts.list.append(element("h3", "", title));
        for (const setting of settings) this.add(setting);
      }
    }

    add(setting) {
      const row = element("label", "dial"), input = element("input"), words = element("span", "", setting.label);
      const control = { ...setting, input, value: setting.default, touched: -SETTLED };
      row.title = setting.help;
      input.id = `disturb-${setting.name}`;
      if (setting.unit === null) {
        input.type = "checkbox";
        row.classList.add("switch");
        row.append(input, words);
        input.addEventListener("change", () => this.change(control, input.checked));
      } else {
        control.text = element("span", "value"); // no <output>: the label would be taken for its own
        words.append(element("small", "", ` ${setting.unit}`));
        Object.assign(input, { type: "range", min: 0, step: 1, ariaLabel: `${setting.label}, ${setting.unit}` });
        row.append(words, control.text, input);
        input.addEventListener("input", () => this.change(control, this.fromSlider(control, Number(input.value))));
      }
      this.parts.list.append(row);
      this.controls.set(setting.name, control);
      this.put(control, control.value);
    }

    endOf(control) { return control.unit === "agents" ? Math.max(1, Math.floor(this.count / 2)) : control.end; }

    fromSlider(control, place) {
      if (control.whole) return Math.round(place);
      const value = control.low + (control.end - control.low) * (place / PARTS) ** control.power;
      return place === PARTS ? control.end : Number(value.toPrecision(2));
    }

    onSlider(control, value) {
      if (control.whole) return value;
      const share = (value - control.low) / (control.end - control.low);
      return Math.round(PARTS * Math.max(0, Math.min(1, share)) ** (1 / control.power));
    }

    // Show a value, wherever it comes from.
    put(control, value) {
      control.value = value;
      if (control.unit === null) { control.input.checked = value; return; }
      const text = control.whole ? String(value) : String(Number(value.toPrecision(3)));
      control.input.max = control.whole ? this.endOf(control) : PARTS;
      control.input.value = this.onSlider(control, value);
      control.text.textContent = text;
      control.input.setAttribute("aria-valuetext", `${text} ${control.unit}`);
      control.input.parentElement.classList.toggle("is-on", control.is_strength && value > 0);
    }

    // The reader moves a slider: at most one message per picture and setting, the newest.
    change(control, value) {
      control.touched = performance.now();
      const place = control.input.value;
      this.put(control, value);
      if (control.unit !== null) control.input.value = place; // not to the place of the rounded value, while it is held
      this.asked[control.name] = value;
      if (!this.waiting.size) requestAnimationFrame(() => this.flush());
      this.waiting.add(control.name);
    }

    flush() {
      for (const name of this.waiting) this.send("disturb", { what: name, value: this.asked[name] });
      this.waiting.clear();
    }

    calm() {
      for (const control of this.controls.values()) if (control.is_strength && control.value > 0) this.change(control, 0);
      for (const control of this.controls.values()) control.touched = -SETTLED;
    }

    // A connection that came back knows nothing of what was set.
    repeat() {
      for (const [what, value] of Object.entries(this.asked)) this.send("disturb", { what, value });
    }

    // What was asked for did not come to pass.
    revert(values) {
      for (const control of this.controls.values()) control.touched = -SETTLED;
      for (const name of Object.keys(this.asked)) if (!this.waiting.has(name)) this.asked[name] = values[name];
      this.shown = null;
    }

    prepare() { if (this.parts.panel.open) this.send("prepare"); }

    toggle() {
      this.parts.panel.open = !this.parts.panel.open;
      this.parts.panel.querySelector("summary").focus({ preventScroll: true });
    }

    // Below the picture, where that stays in sight while the page scrolls.
    bringIntoView() {
      const show = document.querySelector(".show"), isAbove = show.getBoundingClientRect().left === this.parts.panel.getBoundingClientRect().left;
      this.parts.panel.style.scrollMarginTop = isAbove ? `${show.offsetHeight + 8}px` : "0";
      this.parts.panel.scrollIntoView({ block: "nearest" });
    }

    show({ values, reason, waiting }, count, moments) {
      const told = JSON.stringify([values, reason, waiting, count]), now = performance.now();
      this.tellFacts(count, moments);
      if (told === this.shown) return;
      this.count = count;
      let isSettled = true;
      for (const [name, control] of this.controls) {
        if (now - control.touched < SETTLED) isSettled = false;
        else if (name in values) this.put(control, values[name]);
      }
      this.shown = isSettled ? told : null;
      const on = [...this.controls.values()].filter((control) => control.is_strength && control.value > 0).length;
      this.parts.list.disabled = reason !== null;
      this.parts.reason.hidden = reason === null;
      this.parts.reason.textContent = reason || "";
      this.parts.off.disabled = on === 0 || reason !== null;
      this.parts.summary.textContent = reason ? "not for this swarm" : waiting ? "compiling …" : on ? `${on} on` : "none";
      this.parts.panel.classList.toggle("is-on", on > 0 && reason === null);
    }

    tellFacts(count, moments) {
      if (!this.parts.panel.open) return;
      const words = moments.map(({ marks }) => {
        const { still, contrary } = Swarmbed.marks.counts(marks);
        return marks ? `${still} of ${count} stand still${contrary ? `, ${contrary} contrary` : ""}` : "";
      });
      const text = words.every((word) => word === words[0]) ? words[0] : words.join(" · ");
      if (this.parts.facts.textContent !== text) this.parts.facts.textContent = text;
    }
  }

  Swarmbed.Disturbances = Disturbances;
})();
