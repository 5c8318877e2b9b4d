/**
 * Derives the records of chain B a second time by brute force, from the rules in words and without code of
 * the service. Requests for the holders of a mint are left out, because their revision is a digest that only
 * the service computes.
 */
import type { ChainBDerived, GraduationPost } from '../../../../schemas/chain-b/derived.ts'
import { anatomyOf } from './anatomy.ts'
import { burstsOf, type OracleBurst } from './bursts.ts'
import { graduationOf, type OracleGraduation } from './graduations.ts'
import { type OracleOutcome, outcomeOf } from './outcomes.ts'
import type { Rules } from './rules.ts'
import { type LoggedRecord, type MintStory, storiesIn } from './stories.ts'

export type OracleRow = Readonly<{ token: string; record: ChainBDerived }>

export const recordsIn = (log: readonly LoggedRecord[], rules: Rules): readonly OracleRow[] =>
  storiesIn(log, rules).flatMap((story) => recordsOf(story, rules).map((record) => ({ token: story.mint, record })))

function recordsOf(story: MintStory, rules: Rules): readonly ChainBDerived[] {
  const bursts = burstsOf(story, rules)
  const graduation = graduationOf(story, bursts, rules)
  const posts = graduation === null ? [] : postsOf(graduation)
  const { closedAtMs, opening } = story
  const closed = { openedAtMs: opening.data.blockAtMs, closedAtMs: closedAtMs ?? Number.NaN }
  return [
    openedOf(story),
    ...bursts.flatMap((burst) => recordsOfBurst(story, burst, rules)),
    ...(graduation === null ? [] : [recordOfGraduation(story, graduation)]),
    ...posts.map((data): ChainBDerived => ({ type: 'GraduationPost', data })),
    ...posts.slice(0, 1).map(({ anchorAtMs }) => safetyAskedAt(story, anchorAtMs, 'graduation')),
    ...(closedAtMs === null ? [] : [{ type: 'MintClosed', data: closed } as const]),
  ]
}

function recordsOfBurst(story: MintStory, burst: OracleBurst, rules: Rules): readonly ChainBDerived[] {
  const { atMs, slot, signalTrade, inflowLamports, fillFrom, fillAt } = burst
  const anatomy = anatomyOf(story, burst, rules)
  const outcome = outcomeOf(story, burst, rules)
  const data = {
    ...{ atMs, slot, slotHash: signalTrade.blockHash, launchAtMs: story.launchAtMs ?? Number.NaN, inflowLamports },
    ...{ windowSec: rules.windowMs / 1000, fillFrom, fillAt, virtualSol: Number(signalTrade.virtualQuoteRaw) / 1e9 },
  }
  return [
    { type: 'Burst', data },
    safetyAskedAt(story, atMs, 'burst'),
    ...(anatomy ? [{ type: 'BurstAnatomy', data: { atMs, ...anatomy, wallets: [...anatomy.wallets] } } as const] : []),
    ...(outcome ? [recordOfOutcome(atMs, outcome)] : []),
  ]
}

function recordOfOutcome(atMs: number, { completion, lastRet, peakRet, ...its }: OracleOutcome): ChainBDerived {
  const rets = completion === null ? { gradRet: null, ret20m: lastRet } : { gradRet: lastRet, ret20m: null }
  const ruleRet = its.exits[0]?.ret ?? Number.NaN
  return {
    type: 'BurstOutcome',
    data: { atMs, completedAtMs: completion?.atMs ?? null, peakRet, ...rets, ruleRet, ...its, exits: [...its.exits] },
  }
}

function recordOfGraduation({ launchAtMs }: MintStory, { atMs, slot, path, burst }: OracleGraduation): ChainBDerived {
  const before = burst && { atMs: burst.atMs, inflowLamports: burst.inflowLamports, fillAt: burst.fillAt }
  const points = path.map(([beforeSec, fill]) => ({ beforeSec, fill }))
  return { type: 'Graduation', data: { gradAtMs: atMs, slot, launchAtMs, path: points, burst: before } }
}

/**
 * Returns all versions of the record in order. The first version has no returns, and each later version has
 * one more known return.
 */
function postsOf({ atMs: gradAtMs, post }: OracleGraduation): readonly GraduationPost[] {
  if (post === null) return []
  const { anchorAtMs, rets } = post
  const known = rets.indexOf(null)
  return Array.from({ length: (known === -1 ? rets.length : known) + 1 }, (_, count) => {
    const [ret1 = null, ret5 = null, ret15 = null] = rets.slice(0, count)
    return { gradAtMs, anchorAtMs, ret1, ret5, ret15 }
  })
}

const safetyAskedAt = ({ mint }: MintStory, atMs: number, reason: 'burst' | 'graduation'): ChainBDerived => ({
  type: 'SafetyAsked',
  data: { questionId: `${mint}:${atMs}:${reason}`, revision: 0, atMs, reason },
})

function openedOf({ opening, launchAtMs }: MintStory): ChainBDerived {
  const { curve, creator, quoteMint, isMayhem, blockAtMs: openedAtMs, blockNumber } = opening.data
  const isLaunch = opening.type === 'CurveLaunched'
  const launchSlot = isLaunch ? blockNumber : opening.data.launchSlot
  const names = isLaunch
    ? { launcher: opening.data.launcher, name: opening.data.name, symbol: opening.data.symbol }
    : { launcher: null, name: null, symbol: null }
  return {
    type: 'MintOpened',
    data: { openedAtMs, curve, creator, quoteMint, isMayhem, launchSlot, launchAtMs, ...names },
  }
}
