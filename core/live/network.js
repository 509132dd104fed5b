// ELMo's biLM as core/elmo/model.py has it: characters, convolutions, highways, projection; then two stacks of LSTMs that never meet.
//
// A spelling goes through the char-CNN once. What a direction has read so far is kept by the words it read, so that a key pressed in
// the middle of a sentence costs the forward stack only what follows it, and the backward stack only what stands before it.

const BEGIN_WORD = 259, END_WORD = 260, PADDING = 261, BEGIN = "<S>", END = "</S>", BOUNDARIES = new Map([[BEGIN, 257], [END, 258]]);
const MOST_WORDS = 4000, MOST_READ = 1200; // spellings and read words that are kept: 2 MB and 12 MB

const REACH = 18, FINE = 512, LOGISTIC = Float64Array.from({ length: 2 * REACH * FINE + 2 }, (_, k) => 1 / (1 + Math.exp(REACH - k / FINE)));
// By a table whose lines between two entries are within 1e-6 of the curve: a sentence needs some 300,000 of them.
function sigmoid(x) {
  if (x > -REACH && x < REACH) {
    const place = (x + REACH) * FINE, low = place | 0, item = LOGISTIC[low];
    return item + (place - low) * (LOGISTIC[low + 1] - item);
  }
  return x > 0 ? 1 : 0;
}

function characterIds(token, size) {
  const inner = BOUNDARIES.has(token) ? [BOUNDARIES.get(token)] : Array.from(new TextEncoder().encode(token.replace(/\p{Cs}/gu, "")).subarray(0, size - 2), (byte) => byte + 1);
  return [BEGIN_WORD, ...inner, END_WORD, ...Array(size - 2 - inner.length).fill(PADDING)];
}

