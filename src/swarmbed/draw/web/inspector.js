// What one agent senses, how its embedding reacts, and what it does about it.
(() => {
  "use strict";
  const EVERY = 90; // milliseconds between updates of the tables: faster than that is unreadable
  const HISTORY = 90; // moments of the embedding that stay visible
  const SHORT = {
    distance: "d", "bearing cos": "cos φ", "bearing sin": "sin φ", "orientation cos": "cos θ", "orientation sin": "sin θ",
    "velocity x": "Δv x", "velocity y": "Δv y", transmitted: "sent",
  };

  const element = (tag, text = "", className = "") => {
    const made = document.createElement(tag);
    if (text) made.textContent = text;
    if (className) made.className = className;
    return made;
  };
  const signed = (value, digits = 2) => value.toFixed(digits).replace("-", "−").replace(/^−(0\.?0*)$/, "$1");

  // What goes wrong with this agent, in a few words.
  const trouble = (missed, mark) => {
    if (!missed) return "";
    const many = (count, one, more) => (count ? [`${count} ${count === 1 ? one : more}`] : []);
    return [
      ...(mark & Swarmbed.marks.STANDS_STILL ? ["stands still"] : []),
      ...(mark & Swarmbed.marks.CONTRARY ? ["does the opposite"] : []),
      ...many(missed.lost.length, "message lost in this step", "messages lost in this step"),
      ...many(missed.hidden.length, "neighbour in its blind sector", "neighbours in its blind sector"),
    ].join(" · ");
  };

  class Inspector {
    constructor(body, title, close) {
      this.body = body; this.title = title; this.close = close;
      this.idle = body.firstElementChild;
      this.last = 0;
      this.clear();
    }

    clear() {
      this.shape = null; this.agent = null; this.history = [];
      this.title.textContent = "Agent";
      this.close.hidden = true;
      this.body.replaceChildren(this.idle);
    }

    // `arena` names the columns; `look` holds the numbers.
    show(arena, look, step, now, mark = 0) {
      if (look.agent !== this.agent) { this.clear(); this.agent = look.agent; this.last = 0; }
      this.close.hidden = false;
      this.title.textContent = `Agent ${look.agent}`;
      if (!look.ready) {
        this.shape = null;
        this.body.replaceChildren(element("p", "compiling its view …", "quiet"));
        return;
      }
      const shape = JSON.stringify([arena.name, arena.local, arena.sets, look.embeddings.map((v) => v.length)]);
      if (shape !== this.shape) { this.build(arena, look); this.shape = shape; this.history = look.embeddings.map(() => []); this.step = -1; }
      if (step !== this.step) {
        this.step = step;
        look.embeddings.forEach((vector, i) => { this.history[i].push(vector); if (this.history[i].length > HISTORY) this.history[i].shift(); });
      }
      if (now - this.last < EVERY) return;
      this.last = now;
      this.fill(look);
      this.trouble.textContent = trouble(look.missed, mark);
      this.trouble.hidden = !this.trouble.textContent;
    }

    build(arena, look) {
      this.trouble = element("p", "", "trouble");
      this.body.replaceChildren(this.trouble);
      this.actions = this.meters("It does", arena.actions);
      this.strips = look.embeddings.map((vector, i) => this.strip(vector.length, look.embeddings.length > 1 ? ` of set ${i + 1}` : ""));
      if (!look.embeddings.length) this.body.append(element("p", "This controller is a fixed rule and has no embedding.", "quiet facts"));
      if (arena.local.length) this.locals = this.meters("Own properties", arena.local); else this.locals = null;
      this.tables = arena.sets.map((names, i) => {
        const heading = element("h3"), scroll = element("div", "", "scroll"), table = element("table");
        const row = table.createTHead().insertRow();
        row.append(element("th", "nr"));
        for (const name of names) {
          const cell = element("th"), short = element("abbr", SHORT[name] || name);
          short.title = name;
          cell.scope = "col";
          cell.append(short);
          row.append(cell);
        }
        scroll.tabIndex = 0;
        scroll.setAttribute("role", "region");
        scroll.setAttribute("aria-label", `Set ${i + 1} of what the agent senses`);
        scroll.append(table);
        this.body.append(heading, scroll);
        return { heading, rows: table.createTBody(), columns: names.length };
      });
    }

    strip(features, which) {
      const canvas = element("canvas", "", "strip");
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", `Embedding${which}: ${features} features over time`);
      this.body.append(element("h3", `Embedding${which}: ${features} features, now and before`), canvas);
      return canvas;
    }

    meters(heading, names) {
      const grid = element("div", "", "meters");
      const rows = names.map((name) => {
        const bar = element("span", "", "meter"), fill = element("i"), value = element("span", "", "value");
        bar.append(fill);
        grid.append(element("span", name), bar, value);
        return { fill, value };
      });
      this.body.append(element("h3", heading), grid);
      return rows;
    }

    fill(look) {
      const set = (rows, values) => rows.forEach((row, i) => {
        const value = Math.max(-1, Math.min(1, values[i]));
        row.fill.style.left = `${50 + Math.min(value, 0) * 50}%`;
        row.fill.style.width = `${Math.abs(value) * 50}%`;
        row.fill.style.background = value < 0 ? "var(--negative)" : "var(--positive)";
        row.value.textContent = signed(values[i]);
      });
      set(this.actions, look.action);
      if (this.locals) set(this.locals, look.local);
      look.sets.forEach((seen, i) => this.fillTable(this.tables[i], seen));
      this.strips.forEach((canvas, i) => this.drawStrip(canvas, this.history[i]));
    }

    fillTable({ heading, rows, columns }, seen) {
      const many = seen.members.length, what = seen.of_agents ? "neighbour" : "element", shown = seen.elements.length;
      heading.textContent = `Set of ${many} ${what}${many === 1 ? "" : "s"}, nearest first${shown < many ? ` (${shown} shown)` : ""}`;
      while (rows.rows.length < shown) {
        const row = rows.insertRow();
        for (let k = 0; k <= columns; k++) row.insertCell();
      }
      while (rows.rows.length > shown) rows.deleteRow(-1);
      seen.elements.forEach((values, r) => {
        const cells = rows.rows[r].cells;
        cells[0].textContent = seen.members[r];
        values.forEach((value, k) => {
          const cell = cells[k + 1], strength = Math.round(Math.min(Math.abs(value), 1) * 55);
          cell.textContent = signed(value);
          cell.style.background = `color-mix(in srgb, var(${value < 0 ? "--negative" : "--positive"}) ${strength}%, transparent)`;
        });
      });
    }

    // Bars: the embedding now. Below: every moment a row, brighter is larger.
    drawStrip(canvas, history) {
      const box = canvas.getBoundingClientRect(), ratio = Math.min(window.devicePixelRatio || 1, 2);
      if (box.width < 10) return;
      if (canvas.width !== Math.round(box.width * ratio)) { canvas.width = Math.round(box.width * ratio); canvas.height = Math.round(box.height * ratio); }
      const c = canvas.getContext("2d"), width = canvas.width, height = canvas.height, barHeight = height * 0.4;
      const newest = history[history.length - 1], count = newest.length, colours = Swarmbed.theme.colours();
      let most = 1e-6;
      for (const vector of history) for (const value of vector) most = Math.max(most, Math.abs(value));
      c.clearRect(0, 0, width, height);
      const cell = width / count, rowHeight = (height - barHeight - 3) / HISTORY;
      newest.forEach((value, k) => {
        c.fillStyle = value < 0 ? colours.negative : colours.positive;
        const tall = (Math.abs(value) / most) * (barHeight - 2);
        c.fillRect(k * cell, barHeight - tall, Math.max(cell - ratio, 1), tall);
      });
      for (let row = 0; row < history.length; row++) {
        const vector = history[history.length - 1 - row];
        for (let k = 0; k < count; k++) {
          c.globalAlpha = Math.abs(vector[k]) / most;
          c.fillStyle = vector[k] < 0 ? colours.negative : colours.positive;
          c.fillRect(k * cell, barHeight + 3 + row * rowHeight, cell + 0.5, rowHeight + 0.5);
        }
      }
      c.globalAlpha = 1;
    }
  }

  Swarmbed.Inspector = Inspector;
})();
