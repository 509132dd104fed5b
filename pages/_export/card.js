// The share card: 1200 x 630, in light colours whatever the page's, drawn on a canvas in the reader's browser.
function drawCard(canvas, card) {
  const wide = 1200, tall = 630, edge = 56, ink = "#1b1f26", soft = "#566070", pen = canvas.getContext("2d");
  Object.assign(canvas, { width: wide, height: tall });
  const font = (size, weight = 400) => { pen.font = `${weight} ${size}px ${card.fonts}`; };
  const write = (text, x, y, colour = ink, align = "left") => { pen.fillStyle = colour; pen.textAlign = align; pen.fillText(text, x, y); };
  pen.fillStyle = "#ffffff";
  pen.fillRect(0, 0, wide, tall);
  pen.fillStyle = card.colours[2];
  pen.fillRect(0, 0, wide, 10);
  font(24);
  write(card.question, edge, 58, soft);
  font(52, 700);
  write(card.title, edge, 116);

  // A sentence in lines: words are kept whole where a line holds them, the marked one on its star's colour.
  const runs = ([before, word, after]) => [[before, false], [word, true], [after, false]].flatMap(([text, marked]) => text.split(/(?<=\s)/).filter(Boolean).map((part) => ({ part, marked })));
  const lines = (sentence, size, width) => {
    const result = [[]];
    let x = 0;
    for (const { part, marked } of runs(sentence)) {
      font(size, marked ? 700 : 400);
      for (const piece of pen.measureText(part.trimEnd()).width > width ? [...part] : [part]) {
        const length = pen.measureText(piece).width;
        if (x + pen.measureText(piece.trimEnd()).width > width && x) { result.push([]); x = 0; }
        result.at(-1).push({ piece, marked, x, length });
        x += length;
      }
    }
    return result;
  };
  const put = (row, x, y, size, colour) => {
    for (const { piece, marked, x: from, length } of row) {
      font(size, marked ? 700 : 400);
      if (marked) { pen.fillStyle = colour; pen.fillRect(x + from - 3, y - size * 0.88, length + 6, size * 1.2); }
      write(piece, x + from, y);
    }
  };
  const width = 520, left = [edge, wide - edge - width], colours = card.colours;
  card.sentences.forEach((sentence, k) => {
    let size = 32, set = lines(sentence, size, width);
    while (set.length > 3 && size > 22) set = lines(sentence, (size -= 2), width);
    set.slice(0, 3).forEach((row, n) => put(row, left[k], 176 + n * size * 1.3, size, colours[k]));
  });

  // The angle in the middle, the neighbours at its sides: each kept to one line.
  const foot = { x: wide / 2, y: 505 }, reach = 196, half = (card.angle * Math.PI) / 360;
  [-1, 1].forEach((side, k) => {
    const x = foot.x + side * reach * Math.sin(half), y = foot.y - reach * Math.cos(half);
    Object.assign(pen, { strokeStyle: colours[2], lineWidth: 6, lineCap: "round", lineJoin: "round" });
    pen.beginPath(), pen.moveTo(foot.x, foot.y), pen.lineTo(x, y), pen.stroke();
    pen.beginPath();
    for (let n = 0; n < 10; n++) { const r = n % 2 ? 9 : 20, a = (n * Math.PI) / 5; pen.lineTo(x + r * Math.sin(a), y - r * Math.cos(a)); }
    pen.closePath();
    Object.assign(pen, { fillStyle: colours[k], strokeStyle: "#1b1b1f", lineWidth: 2.5 });
    pen.fill(), pen.stroke();
  });
  if (half > 0.03) { pen.beginPath(), pen.arc(foot.x, foot.y, 62, -Math.PI / 2 - half, -Math.PI / 2 + half), Object.assign(pen, { strokeStyle: colours[2], lineWidth: 4 }), pen.stroke(); }
  font(54, 700);
  write(card.degrees, foot.x, foot.y + 58, ink, "center");
  font(20);
  write(card.told, foot.x, foot.y + 88, soft, "center");
  card.neighbours.forEach((near, k) => {
    if (!near.length) return;
    const x = k ? wide - edge - 330 : edge;
    font(20, 700);
    write(card.nearest, x, 326, soft);
    const set = (size) => near.map((line) => lines(line, size, 1e6)[0]), over = (rows) => rows.some((row) => row.at(-1).x + row.at(-1).length > 330);
    let size = 25, rows = set(size);
    while (over(rows) && size > 16) rows = set((size -= 1));
    rows.forEach((row, n) => put(row, x, 364 + n * 37, size, `${colours[k]}66`));
  });
  font(20);
  write(card.source, edge, tall - 22, soft);
}
