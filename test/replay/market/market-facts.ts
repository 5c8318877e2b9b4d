/** Builds a small log of simulated trades. With this log, the real stage publishes records of all kinds. */
import { createTestDriver } from '../../../processors/runtime/test-driver.ts'
import type { TokenOutput } from '../../../processors/runtime/token-entry.ts'
import { chainA } from '../../../processors/stages.ts'
import type { ChainADerived, OwnersAsked, SendersAsked } from '../../../schemas/chain-a/derived.ts'
import { type ChainAAnswer, type ChainAFact, isAnswer } from '../../../schemas/chain-a/facts.ts'
import type { ChainATypes } from '../../../schemas/chain-a/stage.ts'
import type { Hex } from '../../../schemas/units.ts'
import {
  buildAddress,
  buildHash,
  buildOwnersAnswered,
  buildPoolCreated,
  buildSendersAnswered,
  buildSwap,
  buildTick,
  second,
} from '../../support/builders/build-facts.ts'
import { buildPriceAnswer } from '../../support/builders/build-mentions.ts'
import type { KeyedRecord } from '../keyed-record.ts'
import { createDraw, type Draw } from './draw.ts'
import { curveOf } from './market-curve.ts'
import { liquidityOf, mintedTo } from './market-liquidity.ts'
import { withPosts } from './posts.ts'

type Trade = Readonly<{ atSecond: number; eth: number }>

/**
 * Draws two hours of slow trading with two or three runs of buys. The runs are so far apart that each can
 * fire a burst.
 */
function tradesOf(draw: Draw, openedSecond: number): Trade[] {
  const trades: Trade[] = []
  for (let at = openedSecond + 5; at < openedSecond + 7200; at += 20 + draw(90))
    trades.push({ atSecond: at, eth: draw(3) === 0 ? -0.02 : 0.01 + draw(5) / 100 })
  for (let start = openedSecond + 310 + draw(600); start < openedSecond + 6000; start += 1800 + draw(1500))
    for (let buy = 0; buy < 12 + draw(10); buy++)
      trades.push({ atSecond: start + draw(45), eth: draw(9) === 0 ? -0.05 : 0.08 + draw(4) / 50 })
  return trades
}

/**
 * Builds the facts and ticks of one partition, without answers. Each second with a trade is a block, and most
 * blocks have a tick.
 */
function tradedFacts(seed: number, tokenCount: number): KeyedRecord<ChainATypes>[] {
  const draw = createDraw(seed)
  const bySecond = new Map<number, { token: Hex; make: (blockAtMs: number) => ChainAFact }[]>()
  const at = (atSecond: number, token: Hex, make: (blockAtMs: number) => ChainAFact) =>
    bySecond.set(atSecond, [...(bySecond.get(atSecond) ?? []), { token, make }])
  for (let index = 0; index < tokenCount; index++) {
    const token = buildAddress(0x100 + index)
    const pool = buildHash(0x200 + index)
    const openedSecond = 1 + draw(400)
    at(openedSecond, token, (blockAtMs) => buildPoolCreated({ pool, token, blockAtMs, txSender: mintedTo(index) }))
    for (const { atSecond, make } of liquidityOf(createDraw(1000 * seed + index), { openedSecond, pool }))
      at(atSecond, token, make)
    for (const { atSecond, eth } of tradesOf(draw, openedSecond)) {
      const px = (1 + draw(100) / 100) * 1e-9
      at(atSecond, token, (blockAtMs) => buildSwap({ pool, eth, px, blockAtMs }))
    }
  }
  for (let index = 0; index < curveCount; index++)
    for (const { atSecond, make } of curveOf(createDraw(77 * seed + index), index))
      at(atSecond, buildAddress(0x180 + index), make)
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
  // Late ticks let all timers expire. Outcomes expire after half an hour, pools after a day and a half, and
  // curves after a week.
  return [...records, ...[60, 2400, 100_000, 700_000].map((later) => ticks(end + later))]
}

