// The page's questions, answered from one pack: two sentences in, all that is drawn of them out.

const FOR_VECTORS = 2 << 20; // bytes
const TEN = 10, MASS = 0.25; // expected words, and the probability that they have together where they are good

// `parts` of the unpacked file, which may be forgotten afterwards.
function newReader(parts, plain = false) {
  const kernel = newKernel(parts, FOR_VECTORS, plain), pack = opened(kernel.whole), network = newNetwork(pack, kernel);
  const names = pack.has("static.words") ? pack.lines("static.words") : [], known = pack.has("static") ? pack.rows("static") : null;
  const numbers = new Map(names.map((word, k) => [word, k]).reverse()), ranks = names.some((word) => word.includes(JOINER)) ? new Map(names.map((word, k) => [bare(word), k]).reverse()) : numbers;
  const statics = {
    dim: known ? pack.facts.static_dim : 0,
    row(word) {
      const result = [word, word.toLowerCase(), word.normalize("NFC"), word.normalize("NFC").toLowerCase()].find((form) => numbers.get(form) < known?.rows);
      return result === undefined ? -1 : numbers.get(result);
    },
    at: (row) => Float32Array.from({ length: pack.facts.static_dim }, (_, k) => known.weights[row * known.columns + k] * known.scales[row]),
  };
  const words = newWords(pack.facts.words, ranks), substitutes = newSubstitutes(pack, kernel, words), senses = newSenses(pack, network, statics, substitutes), labeled = newLabeled(pack, network, words);
  const letters = new RegExp(`^(?:${pack.facts.scripts.map((name) => `\\p{Script=${name}}`).join("|")}|\\P{L})*$`, "u");
  const joins = joinsBy(ranks), isWord = (token) => hasLetter(token) && letters.test(token);

  function at(tokens, position) {
    const read = network.encode(tokens), around = read.around(position);
    let expected;
    return { tokens, position, layers: read.of(position), around, expected: () => (expected ??= substitutes.vector(around, tokens[position])) };
  }
  // As the model reads it for a verdict: a capital that says nothing of the meaning is none (core.senses.verdict).
  function asRead(side, both, byCase) {
    const words_ = both.map(({ tokens, position }) => tokens[position]), spelled = words_.map((item) => folded(bare(item)));
    if (words_[0] === words_[1] || spelled[0] !== spelled[1]) return both[side].tokens;
    const capitals = words_.some((item) => bare(item).length > 1 && isUpper(bare(item))), opening = both.some(({ tokens, position }) => !isWordly(tokens.slice(0, position).join("")));
    if (!capitals && (byCase || !opening)) return both[side].tokens;
    return both[side].tokens.with(both[side].position, words_[side].replace(bare(words_[side]), spelled[side]));
  }
  // One meaning or two: { one_word, verdict, lemma, layer }.
  function judge(both) {
    const [a, b] = both, spelled = both.map(({ tokens, position }) => folded(bare(tokens[position]))), readAs = both.map(({ tokens, position }) => words.readIn(tokens, position));
    const result = both.map((_, k) => labeled.lemmaIn(spelled[k], readAs[k]));
    const layer = result.map((item) => item && labeled.lemmas.get(item).layer).find(Boolean) ?? pack.facts.calibration.layer;
    const read = (byCase) => both.map((item, k) => { const tokens = asRead(k, both, byCase); return tokens === item.tokens ? item : at(tokens, item.position); });
    const same = (of) => of[0].position === of[1].position && of[0].tokens[of[0].position] === of[1].tokens[of[1].position] && of[0].tokens.map(folded).join(" ") === of[1].tokens.map(folded).join(" ");
    let item = both.every(({ tokens, position }) => isWord(tokens[position]));
    if (item && spelled[0] !== spelled[1]) {
      const heard = spelled.map((word, k) => readAs[k] || word);
      item = (readAs.some(Boolean) ? heard[0] === heard[1] : words.sameWord(a.tokens, a.position, b.tokens, b.position)) || (result[0] !== null && result[0] === result[1]);
    }
    if (!item) return { one_word: false, verdict: null, lemma: "", layer };
    if (result[0] && result[0] === result[1]) {
      const of = labeled.ofLemma(result[0], senses), words_ = read(of.byCase), verdict = senses.ofLabeled(of, words_, same(words_));
      return { one_word: true, verdict: { ...verdict, name: !of.byCase && areNames(both), senses: verdict.senses.map((k) => (k === null ? null : of.senses[k])) }, lemma: result[0], layer: of.trust.layer };
    }
    const words_ = read(false);
    return { one_word: true, verdict: { ...senses.ofUnlabeled(words_, same(words_)), name: areNames(both) }, lemma: "", layer: pack.facts.calibration.layer };
  }
  function glove(a, b) {
    const rows = [a, b].map((word) => statics.row(word));
    if (rows.some((row) => row < 0)) return { cosine: null, known: rows.map((row) => row >= 0) };
    const vectors = rows.map((row) => statics.at(row));
    return { cosine: vectors.every((item) => norm(item) > 0) ? cosineOf(...vectors) : null, known: [true, true] };
  }
  function tokensOf(text) {
    const tokens = pack.facts.tokenizer === "spaces" ? text.split(/(?:[^\S\ufeff]|[\x1c-\x1f\x85])+/).map(plainSigns).filter(Boolean) : tokenize(text, joins);
    return (pack.facts.tokenizer === "hangul" ? tokens.flatMap((token) => cutHangul(token, substitutes.has)) : tokens).slice(0, pack.facts.most_words);
  }
  // Whether a token is written as a name: core.text.readings.WordInContext.is_name.
  function isName({ tokens, position }) {
    const before = position ? bare(tokens[position - 1]) : "", word = bare(tokens[position]);
    return hasCapital(word) && word !== "I" && isWordly(before.at(-1)) && tokens.some((item) => /^\P{Lu}*\p{Ll}\P{Lu}*$/u.test(item));
  }
  // Whether either word is written as a name, or both are spelled as names: core.senses.verdict.
  const areNames = (both) => both.some(isName) || both.map(({ tokens, position }) => bare(tokens[position])).every((word) => substitutes.has(word) && !substitutes.has(word.toLowerCase()));
  // Why a word's substitutes may say little, or "": core.elmo.substitutes.weakness.
  function weakness(tokens, position, direction) {
    const spelled = tokens.flatMap((token, k) => (isWordly(bare(token)) ? [k] : []));
    if (spelled.length === 1 && spelled[0] === position) return "alone";
    if (!words.candidates(tokens).some((item) => item.position === position)) return "grammar";
    if (isName({ tokens, position })) return "name";
    if (position === spelled[0] && direction !== "backward") return "first";
    return position === spelled.at(-1) && direction !== "forward" ? "last" : "";
  }

  // Which tokens there are and which are meant; nothing is read by the network yet.
  function question(texts, tapped) {
    const tokens = texts.map(tokensOf), held = tapped.map((item, side) => {
      if (!item) return null;
      const { position, word } = item, of = tokens[side];
      if (position < of.length && (!word || of[position] === word)) return position;
      const result = word ? of.findIndex((token) => folded(bare(token)) === folded(bare(word))) : -1; // it may have moved
      return result < 0 ? null : result;
    });
    return { tokens, positions: words.inQuestion(tokens, held), shown: tokens.map(pieces) };
  }
  // The words expected in a place, and whether they are good enough to be shown: core.elmo.substitutes.are_good.
  function expectedAt({ around, tokens, position }, direction, k) {
    const words_ = substitutes.likeliest(around, tokens[position], Math.max(k, TEN), direction), sum = words_.slice(0, TEN).reduce((total, [, share]) => total + share, 0);
    return { words: words_.slice(0, k), good: !weakness(tokens, position, direction) && sum >= MASS };
  }
  // What Home shows: angles, verdict, substitutes.
  function pair({ tokens, positions }, direction, k = 10) {
    const both = tokens.map((of, side) => at(of, positions[side])), spelled = both.map((item) => bare(item.tokens[item.position])), n = network.n_layers, spaces = [...Array(n).keys()].map(String).concat("mix");
    const values = spaces.map((space) => cosineOf(...both.map((item) => mixOf(item.layers, weightsOf(space, n)))));
    const lemmas = both.map((item) => labeled.lemmaIn(folded(bare(item.tokens[item.position])), words.readIn(item.tokens, item.position)));
    const scene = lemmas[0] && lemmas[0] === lemmas[1] ? labeled.sceneOf(labeled.ofLemma(lemmas[0], senses), both, senses) : null;
    return {
      scene, words: spelled, foreign: spelled.find((word) => hasLetter(word) && !letters.test(word))?.slice(0, 40) ?? "", spaces, values,
      ...glove(both[0].tokens[both[0].position], both[1].tokens[both[1].position]), judgment: judge(both),
      expected: both.map((item) => expectedAt(item, direction, k)),
    };
  }
  // What the sliders and the map show, of the labeled word that is meant; else the nearest of all labeled sentences.
  function around({ tokens, positions }) {
    const both = tokens.map((of, side) => at(of, positions[side]));
    const result = both.map((item) => labeled.lemmaIn(folded(bare(item.tokens[item.position])), words.readIn(item.tokens, item.position))), name = result[0] ?? result[1];
    if (!name) {
      const parts = both.map(labeled.amongAll), rows = [...new Set(parts.flatMap((part) => part.rows))];
      return { lemma: null, parts, between: crossOf(both[0].layers, both[1].layers), lines: Object.fromEntries(rows.map((row) => [row, labeled.lineOf(row)])), stars: [] };
    }
    const of = labeled.ofLemma(name, senses);
    return { lemma: name, parts: both.map((item) => labeled.among(of, item)), between: crossOf(both[0].layers, both[1].layers), stars: both.flatMap((item, side) => (result[side] === name ? [{ side, spaces: labeled.star(of, item) }] : [])) };
  }
  // All of a labeled word that stays while its sentences are typed.
  function word(name) {
    const of = labeled.ofLemma(name, senses);
    return { name, rows: of.rows, labels: of.labels, senses: of.senses, lines: of.lines, places: of.places, links: labeled.dotLinks(of), pairs: labeled.pairsOf(of), chance: labeled.chanceOf(of) };
  }
  return { question, pair, around, word, encode: network.encode, judge, at, fast: kernel.fast, substitutes, labeled, words };
}
