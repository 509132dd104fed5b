export default function ({ data, parentElement, setStateValue }) {
  const place = parentElement.querySelector("span"), wanted = () => window["elmoscope-home"]?.key ?? "plain";
  const here = (place.dataset.page ??= location.pathname), deeds = ["keydown", "input", "pointerdown", "pointerup", "click", "popstate"];
  const runs = () => document.querySelector("[data-test-script-state]")?.dataset.testScriptState === "running";
  let timer = 0, near = false;
  const ask = () => {
    if (!near || wanted() === data.shown || location.pathname !== here) return;
    if (runs()) soon();
    else setStateValue("near", wanted());
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
