import type { BurstRow, CurveRow, GraduationRow, LaunchRow } from '../../projections/chain-b/queries/chain-b-queries.ts'
import { dayMs, minuteMs } from '../../schemas/units.ts'
import { minutesBetween } from '../durations.ts'
import {
  type FrontBurst,
  type FrontPart,
  type FrontToken,
  frontBurstsMax,
  frontColumnTokens,
  frontPricesHours,
} from '../front/parts.ts'
import type { ChainBDependencies } from './dependencies.ts'

const minutes = dayMs / minuteMs

export const createFrontPart = ({ queries, presentation }: ChainBDependencies): FrontPart => ({
  wireName: presentation.chainName,
  coin: 'SOL',
  endsAt: '20 minutes after the signal, or at the graduation if it came before',
  async answer(cut) {
    const limit = frontColumnTokens
    const [bursts, graduations, young, fullest] = await Promise.all([
      queries.burstsLive(cut, { minutes, limit: frontBurstsMax }),
      queries.graduationsLive(cut, { minutes }),
      queries.newCurves(cut, { limit }),
      queries.fullestCurves(cut, { limit }),
    ])
    return {
      bursts: bursts.map(burstOf),
      columns: [
        {
          title: 'New',
          says: 'Curves that were launched in the last hour, the newest first.',
          tokens: young.map((row) => tokenOf(row, row.launchAtMs)),
        },
        {
          title: 'Near graduation',
          says: 'Curves with a trade in the last hour that are not complete, the fullest first.',
          tokens: fullest.map((row) => tokenOf(row, row.last.minuteAtMs)),
        },
        {
          title: 'Graduated',
          says: 'Completed curves, the newest first, with the returns after the pool opened.',
          tokens: graduations.slice(0, limit).map(graduatedOf),
        },
      ],
    }
  },
  async pricesOf(cut, token) {
    const found = await queries.mintMinutes(cut, { mint: token, hours: frontPricesHours })
    if (found === null || found.minutes.length === 0) return null
    // If the first minute is in the pool, the move to the pool was before the line.
    const inPool = found.minutes.findIndex(({ fill }) => fill === null)
    return {
      ...{ name: nameOf(found), market: 'The curve, and its pool from the graduation on.' },
      points: found.minutes.map(({ minuteAtMs, lastPx }) => ({ minuteAtMs, px: lastPx })),
      ...{
        poolFromMs: inPool > 0 ? (found.minutes[inPool]?.minuteAtMs ?? null) : null,
        areTradesMissing: found.gaps !== null,
      },
    }
  },
})

/** Names on a page are cut to this length, in characters. */
const nameLength = 40

function nameOf({ name, symbol }: LaunchRow): string | null {
  const names = [symbol, name].filter((text) => text !== null && text.trim() !== '')
  return names.length === 0 ? null : names.map((text) => [...(text as string)].slice(0, nameLength).join('')).join(', ')
}

const inflowText = ({ inflowSol, windowSec }: BurstRow): string => `+${inflowSol.toFixed(2)} SOL in ${windowSec} s`

const tokenOf = (row: CurveRow, atMs: number): FrontToken => ({
  token: row.mint,
  atMs,
  facts: [
    ...(nameOf(row) === null ? [] : [nameOf(row) as string]),
    `${row.buys60m} buys, ${row.sells60m} sells in an hour`,
    ...(row.gaps === null ? [] : ['trades are missing']),
  ],
  fill: row.last?.fill == null ? null : { share: row.last.fill, atMs: row.last.minuteAtMs },
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
