import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { alerts } from './alert-names.ts'

const document = readFileSync('infra/docs/alerts.md', 'utf8')
const sections = new Map(
  document
    .split('\n## ')
    .slice(1)
    .map((section) => [String(section.split('\n')[0]), section]),
)

describe('the alerts', () => {
  it('are exactly those of the document, in the same order', () => {
    expect(alerts).to.have.length.above(15)
    expect([...sections.keys()]).to.deep.equal(alerts.map(({ name }) => name))
  })

  it('have the severity of the document, and a link to their paragraph', () => {
    for (const { name, text } of alerts) {
      const [, severity] = /severity: (page|ticket)\n/.exec(text) ?? []
      expect(sections.get(name), name).to.contain(`Severity: \`${severity}\`.`)
      expect(text, name).to.contain(`runbook: infra/docs/alerts.md#${name.toLowerCase()}`)
    }
  })

  it('say in at least three sentences what to do', () => {
    for (const [name, section] of sections) expect(section.split(/[.:] /).length, name).to.be.above(3)
  })
})