function newNetwork(pack, kernel) {
  const { filters, character_dim, n_highway, hidden, projection, n_layers, cell_clip, projection_clip, skip_connections, max_characters } = pack.facts.shape;
  const wide = Math.ceil(character_dim / WIDE) * WIDE, embedded = kernel.room(2 * max_characters * wide);
  const table = pack.floats("characters.embedding"), n_filters = filters.reduce((sum, [, n]) => sum + n, 0), most = Math.max(...table.map(Math.abs));
  const convolutions = filters.map(([width], k) => ({ width, anchored: pack.facts.anchored[k], ...kernel.matrix(pack.rows(`convolution.${k}`)), rest: pack.has(`convolution.${k}.rest`) && kernel.matrix(pack.rows(`convolution.${k}.rest`)), bias: pack.floats(`convolution.${k}.bias`) }));
  const highways = [...Array(n_highway).keys()].map((k) => ["transform", "carry"].map((part) => ({ ...kernel.matrix(pack.rows(`highway.${k}.${part}`)), bias: pack.floats(`highway.${k}.${part}.bias`) })));
  const joined = pack.rows("projection"), joinedBias = pack.floats("projection.bias"); // a row a filter
  const stacks = ["forward", "backward"].map((direction) => [...Array(n_layers).keys()].map((k) => {
    const part = (name) => kernel.matrix(pack.rows(`${direction}.${k}.${name}`));
    return { input: part("input"), state: part("state"), output: part("output"), bias: pack.floats(`${direction}.${k}.bias`) };
  }));
  const words = new Map(), gates = new Float32Array(4 * hidden), squashed = new Float32Array(hidden), pooled = new Float32Array(n_filters);
  let roots = [{}, {}], read = 0;

  // Each filter's strongest answer anywhere in the token.
  function pool(token) {
    const ids = characterIds(token, max_characters), used = ids.indexOf(END_WORD) + 1, steps = 32767 / most;
    ids.forEach((id, place) => {
      for (let k = 0; k < wide; k++) kernel.short[(embedded >> 1) + place * wide + k] = k < character_dim ? Math.round(table[id * character_dim + k] * steps) : 0;
    });
    let from = 0;
    for (const { width, anchored, of, rest, bias, rows } of convolutions) {
      for (let place = 0; place <= (anchored ? 0 : Math.min(max_characters - width, used)); place++) {
        const window = embedded + 2 * place * wide, answers = of(window, 1 / steps), more = rest && rest.of(window, 1 / steps);
        for (let k = 0; k < rows; k++) {
          const answer = answers[k] + bias[k] + (more ? more[k] : 0), best = place ? pooled[from + k] : 0;
          pooled[from + k] = answer > best ? answer : best;
        }
      }
      from += rows;
    }
    return pooled;
  }

  function spelled(token) {
    if (words.has(token)) return words.get(token);
    const x = pool(token), result = Float32Array.from(joinedBias);
    for (const [transform, carry] of highways) {
      const g = carry.times(x).map((item, k) => sigmoid(item + carry.bias[k])), y = transform.times(x);
      for (let k = 0; k < n_filters; k++) x[k] += g[k] * (Math.max(0, y[k] + transform.bias[k]) - x[k]);
    }
    for (let j = 0, at = 0; j < n_filters; j++, at += joined.columns) {
      if (!x[j]) continue; // most filters answer few words
      const by = x[j] * joined.scales[j];
      for (let k = 0; k < projection; k++) result[k] += by * joined.weights[at + k];
    }
    if (words.size > MOST_WORDS) words.clear();
    words.set(token, result);
    return result;
  }

  // One word more: gate order input, forget, output, new cell.
  function step(layers, before, x) {
    const after = { out: [], h: [], c: [], next: new Map() };
    layers.forEach(({ input, state, output, bias }, j) => {
      const own = input.times(x);
      for (let k = 0; k < 4 * hidden; k++) gates[k] = own[k] + bias[k];
      if (before.h) {
        const passed = state.times(before.h[j]);
        for (let k = 0; k < 4 * hidden; k++) gates[k] += passed[k];
      }
      const c = new Float32Array(hidden), last = before.c?.[j];
      for (let k = 0; k < hidden; k++) {
        const kept = sigmoid(gates[k]) * (2 * sigmoid(2 * gates[3 * hidden + k]) - 1) + (last ? sigmoid(gates[hidden + k]) * last[k] : 0);
        c[k] = kept > cell_clip ? cell_clip : kept < -cell_clip ? -cell_clip : kept;
        squashed[k] = sigmoid(gates[2 * hidden + k]) * (2 * sigmoid(2 * c[k]) - 1);
      }
      const h = Float32Array.from(output.times(squashed), (item) => Math.max(-projection_clip, Math.min(projection_clip, item)));
      const out = j && skip_connections ? h.map((item, k) => item + x[k]) : h;
      after.c.push(c), after.h.push(h), after.out.push(out);
      x = out;
    });
    return after;
  }

  // What a direction's layers give of each word, in the order that it reads them.
  function run(way, tokens) {
    if (read > MOST_READ) [roots, read] = [[{}, {}], 0];
    let node = roots[way];
    return tokens.map((token) => {
      node.next ??= new Map();
      if (!node.next.has(token)) { node.next.set(token, step(stacks[way], node, spelled(token))); read++; }
      return (node = node.next.get(token));
    });
  }

  // A sentence: its n tokens' layers, { layers: L arrays (n, 2P), around(place): (2P,) what stands around a token, itself unread }.
  function encode(tokens) {
    const ahead = run(0, [BEGIN, ...tokens, END]), behind = run(1, [END, ...[...tokens].reverse(), BEGIN]).reverse();
    const layers = [...Array(n_layers + 1).keys()].map((layer) => {
      const flat = new Float32Array(2 * projection * tokens.length);
      tokens.forEach((token, k) => {
        const [a, b] = layer ? [ahead[k + 1].out[layer - 1], behind[k + 1].out[layer - 1]] : [spelled(token), spelled(token)];
        flat.set(a, 2 * projection * k), flat.set(b, 2 * projection * k + projection);
      });
      return flat;
    });
    const around = (place) => { const both = new Float32Array(2 * projection); both.set(ahead[place].out.at(-1)); both.set(behind[place + 2].out.at(-1), projection); return both; };
    const of = (place) => layers.map((flat) => flat.subarray(2 * projection * place, 2 * projection * (place + 1)));
    return { layers, around, of };
  }

  return { encode, spelled, n_layers: n_layers + 1, dim: 2 * projection, projection };
}
