import { expect } from 'chai'
import { pools } from '../../projections/chain-a/tables/pools.ts'
import type { StageCut } from '../../projections/cuts.ts'
import { keepAtCut } from '../../projections/keep-at-cut.ts'
import { minuteMs } from '../../schemas/units.ts'

const cutAt = (atMs: number) => ({ atMs, blockAtMs: atMs }) as StageCut

describe('a state that is kept at a cut', () => {
  function keep() {
    const advanced: string[] = []
    const tried: number[] = []
    const tables = { identity: 'one', fails: false }
    const query = async <Row>() => [{ identity: tables.identity }] as Row[]
    const at = keepAtCut<{ cuts: number[] }>({
      ...{ database: { query }, tables: [pools] },
      advance: async (kept, cut) => {
        tried.push(cut.atMs)
        if (tables.fails) throw new Error('no database')
        advanced.push(`${kept?.cut.atMs ?? 'anew'} to ${cut.atMs}`)
        const state = kept?.state ?? { cuts: [] }
        state.cuts.push(cut.atMs)
        return state
      },
    })
    return { at, advanced, tried, tables }
  }

  it('is made once, advanced to each newer cut, and has nothing for an earlier one', async () => {
    const { at, advanced } = keep()
    const [first, again] = await Promise.all([at(cutAt(1)), at(cutAt(1))])
    expect([first?.cuts, again?.cuts]).to.deep.equal([[1], [1]])
    expect((await at(cutAt(2)))?.cuts).to.deep.equal([1, 2])
    expect(await at(cutAt(1))).to.equal(null)
    expect(advanced).to.deep.equal(['anew to 1', '1 to 2'])
  })

  it('has nothing for an earlier cut at once, also while it is advanced', async () => {
    const { at } = keep()
    await at(cutAt(5))
    const next = at(cutAt(6))
    const order: string[] = []
    await Promise.all([next.then(() => order.push('next')), at(cutAt(4)).then((state) => order.push(`${state}`))])
    expect(order).to.deep.equal(['null', 'next'])
  })

  it('fails for all requests of a cut with the first one, and is then tried again', async () => {
    const { at, tables, tried } = keep()
    tables.fails = true
    const failures = await Promise.all([1, 1, 1].map((atMs) => at(cutAt(atMs)).catch((error: Error) => error.message)))
    expect(failures).to.deep.equal(['no database', 'no database', 'no database'])
    tables.fails = false
    expect((await at(cutAt(1)))?.cuts).to.deep.equal([1])
    expect(tried, 'one try for the three, one later').to.deep.equal([1, 1])
  })

  it('is made anew within a minute after a rebuild has exchanged the tables', async () => {
    const { at, advanced, tables } = keep()
    await at(cutAt(1))
    tables.identity = 'two'
    expect((await at(cutAt(minuteMs)))?.cuts, 'not looked for yet').to.deep.equal([1, minuteMs])
    expect((await at(cutAt(minuteMs + 1)))?.cuts).to.deep.equal([minuteMs + 1])
    expect(advanced).to.deep.equal(['anew to 1', `1 to ${minuteMs}`, `anew to ${minuteMs + 1}`])
  })

  it('is used without a query at a newer cut if its tables have no newer row, unless the block time falls', async () => {
    const { at, advanced } = keep()
    const unchanged = (atMs: number, blockAtMs = atMs) => ({ ...cutAt(atMs), blockAtMs, lastKnown: { pools: 1 } })
    await at(unchanged(2))
    expect((await at(unchanged(3)))?.cuts).to.deep.equal([2])
    expect(await at(unchanged(2)), 'an earlier cut').to.equal(null)
    expect((await at({ ...unchanged(4), lastKnown: { pools: 4 } }))?.cuts).to.deep.equal([2, 4])
    expect((await at(unchanged(5, 3)))?.cuts).to.deep.equal([2, 4, 5])
    expect(advanced).to.deep.equal(['anew to 2', '3 to 4', '4 to 5'])
  })

  it('stays as it was when a query fails', async () => {
    const { at, tables } = keep()
    await at(cutAt(1))
    tables.fails = true
    const failure = await at(cutAt(2)).catch((error: unknown) => error)
    expect(failure).to.be.an('error')
    tables.fails = false
    expect((await at(cutAt(3)))?.cuts).to.deep.equal([1, 3])
  })
})
