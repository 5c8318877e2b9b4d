/** Compares a stage's records about the posts on a token with the result of an independent recount. */
import { expect } from 'chai'
import type { Call, CallScored, Precall, PrecallBuyers } from '../../../schemas/calls/derived.ts'
import type { ChainAFact } from '../../../schemas/chain-a/facts.ts'
import type { StageRecord } from '../../../schemas/stage.ts'
import type { Hex } from '../../../schemas/units.ts'
import { alignDoubles } from '../../support/oracle/align-doubles.ts'
import { type Counted, seenUntilMs, watchesOf } from '../../support/oracle/calls/posts.ts'
import { buyersOf, buysOf, precallOf, untrackedPrecall } from '../../support/oracle/calls/precall.ts'
import { keptFromMs, keptMarkets, rowsOf, scoresOf, type Told } from '../../support/oracle/calls/watch.ts'

export const dataOf = <Data>(records: readonly StageRecord[], type: string): readonly Data[] =>
  records.flatMap((record) => (record.type === type ? [record.data as Data] : []))

/** Returns the last version of each row, in the order of the first versions. */
const callsIn = (records: readonly StageRecord[]): readonly Call[] => [
  ...new Map(dataOf<Call>(records, 'Call').map((call) => [call.calledAtMs, call])).values(),
]

export function expectCalls(records: readonly StageRecord[], told: Told): void {
  expectRows(
    callsIn(records).map((row) => ({ ...row, isFirst: false })),
    rowsOf(told).map((row) => ({ ...row, isFirst: false })),
  )
  const scores = scoresOf(told).map(({ mention, tick: _, ...score }) => {
    const { postedAtMs, chat, post, chatName, poster, tokenCount } = mention
    return { postedAtMs, chat, post, chatName, poster, tokenCount, ...score }
  })
  expectRows(inOrder(dataOf<CallScored>(records, 'CallScored')), inOrder(scores))
}

function expectRows(said: readonly object[], counted: readonly object[]): void {
  expect(alignDoubles(said, counted)).to.deep.equal(counted)
}

const inOrder = (scores: readonly Pick<CallScored, 'postedAtMs' | 'chat' | 'post'>[]): readonly object[] =>
  [...scores].sort(
    (one, other) => one.postedAtMs - other.postedAtMs || one.chat.localeCompare(other.chat) || one.post - other.post,
  )

/** A post gets no past prices if the stage handles it later than this after the post, by the time of the blocks. */
const pastMs = 900_000

/** Who sent a transaction. */
export type Senders = ((txHash: string) => Hex | null) | 'failed' | 'too late'
type Bought = Readonly<{ facts: readonly ChainAFact[]; senders: Senders }>

type Counting = Readonly<{ precall: object; buyers: readonly object[] }>

/** Compares the records about the time before each call. Only chain A has these records. */
export function expectPrecalls(records: readonly StageRecord[], told: Told, { facts, senders }: Bought): void {
  const { rules } = told
  const all = { markets: keptMarkets(told), all: buysOf(facts), rules }
  const counted = watchesOf(told).flatMap(([first]): readonly Counting[] => {
    if (first === undefined || first.mention.hasCode === false) return []
    const { postedAtMs } = first.mention
    const tracked = isPastKnown(told, first) ? precallOf(all, postedAtMs) : null
    if (tracked === null) return untrackedIn(told, first).map((precall) => ({ precall, buyers: [] }))
    return [{ precall: tracked, buyers: buyersFor(senders, (senderOf) => buyersOf(all, postedAtMs, senderOf)) }]
  })
  expectRows(
    dataOf<Precall>(records, 'Precall'),
    counted.map(({ precall }) => precall),
  )
  const said = dataOf<PrecallBuyers>(records, 'PrecallBuyers').map(
    ({ wallets, sameBlockWallets, walletList, flags }) => ({
      ...{ wallets, sameBlockWallets, walletList, isCluster: flags.includes('cluster') },
    }),
  )
  expectRows(
    said,
    counted.flatMap(({ buyers }) => buyers),
  )
}

const isPastKnown = (told: Told, post: Counted): boolean => {
  const { postedAtMs } = post.mention
  const isInTime = seenUntilMs(told.tickAtMs, post) - postedAtMs <= pastMs
  return isInTime && postedAtMs - told.rules.runMs >= keptFromMs(told, post)
}

/**
 * Returns the record for a post whose past prices the stage does not have. The record comes with the answer
 * of the price lookup for the time of the post. If the past cannot be known any more, it comes at once.
 */
function untrackedIn(told: Told, post: Counted): readonly object[] {
  const { rules } = told
  const { postedAtMs } = post.mention
  if (!isPastKnown(told, post)) return [untrackedPrecall(postedAtMs, null, rules)]
  const answer = told.answerTo(postedAtMs, post.tick)?.answer
  if (answer === undefined) return []
  const isSoon = answer.answeredAtMs - postedAtMs <= rules.askedAnchorMs
  return [untrackedPrecall(postedAtMs, isSoon ? (answer.price?.change1h ?? null) : null, rules)]
}

const unknownBuyers = { wallets: null, sameBlockWallets: null, walletList: [], isCluster: false }

function buyersFor(senders: Senders, counted: (senderOf: (txHash: string) => Hex | null) => object): readonly object[] {
  if (senders === 'too late') return []
  return [senders === 'failed' ? unknownBuyers : counted(senders)]
}
