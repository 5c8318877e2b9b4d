import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { definitionOf, type MetricName, metricList } from '../../../infra/metrics/list.ts'
import { metricsTable } from './metrics-table.ts'

const names = Object.keys(metricList) as MetricName[]

describe('the list of metrics', () => {
  it('is the table of the documentation', () => {
    expect(readFileSync('infra/docs/metrics.md', 'utf8')).to.contain(metricsTable())
  })

  it('has names in lower case that end with a base unit', () => {
    for (const name of names) {
      expect(name).to.match(/^launch_data_[a-z]+(_[a-z]+)*$/)
      expect(name, 'a unit that is not a base unit').to.not.match(
        /_(ms|millis|milliseconds|minutes|hours|kb|mb|micros)\b/,
      )
    }
  })

  it('ends the names of counters, and of no other metrics, with _total', () => {
    for (const name of names) expect(name.endsWith('_total'), name).to.equal(definitionOf(name).type === 'counter')
  })

  it('gives every histogram rising bounds', () => {
    for (const name of names) {
      const { type, bounds } = definitionOf(name)
      expect(bounds !== undefined, name).to.equal(type === 'histogram')
      expect([...(bounds ?? [])].sort((left, right) => left - right)).to.deep.equal(bounds ?? [])
    }
  })

  it('has no label for anything that a client sends', () => {
    const labels = new Set(names.flatMap((name) => definitionOf(name).labels))
    expect([...labels].sort()).to.deep.equal([
      ...['environment', 'kind', 'level', 'node', 'outcome', 'partition', 'reason', 'result', 'route', 'stage'],
      ...['status', 'thread', 'version'],
    ])
  })
})
