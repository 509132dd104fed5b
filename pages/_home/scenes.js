const SENT_MS = 50;
let request = -Infinity;
// Streamlit sends a component's value a moment after it is set. A page asked for in that moment would come first, and the request, of the
// page just left, would empty it: such a press waits until the request is on its way.
function late(event) {
  const link = event.target.closest?.('[data-testid="stPageLink"] a');
  if (!link || performance.now() - request > SENT_MS) return;
  event.preventDefault();
  event.stopPropagation();
  setTimeout(() => link.click(), SENT_MS);
}
if (!window.elmoscopeScenes) {  // once a page, for as long as it is open
  window.elmoscopeScenes = true;
  document.addEventListener("click", late, true);
}
export default function ({ data, parentElement, setStateValue }) {
  const place = parentElement.querySelector("span"), wanted = () => window["elmoscope-home"]?.key ?? "plain";
  const here = (place.dataset.page ??= location.pathname), deeds = ["keydown", "input", "pointerdown", "pointerup", "click", "popstate"];
  const runs = () => document.querySelector("[data-test-script-state]")?.dataset.testScriptState === "running";
  let timer = 0, near = false;
  const ask = () => {
    if (!near || wanted() === data.shown || location.pathname !== here) return;
    if (runs()) soon();
    else {
      request = performance.now();
      setStateValue("near", wanted());
    }
  };
  const soon = () => { clearTimeout(timer); timer = setTimeout(ask, data.rest); };
  const watch = new IntersectionObserver((seen) => { if ((near = seen.at(-1).isIntersecting)) soon(); }, { rootMargin: "100000px 0px 200px" });
  watch.observe(place);
  addEventListener("elmoscope-home", soon);
  for (const deed of deeds) addEventListener(deed, soon, true);
  return () => {
    clearTimeout(timer);
    watch.disconnect();
    removeEventListener("elmoscope-home", soon);
    for (const deed of deeds) removeEventListener(deed, soon, true);
  };
}
