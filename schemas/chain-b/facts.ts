/**
 * Facts of chain B, in the units of the chain. Topic `chain-b-facts`, keyed by the mint in base58. A block is
 * a slot, and `txHash` is the signature. `logIndex` is the number of the event in the transaction. `txHash`
 * and `logIndex` together identify a fact.
 */
import { type AvroValue, arrayOf, type EventOf, nullable, recordOf } from '../avro.ts'
import { type CallAnswer, callFactSchemas, isCallAnswer } from '../calls/facts.ts'
import { chainPlace } from '../chain-place.ts'
import { address, block, epochMs, quoteRaw, tokenRaw, txHash } from '../flavors.ts'
import { tick } from '../tick.ts'

/**
 * The fields of a late fact, null for all other facts. Ingest read a late fact when its slot was already
 * closed, too late to correct the log. So the place of the fact on the chain is the slot with which it was
 * published. `lateSlot` and `lateAtMs` are the slot and the time in which the fact happened. The reserves of
 * a late fact are older than those of the facts before it.
 */
const lateness = [
  { name: 'lateSlot', type: nullable(block), default: null },
  { name: 'lateAtMs', type: nullable(epochMs), default: null },
] as const

/** The quote coin of a curve or pool. If it is null, the coin is SOL, and all `quote…` amounts are lamports. */
const quoteMint = { name: 'quoteMint', type: nullable(address) } as const

/** In mayhem mode an agent trades at prices that do not follow the formula of the curve. */
const isMayhem = { name: 'isMayhem', type: 'boolean' } as const

/**
 * The reserves of a curve. The virtual reserves determine the price. The real reserves are the amounts that
 * the curve holds. `realTokenRaw` is the number of raw tokens left for sale, which is 0 when the curve is
 * complete.
 */
const curveReserves = [
  { name: 'virtualQuoteRaw', type: quoteRaw },
  { name: 'virtualTokenRaw', type: tokenRaw },
  { name: 'realQuoteRaw', type: quoteRaw },
  { name: 'realTokenRaw', type: tokenRaw },
] as const

/** A token was launched on a bonding curve. The reserves are those before the first trade. */
const curveLaunched = recordOf('CurveLaunched', [
  { name: 'curve', type: address },
  { name: 'launcher', type: address, doc: 'who launched it, usually the first buyer' },
  { name: 'creator', type: address, doc: 'who gets the creator fee; of some coins the launch program itself' },
  { name: 'name', type: 'string' },
  { name: 'symbol', type: 'string' },
  { name: 'supplyRaw', type: tokenRaw },
  ...curveReserves,
  quoteMint,
  isMayhem,
  ...lateness,
  ...chainPlace,
])

/**
 * The fees of a trade. `quoteRaw` does not include these fees. A buyer pays `quoteRaw` and all fees. A seller
 * gets `-quoteRaw` less all fees. A fee is zero if the event on the chain has no field for it.
 */
const fees = [
  { name: 'feeRaw', type: quoteRaw, doc: 'of the protocol' },
  { name: 'creatorFeeRaw', type: quoteRaw },
  { name: 'rewardsRaw', type: quoteRaw, doc: 'cashback and rewards of holders' },
] as const

/**
 * A trade on a curve. In a buy, `quoteRaw` > 0 is the amount paid in, without fees, and `tokenRaw` > 0 is the
 * tokens bought. In a sell, both are negative. The reserves are those after the trade. The virtual reserves
 * before the trade are `virtualQuoteRaw - quoteRaw` and `virtualTokenRaw + tokenRaw`.
 */
export const curveTraded = recordOf('CurveTraded', [
  { name: 'trader', type: address },
  { name: 'quoteRaw', type: quoteRaw },
  { name: 'tokenRaw', type: tokenRaw },
  ...curveReserves,
  ...fees,
  quoteMint,
  isMayhem,
  ...lateness,
  ...chainPlace,
])

/** The curve has sold all its tokens, so trading on the curve has ended. The pool does not exist yet. */
const curveCompleted = recordOf('CurveCompleted', [...lateness, ...chainPlace])

