import { expect } from 'chai'
import { pools } from '../../projections/chain-a/tables/pools.ts'
import type { StageCut } from '../../projections/cuts.ts'
import { keepAtCut } from '../../projections/keep-at-cut.ts'

const cutAt = (atMs: number) => ({ atMs, blockAtMs: atMs }) as StageCut

describe('a state that is kept at a cut', () => {
  function keep() {
    const advanced: string[] = []
    const tables = { identity: 'one', fails: false }
    const query = async <Row>() => [{ identity: tables.identity }] as Row[]
    const at = keepAtCut<{ cuts: number[] }>({
      ...{ database: { query }, tables: [pools] },
      advance: async (kept, cut) => {
        if (tables.fails) throw new Error('no database')
        advanced.push(`${kept?.cut.atMs ?? 'anew'} to ${cut.atMs}`)
        const state = kept?.state ?? { cuts: [] }
        state.cuts.push(cut.atMs)
        return state
      },
    })
    return { at, advanced, tables }
  }

  it('is made once, advanced to each newer cut, and has nothing for an earlier one', async () => {
    const { at, advanced } = keep()
    const [first, again] = await Promise.all([at(cutAt(1)), at(cutAt(1))])
    expect([first?.cuts, again?.cuts]).to.deep.equal([[1], [1]])
    expect((await at(cutAt(2)))?.cuts).to.deep.equal([1, 2])
    expect(await at(cutAt(1))).to.equal(null)
    expect(advanced).to.deep.equal(['anew to 1', '1 to 2'])
  })

  it('is made anew when a rebuild has exchanged the tables', async () => {
    const { at, advanced, tables } = keep()
    await at(cutAt(1))
    tables.identity = 'two'
    expect((await at(cutAt(2)))?.cuts).to.deep.equal([2])
    expect(advanced).to.deep.equal(['anew to 1', 'anew to 2'])
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
