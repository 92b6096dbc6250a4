// A recorded episode, played from the numbers in this very file.
(() => {
  "use strict";
  const SPEEDS = [2, 5, 10, 15, 25, 40, 60, 120, 240]; // steps per second
  const $ = (id) => document.getElementById(id);

  // Series of whole numbers of two bytes, each `length` long: inflated, put together from low and high bytes, from zigzag
  // to signs, and added up twice.
  async function unsqueeze(text, length) {
    const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    const planes = new Uint8Array(await new Response(stream).arrayBuffer()), count = planes.length / 2;
    const numbers = new Uint16Array(count);
    for (let i = 0; i < count; i++) { const zigzag = planes[i] | (planes[count + i] << 8); numbers[i] = (zigzag >> 1) ^ -(zigzag & 1); }
    for (let start = 0; start < count; start += length) {
      let change = 0, level = 0;
      for (let i = start; i < start + length; i++) { change += numbers[i]; level += change; numbers[i] = level; }
    }
    return numbers;
  }

  // Single bits, eight to a byte, the lowest first.
  function bits(text) {
    const bytes = atob(text);
    return (k) => Boolean((bytes.charCodeAt(k >> 3) >> (k & 7)) & 1);
  }

  class Replay {
    constructor(episode, agents, evaders) {
      this.episode = episode;
      this.agents = agents; // x of all agents over time, then y, then heading
      this.evaders = evaders;
      this.everybody = Int32Array.from(episode.ids);
      this.isThere = episode.present ? bits(episode.present) : () => true;
      this.last = episode.steps.length - 1;
      this.at = 0; this.isPlaying = false; this.due = 0; this.before = 0;
      this.arena = new Swarmbed.Arena($("arenas"), 0, episode, episode.name);
      this.stage = this.arena.stage;
      this.stage.trailLength = episode.trail;
      new Swarmbed.Pointer(this.stage);
      this.layers = new Swarmbed.Layers($("layers"), (on) => { this.stage.layers = on; this.stage.isDirty = true; });
      this.layers.setWorld(episode);
      for (const name of Object.keys(episode.layers)) this.layers.set(name, episode.layers[name]);
      this.chart = new Swarmbed.Chart($("chart"), $("chart-title"), $("log"));
      this.setChart();
      $("scrub").max = this.last;
      $("speed").value = SPEEDS.reduce((best, speed, i) => (Math.abs(speed - episode.speed) < Math.abs(SPEEDS[best] - episode.speed) ? i : best), 0);
      this.bind();
      this.seek(0);
      requestAnimationFrame((now) => this.tick(now));
    }

    setChart() {
      const { values, steps, ended, metric } = this.episode;
      $("chart-card").hidden = !values;
      $("facts").textContent = Swarmbed.describeWorld(this.episode);
      if (!values) return;
      this.chart.reset([this.episode.name], { metric, length: steps[this.last] });
      values.forEach((value, i) => this.chart.push(0, steps[i], value, i === this.last ? ended : null));
      this.chart.cursor = 0;
      new ResizeObserver(() => this.chart.fit()).observe($("chart"));
    }

    // The state at one of the recorded times: the agents present then.
    moment(index) {
      const { ids: all, evader_count: evaders, low, high, steps } = this.episode, count = all.length;
      const scale = [0, 1].map((axis) => (high[axis] - low[axis]) / 65535), times = steps.length, there = [];
      for (let i = 0; i < count; i++) if (this.isThere(count * index + i)) there.push(i);
      const column = (numbers, many, axis, i) => numbers[(axis * many + i) * times + index];
      const moment = {
        ids: there.length === count ? this.everybody : Int32Array.from(there, (i) => all[i]),
        x: Float32Array.from(there, (i) => low[0] + column(this.agents, count, 0, i) * scale[0]),
        y: Float32Array.from(there, (i) => low[1] + column(this.agents, count, 1, i) * scale[1]),
        heading: Float32Array.from(there, (i) => (column(this.agents, count, 2, i) * 2 * Math.PI) / 65536),
        step: steps[index],
      };
      if (this.evaders) {
        const all = Array.from({ length: evaders }, (_, i) => i);
        moment.evader_x = all.map((i) => low[0] + column(this.evaders, evaders, 0, i) * scale[0]);
        moment.evader_y = all.map((i) => low[1] + column(this.evaders, evaders, 1, i) * scale[1]);
      }
      return moment;
    }

    // Jump to a time, with the traces that lead there.
    seek(index) {
      this.at = Math.max(0, Math.min(this.last, Math.round(index)));
      const moments = [];
      for (let k = Math.max(0, this.at - this.stage.trailLength); k <= this.at; k++) moments.push(this.moment(k));
      this.stage.seek(moments);
      this.show();
    }

    forward(milliseconds) {
      this.at += 1;
      this.stage.push(this.moment(this.at), milliseconds);
      this.show();
    }

    show() {
      const { values, news, steps } = this.episode, value = values ? values[this.at] : null;
      const last = news.findLast(([step]) => step <= steps[this.at]);
      this.arena.tell(this.stage.moment, value, last ? last[1] : null);
      $("scrub").value = this.at;
      $("scrub-text").textContent = this.episode.steps[this.at];
      this.chart.cursor = this.episode.steps[this.at];
      this.chart.isDirty = this.stage.isDirty = true;
    }

    play(isPlaying) {
      if (isPlaying && this.at === this.last) this.seek(0);
      this.isPlaying = isPlaying;
      this.before = performance.now();
      this.due = 0;
      document.body.classList.toggle("is-playing", isPlaying);
      $("play").setAttribute("aria-label", isPlaying ? "Pause" : "Play");
    }

    tick(now) {
      if (this.isPlaying) {
        const speed = SPEEDS[$("speed").value] / this.episode.every;
        // Time that was lost, in a hidden tab for example, is not made up for.
        this.due += (Math.min(now - this.before, 250) * speed) / 1000;
        while (this.due >= 1 && this.at < this.last) { this.forward(1000 / speed); this.due -= 1; }
        if (this.at === this.last) { if ($("loop").checked && this.due > speed) this.seek(0); else if (!$("loop").checked) this.play(false); }
      }
      this.before = now;
      if (this.stage.isDirty || this.stage.isMoving(now)) { this.stage.isDirty = false; this.stage.draw(now); this.arena.mark(); }
      this.chart.draw();
      requestAnimationFrame((next) => this.tick(next));
    }

    bind() {
      const showSpeed = () => {
        const speed = SPEEDS[$("speed").value], times = this.episode.seconds ? `${Number((speed * this.episode.seconds).toFixed(1))}×` : `${speed}/s`;
        $("speed-text").textContent = times;
        $("speed").setAttribute("aria-valuetext", times);
      };
      showSpeed();
      $("speed").addEventListener("input", showSpeed);
      $("play").addEventListener("click", () => this.play(!this.isPlaying));
      $("step").addEventListener("click", () => { this.play(false); this.seek(this.at + 1); });
      $("back").addEventListener("click", () => { this.play(false); this.seek(this.at - 1); });
      $("scrub").addEventListener("input", () => { this.play(false); this.seek(Number($("scrub").value)); });
      const point = (event) => {
        if (event.buttons !== 1) return;
        const step = this.chart.stepAt(event), index = this.episode.steps.findIndex((value) => value >= step);
        this.seek(index < 0 ? this.last : index);
      };
      $("chart").addEventListener("pointerdown", point);
      $("chart").addEventListener("pointermove", point);
      Swarmbed.theme.bind($("theme"));
      Swarmbed.theme.onChange(() => { this.stage.recolour(); this.chart.recolour(); this.stage.isDirty = true; });
      document.addEventListener("keydown", (event) => this.key(event));
    }

    key(event) {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input:not([type=checkbox])")) return;
      if (event.key === " " && event.target.matches("button, input")) return;
      const keys = {
        " ": () => this.play(!this.isPlaying), arrowright: () => $("step").click(), arrowleft: () => $("back").click(),
        z: () => this.stage.camera.approach(event.shiftKey ? 1 / 1.6 : 1.6), 0: () => this.stage.camera.reset(),
        home: () => this.seek(0), end: () => this.seek(this.last), r: () => this.seek(0), l: () => $("log").click(), d: () => Swarmbed.theme.toggle(),
      };
      const key = event.key.toLowerCase();
      if (keys[key]) keys[key](); else if (!this.layers.key(key)) return;
      event.preventDefault();
    }
  }

  async function start() {
    const episode = JSON.parse($("episode").textContent), times = episode.steps.length;
    // Inside another page, episode.html?film shows the swarm alone and plays by itself, unless its reader wants things to
    // stand still.
    const isFilm = location.search === "?film";
    if (isFilm) document.body.classList.add("is-film");
    if (!window.DecompressionStream) { $("arenas").textContent = "This page needs a browser of 2023 or later."; return; }
    const evaders = episode.evaders ? await unsqueeze(episode.evaders, times) : null;
    Swarmbed.replay = new Replay(episode, await unsqueeze(episode.agents, times), evaders);
    if (!isFilm) return;
    $("loop").checked = true;
    Swarmbed.replay.play(!window.matchMedia("(prefers-reduced-motion: reduce)").matches);
  }

  start();
})();
