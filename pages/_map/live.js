// What the instruments of Map and Mix share: marks, a list whose lines glide, a scrubber over the layers, how one comes nearer. It
// stands between what all instruments share (pages/_widgets/instrument.js) and an instrument's own.

const ROW = 31, TOUCH_ROW = 44; // px
const touch = matchMedia("(pointer: coarse)");
const NEUTRAL = "#8c8c96"; // a dot of no sense
const SHAPES = [
  "M5.2 0A5.2 5.2 0 1 1-5.2 0A5.2 5.2 0 1 1 5.2 0Z", "M0-6.6L6.2 0L0 6.6L-6.2 0Z", "M-4.7-4.7H4.7V4.7H-4.7Z", "M0-6.2L6 4.6H-6Z",
  "M-2-6H2V-2H6V2H2V6H-2V2H-6V-2H-2Z", "M0-2.6L3.4-6L6-3.4L2.6 0L6 3.4L3.4 6L0 2.6L-3.4 6L-6 3.4L-2.6 0L-6-3.4L-3.4-6Z",
  "M0-6L5.7-1.9L3.5 4.9H-3.5L-5.7-1.9Z", "M-3-5.2H3L6 0L3 5.2H-3L-6 0Z",
];
const percent = (share) => `${Math.round(100 * share)}%`;
const eased = (share) => (share < 0.5 ? 4 * share ** 3 : 1 - (2 - 2 * share) ** 3 / 2);

const shapeOf = (number, color) => svg("path", { d: SHAPES[Math.max(number, 0) % 8], fill: color ?? NEUTRAL });
const icon = (number, color) => svg("svg", { viewBox: "-8 -8 16 16", width: 14, height: 14, "aria-hidden": "true" }, shapeOf(number, color));
const starIcon = (color) => svg("svg", { viewBox: "-13 -13 26 26", width: 18, height: 18, class: "star", "aria-hidden": "true" }, svg("path", { d: STAR, fill: color }));
function starOf(color, text, below) {
  return svg("g", { class: "star" }, svg("path", { d: STAR, fill: color }), svg("text", { y: below ? 25 : -16, "text-anchor": "middle" }, text));
}

// The texts of the elements that stand in an instrument's HTML; by textContent alone.
function dressed(root, text) {
  for (const node of root.querySelectorAll("[data-text]")) node.textContent = text[node.dataset.text];
  for (const node of root.querySelectorAll("[data-name]")) node.ariaLabel = text[node.dataset.name];
  root.ariaLabel = text.title;
}

// One line of a list: what stands left of the word, the word, what stands right of it, a sign before them, a number behind.
function lineOf([left, word, right], sign, unseen, number) {
  return el("button", { type: "button", className: "row", title: left + word + right }, sign,
    el("span", { className: "left" }, el("span", { textContent: left })), el("b", { textContent: word }),
    el("span", { className: "right", textContent: right }), el("span", { className: "unseen", textContent: ` ${unseen} ` }), number);
}

// Lines between points, [x1, y1, x2, y2, attributes] each; those that are there are used again.
function threads(group, wanted) {
  while (group.childElementCount > wanted.length) group.lastChild.remove();
  wanted.forEach(([x1, y1, x2, y2, given], k) => {
    const item = group.children[k] ?? group.appendChild(svg("line"));
    for (const [name, value] of Object.entries({ x1, y1, x2, y2, ...given })) item.setAttribute(name, value);
  });
}

// A card beside a dot: its sentence, and what else is said of it; on the side that has more room.
function cardOf(card, [left, word, right], note) {
  card.replaceChildren(left, el("b", { textContent: word }), right, el("i", { textContent: note }));
}
function cardAt(card, x, y, size) {
  const under = y < size.y / 2;
  card.style.transform = `translate(${Math.max(138, Math.min(size.x - 138, x))}px, ${y + (under ? 15 : -15)}px) translate(-50%, ${under ? "0" : "-100%"})`;
}

