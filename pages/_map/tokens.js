// Every token of a corpus as one dot, by WebGL: dots glide between the layers' maps under the scrubber, one comes nearer, a word is lit.
//
// core sends every token's place in each map as whole numbers (core/analysis/word_maps.py), and the sentences as text. Two layers' places
// lie in the graphics card's memory; what is between them is worked out there, so a frame costs the same for any number of dots here.

const SLOW_MS = 30, FAST_MS = 18; // of a frame, at which fewer dots are drawn while they move, and more again
const MOVING = 32_768, FEWEST = 4_096; // dots drawn while they move, at first and at least
const PAD = 14, HIT = 12, STEP = 60, MOST_NEAR = 400; // px: at the edge, around the pointer, a press of an arrow; how near one may come
const VERTEX = `#version 300 es
in vec2 a, b; in vec4 color; uniform float way, dot; uniform vec4 lens; out vec4 tint;
void main() { gl_Position = vec4(mix(a, b, way) * lens.xy + lens.zw, 0, 1); gl_PointSize = dot; tint = color; }`;
const FRAGMENT = `#version 300 es
precision mediump float; in vec4 tint; uniform float round; out vec4 shown;
void main() { if (round > 0.5 && distance(gl_PointCoord, vec2(0.5)) > 0.5) discard; shown = vec4(tint.rgb * tint.a, tint.a); }`;

// "#rrggbb", or a hue of its own for each number: each next one a golden section of the circle away.
const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
const hue = (number) => [0, 8, 4].map((n) => {
  const k = (n + 12 * ((number * 0.61803398875) % 1)) % 12;
  return Math.round(255 * (0.53 - 0.32 * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
});

// The numbers below n in an order at random, always the same one: of all tokens any beginning of it is a fair sample.
function byLot(n) {
  const order = new Uint32Array(n).map((_, k) => k);
  for (let k = n - 1, state = 1; k > 0; k--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const other = Math.floor((state / 2 ** 32) * (k + 1)), held = order[k];
    order[k] = order[other], order[other] = held;
  }
  return order;
}

// What draws dots on a canvas: put(name, array) sends numbers, draw(...) a frame. Nothing, where there is no WebGL 2.
function painter(canvas) {
  const gl = canvas?.getContext("webgl2", { antialias: false, premultipliedAlpha: true });
  if (!gl) return null;
  const program = gl.createProgram(), buffers = {};
  for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source), gl.compileShader(shader), gl.attachShader(program, shader);
  }
  gl.linkProgram(program), gl.useProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
  gl.enable(gl.BLEND), gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  const place = (name) => gl.getAttribLocation(program, name), set = (name, ...values) => gl[`uniform${values.length}f`](gl.getUniformLocation(program, name), ...values);

  function put(name, array, target = gl.ARRAY_BUFFER) {
    gl.bindBuffer(target, (buffers[name] ??= gl.createBuffer()));
    gl.bufferData(target, array, gl.STATIC_DRAW);
  }

  // Where the numbers of each dot lie, 4 bytes for every one.
  function points(n, low, high) {
    for (const [name, buffer, size, kind, offset] of [["a", "places", 2, gl.UNSIGNED_SHORT, low], ["b", "places", 2, gl.UNSIGNED_SHORT, high], ["color", "colors", 4, gl.UNSIGNED_BYTE, 0]]) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffers[buffer]);
      gl.enableVertexAttribArray(place(name));
      gl.vertexAttribPointer(place(name), size, kind, true, 4, 4 * n * offset);
    }
  }

  function draw({ n, low, high, way, lens, dot, lit, drawn }) {
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clear(gl.COLOR_BUFFER_BIT);
    points(n, low, high);
    set("way", way), set("lens", ...lens), set("dot", dot), set("round", dot > 4 ? 1 : 0);
    gl.drawArrays(gl.POINTS, 0, drawn);
    if (!lit) return;
    set("dot", Math.max(7 * devicePixelRatio, 1.6 * dot)), set("round", 1);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffers.lit);
    gl.drawElements(gl.POINTS, lit, gl.UNSIGNED_INT, 0); // once more, above the others
  }

  return { put: (name, array) => put(name, array, name === "lit" ? gl.ELEMENT_ARRAY_BUFFER : gl.ARRAY_BUFFER), draw };
}

