// The labeled sentences: the word's rows, what is near in any mix (core/index/neighbors.py), and its map (core/analysis/aligned_umap.py).

const TRUE_NEIGHBORS = 10, TO_PLACE = 8, TIED = 1e-5, EACH = 40;

function newLabeled(pack, network, words) {
  // Maps: a plain object also has what it inherits, such as "constructor".
  const lemmas = new Map(Object.entries(pack.facts.lemmas)), forms = new Map(Object.entries(pack.facts.forms)), { senses, spaces } = pack.facts, n = network.n_layers;
  const sentences = pack.lines("labeled.tokens"), position = pack.array("labeled.position"), lemma = pack.array("labeled.lemma"), sense = pack.array("labeled.sense"), pos = pack.array("labeled.pos");
  const vectors = [...Array(n - 1).keys()].map((k) => pack.rows(`labeled.layer.${k + 1}`)), expected = pack.has("labeled.substitutes") && pack.rows("labeled.substitutes");
  const flat = pack.floats("labeled.places"), opened = new Map(), N = position.length;
  const tokensOf = (row) => sentences[row].split(" ");
  const rowOf = (of, row) => { const at = row * of.columns; return Float32Array.from({ length: of.columns }, (_, k) => of.weights[at + k] * of.scales[row]); };
  function layersOf(row) {
    const word = network.spelled(tokensOf(row)[position[row]]);
    return [joinedUp([word, word]), ...vectors.map((of) => rowOf(of, row).subarray(0, network.dim))];
  }
  // The labeled word that a form belongs to, or null.
  function lemmaOf(word) {
    if (lemmas.has(word)) return word;
    if (words.isOwn(word)) return null;
    return forms.get(word) ?? words.dictionaryForms(word).find((form) => lemmas.has(form)) ?? pack.facts.words.stems.find((stem) => word.startsWith(stem)) ?? null;
  }
  const lemmaIn = (spelling, readAs) => (readAs ? (lemmas.has(readAs) ? readAs : null) : lemmaOf(spelling));
  const foldedTokens = (tokens) => tokens.map(folded).join(" ");

  // All of one word that needs no sentence of the reader's.
  function ofLemma(name, senses_) {
    if (opened.has(name)) return opened.get(name);
    const code = pack.facts.lemma_names.indexOf(name), rows = [...lemma.keys()].filter((row) => lemma[row] === code), facts = lemmas.get(name);
    const tokens = rows.map(tokensOf), layers = rows.map(layersOf), topics = tokens.map((item, k) => senses_.topic(item, position[rows[k]]));
    const of = {
      name, code, rows, layers, topics, senses: facts.senses, trust: facts, map: facts.map, byCase: facts.by_case,
      labels: rows.map((row) => facts.senses.indexOf(senses[sense[row]])), pos: rows.map((row) => pos[row]),
      parts: expected ? rows.map((row, k) => senses_.partsOf(layers[k], topics[k], rowOf(expected, row).subarray(0, network.projection))) : null,
      isAt: (k, own, at) => at === position[rows[k]] && foldedTokens(own) === (folds[k] ??= foldedTokens(tokens[k])),
      grams: layers.map(gramOf),
      places: spaces.map((_, k) => rows.map((row) => [flat[2 * (k * N + row)], flat[2 * (k * N + row) + 1]])),
      lines: rows.map((row, k) => lineAt(tokens[k], position[row])),
    };
    const folds = [];
    opened.set(name, of);
    return of;
  }
  // Products of all pairs of a word's rows (upper triangle), for how well a mix tells its senses apart.
  const pairsOf = (of) => joinedUp(of.layers.flatMap((a, i) => of.layers.slice(i).map((b) => crossOf(a, b))));
  // How often the nearest other row has one's own sense if the senses are dealt at random.
  function chanceOf({ labels, senses: names }) {
    const counts = names.map((_, k) => labels.filter((item) => item === k).length);
    return counts.reduce((sum, item) => sum + item * (item - 1), 0) / (labels.length * (labels.length - 1));
  }

  // A token's products with a word's rows, its own sentence left out.
  function among(of, { tokens, position: at, layers }) {
    const keep = of.rows.map((_, k) => k).filter((k) => !(at === position[of.rows[k]] && sentences[of.rows[k]] === tokens.join(" ")));
    return { rows: keep.map((k) => of.rows[k]), cross: joinedUp(keep.map((k) => crossOf(layers, of.layers[k]))), grams: joinedUp(keep.map((k) => of.grams[k])), own: gramOf(layers) };
  }
  // Of a word without labels: the nearest of all labeled sentences, in each layer and their mix.
  function amongAll({ layers }) {
    const chosen = new Set(), mine = layers.slice(1).map(unit);
    const values = [...Array(n - 1).keys()].map((k) => Float32Array.from({ length: N }, (_, row) => dotRow(vectors[k], row, mine[k])));
    for (const item of [...values, values[0].map((_, row) => values.reduce((sum, of) => sum + of[row], 0))]) for (const row of ranked(item).slice(0, EACH)) chosen.add(row);
    const rows = [...chosen].sort((a, b) => a - b), result = rows.map(layersOf);
    return { rows, cross: joinedUp(result.map((item) => crossOf(layers, item))), grams: joinedUp(result.map(gramOf)), own: gramOf(layers) };
  }
  const lengths = vectors.map((of) => Float32Array.from({ length: N }, (_, row) => { let sum = 0; for (let k = 0, at = row * of.columns; k < of.columns; k++, at++) sum += of.weights[at] ** 2; return Math.sqrt(sum); }));
  function dotRow(of, row, vector) {
    let sum = 0;
    for (let k = 0, at = row * of.columns; k < vector.length; k++, at++) sum += of.weights[at] * vector[k];
    return sum / lengths[vectors.indexOf(of)][row];
  }

  // ---- the map

  const inSpace = (layers, space) => unit(mixOf(layers, weightsOf(space, n)));
  const median = (values) => { const sorted = [...values].sort((a, b) => a - b), middle = sorted.length >> 1; return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2; };
  // Where a token goes, from its nearest among the dots: where these lie densest.
  function insert(places, cosines) {
    const near = ranked(cosines).slice(0, TO_PLACE), distances = near.map((k) => Math.max(0, 1 - cosines[k])), least = Math.min(...distances), beyond = distances.map((item) => item - least);
    const mean = beyond.reduce((a, b) => a + b, 0) / near.length, weights = beyond.map((item, k) => Math.exp(-item / (mean + 1e-9)) / (distances[k] + 1e-6));
    const apart = near.map((a) => near.map((b) => Math.hypot(places[a][0] - places[b][0], places[a][1] - places[b][1])));
    const width = 2 * median(apart.map((row) => [...row].sort((a, b) => a - b)[near.length >> 2])), kernel = apart.map((row) => row.map((item) => 1 / (1 + (item / (width + 1e-9)) ** 4)));
    const dense = kernel.map((row) => dot(row, weights)), share = kernel[dense.indexOf(Math.max(...dense))].map((item, k) => item * weights[k]), sum = share.reduce((a, b) => a + b, 0);
    return [0, 1].map((axis) => near.reduce((total, k, j) => total + share[j] * places[k][axis], 0) / sum);
  }
  // A point's true neighbors, and which of them the map has near: core.analysis.word_maps.links.
  function links(cosines, places, at, own) {
    const others = [...cosines.keys()].filter((k) => k !== own), order = ranked(others.map((k) => cosines[k])).map((k) => others[k]);
    const last = order.length ? cosines[order[Math.min(TRUE_NEIGHBORS, order.length) - 1]] : 0, tied = order.filter((k) => Math.abs(cosines[k] - last) <= TIED).length;
    const crowded = order.length > TRUE_NEIGHBORS && order.filter((k) => cosines[k] >= last - TIED).length > TRUE_NEIGHBORS;
    const chosen = crowded ? order.filter((k) => cosines[k] > last + TIED) : order.slice(0, TRUE_NEIGHBORS), ways = places.map(([x, y]) => Math.hypot(x - at[0], y - at[1]));
    const reach = chosen.length ? others.map((k) => ways[k]).sort((a, b) => a - b)[chosen.length - 1] : 0;
    return [chosen, chosen.map((k) => +(ways[k] <= reach + 1e-9)), chosen.map((k) => Math.round(1000 * cosines[k]) / 1000), crowded ? tied : 0, others.length];
  }
  // Links of each dot, once a word.
  function dotLinks(of) {
    of.units ??= spaces.map((space) => of.layers.map((item) => inSpace(item, space)));
    return (of.links ??= of.rows.map((_, k) => spaces.map((_, s) => links(of.units[s].map((item) => dot(item, of.units[s][k])), of.places[s], of.places[s][k], k))));
  }
  // A token's place and links in every space; a sentence that is among the dots lies on its dot.
  function star(of, { tokens, position: at, layers }) {
    dotLinks(of);
    const own = of.rows.findIndex((row) => position[row] === at && sentences[row] === tokens.join(" "));
    return spaces.map((space, s) => {
      const mine = inSpace(layers, space), cosines = of.units[s].map((item) => dot(item, mine)), place = insert(of.places[s], cosines);
      return { place, links: links(cosines, of.places[s], place, own < 0 ? undefined : own) };
    });
  }

  // ---- Home's picture: core/senses/scene.py

  const unitMix = (layers, space) => unit(mixOf(layers.map(unit), weightsOf(space, n)));
  // A word's dots and names, and both tokens as stars on axes that have seen neither; a sentence that is among the dots lies on its dot.
  function sceneOf(of, both, senses_) {
    const { scene } = of.trust, dots = scene.rows.length, numbers = (of.scene ??= pack.floats("scene")), average = (of.average ??= [0, 1, 2].map((part) => of.parts && meanOf(of.parts.map((item) => item[part]))));
    let at = scene.at + 2 * dots * scene.spaces.length;
    const points = scene.spaces.map((_, s) => Array.from({ length: dots }, (_, k) => [...numbers.subarray(scene.at + 2 * (s * dots + k), scene.at + 2 * (s * dots + k) + 2)]));
    const own = both.map((item) => scene.rows.findIndex((row) => position[row] === item.position && sentences[row] === item.tokens.join(" ")));
    const alone = both.map(({ tokens, position: place }) => network.encode([tokens[place]]).of(0)), stars = [], nearest = [];
    scene.spaces.forEach((space, s) => {
      const size = scene.sizes[s], axes = numbers.subarray(at, (at += 2 * size)), off = numbers.subarray(at, (at += 2));
      const means = scene.senses.map((_, sense) => [0, 1].map((axis) => { const of_ = points[s].filter((_, k) => scene.sense_of[k] === sense); return of_.reduce((sum, place) => sum + place[axis], 0) / of_.length; }));
      const placed = both.map((item, k) => {
        if (own[k] >= 0) return points[s][own[k]];
        const row = space === "senses" ? senses_.placed(senses_.partsOf(item.layers, senses_.topic(item.tokens, item.position), item.expected()), average, of.map) : less(unitMix(item.layers, space), unitMix(alone[k], space));
        return [0, 1].map((axis) => dot(row, axes.subarray(axis * size, (axis + 1) * size)) - off[axis]);
      });
      stars.push(placed);
      nearest.push(placed.map(([x, y], k) => { const ways = means.map((mean) => Math.hypot(mean[0] - x, mean[1] - y)); return own[k] >= 0 ? scene.clouds[s][own[k]] : ways.indexOf(Math.min(...ways)); }));
    });
    return { lemma: of.name, spaces: scene.spaces, senses: scene.senses, sense_of: scene.sense_of, in_own: scene.in_own, names: scene.names, rows: scene.rows, lines: scene.rows.map((row) => lineAt(tokensOf(row), position[row])), points, stars, nearest };
  }
  return { sceneOf, lemmaOf, lemmaIn, ofLemma, pairsOf, chanceOf, among, amongAll, dotLinks, star, lineOf: (row) => lineAt(tokensOf(row), position[row]), lemmas };
}
