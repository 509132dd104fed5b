// The Mix page's instrument: sliders, shares, map, lists, accuracy and angle, all of which answer every pixel of a drag.
//
// core sends once what any weights need (core/index/neighbors.py: layer products); here they are weighed, ranked and drawn. The maths
// in the first part stands in core too (core.elmo.mix.mix_cosines, core.senses.separation.one_nn), and a test holds the two
// together. Nothing is sent while one drags; letting go tells the server, which writes the address and lays the map out anew.

// ---- the maths ---------------------------------------------------------------------------------------------------------------

const CLOSE = 0.07; // shares of the gauge nearer than this have one label
const TIE = 1e-5; // cosines nearer than this are equal, as in core.senses.separation

export function softmax(w) {
  const most = Math.max(...w), raised = w.map((item) => Math.exp(item - most)), sum = raised.reduce((a, b) => a + b, 0);
  return raised.map((item) => item / sum);
}

// The cosines of a query's mix with its candidates' mixes, (n,).
export function cosines(part, s, out = new Float64Array(part.n)) {
  const size = s.length * s.length, triangle = (s.length * (s.length + 1)) / 2, most = Math.max(...s);
  const scaled = s.map((item) => item / most), own = square(part.own, 0, scaled);
  for (let k = 0; k < part.n; k++) {
    out[k] = cosine(product(part.cross, k * size, scaled), square(part.grams, k * triangle, scaled) * own);
  }
  return out;
}

// Numbers of the candidates, nearest first; equal cosines keep the table's order.
export function ranked(values) {
  const keys = Float64Array.from(values, (item) => Math.round(item * 1e12));
  return Uint32Array.from(keys.keys()).sort((a, b) => keys[b] - keys[a] || a - b);
}

// Cosines of n rows with each other from the products of all pairs (upper triangle by rows), (n * n,).
export function similarities(pairs, n, s, out = new Float64Array(n * n)) {
  const size = s.length * s.length, squares = new Float64Array(n);
  for (let i = 0, at = 0; i < n; at += (n - i++) * size) squares[i] = Math.max(product(pairs, at, s), 0);
  for (let i = 0, at = 0; i < n; i++) {
    for (let j = i; j < n; j++, at += size) out[i * n + j] = out[j * n + i] = cosine(product(pairs, at, s), squares[i] * squares[j]);
  }
  return out;
}

// Leave-one-out accuracy of the nearest other row; those tied for it count by their share.
export function oneNN(values, n, senses) {
  let hits = 0;
  for (let i = 0; i < n; i++) {
    let most = -2, tied = 0, same = 0;
    for (let j = 0; j < n; j++) if (j !== i && values[i * n + j] > most) most = values[i * n + j];
    for (let j = 0; j < n; j++) {
      if (j === i || values[i * n + j] < most - TIE) continue;
      tied++;
      same += senses[i] === senses[j];
    }
    hits += same / tied;
  }
  return hits / n;
}

// ---- the view ----------------------------------------------------------------------------------------------------------------

const GLIDE_MS = 85, MORPH_MS = 650, KEYS_MS = 400; // time constant of dots, a preset's way, rest after which keys are told
const NARROW = 720; // px
const signed = (w) => (w < -0.049 ? "−" : "") + Math.abs(w).toFixed(1);

