/** Shows the buttons that copy code, and copies what they belong to. */

async function copy({ target }) {
  const button = target instanceof Element ? target.closest('[data-copy],.copy') : null
  if (!button) return
  const said = document.getElementById('said')
  const text = button.dataset.copy ?? button.closest('pre').querySelector('code').textContent
  try {
    await navigator.clipboard.writeText(text)
    said.textContent = `Copied ${button.dataset.copy ?? 'the code'}`
  } catch {
    said.textContent = 'The browser did not allow copying. Select the text and copy it.'
  }
}

for (const button of document.querySelectorAll('.copy')) button.hidden = false
document.addEventListener('click', copy)
