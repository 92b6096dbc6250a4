// Mouse, finger and pen on a stage: wheel, pinch and drag move the camera; a click or a drag on an agent is for the swarm.
(() => {
  "use strict";
  const SLIP = 5; // pixels a click may move

  // `act` has touch(), tool(), select(agent), add(x, y), remove(agent), removeInside(from, to),
  // hold(what, number, x, y), release(); without it there is only the camera.
  class Pointer {
    constructor(stage, act = null) {
      this.stage = stage; this.act = act; this.fingers = new Map(); this.mode = null;
      const canvas = stage.canvas;
      canvas.addEventListener("pointerdown", (event) => this.down(event));
      canvas.addEventListener("pointermove", (event) => this.move(event));
      canvas.addEventListener("pointerup", (event) => this.up(event));
      canvas.addEventListener("pointercancel", (event) => { this.fingers.delete(event.pointerId); this.drop(); });
      canvas.addEventListener("pointerleave", () => { stage.hovered = null; stage.isDirty = true; });
      canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
      // A finger on an agent pulls the agent, and two fingers zoom. Elsewhere it scrolls the page, unless it can move the
      // picture.
      canvas.addEventListener("touchstart", (event) => {
        const isOurs = event.touches.length > 1 || stage.camera.isClose || this.pick(event.touches[0], true);
        if (isOurs) event.preventDefault();
      }, { passive: false });
    }

    pick(event, isTouch) { return this.act && this.stage.moment ? this.stage.pick(this.stage.place(event), isTouch) : null; }

    down(event) {
      if (event.button > 1 || !this.stage.moment) return;
      this.stage.canvas.setPointerCapture(event.pointerId);
      this.fingers.set(event.pointerId, [event.clientX, event.clientY]);
      if (this.fingers.size === 2) { this.drop(); this.mode = "pinch"; return; }
      if (this.act) this.act.touch();
      this.start = this.last = [event.clientX, event.clientY];
      this.grabbed = event.button === 0 ? this.pick(event, event.pointerType === "touch") : null;
      this.mode = "click";
      this.isMiddle = event.button === 1 || event.shiftKey;
      if (event.button === 1) event.preventDefault();
    }

    move(event) {
      if (!this.mode) { this.hover(event); return; }
      if (this.mode === "pinch") { this.pinch(event); return; }
      const away = Math.hypot(event.clientX - this.start[0], event.clientY - this.start[1]);
      if (this.mode === "click" && away > SLIP) this.mode = this.dragged();
      if (this.mode === "hold") this.act.hold(this.grabbed.what, this.grabbed.number, ...this.stage.place(event));
      if (this.mode === "pan") this.stage.camera.panBy(event.clientX - this.last[0], event.clientY - this.last[1]);
      if (this.mode === "box") { this.stage.box = [this.from, this.stage.place(event)]; this.stage.isDirty = true; }
      this.last = [event.clientX, event.clientY];
    }

    // What a drag that has just begun is going to do.
    dragged() {
      const { canvas } = this.stage;
      canvas.style.cursor = "grabbing";
      if (this.isMiddle || !this.act) return "pan";
      if (this.act.tool() === "remove") {
        canvas.style.cursor = "crosshair";
        this.from = this.stage.place({ clientX: this.start[0], clientY: this.start[1] });
        return "box";
      }
      return this.grabbed ? "hold" : "pan";
    }

    up(event) {
      this.fingers.delete(event.pointerId);
      if (this.mode === "click" && !this.isMiddle && this.act) this.click(event);
      if (this.mode === "box" && this.stage.box) this.act.removeInside(...this.stage.box);
      this.drop();
    }

    drop() {
      if (this.mode === "hold") this.act.release();
      if (this.stage.box) { this.stage.box = null; this.stage.isDirty = true; }
      this.mode = this.grabbed = null;
    }

    click(event) {
      const tool = this.act.tool(), agent = this.grabbed && this.grabbed.what === "agent" ? this.grabbed.number : null;
      if (tool === "add") this.act.add(...this.stage.place(event));
      else if (tool === "remove") { if (agent !== null) this.act.remove(agent); }
      else if (!this.grabbed || agent !== null) this.act.select(agent);
    }

    wheel(event) {
      const { camera } = this.stage;
      // All there is to see is shown: then the wheel is the page's.
      if (!this.stage.moment || (event.deltaY > 0 && !camera.isClose)) return;
      event.preventDefault();
      const lines = event.deltaMode === 1 ? 16 : 1, speed = event.ctrlKey ? 0.01 : 0.002; // a pinch on a touchpad has ctrlKey
      camera.zoomBy(Math.exp(-Math.max(-300, Math.min(300, event.deltaY * lines)) * speed), ...this.stage.onPicture(event));
    }

    pinch(event) {
      if (!this.fingers.has(event.pointerId) || this.fingers.size < 2) return;
      const spread = () => { const [a, b] = [...this.fingers.values()]; return { far: Math.hypot(a[0] - b[0], a[1] - b[1]), clientX: (a[0] + b[0]) / 2, clientY: (a[1] + b[1]) / 2 }; };
      const before = spread();
      this.fingers.set(event.pointerId, [event.clientX, event.clientY]);
      const after = spread(), { camera } = this.stage;
      camera.zoomBy(after.far / Math.max(before.far, 1), ...this.stage.onPicture(before));
      camera.panBy(after.clientX - before.clientX, after.clientY - before.clientY);
    }

    hover(event) {
      if (!this.act || !this.stage.moment) return;
      const found = this.pick(event, false), tool = this.act.tool();
      const agent = found && found.what === "agent" ? found.number : null;
      if (agent !== this.stage.hovered) { this.stage.hovered = agent; this.stage.isDirty = true; }
      const cursors = { inspect: "pointer", remove: "not-allowed", add: "copy" };
      this.stage.canvas.style.cursor = found && found.what === "evader" ? "grab" : agent !== null ? cursors[tool] : tool === "add" ? "copy" : "default";
    }
  }

  Swarmbed.Pointer = Pointer;
})();
