// What every instrument of ours shares: the maths of a mix, and how nodes are made. It stands before the instrument's own script, in
// one module with it (instruments.py). Texts of readers and of corpora go in as text (textContent), never as markup.

// ---- the maths: core.elmo.mix.mixed_cosines ------------------------------------------------------------------------------------

export const decoded = (text, Kind = Float32Array) => new Kind(Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0)).buffer);

// s' G s of a gram that is kept as its upper triangle by rows, from place `at` on: products off the diagonal count twice.
export function square(gram, at, s) {
  let sum = 0;
  for (let i = 0; i < s.length; i++) for (let j = i; j < s.length; j++) sum += (i === j ? 1 : 2) * s[i] * s[j] * gram[at++];
  return Math.max(sum, 0);
}

// s' C s of an L x L block.
export function product(cross, at, s) {
  let sum = 0;
  for (let i = 0; i < s.length; i++) for (let j = 0; j < s.length; j++) sum += s[i] * s[j] * cross[at++];
  return sum;
}

const cosine = (products, squares) => (squares > 1e-24 ? Math.max(-1, Math.min(1, products / Math.sqrt(squares))) : 0);

// ---- nodes ---------------------------------------------------------------------------------------------------------------------

const SVG = "http://www.w3.org/2000/svg";
const still = matchMedia("(prefers-reduced-motion: reduce)");
const STAR = "M" + [...Array(10).keys()].map((k) => {
  const r = k % 2 ? 5 : 11.5, a = (k * Math.PI) / 5;
  return `${(r * Math.sin(a)).toFixed(2)} ${(-r * Math.cos(a)).toFixed(2)}`;
}).join("L") + "Z";

function el(tag, given = {}, ...inside) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) name in made ? (made[name] = value) : made.setAttribute(name, value);
  made.append(...inside);
  return made;
}
function svg(tag, given = {}, ...inside) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(given)) made.setAttribute(name, value);
  made.append(...inside);
  return made;
}
const filled = (text, told) => text.replace(/\{(\w+)\}/g, (whole, name) => told[name] ?? whole);
const say = (node, text) => { if (node.textContent !== text) node.textContent = text; };

// What makes a component of an instrument: `make(root)` gives its take(data, send), start() and stop(). Where that fails the server is
// told, which then draws the page without it (instruments.py).
const mounted = (name, make) => ({ data, parentElement, setStateValue }) => {
  const root = parentElement.querySelector(`.${name}`), known = (root.instrument ??= make(root));
  known.stop(); // this may be called again, and what an earlier call returned is not
  try {
    known.start();
    known.take(data, (set) => setStateValue("set", set));
    document.documentElement.dataset[name] = "alive";
  } catch (error) {
    known.stop();
    document.documentElement.dataset[name] = "failed";
    dispatchEvent(new Event(`elmoscope-${name}-failed`));
    console.warn(error);
  }
  return () => known.stop();
};

// Where a slider's keys lead to from stop `now` of those up to `last`; nowhere by other keys.
function stopAfter(key, now, last) {
  const up = now + 1, down = now - 1;
  const to = { ArrowRight: up, ArrowUp: up, PageUp: up, ArrowLeft: down, ArrowDown: down, PageDown: down, Home: 0, End: last }[key];
  return to === undefined ? to : Math.max(0, Math.min(last, to));
}

// A picture that the reader can take along (pages/_export/pictures.py lists those that are on the page).
const offered = (drawn) => (window.elmoscopePictures ??= new Set()).add(drawn);

