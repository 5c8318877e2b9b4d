import { expect } from 'chai'
import { z } from 'zod'
import type { AnsweredRoute } from '../../../api/route.ts'
import { createAnswers } from '../../../api/sale/answers.ts'
import { refuse } from '../../../api/sale/refusals.ts'
import type { Cuts } from '../../../projections/cuts.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { createFixedQueries, fixedCut } from '../../support/fixed-queries.ts'

const cut = { atMs: fixedCut.atMs, stages: { [chainAStage.name]: fixedCut } }

/** A route that answers for each address. `asked` lists the addresses. */
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
 * Time runs to the right. The other answers fill the cache, so the first entry of "late" is removed while it is pending. The second
 * entry has the same id.
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

  it('is looked for more often from the instant on at which the next may be there, and no more once it is', async () => {
    const clock = { atMs: 10_000 }
    const grid = 2000
    let asked = 0
    let newestAtMs = 10_000
    const newest = async () => {
      asked++
      return { ...cut, atMs: newestAtMs }
    }
    const cuts: Cuts = {
      newest,
      at: () => expect.fail('no older cut was asked for'),
      oldestAtMs: () => expect.fail('nobody asked how old the tables are'),
    }
    const answers = createAnswers({ cuts, nowMs: () => clock.atMs, refreshMs: 1000, gridMs: grid })
    const countUntil = async (atMs: number) => {
      const before = asked
      for (; clock.atMs < atMs; clock.atMs += 10) await answers.newestCut([chainAStage])
      return asked - before
    }
    expect(await countUntil(12_000), 'no other can be there').to.equal(2)
    expect(await countUntil(12_600), 'every 150 ms').to.equal(4)
    newestAtMs = 12_000
    await countUntil(12_760)
    expect((await answers.newestCut([chainAStage]))?.atMs).to.equal(12_000)
    expect(await countUntil(13_500), 'it is there').to.equal(0)
  })

  /**
   * Time runs to the right. The cut is at 10,000, and cuts are 2,000 apart.
   *
   *     lookups   10,000            12,000 …
   *     batches          11,000        12,001: the first with a tick later than the next cut
   */
  describe('if written batches are announced', () => {
    const createAnnounced = () => {
      const clock = { atMs: 12_000 }
      const found = { atMs: 10_000 as number | null }
      let lookUps = 0
      const cuts: Cuts = {
        newest: async () => {
          lookUps++
          return found.atMs === null ? null : { ...cut, atMs: found.atMs }
        },
        at: () => expect.fail('no older cut was asked for'),
        oldestAtMs: () => expect.fail('nobody asked how old the tables are'),
      }
      const answers = createAnswers({ cuts, nowMs: () => clock.atMs, refreshMs: 1000, gridMs: 2000 })
      const lookUpsAfter = async (...batches: readonly [stage: string, knownAtMs: number][]) => {
        for (const [stage, knownAtMs] of batches) answers.batchWritten({ stage, knownAtMs })
        const before = lookUps
        for (let time = 0; time < 3; time++) await answers.newestCut([chainAStage])
        return lookUps - before
      }
      return { clock, found, answers, lookUpsAfter }
    }

    it('is looked up once after a batch that may contain the next cut, and not for other batches', async () => {
      const { lookUpsAfter } = createAnnounced()
      expect(await lookUpsAfter(), 'the first request').to.equal(1)
      expect(await lookUpsAfter([chainAStage.name, 12_000]), 'all partitions must be later than the cut').to.equal(0)
      expect(await lookUpsAfter(['chain-z', 12_001]), 'another stage').to.equal(0)
      expect(await lookUpsAfter([chainAStage.name, 12_001], [chainAStage.name, 12_400])).to.equal(1)
      expect(await lookUpsAfter()).to.equal(0)
    })

    it('is not looked up at short intervals, although the next one is due', async () => {
      const { clock, lookUpsAfter } = createAnnounced()
      await lookUpsAfter([chainAStage.name, 11_000])
      clock.atMs = 12_999
      expect(await lookUpsAfter()).to.equal(0)
      clock.atMs = 13_000
      expect(await lookUpsAfter()).to.equal(1)
    })

    it('is looked up after any batch while there is none', async () => {
      const { found, lookUpsAfter } = createAnnounced()
      found.atMs = null
      expect(await lookUpsAfter()).to.equal(1)
      expect(await lookUpsAfter([chainAStage.name, 1])).to.equal(1)
    })

    it('is looked up again if a batch was written while the lookup ran', async () => {
      const { answers, lookUpsAfter } = createAnnounced()
      const running = answers.newestCut([chainAStage])
      answers.batchWritten({ stage: chainAStage.name, knownAtMs: 12_001 })
      await running
      expect(await lookUpsAfter()).to.equal(1)
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
