/**
 * Predicts the gaps (missing trades) that ingest finds by reading the accounts of curves. Other gaps show in
 * the next trade, but after the last trade of a curve there is no next trade. So ingest reads the account of
 * each quiet curve.
 */
import type { OpenGap } from '../../../ingest/chain-b/repair/gap.ts'
import type { Repaired } from '../../../ingest/chain-b/repair/late-facts.ts'
import type { ChainBRange, MintFact } from '../../../ingest/chain-b/types.ts'
import type { Hex } from '../../../schemas/units.ts'

export type AccountLooks = Readonly<{
  /**
   * Returns the gaps that ingest stops trying to fill up to the newest block of the range. `lost` contains
   * the hashes of the transactions in the range that ingest did not get.
   */
  givenUp(range: ChainBRange, lost: ReadonlySet<Hex>): readonly Repaired[]
}>

/** The times at which ingest reads a curve's account, in milliseconds after the last trade that ingest got. */
const looksAfterMs = [30_000, 61 * 60_000]
/** The time from the account read that shows a gap until ingest stops trying to fill the gap. */
const givenUpAfterMs = 60_000

type Trade = Extract<MintFact['fact'], { type: 'CurveTraded' }>['data']

/**
 * The state of a curve. `heard` is the chain position of the newest fact that ingest got. `lost` are the
 * later trades that ingest did not get.
 */
type Curve = Readonly<{ heard: OpenGap['place']; slot: number; lost: readonly Trade[] }>

export function createAccountLooks(): AccountLooks {
  const curves = new Map<string, Curve>()

  const note = ({ key, fact }: MintFact, isLost: boolean) => {
    const curve = curves.get(key)
    // The account of a curve that has migrated is empty.
    if (fact.type === 'CurveMigrated') curves.delete(key)
    else if (fact.type === 'CurveTraded' && isLost) {
      if (curve) curves.set(key, { ...curve, lost: [...curve.lost, fact.data] })
    } else if (fact.type === 'CurveTraded' || fact.type === 'CurveLaunched')
      curves.set(key, { heard: fact.data, slot: fact.data.blockNumber, lost: [] })
  }

  return {
    givenUp({ facts, head }, lost) {
      for (const keyed of facts) note(keyed, lost.has(keyed.fact.data.txHash))
      return [...curves].flatMap(([key, curve]) => {
        const seen = seenBy(curve, head.atMs - givenUpAfterMs)
        if (seen === undefined) return []
        curves.delete(key)
        return [repairedOf(key, curve, seen)]
      })
    },
  }
}

/**
 * Returns the newest lost trade at the first read that shows a lost trade. If that read was after `beforeMs`,
 * it returns undefined.
 */
function seenBy({ heard, lost }: Curve, beforeMs: number): Trade | undefined {
  if (lost.length === 0) return undefined
  for (const afterMs of looksAfterMs) {
    const lookAtMs = heard.blockAtMs + afterMs
    const seen = lost.findLast(({ blockAtMs }) => blockAtMs <= lookAtMs)
    if (seen) return lookAtMs <= beforeMs ? seen : undefined
  }
  return undefined
}

function repairedOf(key: string, { heard, slot }: Curve, seen: Trade): Repaired {
  const reserves = { quoteRaw: seen.virtualQuoteRaw, tokenRaw: seen.virtualTokenRaw }
  return {
    gap: {
      key,
      place: heard,
      isFollowed: false,
      fromSlot: slot,
      toSlot: seen.blockNumber,
      from: reserves,
      to: reserves,
    },
    ...{ transactions: [], found: [], blocks: new Map(), lateCount: 0, failure: 'the node does not have it' },
  }
}
