/**
 * The script of the front page, after those that copy and show ages. The page is complete without them. It adds lines to
 * the tape and renews the overview.
 */

const linesMax = 200
const chain = own.get('chain')

/** The tape waits while the pointer or the focus is on it, so that no line moves away from the reader. */
function runTape() {
  const tape = document.getElementById('tape')
  const state = document.getElementById('tape-state')
  const waiting = []
  let isHeld = false
  const show = (line) => {
    if ([...tape.children].some((item) => item.dataset.id === line.id)) return
    const item = document.createElement('li')
    item.dataset.id = line.id
    item.innerHTML = line.html
    tape.prepend(item)
    while (tape.children.length > linesMax) tape.lastElementChild.remove()
  }
  const flow = () => {
    if (!isHeld) for (const line of waiting.splice(0)) show(line)
    state.textContent = isHeld ? 'Paused while you are on it.' : ''
    showAges()
  }
  const box = document.getElementById('tape-box')
  for (const [name, held] of Object.entries({
    pointerenter: true,
    pointerleave: false,
    focusin: true,
    focusout: false,
  }))
    box.addEventListener(name, () => {
      isHeld = held
      flow()
    })
  const events = new EventSource(withKey('/tape'))
  events.addEventListener('lines', ({ data }) => {
    waiting.push(...JSON.parse(data).filter((line) => !chain || line.chain === chain))
    waiting.splice(0, waiting.length - linesMax)
    flow()
  })
}

/** Replaces the parts of the page by those of the newest overview. A part with the focus stays. */
async function renew() {
  if (document.hidden) return
  const response = await fetch(location.href, { headers: { Accept: 'text/html' } }).catch(() => null)
  if (!response?.ok) return
  const next = new DOMParser().parseFromString(await response.text(), 'text/html')
  for (const part of document.querySelectorAll('[data-part]')) {
    const renewed = next.querySelector(`[data-part="${part.dataset.part}"]`)
    if (renewed && !part.contains(document.activeElement)) part.innerHTML = renewed.innerHTML
  }
  showAges()
}

runTape()
// Each viewer renews the overview at another second.
setInterval(renew, key ? 6_000 : 55_000 + Math.random() * 10_000)
