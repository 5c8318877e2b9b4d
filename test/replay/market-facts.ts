/** A small market that makes the real stage speak: pools open, trade, burst, burst again, are answered and leave. */
import { createTestDriver } from '../../processors/runtime/test-driver.ts'
import type { Token } from '../../processors/runtime/token-book.ts'
import { chainATopology } from '../../processors/topology.ts'
import type { SendersAsked } from '../../schemas/chain-a/derived.ts'
import type { ChainAFact, Tick } from '../../schemas/chain-a/facts.ts'
import {
  buildAddress,
  buildHash,
  buildPoolCreated,
  buildSendersAnswered,
  buildSwap,
  buildTick,
  second,
} from '../support/build-facts.ts'
import type { KeyedRecord } from './recut.ts'

type Draw = (below: number) => number

/** A linear congruential generator: equal seeds, equal markets, on every machine. */
function createDraw(seed: number): Draw {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

type Trade = Readonly<{ atSecond: number; eth: number }>

/** Idle trading for two hours, with two or three runs of buys, the later ones far enough apart to fire again. */
function tradesOf(draw: Draw, openedSecond: number): Trade[] {
  const trades: Trade[] = []
  for (let at = openedSecond + 5; at < openedSecond + 7200; at += 20 + draw(90))
    trades.push({ atSecond: at, eth: draw(3) === 0 ? -0.02 : 0.01 + draw(5) / 100 })
  for (let start = openedSecond + 310 + draw(600); start < openedSecond + 6000; start += 1800 + draw(1500))
    for (let buy = 0; buy < 12 + draw(10); buy++)
      trades.push({ atSecond: start + draw(45), eth: draw(9) === 0 ? -0.05 : 0.08 + draw(4) / 50 })
  return trades
}

/** One partition's facts and ticks, without answers: a block for each second that has a trade, a tick behind most blocks. */
function tradedFacts(seed: number, tokenCount: number): KeyedRecord[] {
  const draw = createDraw(seed)
  const bySecond = new Map<number, { token: Token; make: (blockAtMs: number) => ChainAFact }[]>()
  const at = (atSecond: number, token: Token, make: (blockAtMs: number) => ChainAFact) =>
    bySecond.set(atSecond, [...(bySecond.get(atSecond) ?? []), { token, make }])
  for (let index = 0; index < tokenCount; index++) {
    const token = buildAddress(0x100 + index)
    const pool = buildHash(0x200 + index)
    const openedSecond = 1 + draw(400)
    at(openedSecond, token, (blockAtMs) => buildPoolCreated({ pool, token, blockAtMs }))
    for (const { atSecond, eth } of tradesOf(draw, openedSecond)) {
      const px = (1 + draw(100) / 100) * 1e-9
      at(atSecond, token, (blockAtMs) => buildSwap({ pool, eth, px, blockAtMs }))
    }
  }
  const seconds = [...bySecond.keys()].sort((left, right) => left - right)
  const ticks = createTicks()
  const records = seconds.flatMap((atSecond) => {
    const facts = (bySecond.get(atSecond) ?? []).map(({ token, make }) => ({
      key: token,
      record: make(second(atSecond)),
    }))
    return draw(4) === 0 ? facts : [...facts, ticks(atSecond)]
  })
  const end = seconds.at(-1) ?? 0
  // Everything runs out: outcomes after half an hour, pools after a day and a half.
  return [...records, ...[60, 2400, 100_000].map((later) => ticks(end + later))]
}

function createTicks(): (atSecond: number) => KeyedRecord {
  let seq = 0
  return (atSecond) => ({
    key: 'tick',
    record: { type: 'Tick', data: buildTick({ seq: ++seq, blockAtMs: second(atSecond) }) },
  })
}

/** The same with each question answered some ticks after it was asked, as a lookup would; every fifth lookup fails. */
export function marketFacts(seed: number, tokenCount = 3): readonly KeyedRecord[] {
  const records = tradedFacts(seed, tokenCount)
  const questions = questionsByTick(records)
  return records.flatMap((keyed) => {
    if (keyed.record.type !== 'Tick') return [keyed]
    return [...(questions.get(keyed.record.data.seq - 3) ?? []).map(answerTo), keyed]
  })
}

export type Question = Readonly<{ token: Token; asked: SendersAsked }>

function questionsByTick(records: readonly KeyedRecord[]): Map<number, Question[]> {
  const driver = createTestDriver(chainATopology)
  const asked = (tick: Tick): Question[] =>
    driver
      .tick(tick.blockAtMs, tick)
      .flatMap(({ token, record }) => (record.type === 'SendersAsked' ? [{ token, asked: record.data }] : []))
  const questions = new Map<number, Question[]>()
  for (const { key, record } of records)
    if (record.type === 'Tick') questions.set(record.data.seq, asked(record.data))
    else if (record.type !== 'SendersAnswered') driver.fact(key as Token, record)
  return questions
}

export function answerTo({ token, asked }: Question): KeyedRecord {
  const { questionId, revision, pool, txHashes, atMs } = asked
  const isFailed = atMs % 5000 === 0
  const senders = txHashes.map((txHash, index) => ({ txHash, sender: buildAddress(0x900 + (index % 7)) }))
  const outcome = isFailed ? { senders: null, failure: 'node_unreachable' } : { senders, failure: null }
  return { key: token, record: buildSendersAnswered({ questionId, revision, pool, ...outcome }) }
}
