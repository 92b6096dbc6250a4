// One swarm on one canvas. It is given moments (positions at a time) and draws what lies between them.
(() => {
  "use strict";
  const { nearest } = Swarmbed.geometry;
  const CROWD = 300; // agents from which on pixels are faster than paths
  const CORNERS = { few: 5000, crowd: 12000 }; // of all traces together

  class Stage {
    constructor(canvas, which) {
      this.canvas = canvas;
      this.context = canvas.getContext("2d");
      this.which = which; // 0 or 1: the colour of its agents
      this.layers = { edges: false, cells: false, traces: true, radius: false };
      this.trailLength = 60;
      this.selected = null; // number of an agent
      this.sensed = this.missed = null; // numbers of the agents that the selected one senses, and what it misses of others
      this.hovered = null;
      this.box = null; // two corners of a rectangle that is being drawn
      this.world = null;
      this.moment = null;
      this.note = this.notice = ""; // what the picture does not show, and notices from elsewhere
      this.raster = new Swarmbed.Raster();
      this.camera = new Swarmbed.Camera(this);
      this.onFrameChange = () => {};
      this.recolour();
    }

    recolour() { this.colours = Swarmbed.theme.colours(); }

    setWorld(world) {
      this.world = world;
      this.period = world.torus ? [world.high[0] - world.low[0], world.high[1] - world.low[1]] : [0, 0];
      this.moment = null;
      this.selected = this.sensed = this.missed = this.hovered = null;
      this.trails = new Map();
      this.fit();
    }

    // The largest picture of the world that fits into the parent.
    fit() {
      if (!this.world) return;
      const box = this.canvas.parentElement.getBoundingClientRect();
      const [width, height] = [0, 1].map((axis) => this.world.high[axis] - this.world.low[axis]);
      // On a phone the page scrolls, and a picture may take what leaves its caption and the buttons on the first screen.
      const isTall = window.matchMedia("(max-width: 860px)").matches;
      const share = document.body.classList.contains("is-comparing") ? 0.36 : 0.58;
      const available = [Math.max(box.width, 50), isTall ? Math.max(share * window.innerHeight, 200) : Math.max(box.height, 50)];
      const scale = Math.min(available[0] / width, available[1] / height);
      const ratio = Math.min(window.devicePixelRatio || 1, 2), before = this.size;
      this.size = [Math.floor(width * scale), Math.floor(height * scale)];
      this.canvas.style.width = `${this.size[0]}px`;
      this.canvas.style.height = `${this.size[1]}px`;
      this.canvas.parentElement.parentElement.style.setProperty("--picture", `${this.size[0]}px`);
      this.canvas.width = Math.round(this.size[0] * ratio);
      this.canvas.height = Math.round(this.size[1] * ratio);
      this.ratio = ratio;
      this.fitted = this.size[0] / width;
      this.unit = Math.sqrt(width * height) / 100; // one percent of a square of the same area
      const grown = before ? this.size[0] / before[0] : 1;
      this.camera.panTo(this.camera.left * grown, this.camera.top * grown);
    }

    // The camera has moved.
    frameChanged() {
      this.scale = this.fitted * this.camera.zoom;
      this.canvas.style.touchAction = this.camera.isClose ? "none" : "";
      this.isDirty = true;
      this.onFrameChange();
    }

    px(x) { return (x - this.world.low[0]) * this.scale - this.camera.left; }
    py(y) { return this.size[1] * this.camera.zoom - (y - this.world.low[1]) * this.scale - this.camera.top; }

    // Where on the picture, and where in the world, an event happened.
    onPicture(event) {
      const box = this.canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    }
    place(event) {
      const [x, y] = this.onPicture(event), { left, top, zoom } = this.camera;
      return [this.world.low[0] + (x + left) / this.scale, this.world.low[1] + (this.size[1] * zoom - y - top) / this.scale];
    }

    // A new moment: {ids, x, y, heading, evader_x, evader_y, step}. It is reached after `milliseconds`.
    push(moment, milliseconds) {
      const before = this.moment, now = performance.now();
      const isContinued = before && moment.step >= before.step && moment.step - before.step <= 50;
      this.from = isContinued ? copied(this.shown(now)) : null;
      this.takeUp(moment);
      if (this.from) this.findBack();
      this.began = now;
      this.lasts = isContinued ? milliseconds : 0;
      if (!isContinued) this.trails.clear();
      if (!isContinued || moment.step !== before.step) this.remember(moment);
      if (this.selected !== null && !this.slots.has(this.selected)) this.selected = this.sensed = this.missed = null;
    }

    takeUp(moment) {
      if (!this.moment || this.moment.ids !== moment.ids || !this.slots) {
        this.slots = new Map();
        for (let i = 0; i < moment.ids.length; i++) this.slots.set(moment.ids[i], i);
        // The trace of an agent that leaves goes with it.
        for (const id of this.trails.keys()) if (typeof id === "number" && !this.slots.has(id)) this.trails.delete(id);
      }
      this.moment = moment;
    }

    // Where each agent was before, if it was present: null means in the same order.
    findBack() {
      const { ids } = this.moment;
      this.back = this.from.ids === ids ? null : Int32Array.from(ids, (id) => this.from.slots.get(id) ?? -1);
    }

    // Show the last of these moments at once, with the others as its past.
    seek(moments) {
      this.trails.clear();
      this.from = null;
      this.lasts = 0;
      for (const moment of moments) { this.takeUp(moment); this.remember(moment); }
    }

    remember(moment) {
      const most = this.isCrowd ? CORNERS.crowd : CORNERS.few;
      // The traces of many have fewer corners each, so that they take no longer to draw.
      const stride = Math.ceil((moment.ids.length * this.trailLength) / most);
      const keep = (id, x, y) => {
        let trail = this.trails.get(id);
        if (!trail) this.trails.set(id, (trail = []));
        const end = trail.length;
        // The last corner moves along until it is far enough from the one before.
        if (end >= 6 && moment.step - trail[end - 4] < stride) trail.length = end - 3;
        trail.push(x, y, moment.step);
        if (trail.length > 3 * (this.trailLength + 12)) trail.splice(0, 36);
      };
      for (let i = 0; i < moment.ids.length; i++) keep(moment.ids[i], moment.x[i], moment.y[i]);
      const evaders = moment.evader_x || [];
      for (let i = 0; i < evaders.length; i++) keep(`evader ${i}`, evaders[i], moment.evader_y[i]);
    }

    // Positions on the screen at a time: between where the agents were last shown and the newest moment.
    // The arrays are used again for the next picture.
    shown(now) {
      const to = this.moment, from = this.from, count = to.ids.length;
      const share = this.lasts > 0 ? Math.min((now - this.began) / this.lasts, 1) : 1;
      if (!from || share >= 1) return { ...to, slots: this.slots };
      const step = (this.world.longest_step || Infinity) * 4;
      const between = (a, b, axis) => {
        const way = nearest(b - a, this.period[axis]);
        if (Math.abs(way) > step) return b; // it was put there, it did not go there
        const value = a + share * way, period = this.period[axis], low = this.world.low[axis];
        return period ? low + ((((value - low) % period) + period) % period) : value;
      };
      if (!this.room || this.room.x.length !== count) {
        this.room = { x: new Float32Array(count), y: new Float32Array(count), heading: new Float32Array(count) };
      }
      const { x, y, heading } = this.room, back = this.back;
      for (let i = 0; i < count; i++) {
        const j = back ? back[i] : i;
        x[i] = j < 0 ? to.x[i] : between(from.x[j], to.x[i], 0);
        y[i] = j < 0 ? to.y[i] : between(from.y[j], to.y[i], 1);
        heading[i] = j < 0 ? to.heading[i] : from.heading[j] + share * nearest(to.heading[i] - from.heading[j], 2 * Math.PI);
      }
      const shown = { ...to, x, y, heading, slots: this.slots };
      if (to.evader_x && from.evader_x && from.evader_x.length === to.evader_x.length) {
        shown.evader_x = to.evader_x.map((value, i) => between(from.evader_x[i], value, 0));
        shown.evader_y = to.evader_y.map((value, i) => between(from.evader_y[i], value, 1));
      }
      return shown;
    }

    isMoving(now) { return this.moment !== null && this.lasts > 0 && now - this.began < this.lasts + 50; }

    get isCrowd() { return this.moment !== null && this.moment.ids.length > CROWD; }

    // The larger the crowd, the smaller its marks; from nearby they grow up to the size that few would have.
    markSize(count) {
      const usual = 2.3 * this.unit * this.fitted, small = usual * Math.min(1.15, (30 / count) ** (count > CROWD ? 0.3 : 0.25));
      return Math.min(Math.max(small, count > CROWD ? 2.5 : 4.5) * this.camera.zoom, Math.max(usual * 1.15, 4.5));
    }

    // Lines to be drawn with the next layer: moveTo, lineTo, closePath, and stroke at the end.
    lines(colour, alpha, width = 1) {
      return this.isCrowd ? new Swarmbed.RasterLines(this.raster, colour, alpha) : new Swarmbed.PathLines(this.context, colour, alpha, width);
    }

    draw(now) {
      if (!this.world) return;
      const c = this.context, paint = Swarmbed.paint;
      c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
      c.clearRect(0, 0, ...this.size);
      paint.grid(this, c);
      if (!this.moment) return;
      const shown = this.shown(now);
      this.mark = this.markSize(shown.ids.length);
      this.note = this.notice || "";
      if (this.isCrowd) this.raster.begin(this.canvas.width, this.canvas.height, this.ratio);
      if (this.layers.cells) paint.voronoi(this, c, shown);
      if (this.layers.radius) paint.radii(this, c, shown);
      if (this.layers.edges) paint.edges(this, c, shown);
      if (this.layers.traces) paint.traces(this);
      if (!this.isCrowd) paint.selection(this, c, shown);
      paint.agents(this, c, shown);
      if (this.isCrowd) paint.selection(this, c, shown);
      paint.evaders(this, c, shown);
      if (this.box) paint.box(this, c);
    }

    isCaught(shown, x, y) {
      const limit = this.world.capture_radius;
      if (limit === null) return false;
      return shown.x.some((value, i) =>
        Math.hypot(nearest(value - x, this.period[0]), nearest(shown.y[i] - y, this.period[1])) <= limit);
    }

    // Where the agent that is looked at is on the picture, if there is one.
    whereSelected() {
      const index = this.moment && this.selected !== null ? this.slots.get(this.selected) : undefined;
      return index === undefined ? null : [this.px(this.moment.x[index]), this.py(this.moment.y[index])];
    }

    // What lies under a place: {what: "evader" | "agent", number}, or null. Fingers are less precise than mice.
    pick([x, y], isTouch) {
      if (!this.moment) return null;
      const shown = this.shown(performance.now()), count = shown.ids.length, [width, height] = this.size;
      // In a crowd there must be room between the agents to drag the picture.
      const room = Math.max(0.4 * this.camera.zoom * Math.sqrt((width * height) / count), 4);
      const reach = Math.min(isTouch ? 22 : Math.max(12, this.mark || 0), room) / this.scale;
      let best = null, closest = reach;
      const consider = (what, number, px, py, bonus) => {
        const distance = Math.hypot(nearest(px - x, this.period[0]), nearest(py - y, this.period[1])) - bonus;
        if (distance < closest) { closest = distance; best = { what, number }; }
      };
      for (let i = 0; i < count; i++) consider("agent", shown.ids[i], shown.x[i], shown.y[i], 0);
      const evaders = shown.evader_x || [];
      for (let i = 0; i < evaders.length; i++) consider("evader", i, evaders[i], shown.evader_y[i], reach / 2);
      return best;
    }
  }

  // What is shown, in arrays of its own.
  const copied = (shown) => ({ ...shown, x: shown.x.slice(), y: shown.y.slice(), heading: shown.heading.slice() });

  Swarmbed.Stage = Stage;
})();
