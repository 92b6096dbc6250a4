// Mouse, finger and pen on a stage: click, drag, hover.
(() => {
  "use strict";
  const SLIP = 5; // pixels a click may move

  // `act` has touch(), tool(), select(agent), add(x, y), remove(agent), hold(what, number, x, y), release().
  class Pointer {
    constructor(stage, act) {
      this.stage = stage; this.act = act; this.grabbed = null; this.isDragging = false;
      const canvas = stage.canvas;
      canvas.addEventListener("pointerdown", (event) => this.down(event));
      canvas.addEventListener("pointermove", (event) => this.move(event));
      canvas.addEventListener("pointerup", (event) => this.up(event));
      canvas.addEventListener("pointercancel", () => this.drop());
      canvas.addEventListener("pointerleave", () => { stage.hovered = null; stage.isDirty = true; });
      // A finger on an agent pulls the agent; anywhere else it scrolls the page.
      canvas.addEventListener("touchstart", (event) => {
        if (stage.pick(stage.place(event.touches[0]), true)) event.preventDefault();
      }, { passive: false });
    }

    down(event) {
      if (event.button !== 0 || !this.stage.moment) return;
      this.act.touch();
      this.start = [event.clientX, event.clientY];
      this.grabbed = this.stage.pick(this.stage.place(event), event.pointerType === "touch");
      this.isDragging = false;
      this.stage.canvas.setPointerCapture(event.pointerId);
    }

    move(event) {
      if (!this.start) { this.hover(event); return; }
      const away = Math.hypot(event.clientX - this.start[0], event.clientY - this.start[1]);
      if (this.grabbed && (this.isDragging || away > SLIP)) {
        this.isDragging = true;
        this.stage.canvas.style.cursor = "grabbing";
        this.act.hold(this.grabbed.what, this.grabbed.number, ...this.stage.place(event));
      }
    }

    up(event) {
      if (!this.start) return;
      const away = Math.hypot(event.clientX - this.start[0], event.clientY - this.start[1]);
      if (this.isDragging) this.act.release();
      else if (away <= 2 * SLIP) this.click(event);
      this.start = this.grabbed = null;
      this.isDragging = false;
    }

    drop() {
      if (this.isDragging) this.act.release();
      this.start = this.grabbed = null;
      this.isDragging = false;
    }

    click(event) {
      const tool = this.act.tool(), agent = this.grabbed && this.grabbed.what === "agent" ? this.grabbed.number : null;
      if (tool === "add") this.act.add(...this.stage.place(event));
      else if (tool === "remove") { if (agent !== null) this.act.remove(agent); }
      else if (!this.grabbed || agent !== null) this.act.select(agent);
    }

    hover(event) {
      const found = this.stage.pick(this.stage.place(event), false), tool = this.act.tool();
      const agent = found && found.what === "agent" ? found.number : null;
      if (agent !== this.stage.hovered) { this.stage.hovered = agent; this.stage.isDirty = true; }
      const cursors = { inspect: "pointer", remove: "not-allowed", add: "copy" };
      this.stage.canvas.style.cursor = found && found.what === "evader" ? "grab" : agent !== null ? cursors[tool] : tool === "add" ? "copy" : "default";
    }
  }

  Swarmbed.Pointer = Pointer;
})();
