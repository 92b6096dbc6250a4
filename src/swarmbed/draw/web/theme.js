// Light or dark: what the reader chose last, else what the system prefers. Runs before anything is painted.
var Swarmbed = {};
(() => {
  "use strict";
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  // A page from the file system may have no storage.
  try { chosen = localStorage.getItem("swarmbed-theme"); } catch { chosen = null; }

  const listeners = [];
  const isDark = () => (chosen ? chosen === "dark" : system.matches);
  const apply = () => {
    document.documentElement.dataset.theme = isDark() ? "dark" : "light";
    for (const listener of listeners) listener();
  };
  system.addEventListener("change", apply);
  apply();

  Swarmbed.theme = {
    isDark,
    onChange: (listener) => listeners.push(listener),
    toggle() {
      chosen = isDark() ? "light" : "dark";
      try { localStorage.setItem("swarmbed-theme", chosen); } catch { /* remembered until the page is closed */ }
      apply();
    },
    // The colours of the style sheet, for what is drawn on a canvas.
    colours() {
      const style = getComputedStyle(document.documentElement);
      const colour = (name) => style.getPropertyValue(`--${name}`).trim();
      return {
        ink: colour("ink"), quiet: colour("quiet"), line: colour("line"), grid: colour("grid"), stage: colour("stage"),
        agents: [colour("agent-a"), colour("agent-b")], evader: colour("evader"), evaderCell: colour("evader-cell"),
        cell: colour("cell"), select: colour("select"), positive: colour("positive"), negative: colour("negative"),
        still: colour("still"), contrary: colour("contrary"), lost: colour("lost"),
      };
    },
    // The theme's button: a sun or a moon, and what pressing it would do.
    bind(button) {
      const show = () => {
        button.setAttribute("aria-label", isDark() ? "Switch to light colours" : "Switch to dark colours");
        button.title = `${button.getAttribute("aria-label")} (D)`;
      };
      button.addEventListener("click", () => Swarmbed.theme.toggle());
      listeners.push(show);
      show();
    },
  };
})();
