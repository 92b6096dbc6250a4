// How a swarm looks: every function draws one layer of a stage. Lines of a crowd go into the stage's raster.
(() => {
  "use strict";
  const { nearest, cells, pairs, ticks } = Swarmbed.geometry;
  const MOST_EDGES = { few: 6000, crowd: 60000 };
  const MOST_CIRCLES = 300;
  const BANDS = 8; // shades of a trail, from fresh to faded

  // The width of many lines. Without a graphics card, lines of one pixel are drawn ten times as fast as wider ones.
  const thin = (width) => (width < 1.5 ? 1 : width);
  const many = (number) => number.toLocaleString("en");

  function grid(stage, c) {
    c.strokeStyle = stage.colours.grid;
    c.lineWidth = 1;
    c.beginPath();
    const { low, high } = stage.world, step = ticks(0, (high[0] - low[0]) / stage.camera.zoom, 10)[1] || high[0] - low[0];
    for (let x = Math.ceil(low[0] / step) * step; x < high[0]; x += step) {
      c.moveTo(Math.round(stage.px(x)) + 0.5, 0); c.lineTo(Math.round(stage.px(x)) + 0.5, stage.size[1]);
    }
    for (let y = Math.ceil(low[1] / step) * step; y < high[1]; y += step) {
      c.moveTo(0, Math.round(stage.py(y)) + 0.5); c.lineTo(stage.size[0], Math.round(stage.py(y)) + 0.5);
    }
    c.stroke();
  }

  // Calls `trace(x, y)` for every copy of a shape around (x, y) that can be seen; distances are in pixels.
  function images(stage, x, y, reach, trace) {
    const [width, height] = stage.size;
    const isSeen = (px, py) => px > -reach && py > -reach && px < width + reach && py < height + reach;
    if (isSeen(x, y)) trace(x, y);
    if (!stage.world.torus) return;
    const w = width * stage.camera.zoom, h = height * stage.camera.zoom, left = -stage.camera.left, top = -stage.camera.top;
    const xs = x - left < reach ? w : x - left > w - reach ? -w : 0, ys = y - top < reach ? h : y - top > h - reach ? -h : 0;
    if (xs && isSeen(x + xs, y)) trace(x + xs, y);
    if (ys && isSeen(x, y + ys)) trace(x, y + ys);
    if (xs && ys && isSeen(x + xs, y + ys)) trace(x + xs, y + ys);
  }

  function circle(stage, path, x, y, radius) {
    images(stage, x, y, radius, (cx, cy) => { path.moveTo(cx + radius, cy); path.arc(cx, cy, radius, 0, 2 * Math.PI); });
  }

  function voronoi(stage, c, shown) {
    const xs = [...shown.x, ...(shown.evader_x || [])], ys = [...shown.y, ...(shown.evader_y || [])], agents = shown.x.length;
    const outlines = stage.lines(stage.colours.cell, 1), hunted = new Path2D(), [width, height] = stage.size;
    const w = width * stage.camera.zoom, h = height * stage.camera.zoom;
    cells(xs, ys, stage.world).forEach((polygon, i) => {
      const path = i >= agents ? hunted : outlines, x = stage.px(xs[i]), y = stage.py(ys[i]);
      let left = 0, right = 0, top = 0, bottom = 0;
      for (let k = 0; k < polygon.length; k += 2) {
        left = Math.min(left, polygon[k]); right = Math.max(right, polygon[k]);
        bottom = Math.min(bottom, polygon[k + 1]); top = Math.max(top, polygon[k + 1]);
      }
      // Copies next door, as far as they can be seen.
      const copies = (period, seen, low, high) => (stage.world.torus ? [-period, 0, period] : [0]).filter((s) => high + s > 0 && low + s < seen);
      const shiftsX = copies(w, width, x + left * stage.scale, x + right * stage.scale);
      const shiftsY = copies(h, height, y - top * stage.scale, y - bottom * stage.scale);
      for (const sx of shiftsX) {
        for (const sy of shiftsY) {
          for (let k = 0; k < polygon.length; k += 2) {
            const px = x + sx + polygon[k] * stage.scale, py = y + sy - polygon[k + 1] * stage.scale;
            if (k) path.lineTo(px, py); else path.moveTo(px, py);
          }
          path.closePath();
        }
      }
    });
    c.fillStyle = stage.colours.evaderCell;
    c.fill(hunted);
    outlines.stroke();
    c.strokeStyle = stage.colours.evader;
    c.lineWidth = 1;
    c.globalAlpha = 0.6;
    c.stroke(hunted);
    c.globalAlpha = 1;
  }

  function radii(stage, c, shown) {
    const circles = (xs, ys, radius, colour, alpha) => {
      if (radius === null) return;
      const stride = Math.max(1, Math.ceil(xs.length / MOST_CIRCLES));
      if (stride > 1) stage.note ||= `the radius of every ${stride}th agent drawn`;
      c.beginPath();
      for (let i = 0; i < xs.length; i += stride) circle(stage, c, stage.px(xs[i]), stage.py(ys[i]), radius * stage.scale);
      c.strokeStyle = colour;
      c.lineWidth = 1;
      c.globalAlpha = alpha;
      c.stroke();
      c.globalAlpha = 1;
    };
    const faint = Math.max(0.05, Math.min(0.35, 3 / Math.min(shown.x.length, MOST_CIRCLES)));
    circles(shown.x, shown.y, stage.world.comm_radius, stage.colours.agents[stage.which], faint);
    circles(shown.evader_x || [], shown.evader_y || [], stage.world.sight_radius, stage.colours.evader, 0.9);
  }

  // A straight line to the nearest image; on a torus it may leave on one side and enter on the other.
  function segment(stage, path, x0, y0, x1, y1) {
    const dx = nearest(x1 - x0, stage.period[0]) * stage.scale, dy = -nearest(y1 - y0, stage.period[1]) * stage.scale;
    const ax = stage.px(x0), ay = stage.py(y0), bx = stage.px(x1), by = stage.py(y1);
    path.moveTo(ax, ay); path.lineTo(ax + dx, ay + dy);
    if (stage.world.torus && (Math.abs(ax + dx - bx) > 0.5 || Math.abs(ay + dy - by) > 0.5)) {
      path.moveTo(bx - dx, by - dy); path.lineTo(bx, by);
    }
  }

  function edges(stage, c, shown) {
    const most = stage.isCrowd ? MOST_EDGES.crowd : MOST_EDGES.few;
    const { list, total } = pairs(shown.x, shown.y, stage.world, stage.world.comm_radius, most);
    if (total > list.length / 2) stage.note ||= `${many(list.length / 2)} of ${many(total)} edges drawn`;
    const alpha = Math.max(0.06, Math.min(0.35, 5 / Math.sqrt(list.length + 1)));
    const path = stage.lines(stage.colours.agents[stage.which], stage.isCrowd ? Math.max(alpha, 0.16) : alpha, 0.8);
    for (let k = 0; k < list.length; k += 2) {
      const i = list[k], j = list[k + 1];
      segment(stage, path, shown.x[i], shown.y[i], shown.x[j], shown.y[j]);
    }
    path.stroke();
  }

  function traces(stage) {
    const steps = stage.trailLength, last = stage.moment.step, limit = stage.world.longest_step || Infinity;
    const width = thin(stage.mark * 0.16);
    const bands = [stage.colours.agents[stage.which], stage.colours.evader].map((colour, kind) =>
      Array.from({ length: BANDS }, (_, age) => stage.lines(colour, (kind ? 0.8 : 0.6) * (1 - age / BANDS) ** 1.3, width)));
    for (const [id, trail] of stage.trails) {
      const kind = typeof id === "string" ? 1 : 0;
      let pen = null; // the band in which the line goes on where it ended
      for (let k = 3; k < trail.length; k += 3) {
        const age = last - trail[k + 2], gap = trail[k + 2] - trail[k - 1];
        if (age >= steps) continue;
        const dx = nearest(trail[k] - trail[k - 3], stage.period[0]), dy = nearest(trail[k + 1] - trail[k - 2], stage.period[1]);
        const band = Math.floor((age * BANDS) / steps), path = bands[kind][band];
        const wraps = Math.abs(trail[k - 3] + dx - trail[k]) > stage.unit || Math.abs(trail[k - 2] + dy - trail[k + 1]) > stage.unit;
        if (Math.hypot(dx, dy) > limit * gap) pen = null; // it was put there, it did not go there
        else if (wraps) { segment(stage, path, trail[k - 3], trail[k - 2], trail[k], trail[k + 1]); pen = null; }
        else {
          if (pen !== band) path.moveTo(stage.px(trail[k - 3]), stage.py(trail[k - 2]));
          path.lineTo(stage.px(trail[k]), stage.py(trail[k + 1]));
          pen = band;
        }
      }
    }
    for (const band of bands.flat()) band.stroke();
  }

  function evaders(stage, c, shown) {
    const radius = Math.max(0.62 * stage.mark, 4.5);
    (shown.evader_x || []).forEach((value, i) => {
      const x = stage.px(value), y = stage.py(shown.evader_y[i]);
      images(stage, x, y, 3 * radius, (cx, cy) => {
        const halo = c.createRadialGradient(cx, cy, radius * 0.6, cx, cy, radius * 3);
        halo.addColorStop(0, stage.colours.evader);
        halo.addColorStop(1, `${stage.colours.evader}00`);
        c.globalAlpha = 0.28;
        c.fillStyle = halo;
        c.fillRect(cx - 3 * radius, cy - 3 * radius, 6 * radius, 6 * radius);
        c.globalAlpha = 1;
        c.beginPath();
        c.arc(cx, cy, radius, 0, 2 * Math.PI);
        c.fillStyle = stage.colours.evader;
        c.fill();
        c.lineWidth = 1.2;
        c.strokeStyle = stage.colours.stage;
        c.stroke();
      });
      if (stage.isCaught(shown, value, shown.evader_y[i])) {
        c.beginPath();
        c.arc(x, y, radius * 2.2, 0, 2 * Math.PI);
        c.lineWidth = 2;
        c.strokeStyle = stage.colours.ink;
        c.stroke();
      }
    });
  }

  // The rectangle that is being drawn.
  function box(stage, c) {
    const [[x0, y0], [x1, y1]] = stage.box, left = stage.px(Math.min(x0, x1)), top = stage.py(Math.max(y0, y1));
    const width = Math.abs(x1 - x0) * stage.scale, height = Math.abs(y1 - y0) * stage.scale;
    c.fillStyle = c.strokeStyle = stage.colours.select;
    c.globalAlpha = 0.15;
    c.fillRect(left, top, width, height);
    c.globalAlpha = 1;
    c.lineWidth = 1.5;
    c.strokeRect(left, top, width, height);
  }

  Swarmbed.paint = { grid, voronoi, radii, edges, traces, evaders, box, images, circle, segment, thin };
})();
