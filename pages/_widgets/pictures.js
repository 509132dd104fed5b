const charts = () => [...document.querySelectorAll('[data-testid="stPlotlyChart"]')]
  .map((box) => ({ name: box.getAttribute("aria-label") || "", plot: box.querySelector(".js-plotly-plot") }))
  .filter(({ plot }) => plot && plot._fullLayout && plot._fullLayout._modeBar && plot.getClientRects().length);

// On the page a label may stand out over a chart's edge; in a picture it would be cut there.
function overhang(plot) {
  const edge = plot.querySelector(".main-svg").getBoundingClientRect();
  const texts = [...plot.querySelectorAll(".main-svg text")].map((text) => text.getBoundingClientRect()).filter((box) => box.width);
  const most = (by) => Math.ceil(Math.max(0, ...texts.map(by)));
  return { l: most((box) => edge.left - box.left), r: most((box) => box.right - edge.right) };
}

const EDGE = 16, HEAD = 52, FOOT = 34;  // pixels around the picture; above it for its title, below it for its source
function save(plot, format, filename, { title, source }) {
  const camera = plot._fullLayout._modeBar.buttons.flat().find(({ name }) => name === "toImage");
  const { layout, _context: context, _fullLayout: full } = plot, out = overhang(plot), size = full._size;
  const page = getComputedStyle(document.querySelector(".stApp"));
  const before = Object.fromEntries(["paper_bgcolor", "margin", "title", "annotations", "template"].map((name) => [name, layout[name]]));
  const options = context.toImageButtonOptions, font = { color: page.color, family: full.font.family };
  const beside = out.l + out.r + 2 * EDGE;
  layout.paper_bgcolor = page.backgroundColor;
  layout.template = JSON.parse(JSON.stringify(layout.template ?? {}).replaceAll(/#808495/gi, page.color));  // the theme's gray, 3.7:1
  layout.margin = { l: size.l + out.l + EDGE, r: size.r + out.r + EDGE, t: size.t + HEAD, b: size.b + FOOT, pad: size.pad };
  layout.title = { text: title, x: 0, xref: "container", xanchor: "left", y: 1, yref: "container", yanchor: "top",
                   pad: { l: EDGE, t: EDGE }, font: { ...font, size: 19 } };
  const note = { text: source, showarrow: false, xref: "paper", yref: "paper", x: 0, y: 0, xanchor: "left", yanchor: "top",
                 xshift: -(size.l + out.l), yshift: -(size.b + 6), font: { ...font, size: 11 }, opacity: 0.8 };
  layout.annotations = [...(layout.annotations ?? []), note];
  const measures = { width: full.width + beside, height: full.height + HEAD + FOOT };
  context.toImageButtonOptions = { format, filename, ...measures, ...(format === "png" ? { scale: 2 } : {}) };
  try {
    camera.click(plot);
  } finally {
    Object.assign(layout, before);
    for (const name of Object.keys(before)) if (before[name] === undefined) delete layout[name];
    context.toImageButtonOptions = options;
  }
}

// Instruments draw in SVG (pages/_widgets/instrument.js): a copy stands alone once the page's look is written into it.
const LOOK = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-linecap", "stroke-linejoin", "opacity", "font-family", "font-size", "font-weight", "text-anchor"];
const drawings = () => [...(window.elmoscopePictures ?? [])].filter((item) => item.isConnected && item.getClientRects().length)
  .map((drawing) => ({ name: drawing.getAttribute("aria-label") || "", drawing }));

// A copy, its size, and how far it reaches over its edges. What is drawn on a canvas makes its own (`asPicture`).
function copyOf(drawing) {
  if (drawing.asPicture) {
    const made = drawing.asPicture();
    return { made, edge: { width: +made.getAttribute("width"), height: +made.getAttribute("height") }, out: { l: 0, r: 0, t: 0, b: 0 } };
  }
  const edge = drawing.getBoundingClientRect(), made = drawing.cloneNode(true);
  const nodes = [...drawing.querySelectorAll("*")], boxes = nodes.map((node) => node.getBoundingClientRect()).filter((box) => box.width);
  [...made.querySelectorAll("*")].forEach((node, k) => {
    const look = getComputedStyle(nodes[k]);
    node.removeAttribute("class");
    node.setAttribute("style", LOOK.map((name) => `${name}: ${look.getPropertyValue(name)}`).join("; "));
  });
  const most = (by) => Math.ceil(Math.max(0, ...boxes.map(by)));
  const out = { l: most((box) => edge.left - box.left), r: most((box) => box.right - edge.right), t: most((box) => edge.top - box.top), b: most((box) => box.bottom - edge.bottom) };
  return { made, edge, out };
}

function standalone(drawing, { title, source }) {
  const page = getComputedStyle(document.querySelector(".stApp")), { made, edge, out } = copyOf(drawing), pen = document.createElement("canvas").getContext("2d");
  const words = [[title, 19, -out.t - HEAD + EDGE + 15], [source, 11, edge.height + out.b + FOOT - 12]].map(([text, size, y]) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", "text");
    node.textContent = new DOMParser().parseFromString(text, "text/html").body.textContent;
    node.setAttribute("style", `fill: ${page.color}; font-family: ${page.fontFamily}; font-size: ${size}px`);
    pen.font = `${size}px ${page.fontFamily}`;
    for (const [name, value] of [["x", -out.l], ["y", y]]) node.setAttribute(name, value);
    return { node, wide: pen.measureText(node.textContent).width };
  });
  const width = Math.ceil(Math.max(edge.width + out.l + out.r, ...words.map((item) => item.wide)) + 2 * EDGE), height = Math.ceil(edge.height + out.t + out.b + HEAD + FOOT);
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect"), place = { x: -out.l - EDGE, y: -out.t - HEAD, width, height };
  for (const [name, value] of Object.entries(place)) ground.setAttribute(name, value);
  ground.setAttribute("style", `fill: ${page.backgroundColor}`);
  for (const [name, value] of Object.entries({ viewBox: `${place.x} ${place.y} ${width} ${height}`, width, height })) made.setAttribute(name, value);
  for (const name of ["class", "style"]) made.removeAttribute(name);
  made.prepend(ground);
  made.append(...words.map((item) => item.node));
  return { text: new XMLSerializer().serializeToString(made), width, height };
}

function download(blob, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

async function saveDrawing(drawing, format, name, message) {
  const { text, width, height } = standalone(drawing, message), svg = new Blob([text], { type: "image/svg+xml" });
  if (format === "svg") return download(svg, `${name}.svg`);
  const image = new Image(), canvas = Object.assign(document.createElement("canvas"), { width: 2 * width, height: 2 * height });
  image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
  await image.decode();
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => download(blob, `${name}.png`), "image/png");
}

async function copy(text, holder) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {  // a page that did not come over https may not
    const selection = getSelection();
    selection.selectAllChildren(holder);
    document.execCommand("copy");
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const find = (name) => parentElement.querySelector(name);
  const say = (text) => { find('[role="status"]').textContent = text; };
  const button = (text, label, act) => {
    const made = Object.assign(document.createElement("button"), { type: "button", textContent: text, onclick: act });
    made.setAttribute("aria-label", label);
    return made;
  };
  const [link, figures, status] = [find(".link"), find(".figures"), find('[role="status"]')];
  const copied = (name, label) => {
    const address = Object.assign(document.createElement("p"), { className: `address ${name}` });
    return [address, button(label, label, () => copy(address.textContent, address).then(() => say(data.copied)))];
  };
  const [address, whole] = copied("long", data.copy), [brief, part] = copied("short", data.copy_short);
  const none = Object.assign(document.createElement("p"), { textContent: data.no_link, hidden: true });
  link.hidden = data.part !== "link";
  figures.hidden = !link.hidden;
  link.replaceChildren(Object.assign(document.createElement("h4"), { textContent: data.link }), address, whole, brief, part, none);
  // The short link is the server's: of another view than the one it was made for it is hidden, and asked for anew.
  let request = "", seen = "";
  const shorten = () => {
    const [now, made] = [location.search, data.query].map((query) => new URLSearchParams(query).toString());
    const short = now === made && data.short ? `${location.origin}${location.pathname}?v=${data.short}` : "";
    const length = location.href.length, isLong = length > data.longest;
    brief.hidden = part.hidden = !short || short.length >= length;
    address.hidden = whole.hidden = isLong; // the server would refuse it
    none.hidden = !isLong || !brief.hidden;
    if (brief.textContent !== short) brief.textContent = short;
    if (now !== made && now === seen && now !== request) setTriggerValue("moved", (request = now));
    seen = now;
  };
  let shown = "";
  const draw = () => {
    if (address.textContent !== location.href) address.textContent = location.href;
    shorten();
    const result = [...drawings(), ...charts()], now = JSON.stringify(result.map(({ name }) => name));
    if (now === shown) return;
    shown = now;
    const list = document.createElement("ol");
    result.forEach(({ name, plot, drawing }, k) => {
      const row = document.createElement("li"), words = Object.assign(document.createElement("span"), { textContent: name });
      const pick = (format) => button(format.toUpperCase(), `${format.toUpperCase()}: ${name}`, () => {
        const file = `${data.name}-${k + 1}`;
        if (drawing) saveDrawing(drawing, format, file, data);
        else save(charts()[k - drawings().length]?.plot ?? plot, format, file, data);
        say(`${file}.${format}`);
      });
      row.append(words, pick("png"), pick("svg"));
      list.append(row);
    });
    const title = Object.assign(document.createElement("h4"), { textContent: data.figures });
    figures.replaceChildren(...(result.length ? [title, list] : [Object.assign(document.createElement("p"), { textContent: data.no_figure })]));
  };
  draw();
  const timer = setInterval(draw, 700);  // charts come, go and change while this is open
  return () => clearInterval(timer);
}
