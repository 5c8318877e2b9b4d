import { expect } from 'chai'
import { type Effects, expectOrder } from './effects.ts'

/** A program with two files. Before each write of `copy`, the same write of `source` must be done. */
type World = { source: number; copy: number }

const begin = (): World => ({ source: 0, copy: 0 })
const portOf = (world: World, effects: Effects) =>
  effects.around(
    {
      async writeSource() {
        world.source += 1
      },
      async writeCopy() {
        world.copy += 1
      },
    },
    { writeSource: () => 'source', writeCopy: () => 'copy' },
  )
const inOrder = async (world: World, effects: Effects) => {
  const port = portOf(world, effects)
  for (let turn = 0; turn < 2 && !effects.signal.aborted; turn++) {
    await port.writeSource()
    await port.writeCopy()
  }
}
const swapped = async (world: World, effects: Effects) => {
  const port = portOf(world, effects)
  await port.writeCopy()
  await port.writeSource()
}

const pairs = [['source', 'copy']] as const
const failureOf = (expected: Promise<void>) =>
  expected.then(
    () => null,
    (error: Error) => error.message,
  )

describe('the order of effects', () => {
  it('is checked for a whole run and after each effect', async () => {
    const ends: string[] = []
    const leaves = ({ source, copy }: World, done: readonly string[]) => {
      expect(copy).to.be.at.most(source)
      ends.push(done.join())
    }
    await expectOrder({ pairs, interrupt: 'crash', begin, run: inOrder, leaves })
    const all = 'source,copy,source,copy'
    expect(ends).to.deep.equal([all, 'source', 'source,copy', 'source,copy,source', all])
  })

  it('fails where a second effect comes before its first', async () => {
    const order = { interrupt: 'crash', begin, run: swapped, leaves: () => {} } as const
    expect(await failureOf(expectOrder({ pairs, ...order }))).to.match(/^"source" before "copy", in copy, source/)
    expect(await failureOf(expectOrder({ pairs: [['source', 'other']], ...order }))).to.match(/to include 'other'/)
  })

  it('fails where an interruption leaves something else, and names the effect', async () => {
    const leaves = ({ source, copy }: World) => expect(copy, 'copies').to.be.at.most(source)
    const order = { pairs: [], interrupt: 'crash', begin, leaves } as const
    expect(await failureOf(expectOrder({ ...order, run: inOrder }))).to.equal(null)
    expect(await failureOf(expectOrder({ ...order, run: swapped }))).to.match(
      /^interrupted after "copy", effect 1: copies/,
    )
  })

  it('runs nothing of a program after its crash, not even its last steps', async () => {
    const lasts: string[] = []
    const run = async (world: World, effects: Effects) => {
      try {
        await inOrder(world, effects)
      } finally {
        lasts.push(effects.done.join())
      }
    }
    await expectOrder({ pairs, interrupt: 'crash', begin, run, leaves: () => {} })
    expect(lasts).to.deep.equal(['source,copy,source,copy'])
  })

  it('lets a program end by itself after an abort', async () => {
    const ends: string[] = []
    const leaves = (_: World, done: readonly string[]) => void ends.push(done.join())
    await expectOrder({ pairs, interrupt: 'abort', begin, run: inOrder, leaves })
    const [one, both] = ['source,copy', 'source,copy,source,copy']
    expect(ends).to.deep.equal([both, one, one, both, both])
  })

  it('lets something happen after each effect, while the program continues', async () => {
    const sources: number[] = []
    const interrupt = (world: World) => {
      world.source += 10
    }
    const leaves = ({ source }: World, done: readonly string[]) => void sources.push(source, done.length)
    await expectOrder({ pairs, interrupt, begin, run: inOrder, leaves })
    expect(sources).to.deep.equal([[2, 4], ...Array.from({ length: 4 }, () => [12, 4])].flat())
  })
})
