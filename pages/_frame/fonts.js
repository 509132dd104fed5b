function drawn(letter) {
  const canvas = Object.assign(document.createElement("canvas"), { width: 32, height: 32 });
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  pen.font = "20px sans-serif";
  pen.fillText(letter, 4, 24);
  return pen.getImageData(0, 0, 32, 32).data.join();
}
export default function ({ data, parentElement }) {
  parentElement.querySelector(".letters").hidden = drawn(data.letters[0]) !== drawn(data.letters[1]);
}