// A list whose lines glide to their places. `make(id)` -> { node, ... }: a new line; `rows` has those that are seen, by id.
function gliding(ol, make) {
  const rows = new Map();
  function show(ids) {
    const tall = touch.matches ? TOUCH_ROW : ROW, kept = new Set(ids);
    ol.style.height = `${ids.length * tall}px`;
    ids.forEach((id, place) => {
      let row = rows.get(id);
      if (!row) {
        rows.set(id, (row = { ...make(id), place: null }));
        ol.append(row.node);
      }
      clearTimeout(row.leaving);
      row.leaving = 0;
      if (row.place === place) return;
      row.node.style.transform = `translateY(${place * tall}px)`;
      row.node.classList.remove("gone");
      row.place = place;
    });
    for (const [id, row] of rows) {
      if (kept.has(id) || row.leaving) continue;
      row.place = -1;
      row.node.style.transform = `translateY(${ids.length * tall}px)`;
      row.node.classList.add("gone");
      row.leaving = setTimeout(() => { row.node.remove(); rows.delete(id); }, 300);
    }
  }
  // At rest the order in the document is what is seen; who stands on a line keeps standing there.
  function settle() {
    const page = ol.getRootNode(), active = page.activeElement;
    const wanted = [...rows.values()].filter((row) => row.place >= 0).sort((a, b) => a.place - b.place);
    wanted.forEach((row, k) => { if (ol.children[k] !== row.node) ol.insertBefore(row.node, ol.children[k] ?? null); });
    if (active && active !== page.activeElement && ol.contains(active)) active.focus({ preventScroll: true });
  }
  return { rows, show, settle };
}

const STOP_MS = 900, REST_MS = 700, HELD_MS = 1600; // from layer to layer, rest there, the same without motion
const PLAY = "M-4-6L7 0L-4 6Z", PAUSE = "M-5-6H-1.5V6H-5ZM1.5-6H5V6H1.5Z";

// A scrubber over the layers, with Play: `at` glides from one to the next. Each frame calls step and draw; `rested` hears where it rests.
function scrubber(root, ask, rested) {
  const ui = (name) => root.querySelector(`.head ${name}`), own = { at: 0, way: null, playing: false };
  const stop = () => Math.round(own.at), last = () => data.names.length - 1, low = () => Math.max(0, Math.min(Math.floor(own.at), last() - 1));
  let data, stops = [], timer = 0;

  function build(given) {
    data = given;
    ui(".play").onclick = toggle;
    const range = ui("input");
    range.max = last();
    range.oninput = () => { halt(); own.at = range.valueAsNumber; ask(); };
    range.onpointerdown = halt;
    range.onchange = range.onpointerup = range.onpointercancel = () => goTo(stop());
    range.onkeydown = keys;
    stops = data.short.map((name, k) => el("button", { type: "button", textContent: name, title: data.titles[k], style: `--at:${last() ? k / last() : 0}`, onclick: () => { halt(); goTo(k); } }));
    ui(".stops").replaceChildren(...stops);
  }

  function goTo(to, ms = STOP_MS) {
    own.way = { from: own.at, to, start: 0, ms: still.matches ? 0 : ms * Math.min(1, Math.max(0.25, Math.abs(to - own.at))) };
    ask();
  }

  function halt() { clearTimeout(timer); own.playing = false; own.way = null; }

  function step(time) {
    const { way } = own;
    if (!way) return;
    way.start ||= time; // the first frame in which it moves
    const share = way.ms ? Math.max(0, Math.min(1, (time - way.start) / way.ms)) : 1;
    own.at = share === 1 ? way.to : way.from + (way.to - way.from) * eased(share);
    if (share < 1) return;
    own.way = null;
    if (own.playing && own.at < last()) timer = setTimeout(() => goTo(stop() + 1), still.matches ? HELD_MS : REST_MS);
    else { own.playing = false; rested(stop()); }
  }

  function toggle() {
    const { playing } = own;
    halt();
    if (playing) return goTo(stop());
    own.playing = true;
    goTo(own.at >= last() ? 0 : Math.min(Math.floor(own.at + 1e-6) + 1, last()));
  }

  function keys(event) {
    const to = stopAfter(event.key, own.way && !own.playing ? own.way.to : stop(), last());
    if (event.key === " ") toggle();
    else if (to === undefined) return;
    else { halt(); goTo(to); }
    event.preventDefault();
  }

  function where() {
    const below = low(), share = own.at - below;
    return share < 0.005 || share > 0.995 ? data.titles[stop()] : filled(data.text.between, { a: data.where[below], b: data.where[below + 1] });
  }

  function draw() {
    const range = ui("input"), title = where();
    if (range.valueAsNumber !== own.at) range.value = own.at;
    range.setAttribute("aria-valuetext", title);
    root.style.setProperty("--layer", data.tints[stop()]);
    say(root.querySelector(".title"), title);
    ui(".sign").setAttribute("d", own.playing ? PAUSE : PLAY);
    say(ui(".play span"), own.playing ? data.text.pause : data.text.play);
    stops.forEach((item, k) => item.classList.toggle("now", Math.abs(own.at - k) < 0.005));
  }

  return Object.assign(own, { build, goTo, halt, step, where, draw, stop, low, last, mixed: (a, b) => a + (b - a) * (own.at - low()) });
}

