// One swarm on one canvas. It is given moments (positions at a time) and draws what lies between them.
(() => {
  "use strict";
  const { nearest } = Swarmbed.geometry;
  const CORNERS = 5000; // of all traces together

  class Stage {
    constructor(canvas, which) {
      this.canvas = canvas;
      this.context = canvas.getContext("2d");
      this.which = which; // 0 or 1: the colour of its agents
      this.layers = { edges: false, cells: false, traces: true, radius: false };
      this.trailLength = 60;
      this.selected = null; // number of an agent
      this.sensed = null; // numbers of the agents that the selected one senses
      this.hovered = null;
      this.world = null;
      this.moment = null;
      this.note = this.notice = ""; // what the picture does not show, and what somebody else wants to say
      this.recolour();
    }

    recolour() { this.colours = Swarmbed.theme.colours(); }

    setWorld(world) {
      this.world = world;
      this.period = world.torus ? [world.high[0] - world.low[0], world.high[1] - world.low[1]] : [0, 0];
      this.moment = null;
      this.selected = this.sensed = this.hovered = null;
      this.trails = new Map();
      this.fit();
    }

    // The largest picture of the world that fits into the parent.
    fit() {
      if (!this.world) return;
      const box = this.canvas.parentElement.getBoundingClientRect();
      const [width, height] = [0, 1].map((axis) => this.world.high[axis] - this.world.low[axis]);
      // On a phone the page scrolls, so only the width is given.
      const isTall = window.matchMedia("(max-width: 860px)").matches;
      const available = [Math.max(box.width, 50), isTall ? Infinity : Math.max(box.height, 50)];
      const scale = Math.min(available[0] / width, available[1] / height);
      const ratio = Math.min(window.devicePixelRatio || 1, 2);
      this.size = [Math.floor(width * scale), Math.floor(height * scale)];
      this.canvas.style.width = `${this.size[0]}px`;
      this.canvas.style.height = `${this.size[1]}px`;
      this.canvas.parentElement.parentElement.style.setProperty("--picture", `${this.size[0]}px`);
      this.canvas.width = Math.round(this.size[0] * ratio);
      this.canvas.height = Math.round(this.size[1] * ratio);
      this.ratio = ratio;
      this.scale = this.size[0] / width;
      this.unit = Math.sqrt(width * height) / 100; // one percent of a square of the same area
    }

    px(x) { return (x - this.world.low[0]) * this.scale; }
    py(y) { return this.size[1] - (y - this.world.low[1]) * this.scale; }

    // Where in the world an event happened.
    place(event) {
      const box = this.canvas.getBoundingClientRect();
      return [
        this.world.low[0] + (event.clientX - box.left) / this.scale,
        this.world.low[1] + (box.bottom - event.clientY) / this.scale,
      ];
    }

    // A new moment: {ids, x, y, heading, evader_x, evader_y, step}. It is reached after `milliseconds`.
    push(moment, milliseconds) {
      const before = this.moment, now = performance.now();
      const isContinued = before && moment.step >= before.step && moment.step - before.step <= 50;
      this.from = isContinued ? this.shown(now) : null;
      this.moment = moment;
      this.slots = new Map(moment.ids.map((id, index) => [id, index]));
      this.began = now;
      this.lasts = isContinued ? milliseconds : 0;
      if (!isContinued) this.trails.clear();
      if (!isContinued || moment.step !== before.step) this.remember(moment);
      if (this.selected !== null && !this.slots.has(this.selected)) this.selected = this.sensed = null;
    }

    // Show the last of these moments at once, with the others as its past.
    seek(moments) {
      this.trails.clear();
      this.from = null;
      this.lasts = 0;
      this.moment = moments[moments.length - 1];
      this.slots = new Map(this.moment.ids.map((id, index) => [id, index]));
      for (const moment of moments) this.remember(moment);
    }

    remember(moment) {
      // The traces of a crowd have fewer corners each, so that they take no longer to draw.
      const stride = Math.ceil((moment.ids.length * this.trailLength) / CORNERS);
      const keep = (id, x, y) => {
        let trail = this.trails.get(id);
        if (!trail) this.trails.set(id, (trail = []));
        const end = trail.length;
        // The last corner moves along until it is far enough from the one before.
        if (end >= 6 && moment.step - trail[end - 4] < stride) trail.length = end - 3;
        trail.push(x, y, moment.step);
        if (trail.length > 3 * (this.trailLength + 12)) trail.splice(0, 36);
      };
      moment.ids.forEach((id, i) => keep(id, moment.x[i], moment.y[i]));
      (moment.evader_x || []).forEach((x, i) => keep(`evader ${i}`, x, moment.evader_y[i]));
      // Whoever goes takes its trace along.
      const there = new Set(moment.ids);
      for (const id of this.trails.keys()) {
        if (typeof id === "number" && !there.has(id)) this.trails.delete(id);
      }
    }

    // Positions as they are on the screen at a time: between where everybody was shown last and the newest moment.
    shown(now) {
      const to = this.moment, from = this.from;
      const share = this.lasts > 0 ? Math.min((now - this.began) / this.lasts, 1) : 1;
      if (!from || share >= 1) return { ...to, slots: this.slots };
      const step = (this.world.longest_step || Infinity) * 4;
      const between = (a, b, axis) => {
        const way = nearest(b - a, this.period[axis]);
        if (Math.abs(way) > step) return b; // it was put there, it did not go there
        const value = a + share * way, period = this.period[axis], low = this.world.low[axis];
        return period ? low + ((((value - low) % period) + period) % period) : value;
      };
      const x = new Array(to.ids.length), y = new Array(to.ids.length), heading = new Array(to.ids.length);
      for (let i = 0; i < to.ids.length; i++) {
        const j = from.slots.get(to.ids[i]);
        x[i] = j === undefined ? to.x[i] : between(from.x[j], to.x[i], 0);
        y[i] = j === undefined ? to.y[i] : between(from.y[j], to.y[i], 1);
        heading[i] = j === undefined
          ? to.heading[i] : from.heading[j] + share * nearest(to.heading[i] - from.heading[j], 2 * Math.PI);
      }
      const shown = { ...to, x, y, heading, slots: this.slots };
      if (to.evader_x && from.evader_x && from.evader_x.length === to.evader_x.length) {
        shown.evader_x = to.evader_x.map((value, i) => between(from.evader_x[i], value, 0));
        shown.evader_y = to.evader_y.map((value, i) => between(from.evader_y[i], value, 1));
      }
      return shown;
    }

    isMoving(now) { return this.moment !== null && this.lasts > 0 && now - this.began < this.lasts + 50; }

    draw(now) {
      if (!this.world) return;
      const c = this.context;
      c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
      c.clearRect(0, 0, ...this.size);
      const paint = Swarmbed.paint;
      paint.grid(this, c);
      if (!this.moment) return;
      const shown = this.shown(now);
      const crowd = shown.ids.length;
      this.mark = 2.3 * this.unit * this.scale * Math.min(1.15, Math.max(0.5, (30 / crowd) ** 0.25));
      this.mark = Math.max(this.mark, 4.5);
      this.note = this.notice || "";
      if (this.layers.cells) paint.voronoi(this, c, shown);
      if (this.layers.radius) paint.radii(this, c, shown);
      if (this.layers.edges) paint.edges(this, c, shown);
      if (this.layers.traces) paint.traces(this, c);
      paint.selection(this, c, shown);
      paint.agents(this, c, shown);
      paint.evaders(this, c, shown);
    }

    isCaught(shown, x, y) {
      const limit = this.world.capture_radius;
      if (limit === null) return false;
      return shown.x.some((value, i) =>
        Math.hypot(nearest(value - x, this.period[0]), nearest(shown.y[i] - y, this.period[1])) <= limit);
    }

    // What lies under a place: {what: "evader" | "agent", number}, or null. Fingers are less precise than mice.
    pick([x, y], isTouch) {
      if (!this.moment) return null;
      const shown = this.shown(performance.now());
      const reach = (isTouch ? 22 : Math.max(12, this.mark)) / this.scale;
      let best = null, closest = reach;
      const consider = (what, number, px, py, bonus) => {
        const distance = Math.hypot(nearest(px - x, this.period[0]), nearest(py - y, this.period[1])) - bonus;
        if (distance < closest) { closest = distance; best = { what, number }; }
      };
      shown.ids.forEach((id, i) => consider("agent", id, shown.x[i], shown.y[i], 0));
      (shown.evader_x || []).forEach((px, i) => consider("evader", i, px, shown.evader_y[i], reach / 2));
      return best;
    }
  }

  Swarmbed.Stage = Stage;
})();