/** The number of curves in addition to the pools. Each curve has its own token. */
const curveCount = 2

function createTicks(): (atSecond: number) => KeyedRecord<ChainATypes> {
  let seq = 0
  return (atSecond) => ({
    key: 'tick',
    record: { type: 'Tick', data: buildTick({ seq: ++seq, blockAtMs: second(atSecond) }) },
  })
}

/**
 * Builds the simulated trades with lookup answers. Each request is answered three ticks later, and every
 * fifth lookup fails.
 */
export function marketFacts(
  seed: number,
  tokenCount = 3,
  { hasPosts = false } = {},
): readonly KeyedRecord<ChainATypes>[] {
  const traded = tradedFacts(seed, tokenCount)
  const records = hasPosts ? withPosts(traded, { seed, untracked: buildAddress(0x1ff) }) : traded
  const questions = questionsByTick(records)
  return records.flatMap((keyed) => {
    if (keyed.record.type !== 'Tick') return [keyed]
    return [...(questions.get(keyed.record.data.seq - 3) ?? []).map(answerTo), keyed]
  })
}

/** A question that the stage asks a lookup. */
export type Question = Readonly<{
  token: string
  asked: Extract<ChainADerived, { type: (typeof questionTypes)[number] }>
}>

const questionTypes = ['SendersAsked', 'OwnersAsked', 'PrecallSendersAsked', 'PriceAsked'] as const
const isQuestion = (record: ChainADerived): record is Question['asked'] =>
  questionTypes.some((type) => type === record.type)

export const questionsIn = (outputs: Iterable<TokenOutput<ChainADerived>>): Question[] =>
  [...outputs].flatMap(({ token, record }) => (isQuestion(record) ? [{ token, asked: record }] : []))

function questionsByTick(records: readonly KeyedRecord<ChainATypes>[]): Map<number, Question[]> {
  const driver = createTestDriver(chainA)
  const questions = new Map<number, Question[]>()
  for (const { key, record } of records)
    if (record.type === 'Tick')
      questions.set(record.data.seq, questionsIn(driver.tick(record.data.blockAtMs, record.data)))
    else if (isAnswer(record)) driver.answer(key, record)
    else driver.fact(key, record)
  return questions
}

export function answerTo({ token, asked }: Question): KeyedRecord<ChainATypes> {
  return { key: token, record: recordFor(asked) }
}

function recordFor(asked: Question['asked']): ChainAAnswer {
  if (asked.type === 'OwnersAsked') return ownersOf(asked.data)
  if (asked.type === 'PriceAsked') return buildPriceAnswer(asked.data.questionId, isFailed(asked.data) ? null : 2)
  return sendersOf(asked.type === 'SendersAsked' ? asked.data : { ...asked.data, pool: '0x' })
}

const isFailed = ({ atMs }: Readonly<{ atMs: number }>): boolean => atMs % 5000 === 0

function sendersOf(asked: Omit<SendersAsked, 'tier'>): ChainAAnswer {
  const { questionId, revision, pool, txHashes } = asked
  const senders = txHashes.map((txHash, index) => ({ txHash, sender: buildAddress(0x900 + (index % 7)) }))
  const outcome = isFailed(asked) ? { senders: null, failure: 'node_unreachable' } : { senders, failure: null }
  return buildSendersAnswered({ questionId, revision, pool, ...outcome })
}

/**
 * Answers that each position NFT belongs to the wallet to which it was minted. This is wrong for NFTs that
 * were transferred later.
 */
function ownersOf(asked: OwnersAsked): ChainAAnswer {
  const { questionId, revision, pool, positionIds } = asked
  const owners = positionIds.map((positionId) => ({ positionId, owner: mintedTo(Number(BigInt(positionId))) }))
  const outcome = isFailed(asked) ? { owners: null, failure: 'node_unreachable' } : { owners, failure: null }
  return buildOwnersAnswered({ questionId, revision, pool, ...outcome })
}
