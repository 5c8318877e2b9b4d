/** Shows the age of each time on the page, and keeps the operator's key in the links to pages of this service. */

const own = new URLSearchParams(location.search)
const key = own.get('operator')

/** Keeps the operator's key in an address of this service. */
function withKey(address) {
  const url = new URL(address, location.origin)
  if (key) url.searchParams.set('operator', key)
  return url.href
}

function ageOf(atMs) {
  const seconds = Math.max(0, Math.floor((Date.now() - atMs) / 1000))
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h ago`
  return `${Math.floor(seconds / 86_400)} days ago`
}

function showAges() {
  for (const time of document.querySelectorAll('time:not(.exact)')) {
    const text = ageOf(Date.parse(time.dateTime))
    if (time.textContent !== text) time.textContent = text
  }
}

/** A link gets the key when it is used, because parts of the page are renewed. */
document.addEventListener('click', ({ target }) => {
  const link = target instanceof Element ? target.closest('a[href^="/"]') : null
  if (link && key) link.href = withKey(link.href)
})

showAges()
setInterval(showAges, 1000)
