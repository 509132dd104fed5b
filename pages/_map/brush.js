export default function ({ setStateValue, setTriggerValue }) {
  const zooms = new Map(); let timer = null;
  const watch = (chart) => {
    const name = chart.layout && chart.layout.meta && chart.layout.meta.map;
    if (!name || !chart.on || chart.elmoscope === name) return;
    chart.elmoscope = name;
    chart.on('plotly_click', (event) => {
      const id = event.points.length && event.points[0].customdata;
      if (id) setTriggerValue('clicked', Number(id[0]));
    });
    chart.on('plotly_relayout', (change) => {
      if (!Object.keys(change).some((key) => /axis\.(range|autorange)/.test(key))) return;
      zooms.set(name, [...chart.layout.xaxis.range, ...chart.layout.yaxis.range].map(Number));
      clearTimeout(timer);
      timer = setTimeout(() => setStateValue('zooms', Object.fromEntries(zooms)), 400);
    });
  };
  const every = setInterval(() => document.querySelectorAll('.js-plotly-plot').forEach(watch), 200);
  return () => { clearInterval(every); clearTimeout(timer); };
}
