// Buttons, sliders and keys of the live page.
(() => {
  "use strict";
  const $ = (id) => document.getElementById(id);
  const app = (Swarmbed.app = new Swarmbed.App());

  $("play").addEventListener("click", () => playOrPause());
  $("step").addEventListener("click", () => app.send("step"));
  $("restart").addEventListener("click", () => again(0));
  $("next").addEventListener("click", () => again(1));
  $("seed").addEventListener("change", () => app.restart($("seed").value));
  $("loop").addEventListener("change", () => app.send("loop", { on: $("loop").checked }));
  $("speed").addEventListener("input", () => app.changeSpeed(0));
  $("agents").addEventListener("pointerdown", () => { app.isSliding = true; });
  $("agents").addEventListener("change", () => { app.isSliding = false; });
  $("agents").addEventListener("input", () => {
    const count = app.fromSlider(Number($("agents").value));
    $("count").value = count;
    app.changeCount(count);
  });
  $("count").addEventListener("change", () => app.changeCount(Number($("count").value)));
  $("deselect").addEventListener("click", () => app.select(0, null));
  $("help").addEventListener("click", () => $("keys").showModal());
  $("keys-close").addEventListener("click", () => $("keys").close());
  for (const button of document.querySelectorAll("[data-tool]")) {
    button.addEventListener("click", () => app.setTool(button.dataset.tool));
  }
  $("task").addEventListener("change", () => app.send("setup", { ...app.setup(), task: $("task").value, who: null, versus: null, agents: null }));
  $("who").addEventListener("change", () => {
    const who = $("who").value, versus = app.scene && app.scene.versus !== who ? app.scene.versus : null;
    app.send("setup", app.setup({ who, versus }));
  });
  $("versus").addEventListener("change", () => {
    app.send("setup", app.setup({ versus: $("versus").value === "none" ? null : $("versus").value }));
  });

  // While something is being compiled, messages wait for it: if play is pressed now, it plays as soon as it can.
  function playOrPause() { app.send(app.frame && app.frame.playing ? "pause" : "play"); }
  function again(by) { if (app.frame) app.restart(app.frame.seed + by); }
  function more(by) { if (app.frame) app.changeCount(app.frame.count + by); }
  function zoom(factor) { for (const { stage } of app.arenas) if (factor) stage.camera.approach(factor); else stage.camera.reset(); }

  const KEYS = {
    " ": () => playOrPause(),
    arrowright: () => app.send("step"),
    arrowup: () => app.changeSpeed(1),
    arrowdown: () => app.changeSpeed(-1),
    r: () => again(0),
    n: () => again(1),
    "+": () => more(1),
    "=": () => more(1),
    "-": () => more(-1),
    z: (event) => zoom(event.shiftKey ? 1 / 1.6 : 1.6),
    0: () => zoom(null),
    "]": () => app.cycle(1),
    "[": () => app.cycle(-1),
    delete: () => app.selected && app.send("remove", { agent: app.selected.agent }),
    backspace: () => app.selected && app.send("remove", { agent: app.selected.agent }),
    escape: () => app.select(0, null),
    i: () => app.setTool("inspect"),
    a: () => app.setTool("add"),
    x: () => app.setTool("remove"),
    f: () => app.disturbances.toggle(),
    l: () => $("log").click(),
    d: () => Swarmbed.theme.toggle(),
    "?": () => $("keys").showModal(),
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
    // Fields, lists and sliders have keys of their own.
    if (event.target.matches("input:not([type=checkbox]), select, textarea")) return;
    if (event.key === " " && event.target.matches("button, input, summary, .scroll")) return;
    const key = event.key.toLowerCase();
    if (KEYS[key]) KEYS[key](event); else if (!app.layers.key(key)) return;
    event.preventDefault();
  });
})();
