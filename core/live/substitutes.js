// The words that both directions expect in a token's place, as core/elmo/substitutes.py has it.

const SPECIALS = 3, COMMONEST = 200, LONGEST_BEGINNING = 3;

function newSubstitutes(pack, kernel, words) {
  const softmax = pack.rows("softmax"), product = kernel.matrix(softmax), bias = pack.floats("softmax.bias"), vocabulary = pack.lines("softmax.words");
  const named = vocabulary.length, size = pack.facts.vocabulary, width = pack.facts.shape.projection;
  const sampled = pack.array("sampled"), halves = pack.floats("sampled.halves"), mean = pack.floats("whitening.mean"), whitening = pack.floats("whitening");
  const numbers = new Map(), own = new Map();
  vocabulary.forEach((word, k) => { if (k >= SPECIALS) { const key = folded(bare(word)); numbers.set(key, [...(numbers.get(key) ?? []), k]); } });
  const never = Uint8Array.from(vocabulary, (word, k) => +(k < SPECIALS + Math.min(COMMONEST, Math.floor(size / 10)) || !hasLetter(word) || word.startsWith(JOINER)));

  // Entries of the vocabulary that are the word, or a form of the same word.
  function formsOf(word) {
    if (own.has(word)) return own.get(word);
    const spelled = folded(bare(word)), ascii = /^[\x00-\x7f]*$/.test(spelled), wanted = new Set([spelled, ...(ascii ? words.lemmas(spelled) : [])]), same = new Set(wanted);
    for (const [form, of] of words.irregular) if (of.some((item) => wanted.has(item))) same.add(form);
    const beginnings = [...wanted].map((key) => key.slice(0, Math.max(1, Math.min(LONGEST_BEGINNING, key.length - 1))));
    if (ascii) for (const entry of numbers.keys()) {
      if (beginnings.some((item) => entry.startsWith(item)) && words.lemmas(entry).some((item) => wanted.has(item))) same.add(entry);
    }
    const hit = new Set([...same].flatMap((entry) => numbers.get(entry) ?? []));
    if (own.size > 500) own.clear();
    own.set(word, hit);
    return hit;
  }
  const stateOf = (place, direction) => place.slice(0, width).map((item, k) => (direction === "forward" ? item : direction === "backward" ? place[width + k] : item + place[width + k]));

  // The k likeliest: [word, share of the words that may answer], best first.
  function likeliest(place, word, k, direction = "both") {
    const logits = product.times(stateOf(place, direction), named), forms = formsOf(word), best = [];
    let most = -Infinity, sum = 0;
    for (let n = 0; n < named; n++) {
      logits[n] = never[n] || forms.has(n) ? -Infinity : logits[n] + bias[n];
      if (logits[n] > most) most = logits[n];
    }
    for (let n = 0; n < named; n++) {
      if (logits[n] === -Infinity) continue;
      sum += Math.exp(logits[n] - most);
      if (best.length === k && logits[n] <= best[k - 1][1]) continue;
      const at = best.findIndex((item) => item[1] < logits[n]);
      best.splice(at < 0 ? best.length : at, 0, [n, logits[n]]);
      best.length = Math.min(best.length, k);
    }
    return best.map(([n, logit]) => [bare(vocabulary[n]), Math.exp(logit - most) / sum]);
  }

  // (P,): the sum over the substitutes of sqrt(p) times their whitened softmax weights, to length 1.
  function vector(place, word) {
    const answers = product.times(stateOf(place, "both").map((item) => item / 2)), forms = formsOf(word), sums = new Float64Array(width), result = new Float32Array(width);
    let most = -Infinity, total = 0;
    const root = (k) => (forms.has(sampled[k]) ? -Infinity : answers[sampled[k]] + halves[k]);
    for (let k = 0; k < sampled.length; k++) { const item = root(k); if (item > most) most = item; }
    for (let k = 0; k < sampled.length; k++) {
      const by = Math.exp(root(k) - most);
      if (by < 1e-5) continue;
      total += by;
      const scaled = by * softmax.scales[sampled[k]], at = sampled[k] * softmax.columns;
      for (let d = 0; d < width; d++) sums[d] += scaled * softmax.weights[at + d];
    }
    for (let d = 0; d < width; d++) { const item = sums[d] - total * mean[d]; for (let j = 0; j < width; j++) result[j] += item * whitening[d * width + j]; }
    return unit(result);
  }
  const all = new Set(vocabulary);
  return { likeliest, vector, formsOf, has: (word) => all.has(word) };
}
