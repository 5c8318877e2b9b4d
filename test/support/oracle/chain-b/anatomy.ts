/** Computes who bought in a burst's window, and who held the mint at that time. */
import type { Hex } from '../../../../schemas/units.ts'
import type { OracleBurst } from './bursts.ts'
import type { Rules } from './rules.ts'
import type { KnownAnswer, MintStory } from './stories.ts'

export type OracleAnatomy = Readonly<{
  buys: number
  wallets: ReadonlySet<Hex>
  sameSlotMax: number
  bundledShare: number
  sameSizeMax: number
  top3Share: number
  holdersTop10: number | null
  holderTop1: number | null
}>

export const answerTo = ({ answers }: MintStory, { mint, atMs }: OracleBurst): KnownAnswer | undefined =>
  answers.get(`${mint}:${atMs}`)

/** Null: not known yet. */
export function anatomyOf(story: MintStory, burst: OracleBurst, rules: Rules): OracleAnatomy | null {
  const dueAtMs = burst.atMs + rules.anatomyDelayMs
  const answered = answerTo(story, burst)
  if (answered === undefined || dueAtMs >= story.untilMs) return null
  const sizes = burst.buys.map(({ quoteRaw }) => quoteRaw)
  const inSlots = [...countsOf(burst.buys.map(({ blockNumber }) => blockNumber))]
  const bundles = new Set(inSlots.filter(([, count]) => count >= rules.bundleBuys).map(([slot]) => slot))
  const bundled = burst.buys.filter(({ blockNumber }) => bundles.has(blockNumber)).map(({ quoteRaw }) => quoteRaw)
  const largest = [...sizes].sort((one, other) => Number(other - one)).slice(0, 3)
  return {
    buys: burst.buys.length,
    wallets: new Set(burst.buys.map(({ trader }) => trader)),
    sameSlotMax: Math.max(...inSlots.map(([, count]) => count)),
    bundledShare: total(bundled) / total(sizes),
    sameSizeMax: Math.max(...countsOf(sizes).values()),
    top3Share: total(largest) / total(sizes),
    ...holdersOf(story, { answered, dueAtMs }, rules),
  }
}

const total = (amounts: readonly bigint[]): number => Number(amounts.reduce((one, other) => one + other, 0n))

function countsOf<Value>(values: readonly Value[]): ReadonlyMap<Value, number> {
  const counts = new Map<Value, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

const zeros: Hex = `0x${'00'.repeat(32)}`
/** The address 1nc1nerator11111111111111111111111111111111. */
const incinerator: Hex = '0x003390728d34116079bdc911bfff00dbd44d2ecdccf79ca6e10038e100000000'

/** The agent of mayhem mode. In base58: BwWK17cbHxwWBKZkUYvzxLcNQ1YVyaFezduWbtm2de6s */
const agent: Hex = '0xa28b5fd26ab479a6a9cc6cbf6b0b23eb61885a371e0120aca913beef3d138a78'

type Answered = Readonly<{ answered: KnownAnswer; dueAtMs: number }>

function holdersOf(
  { opening, migration }: MintStory,
  { answered, dueAtMs }: Answered,
  rules: Rules,
): Pick<OracleAnatomy, 'holdersTop10' | 'holderTop1'> {
  const { curve, supplyRaw } = opening.data
  const { holders } = answered.answer
  if (holders === null || supplyRaw === null) return { holdersTop10: null, holderTop1: null }
  const leftOut = new Set<Hex>([zeros, incinerator, agent])
  if (rules.leavesCurveOut) leftOut.add(curve)
  if (migration !== null && migration.blockAtMs <= dueAtMs) leftOut.add(migration.pool)
  const byOwner = new Map<Hex, bigint>()
  for (const { owner, tokenRaw } of holders) byOwner.set(owner, (byOwner.get(owner) ?? 0n) + tokenRaw)
  const held = [...byOwner]
    .filter(([owner]) => !leftOut.has(owner))
    .map(([, tokenRaw]) => tokenRaw)
    .sort((one, other) => Number(other - one))
  const shareOf = (count: number) => total(held.slice(0, count)) / Number(supplyRaw)
  return { holdersTop10: shareOf(rules.topHolders), holderTop1: shareOf(1) }
}
