import type { Database } from '../../../infra/clickhouse/database.ts'
import { curveMarketCapEth, curveProgress } from '../../../schemas/chain-a/curve.ts'
import { curveLifeMs } from '../../../schemas/chain-a/curve-life.ts'
import { atCut } from '../../at-cut.ts'
import type { StageCut } from '../../cuts.ts'
import { rowOf, type Selected, selectOf } from '../../select.ts'
import { launchCurves } from '../tables/launch-curves.ts'
import type { CurveRow } from './chain-a-queries.ts'
import { ethOfWei } from './units.ts'

/** The newest curve of a token. Null: there is none, or its liquidity is in a pool. `token` is text from outside. */
export async function selectCurve(database: Database, cut: StageCut, token: string): Promise<CurveRow | null> {
  const [row] = await database.query<Selected>(
    `SELECT ${selectOf(launchCurves, 'c')}
     FROM ${atCut(launchCurves, cut.atMs, { token: { sql: '= {token:String}' } })} AS c
     WHERE c.read_at_ms > ${cut.blockAtMs - curveLifeMs} ORDER BY c.launched_at_ms DESC, c.curve LIMIT 1`,
    { token },
  )
  const curve = row && toCurveRow(row)
  return curve && curve.gradBlock === null ? curve : null
}

function toCurveRow(selected: Selected): CurveRow {
  const { completed, launchedAtMs, ...curve } = rowOf(launchCurves, 'c', selected)
  const reserveWei = BigInt(curve.reserveWei)
  const graduationWei = BigInt(curve.graduationWei)
  return {
    ...curve,
    isCompleted: completed,
    launchAtMs: launchedAtMs === 0 ? null : launchedAtMs,
    graduationEth: ethOfWei(graduationWei),
    reserveEth: ethOfWei(reserveWei),
    progress: curveProgress({ reserveWei, graduationWei }),
    marketCapEth: curveMarketCapEth({ reserveWei, phantomWei: BigInt(curve.phantomWei) }),
  }
}