/**
 * The curve graduated: its liquidity was moved into its canonical pool. `poolQuoteRaw` and `poolTokenRaw` are
 * the reserves with which the pool opened.
 */
const curveMigrated = recordOf('CurveMigrated', [
  { name: 'pool', type: address },
  { name: 'poolQuoteRaw', type: quoteRaw },
  { name: 'poolTokenRaw', type: tokenRaw },
  { name: 'migrationFeeRaw', type: quoteRaw },
  quoteMint,
  ...lateness,
  ...chainPlace,
])

/**
 * A trade in the canonical pool of a graduated mint. The signs are the same as in `CurveTraded`. The reserves
 * are those after the trade. The price is `poolQuoteRaw / poolTokenRaw`. `poolQuoteRaw` includes
 * `virtualQuoteRaw`, an amount that the pool does not hold.
 */
export const poolTraded = recordOf('PoolTraded', [
  { name: 'trader', type: address },
  { name: 'quoteRaw', type: quoteRaw },
  { name: 'tokenRaw', type: tokenRaw },
  { name: 'poolQuoteRaw', type: quoteRaw },
  { name: 'poolTokenRaw', type: tokenRaw },
  { name: 'virtualQuoteRaw', type: quoteRaw, doc: 'may be negative' },
  { name: 'lpFeeRaw', type: quoteRaw, doc: 'stays in the pool' },
  ...fees,
  {
    name: 'isBeforeMigration',
    type: 'boolean',
    doc: 'true of the rest of a buy that completed the curve: it is priced by the pool that the curve goes into',
  },
  quoteMint,
  ...lateness,
  ...chainPlace,
])

/**
 * The state of a curve that ingest did not know at the time of a trade. Either the launch is not in the log,
 * or ingest had forgotten the curve. The trade follows this record and has the same place on the chain. The
 * reserves are those directly before the trade. A field is null if ingest could not read it from the curve's
 * account or oldest transaction.
 */
const curveFound = recordOf('CurveFound', [
  { name: 'curve', type: address },
  { name: 'creator', type: nullable(address) },
  { name: 'launchSlot', type: nullable(block) },
  { name: 'launchAtMs', type: nullable(epochMs) },
  { name: 'supplyRaw', type: nullable(tokenRaw) },
  ...curveReserves,
  quoteMint,
  isMayhem,
  ...chainPlace,
])

/**
 * Trades of the curve are missing before the next trade. The next trade follows this record and has the same
 * place on the chain. Its reserves do not continue those after the curve's last known trade, which is in slot
 * `lastSlot`. The amounts are the sums over the missing trades, with the signs of `CurveTraded`.
 */
const gapFound = recordOf('GapFound', [
  { name: 'lastSlot', type: block },
  { name: 'missingQuoteRaw', type: quoteRaw },
  { name: 'missingTokenRaw', type: tokenRaw },
  ...chainPlace,
])

/**
 * Ends the repair of a gap (missing trades of a curve). The trades of the gap that were read late come before
 * this record. `gapTxHash` and `gapLogIndex` identify the fact after the gap. Both are null if no fact
 * follows the gap, and the gap was found in the curve's account. In that case `txHash` and `logIndex`
 * identify the curve's last fact before the gap.
 */
const gapRepaired = recordOf('GapRepaired', [
  { name: 'gapTxHash', type: nullable(txHash) },
  { name: 'gapLogIndex', type: nullable('int') },
  { name: 'lateCount', type: 'int' },
  { name: 'isWhole', type: 'boolean', doc: 'whether the late trades add up to what was missing' },
  { name: 'failure', type: nullable('string'), doc: 'why it is not whole' },
  ...chainPlace,
])

/**
 * The largest token accounts of a mint, by amount, with their owners. Some of them have no real holder, for
 * example the curve, the pool and burn addresses. Exactly one of `holders` and `failure` is null.
 */
const holdersAnswered = recordOf('HoldersAnswered', [
  { name: 'questionId', type: 'string' },
  { name: 'revision', type: 'int' },
  {
    name: 'holders',
    type: nullable(
      arrayOf(
        recordOf('TokenHolder', [
          { name: 'owner', type: address },
          { name: 'tokenRaw', type: tokenRaw },
        ]),
      ),
    ),
  },
  { name: 'failure', type: nullable('string') },
  { name: 'answeredAtMs', type: epochMs },
])

