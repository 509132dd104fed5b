// Sums of vectors that lie as Float32Arrays.

function dot(a, b) {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
  return sum;
}
const norm = (a) => Math.sqrt(dot(a, a));
const unit = (a) => { const by = norm(a); return by > 1e-12 ? a.map((item) => item / by) : a; };
const less = (a, b) => a.map((item, k) => item - b[k]);
function meanOf(rows) {
  const sum = new Float32Array(rows[0].length);
  for (const row of rows) for (let k = 0; k < sum.length; k++) sum[k] += row[k];
  return sum.map((item) => item / rows.length);
}
function joinedUp(parts) {
  const whole = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let end = 0;
  for (const part of parts) whole.set(part, end), (end += part.length);
  return whole;
}
// Numbers of values, highest first; equal ones in their order.
const ranked = (values) => [...values.keys()].sort((a, b) => values[b] - values[a] || a - b);
const cosineOf = (a, b) => { const lengths = norm(a) * norm(b); return lengths > 1e-12 ? Math.max(-1, Math.min(1, dot(a, b) / lengths)) : 0; };

// x with matrix x = values, by Gaussian elimination; the matrix is symmetric and positive.
function solved(matrix, values) {
  const rows = matrix.map((row, k) => [...row, values[k]]), n = rows.length;
  for (let k = 0; k < n; k++) for (let j = k + 1; j < n; j++) {
    const by = rows[j][k] / rows[k][k];
    if (by) for (let d = k; d <= n; d++) rows[j][d] -= by * rows[k][d];
  }
  const x = Array(n).fill(0);
  for (let k = n - 1; k >= 0; k--) x[k] = (rows[k][n] - rows[k].slice(k + 1, n).reduce((sum, item, d) => sum + item * x[k + 1 + d], 0)) / rows[k][k];
  return x;
}

// L vectors under L weights.
function mixOf(layers, weights) {
  const sum = new Float32Array(layers[0].length);
  layers.forEach((layer, j) => { if (weights[j]) for (let k = 0; k < sum.length; k++) sum[k] += weights[j] * layer[k]; });
  return sum;
}
// "1" or "mix" -> weights.
const weightsOf = (space, n) => Array.from({ length: n }, (_, k) => (space === "mix" ? 1 / n : +(k === Number(space))));

// What any mix of two tokens needs: products of their layers (L * L), and of a token's with each other (upper triangle by rows).
const crossOf = (a, b) => Float32Array.from(a.flatMap((item) => b.map((other) => dot(item, other))));
const gramOf = (a) => Float32Array.from(a.flatMap((item, k) => a.slice(k).map((other) => dot(item, other))));
