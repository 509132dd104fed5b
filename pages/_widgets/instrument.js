// What every instrument of ours shares: the maths of a mix, how nodes are made, what keeps one going. It stands before the instrument's own script, in
// one module with it (components.py). Texts of readers and of corpora go in as text (textContent), never as markup.

// ---- the maths: core.elmo.mix.mix_cosines ------------------------------------------------------------------------------------

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
const filled = (text, message) => text.replace(/\{(\w+)\}/g, (whole, name) => (Object.hasOwn(message, name) ? message[name] : whole));
const say = (node, text) => { if (node.textContent !== text) node.textContent = text; };

const QUIET_MS = 400; // after the last frame, until it is at rest

// What keeps an instrument going: it draws in the browser's next frame, is measured as its size changes, comes to rest, hears what the
// server has since made, and tells what was set: once, with a number that comes back with the answer. `step` draws and says whether
// all still moves (nothing, where there is nothing to draw yet); `hear`, `rest` and `halt`, of clocks of its own, where it has them.
function living(name, { step, measure, hear, rest, halt }) {
  let frame = 0, resting = 0, watched = [], seq = 0, said = "", send;
  const ask = () => { frame ||= requestAnimationFrame(run); };
  const watch = new ResizeObserver(() => { measure(); ask(); });
  const heard = ({ detail }) => hear?.(detail);
  function run(time) {
    frame = 0;
    const moves = step(time);
    if (moves === undefined) return;
    if (moves) ask();
    clearTimeout(resting);
    resting = setTimeout(() => rest?.(), QUIET_MS);
  }
  // Both sides know what is set, by news from the server or because it is told now.
  function agree(set, news) {
    seq = Math.max(seq, news?.seq ?? 0);
    return said !== (said = JSON.stringify(set));
  }
  return {
    ask, agree,
    watch: (...nodes) => { watch.disconnect(); (watched = nodes).forEach((node) => watch.observe(node)); },
    tell: (set) => agree(set) && send({ ...set, seq: (seq = Math.max(Date.now(), seq + 1)) }),
    isOld: (news) => (news.seq ?? 0) < seq, // something else has been set since
    start(sender) { send = sender; addEventListener(`elmoscope-${name}`, heard); watched.forEach((node) => watch.observe(node)); },
    stop() { removeEventListener(`elmoscope-${name}`, heard); watch.disconnect(); cancelAnimationFrame(frame); frame = 0; clearTimeout(resting); halt?.(); },
  };
}

// What makes a component of an instrument: `make(root)` gives its life and its take(data). It may be called again before what an
// earlier call returned is called: that must not stop what the later one started, so only the last call's ends anything.
const mounted = (name, make) => ({ data, parentElement, setStateValue }) => {
  const root = parentElement.querySelector(`.${name}`), { life, take } = (root.instrument ??= make(root));
  const call = (root.calls = (root.calls ?? 0) + 1), page = (root.page ??= location.pathname);
  life.stop();
  life.start((set) => { if (location.pathname === page) setStateValue("set", set); }); // of a page that was left it would call that page back
  take(data);
  document.documentElement.dataset[name] = "alive";
  return () => { if (root.calls === call) life.stop(); };
};

// Where a slider's keys lead to from stop `now` of those up to `last`; nowhere by other keys.
function stopAfter(key, now, last) {
  const up = now + 1, down = now - 1;
  const to = { ArrowRight: up, ArrowUp: up, PageUp: up, ArrowLeft: down, ArrowDown: down, PageDown: down, Home: 0, End: last }[key];
  return to === undefined ? to : Math.max(0, Math.min(last, to));
}

// A picture that the reader can take along (pages/_widgets/pictures.js lists those that are on the page).
const offered = (drawn) => (window.elmoscopePictures ??= new Set()).add(drawn);