/**
 * What an external provider of rug checks reports about a mint at the time of the answer. All values are
 * those of the provider, and `score` is on the provider's own scale. A field is null if the provider does not
 * give its value. If an authority is null, the mint has no such authority.
 */
const safetyReport = recordOf('SafetyReport', [
  { name: 'score', type: nullable('double') },
  { name: 'isRugged', type: nullable('boolean') },
  { name: 'mintAuthority', type: nullable(address), doc: 'who can mint more' },
  { name: 'freezeAuthority', type: nullable(address), doc: 'who can stop transfers' },
  { name: 'lpLockedShare', type: nullable('double'), doc: '0-1, in its deepest market; the curve is none' },
  {
    name: 'topHolderShare',
    type: nullable('double'),
    doc: '0-1 of the supply; the curve, its pool, markets and lockers are no holders',
  },
  {
    name: 'risks',
    type: arrayOf(
      recordOf('SafetyRisk', [
        { name: 'name', type: 'string' },
        { name: 'level', type: 'string' },
      ]),
    ),
  },
  {
    name: 'hasPool',
    type: nullable('boolean'),
    default: null,
    doc: 'it lists the pool of the mint, or markets without the curve; null: it gives no addresses of markets',
  },
])

/** The answer to a `SafetyAsked` request for a rug check. Exactly one of `report` and `failure` is null. */
const safetyAnswered = recordOf('SafetyAnswered', [
  { name: 'questionId', type: 'string' },
  { name: 'revision', type: 'int' },
  { name: 'provider', type: 'string', doc: 'its host' },
  { name: 'report', type: nullable(safetyReport) },
  { name: 'failure', type: nullable('string') },
  { name: 'answeredAtMs', type: epochMs },
])

export const chainBFactSchemas = {
  CurveLaunched: curveLaunched,
  CurveTraded: curveTraded,
  CurveCompleted: curveCompleted,
  CurveMigrated: curveMigrated,
  PoolTraded: poolTraded,
  CurveFound: curveFound,
  GapFound: gapFound,
  GapRepaired: gapRepaired,
  HoldersAnswered: holdersAnswered,
  SafetyAnswered: safetyAnswered,
  Tick: tick,
  ...callFactSchemas,
} as const

export type CurveLaunched = AvroValue<typeof curveLaunched>
export type CurveTraded = AvroValue<typeof curveTraded>
export type PoolTraded = AvroValue<typeof poolTraded>
export type CurveMigrated = AvroValue<typeof curveMigrated>
export type CurveFound = AvroValue<typeof curveFound>
export type GapFound = AvroValue<typeof gapFound>
export type GapRepaired = AvroValue<typeof gapRepaired>

export type ChainBRecord = EventOf<typeof chainBFactSchemas>
/**
 * The facts that do not belong to a slot. These are the answers to requests for lookups, and facts from
 * chats.
 */
export type ChainBAnswer = Extract<ChainBRecord, { type: 'HoldersAnswered' | 'SafetyAnswered' }> | CallAnswer
export type HoldersAnswer = Extract<ChainBAnswer, { type: 'HoldersAnswered' }>
export type SafetyAnswer = Extract<ChainBAnswer, { type: 'SafetyAnswered' }>
/** A fact of a slot. */
export type ChainBFact = Exclude<ChainBRecord, { type: 'Tick' } | ChainBAnswer>
/**
 * A fact from a transaction of the chain. Ingest adds other facts to a slot: `CurveFound`, `GapFound` and
 * `GapRepaired`.
 */
export type ChainBEvent = Extract<
  ChainBFact,
  { type: 'CurveLaunched' | 'CurveTraded' | 'CurveCompleted' | 'CurveMigrated' | 'PoolTraded' }
>

export const isAnswer = <R extends Readonly<{ type: string }>>(
  record: R,
): record is Extract<R, { type: ChainBAnswer['type'] }> =>
  record.type === 'HoldersAnswered' || record.type === 'SafetyAnswered' || isCallAnswer(record)
