// How agents look: as usual, standing still, doing the opposite; and what the agent one looks at senses and misses.
(() => {
  "use strict";
  const { images, circle, segment, thin } = Swarmbed.paint;
  const STANDS_STILL = 1, CONTRARY = 2; // what a mark says, added up
  const MOST_LINKS = 400; // of thousands of neighbours: more would take long and be one blot

  function links(stage, c, shown, index, others, strongest) {
    const stride = Math.max(1, Math.ceil(others.length / MOST_LINKS));
    c.beginPath();
    for (let k = 0; k < others.length; k += stride) {
      const j = shown.slots.get(others[k]);
      if (j !== undefined) segment(stage, c, shown.x[index], shown.y[index], shown.x[j], shown.y[j]);
    }
    c.globalAlpha = Math.max(0.15, Math.min(strongest, 14 / others.length));
    c.stroke();
    c.globalAlpha = 1;
  }

  // The sector in which it sees nothing, as far as it could see.
  function blindSector(stage, c, x, y, heading, { centre, width }) {
    if (!(width > 0)) return;
    const { comm_radius: comm, sight_radius: sight, low, high } = stage.world;
    const reach = (comm ?? sight ?? 0.3 * Math.min(high[0] - low[0], high[1] - low[1])) * stage.scale;
    const from = -(heading + centre + width / 2), to = from + width; // on the screen, angles go clockwise
    c.fillStyle = stage.colours.quiet;
    c.globalAlpha = 0.22;
    images(stage, x, y, reach, (cx, cy) => {
      c.beginPath();
      c.moveTo(cx, cy);
      c.arc(cx, cy, reach, from, to);
      c.closePath();
      c.fill();
    });
    c.globalAlpha = 1;
  }

  function selection(stage, c, shown) {
    const index = stage.selected === null ? undefined : shown.slots.get(stage.selected);
    if (index === undefined) return;
    const x = stage.px(shown.x[index]), y = stage.py(shown.y[index]);
    if (stage.missed) {
      blindSector(stage, c, x, y, shown.heading[index], stage.missed.blind);
      c.strokeStyle = stage.colours.lost;
      c.lineWidth = 1.8;
      c.setLineDash([3, 4]);
      links(stage, c, shown, index, stage.missed.lost, 1);
      c.setLineDash([]);
    }
    c.strokeStyle = stage.colours.select;
    c.lineWidth = 1.2;
    if (stage.sensed) links(stage, c, shown, index, stage.sensed, 0.7);
    if (stage.world.comm_radius !== null) {
      c.beginPath();
      circle(stage, c, x, y, stage.world.comm_radius * stage.scale);
      c.lineWidth = 1.5;
      c.setLineDash([6, 5]);
      c.stroke();
      c.setLineDash([]);
    }
    c.beginPath();
    c.arc(x, y, Math.max(stage.mark * 1.6, 7), 0, 2 * Math.PI);
    c.lineWidth = 2.5;
    c.stroke();
  }

  function agents(stage, c, shown) {
    const size = stage.mark, { raster, isCrowd, colours } = stage, usual = colours.agents[stage.which], none = colours.stage;
    // By what a mark says, and then the one that is pointed at: the colour within, and of the line around it.
    const looks = [[usual, none], [none, colours.still], [colours.contrary, none], [none, colours.contrary]];
    const bright = [[colours.select, none], [none, colours.select]];
    const paths = [...looks, ...bright].map(() => new Path2D());
    // Hollow marks of a few pixels would not be seen: in a crowd, colours have to say it.
    const dense = isCrowd ? [usual, colours.still, colours.contrary, colours.still].map((colour) => raster.colour(colour)) : [];
    if (isCrowd) raster.prepare(size);
    for (let i = 0; i < shown.x.length; i++) {
      const id = shown.ids[i], isBright = id === stage.selected || id === stage.hovered, heading = shown.heading[i];
      const mark = shown.marks ? shown.marks[i] : 0, path = paths[isBright ? looks.length + (mark & STANDS_STILL) : mark];
      images(stage, stage.px(shown.x[i]), stage.py(shown.y[i]), size, (x, y) => {
        if (isCrowd && !isBright) raster.mark(x, y, heading, dense[mark]);
        else Swarmbed.dart(path, x, y, size * Math.cos(heading), -size * Math.sin(heading));
      });
    }
    if (isCrowd) raster.end(c, ...stage.size);
    c.lineJoin = "round";
    [...looks, ...bright].forEach(([fill, edge], k) => {
      if (isCrowd && k < looks.length) return;
      const isHollow = fill === none;
      c.strokeStyle = edge;
      c.fillStyle = fill;
      c.lineWidth = isHollow ? 2 : thin(1.2);
      if (isHollow) c.fill(paths[k]);
      c.stroke(paths[k]);
      if (!isHollow) c.fill(paths[k]);
    });
  }

  // How many stand still, and how many do the opposite.
  const counts = (marks) => {
    let still = 0, contrary = 0;
    for (const mark of marks || []) { still += mark & STANDS_STILL; contrary += (mark & CONTRARY) / CONTRARY; }
    return { still, contrary };
  };

  Object.assign(Swarmbed.paint, { selection, agents });
  Swarmbed.marks = { STANDS_STILL, CONTRARY, counts };
})();
