// The worker's end of the page: it unpacks the model once, then answers questions. A page's question that a later one has overtaken is left unfinished; one that is
// asked through `window.elmoscope.answer` (`whole`) is answered to its end. What goes wrong with one question is reported with its number and ends no other.

let opening = null, last = 0;

async function take({ pack, id, texts, tapped, direction, word, whole }) {
  if (pack) {
    opening = unpacked(pack).then((parts) => newReader(parts));
    await opening;
    return postMessage({ ready: true });
  }
  const reader = await opening;
  if (word !== undefined) return postMessage({ word: reader.word(word) });
  if (!whole) last = id;
  const asked = reader.question(texts, tapped), known = asked.positions.every((place) => place !== null);
  postMessage({ id, asked, pair: known ? reader.pair(asked, direction) : null });
  await new Promise((go) => setTimeout(go)); // a key pressed meanwhile comes first
  if (known && (whole || last === id)) postMessage({ id, around: reader.around(asked) });
}
onmessage = ({ data }) => take(data).catch((error) => postMessage({ failed: String(error?.message ?? error), id: data.id, starting: Boolean(data.pack) }));
