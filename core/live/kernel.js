// Products of 8-bit weights with a vector: WebAssembly where the browser has it (measured: core/live/README.md), else JavaScript.
//
// The unpacked file lies at the beginning of one memory, and its matrices are used where they lie there: row by row, each row with a scale of its own and padded with zeros to a multiple of WIDE. The vector is
// rounded to 16 bits, to as many steps as keep a row's sum within 32 bits, so that both ways give the same numbers to the last digits.

const WIDE = 16, PAGE = 65536;

// One function: (weights, vector, scales, answers: addresses; rows, columns; the vector's scale).
function assembled() {
  const leb = (n) => { const out = []; do { out.push((n & 127) | (n > 127 ? 128 : 0)); n >>>= 7; } while (n); return out; };
  const part = (id, body) => [id, ...leb(body.length), ...body], simd = (code, ...more) => [0xfd, ...leb(code), ...more];
  const get = (n) => [0x20, n], set = (n) => [0x21, n], i32 = 0x7f, f32 = 0x7d, v128 = 0x7b, add = 0x6a;
  const [W, X, S, Y, ROWS, COLUMNS, SCALE, AT, END, ONE, TWO] = Array(11).keys();
  const step = (n, by) => [...get(n), 0x41, ...leb(by), add, ...set(n)];
  const pair = (sum, k) => [...get(sum), ...get(W), ...simd(1, 0, 8 * k), ...get(AT), ...simd(0, 0, 16 * k), ...simd(186), ...simd(174), ...set(sum)]; // 8 products
  const lane = (k) => [...get(ONE), ...simd(27, k)], zero = simd(12, ...Array(16).fill(0));
  const body = [
    2, 2, i32, 2, v128, // locals: AT, END; ONE, TWO
    ...get(X), ...get(COLUMNS), 0x41, 1, 0x74, add, ...set(END),
    0x03, 0x40, // a row
    ...zero, ...set(ONE), ...zero, ...set(TWO), ...get(X), ...set(AT),
    0x03, 0x40, // WIDE columns
    ...pair(ONE, 0), ...pair(TWO, 1), ...step(W, WIDE), ...step(AT, 2 * WIDE), ...get(AT), ...get(END), 0x49, 0x0d, 0, 0x0b,
    ...get(ONE), ...get(TWO), ...simd(174), ...set(ONE),
    ...get(Y), ...lane(0), ...lane(1), add, ...lane(2), add, ...lane(3), add, 0xb2, ...get(S), 0x2a, 2, 0, 0x94, ...get(SCALE), 0x94, 0x38, 2, 0,
    ...step(S, 4), ...step(Y, 4), ...get(ROWS), 0x41, 1, 0x6b, 0x22, ROWS, 0x0d, 0, 0x0b, 0x0b,
  ];
  const name = (text) => [text.length, ...[...text].map((sign) => sign.charCodeAt(0))];
  return Uint8Array.from([
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    ...part(1, [1, 0x60, 7, ...Array(6).fill(i32), f32, 0]),
    ...part(2, [1, ...name("m"), ...name("m"), 2, 0, 1]),
    ...part(3, [1, 0]), ...part(7, [1, ...name("f"), 0, 0]),
    ...part(10, [1, ...leb(body.length), ...body]),
  ]);
}

// A memory with a file's `parts` and so many bytes more for vectors; `plain` does without WebAssembly.
function newKernel(parts, more, plain = false) {
  const size = parts.reduce((sum, part) => sum + part.length, 0), bytes = size + more;
  let memory = null, run = null, end = (size + 15) & ~15;
  if (!plain) try {
    memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE) + 1 });
    run = new WebAssembly.Instance(new WebAssembly.Module(assembled()), { m: { m: memory } }).exports.f;
  } catch { memory = null; }
  const buffer = memory ? memory.buffer : new ArrayBuffer(bytes + PAGE);
  const whole = new Uint8Array(buffer, 0, size), signed = new Int8Array(buffer), short = new Int16Array(buffer), float = new Float32Array(buffer);
  let filled = 0;
  for (const part of parts) whole.set(part, filled), (filled += part.length);
  run ??= (w, x, s, y, rows, columns, scale) => {
    x >>= 1, s >>= 2, y >>= 2;
    for (let r = 0; r < rows; r++, w += columns) {
      let a = 0, b = 0;
      for (let k = 0; k < columns; k += 2) { a += signed[w + k] * short[x + k]; b += signed[w + k + 1] * short[x + k + 1]; }
      float[y + r] = (a + b) * float[s + r] * scale;
    }
  };
  function room(size) {
    const start = end;
    end += (size + 15) & ~15;
    if (end > buffer.byteLength) throw new Error(`${end} bytes in a memory of ${buffer.byteLength}`);
    return start;
  }
  const floats = (n) => { const at = room(4 * n); return new Float32Array(buffer, at, n); };
  // Rounded to 16 bits at `at`; the scale.
  function rounded(x, at, columns, n = x.length) {
    let most = 1e-12;
    for (let k = 0; k < n; k++) { const item = Math.abs(x[k]); if (item > most) most = item; }
    const steps = Math.min(32767, Math.floor((2 ** 31 - 1) / (127 * columns))), by = steps / most;
    at >>= 1;
    for (let k = 0; k < n; k++) { const item = x[k] * by; short[at + k] = (item < 0 ? item - 0.5 : item + 0.5) | 0; }
    for (let k = n; k < columns; k++) short[at + k] = 0;
    return most / steps;
  }
  // A matrix of the file: `weights` int8 (rows, columns padded), `scales` float32 (rows,).
  function matrix({ weights, scales, rows, columns }) {
    const w = weights.byteOffset, s = scales.byteOffset, x = room(2 * columns), y = floats(rows);
    return {
      rows, columns,
      // The first `most` rows' products, which stay until the next call.
      times(vector, most = rows) {
        run(w, x, s, y.byteOffset, most, columns, rounded(vector, x, columns));
        return y;
      },
      // The same of a vector that lies rounded at an address already.
      of(address, scale) {
        run(w, address, s, y.byteOffset, rows, columns, scale);
        return y;
      },
    };
  }
  return { whole, matrix, room, short, fast: memory !== null };
}
