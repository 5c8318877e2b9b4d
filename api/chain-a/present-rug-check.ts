/** Table rows → the rug check of a token, and the crews. */
import type { CrewRow, CurveRow, ProfileRow, RugCheckRow } from '../../projections/chain-a/queries/chain-a-views.ts'
import type { StageCut as Cut } from '../../projections/cuts.ts'
import type { LpClass } from '../../schemas/chain-a/derived.ts'
import type { Crew, LaunchCurveAnswer, RugProfile } from '../../schemas/chain-a/resources.ts'

const minuteMs = 60_000

/** The riskiest first: what one pool is, the token is. */
const byRisk: readonly LpClass[] = ['held', 'unknown', 'empty', 'safe']

/** On the curve it is the curve; with no profiled pool (v3 alone) nothing is known of who holds the liquidity. */
export function tokenClassOf({ classes, curve }: RugCheckRow): LpClass | 'launchpad-curve' {
  if (curve !== null) return 'launchpad-curve'
  return byRisk.find((risk) => classes.includes(risk)) ?? 'unknown'
}

/** What the list of pools leaves out. */
export function noteOf({ profiles, v4PoolCount, v3PoolCount, curve }: RugCheckRow): string | undefined {
  if (curve !== null) {
    const elsewhere = v4PoolCount + v3PoolCount
    return elsewhere === 0
      ? undefined
      : `The token is still on its curve. Not shown: ${counted(elsewhere, 'pool')} made for it elsewhere in the last 24 h.`
  }
  const notes: string[] = []
  if (v4PoolCount > profiles.length)
    notes.push(
      `The token has ${counted(v4PoolCount, 'v4 pool')} of the last 24 h: \`class\` is that of the riskiest of all, \`pools\` are the ${profiles.length} with the most ETH at their last swap.`,
    )
  if (v3PoolCount > 0) notes.push(`Not shown: ${counted(v3PoolCount, 'v3 pool')}, whose liquidity is not profiled.`)
  return notes.length > 0 ? notes.join(' ') : undefined
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

export const presentProfile = (row: ProfileRow, token: string): RugProfile => ({
  pool: row.pool,
  token,
  dex: 'v4',
  poolAgeMin: (row.checkedAtMs - row.createdAtMs) / minuteMs,
  checkedAt: row.checkedAtMs,
  block: row.blockNumber,
  class: row.class,
  insiderShare: row.insiderShare,
  burnedShare: row.burnedShare,
  contractShare: row.contractShare,
  otherShare: row.otherShare,
  unknownShare: row.unknownShare,
  lpAgeMin: row.firstAddAtMs === null ? 0 : (row.checkedAtMs - row.firstAddAtMs) / minuteMs,
  lpAdds: row.lpAdds,
  creator: row.creator,
})

export const presentCurve = (row: CurveRow, { coinPrice }: Cut): LaunchCurveAnswer => ({
  curve: row.curve,
  graduated: row.isCompleted,
  symbol: row.symbol,
  creator: row.creator,
  launchBlock: row.launchBlock,
  ageMin: row.launchAtMs === null ? null : (row.readAtMs - row.launchAtMs) / minuteMs,
  // Once it is in a pool the token is shown by its pools.
  gradBlock: null,
  thresholdEth: row.graduationEth,
  ethInCurve: row.reserveEth,
  progress: row.progress,
  mcapUsd: coinPrice === null ? null : row.marketCapEth * coinPrice.usd,
  feeBps: row.feeBps,
  readBlock: row.readBlock,
  checkedAt: row.readAtMs,
})

/** Times to the minute, so that a wallet cannot be tied to one transaction by them. */
export const presentCrew = (row: CrewRow, cut: Cut): Crew => {
  const lastSeenAt = Math.floor(row.lastSeenAtMs / minuteMs) * minuteMs
  return {
    wallet: row.wallet,
    bursts: row.bursts,
    lastSeenAt,
    lastSeenMinAgo: Math.max(0, Math.floor((cut.blockAtMs - lastSeenAt) / minuteMs)),
  }
}
