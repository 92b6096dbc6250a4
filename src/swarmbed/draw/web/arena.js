// A stage with its caption: who acts, the clock, and the number that tells how it goes.
(() => {
  "use strict";
  const element = (tag, className) => Object.assign(document.createElement(tag), { className });

  class Arena {
    constructor(parent, index, world, name) {
      this.world = world; this.name = name;
      this.figure = element("figure", "arena");
      const caption = element("figcaption", "");
      this.title = element("span", "name");
      this.title.textContent = name;
      this.clock = element("span", "quiet number");
      this.value = element("span", "value");
      caption.append(this.title, this.clock, this.value);
      this.frame = element("div", `frame${world.torus ? " is-torus" : ""}`);
      this.canvas = document.createElement("canvas");
      this.canvas.tabIndex = 0;
      this.canvas.setAttribute("role", "img");
      this.corner = element("span", "corner");
      this.badge = element("span", "badge");
      this.badge.hidden = this.corner.hidden = true;
      this.zoom = this.zoomButtons();
      this.frame.append(this.canvas, this.corner, this.badge, this.zoom);
      this.figure.append(caption, this.frame);
      parent.append(this.figure);
      this.stage = new Swarmbed.Stage(this.canvas, index);
      this.stage.setWorld(world);
      this.stage.onFrameChange = () => { this.zoom.classList.toggle("is-close", this.stage.camera.isClose); };
      new ResizeObserver(() => { this.stage.fit(); this.stage.draw(performance.now()); }).observe(this.frame);
    }

    zoomButtons() {
      const group = element("div", "zoom");
      const add = (text, label, key, act) => {
        const button = element("button", "icon");
        button.type = "button";
        button.textContent = text;
        button.title = `${label} (${key})`;
        button.setAttribute("aria-label", label);
        button.addEventListener("click", act);
        group.append(button);
      };
      add("+", "Closer", "Z", () => this.stage.camera.approach(1.6));
      add("−", "Farther", "shift Z", () => this.stage.camera.approach(1 / 1.6));
      add("⤢", "The whole world", "0", () => this.stage.camera.reset());
      return group;
    }

    // What the stage has to say about its last picture.
    mark() {
      this.corner.hidden = !this.stage.note;
      this.corner.textContent = this.stage.note;
    }

    // The words around the picture. `news` is what happened last, or nothing.
    tell(moment, value, news) {
      const { metric, seconds } = this.world, count = moment.ids.length;
      this.clock.textContent = `step ${moment.step}${seconds ? ` · ${(moment.step * seconds).toFixed(1)} s` : ""}`;
      this.value.textContent = metric && value !== null ? `${metric.label} ${amount(value, metric)}` : "";
      this.badge.hidden = !news;
      this.badge.textContent = news || "";
      const { still } = Swarmbed.marks.counts(moment.marks);
      const evaders = (moment.evader_x || []).length;
      this.canvas.setAttribute("aria-label", `${this.name}: ${count} agent${count === 1 ? "" : "s"}${evaders ? ` and ${evaders} evader${evaders > 1 ? "s" : ""}` : ""}${still ? `, ${still} standing still` : ""}, step ${moment.step}. ${this.value.textContent}`);
    }
  }

  const amount = (value, { kind, unit }) => {
    if (kind === "event") return value > 0 ? "yes" : "not yet";
    if (!unit || kind === "count") return `${Math.round(value * 1000) / 1000} ${unit}`.trim();
    if (value > 0 && value < 0.001) return `below 0.001 ${unit}`;
    return `${value.toFixed(Math.abs(value) >= 1 ? 1 : 3)} ${unit}`;
  };

  // What the task is like, in a few words.
  Swarmbed.describeWorld = (world) => {
    const words = [world.torus ? "torus (edges wrap around)" : "closed world (walls)"];
    words.push(world.comm_radius === null ? "all agents sense each other" : `agents sense each other within ${world.comm_radius}`);
    if (world.has_evaders) words.push(world.sight_radius === null ? "evaders are always in sight" : `evaders are seen within ${world.sight_radius}`);
    return `${words.join(" · ")}.`;
  };

  Swarmbed.Arena = Arena;
})();
