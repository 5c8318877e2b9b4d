import { expect } from 'chai'
import { z } from 'zod'
import type { AnsweredRoute } from '../../../api/route.ts'
import { createAnswers } from '../../../api/sale/answers.ts'
import { refuse } from '../../../api/sale/refusals.ts'
import type { Cut, Cuts } from '../../../projections/cuts.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { createFixedQueries, fixedCut } from '../../support/fixed-queries.ts'

const cut = { atMs: fixedCut.atMs, stages: { [chainAStage.name]: fixedCut } }

/** Makes a route that can answer for any address. `asked` lists the requested addresses. */
function countingRoute(body: (addr: string) => Awaited<ReturnType<AnsweredRoute['answer']>>) {
  const asked: string[] = []
  const route: AnsweredRoute = {
    pattern: '/v1/rh/token/:addr/rugcheck',
    tool: 'rh_token_rugcheck',
    description: '',
    priceUsdMicros: 1,
    dependsOn: [{ stage: chainAStage, newest: 'the newest block', maxAgeMs: 1000 }],
    needs: [],
    history: { windowMs: 3_600_000, lookBackMs: 0 },
    params: {},
    schema: z.strictObject({ addr: z.string() }),
    answer: async (values) => {
      const { addr } = values as { addr: string }
      asked.push(addr)
      return body(addr)
    },
  }
  return { route, asked }
}

const createFor = (cacheBytesMax: number) =>
  createAnswers({ cuts: createFixedQueries().cuts, nowMs: () => 0, refreshMs: 1000, cacheBytesMax })

describe('kept answers', () => {
  it('are made once for whoever asks the same at one cut, also at the same time', async () => {
    const { route, asked } = countingRoute((addr) => ({ addr }))
    const answers = createFor(100_000)
    const ask = () => answers.answer(route, { addr: 'a' }, cut)
    await Promise.all([ask(), ask()])
    await ask()
    expect(asked).to.deep.equal(['a'])
  })

  it('stay within their bound by the bytes of the answers, the least recently asked go first', async () => {
    const { route, asked } = countingRoute((addr) => ({ addr, text: '0'.repeat(8_000) }))
    const answers = createFor(30_000)
    const ask = (addr: string) => answers.answer(route, { addr }, cut)
    for (const addr of ['a', 'b', 'c', 'a', 'd']) await ask(addr)
    expect(asked.splice(0)).to.deep.equal(['a', 'b', 'c', 'd'])
    for (const addr of ['a', 'c', 'd']) await ask(addr)
    expect(asked, 'three have room, and b is the one that went').to.deep.equal([])
    await ask('b')
    expect(asked).to.deep.equal(['b'])
  })

  it('stay within their bound when they are refusals, which cost the asker nothing', async () => {
    const { route, asked } = countingRoute(() => refuse('not_tracked', 'unknown'))
    const answers = createFor(20_000)
    const ask = (count: number) => answers.answer(route, { addr: `a${count}` }, cut)
    for (let count = 0; count < 40; count++) await ask(count)
    await ask(39)
    expect(asked).to.have.length(40)
    await ask(0)
    expect(asked).to.have.length(41)
  })
})

/**
 * Time runs to the right. The other answers fill the cache. So the first entry of "late" is removed from the
 * cache while its answer is pending. Then the same id is requested again, which makes another entry.
 *
 *     late    |-- first, pending ----------------------------|  done or failed
 *     others      |--|  the cache is full
 *     late                |--|  second entry
 */
describe('a pending answer that was removed from the cache and is requested again', () => {
  const createWorld = () => {
    const firsts = new Map<string, Readonly<{ done(): void; fail(): void }>>()
    const { route: plain, asked } = countingRoute((addr) => ({ addr, text: '0'.repeat(8_000) }))
    const route: AnsweredRoute = {
      ...plain,
      answer: async (values, cut) => {
        const body = await plain.answer(values, cut)
        const { addr } = values as { addr: string }
        if (addr.startsWith('late') && !firsts.has(addr))
          await new Promise<void>((done, reject) => {
            firsts.set(addr, { done, fail: () => reject(new Error('no tables')) })
          })
        return body
      },
    }
    const answers = createFor(30_000)
    const ask = (addr: string) => answers.answer(route, { addr }, cut)
    const fill = async () => {
      for (const addr of ['a', 'b', 'c', 'd']) await ask(addr)
    }
    return { asked, firsts, ask, fill }
  }

  it('stays in the cache when the first computation fails', async () => {
    const { asked, firsts, ask, fill } = createWorld()
    const first = ask('late').catch((error: Error) => error.message)
    await fill()
    await ask('late')
    firsts.get('late')?.fail()
    expect(await first).to.equal('no tables')
    asked.length = 0
    await ask('late')
    expect(asked).to.deep.equal([])
  })

  it('counts its bytes once, so that the cache holds as many answers as before', async () => {
    const { asked, firsts, ask, fill } = createWorld()
    for (const addr of ['late 1', 'late 2', 'late 3']) {
      const first = ask(addr)
      await fill()
      await ask(addr)
      firsts.get(addr)?.done()
      await first
    }
    await fill()
    asked.length = 0
    for (const addr of ['b', 'c', 'd']) await ask(addr)
    expect(asked).to.deep.equal([])
  })
})

