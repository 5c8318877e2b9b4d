import { curveMarketCapEth, curveProgress } from '../../../schemas/chain-a/curve.ts'
import { curveLifeMs } from '../../../schemas/chain-a/curve-life.ts'
import type { EpochMs } from '../../../schemas/units.ts'
import type { StageCut } from '../../cuts.ts'
import { compareText, type RowAtCut } from '../../rows-at-cut.ts'
import type { SubjectRows } from '../../rows-of-subject.ts'
import { launchCurves } from '../tables/launch-curves.ts'
import type { CurveRow } from './chain-a-queries.ts'
import { ethOfWei } from './units.ts'

type Curves = Readonly<{ curve: CurveRow | null; launchedAtMs: EpochMs | null }>

/**
 * Returns the newest curve of the token and the time of its first launch. `curve` is null if the token has no
 * curve, or if the liquidity of the curve has moved to a pool. `launchedAtMs` is null if no launch time is
 * known. `known` has the rows of the token.
 */
export async function findCurves(cut: StageCut, known: SubjectRows): Promise<Curves> {
  const { rows } = await known.of(launchCurves)
  const [newest] = rows.filter(({ readAtMs }) => readAtMs > cut.blockAtMs - curveLifeMs).sort(newestFirst)
  const launches = rows.map(({ launchedAtMs }) => launchedAtMs).filter((atMs) => atMs > 0)
  return {
    curve: newest && newest.gradBlock === null ? toCurveRow(newest) : null,
    launchedAtMs: launches.length === 0 ? null : Math.min(...launches),
  }
}

type Curve = RowAtCut<typeof launchCurves>

const newestFirst = (left: Curve, right: Curve): number =>
  right.launchedAtMs - left.launchedAtMs || compareText(left.curve, right.curve)

function toCurveRow({ completed, launchedAtMs, knownAtMs: _, publishedAtMs: __, ...curve }: Curve): CurveRow {
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
