export default function ({ setTriggerValue }) {
  const taken = (event) => {
    const button = event.target.closest && event.target.closest('button.take[data-take]');
    if (!button) return;
    event.preventDefault();
    setTriggerValue('taken', button.dataset.take);
  };
  document.addEventListener('click', taken);
  document.documentElement.dataset.takes = '';
  return () => {
    document.removeEventListener('click', taken);
    delete document.documentElement.dataset.takes;
  };
}
