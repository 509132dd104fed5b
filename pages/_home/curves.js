// "What decides": a row for each kind of evidence, with two curves, pairs of the same meaning and of different meanings, and a mark where this
// pair falls. The last row, gray, is the plain cosine of the space that the picture shows, which the picture reports.

const NAME = 17, FOOT = 9, MOST = 112; // px: a row's name, the room below its curves, a row at most

function curves(root) {
  let data, at = 0, size = { x: 0, y: 0 }, rows = [];
  const node = {}, life = living("curves", { step: () => (draw(), false), measure, hear });

  function build() {
    node.title = el("h3"), node.sure = el("p", { className: "sure" });
    node.ends = el("p", { className: "ends" }, el("span", { className: "different" }), el("span", { className: "same" }));
    node.drawn = svg("svg", { role: "img" });
    root.replaceChildren(node.title, node.sure, node.ends, el("div", { className: "drawn" }, node.drawn));
    life.watch(node.drawn.parentNode);
  }

  function measure() {
    const box = node.drawn?.parentNode;
    if (box) size = { x: box.clientWidth, y: box.clientHeight };
  }

  // A curve over the bins, from the base line up and back to it.
  function path(values, { x, y, wide, tall }, most) {
    const at = (k) => [x + ((k + 0.5) / values.length) * wide, y + tall - (values[k] / most) * tall].map((item) => item.toFixed(1));
    const points = values.map((_, k) => at(k)), between = (a, b) => [(+a[0] + +b[0]) / 2, (+a[1] + +b[1]) / 2].map((item) => item.toFixed(1)).join(" ");
    const bends = points.slice(0, -1).map((point, k) => `Q${point.join(" ")} ${between(point, points[k + 1])}`);
    return `M${x} ${y + tall}L${points[0].join(" ")}${bends.join("")}L${points.at(-1).join(" ")}L${x + wide} ${y + tall}Z`;
  }

  function rowOf({ name, low, high, same, different, value }, top, tall, gray) {
    const place = { x: 0, y: top + NAME, wide: size.x, tall: tall - NAME - FOOT }, base = place.y + place.tall, most = Math.max(...same, ...different, 1e-9);
    const x = Math.max(2, Math.min(size.x - 2, ((value - low) / Math.max(high - low, 1e-9)) * size.x)), group = svg("g", { class: gray ? "row gray" : "row" });
    group.append(
      svg("text", { x: 0, y: top + 12 }, name), svg("path", { class: "different", d: path(different, place, most) }), svg("path", { class: "same", d: path(same, place, most) }),
      svg("line", { class: "base", x1: 0, x2: size.x, y1: base, y2: base }),
      svg("g", { class: "mark", transform: `translate(${x.toFixed(1)} 0)` }, svg("line", { x1: 0, x2: 0, y1: place.y, y2: base + 3 }), svg("path", { d: `M-5 ${base + 8}L0 ${base}L5 ${base + 8}Z` })),
    );
    return group;
  }

  function draw() {
    if (!data || !size.x) return;
    const gray = data.plain[Math.min(Math.round(at), data.plain.length - 1)], shown = [...data.rows, ...(gray ? [gray] : [])];
    const tall = Math.min(MOST, size.y / Math.max(1, shown.length));
    node.drawn.setAttribute("viewBox", `0 0 ${size.x} ${size.y}`);
    rows = shown.map((row, k) => rowOf(row, k * tall, tall, row === gray));
    node.drawn.replaceChildren(...rows);
  }

  function hear(message) {
    if (Math.round(message.at) === Math.round(at)) return;
    ({ at } = message);
    life.ask();
  }

  function take(given) {
    if (!data) build();
    data = given;
    at = window["elmoscope-curves"]?.at ?? at;
    const { text, colors, rows: decisive } = data;
    say(node.title, text.title), say(node.sure, text.sure), say(node.ends.firstChild, text.different), say(node.ends.lastChild, text.same);
    node.ends.hidden = !decisive.length && !data.plain.some(Boolean);
    if (!node.ends.hidden) offered(node.drawn);
    root.style.setProperty("--same", colors[0]), root.style.setProperty("--different", colors[1]);
    node.drawn.setAttribute("aria-label", text.alt);
    measure();
    draw();
  }
  return { life, take, seen: () => ({ at, rows: rows.length }) };
}

export default mounted("curves", curves);
