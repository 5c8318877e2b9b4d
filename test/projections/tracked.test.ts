import { expect } from 'chai'
import { pools } from '../../projections/chain-a/tables/pools.ts'
import type { StageCut } from '../../projections/cuts.ts'
import { createTracked, identifiersIn } from '../../projections/tracked.ts'
import { hourMs } from '../../schemas/units.ts'

const mint = 'MoonCatPumpk7wBXg3vYqR5tZ2nHs8eDfJbpump'

describe('what can be asked about', () => {
  const trackedOf = (rows: readonly { part: number; identifier: string; atMs: string }[]) =>
    createTracked(
      { query: async <Row>(sql: string) => (sql.includes('identifier') ? rows : [{ identity: 'one' }]) as Row[] },
      [identifiersIn(pools, 'token', { fromColumn: 'created_at_ms', ms: hourMs })],
    )
  const cutAt = (atMs: number) => ({ atMs, blockAtMs: atMs }) as StageCut
  const row = (atMs: number) => ({ part: 0, identifier: mint, atMs: String(atMs) })

  it('is known until the last of its rows is too old, in whatever order they come', async () => {
    for (const rows of [
      [row(0), row(1000)],
      [row(1000), row(0)],
    ]) {
      const tracked = trackedOf(rows)
      expect(await tracked.mayHold(mint, cutAt(hourMs + 999))).to.equal(true)
      expect(await tracked.mayHold(mint, cutAt(hourMs + 1000))).to.equal(false)
    }
  })

  it('has as its example what can be asked about for the longest time', async () => {
    const tracked = trackedOf([
      row(1000),
      { ...row(2000), identifier: 'newest' },
      { ...row(1500), identifier: 'other' },
    ])
    expect(await tracked.example(cutAt(3000))).to.equal('newest')
    expect(await tracked.example(cutAt(hourMs + 2000))).to.equal(null)
    expect(await trackedOf([]).example(cutAt(1))).to.equal(null)
  })

  it('is told apart by the case of its letters', async () => {
    const tracked = trackedOf([row(0)])
    expect(await tracked.mayHold(mint, cutAt(1))).to.equal(true)
    expect(await tracked.mayHold(mint.toLowerCase(), cutAt(1))).to.equal(false)
  })

  it('needs no query at a newer cut if the tables have no newer row', async () => {
    let queries = 0
    const rows = [{ ...row(0), identity: 'one' }]
    const query = async <Row>() => {
      queries++
      return rows as Row[]
    }
    const tracked = createTracked({ query }, [identifiersIn(pools, 'token', null)])
    const other = (atMs: number, poolsAtMs: number) =>
      tracked.mayHold('other', { ...cutAt(atMs), lastKnown: { pools: poolsAtMs } })
    expect(await other(5, 5)).to.equal(false)
    const first = queries
    expect(await other(6, 5)).to.equal(false)
    expect(queries).to.equal(first)
    rows.push({ ...row(7), identifier: 'other', identity: 'one' })
    expect(await other(7, 7)).to.equal(true)
  })

  it('learns with one query what became known since the last cut, and all again once the tables are exchanged', async () => {
    const asked: string[] = []
    let identity = 'one'
    let all = [row(0)]
    const tracked = createTracked(
      {
        query: async <Row>(sql: string) => {
          asked.push(sql.startsWith('SELECT array') ? 'identity' : sql.includes('UNION ALL') ? 'new' : 'all')
          const named = { part: 1, identifier: identity, identity, atMs: '0' }
          if (asked.at(-1) === 'identity') return [named] as Row[]
          return (asked.at(-1) === 'new' ? [named, row(2)] : all) as Row[]
        },
      },
      [identifiersIn(pools, 'token', { fromColumn: 'created_at_ms', ms: hourMs })],
    )
    expect(await tracked.mayHold('other', cutAt(1))).to.equal(false)
    expect(asked.splice(0)).to.deep.equal(['identity', 'all'])
    expect(await tracked.mayHold('other', cutAt(2))).to.equal(false)
    expect(asked.splice(0)).to.deep.equal(['new'])
    expect(await tracked.mayHold(mint, cutAt(hourMs + 1))).to.equal(true)
    identity = 'two'
    all = []
    expect(await tracked.mayHold('other', cutAt(3))).to.equal(false)
    expect(asked.splice(0)).to.deep.equal(['new', 'identity', 'all'])
    expect(await tracked.mayHold(mint, cutAt(3))).to.equal(false)
  })
})
