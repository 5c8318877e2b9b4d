/** Draws the price line of a token with its pins, after the scripts that copy, show ages and define `uPlot`. */

const place = document.getElementById('line')
const dark = matchMedia('(prefers-color-scheme:dark)')

/** Draws a line at each call, burst and move to a pool, inside the plot. */
function drawPins(plot, pins, colors) {
  const { ctx, bbox } = plot
  const ratio = devicePixelRatio
  ctx.save()
  ctx.font = `${11 * ratio}px system-ui,sans-serif`
  ctx.textAlign = 'center'
  for (const { at, name, kind } of pins) {
    const x = Math.round(plot.valToPos(at, 'x', true))
    if (x < bbox.left || x > bbox.left + bbox.width) continue
    ctx.strokeStyle = colors[kind]
    ctx.fillStyle = colors[kind]
    ctx.lineWidth = ratio
    ctx.setLineDash(kind === 'burst' ? [] : [4 * ratio, 3 * ratio])
    ctx.beginPath()
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
    ctx.stroke()
    if (name) ctx.fillText(name, x, bbox.top - 4 * ratio)
  }
  ctx.restore()
}

/** The labels of the time axis, in UTC: days, minutes or seconds, by the distance of the labels. */
function timesOf(...[, seconds, , , distance]) {
  const [from, to] = distance >= 86_400 ? [5, 10] : distance >= 60 ? [11, 16] : [11, 19]
  return seconds.map((second) => new Date(second * 1000).toISOString().slice(from, to))
}

function draw() {
  const css = getComputedStyle(document.documentElement)
  const color = (name) => css.getPropertyValue(name).trim()
  const colors = { call: color('--mark'), burst: color('--won'), pool: color('--pulled') }
  const line = JSON.parse(place.dataset.line)
  const pins = JSON.parse(place.dataset.pins)
  const isWide = Math.max(...line[1]) > 4 * Math.min(...line[1])
  const axis = {
    stroke: color('--soft'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { stroke: color('--line') },
  }
  const text = (value) => (value === null ? '–' : `${Number(value.toPrecision(3))} ×`)
  place.replaceChildren()
  const plot = new uPlot(
    {
      ...{ width: place.clientWidth, height: 300, padding: [18, 12, 0, 0] },
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
      scales: { y: { distr: isWide ? 3 : 1 } },
      axes: [
        { ...axis, values: timesOf },
        { ...axis, size: 64, values: (_, values) => values.map((value) => (value === null ? '' : text(value))) },
      ],
      series: [
        { label: 'UTC', value: '{YYYY}-{MM}-{DD} {HH}:{mm}' },
        {
          ...{ label: 'Price', stroke: color('--mark'), width: 2, points: { show: line[0].length < 3 } },
          ...{ paths: uPlot.paths.stepped({ align: 1 }), value: (_, value) => text(value) },
        },
      ],
      hooks: { draw: [(drawn) => drawPins(drawn, pins, colors)] },
    },
    line,
    place,
  )
  document.getElementById('line-key').hidden = false
  return plot
}

if (place) {
  let plot = draw()
  dark.addEventListener('change', () => {
    plot = draw()
  })
  new ResizeObserver(() => {
    if (plot.width !== place.clientWidth) plot.setSize({ width: place.clientWidth, height: 300 })
  }).observe(place)
}
