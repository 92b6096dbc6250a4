// Switches for what is drawn besides the agents; the live page and the replay share them.
(() => {
  "use strict";
  const LAYERS = [
    ["edges", "Communication edges", "E"],
    ["cells", "Voronoi cells", "V"],
    ["traces", "Traces", "T"],
    ["radius", "Sensing radius", "S"],
  ];

  class Layers {
    constructor(parent, onChange) {
      this.on = { edges: false, cells: false, traces: true, radius: false };
      this.boxes = {};
      this.onChange = onChange;
      for (const [name, label, key] of LAYERS) {
        const row = document.createElement("label"), box = document.createElement("input"), hint = document.createElement("kbd");
        box.type = "checkbox";
        box.id = `layer-${name}`;
        box.checked = this.on[name];
        box.addEventListener("change", () => { this.on[name] = box.checked; onChange(this.on); });
        hint.textContent = key;
        hint.setAttribute("aria-hidden", "true");
        row.append(box, ` ${label}`, hint);
        parent.append(row);
        this.boxes[name] = box;
      }
    }

    set(name, on) {
      if (this.boxes[name].disabled) return;
      this.boxes[name].checked = this.on[name] = on;
      this.onChange(this.on);
    }

    // True if the key belongs to a layer.
    key(key) {
      const found = LAYERS.find((layer) => layer[2].toLowerCase() === key);
      if (found) this.set(found[0], !this.on[found[0]]);
      return Boolean(found);
    }

    // With global observation there is no radius to show.
    setWorld(world) {
      const box = this.boxes.radius, has = world.comm_radius !== null || world.sight_radius !== null;
      box.disabled = !has;
      box.parentElement.classList.toggle("off", !has);
      box.parentElement.title = has ? "" : "In this task all agents sense each other";
      if (!has) { box.checked = this.on.radius = false; this.onChange(this.on); }
    }
  }

  Swarmbed.Layers = Layers;
})();
