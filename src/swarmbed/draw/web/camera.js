// Which part of the world a stage shows: all of it, or a window that can be moved and made smaller.
(() => {
  "use strict";
  const MOST = 40; // times larger than the whole world

  class Camera {
    constructor(stage) { this.stage = stage; this.zoom = 1; this.left = this.top = 0; } // pixels hidden on that side

    get isClose() { return this.zoom > 1.001; }

    reset() { this.zoom = 1; this.panTo(0, 0); }

    panTo(left, top) {
      const [width, height] = this.stage.size;
      this.left = Math.max(0, Math.min(left, width * (this.zoom - 1)));
      this.top = Math.max(0, Math.min(top, height * (this.zoom - 1)));
      this.stage.frameChanged();
    }

    panBy(dx, dy) { this.panTo(this.left - dx, this.top - dy); }

    // What is at (x, y), in pixels of the picture, stays there.
    zoomBy(factor, x = this.stage.size[0] / 2, y = this.stage.size[1] / 2) {
      const before = this.zoom;
      this.zoom = Math.max(1, Math.min(MOST, before * factor));
      const ratio = this.zoom / before;
      this.panTo((this.left + x) * ratio - x, (this.top + y) * ratio - y);
    }

    // Closer to, or farther from, the agent that is looked at, or else the middle of the picture.
    approach(factor) {
      const at = this.stage.whereSelected();
      if (!at) { this.zoomBy(factor); return; }
      this.zoomBy(factor, ...at);
      const [width, height] = this.stage.size, [x, y] = this.stage.whereSelected();
      this.panBy(width / 2 - x, height / 2 - y);
    }
  }

  Swarmbed.Camera = Camera;
})();
