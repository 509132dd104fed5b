export default function ({ data, parentElement }) {
  const line = parentElement.querySelector("p"), button = parentElement.querySelector("button");
  const status = parentElement.querySelector("[role=status]");
  line.textContent = data.line;
  button.textContent = data.copy;
  const select = () => {
    const range = document.createRange(), selection = line.getRootNode().getSelection?.() ?? getSelection();
    range.selectNodeContents(line);
    selection.removeAllRanges();
    selection.addRange(range);
  };
  button.onclick = async () => {
    try {
      await navigator.clipboard.writeText(data.line);
      status.textContent = data.copied;
    } catch {
      select();
      status.textContent = data.selected;
    }
  };
}
