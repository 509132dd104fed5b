export default function ({ data }) {
  const event = `elmoscope-${data.instrument}`;
  window[event] = data;
  window.dispatchEvent(new CustomEvent(event, { detail: data }));
  return () => { if (window[event] === data) delete window[event]; };
}
