// One meaning or two, by core's rule (core/senses/verdict.py, core/senses/evidence.py, core/index/sense_space.py).

const VOTERS = 8, FEWEST = 3, SHARPNESS = 10, SURE = 0.64, CLEAR = 0.4, SOFT = 0.1, SOFT_MIDDLES = 0.02, SPACE_LAYER = 1, TOPIC_COMMONEST = 200, SHRINKAGE = 0.6;

function newSenses(pack, network, statics, substitutes) {
  const { calibration } = pack.facts, hasSpace = pack.has("labeled.substitutes"), learned = pack.has("space.maps") ? { maps: pack.rows("space.maps"), mean: pack.floats("space.mean") } : null;
  const centers = ["token", "place", "topic", "senses"].map((name) => pack.has(`center.${name}`) && pack.floats(`center.${name}`));

  // The sum of the other words' static vectors, the commonest left out.
  function topic(tokens, position) {
    const sum = new Float32Array(statics.dim || 1);
    tokens.forEach((token, k) => {
      const row = k === position ? -1 : statics.row(token);
      if (row >= TOPIC_COMMONEST) { const vector = statics.at(row); for (let d = 0; d < sum.length; d++) sum[d] += vector[d]; }
    });
    return sum;
  }
  // The three parts of the sense space, each of length 1.
  const partsOf = (layers, about, expected) => [unit(layers[SPACE_LAYER]), unit(about), unit(expected)];
  const wholeMean = () => { let end = 0; return [2 * network.projection, statics.dim || 1, network.projection].map((size) => learned?.mean.subarray(end, (end += size)) ?? new Float32Array(size)); };
  // Each part minus the mean's, to length 1, then the map of that number where any was learned.
  function placed(parts, mean, number) {
    const joined = joinedUp(parts.map((part, k) => (norm(part) > 1e-6 ? unit(less(part, mean[k])) : part.map(() => 0))));
    if (!learned) return unit(joined);
    const { maps } = learned, sum = new Float32Array(maps.columns);
    for (let v = 0; v < joined.length; v++) {
      const row = number * joined.length + v, by = joined[v] * maps.scales[row], at = row * maps.columns;
      if (by) for (let d = 0; d < sum.length; d++) sum[d] += by * maps.weights[at + d];
    }
    return unit(sum);
  }

  const there = (row) => norm(row) > 1e-9;
  function centeredBy(reference) {
    const used = reference.filter(there).map(unit);
    if (!used.length) return unit;
    const mean = meanOf(used);
    return (row) => (there(row) ? unit(less(unit(row), mean)) : row);
  }
  // Which rows have a middle together (core/senses/evidence.py): those of a sense in one part of speech, where they are not too few.
  function groupsOf(labels, pos) {
    const counts = new Map();
    labels.forEach((label, k) => counts.set(label, (counts.get(label) ?? new Map()).set(pos[k], (counts.get(label)?.get(pos[k]) ?? 0) + 1)));
    const main = new Map([...counts].map(([label, of]) => [label, [...of].sort(([a, m], [b, n]) => n - m || a - b)[0][0]]));
    return labels.map((label, k) => `${label} ${counts.get(label).get(pos[k]) < FEWEST ? main.get(label) : pos[k]}`);
  }
  // What labeled rows say of others: { directions, votes, middles }, of each other row.
  function shares(labeled, labels, pos, rows, n) {
    const centered = centeredBy(labeled), known = labeled.map(centered), directions = rows.map(centered), counts = Array(n).fill(0);
    for (const label of labels) counts[label]++;
    const groups = groupsOf(labels, pos), middles = counts.map(() => []);
    for (const group of new Set(groups)) middles[labels[groups.indexOf(group)]].push(unit(meanOf(known.filter((_, k) => groups[k] === group))));
    const whole = (values) => { const sum = values.reduce((a, b) => a + b, 0); return values.map((item) => item / sum); };
    const votes = directions.map((row) => {
      const votes = Array(n).fill(0);
      for (const k of ranked(known.map((item) => dot(row, item))).slice(0, VOTERS)) votes[labels[k]] += 1 / counts[labels[k]];
      return whole(votes);
    });
    const given = directions.map((row) => {
      const cosines = middles.map((own) => Math.max(...own.map((middle) => dot(row, middle)))), most = Math.max(...cosines);
      return whole(cosines.map((item) => Math.exp(SHARPNESS * (item - most))));
    });
    return { directions, votes, middles: given };
  }
  // The probability of each sense for other rows (core/senses/evidence.py). The covariance is a sphere plus the within-sense products
  // of k rows, so that a system of k equations inverts it.
  function posteriors(labeled, labels, points, n) {
    const mean = meanOf(labeled), known = labeled.map((row) => less(row, mean)), counts = Array(n).fill(0);
    for (const label of labels) counts[label]++;
    const names = [...counts.keys()].filter((label) => counts[label]), means = names.map((label) => meanOf(known.filter((_, k) => labels[k] === label)));
    const within = known.map((row, k) => { const by = Math.sqrt(1 / (names.length * counts[labels[k]])); return less(row, means[names.indexOf(labels[k])]).map((item) => item * by); });
    const width = (SHRINKAGE * within.reduce((sum, row) => sum + dot(row, row), 0)) / Math.min(known.length - 1, mean.length);
    const all = names.length < 2 || width < 1e-12;
    const system = within.map((row, k) => within.map((other, j) => (1 - SHRINKAGE) * dot(row, other) + (k === j ? width : 0)));
    const slopes = all ? [] : means.map((item) => {
      const shares = solved(system, within.map((row) => dot(row, item)));
      return item.map((value, d) => (value - (1 - SHRINKAGE) * within.reduce((sum, row, k) => sum + shares[k] * row[d], 0)) / width);
    });
    return points.map((point) => {
      const at = less(point, mean), result = Array(n).fill(0);
      const scores = names.map((_, k) => (all ? 0 : dot(at, slopes[k]) - dot(means[k], slopes[k]) / 2)), most = Math.max(...scores);
      const shares = scores.map((score) => Math.exp(score - most)), sum = shares.reduce((a, b) => a + b, 0);
      names.forEach((label, k) => { result[label] = shares[k] / sum; });
      return result;
    });
  }
  const agreed = (values) => dot(values[0], values[1]);
  function probabilityOf(inputs, coefficients) {
    const [constant, slope, bend] = coefficients.slice(inputs.length), z = inputs.reduce((sum, item, k) => sum + item * coefficients[k], constant);
    return 1 / (1 + Math.exp(-(slope * z + bend * z * Math.abs(z))));
  }
  const odds = (share, soft) => Math.log((share + soft) / (1 - share + soft));
  const leader = (shares) => { const [first, second] = ranked(shares); return shares[first] - shares[second] >= CLEAR ? first : null; };
  function said(probability, layer, more = {}) {
    const certainty = Math.max(probability, 1 - probability);
    return { probability, layer, certainty, says: certainty < SURE ? "close" : probability > 0.5 ? "one" : "two", ...more };
  }

  // Two tokens { tokens, position, layers, around } of a word with labeled senses: `of` its rows (labeled.js).
  function ofLabeled(of, both, same) {
    const { layer, above_chance: trust } = of.trust, weights = weightsOf(layer, network.n_layers), n = of.senses.length;
    const keep = of.rows.map((_, k) => k).filter((k) => !both.some((item) => of.isAt(k, item.tokens, item.position)));
    const labels = keep.map((k) => of.labels[k]), pos = keep.map((k) => of.pos[k]);
    const token = shares(keep.map((k) => unit(mixOf(of.layers[k], weights))), labels, pos, both.map((item) => unit(mixOf(item.layers, weights))), n);
    const about = both.map((item) => topic(item.tokens, item.position)), around = statics.dim ? shares(keep.map((k) => of.topics[k]), labels, pos, about, n) : null;
    let inSpace = [0.5, 0.5, 0], expected = 0, nearest = 0.5, named = token.middles;
    if (hasSpace) {
      const parts = keep.map((k) => of.parts[k]), mean = [0, 1, 2].map((part) => meanOf(parts.map((item) => item[part])));
      const own = both.map((item, k) => placed(partsOf(item.layers, about[k], item.expected()), mean, of.map));
      const places = parts.map((item) => placed(item, mean, of.map)), space = shares(places, labels, pos, own, n), centered = centeredBy(parts.map((item) => item[2]));
      named = space.middles;
      nearest = agreed(posteriors(places, labels, own, n));
      expected = agreed(both.map((item) => centered(unit(item.expected()))));
      inSpace = [agreed(space.votes), agreed(space.middles), agreed(space.directions)];
    }
    const read = { senses: named.map(leader) };
    if (same) return said(1, layer, read);
    const votes = odds(agreed(token.votes), SOFT), given = odds(agreed(token.middles), SOFT_MIDDLES), near = agreed(token.directions);
    const inputs = [votes, votes * trust, given, given * trust, near, near * trust, trust, odds(around ? agreed(around.middles) : 0.5, SOFT_MIDDLES), odds(inSpace[0], SOFT), odds(inSpace[1], SOFT_MIDDLES), inSpace[2]];
    inputs.push(around ? agreed(around.directions) : 0, expected, odds(nearest, SOFT_MIDDLES));
    const evidence = { ...(around ? { around: inputs[11] } : {}), ...(hasSpace ? { senses: inputs[10], expected: inputs[12], nearest: inputs[13] } : {}) };
    return said(probabilityOf(inputs, calibration.votes), layer, { ...read, evidence });
  }

  // Two tokens of any other word.
  function ofUnlabeled(both, same) {
    const { layer } = calibration, weights = weightsOf(layer, network.n_layers);
    if (same) return said(1, layer);
    const views = both.map((item) => {
      const alone = network.encode([item.tokens[item.position]]).of(0), about = unit(topic(item.tokens, item.position));
      const token = less(unit(mixOf(item.layers, weights)), unit(mixOf(alone, weights)));
      return [token, item.around, about, hasSpace ? placed(partsOf(item.layers, about, item.expected()), wholeMean(), pack.facts.folds) : new Float32Array(1)];
    });
    if (!centers[0]) return said(probabilityOf([dot(unit(views[0][0]), unit(views[1][0]))], calibration.alone), layer);
    const known = centers.map((_, k) => views.every((item) => there(item[k])));
    const cosines = centers.map((center, k) => (known[k] ? dot(...views.map((item) => unit(less(item[k], center)))) : 0));
    const evidence = Object.fromEntries([["expected", 1], ["around", 2], ["senses", 3]].filter(([, k]) => known[k]).map(([kind, k]) => [kind, cosines[k]]));
    return said(probabilityOf(cosines, calibration.alone), layer, { evidence });
  }
  return { ofLabeled, ofUnlabeled, topic, partsOf, placed };
}
