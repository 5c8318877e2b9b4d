import type { BurstRow, GraduationRow } from '../../projections/chain-b/queries/chain-b-queries.ts'
import { dayMs, hourMs, minuteMs } from '../../schemas/units.ts'
import { minutesBetween } from '../durations.ts'
import { type FrontBurst, type FrontPart, type FrontToken, frontBurstsMax, frontColumnTokens } from '../front/parts.ts'
import type { ChainBDependencies } from './dependencies.ts'

/** Curves whose last burst is older than this are not listed as near graduation. */
const nearMs = hourMs
const minutes = dayMs / minuteMs

export const createFrontPart = ({ queries, presentation }: ChainBDependencies): FrontPart => ({
  wireName: presentation.chainName,
  coin: 'SOL',
  endsAt: '20 minutes after the signal, or at the graduation if it came before',
  async answer(cut) {
    const [bursts, graduations] = await Promise.all([
      queries.burstsLive(cut, { minutes, limit: frontBurstsMax }),
      queries.graduationsLive(cut, { minutes }),
    ])
    const graduated = new Set(graduations.map(({ mint }) => mint))
    const onCurve = newestOfMints(bursts).filter(
      ({ mint, outcome }) => !graduated.has(mint) && outcome?.completedAtMs == null,
    )
    const near = onCurve
      .filter(({ atMs }) => atMs > cut.blockAtMs - nearMs)
      .sort((left, right) => right.fillAt - left.fillAt)
    return {
      bursts: bursts.map(burstOf),
      columns: [
        {
          title: 'New',
          says: 'Curves by their launch, the newest first. Only curves with a burst are known here.',
          tokens: [...onCurve]
            .sort((left, right) => right.launchAtMs - left.launchAtMs)
            .slice(0, frontColumnTokens)
            .map((row) => tokenOf(row, row.launchAtMs)),
        },
        {
          title: 'Near graduation',
          says: 'Curves with a burst in the last hour, the fullest at the burst first. A curve may be fuller by now.',
          tokens: near.slice(0, frontColumnTokens).map((row) => tokenOf(row, row.atMs)),
        },
        {
          title: 'Graduated',
          says: 'Completed curves, the newest first, with the returns after the pool opened.',
          tokens: graduations.slice(0, frontColumnTokens).map(graduatedOf),
        },
      ],
    }
  },
})

/** The newest burst of each mint. `bursts`: newest first. */
const newestOfMints = (bursts: readonly BurstRow[]): readonly BurstRow[] => {
  const newest = new Map<string, BurstRow>()
  for (const burst of bursts) if (!newest.has(burst.mint)) newest.set(burst.mint, burst)
  return [...newest.values()]
}

const inflowText = ({ inflowSol, windowSec }: BurstRow): string => `+${inflowSol.toFixed(2)} SOL in ${windowSec} s`

const tokenOf = (row: BurstRow, atMs: number): FrontToken => ({
  token: row.mint,
  atMs,
  facts: [
    inflowText(row),
    ...(row.anatomy?.holdersTop10 == null ? [] : [`top 10 hold ${Math.round(row.anatomy.holdersTop10 * 100)} %`]),
    ...(row.gaps === null ? [] : ['trades are missing']),
  ],
  fill: { share: row.fillAt, atMs: row.atMs },
})

const graduatedOf = ({ mint, gradAtMs, gradMin, post, gaps }: GraduationRow): FrontToken => ({
  token: mint,
  atMs: gradAtMs,
  facts: [
    gradMin === null ? 'launched before the log' : `after ${Math.floor(gradMin)} min on the curve`,
    ...returnTexts(post),
    ...(gaps === null ? [] : ['trades are missing']),
  ],
  fill: null,
})

function returnTexts(post: GraduationRow['post']): readonly string[] {
  if (post === null) return ['its pool is not open yet']
  const [after, ret] = post.ret15 !== null ? [15, post.ret15] : post.ret5 !== null ? [5, post.ret5] : [1, post.ret1]
  return ret === null ? [] : [`${ret < 0 ? '' : '+'}${(ret * 100).toFixed(0)} % after ${after} min in the pool`]
}

const burstOf = (row: BurstRow): FrontBurst => ({
  token: row.mint,
  atMs: row.atMs,
  inflow: row.inflowSol,
  text: `${inflowText(row)}, curve ${Math.floor(row.fillAt * 100)} % full, token ${Math.floor(minutesBetween(row.launchAtMs, row.atMs))} min old`,
  ret: row.outcome === null ? null : (row.outcome.gradRet ?? row.outcome.ret20m),
  isPulled: false,
})
