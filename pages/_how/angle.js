// The angle between a word's two vectors, with GloVe's, and their cosines, under a slider that goes through the layers to the mix.
//
// core sends the two tokens' layer products (core.elmo.mix.pair_products); the cosine of any place between two layers is computed here,
// as core.elmo.mix.mix_cosines does of the weights that core.elmo.mix.along gives, and a test holds the two together. Nothing is sent
// while one drags; letting go glides to the nearest layer and tells the server, which writes it to the address.

// The weights at a place between two stops, in the place's own proportions.
export function along(place, stops) {
  const low = Math.min(Math.max(Math.floor(place), 0), stops.length - 2);
  return stops[low].map((item, k) => item + (place - low) * (stops[low + 1][k] - item));
}

export function cosineAt(place, { stops, cross, own }) {
  const s = along(place, stops);
  return cosine(product(cross, 0, s), square(own[0], 0, s) * square(own[1], 0, s));
}

const SETTLE_MS = 320, TURN_MS = 90; // the way to a layer; time constant in which arrows follow other sentences
const FOOT = 54, HEAD = 16, TIP = 15, APART = 26, LETTER = 9, TOLD = 82; // px: words below the arrows, above them, a star, between two pictures
const letters = (name) => [...name].reduce((sum, sign) => sum + (sign > "\u2e80" ? 1.9 : 1), 0); // as wide as so many Latin ones
const degrees = (angle) => Math.round((angle * 180) / Math.PI);