function instrument(root) {
  let data, message = {};
  let w = [], gamma = 1, normalized = false;
  let parts = [], map = null, pairs = null, sides = null, index, places, targets, before = 0, fresh = true, morph = null, timer = 0;
  let hot = null, lists = [], dots = [], stars = [], knobs = [], size = { x: 0, y: 0 }, alone = [];
  const at = {}; // the parts of the page that change
  const life = living("mix", { step, measure, hear, rest, halt: () => clearTimeout(timer) }), { ask } = life;

  // -- building

  function build() {
    const text = data.text;
    lists = [], dots = [], stars = [], knobs = [];
    root.replaceChildren();
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", text.title);
    const presets = el("div", { className: "presets", role: "group", "aria-label": text.presets }), rare = el("details", { className: "more" }, el("summary", { textContent: text.more }));
    data.presets.forEach(({ name, w: to, title }, k) => {
      (k < data.presets.length - 1 ? presets : rare).append(el("button", { type: "button", textContent: name, title, onclick: () => glideTo(to) }));
    });
    const controls = el("div", { className: "controls" }, presets);
    if (data.marks.length) {
      const choose = el("select", { "aria-label": text.learned }, el("option", { textContent: text.learned, value: "" }));
      data.marks.forEach(({ name }, k) => choose.append(el("option", { textContent: name, value: k })));
      choose.onchange = () => choose.value !== "" && glideTo(data.marks[choose.value].w);
      controls.append(at.choose = choose);
    }
    const strip = el("div", { className: w.length > data.few ? "strip many" : "strip" });
    w.forEach((_, k) => strip.append(slider(k, text.layers[k], -6, 6)));
    controls.append(strip);
    rare.append(at.alike = el("p", { className: "alike" }), slider(w.length, text.gamma, 0.1, 5));
    at.norm = el("input", { type: "checkbox", role: "switch", title: text.norm_help });
    at.norm.onchange = () => { normalized = at.norm.checked; tell(); };
    rare.append(el("label", { className: "switch", title: text.norm_help }, at.norm, el("span", { textContent: text.norm })));
    controls.append(rare);

    const picture = el("div", { className: "picture" });
    const legend = el("div", { className: "legend" });
    data.senses.forEach((sense, k) => {
      const chip = el("span", { className: "sense" }, icon(sides ? 0 : k, sense.color), el("span", { textContent: sense.name }));
      chip.onpointerenter = () => (at.map.dataset.sense = k);
      chip.onpointerleave = () => delete at.map.dataset.sense;
      legend.append(chip);
    });
    at.map = svg("svg", { class: "map", role: "img", "aria-label": text.map });
    at.lines = svg("g", { class: "lines" }), at.dots = svg("g"), at.stars = svg("g");
    at.map.append(at.lines, at.dots, at.stars);
    at.card = el("div", { className: "card", hidden: true });
    picture.append(legend, el("div", { className: "plane" }, at.map, at.card), el("p", { className: "small", textContent: text.about_map }));
    if (map) {
      map.rows.forEach((row, k) => {
        const dot = tinted(svg("g", { class: "dot" }, shapeOf(data.lines[row][3])), row);
        if (sides) dot.append(svg("text", { y: -9, "text-anchor": "middle" }, data.lines[row][1]));
        dot.onpointerenter = () => light(row);
        dot.onpointerleave = () => light(null);
        at.dots.append(dot);
        dots.push(dot);
      });
      map.stars.forEach((star) => {
        const mark = starOf(data.asked[star.asked].color, star.label, star.asked);
        at.stars.append(mark);
        stars.push(mark);
      });
    }
    const measures = el("div", { className: "measures" });
    if (data.chance !== null) measures.append(accuracyPanel(text));
    if (sides) measures.append(el("div", { className: "measure" }, el("p", { textContent: text.unlabeled }), at.sides = el("p", { textContent: text.sides })));
    measures.append(anglePanel(text));
    picture.append(measures);

    const side = el("div", { className: "lists" });
    data.asked.forEach((asked, k) => {
      const ol = el("ol", { "aria-label": asked.title });
      const head = el("h3", {}, starIcon(asked.color), el("span", { textContent: asked.title }));
      side.append(el("section", {}, head, el("p", { className: "small cut", textContent: asked.text }), ol));
      const list = { ol, part: parts[k], asked };
      lists.push(Object.assign(list, gliding(ol, (id) => line(list, id))));
    });
    at.spoken = el("p", { className: "unseen", "aria-live": "polite" });
    root.append(controls, side, picture, at.spoken);
    life.watch(root, at.map);
    measure();
  }

  function slider(k, name, low, high) {
    const scale = k === w.length;
    const input = el("input", { type: "range", min: low, max: high, step: 0.1, "aria-label": name });
    const value = el("output", { className: "value" });
    const track = el("div", { className: "track" });
    for (const mark of scale ? [] : data.marks) {
      const tick = el("i", { className: "tick" });
      tick.style.setProperty("--at", (mark.w[k] - low) / (high - low));
      track.append(tick);
    }
    track.append(input); // over the marks, which are no obstacle to a hand
    input.onpointerdown = () => { clearTimeout(timer); morph = null; };
    input.oninput = () => {
      morph = null;
      clearTimeout(timer);
      if (scale) gamma = input.valueAsNumber;
      else w[k] = input.valueAsNumber;
      ask();
    };
    // A pointer lets go once; of keys each press is a change, so the last of them is waited for.
    input.onkeyup = () => { clearTimeout(timer); timer = setTimeout(tell, KEYS_MS); };
    input.onpointerup = input.onpointercancel = () => setTimeout(tell);
    input.onchange = () => { clearTimeout(timer); timer = setTimeout(tell, KEYS_MS); };
    const made = el("div", { className: scale ? "knob scale" : "knob" }, el("div", { className: "name" }, el("span", { textContent: name }), value), track);
    const knob = { input, value };
    if (!scale) {
      knob.share = el("i", { className: "share" }), knob.told = el("b");
      made.style.setProperty("--layer", data.colors[k]);
      made.append(el("div", { className: "bar", title: data.text.share }, el("span", {}, knob.share), knob.told));
    }
    knobs.push(knob);
    return made;
  }

  // A labeled sentence wears its meaning's color; without labels a point wears that of the sentence it leans to under this mix.
  const senseOf = (row) => (!sides ? data.lines[row][3] : data.senses.length ? sides[index.get(row)] : -1);
  function tinted(node, row) {
    const sense = senseOf(row), color = data.senses[sense]?.color ?? NEUTRAL;
    if (node.sense === sense) return node;
    node.classList.replace(`s${node.sense}`, `s${sense}`) || node.classList.add(`s${sense}`);
    node.querySelector("path").setAttribute("fill", color);
    node.style.setProperty("--sense", color);
    node.sense = sense;
    return node;
  }

  function lean() {
    const [a, b] = lists.map((list) => list.cosines);
    if (!sides || !b) return;
    sides.forEach((_, k) => (sides[k] = a[k] - b[k] >= data.close ? 0 : b[k] - a[k] >= data.close ? 1 : 2));
    dots.forEach((dot, k) => tinted(dot, map.rows[k]));
    for (const { rows } of lists) for (const item of rows.values()) tinted(item.node, item.row);
    const [first, second, neither] = [0, 1, 2].map((side) => dots.filter((dot) => dot.sense === side).length);
    say(at.sides, filled(data.text.sides, { first, second, neither }));
  }

  function accuracyPanel(text) {
    at.accuracy = el("b", { className: "large" });
    at.reached = el("i", { className: "reached" });
    at.gauge = el("div", { className: "gauge", role: "img" }, at.reached);
    const tick = (share, name, kind, label = name) => {
      const made = el("i", { className: `mark ${kind}`, title: name }, el("span", { textContent: label }));
      made.style.setProperty("--at", share);
      at.gauge.append(made);
    };
    tick(data.chance, filled(text.chance, { share: percent(data.chance) }), "chance");
    const together = (k) => alone.map((_, j) => j).filter((j) => Math.abs(alone[j] - alone[k]) < CLOSE); // whose labels would lie on each other
    alone.forEach((share, k) => tick(share, String(k), `alone l${k}`, together(k)[0] === k ? together(k).join(", ") : ""));
    return el("div", { className: "measure" }, el("p", {}, at.accuracy, " ", el("span", { textContent: text.accuracy })), at.gauge,
      el("p", { className: "small", textContent: text.alone }));
  }

  function anglePanel(text) {
    at.angle = el("b", { className: "large" });
    at.lengths = el("p", { className: "small" });
    at.arrows = svg("svg", { class: "arrows", role: "img", viewBox: "-110 -116 220 120" });
    const rings = svg("g", { class: "rings" });
    for (const length of rounds()) {
      const r = reach(length);
      rings.append(svg("path", { d: `M${-r} 0A${r} ${r} 0 0 1 ${r} 0` }), svg("text", { x: 0, y: -r - 2, "text-anchor": "middle" }, length));
    }
    at.arrows.append(rings);
    at.hands = data.asked.map((asked) => svg("g", { class: "hand" },
      svg("path", { class: "shaft", stroke: asked.color }), svg("path", { class: "head", fill: asked.color, d: "M0-5L-5 5H5Z" })));
    at.arc = svg("path", { class: "arc" });
    at.arrows.append(at.arc, ...at.hands);
    return el("div", { className: "measure" }, el("p", {}, at.angle, " ", at.between = el("span")), at.arrows, at.lengths);
  }

  // An arrow's length on the screen: the root of the vector's, so that 1 and 100 are both seen; rings say what stands where.
  const longest = () => 5 * Math.max(...parts.map((part) => Math.max(...w.map((_, k) => Math.sqrt(square(part.own, 0, w.map((__, j) => +(j === k))))))));
  const reach = (length) => 106 * Math.sqrt(length / longest());
  function rounds() {
    const top = longest(), unit = 10 ** Math.floor(Math.log10(top));
    return [0.1, 0.4, 1, 2, 4, 8].map((item) => item * unit).filter((item) => item < top * 0.95 && reach(item) > 18).map((item) => +item.toPrecision(2));
  }

  // -- what moves

  function measure() {
    const plane = at.map.parentElement;
    size = { x: plane.clientWidth, y: plane.clientHeight };
    at.map.setAttribute("viewBox", `0 0 ${size.x} ${size.y}`);
    fresh = true;
  }

  // The layers' aligned maps in the mix's own proportions; where the server has laid this very mix out, its layout. Where dots lie
  // closer together than in the layers' own maps they are seen up to half as large again, with one scale for both axes.
  function aim(s) {
    const n = map.rows.length, fits = message.layout?.length === 2 * n && message.stars.length === map.stars.length; // not those of the words before
    const placed = fits && message.norm === normalized && message.w.every((item, k) => Math.abs(item - w[k]) < 1e-6) ? message : null;
    const box = [Infinity, -Infinity, Infinity, -Infinity];
    for (let k = 0; k < n + map.stars.length; k++) {
      let x = 0, y = 0;
      const flat = k < n ? map.layers : map.stars[k - n].layers, own = k < n ? k : 0;
      if (placed) [x, y] = k < n ? [placed.layout[2 * k], placed.layout[2 * k + 1]] : placed.stars[k - n];
      else s.forEach((share, layer) => { x += share * flat[layer][2 * own]; y += share * flat[layer][2 * own + 1]; });
      [targets[2 * k], targets[2 * k + 1]] = [x, y];
      [box[0], box[1], box[2], box[3]] = [Math.min(box[0], x), Math.max(box[1], x), Math.min(box[2], y), Math.max(box[3], y)];
    }
    const fit = (left, right, low, high) => Math.min((size.x - 56) / Math.max(right - left, 1e-6), (size.y - 56) / Math.max(high - low, 1e-6));
    const scale = Math.min(fit(...box), 1.5 * fit(...map.limits));
    for (let k = 0; k < targets.length; k += 2) {
      targets[k] = size.x / 2 + (targets[k] - (box[0] + box[1]) / 2) * scale;
      targets[k + 1] = size.y / 2 - (targets[k + 1] - (box[2] + box[3]) / 2) * scale;
    }
  }

  function step(now) {
    const passed = Math.min(now - before, 50);
    before = now;
    if (morph) {
      const share = still.matches ? 1 : Math.min(1, (now - morph.at) / MORPH_MS);
      w = morph.to.map((item, k) => (share === 1 ? item : morph.from[k] + (item - morph.from[k]) * eased(share)));
      if (share === 1) { morph = null; tell(); }
    }
    const s = softmax(w);
    let left = 0; // px that the farthest dot still has to go
    drawShares(s);
    lists.forEach((list) => rank(list, s));
    lean();
    drawMeasures(s);
    if (map) {
      aim(s);
      const share = fresh || still.matches ? 1 : 1 - Math.exp(-passed / GLIDE_MS);
      for (let k = 0; k < targets.length; k++) {
        const way = targets[k] - places[k];
        places[k] += share * way;
        left = Math.max(left, Math.abs(targets[k] - places[k]));
      }
      fresh = false;
      drawMap();
    }
    return Boolean(morph) || left > 0.1;
  }

  function drawShares(s) {
    s.forEach((share, k) => {
      const knob = knobs[k], message = signed(w[k]);
      if (knob.input.valueAsNumber !== w[k]) knob.input.value = w[k];
      say(knob.value, message);
      knob.input.setAttribute("aria-valuetext", filled(data.text.spoken_share, { w: message, share: percent(share) }));
      knob.share.style.transform = `scaleX(${share})`;
      say(knob.told, percent(share));
    });
    const last = knobs[w.length];
    if (last.input.valueAsNumber !== gamma) last.input.value = gamma;
    say(last.value, gamma.toFixed(1));
    const alike = Math.max(...w) - Math.min(...w) < 0.05;
    say(at.alike, data.text.softmax + (alike ? ` ${filled(data.text.alike, { w: signed(w[0]), other: w[0] <= -3 ? "0" : "−6" })}` : ""));
    at.alike.classList.toggle("now", alike);
    if (at.norm.checked !== normalized) at.norm.checked = normalized;
    if (at.choose && !morph && at.choose.value !== "" && data.marks[at.choose.value].w.some((item, k) => Math.abs(item - w[k]) > 1e-6)) at.choose.value = "";
  }

  const shown = () => (root.clientWidth < NARROW ? 3 : data.asked.length > 1 ? 7 : 12);

  function rank(list, s) {
    list.cosines = cosines(list.part, s, list.cosines);
    list.order = ranked(list.cosines.subarray(0, list.part.listed)).filter((id) => id !== list.part.itself);
    list.many = Math.min(shown(), list.order.length);
    list.show(list.order.subarray(0, list.many));
    for (const [id, row] of list.rows) say(row.cosine, list.cosines[id].toFixed(2));
  }

  function line(list, id) {
    const row = list.part.rows[id], cosine = el("span", { className: "cosine" });
    const button = lineOf(data.lines[row], icon(data.lines[row][3]), sides ? "" : (data.senses[senseOf(row)]?.name ?? ""), cosine);
    button.onpointerenter = button.onfocus = () => light(row);
    button.onpointerleave = button.onblur = () => light(null);
    return { node: tinted(el("li", {}, button), row), cosine, row };
  }

  function drawMeasures(s) {
    if (data.chance !== null && pairs) {
      const share = oneNN(similarities(pairs, map.rows.length, s, at.similar ??= new Float64Array(map.rows.length ** 2)), map.rows.length, map.senses);
      at.share = share;
      say(at.accuracy, percent(share));
      at.reached.style.transform = `scaleX(${share})`;
      at.gauge.setAttribute("aria-label", `${data.text.accuracy}: ${percent(share)}. ${filled(data.text.chance, { share: percent(data.chance) })}`);
    }
    const lengths = parts.map((part) => gamma * Math.sqrt(square(part.own, 0, s)));
    const value = data.between ? cosine(product(data.between, 0, s), square(parts[0].own, 0, s) * square(parts[1].own, 0, s)) : 1;
    const half = data.between ? Math.acos(value) / 2 : 0;
    at.cosine = value;
    at.hands.forEach((hand, k) => {
      const side = k ? 1 : -1, turn = side * half, r = reach(lengths[k]), x = r * Math.sin(turn), y = -r * Math.cos(turn);
      hand.firstChild.setAttribute("d", `M0 0L${x.toFixed(2)} ${y.toFixed(2)}`);
      hand.lastChild.setAttribute("transform", `translate(${x.toFixed(2)} ${y.toFixed(2)}) rotate(${((turn * 180) / Math.PI).toFixed(2)})`);
    });
    const r = 0.55 * Math.min(...lengths.map(reach)), x = r * Math.sin(half), y = -r * Math.cos(half);
    at.arc.setAttribute("d", data.between ? `M${(-x).toFixed(2)} ${y.toFixed(2)}A${r.toFixed(2)} ${r.toFixed(2)} 0 0 1 ${x.toFixed(2)} ${y.toFixed(2)}` : "");
    say(at.angle, data.between ? `${Math.round((2 * half * 180) / Math.PI)}°` : lengths[0].toFixed(1));
    say(at.between, data.between ? filled(data.text.between, { cosine: value.toFixed(2) }) : data.text.one_length);
    say(at.lengths, filled(data.text.length, { lengths: lengths.map((item) => item.toFixed(1)).join(" · ") }));
    at.arrows.setAttribute("aria-label", `${at.angle.textContent} ${at.between.textContent}. ${at.lengths.textContent}`);
  }

  function drawMap() {
    const n = dots.length, place = (k) => `translate(${places[2 * k].toFixed(1)} ${places[2 * k + 1].toFixed(1)})`;
    dots.forEach((dot, k) => dot.setAttribute("transform", place(k)));
    stars.forEach((star, k) => star.setAttribute("transform", place(n + k)));
    const ends = (point) => [places[2 * point].toFixed(1), places[2 * point + 1].toFixed(1)];
    const listed = lists.map(({ order, many, part }) => [...order.subarray(0, many)].map((id) => map.place.get(part.rows[id])).filter((dot) => dot !== undefined));
    threads(at.lines, map.stars.flatMap((star, k) => // from a star to the dots of its list
      listed[star.asked].map((dot) => [...ends(n + k), ...ends(dot), { stroke: data.asked[star.asked].color }])));
    if (sides) {
      const named = withRoom([...new Set(listed.flat())].map((k) => [k, data.lines[map.rows[k]][1]]), places, stars.map((_, k) => n + k));
      dots.forEach((dot, k) => dot.classList.toggle("listed", named.has(k)));
    }
    if (hot !== null) card();
  }

  function light(row) {
    if (hot === row) return;
    hot = row;
    dots.forEach((dot, k) => dot.classList.toggle("hot", map.rows[k] === row));
    for (const { rows } of lists) for (const item of rows.values()) item.node.classList.toggle("hot", item.row === row);
    at.card.hidden = row === null || !map?.place.has(row);
    if (!at.card.hidden) {
      cardOf(at.card, data.lines[row], data.senses[senseOf(row)]?.name ?? "");
      at.dots.append(dots[map.place.get(row)]); // above the others
      card();
    }
  }

  function card() {
    const k = map.place.get(hot);
    if (k === undefined) return;
    cardAt(at.card, places[2 * k], places[2 * k + 1], size);
  }

  // At rest: the lists' order in the document is what is seen, and what changed is said to those who do not see it.
  function rest() {
    lists.forEach((list) => list.settle());
    const s = softmax(w).map(percent).join(", "), first = lists[0];
    const [left, word, right] = data.lines[first.part.rows[first.order[0]]] ?? ["", "", ""];
    const spoken = [filled(data.text.spoken, { shares: s }), at.share === undefined ? "" : `${data.text.accuracy}: ${percent(at.share)}.`, sides ? at.sides.textContent : "", `${first.asked.title}: ${left}${word}${right}`];
    say(at.spoken, spoken.join(" "));
  }

  // -- telling the server, and being told

  function glideTo(to) {
    clearTimeout(timer);
    morph = { from: [...w], to, at: performance.now() };
    ask();
  }

  function tell() {
    clearTimeout(timer);
    if (morph || knobs.some((knob) => knob.input.matches(":active"))) return;
    life.tell({ w: w.map((item) => +item.toFixed(1)), gamma: +gamma.toFixed(1), norm: normalized });
  }

  // What the server says is set, unless the reader has since set something else.
  function hear(news) {
    message = news ?? {};
    if (!message.w || life.isOld(message)) return ask();
    life.agree({ w: message.w, gamma: message.gamma, norm: message.norm }, message);
    const moved = message.w.some((item, k) => Math.abs(item - w[k]) > 1e-6);
    if (!morph && moved && !knobs.some((knob) => knob.input.matches(":active"))) w = [...message.w];
    [gamma, normalized] = [message.gamma, message.norm];
    ask();
  }

  function take(given) {
    if (data?.key === given.key) return ask();
    data = { ...given, between: given.between && decoded(given.between) };
    w = w.length === data.colors.length ? w : data.colors.map(() => 0);
    parts = data.asked.map((item) => ({ n: item.rows.length, listed: item.rows.length, itself: -1, ...item, cross: decoded(item.cross), grams: decoded(item.grams), own: decoded(item.own) }));
    sides = data.close === undefined ? null : new Int8Array(parts[0].n);
    index = new Map(parts[0].rows.map((row, k) => [row, k]));
    pairs = data.pairs && decoded(data.pairs);
    map = data.map;
    if (map) {
      map.place = new Map(map.rows.map((row, k) => [row, k]));
      map.senses = map.rows.map((row) => data.lines[row][3]);
      targets = new Float64Array(2 * (map.rows.length + map.stars.length));
      places = new Float64Array(targets.length);
      const flat = [...map.layers, ...map.stars.flatMap((star) => star.layers)].flat(), [x, y] = [0, 1].map((odd) => flat.filter((_, k) => k % 2 === odd));
      map.limits = [Math.min(...x), Math.max(...x), Math.min(...y), Math.max(...y)];
      alone = pairs ? w.map((_, k) => oneNN(similarities(pairs, map.rows.length, w.map((__, j) => +(j === k))), map.rows.length, map.senses)) : [];
    }
    at.similar = at.share = at.choose = undefined;
    hot = null;
    build();
    hear(window["elmoscope-mix"]);
  }

  return {
    life, take,
    seen: () => ({ w, gamma, share: at.share, cosine: at.cosine, sides: sides && [...sides], lists: lists.map(({ cosines, order, part }) => ({ cosines: [...cosines], rows: [...order].map((id) => part.rows[id]) })), places: places && [...places] }),
  };
}

export default mounted("mix", instrument);
