/**
 * Computes a mint's graduation: the path of the curve and the burst before the graduation, and the pool after
 * it.
 */
import { fillOf, type OracleBurst } from './bursts.ts'
import type { Rules } from './rules.ts'
import type { MintStory } from './stories.ts'

export type OracleGraduation = Readonly<{
  mint: string
  slot: number
  atMs: number
  gradMin: number | null
  path: readonly (readonly [beforeSec: number, fill: number])[]
  burst: OracleBurst | null
  /** The returns in the pool after the migration. A return is null until its time has come. */
  post: Readonly<{ anchorAtMs: number; rets: readonly (number | null)[] }> | null
}>

const minuteMs = 60_000

/** Null: the curve is not complete. */
export function graduationOf(story: MintStory, bursts: readonly OracleBurst[], rules: Rules): OracleGraduation | null {
  const { mint, completion, launchAtMs } = story
  if (completion === null) return null
  const { slot, atMs } = completion
  return {
    ...{ mint, slot, atMs },
    gradMin: launchAtMs === null ? null : (atMs - launchAtMs) / minuteMs,
    path: pathOf(story, atMs, rules),
    burst: bursts.findLast((burst) => burst.atMs < atMs) ?? null,
    post: postOf(story, rules),
  }
}

function pathOf({ opening, trades }: MintStory, atMs: number, rules: Rules): OracleGraduation['path'] {
  const path: [number, number][] = []
  for (let minute = rules.pathMinutes; minute > 0; minute--) {
    const instantMs = atMs - minute * minuteMs
    if (opening.data.blockAtMs > instantMs) continue
    const last = trades.findLast(({ blockAtMs }) => blockAtMs <= instantMs)
    path.push([minute * 60, fillOf((last ?? opening.data).realTokenRaw)])
  }
  return [...path, [0, 1]]
}

/**
 * Returns the time at which the pool opened, and the returns in the pool. Returns null if there was no
 * migration yet.
 */
function postOf({ migration, poolTrades, untilMs }: MintStory, rules: Rules): OracleGraduation['post'] {
  if (migration === null) return null
  const anchor = Number(migration.poolQuoteRaw) / Number(migration.poolTokenRaw)
  const rets = rules.postMinutes.map((minutes) => {
    const markMs = migration.blockAtMs + minutes * minuteMs
    if (markMs >= untilMs) return null
    const last = poolTrades.findLast(({ blockAtMs }) => rules.isAtMark(blockAtMs - markMs))
    return (last === undefined ? anchor : Number(last.poolQuoteRaw) / Number(last.poolTokenRaw)) / anchor - 1
  })
  return { anchorAtMs: migration.blockAtMs, rets }
}
