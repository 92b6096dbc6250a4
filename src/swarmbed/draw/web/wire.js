// A message with arrays in it, from bytes: the length of its JSON, the JSON, and behind it the arrays as they lie in memory.
(() => {
  "use strict";
  const KINDS = { float32: Float32Array, int32: Int32Array };

  function unpack(buffer) {
    const length = new DataView(buffer).getUint32(0, true);
    let place = 4 + length;
    const fill = (value) => {
      if (Array.isArray(value)) return value.map(fill);
      if (value === null || typeof value !== "object") return value;
      if (value.array) {
        const found = new KINDS[value.array](buffer, place, value.length);
        place += found.byteLength;
        return found;
      }
      for (const name of Object.keys(value)) value[name] = fill(value[name]);
      return value;
    };
    return fill(JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length))));
  }

  Swarmbed.unpack = unpack;
})();
