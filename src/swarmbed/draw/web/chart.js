// A live chart of the metric that the task declares: one line per swarm over the steps, linear or logarithmic.
(() => {
  "use strict";
  const { ticks } = Swarmbed.geometry;
  const LEFT = 40, RIGHT = 10; // room beside the axes

  class Chart {
    // `title` says what is drawn, `button` changes the axis.
    constructor(canvas, title, button) {
      this.canvas = canvas; this.title = title; this.button = button;
      this.context = canvas.getContext("2d");
      this.series = [];
      this.isLog = false;
      this.horizon = null;
      this.cursor = null; // a step to point at
      this.length = null; // the last step, where it is known beforehand
      this.isDirty = true;
      button.addEventListener("click", () => this.setLog(!this.isLog));
      this.recolour();
    }

    recolour() { this.colours = Swarmbed.theme.colours(); this.isDirty = true; }

    // `metric` is {label, unit, kind, axis, log}, or nothing.
    reset(names, { metric = null, horizon = null, length = null } = {}) {
      this.series = names.map((name) => ({ name, steps: [], values: [], ended: null }));
      this.horizon = horizon; this.length = length;
      const axis = metric ? metric.axis : "nothing is measured", before = this.title.textContent;
      this.title.textContent = axis[0].toUpperCase() + axis.slice(1);
      this.canvas.setAttribute("aria-label", `${axis} over time`);
      // The reader's choice of axis holds until there is another number to follow.
      if (this.title.textContent !== before) this.setLog(Boolean(metric && metric.log));
      this.isDirty = true;
    }

    setLog(isLog) {
      this.isLog = isLog;
      this.button.setAttribute("aria-pressed", String(isLog));
      this.isDirty = true;
    }

    // One more value. A step that lies before the last one begins a new episode.
    push(index, step, value, ended) {
      const line = this.series[index];
      const last = line.steps.length ? line.steps[line.steps.length - 1] : -1;
      if (step < last) { line.steps = []; line.values = []; line.ended = null; }
      if (step === last) { line.values[line.values.length - 1] = value; } else { line.steps.push(step); line.values.push(value); }
      line.ended = ended;
      this.isDirty = true;
    }

    fit() {
      const box = this.canvas.getBoundingClientRect(), ratio = Math.min(window.devicePixelRatio || 1, 2);
      this.size = [box.width, box.height];
      this.ratio = ratio;
      this.canvas.width = Math.round(box.width * ratio);
      this.canvas.height = Math.round(box.height * ratio);
      this.isDirty = true;
    }

    // The step under the mouse.
    stepAt(event) {
      const box = this.canvas.getBoundingClientRect(), { right } = this.range();
      return Math.max(0, Math.min(right, ((event.clientX - box.left - LEFT) / (this.size[0] - RIGHT - LEFT)) * right));
    }

    range() {
      let most = 0, least = 0, small = Infinity, last = 0;
      for (const line of this.series) {
        for (const value of line.values) {
          if (value === null) continue;
          most = Math.max(most, value);
          least = Math.min(least, value);
          if (value > 0) small = Math.min(small, value);
        }
        if (line.steps.length) last = Math.max(last, line.steps[line.steps.length - 1]);
      }
      const right = this.length !== null ? Math.max(this.length, 1) : Math.max(100, last * 1.04);
      if (!this.isLog) return { right, low: least * 1.08, high: most > 0 ? most * 1.08 : least < 0 ? 0 : 1 };
      const high = most > 0 ? most * 1.2 : 1;
      return { right, low: Math.max(Math.min(small / 1.2, high / 10), high / 1e5), high };
    }

    draw() {
      if (!this.isDirty || !this.size || this.size[0] < 40) return;
      this.isDirty = false;
      const c = this.context, [width, height] = this.size;
      if (!this.series.some((line) => line.values.length)) { this.drawNothing(c, width, height); return; }
      const { right, low, high } = this.range();
      const left = LEFT, top = 8, bottom = height - 22, edge = width - RIGHT;
      const x = (step) => left + ((edge - left) * step) / right;
      const share = (value) => (this.isLog
        ? Math.log(Math.max(value, low) / low) / Math.log(high / low) : (value - low) / (high - low));
      const y = (value) => bottom - (bottom - top) * share(value);
      c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
      c.clearRect(0, 0, width, height);
      c.font = "11px system-ui, sans-serif";
      c.fillStyle = this.colours.quiet;
      c.strokeStyle = this.colours.line;
      c.lineWidth = 1;
      c.textAlign = "right";
      c.textBaseline = "middle";
      for (const value of this.isLog ? decades(low, high) : ticks(low, high, 4)) {
        c.beginPath(); c.moveTo(left, Math.round(y(value)) + 0.5); c.lineTo(edge, Math.round(y(value)) + 0.5); c.stroke();
        c.fillText(short(value), left - 6, y(value));
      }
      c.textAlign = "center";
      c.textBaseline = "top";
      for (const step of ticks(0, right, width > 500 ? 8 : 5)) {
        if (x(step) < edge - 42) c.fillText(short(step), x(step), bottom + 6);
      }
      c.textAlign = "right";
      c.fillText("step", edge, bottom + 6);
      this.drawUpright(c, this.horizon, x, top, bottom, right, [3, 4]);
      this.drawUpright(c, this.cursor, x, top, bottom, right, []);
      this.series.forEach((line, index) => this.drawLine(c, line, this.colours.agents[index], x, y));
    }

    // Axes without a value would be invented.
    drawNothing(c, width, height) {
      c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
      c.clearRect(0, 0, width, height);
      c.font = "13px system-ui, sans-serif";
      c.fillStyle = this.colours.quiet;
      c.textAlign = "center";
      c.textBaseline = "middle";
      c.fillText("nothing measured yet", width / 2, height / 2);
    }

    drawUpright(c, step, x, top, bottom, right, dash) {
      if (step === null || step > right) return;
      c.strokeStyle = this.colours.quiet;
      c.setLineDash(dash);
      c.beginPath(); c.moveTo(x(step), top); c.lineTo(x(step), bottom); c.stroke();
      c.setLineDash([]);
    }

    drawLine(c, line, colour, x, y) {
      c.strokeStyle = c.fillStyle = colour;
      c.lineWidth = 2;
      c.lineJoin = "round";
      c.beginPath();
      let isDown = false, lastX = -10;
      line.values.forEach((value, i) => {
        const px = x(line.steps[i]);
        // More than two points per pixel are no more to see.
        if (value === null) { isDown = false; return; }
        if (isDown && px - lastX < 0.4 && i < line.values.length - 1) return;
        if (isDown) c.lineTo(px, y(value)); else c.moveTo(px, y(value));
        isDown = true; lastX = px;
      });
      c.stroke();
      const upTo = this.cursor === null ? line.values.length - 1 : line.steps.findLastIndex((step) => step <= this.cursor);
      if (upTo >= 0 && line.values[upTo] !== null) {
        const isEnd = line.ended !== null && upTo === line.values.length - 1;
        c.beginPath();
        c.arc(x(line.steps[upTo]), y(line.values[upTo]), isEnd ? 5 : 3.5, 0, 2 * Math.PI);
        c.fill();
        if (isEnd) { c.lineWidth = 2; c.strokeStyle = this.colours.ink; c.stroke(); }
      }
    }
  }

  const decades = (low, high) => {
    const result = [];
    for (let e = Math.ceil(Math.log10(low)); e <= Math.floor(Math.log10(high)); e++) result.push(10 ** e);
    return result.length > 1 ? result : [low, Math.sqrt(low * high), high];
  };

  const short = (value) => (Math.abs(value) >= 1e5 || (value !== 0 && Math.abs(value) < 1e-3)
    ? value.toExponential(0).replace("e+", "e") : String(Number(value.toPrecision(3))));

  Swarmbed.Chart = Chart;
})();
