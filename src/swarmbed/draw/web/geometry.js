// Shapes in a rectangle whose border may wrap around. Plain numbers; knows nothing of canvases.
(() => {
  "use strict";
  const MOST_LOOKS = 1e6; // at pairs of agents, for one picture

  // The shortest displacement equivalent to d in a world of this period; 0 means that nothing wraps.
  const nearest = (d, period) => (period ? d - period * Math.round(d / period) : d);

  // The part of a convex polygon [x0, y0, x1, y1, …] with 2 x·q ≤ |q|²: what is closer to the origin than to q.
  function cut(polygon, qx, qy) {
    const square = qx * qx + qy * qy, kept = [];
    let beforeX = polygon[polygon.length - 2], beforeY = polygon[polygon.length - 1];
    let before = 2 * (beforeX * qx + beforeY * qy) - square, changed = before > 0;
    for (let i = 0; i < polygon.length; i += 2) {
      const x = polygon[i], y = polygon[i + 1], here = 2 * (x * qx + y * qy) - square;
      if ((here > 0) !== (before > 0)) {
        const share = before / (before - here);
        kept.push(beforeX + share * (x - beforeX), beforeY + share * (y - beforeY));
      }
      if (here <= 0) kept.push(x, y); else changed = true;
      beforeX = x; beforeY = y; before = here;
    }
    return changed && kept.length ? kept : polygon;
  }

  const reachOf = (polygon) => {
    let most = 0;
    for (let i = 0; i < polygon.length; i += 2) {
      most = Math.max(most, polygon[i] * polygon[i] + polygon[i + 1] * polygon[i + 1]);
    }
    return Math.sqrt(most);
  };

  // Sites sorted into the squares of a grid.
  function sortIntoSquares(xs, ys, world, columns, rows) {
    const width = world.high[0] - world.low[0], height = world.high[1] - world.low[1];
    const squares = Array.from({ length: columns * rows }, () => []);
    const column = (x) => Math.min(columns - 1, Math.max(0, Math.floor(((x - world.low[0]) / width) * columns)));
    const row = (y) => Math.min(rows - 1, Math.max(0, Math.floor(((y - world.low[1]) / height) * rows)));
    for (let i = 0; i < xs.length; i++) squares[row(ys[i]) * columns + column(xs[i])].push(i);
    return { width, height, columns, rows, squares, column, row, step: Math.min(width / columns, height / rows) };
  }

  // About two sites to a square.
  function sortIntoGrid(xs, ys, world) {
    const width = world.high[0] - world.low[0], height = world.high[1] - world.low[1];
    const side = Math.sqrt((width * height) / Math.max(xs.length / 2, 1));
    return sortIntoSquares(xs, ys, world, Math.max(1, Math.floor(width / side)), Math.max(1, Math.floor(height / side)));
  }

  // The Voronoi cell of every site, each as a polygon relative to its site. A cell starts as a rectangle and is cut by
  // the bisector with one rival after another, ring by ring around the site; a rival more than twice as far away as the
  // cell's farthest corner cuts nothing any more, so a handful of rings is all that is looked at.
  function cells(xs, ys, world) {
    const grid = sortIntoGrid(xs, ys, world), result = [], { columns, rows, width, height } = grid;
    const farthest = Math.max(columns, rows) + 1;
    for (let i = 0; i < xs.length; i++) {
      const x = xs[i], y = ys[i], c0 = grid.column(x), r0 = grid.row(y);
      let polygon = world.torus
        ? [-width / 2, -height / 2, width / 2, -height / 2, width / 2, height / 2, -width / 2, height / 2]
        : [world.low[0] - x, world.low[1] - y, world.high[0] - x, world.low[1] - y,
          world.high[0] - x, world.high[1] - y, world.low[0] - x, world.high[1] - y];
      let reach = reachOf(polygon);
      for (let ring = 0; ring <= farthest && (ring - 1) * grid.step <= 2 * reach; ring++) {
        for (let dr = -ring; dr <= ring; dr++) {
          const stride = Math.abs(dr) === ring || ring === 0 ? 1 : 2 * ring;
          for (let dc = -ring; dc <= ring; dc += stride) {
            let c = c0 + dc, r = r0 + dr, shiftX = 0, shiftY = 0;
            if (world.torus) {
              shiftX = Math.floor(c / columns) * width; shiftY = Math.floor(r / rows) * height;
              c = ((c % columns) + columns) % columns; r = ((r % rows) + rows) % rows;
            } else if (c < 0 || r < 0 || c >= columns || r >= rows) continue;
            for (const j of grid.squares[r * columns + c]) {
              const qx = xs[j] + shiftX - x, qy = ys[j] + shiftY - y;
              // The site itself and any other on the same spot share one cell.
              if (qx * qx + qy * qy < 1e-9 || qx * qx + qy * qy > 4 * reach * reach) continue;
              const smaller = cut(polygon, qx, qy);
              if (smaller !== polygon) { polygon = smaller; reach = reachOf(polygon); }
            }
          }
        }
      }
      result.push(polygon);
    }
    return result;
  }

  // Pairs within a radius (null: all), as [i, j, i, j, …], and how many there are. Beyond `most` pairs an evenly
  // spread selection stands for all; where there are far more, their number is an estimate.
  function pairs(xs, ys, world, radius, most) {
    const count = xs.length;
    if (radius === null) return allPairs(count, most);
    const width = world.high[0] - world.low[0], height = world.high[1] - world.low[1];
    const periodX = world.torus ? width : 0, periodY = world.torus ? height : 0;
    const columns = Math.max(1, Math.min(256, Math.floor(width / radius))), rows = Math.max(1, Math.min(256, Math.floor(height / radius)));
    const { squares, column, row } = sortIntoSquares(xs, ys, world, columns, rows);
    // A square is at least as wide as the radius, so that only those around it can hold a neighbour.
    const around = (at, size) => {
      const all = [at - 1, at, at + 1];
      return world.torus ? [...new Set(all.map((k) => (k + size) % size))] : all.filter((k) => k >= 0 && k < size);
    };
    let looks = 0; // how many would have to be looked at, for a swarm may stand on one spot
    for (let r = 0; r < rows; r++) {
      for (let k = 0; k < columns; k++) {
        const here = squares[r * columns + k].length;
        if (here) for (const s of around(r, rows)) for (const m of around(k, columns)) looks += here * squares[s * columns + m].length;
      }
    }
    const stride = Math.ceil(Math.max(looks, 1) / MOST_LOOKS), found = [];
    for (let i = 0; i < count; i += stride) {
      for (const r of around(row(ys[i]), rows)) {
        for (const k of around(column(xs[i]), columns)) {
          for (const j of squares[r * columns + k]) {
            if (stride === 1 ? j <= i : j === i) continue;
            const dx = nearest(xs[j] - xs[i], periodX), dy = nearest(ys[j] - ys[i], periodY);
            if (dx * dx + dy * dy <= radius * radius) found.push(i, j);
          }
        }
      }
    }
    // With a stride, a pair of two that were looked at is found twice, one of the others once.
    const total = stride === 1 ? found.length / 2 : Math.round((found.length * stride) / 4);
    return { list: spread(found.length / 2, most, (k) => [found[2 * k], found[2 * k + 1]]), total };
  }

  function allPairs(count, most) {
    const total = (count * (count - 1)) / 2;
    // Pair number k: the largest j with j (j − 1) / 2 ≤ k, and what is left over.
    return { total, list: spread(total, most, (k) => {
      let j = Math.floor((1 + Math.sqrt(1 + 8 * k)) / 2);
      while ((j * (j - 1)) / 2 > k) j--;
      return [k - (j * (j - 1)) / 2, j];
    }) };
  }

  // At most so many of `total` pairs, evenly spread.
  function spread(total, most, pair) {
    const list = [], shown = Math.min(total, most);
    for (let k = 0; k < shown; k++) list.push(...pair(Math.floor((k * total) / shown)));
    return list;
  }

  // Round numbers that divide a range into about `count` parts.
  function ticks(low, high, count) {
    const rough = (high - low) / Math.max(count, 1), power = 10 ** Math.floor(Math.log10(rough || 1));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999) || power;
    const result = [];
    for (let value = Math.ceil(low / step - 1e-9) * step; value <= high + step * 1e-9; value += step) {
      result.push(Math.abs(value) < step * 1e-9 ? 0 : value);
    }
    return result;
  }

  Swarmbed.geometry = { nearest, cells, pairs, ticks };
})();
