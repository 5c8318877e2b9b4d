import { expect } from 'chai'
import { columnsOf, forms } from '../../../infra/archive/columns.ts'
import { enumOf, nullable, recordOf } from '../../../schemas/avro.ts'
import { topics } from '../../../schemas/topics.ts'
import { buildSendersAnswered } from '../../support/builders/build-facts.ts'
import { stages } from './filled-log.ts'

const head = {
  ...{ topic: 'chain-a-facts', partition: 1, offset: 2, key: '0x01', eventAt: null, knownAt: 3, publishedAt: 4 },
  value: Uint8Array.of(0),
}

describe('the columns of a topic', () => {
  it('have different names in every topic and form', () => {
    for (const { stage } of stages)
      for (const topic of [stage.factTopic, stage.derivedTopic])
        for (const form of forms) {
          const names = columnsOf(topic, form).columns.map(({ name }) => name)
          expect([...new Set(names)], topic.name).to.deep.equal(names)
        }
  })

  it('have nested values as JSON, and no cell for null', () => {
    const { rowOf } = columnsOf(topics['chain-a-facts'], 'archive')
    const { type, data } = buildSendersAnswered()
    const row = rowOf({ ...head, type, data })
    expect(JSON.parse(String(row.senders))).to.deep.equal('senders' in data ? data.senders : null)
    expect(row).to.not.have.any.keys('ts_event', 'failure')
    expect(row.value).to.deep.equal(head.value)
  })

  it('have no exact bytes in public files', () => {
    const { type, data } = buildSendersAnswered()
    const { columns, rowOf } = columnsOf(topics['chain-a-facts'], 'public')
    expect(columns.map(({ name }) => name)).to.not.include('value')
    expect(rowOf({ ...head, type, data })).to.not.have.any.keys('value')
  })

  it('have JSON for a name that two types use differently', () => {
    const schemas = {
      One: recordOf('One', [{ name: 'wallets', type: nullable('int') }]),
      Other: recordOf('Other', [{ name: 'wallets', type: enumOf('Words', ['a']) }]),
    }
    const { columns, rowOf } = columnsOf({ ...topics['chain-a-facts'], schemas }, 'public')
    expect(columns.at(-1)).to.deep.equal({ name: 'wallets', kind: 'text' })
    expect(
      [
        rowOf({ ...head, type: 'One', data: { wallets: 3 } }),
        rowOf({ ...head, type: 'Other', data: { wallets: 'a' } }),
      ].map((row) => row.wallets),
    ).to.deep.equal(['3', '"a"'])
  })
})
