const CHART = ".js-plotly-plot";
const onChart = (event) => event.target instanceof Element && event.target.closest(CHART);
const onTouch = (event) => { if (onChart(event)) event.stopPropagation(); };
const onWheel = (event) => { if (!event.ctrlKey && !event.metaKey && onChart(event)) event.stopPropagation(); };
if (!window.elmoscopeGestures) {  // once a page, for as long as it is open: charts come and go
  window.elmoscopeGestures = true;
  for (const name of ["touchstart", "touchmove", "touchend"]) window.addEventListener(name, onTouch, { capture: true, passive: true });
  window.addEventListener("wheel", onWheel, { capture: true, passive: true });
}
export default function () {}
