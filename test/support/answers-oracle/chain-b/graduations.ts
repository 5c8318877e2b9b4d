/** A mint's graduation: its curve before it, the burst before it, and its pool after it. */
import { fillOf, type OracleBurst } from './bursts.ts'
import { followedMs, type Known, type MintStory, tickAfter, tickOfSlot } from './known.ts'
import type { Rules } from './rules.ts'

export type OracleGraduation = Readonly<{
  mint: string
  slot: number
  atMs: number
  gradMin: number | null
  path: readonly (readonly [beforeSec: number, fill: number])[]
  burst: OracleBurst | null
  /** `filledAtMs`: when the last of what is known of it was. */
  post: Readonly<{ anchorSecAfterGrad: number; rets: readonly (number | null)[]; filledAtMs: number }> | null
}>

const minuteMs = 60_000

/** Null: its curve is not complete. */
export function graduationOf(
  known: Known,
  { story, bursts }: Readonly<{ story: MintStory; bursts: readonly OracleBurst[] }>,
  rules: Rules,
): OracleGraduation | null {
  const { mint, completion, origin } = story
  if (completion === null) return null
  const { slot, atMs } = completion
  return {
    ...{ mint, slot, atMs },
    gradMin: origin.launchAtMs === null ? null : (atMs - origin.launchAtMs) / minuteMs,
    path: pathOf(story, atMs, rules),
    burst: bursts.findLast((burst) => burst.atMs < atMs) ?? null,
    post: postOf(known, { story, gradAtMs: atMs }, rules),
  }
}

function pathOf({ origin, trades }: MintStory, atMs: number, rules: Rules): OracleGraduation['path'] {
  const path: [number, number][] = []
  for (let minute = rules.pathMinutes; minute > 0; minute--) {
    const instantMs = atMs - minute * minuteMs
    if (origin.sinceMs > instantMs) continue
    const last = trades.findLast(({ blockAtMs }) => blockAtMs <= instantMs)
    path.push([minute * 60, fillOf(last === undefined ? origin.realTokenRaw : last.realTokenRaw)])
  }
  return [...path, [0, 1]]
}

/** Null: there is no migration yet. */
function postOf(
  known: Known,
  { story: { migration, poolTrades }, gradAtMs }: Readonly<{ story: MintStory; gradAtMs: number }>,
  rules: Rules,
): OracleGraduation['post'] {
  if (migration === null) return null
  const anchor = Number(migration.poolQuoteRaw) / Number(migration.poolTokenRaw)
  const rets = rules.postMinutes.map((minutes) => {
    const markMs = migration.blockAtMs + minutes * minuteMs
    if (markMs >= gradAtMs + followedMs || tickAfter(known, markMs) === null) return null
    const last = poolTrades.findLast(({ blockAtMs }) => rules.isAtMark(blockAtMs - markMs))
    return (last === undefined ? anchor : Number(last.poolQuoteRaw) / Number(last.poolTokenRaw)) / anchor - 1
  })
  const ticks = rules.postMinutes.map((minutes, index) =>
    rets[index] === null ? null : tickAfter(known, migration.blockAtMs + minutes * minuteMs),
  )
  const knownAtMs = [tickOfSlot(known, migration.blockNumber), ...ticks].flatMap((tick) => tick?.knownAtMs ?? [])
  return { anchorSecAfterGrad: (migration.blockAtMs - gradAtMs) / 1000, rets, filledAtMs: Math.max(...knownAtMs) }
}
