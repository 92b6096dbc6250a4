// Crowds are drawn pixel by pixel. Without a graphics card, a browser fills a path of thousands of marks in a tenth of a
// second or more; copying small pictures of a mark and drawing thin lines into an array takes a few milliseconds.
(() => {
  "use strict";
  const TURNS = 64; // headings that a mark is drawn in
  const PARTS = 2; // places within a pixel, along each side

  class Raster {
    constructor() {
      this.canvas = document.createElement("canvas");
      this.context = this.canvas.getContext("2d");
      this.colours = new Map();
    }

    // Nothing drawn, in this many pixels; lengths given later are multiplied by `ratio`.
    begin(width, height, ratio) {
      if (this.canvas.width !== width || this.canvas.height !== height || !this.image) {
        this.canvas.width = width; this.canvas.height = height;
        this.image = this.context.createImageData(width, height);
        this.pixels = new Uint32Array(this.image.data.buffer);
        this.made = null;
      } else this.pixels.fill(0);
      this.width = width; this.height = height; this.ratio = ratio;
    }

    end(context, width, height) {
      this.context.putImageData(this.image, 0, 0);
      context.drawImage(this.canvas, 0, 0, width, height);
    }

    // A colour of the style sheet as blue, green and red in one number.
    colour(name) {
      if (!this.colours.has(name)) {
        const one = document.createElement("canvas").getContext("2d");
        one.fillStyle = name;
        one.fillRect(0, 0, 1, 1);
        const [red, green, blue] = one.getImageData(0, 0, 1, 1).data;
        this.colours.set(name, (blue << 16) | (green << 8) | red);
      }
      return this.colours.get(name);
    }

    // Where two things lie on one pixel, the denser one is seen.
    dot(x, y, colour, alpha) {
      if (x < 0 || y < 0 || x >= this.width || y >= this.height) return;
      const at = y * this.width + x;
      if (alpha > this.pixels[at] >>> 24) this.pixels[at] = ((alpha << 24) | colour) >>> 0;
    }

    // A smooth line of about one pixel.
    line(x0, y0, x1, y1, colour, alpha) {
      x0 = x0 * this.ratio - 0.5; y0 = y0 * this.ratio - 0.5; x1 = x1 * this.ratio - 0.5; y1 = y1 * this.ratio - 0.5;
      // What lies outside on one side is left out; a line that crosses the border is cut by dot().
      const { width, height } = this;
      if (Math.max(x0, x1) < 0 || Math.max(y0, y1) < 0 || Math.min(x0, x1) > width || Math.min(y0, y1) > height) return;
      const isSteep = Math.abs(y1 - y0) > Math.abs(x1 - x0);
      let a0 = isSteep ? y0 : x0, b0 = isSteep ? x0 : y0, a1 = isSteep ? y1 : x1, b1 = isSteep ? x1 : y1;
      if (a0 > a1) [a0, b0, a1, b1] = [a1, b1, a0, b0];
      const slope = a1 > a0 ? (b1 - b0) / (a1 - a0) : 0;
      const first = Math.max(Math.round(a0), 0), last = Math.min(Math.round(a1), (isSteep ? height : width) - 1);
      for (let a = first; a <= last; a++) {
        const b = b0 + slope * (a - a0), whole = Math.floor(b), share = b - whole;
        const near = (alpha * (1 - share)) | 0, far = (alpha * share) | 0;
        if (isSteep) { this.dot(whole, a, colour, near); this.dot(whole + 1, a, colour, far); }
        else { this.dot(a, whole, colour, near); this.dot(a, whole + 1, colour, far); }
      }
    }

    // Pictures of a mark in all headings and parts of a pixel: for each, the pixels that it covers and how much.
    prepare(size) {
      const wanted = Math.max(Math.round(size * this.ratio * 4) / 4, 1.5);
      if (this.made === wanted) return;
      this.made = wanted;
      const half = Math.ceil(wanted) + 1, side = 2 * half, sheet = document.createElement("canvas");
      sheet.width = side * TURNS; sheet.height = side * PARTS * PARTS;
      const c = sheet.getContext("2d", { willReadFrequently: true });
      for (let turn = 0; turn < TURNS; turn++) {
        const angle = (2 * Math.PI * turn) / TURNS, ahead = wanted * Math.cos(angle), up = -wanted * Math.sin(angle);
        for (let part = 0; part < PARTS * PARTS; part++) {
          const x = turn * side + half + ((part % PARTS) + 0.5) / PARTS, y = part * side + half + (Math.floor(part / PARTS) + 0.5) / PARTS;
          c.beginPath();
          Swarmbed.dart(c, x, y, ahead, up);
          c.fill();
        }
      }
      const { data, width } = c.getImageData(0, 0, sheet.width, sheet.height);
      this.half = half;
      this.pictures = [];
      for (let part = 0; part < PARTS * PARTS; part++) {
        for (let turn = 0; turn < TURNS; turn++) {
          const offsets = [], dense = [];
          for (let y = 0; y < side; y++) {
            for (let x = 0; x < side; x++) {
              const alpha = data[4 * ((part * side + y) * width + turn * side + x) + 3];
              if (alpha > 8) { offsets.push((y - half) * this.width + (x - half)); dense.push(alpha); }
            }
          }
          this.pictures.push({ offsets: Int32Array.from(offsets), dense: Uint8Array.from(dense) });
        }
      }
    }

    mark(x, y, heading, colour) {
      x *= this.ratio; y *= this.ratio;
      const column = Math.floor(x), row = Math.floor(y), { half, width, height } = this;
      if (!(column >= -half && row >= -half && column < width + half && row < height + half)) return;
      const turn = ((Math.round((heading * TURNS) / (2 * Math.PI)) % TURNS) + TURNS) % TURNS;
      const part = Math.floor((y - row) * PARTS) * PARTS + Math.floor((x - column) * PARTS);
      const { offsets, dense } = this.pictures[part * TURNS + turn], at = row * width + column, pixels = this.pixels;
      if (column >= half && row >= half && column < width - half && row < height - half) {
        for (let k = 0; k < offsets.length; k++) {
          const place = at + offsets[k];
          if (dense[k] > pixels[place] >>> 24) pixels[place] = ((dense[k] << 24) | colour) >>> 0;
        }
        return;
      }
      for (let k = 0; k < offsets.length; k++) {
        const down = Math.floor((offsets[k] + half) / width), across = offsets[k] - down * width;
        this.dot(column + across, row + down, colour, dense[k]);
      }
    }
  }

  // Lines of one colour, as a path takes them: into a raster at once, or onto a canvas when they are all known.
  class RasterLines {
    constructor(raster, colour, alpha) { this.raster = raster; this.colour = raster.colour(colour); this.alpha = Math.round(255 * alpha); }
    moveTo(x, y) { this.startX = this.x = x; this.startY = this.y = y; }
    lineTo(x, y) { this.raster.line(this.x, this.y, x, y, this.colour, this.alpha); this.x = x; this.y = y; }
    closePath() { this.lineTo(this.startX, this.startY); }
    stroke() {}
  }

  class PathLines {
    constructor(context, colour, alpha, width) { Object.assign(this, { context, colour, alpha, width, path: new Path2D() }); }
    moveTo(x, y) { this.path.moveTo(x, y); }
    lineTo(x, y) { this.path.lineTo(x, y); }
    closePath() { this.path.closePath(); }
    stroke() {
      const c = this.context;
      c.strokeStyle = this.colour; c.lineWidth = this.width; c.lineCap = "butt"; c.lineJoin = "round";
      c.globalAlpha = this.alpha;
      c.stroke(this.path);
      c.globalAlpha = 1;
    }
  }

  // The mark of an agent; (ahead, up) leads from its middle to its tip.
  Swarmbed.dart = (path, x, y, ahead, up) => {
    path.moveTo(x + ahead, y + up);
    path.lineTo(x - 0.75 * ahead - 0.62 * up, y - 0.75 * up + 0.62 * ahead);
    path.lineTo(x - 0.4 * ahead, y - 0.4 * up);
    path.lineTo(x - 0.75 * ahead + 0.62 * up, y - 0.75 * up - 0.62 * ahead);
    path.closePath();
  };
  Object.assign(Swarmbed, { Raster, RasterLines, PathLines });
})();