function tokens(root) {
  const life = living("tokens", { step, measure, rest, halt: () => layers.halt() }), { ask } = life;
  const ui = (name) => root.querySelector(name), layers = scrubber(root, ask, ask);
  let data, n = 0, places, limits, paint, lens = WHOLE, size = { x: 0, y: 0 }, before = 0, stirred = 0, moving = false, known = "", most = MOVING, drawn = 0;
  let pieces = [], starts, sentence, word, words, sense, lemma, rank, lit = new Uint32Array(0), by = "word", hot = -1, pointer = null, drag = null;

  // -- what is known of each token

  function read() {
    const known = new Map(), sentences = data.sentences.split("\n").map((line) => line.split("\t"));
    pieces = sentences.flat(), n = pieces.length;
    [places, sense, lemma] = [decoded(data.places, Uint16Array), decoded(data.sense, Uint16Array), decoded(data.lemma, Uint16Array)];
    [sentence, word, starts] = [new Uint32Array(n), new Uint32Array(n), [0]];
    sentences.forEach((line, k) => starts.push(sentence.fill(k, starts[k], starts[k] + line.length) && starts[k] + line.length));
    pieces.forEach((piece, k) => {
      const own = piece.trim().toLowerCase();
      known.has(own) || known.set(own, known.size);
      word[k] = known.get(own);
    });
    words = known;
    rank = byLot(n); // of a token among the dots as the graphics card has them
    limits = [65535, 0, 65535, 0];
    for (let k = 0; k < places.length; k += 2) {
      const x = places[k], y = places[k + 1];
      if (x < limits[0]) limits[0] = x; if (x > limits[1]) limits[1] = x; if (y < limits[2]) limits[2] = y; if (y > limits[3]) limits[3] = y;
    }
  }

  const part = (k) => Math.min(2, Math.floor((3 * (k - starts[sentence[k]])) / (starts[sentence[k] + 1] - starts[sentence[k]])));

  // Which tokens are of the word asked for, as it is spelled or as its labeled forms.
  function light(text) {
    const wanted = words.get(text.trim().toLowerCase()), of = data.lemmas.indexOf(text.trim().toLowerCase()) + 1;
    lit = wanted === undefined && !of ? new Uint32Array(0) : Uint32Array.from([...Array(n).keys()].filter((k) => word[k] === wanted || (of && lemma[k] === of)));
    if (ui(".lit input").value.trim() !== text.trim()) ui(".lit input").value = text;
    color();
  }

  function color() {
    const result = new Uint8Array(4 * n), gray = rgb(NEUTRAL), chosen = new Set(lit), faint = Math.round(255 * Math.max(0.3, Math.min(0.8, 30 / Math.sqrt(n) + 0.15)));
    const shades = data.colors.map(rgb), of = { word: (k) => hue(word[k]), sense: (k) => (sense[k] ? shades[(sense[k] - 1) % shades.length] : gray), part: (k) => shades[part(k)] }[by];
    for (let k = 0; k < n; k++) {
      const [r, g, b] = of(k), at = 4 * rank[k];
      [result[at], result[at + 1], result[at + 2], result[at + 3]] = [r, g, b, chosen.has(k) ? 255 : chosen.size ? 0.4 * faint : by === "sense" && !sense[k] ? 0.5 * faint : faint];
    }
    paint.put("colors", result), paint.put("lit", lit.map((k) => rank[k]));
    ui(".by").childNodes.forEach((button) => button.setAttribute("aria-pressed", button.value === by));
    const named = lit.length ? [...new Set(Array.from(lit, (k) => lemma[k]).filter(Boolean))].flatMap((item) => data.senses[item - 1]) : [];
    const chips = { word: [], sense: named, part: data.text.parts }[by].map((name, k) => el("span", { className: "sense" }, icon(0, data.colors[k % data.colors.length]), name));
    ui(".chips").replaceChildren(...(chips.length ? chips : [el("span", { className: "small", textContent: data.text[`of_${by === "sense" ? "sense" : "word"}`] })]));
    ask();
  }

  // -- where all stands

  function measure() {
    const canvas = ui("canvas"), ratio = devicePixelRatio || 1;
    size = { x: ui(".plane").clientWidth, y: ui(".plane").clientHeight };
    [canvas.width, canvas.height] = [size.x * ratio, size.y * ratio];
  }

  // Pixels of a place: px = (place - middle) * scale, y upwards, then the lens.
  function frameOf() {
    const [left, right, low, high] = limits, scale = Math.min((size.x - 2 * PAD) / Math.max(right - left, 1), (size.y - 2 * PAD) / Math.max(high - low, 1));
    return { x: (left + right) / 2, y: (low + high) / 2, scale };
  }
  function at(k) {
    const low = 2 * (layers.low() * n + k), high = 2 * (Math.min(layers.low() + 1, layers.last()) * n + k), { x, y, scale } = frameOf();
    const place = (odd) => layers.mixed(places[low + odd], places[high + odd]);
    return [(size.x / 2 + (place(0) - x) * scale) * lens.k + lens.x, (size.y / 2 - (place(1) - y) * scale) * lens.k + lens.y];
  }

  function nearest([px, py]) {
    const low = 2 * layers.low() * n, high = 2 * Math.min(layers.low() + 1, layers.last()) * n, { x, y, scale } = frameOf(), k = scale * lens.k, way = layers.at - layers.low();
    const wx = (px - lens.x - (size.x / 2) * lens.k) / k + x, wy = -(py - lens.y - (size.y / 2) * lens.k) / k + y; // the pointer's own place
    let result = -1, best = (HIT / k) ** 2;
    for (let i = 0; i < 2 * n; i += 2) {
      const dx = places[low + i] + (places[high + i] - places[low + i]) * way - wx, dy = places[low + i + 1] + (places[high + i + 1] - places[low + i + 1]) * way - wy, far = dx * dx + dy * dy;
      if (far < best) [result, best] = [i / 2, far];
    }
    return result;
  }

  // -- what moves

  function step(time) {
    if (!data || !root.isConnected || !size.x) return;
    layers.step(time);
    layers.draw();
    const { x, y, scale } = frameOf(), sx = (2 * scale * lens.k * 65535) / size.x, sy = (2 * scale * lens.k * 65535) / size.y;
    const shift = [lens.k + (2 * lens.x) / size.x - 1 - (sx * x) / 65535, 1 - lens.k - (2 * lens.y) / size.y - (sy * y) / 65535];
    const dot = Math.min(9, (n > 100_000 ? 1.5 : 2.5) * lens.k ** 0.4) * (devicePixelRatio || 1);
    // While they move as many dots are drawn as a frame has time for, at random, and all of them when they rest.
    const view = [layers.at, lens.k, lens.x, lens.y].join(), was = moving;
    if (view !== known) [known, stirred] = [view, time];
    moving = time - stirred < 150;
    if (moving && was) most = time - before > SLOW_MS ? Math.max(FEWEST, most * 0.7) : time - before < FAST_MS ? Math.min(Math.max(n, MOVING), most * 1.25) : most;
    before = time;
    drawn = moving ? Math.min(n, Math.floor(most)) : n;
    paint.draw({ n, drawn, low: layers.low(), high: Math.min(layers.low() + 1, layers.last()), way: layers.at - layers.low(), lens: [sx, sy, ...shift], dot, lit: lit.length });
    if (pointer && !drag && !moving) hot = nearest(pointer);
    drawCard();
    ui(".whole").hidden = lens.k === 1;
    ui(".plane").classList.toggle("held", lens.k > 1);
    say(ui(".counted"), message());
    return Boolean(layers.way || moving);
  }

  const message = () => [ui(".lit input").value.trim() && filled(data.text.lit, { n: lit.length, word: ui(".lit input").value.trim() }), data.under[layers.stop()]].filter(Boolean).join(" · ");

  function lineAt(k) {
    const first = starts[sentence[k]], end = starts[sentence[k] + 1], join = (from, to) => pieces.slice(from, to).join("");
    const left = join(Math.max(first, k - 14), k), own = pieces[k];
    return [`${k - 14 > first ? "…" : ""}${left.trimStart()}${own.startsWith(" ") ? " " : ""}`, own.trim(), `${join(k + 1, Math.min(end, k + 15))}${k + 15 < end ? " …" : ""}`];
  }

  function drawCard() {
    const card = ui(".card");
    card.hidden = hot < 0 || Boolean(drag);
    if (card.hidden) return;
    cardOf(card, lineAt(hot), lemma[hot] ? data.senses[lemma[hot] - 1][sense[hot] - 1] : "");
    cardAt(card, ...at(hot), size);
  }

  // For those who do not see it: how many are lit, and how far apart half of them lie at most, of the map's width.
  function rest() {
    const own = Array.from(lit, at).filter((_, k) => k < 5_000), wide = (limits[1] - limits[0]) * frameOf().scale * lens.k, middle = [0, 1].map((odd) => median(own.map((item) => item[odd])));
    const apart = own.length ? percent(median(own.map(([x, y]) => Math.hypot(x - middle[0], y - middle[1]))) / wide) : "";
    say(ui("[aria-live]"), [layers.where(), message(), apart && filled(data.text.apart, { apart })].filter(Boolean).join(". "));
  }
  const median = (all) => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)];

  // -- the hand

  function zoom(much, where = [size.x / 2, size.y / 2]) { lens = nearer(lens, much, where, MOST_NEAR); ask(); }
  function move(x, y) { if (lens.k > 1) lens = { ...lens, x: lens.x + x, y: lens.y + y }; ask(); }

  function listen(plane) {
    plane.onkeydown = (event) => {
      const way = { ArrowLeft: [STEP, 0], ArrowRight: [-STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] }[event.key], much = { "+": 1.6, "=": 1.6, "-": 1 / 1.6, 0: 0, Home: 0 }[event.key];
      if (event.ctrlKey || event.metaKey || (way ? lens.k === 1 : much === undefined)) return; // the page's own keys stay its own
      event.preventDefault();
      way ? move(...way) : zoom(much);
    };
    plane.onpointerdown = (event) => {
      if (event.button) return;
      drag = { from: pointIn(plane, event), last: pointIn(plane, event), moved: false };
      plane.setPointerCapture(event.pointerId);
    };
    plane.onpointermove = (event) => {
      const here = pointIn(plane, event);
      if (!drag) { pointer = event.pointerType === "touch" ? null : here; return ask(); }
      drag.moved ||= Math.hypot(here[0] - drag.from[0], here[1] - drag.from[1]) > 5;
      if (drag.moved) move(here[0] - drag.last[0], here[1] - drag.last[1]);
      drag.last = here;
    };
    plane.onpointerup = () => {
      const done = drag;
      drag = null;
      if (done && !done.moved) {
        hot = nearest(done.last);
        light(hot < 0 ? "" : pieces[hot].trim());
      }
      ask();
    };
    plane.onpointercancel = () => { drag = null; };
    plane.onpointerleave = () => { pointer = null; hot = -1; ask(); };
  }

  function take(given) {
    if (data?.key === given.key) return ask();
    if (!(paint ??= painter(ui("canvas")))) return root.replaceChildren(el("p", { textContent: given.text.no_webgl }));
    data = given;
    read();
    const two = new Uint32Array(places.buffer), ordered = new Uint32Array(two.length); // x and y at once
    for (let at = 0; at < two.length; at += n) for (let k = 0; k < n; k++) ordered[at + rank[k]] = two[at + k];
    paint.put("places", ordered);
    dressed(root, data.text);
    ui(".plane").ariaLabel = data.text.alt;
    layers.halt();
    layers.at = data.at;
    layers.build(data);
    ui(".by").replaceChildren(...["word", "sense", "part"].map((value) => el("button", { type: "button", value, textContent: data.text[value], onclick: () => { by = value; color(); } })));
    ui(".lit input").oninput = () => light(ui(".lit input").value);
    zooms(ui, zoom);
    listen(ui(".plane"));
    [lens, hot, pointer, drag] = [WHOLE, -1, null, null];
    life.watch(ui(".plane"));
    measure();
    light(data.word);
  }

  return {
    life, take,
    seen: () => ({ n, drawn, moving, at: layers.at, lens, by, lit: [...lit], hot: hot < 0 ? "" : lineAt(hot).join(""), here: (k) => at(k), size }),
  };
}

export default mounted("tokens", tokens);
