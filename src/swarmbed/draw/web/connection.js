// The line to the simulation: JSON both ways, and frames as bytes. Comes back by itself when it was cut.
(() => {
  "use strict";

  class Connection {
    constructor(handlers) {
      this.handlers = handlers; // by type of message; also open() and lost()
      this.pause = 500;
      this.open();
    }

    open() {
      const socket = (this.socket = new WebSocket(`ws://${location.host}/live`));
      socket.binaryType = "arraybuffer";
      socket.onopen = () => { this.pause = 500; this.handlers.open(); };
      socket.onmessage = (event) => {
        const message = typeof event.data === "string" ? JSON.parse(event.data) : Swarmbed.unpack(event.data);
        const handle = this.handlers[message.type];
        if (handle) handle(message);
      };
      socket.onclose = () => {
        this.handlers.lost();
        setTimeout(() => this.open(), this.pause);
        this.pause = Math.min(this.pause * 1.7, 5000);
      };
    }

    send(type, fields = {}) {
      if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ type, ...fields }));
    }
  }

  Swarmbed.Connection = Connection;
})();
