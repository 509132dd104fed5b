// The page: what is typed goes to the worker, what comes back to the widgets of the app (Home's picture and curves, Mix, Map), each in a shadow tree
// with its own style. Nothing here computes with vectors, and nothing is asked of any host.

(() => {
  const { texts, examples, language: written, colors, model, instruments: looks, pack_facts: facts, densities } = ELMOSCOPE;
  const q = (name) => document.querySelector(name), SIDES = ["a", "b"], NEUTRAL = "#8c8c96", REST_MS = 250;
  const make = (tag, given = {}, ...inside) => { const node = Object.assign(document.createElement(tag), given); node.append(...inside); return node; };
  const filled = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => (Object.hasOwn(values, name) ? values[name] : whole));
  const given = new URLSearchParams(location.hash.slice(1));
  const state = {
    texts: ["", ""], tapped: [null, null], layer: given.get("layer"), view: null, id: 0, asked: null, pair: null, around: null,
    language: given.get("lang") ?? (navigator.language.startsWith("ko") && !written ? "ko" : written || "en"),
  };
  let t, worker, ready = false, busy = false, waiting = false, timer = 0, seq = {}, cut = "";
  const word = new Map(), calls = new Map(), boxes = [], seen = { mix: false, map: false }, stale = { mix: false, map: false };

  // ---- instruments

  function mount(name, host) {
    const tree = host.attachShadow({ mode: "open" }), parentElement = make("div");
    parentElement.innerHTML = looks[name].html; // the app's own, written into this file when it was made
    tree.append(make("style", { textContent: looks[name].css }), parentElement);
    let stop = null;
    return (data, handlers) => {
      const after = INSTRUMENTS[name]({ data, parentElement, setStateValue: (_, value) => handlers.set?.(value), setTriggerValue: (what, value) => handlers[what]?.(value) });
      stop?.();
      stop = after;
    };
  }
  const mounted = Object.fromEntries(["expected", "curves", "mix", "map"].map((name) => [name, mount(name, q(`.${name}-host`))]));
  mounted.picture = mount("map", q(".picture-host"));

  const encoded = (numbers) => {
    const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
    let text = "";
    for (let k = 0; k < bytes.length; k += 8192) text += String.fromCharCode(...bytes.subarray(k, k + 8192));
    return btoa(text);
  };
  // The layer at which pictures open; afterwards it changes by hand alone, whatever the words are.
  const layerShown = () => (state.pair.spaces.includes(state.layer) ? state.layer : facts.layer);

  // The word's labeled sentences and both typed ones, as core/live/widgets.py sends them in the app.
  function drawPicture() {
    const { pair, asked: request } = state, { scene: of } = pair, { scene: text } = t;
    q(".picture").hidden = !of, q(".picturing .none").hidden = Boolean(of);
    if (!of) return;
    const last = of.spaces.length - 1, view = of.spaces.includes(state.layer) ? state.layer : of.spaces[last], values = { word: pair.words[0], n: of.rows.length };
    const places = of.spaces.flatMap((_, s) => [...of.points[s], ...of.stars[s], ...of.names.map((each) => each[s])].flat()), drawn = of.spaces.flatMap((_, s) => [...of.points[s], ...of.stars[s]]);
    const along = (axis) => drawn.map((place) => place[axis]), isPoint = (s) => along(0).slice(s * (of.rows.length + 2), s * (of.rows.length + 2) + of.rows.length).every((x) => x === 0), key = `${state.id} ${state.language}`;
    const named = (list) => of.spaces.map((space, s) => list[space === "senses" ? list.length - 1 : s]);
    mounted.picture({
      key, compact: true, takes: true, ring: null, opens: !state.opened, news: { key, view, dot: "none", picked: [], seq: seq.picture },
      names: of.spaces, short: named(text.short), titles: named(text.titles), where: named(text.where), tints: named(colors.layers), places: encoded(Float32Array.from(places)),
      under: of.spaces.map((_, s) => (isPoint(s) ? text.point : filled(text.own, { n: of.in_own[s], all: of.rows.length }))),
      limits: [Math.min(...along(0)), Math.max(...along(0)), Math.min(...along(1)), Math.max(...along(1))], rows: of.rows, groups: [of.sense_of.map((sense) => sense + 1)], colors: [NEUTRAL, ...colors.senses],
      chips: [], shapes: of.sense_of, lines: of.lines, notes: of.sense_of.map((sense) => of.senses[sense]), words: null, axes: null, links: {},
      stars: request.shown.map((shown, k) => ({ name: k ? "second" : "first", label: text.stars[k], text: shown.join(""), color: colors.own[k] })),
      labels: of.senses.map((name, k) => ({ name, group: k + 1, color: colors.senses[k % colors.senses.length], ink: "#fff", shown: of.spaces.map((_, s) => +!isPoint(s)) })),
      text: { ...text, title: filled(text.title, values), alt: filled(text.alt, values) },
    }, { set: takeSet });
    state.opened = true;
  }
  // As core/live/widgets.py sends them in the app.
  function drawCurves() {
    const { scene: of, judgment: { verdict }, spaces, values } = state.pair, { curves: text } = t, row = (name, kind, value) => ({ ...densities[kind], name, value });
    if (!of || !verdict) return;
    const rows = Object.keys(text.kinds).filter((kind) => densities[kind] && verdict.evidence?.[kind] !== undefined).map((kind) => row(text.kinds[kind], kind, verdict.evidence[kind]));
    const plain = of.spaces.map((space) => (spaces.includes(space) ? space : facts.layer)).map((space) => (densities[space] ? row(text.plain[space], space, values[spaces.indexOf(space)]) : null));
    const one = Math.min(99, Math.max(1, Math.round(100 * verdict.probability))), sure = filled(text[verdict.says], { one, two: 100 - one });
    const favors = ({ low, high, value, same, different }) => { const k = Math.min(same.length - 1, Math.max(0, Math.trunc(((value - low) / (high - low)) * same.length))); return same[k] > different[k]; };
    const alt = [`${text.title}:`, ...rows.map((item) => filled(favors(item) ? text.like_same : text.like_different, { name: item.name })), sure].join(" ");
    mounted.curves({ rows, plain, colors: colors.curves, text: { ...text, sure, alt } }, {});
  }

  // The space that a hand has set, or the dot that was clicked: its sentence is then the second one.
  function takeSet(value) {
    const { scene: of } = state.pair;
    seq.picture = value.seq, state.layer = value.view;
    remember();
    const line = of?.lines[of.rows.indexOf(value.taken)];
    if (line) show([state.texts[0], line.join("")], [state.tapped[0]?.word ?? null, line[1]]);
  }

  function drawExpected() {
    const { pair } = state, { expected } = t, largest = Math.max(...pair.expected.flatMap((item) => item.words.map(([, share]) => share)), 1e-9);
    mounted.expected({
      ...expected,
      sides: pair.expected.map((of, k) => ({
        side: SIDES[k], which: t.which[k], color: colors.own[k],
        words: (of.good ? of.words : []).map(([name, share]) => ({ word: name, size: Math.sqrt(share / largest), label: filled(expected.put, { word: name, p: `${(100 * share).toFixed(1)}%` }) })),
      })),
    }, { put: (value) => put(SIDES.indexOf(value[0]), value.slice(2)) });
  }

  const lined = (of, k) => of.lines[k];
  function drawMix() {
    const { around, asked: request, pair } = state, of = word.get(around.lemma), { mix } = t, shown = pair.words[0], n = colors.layers.length - 2, values = { word: of?.name ?? shown, n: of?.rows.length ?? 0 };
    const lines = of ? Object.fromEntries(of.rows.map((row, k) => [row, [...lined(of, k), of.labels[k]]])) : Object.fromEntries(Object.entries(around.lines).map(([row, line]) => [row, [...line, -1]]));
    const names = [...Array(n).keys()].map((k) => [...Array(n).keys()].map((j) => (j === k ? 6 : -6))).concat([Array(n).fill(0), Array(n).fill(-6)]);
    mounted.mix({
      key: `${state.id} ${state.language}`, few: 5, colors: colors.layers.slice(0, n), marks: [], lines,
      asked: around.parts.map((part, k) => ({ title: filled(mix.nearest, { word: pair.words[k].slice(0, 24), number: k + 1 }), text: request.shown[k].join("").slice(0, 200), color: colors.own[k], rows: part.rows, cross: encoded(part.cross), grams: encoded(part.grams), own: encoded(part.own) })),
      between: encoded(around.between), presets: names.map((w, k) => ({ name: t.presets[k], w, title: filled(mix.weights, { w: w.join(", ") }) })),
      pairs: of ? (of.encoded ??= encoded(of.pairs)) : null, chance: of?.chance ?? null, senses: (of?.senses ?? []).map((name, k) => ({ name, color: colors.senses[k % colors.senses.length] })),
      map: of ? { rows: of.rows, layers: of.places.slice(0, n).map((flat) => flat.flat()), stars: around.stars.map(({ side, spaces }) => ({ asked: side, label: filled(mix.yours, { number: side + 1 }), layers: spaces.slice(0, n).map((item) => item.place) })) } : null,
      text: { ...mix, title: filled(mix.title, values), map: filled(mix.map, values) },
    }, {});
  }

  function drawMap() {
    const { around, asked: request } = state, of = word.get(around.lemma), { map, spaces } = t;
    q(".map-host").hidden = !of, q(".mapping .none").hidden = Boolean(of);
    if (!of) return;
    const stars = around.stars, names = state.pair.spaces, key = `${state.id} ${state.language}`;
    const places = names.flatMap((_, k) => [...of.places[k], ...stars.map((star) => star.spaces[k].place)].flat()), along = (axis) => places.filter((_, k) => k % 2 === axis);
    state.view ??= layerShown();
    window["elmoscope-map"] = { key, view: state.view, dot: stars.length ? "first second".split(" ")[stars[0].side] : "none", picked: [], seq: seq.map };
    mounted.map({
      key, names, short: spaces.short, titles: spaces.titles, where: spaces.where, under: names.map(() => ""), tints: colors.layers, places: encoded(Float32Array.from(places)),
      limits: [Math.min(...along(0)), Math.max(...along(0)), Math.min(...along(1)), Math.max(...along(1))], rows: of.rows, groups: [of.labels.map((label) => label + 1)], colors: [NEUTRAL, ...colors.senses],
      chips: of.senses.map((name, k) => ({ name, group: k + 1, shape: k, told: "" })), shapes: of.labels, lines: of.lines, notes: of.labels.map((label) => of.senses[label] ?? ""),
      stars: stars.map(({ side }) => ({ name: side ? "second" : "first", label: filled(t.mix.yours, { number: side + 1 }), text: request.shown[side].join(""), color: colors.own[side] })),
      labels: [], words: null, axes: null, text: { ...map, alt: filled(map.alt, { word: of.name, n: of.rows.length }) },
      links: Object.fromEntries([...of.links.map((links, k) => [k, links]), ...stars.map((star, k) => [of.rows.length + k, star.spaces.map((item) => item.links)])]),
    }, { set: (value) => { seq.map = value.seq; state.view = value.view; } });
  }

  // ---- the verdict

  function drawVerdict() {
    const { verdict: say } = t, node = q(".verdict"), { pair } = state, of = pair?.judgment;
    const lines = !pair ? [t.page.empty, ""] : pair.foreign ? say.foreign.map((text) => filled(text, { word: pair.foreign })) : of.verdict ? [titleOf(of.verdict, say), certainty(of.verdict, say)] : pair.words.every((item) => /\p{L}/u.test(item)) ? say.different : say.no_word;
    [node.firstChild.textContent, node.lastChild.textContent] = lines;
  }
  function titleOf({ says, senses }, say) {
    const [first, second] = senses ?? [], agrees = (first === second) === (says === "one");
    if (!first || !second || says === "close" || !agrees) return say[says];
    return says === "one" ? filled(say.one_sense, { sense: first }) : filled(say.two_senses, { first, second });
  }
  function certainty(of, say) {
    const two = Math.min(99, Math.max(1, Math.round(100 * (1 - of.probability))));
    const sure = of.probability >= 1 ? say.same : of.says === "close" ? filled(say.of_100, { two, one: 100 - two }) : filled(say.right, { n: Math.min(99, Math.round(100 * of.certainty)) });
    return [sure, of.name && of.probability < 1 ? say.names : ""].filter(Boolean).join(" ");
  }

  // ---- sentences

  function build() {
    q(".sentences").replaceChildren(...SIDES.map((side, k) => {
      const box = make("textarea", { id: side, rows: 2, maxLength: 2000, spellcheck: false }), label = make("label", { htmlFor: side }, make("i"), make("span")), tokens = make("div", { className: "tokens" });
      tokens.setAttribute("role", "group");
      box.oninput = () => { state.texts[k] = box.value; ask(); };
      const node = make("div", { className: "sentence" }, label, box, tokens);
      node.style.setProperty("--own", colors.own[k]);
      boxes.push({ box, label: label.lastChild, tokens });
      return node;
    }));
    q(".pills").replaceChildren(...examples.map(([name, a, b, forms]) => make("button", { type: "button", textContent: name, onclick: () => show([a, b], forms) })));
    q(".languages").replaceChildren(...Object.entries(texts).map(([code, { name }]) => make("button", { type: "button", textContent: name, lang: code, onclick: () => { state.language = code; dress(); remember(); } })));
    q(".copy").onclick = copy;
    for (const name of ["mix", "map"]) new IntersectionObserver(([entry]) => { seen[name] = entry.isIntersecting; refresh(); }, { rootMargin: "300px" }).observe(q(`.${name === "mix" ? "mixing" : "mapping"}`));
  }
  function show(sentences, tapped = [null, null]) {
    state.texts = [...sentences], state.tapped = tapped.map((item) => item && { word: item });
    boxes.forEach(({ box }, k) => (box.value = state.texts[k]));
    ask();
  }
  function drawTokens() {
    boxes.forEach(({ tokens }, side) => {
      const { shown, positions } = state.asked, words = shown[side];
      while (tokens.children.length > words.length) tokens.lastChild.remove();
      words.forEach((piece, k) => {
        const button = tokens.children[k] ?? tokens.appendChild(make("button", { type: "button" }));
        button.textContent = piece.trim();
        button.setAttribute("aria-pressed", k === positions[side]);
        button.hidden = k !== positions[side] && /^\p{P}+$/u.test(piece.trim()); // punctuation is not a chip
        button.onclick = () => { state.tapped[side] = { word: state.asked.tokens[side][k], position: k }; if (state.tapped[1 - side]?.position === undefined) state.tapped[1 - side] = null; ask(); };
      });
    });
    q(".pills").childNodes.forEach((pill, k) => pill.setAttribute("aria-pressed", examples[k][1] === state.texts[0] && examples[k][2] === state.texts[1]));
  }
  // A word in the place of a sentence's word in question; the other sentence keeps its own.
  function put(side, name) {
    const { tokens, positions } = state.asked, text = state.texts[side].normalize("NFC"), plain = text.replace(/[\u2019\u2018\u02bc\uff07\u00b4]/g, "'").replace(/[\u201c\u201d]/g, '"');
    let at = 0, start = 0;
    tokens[side].slice(0, positions[side] + 1).forEach((token) => { start = plain.indexOf(token, at); if (start >= 0) at = start + token.length; });
    if (start < 0) return;
    const capital = !/[\p{L}\p{N}]/u.test(text.slice(0, start)) && /\p{Lu}/u.test(text[start]), changed = capital ? name[0].toUpperCase() + name.slice(1) : name;
    positions.forEach((position, k) => { if (k !== side) state.tapped[k] = { word: tokens[k][position], position }; });
    state.tapped[side] = { word: changed, position: positions[side] };
    state.texts[side] = boxes[side].box.value = text.slice(0, start) + changed + text.slice(at);
    ask();
  }

  // ---- the worker

  function ask() {
    if (!ready) return;
    if (busy) { waiting = true; return; }
    busy = true, waiting = false;
    state.asking = ++state.id;
    worker.postMessage({ id: state.asking, texts: state.texts, tapped: state.tapped, direction: "both" });
  }
  function hear({ data }) {
    if (data.failed !== undefined) return failed(data);
    if (calls.has(data.id)) return answered(data);
    if (data.ready) { ready = true; document.documentElement.dataset.live = "ready"; return ask(); }
    if (data.word) { word.set(data.word.name, data.word); return refresh(); }
    if (data.asked) {
      done();
      calm();
      Object.assign(state, { asked: data.asked, pair: data.pair });
      q(".answer").hidden = !data.pair;
      drawVerdict(), drawTokens();
      if (data.pair) { drawPicture(), drawCurves(), drawExpected(); }
      document.documentElement.dataset.answered = data.id;
      clearTimeout(timer), (timer = setTimeout(remember, REST_MS));
      return;
    }
    state.around = data.around, stale.mix = stale.map = true;
    if (data.around.lemma && !word.has(data.around.lemma)) return worker.postMessage({ word: data.around.lemma });
    refresh();
  }
  function done() {
    busy = false;
    if (waiting) ask();
  }
  // One answer failed: the next question is answered as ever. Only a model that could not be opened answers nothing.
  function failed({ failed: reason, id, starting }) {
    const call = calls.get(id);
    if (call) {
      calls.delete(id);
      return call.reject(new Error(reason));
    }
    trouble(filled(starting ? t.page.broken : t.page.failed, { reason }));
    if (id === state.asking) done();
  }
  // For a page around this one, and for tests: what the worker says of two texts, and of a token that is meant in each.
  window.elmoscope = {
    answer: (sentences, tapped = [null, null], direction = "both") => new Promise((resolve, reject) => {
      worker.postMessage({ id: ++state.id, texts: sentences, tapped, direction, whole: true });
      calls.set(state.id, { resolve, reject });
    }),
  };
  function answered({ id, ...parts }) {
    const call = Object.assign(calls.get(id), parts);
    if (!call.around && call.pair !== null) return;
    calls.delete(id);
    call.resolve({ asked: call.asked, pair: call.pair, around: call.around });
  }
  // Each in a frame of its own, and only where it is seen.
  function refresh() {
    const name = ["mix", "map"].find((item) => seen[item] && stale[item]);
    if (!name || !state.around || !state.pair || (state.around.lemma && !word.has(state.around.lemma))) return;
    stale[name] = false;
    requestAnimationFrame(() => { (name === "mix" ? drawMix : drawMap)(); setTimeout(refresh); });
  }
  function trouble(text) { q(".trouble[role]").textContent = text, (q(".trouble[role]").hidden = false); }
  function calm() { q(".trouble[role]").hidden = true; }

  // ---- address, language

  function address() {
    const [a, b] = state.texts, facts = new URLSearchParams({ a, b, lang: state.language });
    state.asked?.positions.forEach((position, k) => { if (position !== null) facts.set(`${SIDES[k]}i`, position); });
    if (state.layer) facts.set("layer", state.layer);
    if (given.get("theme")) facts.set("theme", given.get("theme"));
    return `#${facts}`;
  }
  function remember() { try { history.replaceState(null, "", address()); } catch { /* a frame without an address of its own */ } }
  async function copy() {
    remember();
    const link = location.href.split("#")[0] + address(), button = q(".copy");
    try { await navigator.clipboard.writeText(link); } catch {
      const box = make("textarea", { value: link });
      document.body.append(box), box.select(), document.execCommand("copy"), box.remove();
    }
    button.textContent = t.page.copied;
    setTimeout(() => (button.textContent = t.page.copy), 1500);
  }
  function dress() {
    if (!Object.hasOwn(texts, state.language)) state.language = Object.keys(texts)[0];
    t = texts[state.language];
    document.documentElement.lang = state.language;
    const { page } = t, say = (name, text) => (q(name).textContent = text);
    say("h1", page.question), say(".lede", page.lede), say(".copy", page.copy), say(".mixing h2", page.mix), say(".mapping h2", page.map), say(".about", page.about), say(".cut", page.cut);
    for (const place of [".picturing .none", ".mapping .none"]) say(place, facts.lemmas.length ? filled(page.no_map, { words: facts.lemmas.slice(0, 8).join(", ") }) : page.no_labels);
    q(".pills").setAttribute("aria-label", page.examples), q(".languages").setAttribute("aria-label", page.language);
    q(".languages").childNodes.forEach((item) => item.setAttribute("aria-pressed", item.lang === state.language));
    boxes.forEach(({ box, label, tokens }, k) => { label.textContent = page.sentences[k], box.placeholder = page.type, tokens.setAttribute("aria-label", page.words[k]); });
    if (!ready) say(".verdict b", ""), say(".verdict span", page.loading);
    if (state.pair) { drawVerdict(), drawPicture(), drawCurves(), drawExpected(), (stale.mix = stale.map = Boolean(state.around)), refresh(); }
  }
  function open() {
    if (typeof Worker === "undefined") return trouble(t.page.no_worker);
    if (typeof DecompressionStream === "undefined") return trouble(t.page.no_unpacking);
    try { worker = new Worker(URL.createObjectURL(new Blob([q("#engine").textContent], { type: "text/javascript" }))); } catch { return trouble(t.page.no_worker); }
    worker.onmessage = hear;
    worker.onerror = (event) => {
      trouble(event.message ? filled(t.page.broken, { reason: event.message }) : t.page.no_worker);
      for (const call of calls.values()) call.reject(new Error(event.message));
      calls.clear();
      done();
    };
    const pack = new Blob([q("#pack").textContent]);
    q("#pack").remove();
    worker.postMessage({ pack });
  }

  if (given.get("theme")) document.documentElement.dataset.theme = given.get("theme");
  build(), dress();
  const [first] = examples, numbered = (name) => (/^\d+$/.test(given.get(name) ?? "") ? { position: Number(given.get(name)) } : null);
  state.texts = [given.get("a") ?? first[1], given.get("b") ?? first[2]], state.tapped = SIDES.map((side) => numbered(`${side}i`));
  if (!given.has("a")) state.tapped = first[3].map((item) => item && { word: item });
  boxes.forEach(({ box }, k) => (box.value = state.texts[k]));
  addEventListener("DOMContentLoaded", open);
})();
