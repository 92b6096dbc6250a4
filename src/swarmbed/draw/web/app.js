// The live page: what the server says goes into the picture, what the reader does goes to the server.
(() => {
  "use strict";
  const SPEEDS = [2, 5, 10, 20, 30, 40, 60, 120, 240, 480]; // steps per second
  const $ = (id) => document.getElementById(id);

  class App {
    constructor() {
      this.arenas = []; this.ids = []; this.queue = []; this.tool = "inspect";
      this.scene = this.frame = null; // what is shown, and the last moment of it
      this.waitsFor = null; // what the server is busy with, and since when
      this.stepped = this.painted = 0; // for the display of what happens in a second
      this.chart = new Swarmbed.Chart($("chart"), $("chart-title"), $("log"));
      this.inspector = new Swarmbed.Inspector($("inspector-body"), $("inspector-title"), $("deselect"));
      this.layers = new Swarmbed.Layers($("layers"), () => this.relayer());
      this.disturbances = new Swarmbed.Disturbances({
        panel: $("disturbances"), summary: $("disturbances-summary"), reason: $("disturbances-reason"), list: $("dials"),
        facts: $("disturbances-facts"), off: $("calm"),
      }, (type, fields) => this.send(type, fields));
      new ResizeObserver(() => this.chart.fit()).observe($("chart"));
      Swarmbed.theme.bind($("theme"));
      Swarmbed.theme.onChange(() => this.recolour());
      this.veil("connecting");
      $("versus").replaceChildren(new Option("none"));
      this.connection = new Swarmbed.Connection({
        open: () => this.scene && this.takeUpAgain(),
        lost: () => this.veil("the connection is lost; trying again"),
        hello: (hello) => this.greet(hello),
        busy: (busy) => this.veil(busy.message),
        error: (error) => this.complain(error.message),
        scene: (scene) => this.setScene(scene),
        frame: (frame) => this.queue.push(frame),
      });
      requestAnimationFrame((now) => this.tick(now));
      setInterval(() => this.showRate(), 1000);
      setInterval(() => this.showWaiting(), 250);
    }

    greet(hello) {
      this.fewest = hello.fewest; this.most = hello.most;
      this.disturbances.build(hello.disturbances);
      $("count").min = hello.fewest; $("count").max = hello.most;
      if (!this.scene) fill($("task"), hello.tasks, hello.first.task);
      if (!this.scene && hello.first.who) fill($("who"), [hello.first.who], hello.first.who);
      if (!this.scene && hello.first.agents) this.showCount(hello.first.agents);
      if (!this.scene) $("seed").value = hello.first.seed;
    }

    takeUpAgain() { this.send("setup", this.setup()); this.disturbances.repeat(); }

    send(type, fields) { this.connection.send(type, fields); }

    setup(changes = {}) {
      const { task, who, versus } = this.scene || { task: $("task").value, who: null, versus: null };
      return { task, who, versus, agents: this.frame ? this.frame.count : null, seed: this.frame ? this.frame.seed : 0, ...changes };
    }

    // A new task or a new controller: everything is rebuilt.
    setScene(scene) {
      // The server counts the frames in flight, including those that are never shown.
      for (let i = 0; i < this.queue.length; i++) this.send("drawn");
      const isSame = this.scene && JSON.stringify(this.scene) === JSON.stringify(scene); // its draft is on the screen already
      this.scene = scene; this.queue = []; this.frame = null;
      this.selected = null;
      if (isSame) {
        for (const { stage } of this.arenas) stage.selected = stage.sensed = stage.missed = null;
        this.inspector.clear();
        return;
      }
      $("arenas").replaceChildren();
      document.body.classList.toggle("is-comparing", scene.arenas.length > 1);
      this.arenas = scene.arenas.map((arena, index) => new Swarmbed.Arena($("arenas"), index, scene, arena.name));
      this.ids = scene.arenas.map(() => []);
      this.arenas.forEach((arena, index) => {
        new Swarmbed.Pointer(arena.stage, this.acts(index));
        arena.canvas.addEventListener("keydown", (event) => this.nudge(event, index));
      });
      this.chart.reset(scene.arenas.map((arena) => arena.name), { metric: scene.metric, horizon: scene.horizon });
      this.inspector.clear();
      this.layers.setWorld(scene);
      this.relayer();
      fill($("task"), scene.tasks, scene.task);
      fill($("who"), scene.fitting, scene.who);
      fill($("versus"), ["none", ...scene.fitting.filter((name) => name !== scene.who)], scene.versus || "none");
      for (const id of ["agents", "count"]) $(id).disabled = scene.fixed;
      const trained = scene.arenas[0].trained_with;
      $("facts").textContent = Swarmbed.describeWorld(scene) + (trained ? ` The policy was trained with ${trained} agents.` : "");
      this.begin();
      this.showWaiting();
      this.disturbances.prepare();
    }

    // The large button that waits in the first picture.
    begin() {
      const button = document.createElement("button");
      button.className = "begin"; button.type = "button";
      button.setAttribute("aria-label", "Play");
      button.append($("play").querySelector("svg").cloneNode(true));
      button.addEventListener("click", () => this.send("play"));
      this.beginButton = button;
      this.arenas[0].frame.append(button);
    }

    tick(now) {
      const fresh = this.queue;
      this.queue = [];
      for (const frame of fresh) this.take(frame, now);
      for (const arena of this.arenas) {
        const stage = arena.stage;
        if (fresh.length || stage.isDirty || stage.isMoving(now)) {
          stage.isDirty = false;
          stage.draw(now);
          this.painted += 1 / this.arenas.length;
          arena.mark();
        }
      }
      this.chart.draw();
      for (let i = 0; i < fresh.length; i++) this.send("drawn");
      requestAnimationFrame((next) => this.tick(next));
    }

    take(frame, now) {
      const before = this.frame;
      this.frame = frame;
      if (!frame.draft) this.veil(null);
      // Agents arrive just as the next frame does, even if the simulation cannot keep up with its speed.
      if (frame.playing && before && before.playing) this.interval += 0.2 * (Math.min(now - this.lastFrame, 5000) - this.interval);
      else this.interval = 1000 / frame.speed;
      this.lastFrame = now;
      if (before) this.stepped += Math.max(0, ...frame.arenas.map((moment, i) => moment.step - before.arenas[i].step));
      frame.arenas.forEach((moment, index) => {
        if (moment.ids) this.ids[index] = moment.ids; else moment.ids = this.ids[index];
        const arena = this.arenas[index], stage = arena.stage;
        stage.push(moment, frame.playing ? 1.1 * this.interval : 90);
        arena.tell(moment, moment.value, moment.news);
        if (moment.value !== null) this.chart.push(index, moment.step, moment.value, moment.ended);
        if (moment.look) {
          this.inspector.show(this.scene.arenas[index], moment.look, moment.step, now, markOf(moment, moment.look.agent));
          const own = moment.look.ready ? moment.look.sets.find((set) => set.of_agents) : null;
          stage.sensed = own ? own.members : null;
          stage.missed = moment.look.missed || null;
        }
        if (moment.news && before && before.arenas[index] && before.arenas[index].news !== moment.news) $("status").textContent = moment.news;
      });
      if (this.selected && !this.arenas[this.selected.arena].stage.slots.has(this.selected.agent)) this.select(this.selected.arena, null);
      this.showControls(frame, before);
    }

    showControls(frame, before) {
      document.body.classList.toggle("is-playing", frame.playing);
      $("play").setAttribute("aria-label", frame.playing ? "Pause" : "Play");
      const isNew = frame.arenas.every((moment) => moment.step === 0);
      this.beginButton.hidden = frame.playing || !isNew || frame.draft;
      if (!before || before.count !== frame.count || !frame.waiting) this.showCount(frame.count);
      if (!before || before.seed !== frame.seed) $("seed").value = frame.seed;
      $("loop").checked = frame.loop;
      const nearest = SPEEDS.reduce((best, speed, i) => (Math.abs(speed - frame.speed) < Math.abs(SPEEDS[best] - frame.speed) ? i : best), 0);
      $("speed").value = nearest;
      const times = this.scene.seconds ? `${Number((frame.speed * this.scene.seconds).toFixed(1))}×` : `${frame.speed}/s`;
      $("speed-text").textContent = times;
      $("speed").setAttribute("aria-valuetext", this.scene.seconds ? `${times} real time` : `${frame.speed} steps per second`);
      this.disturbances.show(frame.disturbances, frame.count, frame.arenas);
      this.wait(frame.waiting ? "compiling for this many agents …" : frame.disturbances.waiting ? "compiling the disturbances …" : "");
    }

    showCount(count) {
      // Not while the user is editing it.
      if (!this.isSliding) $("agents").value = this.onSlider(count);
      if (document.activeElement !== $("count")) $("count").value = count;
      $("agents").setAttribute("aria-valuetext", `${count} agents`);
    }

    // The slider is logarithmic: from few to many by factors, at places of two digits.
    onSlider(count) { return (1000 * Math.log(count / this.fewest)) / Math.log(this.most / this.fewest); }
    fromSlider(place) {
      const count = this.fewest * (this.most / this.fewest) ** (place / 1000);
      return count < 100 ? Math.round(count) : Number(count.toPrecision(2));
    }

    wait(text) {
      for (const { stage } of this.arenas) stage.notice = text;
    }

    acts(index) {
      return {
        touch: () => this.beginButton.remove(),
        tool: () => this.tool,
        select: (agent) => this.select(index, agent),
        add: (x, y) => this.send("add", { x, y }),
        remove: (agent) => this.send("remove", { agent }),
        removeInside: ([x, y], [toX, toY]) => this.send("removeinside", { arena: index, x, y, to_x: toX, to_y: toY }),
        hold: (what, number, x, y) => this.hold(index, what, number, x, y),
        release: () => { this.holding = null; this.send("release"); },
      };
    }

    // At most one message per picture, the newest.
    hold(arena, what, number, x, y) {
      const isWaiting = Boolean(this.holding);
      this.holding = { arena, what, number, x, y };
      if (!isWaiting) {
        requestAnimationFrame(() => { if (this.holding) this.send("hold", this.holding); this.holding = null; });
      }
    }

    select(arena, agent) {
      this.selected = agent === null ? null : { arena, agent };
      this.arenas.forEach(({ stage }, index) => {
        stage.selected = this.selected && index === arena ? agent : null;
        stage.sensed = stage.missed = null;
        stage.isDirty = true;
      });
      if (agent === null) this.inspector.clear();
      this.send("select", agent === null ? {} : { arena, agent });
    }

    // The neighbour in the list of agents, for users without a mouse.
    cycle(by) {
      const arena = this.selected ? this.selected.arena : 0, ids = this.ids[arena];
      if (!ids || !ids.length) return;
      const at = this.selected ? ids.indexOf(this.selected.agent) : by > 0 ? -1 : 0;
      this.select(arena, ids[(at + by + ids.length) % ids.length]);
    }

    // Shift and an arrow move the first evader.
    nudge(event, index) {
      const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
      const moment = this.frame && this.frame.arenas[index];
      if (!way || !event.shiftKey || !moment || !moment.evader_x) return;
      event.preventDefault();
      event.stopPropagation();
      const far = 2 * this.arenas[index].stage.unit;
      this.send("hold", { arena: index, what: "evader", number: 0, x: moment.evader_x[0] + way[0] * far, y: moment.evader_y[0] + way[1] * far });
      this.send("release");
    }

    setTool(tool) {
      this.tool = tool;
      for (const button of document.querySelectorAll("[data-tool]")) button.setAttribute("aria-pressed", String(button.dataset.tool === tool));
    }

    relayer() {
      for (const { stage } of this.arenas) { stage.layers = this.layers.on; stage.isDirty = true; }
    }

    recolour() {
      for (const { stage } of this.arenas) { stage.recolour(); stage.isDirty = true; }
      this.chart.recolour();
    }

    changeSpeed(by) { this.send("speed", { steps_per_second: SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, Number($("speed").value) + by))] }); }
    changeCount(count) {
      if (Number.isFinite(count) && this.most) this.send("agents", { count: Math.round(Math.max(this.fewest, Math.min(this.most, count))) });
    }
    restart(seed) { this.send("restart", { seed: Math.round(Math.max(0, Math.min(2 ** 31 - 1, Number(seed) || 0))) }); }

    // What the page waits for, with the seconds that it has taken so far; null when it waits for nothing.
    veil(text, isFailure = false) {
      this.waitsFor = text === null ? null : { text, since: performance.now(), isFailure };
      if (text !== null) $("status").textContent = text;
      this.showWaiting();
    }

    showWaiting() {
      $("veil").hidden = this.waitsFor === null;
      if (!this.waitsFor) return;
      const { text, since, isFailure } = this.waitsFor, seconds = Math.floor((performance.now() - since) / 1000);
      // Where there is a swarm to see, what is said about it keeps to the side.
      $("veil").classList.toggle("is-beside", this.arenas.length > 0 && !isFailure);
      $("veil").classList.toggle("has-failed", isFailure);
      $("veil-text").textContent = isFailure ? text : `${text} …${seconds > 1 ? ` ${seconds} s` : ""}`;
    }

    complain(message) {
      $("toast").textContent = message;
      $("toast").hidden = false;
      clearTimeout(this.toastTimer);
      this.toastTimer = setTimeout(() => { $("toast").hidden = true; }, 6000);
      if (this.waitsFor && !(this.frame && !this.frame.draft)) this.veil(message, true);
      if (this.frame) {
        this.disturbances.revert(this.frame.disturbances.values);
        this.disturbances.show(this.frame.disturbances, this.frame.count, this.frame.arenas);
      }
      if (this.scene) {
        // Whatever was chosen did not come to pass.
        $("task").value = this.scene.task; $("who").value = this.scene.who; $("versus").value = this.scene.versus || "none";
        for (const id of ["task", "who", "versus"]) $(id).title = $(id).value;
        if (this.frame && !this.frame.draft) { this.veil(null); this.isSliding = false; this.showCount(this.frame.count); }
      }
    }

    showRate() {
      const isPlaying = this.frame && this.frame.playing;
      $("rate").textContent = isPlaying ? `${Math.round(this.painted)} frames/s\n${this.stepped} steps/s` : "";
      this.stepped = this.painted = 0;
    }
  }

  const markOf = ({ ids, marks }, agent) => (marks ? marks[ids.indexOf(agent)] : 0);

  const fill = (select, names, chosen) => {
    select.replaceChildren(...names.map((name) => new Option(name, name, false, name === chosen)));
    select.title = chosen; // there is not always room for the whole name
  };

  Swarmbed.App = App;
})();
