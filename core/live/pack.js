// What core/live/pack.py packs: JSON that says where each array lies, then the arrays, all of it gzipped.

const KINDS = { i8: Int8Array, u8: Uint8Array, i32: Int32Array, f32: Float32Array };

// A Blob of base64 -> the file in parts, unpacked as they come, so that no copy of the whole stands beside another.
async function unpacked(blob) {
  const stream = new DecompressionStream("gzip"), writer = stream.writable.getWriter(), parts = [], STEP = 1 << 20;
  const written = (async () => {
    for (let at = 0; at < blob.size; at += STEP) {
      const signs = atob(await blob.slice(at, at + STEP).text()), bytes = new Uint8Array(signs.length);
      for (let k = 0; k < signs.length; k++) bytes[k] = signs.charCodeAt(k);
      await writer.write(bytes);
    }
    await writer.close();
  })();
  const reader = stream.readable.getReader();
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) parts.push(value);
  await written;
  return parts;
}

function opened(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true), head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const from = bytes.byteOffset + 4 + length;
  function array(name) {
    const { kind, at, size } = head.arrays[name];
    return new KINDS[kind](bytes.buffer, from + at, size);
  }
  const has = (name) => Object.hasOwn(head.arrays, name);
  const floats = (name) => Float32Array.from(array(name));
  // Rows of 8-bit numbers, each with a scale.
  function rows(name) {
    const { rows: n, columns } = head.arrays[name];
    return { weights: array(name), scales: array(`${name}.scales`), rows: n, columns };
  }
  const lines = (name) => new TextDecoder().decode(array(name)).split("\n");
  return { facts: head.facts, array, has, floats, rows, lines };
}
