const KEY = "__elmoscope_steps", AGAIN_MS = 1000, UNSEEN_MS = 1500, LATE_MS = 3000, WAIT_MS = 100;
const TYPED = '[data-testid="stTextArea"] textarea, [data-testid="stTextInput"] input';  // sent as one types, or by Enter
const LINK = '[data-testid="stPageLink"] a';
const EXIT = `${LINK}, [class*="st-key-"][class*="_view"] [role="radio"]`;  // to another page, or another part of this one
const ARRIVING = '[data-testid="stFileChip"]:not([aria-invalid])';  // a file on its way; a box is emptied once it has arrived
const running = () => document.querySelector("[data-test-script-state]")?.dataset.testScriptState === "running";
const changed = (from, to) => {
  const a = new URLSearchParams(from), b = new URLSearchParams(to);
  return [...new Set([...a.keys(), ...b.keys()])].filter((k) => a.getAll(k).join("\n") !== b.getAll(k).join("\n")).sort().join();
};
function install() {
  const push = history.pushState.bind(history), replace = history.replaceState.bind(history);
  // touched: the user did something that no run has handled yet, and a run may handle it before the time `until`.
  // owed: the first change of the address by the current run belongs to a step.
  let touched = false, owed = false, until = 0, leaving = "", travelling = false, heard = false, last = { keys: "", at: 0 };
  let path = location.pathname, arrived = "";  // the page shown; the address of another one that Back led to, until it is taken up
  const same = (url) => new URL(url ?? location.href, location.href);
  const stale = new Map();  // of each parameter what typing has replaced: a run asked for before it may still say that
  const asTyped = (url) => {
    const to = same(url), late = [...stale].filter(([key, values]) => values.has(to.searchParams.get(key)));
    for (const [key] of late) {
      const typed = same().searchParams.get(key);  // null: what a box says by itself is in no address
      if (typed === null) to.searchParams.delete(key);
      else to.searchParams.set(key, typed);
    }
    return late.length ? to.href : url;
  };
  history.pushState = (state, title, url) => {  // by the program, or another page
    const to = same(url);
    if (to.pathname !== location.pathname) {
      // The page that is left keeps its address: what it lost of it on the way belongs to the next one.
      if (leaving && same(leaving).pathname === location.pathname) replace(history.state, title, leaving);
      touched = owed = false;
      leaving = "";
      last = { keys: "", at: 0 };
      path = to.pathname;
      return push(state, title, url);
    }
    if (leaving) return replace(state, title, url);
    if (arrived) return replace(state, title, location.href);
    url = asTyped(url);
    // If the user acts during a run, Streamlit ends it and starts the run of the step. It reports "running" all the time.
    const step = !travelling && (owed || (touched && Date.now() < until));
    touched = owed = false;
    if (step) last = { keys: "", at: 0 };  // what is typed next goes on with nothing
    return step ? push(state, title, url) : replace(state, title, url);
  };
  history.replaceState = (state, title, url) => {  // by the reader, or after Back
    const keys = changed(location.search, same(url).search), now = Date.now(), box = document.activeElement;
    // Back to another page: before that page has run, Streamlit takes out of its address what the page just left had bound too.
    if (arrived) return replace(state, title, location.href);
    if (travelling || leaving || !keys) return replace(state, title, url);
    const goesOn = box?.matches(TYPED) || box?.getAttribute("role") === "slider";
    const again = keys === last.keys && (goesOn || now - last.at < AGAIN_MS);
    last = { keys, at: now };
    touched = owed = false;
    for (const key of box?.matches(TYPED) ? keys.split(",") : []) {
      if (!stale.has(key)) stale.set(key, new Set());
      stale.get(key).add(same().searchParams.get(key)).delete(same(url).searchParams.get(key));
    }
    return again ? replace(state, title, url) : push(state, title, url);
  };
  const touch = (event) => {
    if (!event.isTrusted) return;
    if (!running()) travelling = false;
    arrived = "";
    // What is typed is a step once it is sent (replaceState), not with each key: a run that one has begun may still be going on.
    if (!event.target.matches?.(TYPED)) {
      stale.clear();
      touched = true;
      until = Infinity;
    }
    const link = event.target.closest?.(LINK);  // its href is not where it leads
    const leaves = link && event.type === "click" && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    leaving = leaves ? location.href : "";  // until the other page is pushed: a run of this one may end in between
  };
  for (const kind of ["pointerdown", "keydown", "click"]) document.addEventListener(kind, touch, true);
  // An upload ends when its box leaves the page. A click that leads elsewhere waits until the file has arrived; a second click does not.
  let held = null;
  const hold = (event) => {
    const exit = event.target.closest?.(EXIT);
    if (!exit || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const waits = exit !== held && document.querySelector(ARRIVING);
    if (waits) event.stopPropagation();
    if (event.type !== "click") return;  // a switch reacts to the press of the pointer
    held = waits ? exit : null;
    if (!waits) return;
    event.preventDefault();
    const follow = setInterval(() => {
      if (held === exit && document.querySelector(ARRIVING)) return;
      clearInterval(follow);
      if (held === exit) exit.click();
    }, WAIT_MS);
  };
  for (const kind of ["pointerdown", "click"]) document.addEventListener(kind, hold, true);
  addEventListener("popstate", () => {
    held = null;
    travelling = true;
    touched = owed = heard = false;
    stale.clear();
    leaving = "";
    last = { keys: "", at: 0 };
    if (location.pathname !== path || arrived) {  // a second step back on a page that has not taken up the first
      arrived = location.href;
      setTimeout(settle, UNSEEN_MS, arrived);
    }
    path = location.pathname;
  }, true);
  // The page's first run began without what the page just left had bound too: told once more, it takes up the whole address.
  const tell = () => {
    replace(history.state, "", arrived);
    arrived = "";
    dispatchEvent(new PopStateEvent("popstate", { state: history.state }));
  };
  const settle = (address) => {  // a run so short that nobody saw it
    if (arrived !== address) return;
    if (running() || heard) setTimeout(settle, UNSEEN_MS, address);
    else tell();
  };
  let ran = running();
  new MutationObserver((changes) => {
    const runs = running(), both = changes.some((item) => item.oldValue === "running");  // begun and ended between two looks
    if (runs === ran && !(both && arrived)) return;
    if (both && !runs) heard = true;
    ran = runs;
    if (runs) {
      heard = true;
      owed ||= touched && Date.now() < until;
      touched = false;
    } else {
      // A run that did not change the address may belong to an earlier action. The run of the step starts soon.
      touched ||= owed;
      owed = false;
      until = Math.min(until, Date.now() + LATE_MS);
      if (arrived && heard) tell();
      else if (heard) travelling = false;
    }
  }).observe(document.body, { subtree: true, attributes: true, attributeFilter: ["data-test-script-state"], attributeOldValue: true });
  document.addEventListener("focusin", ({ target }) => {
    if (!(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) return;
    const label = target.getAttribute("aria-label");
    const message = [...document.querySelectorAll(".most[data-box]")].findLast((item) => item.dataset.box === label);
    if (message) target.maxLength = +message.dataset.most;
  });
}
export default function () {
  if (window[KEY]) return;
  window[KEY] = true;
  install();
}
