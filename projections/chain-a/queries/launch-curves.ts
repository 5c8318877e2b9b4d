import type { Database } from '../../../infra/clickhouse/database.ts'
import { curveMarketCapEth, curveProgress } from '../../../schemas/chain-a/curve.ts'
import { curveLifeMs } from '../../../schemas/chain-a/curve-life.ts'
import { atCut } from '../../at-cut.ts'
import type { CurveRow, Cut } from './chain-a-views.ts'
import { ethOfWei } from './units.ts'

type Selected = Readonly<{
  curve: string
  launchedAtMs: string
  launchpad: string
  completed: number
  symbol: string | null
  creator: string | null
  launchBlock: string | null
  gradBlock: string | null
  graduationWei: string
  reserveWei: string
  phantomWei: string
  feeBps: number | null
  readBlock: string
  readAtMs: string
}>

/** The curve that a token is on, null once its liquidity is in a pool; `token` is foreign text. */
export async function selectCurve(database: Database, cut: Cut, token: string): Promise<CurveRow | null> {
  const [row] = await database.query<Selected>(
    `SELECT curve, launched_at_ms AS launchedAtMs, launchpad, completed, symbol, creator, launch_block AS launchBlock,
      grad_block AS gradBlock, graduation_wei AS graduationWei, reserve_wei AS reserveWei, phantom_wei AS phantomWei,
      fee_bps AS feeBps, read_block AS readBlock, read_at_ms AS readAtMs
     FROM ${atCut('launch_curves', cut.atMs, { token: { sql: '= {token:String}' } })}
     WHERE read_at_ms > ${cut.blockAtMs - curveLifeMs} ORDER BY launched_at_ms DESC, curve LIMIT 1`,
    { token },
  )
  return row && row.gradBlock === null ? toCurveRow(row) : null
}

function toCurveRow(row: Selected): CurveRow {
  const reserveWei = BigInt(row.reserveWei)
  const graduationWei = BigInt(row.graduationWei)
  const launchedAtMs = Number(row.launchedAtMs)
  return {
    curve: row.curve,
    launchpad: row.launchpad,
    isCompleted: row.completed === 1,
    symbol: row.symbol,
    creator: row.creator,
    launchBlock: row.launchBlock === null ? null : Number(row.launchBlock),
    launchAtMs: launchedAtMs === 0 ? null : launchedAtMs,
    graduationEth: ethOfWei(graduationWei),
    reserveEth: ethOfWei(reserveWei),
    progress: curveProgress({ reserveWei, graduationWei }),
    marketCapEth: curveMarketCapEth({ reserveWei, phantomWei: BigInt(row.phantomWei) }),
    feeBps: row.feeBps,
    readBlock: Number(row.readBlock),
    readAtMs: Number(row.readAtMs),
  }
}
