import { expect } from 'chai'
import type { Database } from '../../../infra/clickhouse/database.ts'
import { createOtherLeaders } from '../../../projections/chain-b/queries/other-leaders.ts'
import type { StageCut } from '../../../projections/cuts.ts'
import { noonMs } from '../derived-log.ts'

const cut: StageCut = { atMs: noonMs, blockNumber: 1, blockAtMs: noonMs, coinPrice: null, source: 'simulated' }

/** A database with one list of the leaders `a` and `b`, who both bought a mint. Counts its queries. */
function createFixed() {
  let queries = 0
  const query = async (sql: string): Promise<readonly unknown[]> => {
    queries++
    if (sql.includes('leaders.wallet'))
      return [{ rebuiltAtMs: noonMs - 2000, knownAtMs: noonMs - 1000, wallets: ['a', 'b'] }]
    return [{ mint: 'mint', buyers: [0, 1], atMs: [noonMs - 500, noonMs - 400] }]
  }
  return { database: { query } as unknown as Database, queries: () => queries }
}

describe('the other leaders of a followed buy', () => {
  it('are those that bought the mint until then, without the wallet itself', async () => {
    const count = await createOtherLeaders(createFixed().database)(cut)
    const counted = (wallet: string, beforeMs: number, mint = 'mint') =>
      count({ mint, wallet, atMs: noonMs - beforeMs })
    expect([counted('c', 501), counted('c', 500), counted('c', 400)]).to.deep.equal([0, 1, 2])
    expect([counted('a', 400), counted('b', 400), counted('b', 401)]).to.deep.equal([1, 1, 1])
    expect([counted('c', 0, 'another mint'), counted('c', 1001)], 'the last is before the list').to.deep.equal([
      0,
      null,
    ])
  })

  it('are selected one time for each of the two lists that were asked for last, also for questions at the same time', async () => {
    const { database, queries } = createFixed()
    const otherLeaders = createOtherLeaders(database)
    const later = { ...cut, atMs: noonMs + 1 }
    await Promise.all([otherLeaders(cut), otherLeaders(cut), otherLeaders(later)])
    await otherLeaders(cut)
    expect(queries()).to.equal(4)
    await otherLeaders({ ...cut, blockAtMs: noonMs - 1 })
    await otherLeaders(cut)
    expect(queries()).to.equal(6)
    await otherLeaders(later)
    expect(queries(), 'the one that was not asked for the longest was dropped').to.equal(8)
  })

  it('are selected for one list after the other, also after a failure', async () => {
    const { database } = createFixed()
    let [running, most, asked] = [0, 0, 0]
    const query: Database['query'] = async (sql, parameters) => {
      asked++
      running++
      most = Math.max(most, running)
      await new Promise(setImmediate)
      running--
      if (asked === 1) throw new Error('the first query fails')
      return database.query(sql, parameters)
    }
    const otherLeaders = createOtherLeaders({ ...database, query })
    const lists = [0, 1, 2, 3].map((laterMs) => ({ ...cut, atMs: noonMs + laterMs }))
    const ended = await Promise.allSettled(lists.map(otherLeaders))
    expect(ended.map(({ status }) => status)).to.deep.equal(['rejected', 'fulfilled', 'fulfilled', 'fulfilled'])
    expect(most).to.equal(1)
  })
})
