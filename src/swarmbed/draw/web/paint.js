// How a swarm looks: every function draws one layer of a stage onto its canvas.
(() => {
  "use strict";
  const { nearest, cells, pairs, ticks } = Swarmbed.geometry;
  const MOST_EDGES = 6000;
  const BANDS = 8; // shades of a trail, from fresh to faded

  // The width of many lines. Without a graphics card, lines of one pixel are drawn ten times as fast as wider ones.
  const thin = (width) => (width < 1.5 ? 1 : width);

  function grid(stage, c) {
    c.strokeStyle = stage.colours.grid;
    c.lineWidth = 1;
    c.beginPath();
    const width = stage.world.high[0] - stage.world.low[0];
    const step = ticks(0, width, 10)[1] || width;
    for (let x = Math.ceil(stage.world.low[0] / step) * step; x < stage.world.high[0]; x += step) {
      c.moveTo(Math.round(stage.px(x)) + 0.5, 0); c.lineTo(Math.round(stage.px(x)) + 0.5, stage.size[1]);
    }
    for (let y = Math.ceil(stage.world.low[1] / step) * step; y < stage.world.high[1]; y += step) {
      c.moveTo(0, Math.round(stage.py(y)) + 0.5); c.lineTo(stage.size[0], Math.round(stage.py(y)) + 0.5);
    }
    c.stroke();
  }

  // Calls `trace(dx, dy)` for every copy of a shape around (x, y) that can be seen; distances are in pixels.
  function images(stage, x, y, reach, trace) {
    trace(0, 0);
    if (!stage.world.torus) return;
    const [w, h] = stage.size;
    const xs = [0, ...(x < reach ? [w] : []), ...(x > w - reach ? [-w] : [])];
    const ys = [0, ...(y < reach ? [h] : []), ...(y > h - reach ? [-h] : [])];
    for (const dx of xs) for (const dy of ys) if (dx || dy) trace(dx, dy);
  }

  function voronoi(stage, c, shown) {
    const evaders = shown.evader_x || [];
    const xs = shown.x.concat(evaders), ys = shown.y.concat(shown.evader_y || []);
    const outlines = new Path2D(), hunted = new Path2D(), [w, h] = stage.size;
    cells(xs, ys, stage.world).forEach((polygon, i) => {
      const path = i >= shown.x.length ? hunted : outlines, x = stage.px(xs[i]), y = stage.py(ys[i]);
      let left = 0, right = 0, top = 0, bottom = 0;
      for (let k = 0; k < polygon.length; k += 2) {
        left = Math.min(left, polygon[k]); right = Math.max(right, polygon[k]);
        bottom = Math.min(bottom, polygon[k + 1]); top = Math.max(top, polygon[k + 1]);
      }
      // Copies next door, as far as they can be seen.
      const copies = (size, low, high) => (stage.world.torus ? [-size, 0, size].filter((s) => high + s > 0 && low + s < size) : [0]);
      const shiftsX = copies(w, x + left * stage.scale, x + right * stage.scale);
      const shiftsY = copies(h, y - top * stage.scale, y - bottom * stage.scale);
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
    c.strokeStyle = stage.colours.cell;
    c.lineWidth = 1;
    c.stroke(outlines);
    c.strokeStyle = stage.colours.evader;
    c.globalAlpha = 0.6;
    c.stroke(hunted);
    c.globalAlpha = 1;
  }

  function radii(stage, c, shown) {
    const circles = (xs, ys, radius, colour, alpha) => {
      if (radius === null) return;
      const reach = radius * stage.scale;
      c.beginPath();
      for (let i = 0; i < xs.length; i++) {
        const x = stage.px(xs[i]), y = stage.py(ys[i]);
        images(stage, x, y, reach, (dx, dy) => {
          c.moveTo(x + dx + reach, y + dy);
          c.arc(x + dx, y + dy, reach, 0, 2 * Math.PI);
        });
      }
      c.strokeStyle = colour;
      c.lineWidth = 1;
      c.globalAlpha = alpha;
      c.stroke();
      c.globalAlpha = 1;
    };
    const faint = Math.max(0.05, Math.min(0.35, 3 / shown.x.length));
    circles(shown.x, shown.y, stage.world.comm_radius, stage.colours.agents[stage.which], faint);
    circles(shown.evader_x || [], shown.evader_y || [], stage.world.sight_radius, stage.colours.evader, 0.9);
  }

  // A straight line to the nearest image; on a torus it may leave on one side and enter on the other.
  function segment(stage, c, x0, y0, x1, y1) {
    const dx = nearest(x1 - x0, stage.period[0]) * stage.scale, dy = -nearest(y1 - y0, stage.period[1]) * stage.scale;
    const ax = stage.px(x0), ay = stage.py(y0), bx = stage.px(x1), by = stage.py(y1);
    c.moveTo(ax, ay); c.lineTo(ax + dx, ay + dy);
    if (stage.world.torus && (Math.abs(ax + dx - bx) > 0.5 || Math.abs(ay + dy - by) > 0.5)) {
      c.moveTo(bx - dx, by - dy); c.lineTo(bx, by);
    }
  }

  function edges(stage, c, shown) {
    const { list, total } = pairs(shown.x, shown.y, stage.world, stage.world.comm_radius, MOST_EDGES);
    if (total > MOST_EDGES) stage.note ||= `${MOST_EDGES.toLocaleString("en")} of ${total.toLocaleString("en")} edges drawn`;
    c.beginPath();
    for (let k = 0; k < list.length; k += 2) {
      const i = list[k], j = list[k + 1];
      segment(stage, c, shown.x[i], shown.y[i], shown.x[j], shown.y[j]);
    }
    c.strokeStyle = stage.colours.agents[stage.which];
    c.lineWidth = 0.8;
    c.globalAlpha = Math.max(0.06, Math.min(0.35, 5 / Math.sqrt(list.length + 1)));
    c.stroke();
    c.globalAlpha = 1;
  }

  function traces(stage, c) {
    const steps = stage.trailLength, last = stage.moment.step, limit = stage.world.longest_step || Infinity;
    const bands = [0, 1].map(() => Array.from({ length: BANDS }, () => new Path2D()));
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
    c.lineWidth = thin(stage.mark * 0.16);
    c.lineCap = "butt";
    c.lineJoin = "round";
    [stage.colours.agents[stage.which], stage.colours.evader].forEach((colour, kind) => {
      c.strokeStyle = colour;
      bands[kind].forEach((band, age) => {
        c.globalAlpha = (kind ? 0.8 : 0.6) * (1 - age / BANDS) ** 1.3;
        c.stroke(band);
      });
    });
    c.globalAlpha = 1;
  }

  function selection(stage, c, shown) {
    const index = stage.selected === null ? undefined : shown.slots.get(stage.selected);
    if (index === undefined) return;
    const x = stage.px(shown.x[index]), y = stage.py(shown.y[index]);
    c.strokeStyle = stage.colours.select;
    if (stage.sensed) {
      c.beginPath();
      for (const id of stage.sensed) {
        const j = shown.slots.get(id);
        if (j !== undefined) segment(stage, c, shown.x[index], shown.y[index], shown.x[j], shown.y[j]);
      }
      c.lineWidth = 1.2;
      c.globalAlpha = Math.max(0.15, Math.min(0.7, 14 / stage.sensed.length));
      c.stroke();
      c.globalAlpha = 1;
    }
    if (stage.world.comm_radius !== null) {
      const reach = stage.world.comm_radius * stage.scale;
      c.beginPath();
      images(stage, x, y, reach, (dx, dy) => {
        c.moveTo(x + dx + reach, y + dy);
        c.arc(x + dx, y + dy, reach, 0, 2 * Math.PI);
      });
      c.lineWidth = 1.5;
      c.setLineDash([6, 5]);
      c.stroke();
      c.setLineDash([]);
    }
    c.beginPath();
    c.arc(x, y, stage.mark * 1.6, 0, 2 * Math.PI);
    c.lineWidth = 2.5;
    c.stroke();
  }

  function agents(stage, c, shown) {
    const size = stage.mark, path = new Path2D(), bright = new Path2D();
    for (let i = 0; i < shown.x.length; i++) {
      const x = stage.px(shown.x[i]), y = stage.py(shown.y[i]);
      const ahead = size * Math.cos(shown.heading[i]), up = -size * Math.sin(shown.heading[i]);
      const id = shown.ids[i], target = id === stage.selected || id === stage.hovered ? bright : path;
      images(stage, x, y, size, (dx, dy) => {
        const cx = x + dx, cy = y + dy;
        target.moveTo(cx + ahead, cy + up);
        target.lineTo(cx - 0.75 * ahead - 0.62 * up, cy - 0.75 * up + 0.62 * ahead);
        target.lineTo(cx - 0.4 * ahead, cy - 0.4 * up);
        target.lineTo(cx - 0.75 * ahead + 0.62 * up, cy - 0.75 * up - 0.62 * ahead);
        target.closePath();
      });
    }
    c.lineJoin = "round";
    c.strokeStyle = stage.colours.stage;
    c.lineWidth = thin(1.2);
    for (const [which, colour] of [[path, stage.colours.agents[stage.which]], [bright, stage.colours.select]]) {
      c.stroke(which);
      c.fillStyle = colour;
      c.fill(which);
    }
  }

  function evaders(stage, c, shown) {
    const radius = Math.max(0.62 * stage.mark, 4.5);
    (shown.evader_x || []).forEach((value, i) => {
      const x = stage.px(value), y = stage.py(shown.evader_y[i]);
      images(stage, x, y, 3 * radius, (dx, dy) => {
        const halo = c.createRadialGradient(x + dx, y + dy, radius * 0.6, x + dx, y + dy, radius * 3);
        halo.addColorStop(0, stage.colours.evader);
        halo.addColorStop(1, `${stage.colours.evader}00`);
        c.globalAlpha = 0.28;
        c.fillStyle = halo;
        c.fillRect(x + dx - 3 * radius, y + dy - 3 * radius, 6 * radius, 6 * radius);
        c.globalAlpha = 1;
        c.beginPath();
        c.arc(x + dx, y + dy, radius, 0, 2 * Math.PI);
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

  Swarmbed.paint = { grid, voronoi, radii, edges, traces, selection, agents, evaders };
})();