// How near the reader has come, and where to: a point of the whole picture is seen at k times its place, shifted by x and y.
const WHOLE = { k: 1, x: 0, y: 0 };
function nearer(lens, by, [x, y], most) {
  const k = Math.max(1, Math.min(most, lens.k * by));
  return k === 1 ? WHOLE : { k, x: x - ((x - lens.x) * k) / lens.k, y: y - ((y - lens.y) * k) / lens.k };
}
function zooms(ui, zoom) {
  for (const [name, by] of [[".near", 1.6], [".far", 1 / 1.6], [".whole", 0]]) ui(name).onclick = () => zoom(by);
  ui(".plane").onwheel = (event) => {
    if (!event.ctrlKey && !event.metaKey) return; // the wheel alone scrolls the page
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 250), pointIn(ui(".plane"), event));
  };
}
function pointIn(plane, event) {
  const box = plane.getBoundingClientRect();
  return [event.clientX - box.x, event.clientY - box.y];
}

const isOver = (a, b) => Math.abs(a.x - b.x) < a.half + b.half && Math.abs(a.y - b.y) < (a.tall + b.tall) / 2;

// The height nearest to a label's own at which it covers none of those `put` before; null where the picture has no room for it.
function freePlace({ x, y, half, tall }, put, height) {
  const beside = put.filter((item) => Math.abs(item.x - x) < item.half + half + 3), gap = (item) => (item.tall + tall) / 2;
  const within = (place) => Math.max(tall / 2, Math.min(height - tall / 2, place));
  const places = [y, ...beside.flatMap((item) => [item.y - gap(item), item.y + gap(item)])].filter((place, k) => !k || within(place) === place).map(within);
  const free = places.filter((place) => beside.every((item) => Math.abs(item.y - place) >= gap(item) - 1e-6));
  return free.length ? free.reduce((best, place) => (Math.abs(place - y) < Math.abs(best - y) ? place : best)) : null;
}

// Of words [point, word] over their points, the first before the later, those that stand neither on another word nor on a star.
function withRoom(words, places, stars) {
  const box = (k, wide, up, down) => [places[2 * k] - wide, places[2 * k] + wide, places[2 * k + 1] - up, places[2 * k + 1] + down];
  const taken = stars.map((k) => box(k, 30, 24, 24)), named = new Set();
  for (const [k, word] of words) {
    const own = box(k, 2 + 3.4 * word.length, 23, -7);
    if (taken.some((other) => own[0] < other[1] && other[0] < own[1] && own[2] < other[3] && other[2] < own[3])) continue;
    taken.push(own), named.add(k);
  }
  return named;
}
