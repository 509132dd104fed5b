// An aligned concordance of any length: only the lines in sight stand in the page, and only lines near them are sent.
export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".concordance"), box = root.querySelector(".box"), whole = root.querySelector(".whole");
  const tall = root.querySelector(".tall"), row = matchMedia("(max-width: 640px)").matches ? 44 : 30;
  let state = root.state;
  if (!state || state.id !== data.id) {
    state = root.state = { id: data.id, lines: new Map(), drawn: new Map(), wanted: -1, timer: 0 };
    tall.replaceChildren();
    whole.hidden = true;
    box.scrollTop = 0;
  }
  data.lines.forEach((line, k) => state.lines.set(data.first + k, line));
  tall.style.height = data.n * row + "px";
  box.style.height = Math.min(data.n, row > 40 ? 8 : 12) * row + 2 + "px";
  box.setAttribute("aria-label", data.label);
  root.classList.toggle("unnamed", !data.named);
  function part(name, text) {
    const node = document.createElement("span");
    node.className = name;
    const inner = node.appendChild(document.createElement("span"));
    inner.textContent = text;
    return node;
  }
  function open(k) {
    const line = state.lines.get(k);
    if (!line) return;
    const word = document.createElement("b"), [before, hit, after, name] = line;
    word.textContent = hit;
    whole.replaceChildren(before ? before + " " : "", word, data.closed.includes(after[0]) ? after : " " + after, part("source", name));
    whole.hidden = false;
    for (const [other, node] of state.drawn) node.classList.toggle("open", other === k);
    state.open = k;
  }
  function made(k) {
    const line = state.lines.get(k), node = document.createElement("button");
    node.type = "button";
    node.className = "line" + (state.open === k ? " open" : "");
    node.style.top = k * row + "px";
    node.style.height = row + "px";
    node.title = data.title;
    const [before, hit, after, name, color] = line;
    const word = part("hit", hit), rest = part("after", after);
    if (data.closed.includes(after[0])) rest.style.marginLeft = "-0.4rem"; // what needs no blank before it
    if (color) word.style.borderBottom = "3px solid " + color;
    node.append(part("before", before), word, rest, part("source", name));
    node.onclick = () => open(k);
    return node;
  }
  function draw() {
    const first = Math.max(0, Math.floor(box.scrollTop / row)), last = Math.min(data.n, first + Math.ceil(box.clientHeight / row) + 1);
    for (const [k, node] of state.drawn) if (k < first - 8 || k > last + 8) { node.remove(); state.drawn.delete(k); }
    let missing = -1;
    for (let k = first; k < last; k++) {
      if (state.drawn.has(k)) continue;
      if (!state.lines.has(k)) { if (missing < 0) missing = k; continue; }
      const node = made(k);
      state.drawn.set(k, node);
      tall.append(node);
    }
    root.dataset.missing = missing >= 0 ? "yes" : "no";
    clearTimeout(state.timer);
    if (missing >= 0) state.timer = setTimeout(() => {
      const wanted = Math.max(0, missing - Math.floor(data.slice / 3));
      if (wanted === state.wanted) return;
      state.wanted = wanted;
      setStateValue("at", data.id + ":" + wanted);
    }, 90);
    if (state.lines.size > 4000) for (const k of state.lines.keys()) if (k < first - 500 || k > last + 500) state.lines.delete(k);
  }
  box.onscroll = draw;
  state.wanted = -1;
  draw();
}
