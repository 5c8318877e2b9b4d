import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { definitionOf, type MetricName, metricList } from '../../../infra/metrics/list.ts'
import dashboard from '../../../infra/monitoring/dashboard.json' with { type: 'json' }

const read = (file: string): string => readFileSync(`infra/monitoring/${file}`, 'utf8')
const names = Object.keys(metricList) as MetricName[]

/** All series that the list allows: metrics, and the series of histograms. */
const series = new Set(
  names.flatMap((name) =>
    definitionOf(name).type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name],
  ),
)
const recorded = new Set([...read('rules.yaml').matchAll(/record: (\S+)/g)].map(([, name = '']) => name))
const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
const sources = {
  'dashboard.json': expressions.join('\n'),
  'rules.yaml': read('rules.yaml'),
  'alerts.yaml': read('alerts.yaml'),
}
const usedIn = (text: string): readonly string[] => [...new Set(text.match(/\blaunch_data[_:][\w:]+/g))]

/** The labels in selectors, in `by (…)` and in legends. */
const labelsIn = (text: string): readonly string[] => [
  ...[...text.matchAll(/(\w+)=~?"/g), ...text.matchAll(/\{\{ ?(?:\$labels\.)?(\w+) ?\}\}/g)].map(
    ([, name = '']) => name,
  ),
  ...[...text.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', ')),
]

describe('the dashboard, the rules and the alerts', () => {
  for (const [file, text] of Object.entries(sources))
    it(`use only metrics of the list and recorded rules: ${file}`, () => {
      const used = usedIn(text)
      expect(used.length).to.be.above(10)
      expect(used.filter((name) => !series.has(name) && !recorded.has(name))).to.deep.equal([])
    })

  it('use every metric of the list, and every recorded rule', () => {
    const used = new Set(Object.values(sources).flatMap(usedIn))
    const isUsed = (name: MetricName) => [...series].some((one) => one.startsWith(name) && used.has(one))
    expect(names.filter((name) => !isUsed(name))).to.deep.equal([])
    const withoutRules = new Set([...usedIn(sources['dashboard.json']), ...usedIn(sources['alerts.yaml'])])
    const inRules = read('rules.yaml').replace(/record: \S+/g, '')
    expect([...recorded].filter((name) => !withoutRules.has(name) && !inRules.includes(name))).to.deep.equal([])
  })

  it('use only labels that some metric has', () => {
    const added = ['program', 'job', 'instance', 'le', 'severity', 'value']
    const known = new Set([...names.flatMap((name) => [...definitionOf(name).labels]), ...added])
    const legends = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ legendFormat }) => legendFormat))
    const used = new Set(Object.values({ ...sources, legends: legends.join('\n') }).flatMap(labelsIn))
    expect([...used].filter((label) => !known.has(label))).to.deep.equal([])
  })

  it('show each panel under an own number, without overlaps', () => {
    const ids = dashboard.panels.map(({ id }) => id)
    expect(new Set(ids).size).to.equal(ids.length)
    const places = dashboard.panels.map(({ gridPos: { x, y } }) => `${x} ${y}`)
    expect(new Set(places).size).to.equal(places.length)
  })
})
