// Search runs in a Worker, which browsers do not start for a page from the file system. There, this stands in for it:
// the same script in a hidden frame. Everywhere else it does nothing.
(() => {
  "use strict";
  if (location.protocol !== "file:") return;
  window.Worker = class {
    constructor(url) {
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.documentElement.append(this.frame);
      const inside = this.frame.contentWindow, script = inside.document.createElement("script");
      inside.postMessage = (data) => setTimeout(() => this.onmessage?.({ data }));
      script.src = new URL(url, location.href);
      script.onload = () => { this.isReady = true; for (const data of this.waiting) this.postMessage(data); };
      script.onerror = (event) => this.onerror?.(event);
      inside.document.documentElement.append(script);
    }

    postMessage(data) {
      if (this.isReady) setTimeout(() => this.frame.contentWindow?.onmessage({ data }));
      else this.waiting.push(data);
    }

    terminate() { this.frame.remove(); }
  };
})();