function picture(root) {
  let data, at = 0, morph = null, before = 0, size = { x: 0, y: 0 };
  const off = [0, 0]; // how far the arrows, ELMo's and GloVe's, still are from where they go
  const node = {};
  const life = living("angle", { step, measure }), { ask } = life;
  const last = () => data.stops.length - 1;
  const angles = () => [Math.acos(cosineAt(at, data)), data.glove === null ? null : Math.acos(data.glove)];

  function build() {
    node.arrows = svg("svg", { class: "arrows", role: "img" });
    node.bars = svg("svg", { class: "bars", role: "img" });
    node.title = el("p", { className: "title" });
    node.caption = el("p", { className: "small" });
    node.label = el("label", { className: "small", htmlFor: "layer" });
    node.input = el("input", { type: "range", id: "layer", min: 0, step: "any" });
    node.ticks = el("div", { className: "ticks" });
    const track = el("div", { className: "track" }, node.input, node.ticks);
    root.replaceChildren(
      el("div", { className: "left" }, node.arrows, el("div", { className: "slider" }, node.label, track)),
      el("div", { className: "right" }, node.title, node.bars, node.caption),
    );
    node.input.oninput = () => { morph = null; at = node.input.valueAsNumber; ask(); };
    node.input.onchange = () => glideTo(Math.round(at));
    node.input.onkeydown = (event) => {
      const to = stopAfter(event.key, morph ? morph.to : Math.round(at), last());
      if (to === undefined) return;
      event.preventDefault();
      glideTo(to);
    };
    offered(node.arrows), offered(node.bars);
    life.watch(node.arrows, node.bars);
  }

  // What changes with the sentences alone.
  function dress() {
    say(node.title, data.text.title), say(node.caption, data.text.caption), say(node.label, data.text.label);
    node.input.max = last();
    node.ticks.replaceChildren(...data.short.map((name, k) => {
      const tick = el("span", { textContent: name, onclick: () => glideTo(k) });
      tick.style.setProperty("--at", k / last());
      return tick;
    }));
    fan("glove", data.glove === null ? [] : ["", ""]);
    fan("elmo", data.text.labels);
  }

  function fan(name, labels) {
    const group = svg("g", { class: `fan ${name}` }), arc = svg("path", { class: "arc" });
    const rays = labels.map((label, k) => {
      const line = svg("line"), star = svg("path", { class: "tip", d: label ? STAR : "M0-7A7 7 0 1 1 0 7A7 7 0 1 1 0-7Z", fill: label ? data.own_colours[k] : data.glove_colour });
      return { line, star, words: svg("text", { class: "label", "text-anchor": k ? "start" : "end" }, label) };
    });
    const words = [svg("text", { class: "name", "text-anchor": "middle" }), svg("text", { class: "told", "text-anchor": "middle" })];
    group.append(arc, ...rays.map((item) => item.line), ...rays.flatMap((item) => [item.star, item.words]), ...words);
    node[name]?.group.remove();
    node.arrows.append(group);
    node[name] = { group, arc, rays, words };
  }

  // The widest angle that the arrows have from their middle on the slider's whole way.
  function widest() {
    const places = [...Array(4 * data.stops.length - 3).keys()];
    return (data.widest ??= Math.max(...places.map((k) => Math.acos(cosineAt(k / 4, data)) / 2)));
  }

  // How far the arrows of length r reach to each side of their feet, and the words below them.
  function sides(r) {
    const reach = r * Math.sin(widest()) + TIP + Math.max(...data.text.labels.map((label) => label.length)) * LETTER;
    const glove = Math.max(Math.max(...data.text.glove.map((item) => item.length)) * LETTER * 0.5, data.glove === null ? 0 : r * Math.sin(Math.acos(data.glove) / 2) + TIP);
    return [glove, Math.max(TOLD, reach)];
  }

  const wide = (row) => row.reduce((sum, item) => sum + 2 * item, APART * (row.length - 1));
  // Feet and length of the arrows: as large as the widest angle lets them be, so that only they move.
  function room() {
    let r = Math.max(30, size.y - FOOT - HEAD);
    while (r > 30 && wide(sides(r)) > size.x) r -= 2;
    const both = sides(r), spare = Math.max(0, size.x - wide(both)) / 4, x = [];
    let left = 0;
    for (const side of both) { x.push(left + spare + side); left += spare + 2 * side + APART; }
    return { r, x, y: HEAD + r };
  }

  function measure() {
    size = { x: node.arrows.clientWidth, y: node.arrows.clientHeight };
    node.arrows.setAttribute("viewBox", `0 0 ${size.x || 1} ${size.y || 1}`);
    if (data) drawBars();
  }

  function step(now) {
    if (!data || !size.x) return;
    const passed = Math.min(now - before, 50);
    before = now;
    if (morph) {
      const share = still.matches ? 1 : Math.min(1, (now - morph.at) / SETTLE_MS), eased = 1 - (1 - share) ** 3;
      at = share === 1 ? morph.to : morph.from + (morph.to - morph.from) * eased;
      if (share === 1) { morph = null; life.tell({ layer: data.layers[at] }); }
    }
    const keep = still.matches ? 0 : Math.exp(-passed / TURN_MS);
    off.forEach((item, k) => (off[k] = Math.abs(item * keep) < 0.002 ? 0 : item * keep));
    draw();
    return Boolean(morph) || off.some(Boolean);
  }

  function draw() {
    const place = room(), [elmo, glove] = angles(), low = Math.min(Math.floor(at), last()), share = at - low, next = Math.min(low + 1, last());
    const colour = `color-mix(in srgb, ${data.colours[next]} ${(100 * share).toFixed(1)}%, ${data.colours[low]})`;
    root.style.setProperty("--layer", colour);
    turn(node.glove, place, 0, glove === null ? null : glove + off[1], data.text.glove);
    const where = between(at, data.names), apart = (angle) => filled(data.text.apart, { degrees: degrees(angle), cosine: Math.cos(angle).toFixed(2) });
    turn(node.elmo, place, 1, elmo + off[0], [filled(data.text.elmo, { layer: where }), apart(elmo)]);
    node.rows?.forEach((row, k) => row.style.setProperty("--on", k === low ? 1 - share : k === next ? share : 0));
    if (Math.abs(node.input.valueAsNumber - at) > 1e-9) node.input.value = at;
    node.input.setAttribute("aria-valuetext", filled(data.text.value, { where, degrees: degrees(elmo), cosine: Math.cos(elmo).toFixed(2) }));
    if (!morph && Number.isInteger(at)) node.arrows.setAttribute("aria-label", data.alts[at]);
  }

  function between(place, names) {
    const low = Math.floor(place + 0.02), share = place - low;
    return share < 0.02 || low + 1 >= names.length ? names[Math.min(low, names.length - 1)] : filled(data.text.between, { a: names[low], b: names[low + 1] });
  }

  function turn({ arc, rays, words }, place, which, angle, message) {
    const { r, y } = place, x = place.x[which];
    const half = (angle ?? 0) / 2, reach = 0.32 * r, end = (way, turned) => [x + way * Math.sin(turned), y - way * Math.cos(turned)].map((item) => item.toFixed(2));
    rays.forEach(({ line, star, words: label }, k) => {
      const turned = k ? half : -half, [tx, ty] = end(r, turned);
      for (const [name, value] of [["x1", x.toFixed(2)], ["y1", y], ["x2", tx], ["y2", ty]]) line.setAttribute(name, value);
      star.setAttribute("transform", `translate(${tx} ${ty})`);
      label.setAttribute("x", +tx + (k ? TIP : -TIP)), label.setAttribute("y", +ty + 5);
    });
    arc.setAttribute("d", angle === null || angle < 0.01 ? "" : `M${end(reach, -half).join(" ")}A${reach} ${reach} 0 0 1 ${end(reach, half).join(" ")}`);
    words.forEach((item, k) => { item.setAttribute("x", x), item.setAttribute("y", y + (k ? 45 : 21)), say(item, message[k]); });
  }

  // One scale for all; left of 0 where a cosine is negative. A mark stands where two random words stand on average.
  function drawBars() {
    const wide = node.bars.clientWidth, values = [data.glove, ...data.values], names = ["GloVe", ...data.names];
    if (!wide) return;
    const tall = Math.min(32, Math.max(15, 170 / names.length)), from = Math.max(...names.map(letters)) * 7.4 + 12, low = Math.min(0, ...values);
    const x = (value) => from + ((value - low) / (1 - low)) * Math.max(10, wide - from - 44);
    node.bars.style.height = `${tall * names.length}px`;
    node.bars.setAttribute("viewBox", `0 0 ${wide} ${tall * names.length}`);
    const rows = names.map((name, k) => {
      const value = values[k], y = k * tall, middle = y + tall / 2 + 5, chance = k ? data.random[k - 1] ?? null : null;
      const row = svg("g", { class: k ? "row" : "row glove" });
      row.append(svg("text", { x: from - 10, y: middle, "text-anchor": "end" }, name));
      if (value !== null && Math.abs(value) >= 0.005) row.append(svg("rect", { x: x(Math.min(value, 0)), y: y + 3, width: Math.max(1, Math.abs(x(value) - x(0))), height: tall - 6, rx: 2, fill: k ? data.colours[k - 1] : data.glove_colour }));
      if (chance !== null) row.append(svg("line", { x1: x(chance), x2: x(chance), y1: y + 2, y2: y + tall - 2 }));
      row.append(svg("text", { x: value === null ? from : x(Math.max(value, 0)) + 7, y: middle, class: "value" }, value === null ? data.text.glove[1] : value.toFixed(2)));
      if (k) row.onclick = () => glideTo(k - 1);
      return row;
    });
    node.rows = rows.slice(1, 1 + data.values.length);
    node.bars.replaceChildren(...rows);
    node.bars.setAttribute("aria-label", data.text.bars);
  }

  // -- telling the server, and being told

  function glideTo(to, own = true) {
    morph = { from: at, to, own, at: performance.now() };
    ask();
  }

  // The sentences may have changed; the layer is the server's unless the reader has since set another one, or is on the way to it.
  function take(given) {
    const first = !data, old = first ? null : angles();
    data = { ...given };
    if (first) build();
    const held = node.input.matches(":active") || morph?.own || life.isOld(given), to = Math.max(0, data.layers.indexOf(data.layer));
    if (first || at > last()) at = to;
    if (!held) life.agree({ layer: data.layer }, given);
    if (!first) angles().forEach((angle, k) => { if (angle !== null && old[k] !== null) off[k] += old[k] - angle; });
    dress();
    measure();
    if (!held && to !== at && !(morph && morph.to === to)) glideTo(to, false);
    draw();
    ask();
  }

  return {
    life, take,
    seen: () => ({ at, cosine: cosineAt(at, data), layer: data.layers[Math.round(at)], moving: Boolean(morph) || off.some(Boolean) }),
  };
}

export default mounted("angle", picture);