describe('the first instant that can be asked', () => {
  const createAsking = (found: () => Promise<number | null>) => {
    const clock = { atMs: 5000 }
    const asked: string[] = []
    const cuts: Cuts = {
      newest: () => expect.fail('no cut was asked for'),
      at: () => expect.fail('no cut was asked for'),
      oldestAtMs: (stages) => {
        asked.push(stages.map(({ name }) => name).join())
        return found()
      },
    }
    const answers = createAnswers({ cuts, nowMs: () => clock.atMs, refreshMs: 1000 })
    return { asked, clock, ask: () => answers.oldestAtMs([chainAStage]) }
  }

  it('is looked up once a minute, whoever asks', async () => {
    const { asked, clock, ask } = createAsking(async () => 7)
    expect(await Promise.all([ask(), ask()])).to.deep.equal([7, 7])
    clock.atMs += 59_999
    await ask()
    expect(asked).to.have.length(1)
    clock.atMs += 1
    await ask()
    expect(asked).to.have.length(2)
  })

  it('is looked up again after a look-up that failed or found nothing', async () => {
    const results = [() => Promise.reject(new TypeError('down')), async () => null, async () => 7]
    const { ask } = createAsking(() => (results.shift() ?? expect.fail('it was found'))())
    expect(await ask().catch((error: Error) => error.message)).to.equal('down')
    expect(await ask()).to.equal(null)
    expect([await ask(), await ask()]).to.deep.equal([7, 7])
  })
})

describe('the newest cut', () => {
  const other = { ...chainAStage, name: 'chain-z' }

  const createCounting = (newest: Cuts['newest']) => {
    const asked: string[] = []
    const clock = { atMs: 5000 }
    const cuts: Cuts = {
      newest: (stages) => {
        asked.push(stages.map(({ name }) => name).join())
        return newest(stages)
      },
      at: () => expect.fail('no older cut was asked for'),
      oldestAtMs: () => expect.fail('nobody asked how old the tables are'),
    }
    return { asked, clock, answers: createAnswers({ cuts, nowMs: () => clock.atMs, refreshMs: 1000 }) }
  }

  it('is looked up once in a while for each set of stages, whatever their order', async () => {
    const { asked, clock, answers } = createCounting(async () => cut)
    await Promise.all([answers.newestCut([chainAStage]), answers.newestCut([chainAStage])])
    await answers.newestCut([chainAStage, other])
    await answers.newestCut([other, chainAStage])
    expect(asked).to.deep.equal(['chain-a', 'chain-a,chain-z'])
    clock.atMs = 5999
    await answers.newestCut([chainAStage])
    expect(asked).to.have.length(2)
    clock.atMs = 6000
    await answers.newestCut([chainAStage])
    expect(asked).to.deep.equal(['chain-a', 'chain-a,chain-z', 'chain-a'])
  })

  describe('if written batches are announced', () => {
    const createAnnounced = (find: () => Promise<Cut | null> = async () => cut) => {
      const clock = { atMs: 10_000 }
      let lookUps = 0
      const cuts: Cuts = {
        newest: () => {
          lookUps++
          return find()
        },
        at: () => expect.fail('no older cut was asked for'),
        oldestAtMs: () => expect.fail('nobody asked how old the tables are'),
      }
      const answers = createAnswers({ cuts, nowMs: () => clock.atMs, refreshMs: 250 })
      const lookUpsAt = async (atMs: number, ...stages: readonly string[]) => {
        for (const stage of stages) answers.batchWritten({ stage })
        clock.atMs = atMs
        const before = lookUps
        for (let time = 0; time < 3; time++) await answers.newestCut([chainAStage])
        return lookUps - before
      }
      return { answers, lookUpsAt }
    }

    it('is looked up once after a batch of one of its stages, but not more often than that', async () => {
      const { lookUpsAt } = createAnnounced()
      expect(await lookUpsAt(10_000), 'the first request').to.equal(1)
      expect(await lookUpsAt(10_249, chainAStage.name), 'too early').to.equal(0)
      expect(await lookUpsAt(10_250), 'after the batch').to.equal(1)
      expect(await lookUpsAt(10_900), 'without a batch').to.equal(0)
      expect(await lookUpsAt(10_901, 'chain-z'), 'a batch of another stage').to.equal(0)
      expect(await lookUpsAt(10_902, chainAStage.name, chainAStage.name)).to.equal(1)
    })

    it('is looked up once a second without a batch', async () => {
      const { lookUpsAt } = createAnnounced()
      await lookUpsAt(10_000)
      expect(await lookUpsAt(10_250, chainAStage.name)).to.equal(1)
      expect(await lookUpsAt(11_249)).to.equal(0)
      expect(await lookUpsAt(11_250)).to.equal(1)
    })

    it('is looked up again if a batch was written while the lookup ran', async () => {
      let finish = (_: Cut | null) => {}
      const { answers, lookUpsAt } = createAnnounced(
        () =>
          new Promise((resolve) => {
            finish = resolve
          }),
      )
      const running = answers.newestCut([chainAStage])
      answers.batchWritten({ stage: chainAStage.name })
      finish(cut)
      await running
      const again = lookUpsAt(10_250)
      finish(cut)
      expect(await again).to.equal(1)
    })
  })

  it('is looked up again by a clock that was set back', async () => {
    const { asked, clock, answers } = createCounting(async () => cut)
    for (const atMs of [5000, 4001, 4000]) {
      clock.atMs = atMs
      await answers.newestCut([chainAStage])
    }
    expect(asked).to.have.length(2)
  })

  it('is looked up again after a look-up that failed', async () => {
    let isDown = true
    const { answers } = createCounting(async () => (isDown ? Promise.reject(new TypeError('down')) : cut))
    const failure = await answers.newestCut([chainAStage]).catch((error) => error)
    expect(failure).to.have.property('message', 'down')
    isDown = false
    expect(await answers.newestCut([chainAStage])).to.equal(cut)
  })
})
