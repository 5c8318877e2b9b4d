import { expect } from 'chai'
import type { Database } from '../../../infra/clickhouse/database.ts'
import { createCallsViews } from '../../../projections/calls/queries/calls.ts'
import type { Cut } from '../../../projections/cuts.ts'
import { chatsCut } from '../../support/calls/fixed-views.ts'
import { mint } from '../chain-b/derived-log.ts'
import { address } from '../derived-log.ts'
import { stagesOfCalls } from './derived-log.ts'

describe('questions about calls of one chain', () => {
  /** The tables of chains that were read. */
  const chainsReadBy = async (ask: (views: ReturnType<typeof createCallsViews>, cut: Cut) => Promise<unknown>) => {
    const asked: string[] = []
    const refuse = () => expect.fail('nothing is written')
    const database: Database = {
      name: 'of the test',
      async query(sql: string) {
        asked.push(sql)
        return []
      },
      ...{ insert: refuse, command: refuse, close: refuse },
    }
    const stages = Object.fromEntries(stagesOfCalls.map(({ name }) => [name, chatsCut]))
    await ask(createCallsViews({ database, stages: stagesOfCalls }), { atMs: chatsCut.atMs, stages })
    return [...new Set(asked.flatMap((sql) => sql.match(/chain_[ab]/g) ?? []))]
  }

  // Its cut may be ahead of the other chain, whose tables are not complete there: what is read would be taken for all there is.
  for (const [token, chain] of [
    [address(1), 'chain_a'],
    [mint(1), 'chain_b'],
  ] as const) {
    it(`whether ${token} may have a grade: read the tables of its own chain alone`, async () => {
      expect(await chainsReadBy((views) => views.tracked.grades.mayHold(token, chatsCut))).to.deep.equal([chain])
    })

    it(`which grade ${token} has: read the tables of its own chain alone`, async () => {
      expect(await chainsReadBy((views, cut) => views.grade(cut, token))).to.deep.equal([chain])
    })
  }

  it('live calls read the tables of the chain that is asked for', async () => {
    for (const [chain, read] of [
      ['chain-a', ['chain_a']],
      ['chain-b', ['chain_b']],
      [null, ['chain_a', 'chain_b']],
    ] as const)
      expect(await chainsReadBy((views, cut) => views.live(cut, { minutes: 5, chain }))).to.deep.equal(read)
  })
})
