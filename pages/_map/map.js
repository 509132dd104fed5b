// The Map page's instrument: one map whose layers lie under a scrubber, and the same dots gliding from one layer's layout to the next.
//
// core sends every layout's places and who is near whom in the full space (map_view.py); between two layers a dot is on its straight
// way. Nothing is sent while one scrubs or plays; letting go tells the server the layer, the point in question and what is selected.
// Home shows it compact (`data.compact`): no list and no selection, a click takes a dot's sentence, and it opens with a glide.

const BLEND_MS = 500, OPENING_MS = 1500; // to a new layout; from the first space to the one that a compact map opens in
const PAD = 36, HIT = 14, TOUCH_HIT = 22, FEW = 600; // px; dots up to which each has a rim of its own
const AWAY = 30; // px, from a dot to its word at most
const STRAY = 60; // px, how much farther a sense's name may be to lie nearer to a dot of its sense than to others
const SIDES = [[0, -16], [0, 25], [-1, 5], [1, 5]]; // where a star's name may be: above it, below, left, right
const LABEL = 24; // px, a name and the room below it
const FADED = 0.13, GRAY = 0.4; // opacity of what is not selected, and of dots of no sense

function map(root) {
  let data, news = {}, ready = false;
  let places, count = 0, n = 0, now = new Float64Array(0), from = null, blend = 0; // places (layers, count, 2); now: px on the screen
  let before = 0, origin = -1, hot = -1, sense = null, picked = new Set(), drag = null, armed = false, lens, size = { x: 0, y: 0 };
  let order = [], list, stars = [], labels = [], chips = [], whose = [], words = new Map(), rings = [], opened = false, reported = -1, offsets = [], sides = [], slides = false;
  const life = living("map", { step, measure, hear, rest }), { ask } = life;
  const ui = (name) => root.querySelector(name), layers = scrubber(root, ask, (to) => tell(data.names[to])), { stop, low, last, mixed } = layers, shapes = SHAPES.map((path) => new Path2D(path));
  const groups = () => data.groups[Math.min(stop(), data.groups.length - 1)];
  const linksOf = (point, k = stop()) => (data.links[point] ?? news.links?.[point])?.[k] ?? [[], [], [], 0, 0];
  const nameOf = (point) => (point < 0 ? "none" : point < n ? String(data.rows[point]) : data.stars[point - n].name);
  const all = () => [...Array(n).keys()];
  const colorOf = (group) => data.colors[group] ?? NEUTRAL;
  function pointOf(name) {
    const star = data.stars.findIndex((item) => item.name === name);
    return star < 0 ? data.rows.indexOf(Number(name)) : n + star;
  }

  // -- building

  function build() {
    const { text } = data, button = (given, ...inside) => el("button", { type: "button", ...given }, ...inside), fill = (name, nodes) => ui(name).replaceChildren(...nodes);
    dressed(root, text);
    root.classList.toggle("compact", Boolean(data.compact));
    words.clear();
    for (const name of [".lines", ".words", "ol"]) fill(name, []);
    fill(".x", [data.axes?.[0] ?? ""]);
    fill(".y", [data.axes?.[1] ?? ""]);
    layers.build(data);
    for (const [name, view] of [[".all", "all layers"], [".every", "all tokens"], [".senses", "senses"]]) ui(name).onclick = () => { layers.halt(); tell(view); };
    ui(".senses").hidden = !text.senses;
    chips = data.chips.map(({ name, group, shape, told: message }) => {
      const chip = button({ className: "sense", title: [message, filled(text.select, { name })].filter(Boolean).join("\n"), onclick: () => pickGroup(group) }, icon(shape, colorOf(group)), name);
      chip.onpointerenter = chip.onfocus = () => { sense = group; ask(); };
      chip.onpointerleave = chip.onblur = () => { sense = null; ask(); };
      return chip;
    });
    fill(".chips", chips);
    ui(".rope").onclick = () => { armed = !armed; ask(); };
    if (!data.compact) zooms(ui, zoom);
    rings = data.ring ? data.stars.map((star) => svg("circle", { stroke: star.color })) : [];
    fill(".rings", rings);
    stars = data.stars.map((star, k) => ({ node: starOf(star.color, star.label, k % 2), way: svg("path", { class: "way", stroke: star.color }), gone: svg("path", { class: "gone", stroke: star.color }) }));
    fill(".stars", stars.map((star) => star.node));
    const own = data.stars.map((star) => star.color);
    ui(".kinds .path i").style.borderImage = own.length ? `linear-gradient(90deg, ${own[0]} 50%, ${own.at(-1)} 50%) 1` : "";
    fill(".trails", stars.flatMap((star) => [star.way, star.gone]));
    labels = data.labels.map(({ name, color, ink }) => el("span", { textContent: name, style: `background:${color};color:${ink}` }));
    fill(".labels", labels);
    whose = data.stars.map((star, k) => button({ onclick: () => question(n + k) }, starIcon(star.color), star.label));
    fill(".whose", whose);
    list = gliding(ui("ol"), line);
    listen(ui(".plane"));
    life.watch(ui(".plane"));
    if (data.compact) offered(Object.assign(ui(".front"), { asPicture: picture }));
    measure();
  }

  function measure() {
    const plane = ui(".plane"), canvas = ui("canvas"), ratio = devicePixelRatio || 1;
    size = { x: plane.clientWidth, y: plane.clientHeight };
    [canvas.width, canvas.height] = [size.x * ratio, size.y * ratio];
    for (const item of [ui(".back"), ui(".front")]) item.setAttribute("viewBox", `0 0 ${size.x} ${size.y}`);
  }

  function line(point) {
    const number = el("span", { className: "cosine" }), color = colorOf(groups()[point]);
    const button = lineOf(data.lines[point], icon(data.shapes[point], color), data.notes[point], number);
    button.onpointerenter = button.onfocus = () => light(point);
    button.onpointerleave = button.onblur = () => light(-1);
    button.onclick = () => question(point);
    return { node: el("li", { style: `--sense:${color}` }, button), number };
  }

  // -- where all stands

  // A point's place in a layer's layout on the screen; one scale for both axes and all layers.
  function screen(x, y) {
    const [left, right, bottom, top] = data.limits, scale = Math.min((size.x - (data.ring ? 4 : 2 * PAD)) / Math.max(right - left, 1e-6), (size.y - 2 * PAD) / Math.max(top - bottom, 1e-6));
    return [(size.x / 2 + (x - (left + right) / 2) * scale) * lens.k + lens.x, (size.y / 2 - (y - (bottom + top) / 2) * scale) * lens.k + lens.y];
  }

  function aim() {
    const item = low() * 2 * count, two = Math.min(low() + 1, last()) * 2 * count, place = (k) => mixed(places[item + k], places[two + k]);
    for (let k = 0; k < 2 * count; k += 2) [now[k], now[k + 1]] = screen(place(k), place(k + 1));
    const left = 1 - eased(Math.min(1, (before - blend) / BLEND_MS));
    if (from && left > 0) from.forEach((px, k) => (now[k] += (px - now[k]) * left));
    else from = null;
  }

  // -- what moves

  function step(time) {
    before = time;
    if (!ready || !root.isConnected) return;
    layers.step(time);
    aim();
    drawHead();
    drawDots();
    drawRest();
    drawList();
    report();
    return Boolean(layers.way || from || slides);
  }

  // The curves next to a compact map show the plain cosine of the space that it shows.
  function report() {
    if (!data.compact || reported === layers.at) return;
    window["elmoscope-curves"] = { at: (reported = layers.at) };
    dispatchEvent(new CustomEvent("elmoscope-curves", { detail: window["elmoscope-curves"] }));
  }

  function counted() {
    const [ids, near, , tied, others] = linksOf(origin);
    if (!ids.length) return origin < 0 ? "" : filled(data.text.tied, { tied });
    return filled(data.text.counted, { kept: near.reduce((a, b) => a + b), n: ids.length, chance: (ids.length ** 2 / others).toFixed(1) });
  }

  function drawHead() {
    const pressed = (node, on) => node.setAttribute("aria-pressed", on);
    layers.draw();
    say(ui(".counted"), [data.under[stop()], counted()].filter(Boolean).join(" · "));
    pressed(ui(".rope"), armed);
    chips.forEach((chip, k) => pressed(chip, isGroup(data.chips[k].group)));
    whose.forEach((item, k) => pressed(item, origin === n + k));
    const near = [...new Set([origin, hot])].flatMap((point) => linksOf(point)[1]);
    ui(".kinds .kept").hidden = !near.some(Boolean);
    ui(".kinds .not").hidden = near.every(Boolean);
    ui(".kinds .path").hidden = !stars.length || data.names.length < 2;
    ui(".whole").hidden = lens.k === 1;
    ui(".plane").classList.toggle("held", armed || lens.k > 1);
    ui(".front").setAttribute("aria-label", filled(data.text.alt, { where: data.where[stop()] }));
  }

  function drawDots() {
    const canvas = ui("canvas"), ratio = canvas.width / Math.max(size.x, 1), c = canvas.getContext("2d"), of = groups(), few = n <= FEW;
    c.resetTransform();
    c.clearRect(0, 0, canvas.width, canvas.height);
    for (const k of order) {
      const group = of[k], grow = (few ? 1 : 0.75) * (group ? 1 : 0.7) * (k === hot ? 1.7 : 1) * ratio, path = shapes[data.shapes[k] % 8];
      c.setTransform(grow, 0, 0, grow, now[2 * k] * ratio, now[2 * k + 1] * ratio);
      if (few) { // a rim of nothing, which shows the page's ground, light or dark
        c.globalCompositeOperation = "destination-out";
        c.globalAlpha = 1;
        c.lineWidth = 2;
        c.stroke(path);
        c.globalCompositeOperation = "source-over";
      }
      c.globalAlpha = ((sense !== null ? group !== sense : picked.size && !picked.has(k)) ? FADED : 1) * (group ? 0.92 : GRAY);
      c.fillStyle = colorOf(group);
      c.fill(path);
    }
  }

  const loopOf = ({ path }) => (path.length > 2 ? `M${path.join("L")}Z` : "");
  const placeOf = (k) => [now[2 * k].toFixed(1), now[2 * k + 1].toFixed(1)];
  const shift = (k) => `translate(${placeOf(k)})`;

  function drawRest() {
    threads(ui(".lines"), [...new Set([origin, hot])].flatMap((point) => {
      const [ids, near] = linksOf(point), dim = (id) => (hot >= 0 && point !== hot && id !== hot ? "dim" : "");
      return ids.map((id, k) => [...placeOf(point), ...placeOf(id), { class: `${near[k] ? "" : "off"} ${dim(id)}` }]);
    }));
    ui(".ring").setAttribute("transform", origin >= 0 && origin < n ? shift(origin) : "scale(0)");
    stars.forEach((star, k) => {
      const path = data.names.map((_, layer) => screen(places[2 * (layer * count + n + k)], places[2 * (layer * count + n + k) + 1]));
      star.node.setAttribute("transform", shift(n + k));
      star.way.setAttribute("d", `M${path.join("L")}`);
      star.gone.setAttribute("d", `M${[...path.slice(0, Math.floor(layers.at + 1e-9) + 1), placeOf(n + k)].join("L")}`);
    });
    // No label covers a star or another label, nor in a compact map a dot where there is room for it.
    const dots = data.compact ? all().map((k) => ({ x: now[2 * k], y: now[2 * k + 1], half: 6, tall: 12, group: groups()[k] })) : [];
    const put = data.compact ? nameStars(dots) : stars.map((_, k) => ({ x: now[2 * (n + k)], y: now[2 * (n + k) + 1] + (k % 2 ? 8 : -8), half: 18, tall: 44 }));
    slides = false;
    labels.forEach((label, k) => {
      const point = n + stars.length + k, { shown, group } = data.labels[k], half = label.offsetWidth / 2, tall = Math.max(data.compact ? 0 : LABEL, label.offsetHeight + 2);
      const x = Math.max(half, Math.min(size.x - half, now[2 * point] + aside(point, group) * (half + 9))), share = mixed(shown[low()], shown[Math.min(low() + 1, last())]), own = { x, y: now[2 * point + 1], half, tall };
      const place = share <= 0.05 ? own : data.takes ? placeOfName(own, put, dots, group) : { x, y: freePlace(own, put, size.y) };
      if (data.compact && !data.takes && Math.abs(place.y - own.y) > AWAY) place.y = null; // too far from its dot
      if (share > 0.05 && place.y !== null) put.push({ ...own, ...place });
      const y = place.y === null || !data.takes ? place.y : glided(2 * k + 1, place.y - own.y) + own.y;
      label.style.transform = `translate(${(data.takes ? glided(2 * k, place.x - x) + x : x).toFixed(1)}px, ${(y ?? 0).toFixed(1)}px) translate(-50%, -50%)`;
      label.style.opacity = y === null ? 0 : (sense === null || sense === group ? 0.95 : FADED) * share;
    });
    const [x, y] = screen(0, 0);
    rings.forEach((ring, k) => {
      const share = mixed(data.ring.shown[low()], data.ring.shown[Math.min(low() + 1, last())]);
      for (const [name, value] of Object.entries({ transform: shift(n + k), r: screen(data.ring.radius, 0)[0] - x, opacity: share })) ring.setAttribute(name, value);
    });
    ui(".axes").setAttribute("d", data.axes ? `M0 ${y}H${size.x}M${x} 0V${size.y}` : "");
    ui(".lasso").setAttribute("d", drag ? loopOf(drag) : "");
    drawWords();
    drawCard();
  }

  // Each star's name goes to the side where it covers fewest dots, and stays there while no other has fewer. Returns the boxes of stars and names.
  function nameStars(dots) {
    const boxes = stars.map((_, k) => ({ x: now[2 * (n + k)], y: now[2 * (n + k) + 1], half: 13, tall: 26 }));
    const names = stars.map(({ node }, k) => {
      const { x, y } = boxes[k], half = 2 + 4 * data.stars[k].label.length, others = [...dots, ...boxes.filter((box) => box !== boxes[k])];
      const spots = SIDES.map(([side, down]) => ({ x: x + side * (half + 13), y: y + down - 5, half, tall: 16, down, side }));
      const covered = spots.map((box) => others.filter((item) => isOver(box, item)).length + 1000 * (box.x < half || box.x > size.x - half || box.y < 8 || box.y > size.y - 8));
      const usual = sides[k] ?? k % 2, fewest = Math.min(...covered), spot = spots[(sides[k] = covered[usual] === fewest ? usual : covered.indexOf(fewest))];
      node.lastChild.setAttribute("x", spot.x - x);
      node.lastChild.setAttribute("y", spot.down);
      return spot;
    });
    return [...boxes, ...names];
  }

  // A sense's name goes where it covers no star, name or dot, else no dot of another sense: as near to its own place, and to its dots, as may be.
  function placeOfName(own, put, dots, group) {
    const far = (dot, x, y) => Math.hypot(Math.max(0, Math.abs(dot.x - x) - own.half), Math.max(0, Math.abs(dot.y - y) - own.tall / 2));
    const isAstray = (x, y) => dots.reduce((best, dot) => (far(dot, x, y) < far(best, x, y) ? dot : best)).group !== group;
    const spots = [[], dots.filter((dot) => dot.group === group), dots].flatMap((covered, rank) => [0, -1, 1, -2, 2, -3, 3].flatMap((by) => {
      const x = Math.max(own.half, Math.min(size.x - own.half, own.x + by * own.half)), y = freePlace({ ...own, x }, [...put, ...dots.filter((dot) => !covered.includes(dot))], size.y);
      return y === null ? [] : [{ x, y, cost: Math.hypot(x - own.x, y - own.y) + STRAY * (isAstray(x, y) + rank) }];
    }));
    return spots.reduce((best, spot) => (spot.cost < best.cost ? spot : best), { x: own.x, y: null, cost: Infinity });
  }

  // Words of a compact map are written on the side of the star that they are near: left of their dots, or right.
  function aside(point, group) {
    if (!data.compact || data.takes) return 0;
    return group === 1 || (group === 3 && now[2 * point] < (now[2 * n] + now[2 * n + 2]) / 2) ? -1 : 1;
  }

  // How far a label is from its own place: it slides to another one, so that none jumps while the dots glide.
  function glided(k, to) {
    const from = offsets[k], next = from === undefined || still.matches || Math.abs(to - from) < 0.5 ? to : from + (to - from) * 0.2;
    slides ||= next !== to;
    return (offsets[k] = next);
  }

  // Words that stand beside their dots, of words without labels.
  function drawWords() {
    const wanted = new Set(data.words?.[stop()]), named = withRoom([...wanted].map((k) => [k, data.lines[k][1]]), now, stars.map((_, k) => n + k));
    for (const [k, node] of words) if (!wanted.has(k)) { node.remove(); words.delete(k); }
    for (const k of wanted) {
      if (!words.has(k)) {
        words.set(k, svg("text", { y: -11, "text-anchor": "middle" }, data.lines[k][1]));
        ui(".words").append(words.get(k));
      }
      words.get(k).setAttribute("transform", shift(k));
      words.get(k).style.display = named.has(k) ? "" : "none";
    }
  }

  function drawList() {
    const [ids, near, cosines] = linksOf(origin);
    list.show(ids);
    ids.forEach((id, k) => {
      const row = list.rows.get(id);
      say(row.number, cosines[k].toFixed(2));
      row.node.classList.toggle("off", !near[k]);
    });
    for (const [id, row] of list.rows) row.node.classList.toggle("hot", id === hot);
    say(ui(".sentence"), origin < 0 ? data.text.none : origin < n ? data.lines[origin].join("") : data.stars[origin - n].text);
  }

  function drawCard() {
    const card = ui(".card"), star = data.stars[hot - n];
    card.hidden = hot < 0 || Boolean(drag?.moved);
    ui(".plane").classList.toggle("over", data.takes && !card.hidden && hot < n);
    if (card.hidden) return;
    cardOf(card, data.lines[hot] ?? ["", star.label, ` ${star.text}`], data.notes[hot] ?? "");
    cardAt(card, now[2 * hot], now[2 * hot + 1], size);
  }

  // What is on screen as an SVG of its own, with the look written into it.
  function picture() {
    const { color: ink, fontFamily } = getComputedStyle(root), named = { "font-family": fontFamily, "font-weight": 650, "font-size": 13, "text-anchor": "middle" };
    const made = svg("svg", { width: size.x, height: size.y, viewBox: `0 0 ${size.x} ${size.y}` });
    rings.forEach((ring) => made.append(Object.assign(ring.cloneNode(), { style: "" })));
    made.querySelectorAll("circle").forEach((ring) => { ring.setAttribute("fill", "none"), ring.setAttribute("stroke-width", 2), ring.setAttribute("stroke-dasharray", "5 4"); });
    for (const k of order) made.append(svg("path", { d: SHAPES[data.shapes[k] % 8], transform: shift(k), fill: colorOf(groups()[k]) }));
    labels.forEach((label, k) => {
      if (!Number(label.style.opacity)) return;
      const [x, y] = label.style.transform.match(/-?[\d.]+/g), wide = label.offsetWidth, tall = label.offsetHeight, { name, color, ink: own } = data.labels[k];
      made.append(svg("rect", { x: x - wide / 2, y: y - tall / 2, width: wide, height: tall, rx: 3, fill: color }), svg("text", { ...named, x, y: +y + 4.5, fill: own }, name));
    });
    data.stars.forEach((star, k) => made.append(svg("g", { transform: shift(n + k) },
      svg("path", { d: STAR, fill: star.color, stroke: "#1b1b1f", "stroke-width": 1.6 }), svg("text", { ...named, ...Object.fromEntries(["x", "y"].map((name) => [name, stars[k].node.lastChild.getAttribute(name)])), fill: ink }, star.label))));
    return made;
  }

  // At rest: the list's order in the document is what is seen, and what changed is said to those who do not see it.
  function rest() {
    if (layers.way || drag) return;
    list.settle();
    const [here, prior] = [linksOf(origin)[0], linksOf(origin, stop() - 1)[0]], message = [layers.where(), counted()];
    if (prior.length) message.push(filled(data.text.kept_from, { kept: here.filter((id) => prior.includes(id)).length, n: here.length, where: data.where[stop() - 1] }));
    if (picked.size) message.push(filled(data.text.picked, { n: picked.size }));
    say(ui("[aria-live]"), message.filter(Boolean).join(". "));
  }

  // -- the hand

  function light(point) {
    if (hot === point) return;
    hot = point;
    ask();
  }

  function question(point) {
    origin = origin === point ? -1 : point;
    ask();
    tell();
  }

  // A dot of a compact map: its sentence is wanted as the second one.
  function takeSentence(point) {
    if (point >= 0 && point < n && data.takes) life.tell({ ...state(data.names[stop()]), taken: data.rows[point] });
    ask();
  }

  const ofGroup = (group) => all().filter((k) => groups()[k] === group);
  function isGroup(group) {
    const wanted = ofGroup(group);
    return picked.size > 0 && wanted.length === picked.size && wanted.every((k) => picked.has(k));
  }
  function pickGroup(group) {
    picked = new Set(isGroup(group) ? [] : ofGroup(group));
    ask();
    tell();
  }

  function nearest([x, y], reach) {
    let result = -1, best = reach ** 2;
    for (let k = 0; k < n + stars.length; k++) {
      const far = (now[2 * k] - x) ** 2 + (now[2 * k + 1] - y) ** 2;
      if (far <= best) [result, best] = [k, far];
    }
    return result;
  }

  function zoom(by, at = [size.x / 2, size.y / 2]) {
    lens = nearer(lens, by, at, 40);
    ask();
  }

  function listen(plane) {
    const point = (event) => pointIn(plane, event);
    plane.onpointerdown = (event) => {
      if (event.button) return;
      const finger = event.pointerType === "touch", moves = data.compact || event.shiftKey || (finger && !armed);
      drag = { last: point(event), path: [point(event)], moved: false, moves, idle: moves && lens.k === 1 };
      plane.setPointerCapture(event.pointerId);
      if (!finger) event.preventDefault(); // no text is selected on the way
    };
    plane.onpointermove = (event) => {
      const here = point(event);
      if (!drag) return event.pointerType === "touch" ? undefined : light(nearest(here, HIT));
      drag.moved ||= Math.hypot(here[0] - drag.path[0][0], here[1] - drag.path[0][1]) > 5;
      if (!drag.moved || drag.idle) return;
      if (drag.moves) lens = { ...lens, x: lens.x + here[0] - drag.last[0], y: lens.y + here[1] - drag.last[1] };
      else drag.path.push(here);
      drag.last = here;
      ask();
    };
    plane.onpointerup = (event) => {
      const done = drag;
      drag = null;
      if (!done) return;
      if (!done.moved) {
        const finger = event.pointerType === "touch", point = nearest(done.last, finger ? TOUCH_HIT : HIT), again = !finger || hot === point;
        if (finger) hot = point;
        if (data.compact) return again ? takeSentence(point) : ask(); // a finger sees the sentence first
        if (point >= 0) return question(point);
        if (picked.size) { picked = new Set(); tell(); }
      } else if (!done.moves) {
        const loop = new Path2D(loopOf(done)), context = ui("canvas").getContext("2d");
        context.resetTransform();
        picked = new Set(all().filter((k) => context.isPointInPath(loop, now[2 * k], now[2 * k + 1], "evenodd")));
        armed = false;
        tell();
      }
      ask();
    };
    plane.onpointercancel = () => { drag = null; ask(); };
    plane.onpointerleave = () => { if (!drag) light(-1); };
  }

  // -- telling the server, and being told

  const state = (view) => ({ view, dot: nameOf(origin), picked: [...picked].sort((a, b) => a - b).map((k) => data.rows[k]) });
  const tell = (view = data.names[layers.way ? layers.way.to : stop()]) => life.tell(state(view));

  // What the server says is set, unless the reader has since set something else.
  function hear(message) {
    if (!data || message?.key !== data.key) return;
    news = message;
    if (ready && life.isOld(message)) return ask();
    const to = data.names.indexOf(message.view);
    origin = pointOf(message.dot);
    picked = new Set(message.picked.map((row) => data.rows.indexOf(row)).filter((k) => k >= 0));
    if (to >= 0 && !ready && data.opens && !opened && !still.matches) {
      layers.at = 0;
      layers.goTo(to, OPENING_MS);
    } else if (to >= 0 && !ready) layers.at = to;
    else if (to >= 0 && to !== stop() && !layers.way && !layers.playing && !drag && !ui("input").matches(":active")) layers.goTo(to);
    ready = opened = true;
    life.agree(state(message.view), message);
    ask();
  }

  function take(given) {
    const first = given.news ?? window["elmoscope-map"];
    if (data?.key === given.key) { hear(first); return ask(); }
    const old = data, was = now;
    data = given;
    places = decoded(data.places);
    [n, count] = [data.rows.length, places.length / 2 / data.names.length];
    now = new Float64Array(2 * count);
    // The same dots in another layout glide there; others are another word's.
    from = old && !still.matches && was.length === now.length && old.rows.join() === data.rows.join() ? was : null;
    blend = performance.now();
    order = all().sort((a, b) => Boolean(data.groups[0][a]) - Boolean(data.groups[0][b]));
    const otherSpaces = !old || old.names.length !== data.names.length;
    if (!data.compact || otherSpaces) layers.halt(); // other sentences do not stop a glide
    if (otherSpaces) ready = false;
    if (old?.rows.join() !== data.rows.join()) [offsets, sides] = [[], []];
    reported = -1;
    [origin, hot, sense, lens, drag, picked] = [-1, -1, null, WHOLE, null, new Set()];
    build();
    hear(first);
  }

  return {
    life, take,
    seen: () => ({ at: layers.at, playing: layers.playing, origin: nameOf(origin), picked: [...picked].map((k) => data.rows[k]), hot: nameOf(hot), now: [...now], size, lens, drawn: ui(".lines").childElementCount }),
  };
}

export default mounted("map", map);
