// The worker's end of the page: unpacks the model once, then answers the last question that was asked; what a later key overtook is dropped.

let reader = null, last = 0;

async function take({ data: { pack, id, texts, tapped, direction, word } }) {
  if (pack) {
    reader = newReader(await unpacked(pack));
    return postMessage({ ready: true, fast: reader.fast, facts: { bytes: pack.size } });
  }
  if (word) return postMessage({ word: reader.word(word) });
  last = id;
  const asked = reader.question(texts, tapped), known = asked.positions.every((place) => place !== null);
  postMessage({ id, asked, pair: known ? reader.pair(asked, direction) : null });
  await new Promise((go) => setTimeout(go)); // a key pressed meanwhile comes first
  if (last === id && known) postMessage({ id, around: reader.around(asked) });
}
onmessage = (event) => take(event).catch((error) => postMessage({ failed: String(error?.message ?? error) }));
