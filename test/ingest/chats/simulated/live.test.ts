import { expect } from 'chai'
import { createSimulatedChats, type SimulatedChatsOptions } from '../../../../ingest/chats/simulated/simulator.ts'
import type { ChatRange } from '../../../../ingest/chats/types.ts'
import type { Block } from '../../../../schemas/stage.ts'

const fromMs = Date.UTC(2026, 10, 1, 12)
const [hourSec, numbersPerSec] = [3600, 4096]
const known = {
  book: null,
  blocksFrom: async () => [],
  factIdsFrom: async () => new Map(),
  factsFrom: async () => [],
}

/**
 * Creates simulated chats without tokens, so that all posts are small talk. `askedHours` lists the hours
 * whose token histories were requested.
 */
function chatsAt(options: Partial<SimulatedChatsOptions> = {}) {
  const clock = { nowMs: fromMs, waits: [] as (readonly [number, boolean])[] }
  const stop = new AbortController()
  const askedHours: number[] = []
  const historiesOf = (hour: number) => {
    askedHours.push(hour)
    return []
  }
  const chats = createSimulatedChats({
    ...{ seed: 7, markets: [historiesOf], nowMs: () => clock.nowMs },
    sleep: async (delayMs, signal) => {
      clock.waits.push([delayMs, signal === stop.signal])
      clock.nowMs += delayMs
    },
    ...options,
  })
  const rangesUntil = async (waitCount: number, cursor: Block | null = null) => {
    const ranges: ChatRange[] = []
    for await (const range of chats.source.ranges(cursor, known, stop.signal)) {
      ranges.push(range)
      if (clock.waits.length === waitCount) stop.abort()
    }
    return ranges
  }
  return { chats, clock, askedHours, rangesUntil }
}

const factsOf = (ranges: readonly ChatRange[]) => ranges.flatMap(({ facts }) => facts)

describe('simulated chats that are followed', () => {
  it('tell the past day in ranges of ten minutes, then every two seconds what was said', async () => {
    const { clock, rangesUntil } = chatsAt()
    const ranges = await rangesUntil(5)
    const spans = ranges.map(({ fromBlock, head }) => [fromBlock / numbersPerSec, head.atMs / 1000])
    const [nowSec, daySec] = [fromMs / 1000, 24 * hourSec]
    const past = Array.from({ length: 144 }, (_, index) => nowSec - daySec + 600 * index)
    expect(spans).to.deep.equal([
      ...past.map((second) => [second, second + 599]),
      [nowSec, nowSec],
      ...[1, 3, 5, 7, 9].map((second) => [nowSec + second, nowSec + second + 1]),
    ])
    for (const { head } of ranges) {
      expect(head.hash).to.equal('0x')
      expect(head.number).to.equal((head.atMs / 1000) * numbersPerSec + numbersPerSec - 1)
    }
    expect(clock.waits).to.deep.equal(Array.from({ length: 5 }, () => [2000, true]))
    for (const { fact } of factsOf(ranges)) expect(fact.type).to.equal('PostSeen')
  })

  it('have sixty posts of chatter in each hour, and plan each hour once', async () => {
    const { askedHours, rangesUntil } = chatsAt({ lookBackMs: 20 * hourSec * 1000 })
    const posts = factsOf(await rangesUntil(1))
    expect(posts).to.have.lengthOf(20 * 60)
    expect(askedHours).to.deep.equal([...new Set(askedHours)])
    expect(askedHours).to.have.lengthOf(20 + 5)
  })

  it('go on behind the cursor, wherever in its second the cursor is', async () => {
    const [lookBackMs, rangeSec] = [hourSec * 1000, hourSec + 1]
    const whole = factsOf(await chatsAt({ lookBackMs, rangeSec }).rangesUntil(1)).map(({ fact }) => fact.data)
    for (const [index, { blockNumber, blockAtMs }] of whole.entries()) {
      if (index % 10 > 0) continue
      const later = whole.filter((data) => data.blockAtMs > blockAtMs)
      const before = whole.filter((data) => data.blockAtMs >= blockAtMs)
      for (const [number, expected] of [
        [blockNumber - (blockNumber % numbersPerSec) - 1, before],
        [blockNumber - (blockNumber % numbersPerSec), later],
        [blockNumber - (blockNumber % numbersPerSec) + numbersPerSec - 1, later],
      ] as const) {
        const { rangesUntil } = chatsAt({ rangeSec })
        const ranges = await rangesUntil(1, { number, hash: '0x', atMs: blockAtMs })
        expect(factsOf(ranges).map(({ fact }) => fact.data)).to.deep.equal(expected)
      }
    }
  })

  it('are told to nobody who has stopped', async () => {
    const { chats } = chatsAt()
    for await (const _ of chats.source.ranges(null, known, AbortSignal.abort())) expect.fail('nobody listens')
    expect([chats.readPrice, chats.lookups, chats.source.kind]).to.deep.equal([null, [], 'simulated'])
  })
})
