import { expect } from 'chai'
import type { Database } from '../../../infra/clickhouse/database.ts'
import { createCallsQueries } from '../../../projections/calls/queries/calls.ts'
import { calledChainA } from '../../../projections/chain-a/called-chain.ts'
import { calledChainB } from '../../../projections/chain-b/called-chain.ts'
import type { Cut } from '../../../projections/cuts.ts'
import { chatsCut } from '../../support/calls/fixed-queries.ts'
import { mint } from '../chain-b/derived-log.ts'
import { address } from '../derived-log.ts'
import { stagesOfCalls } from './derived-log.ts'

describe('questions about calls of one chain', () => {
  /** Returns the conditions on the chain, or on the topic of the chain, in the SQL of the queries that `ask` sends. */
  const chainsReadBy = async (ask: (queries: ReturnType<typeof createCallsQueries>, cut: Cut) => Promise<unknown>) => {
    const asked: string[] = []
    const refuse = () => expect.fail('nothing is written')
    const database: Database = {
      name: 'of the test',
      async query(sql: string) {
        asked.push(sql)
        return sql.includes('system.tables') ? ([{ identity: '' }] as never) : []
      },
      ...{ insert: refuse, command: refuse, close: refuse },
    }
    const stages = Object.fromEntries(stagesOfCalls.map(({ name }) => [name, chatsCut]))
    await ask(createCallsQueries({ database, chains: [calledChainA, calledChainB] }), { atMs: chatsCut.atMs, stages })
    return [...new Set(asked.flatMap((sql) => sql.match(/(chain|topic) = 'chain-[ab](-derived)?'/g) ?? []))]
  }

  // A query about a token must read only the rows of the token's own chain. At the time in question, the rows
  // of the other chain may be incomplete.
  for (const [token, chain, topic] of [
    [address(1), "chain = 'chain-a'", "topic = 'chain-a-derived'"],
    [mint(1), "chain = 'chain-b'", "topic = 'chain-b-derived'"],
  ] as const) {
    it(`whether ${token} may have a grade: read the rows of its own chain alone`, async () => {
      expect(await chainsReadBy((queries) => queries.tracked.grades.mayHold(token, chatsCut))).to.deep.equal([chain])
    })

    it(`which grade ${token} has: read the rows of its own chain alone`, async () => {
      expect(await chainsReadBy((queries, cut) => queries.grade(cut, token))).to.deep.equal([topic])
    })
  }

  it('live calls read the tables of the chain that is asked for', async () => {
    for (const [chain, read] of [
      ['chain-a', ["chain = 'chain-a'"]],
      ['chain-b', ["chain = 'chain-b'"]],
      [null, ["chain = 'chain-a'", "chain = 'chain-b'"]],
    ] as const)
      expect(await chainsReadBy((queries, cut) => queries.live(cut, { minutes: 5, chain }))).to.deep.equal(read)
  })
})
