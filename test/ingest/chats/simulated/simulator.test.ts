import { expect } from 'chai'
import fc from 'fast-check'
import { createTokenHistories as createChainATales } from '../../../../ingest/chain-a/simulated/token-histories.ts'
import { createTokenHistories as createChainBTales } from '../../../../ingest/chain-b/simulated/token-histories.ts'
import { createCast } from '../../../../ingest/chats/simulated/cast.ts'
import { createSimulatedChats, type SimulatedChatsOptions } from '../../../../ingest/chats/simulated/simulator.ts'
import type { ChatRange } from '../../../../ingest/chats/types.ts'
import { type TokenHistory, winsAfter } from '../../../../ingest/simulated/token-history.ts'
import type { Block } from '../../../../schemas/stage.ts'

const seed = 7
const fromMs = Date.UTC(2026, 10, 1, 12)
const hourMs = 3_600_000
const markets = [createChainATales({ seed }), createChainBTales({ seed })]
const known = {
  book: null,
  blocksFrom: async () => [],
  factIdsFrom: async () => new Map(),
  factsFrom: async () => [],
}

async function rangesOf(options: Partial<SimulatedChatsOptions> = {}, cursor: Block | null = null) {
  const { toMs } = options.span ?? { toMs: fromMs + hourMs }
  const chats = createSimulatedChats({ seed, markets, nowMs: () => toMs, span: { fromMs, toMs }, ...options })
  const ranges: ChatRange[] = []
  for await (const range of chats.source.ranges(cursor, known, new AbortController().signal)) ranges.push(range)
  return ranges
}

const factsOf = (ranges: readonly ChatRange[]) => ranges.flatMap(({ facts }) => facts)

describe('simulated chats', () => {
  it('say the same whatever the length of the ranges, and after a restart behind any of them', async () => {
    const few = { callsPerHour: 40 }
    const whole = factsOf(await rangesOf(few))
    expect(whole.length).to.be.greaterThan(60)
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 900 }), fc.nat(3000), async (rangeSec, stopAt) => {
        const ranges = await rangesOf({ ...few, rangeSec })
        const before = ranges.slice(0, 1 + (stopAt % ranges.length))
        const after = await rangesOf({ ...few, rangeSec }, before.at(-1)?.head ?? null)
        expect(factsOf([...before, ...after])).to.deep.equal(whole)
      }),
      { numRuns: 4 },
    )
  })

  it('number what they say in rising order, in the time of its second', async () => {
    let last = 0
    for (const range of await rangesOf({ rangeSec: 60 })) {
      for (const { key, fact } of range.facts) {
        expect(fact.data.blockNumber).to.be.greaterThan(last)
        expect(key).to.equal(fact.data.chat)
        last = fact.data.blockNumber
      }
      expect(range.head.number).to.be.at.least(last)
      last = range.head.number
    }
  })

  it('are about tokens of both markets: callers of higher skill call winners more often', async () => {
    const { callers } = createCast({ seed, callers: 120 })
    const skills = new Map(callers.filter(({ manner }) => manner === 'honest').map((each) => [each.poster, each.skill]))
    const hours = Array.from({ length: 6 }, (_, index) => Math.floor(fromMs / hourMs) + index - 1)
    const histories = new Map<string, TokenHistory>(
      markets.flatMap((historiesOf) => hours.flatMap(historiesOf)).map((history) => [history.token, history]),
    )
    const facts = factsOf(await rangesOf({ span: { fromMs, toMs: fromMs + 4 * hourMs } })).map(({ fact }) => fact)
    const posts = facts.filter((fact) => fact.type === 'PostSeen').map(({ data }) => data)
    const calls = posts.flatMap(({ poster, text, postedAtMs, origin }) => {
      const token = [...histories.keys()].find((each) => text === each || text.endsWith(`CA: ${each}`))
      const skill = skills.get(poster)
      if (origin !== null || token === undefined || skill === undefined) return []
      return [{ token, skill, wins: winsAfter(histories.get(token)?.prices() ?? [], postedAtMs / 1000) }]
    })
    expect(new Set(calls.map(({ token }) => token.startsWith('0x')))).to.deep.equal(new Set([true, false]))
    const [able, unable] = [calls.filter(({ skill }) => skill > 0.35), calls.filter(({ skill }) => skill <= 0.35)]
    expect(Math.min(able.length, unable.length)).to.be.greaterThan(40)
    const rateOf = (some: typeof calls) => some.filter(({ wins }) => wins).length / some.length
    expect(rateOf(able)).to.be.greaterThan(2 * rateOf(unable))
  })

  it('have posts that are edited, deleted, forwarded, answered by bots, and said in private', async () => {
    const facts = factsOf(await rangesOf({ span: { fromMs, toMs: fromMs + 3 * hourMs } })).map(({ fact }) => fact)
    const seen = facts.filter((fact) => fact.type === 'PostSeen').map(({ data }) => data)
    const bots = new Set(seen.flatMap(({ posterName }) => posterName ?? []))
    expect([...bots].sort()).to.deep.equal(['RickBurpBot', 'phanes_bot', 'soul_scanner_bot'])
    expect(facts.some(({ type }) => type === 'PostsDeleted')).to.equal(true)
    expect(facts.some((fact) => fact.type === 'PostEdited' && fact.data.posterName === null)).to.equal(true)
    expect(seen.some(({ origin }) => origin !== null)).to.equal(true)
    expect(seen.some(({ chatName }) => chatName === null)).to.equal(true)
    expect(seen.some(({ buttons }) => buttons.length > 0)).to.equal(true)
  })

  it('that could not be reached are a gap of each chat, with its posts read late and no edit or deletion of then', async () => {
    const outage = { fromMs: fromMs + 600_000, toMs: fromMs + 1_800_000 }
    const span = { fromMs, toMs: fromMs + hourMs }
    const usual = factsOf(await rangesOf({ span })).map(({ fact }) => fact)
    const facts = factsOf(await rangesOf({ span, outage })).map(({ fact }) => fact)
    const isDuring = ({ blockAtMs }: { blockAtMs: number }) => blockAtMs >= outage.fromMs && blockAtMs < outage.toMs
    expect(facts.filter(({ data }) => isDuring(data))).to.deep.equal([])
    const gaps = facts.filter((fact) => fact.type === 'ChatGapFound').map(({ data }) => data)
    expect(gaps).to.have.lengthOf(createCast({ seed, callers: 120 }).chats.length)
    for (const gap of gaps)
      expect(gap).to.include({ fromAtMs: outage.fromMs, toAtMs: outage.toMs, blockAtMs: outage.toMs })
    const late = facts.filter((fact) => fact.type === 'PostSeen' && fact.data.isLate).map(({ data }) => data)
    const missed = usual.filter((fact) => fact.type === 'PostSeen' && isDuring(fact.data)).map(({ data }) => data)
    const names = (posts: typeof late) => posts.map((data) => ('post' in data ? `${data.chat}:${data.post}` : ''))
    expect(names(late)).to.deep.equal(names(missed))
    for (const { blockAtMs } of late) expect(blockAtMs).to.equal(outage.toMs)
    const behind = (list: typeof facts) =>
      list.filter((fact) => fact.data.blockAtMs > outage.toMs).map(({ data: { blockAtMs }, type }) => [type, blockAtMs])
    expect(behind(facts)).to.deep.equal(behind(usual))
  })
})
