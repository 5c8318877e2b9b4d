/** What a record says, in the order of its table's columns. Exact integers become decimal strings: JSON numbers would round them. */
import type {
  Burst,
  BurstLp,
  BurstOutcome,
  LaunchCurve,
  PoolMinute,
  PoolProfile,
} from '../../schemas/chain-a/derived.ts'

export const minuteValues = (minute: PoolMinute): readonly unknown[] => [
  minute.pool,
  minute.minuteAtMs,
  minute.buyWei.toString(),
  minute.sellWei.toString(),
  minute.buys,
  minute.sells,
  minute.lastPx,
  minute.lastSwapAtMs,
  minute.liqEth,
]

export const burstValues = (burst: Burst, token: string): readonly unknown[] => [
  token,
  burst.pool,
  burst.tier,
  burst.atMs,
  burst.dex,
  burst.blockNumber,
  burst.blockHash,
  burst.shape,
  burst.inflowWei.toString(),
  burst.buys,
  burst.sells,
  burst.windowSec,
  burst.poolCreatedAtMs,
  burst.sameSizeMax,
  burst.top3Share,
  burst.sizeCv,
  burst.px,
]

export const outcomeValues = (outcome: BurstOutcome): readonly unknown[] => [
  outcome.pool,
  outcome.tier,
  outcome.atMs,
  outcome.ret30m,
  outcome.peakRet,
  outcome.ruleRet,
  outcome.exits.map(({ rule, ret, why, sec }) => ({ rule, ret, why, sec })),
  outcome.rug?.atSec ?? null,
  outcome.rug?.lpRemoved ?? null,
]

/** As `lpColumns` stand. */
export const lpValues = (lp: Omit<BurstLp, 'pool' | 'tier' | 'atMs'>): readonly unknown[] => [
  lp.class,
  lp.insiderShare,
  lp.burnedShare,
  lp.contractShare,
  lp.otherShare,
  lp.unknownShare,
  lp.firstAddAtMs,
  lp.lpAdds,
]

export const profileValues = (profile: PoolProfile, token: string): readonly unknown[] => [
  token,
  profile.pool,
  profile.createdAtMs,
  profile.checkedAtMs,
  profile.blockNumber,
  profile.creator,
  ...lpValues(profile),
]

export const curveValues = (curve: LaunchCurve, token: string): readonly unknown[] => [
  token,
  curve.curve,
  curve.launchAtMs ?? 0,
  curve.launchpad,
  curve.completed ? 1 : 0,
  curve.symbol,
  curve.creator,
  curve.launchBlock,
  curve.gradBlock,
  curve.graduationWei.toString(),
  curve.reserveWei.toString(),
  curve.phantomWei.toString(),
  curve.supplyRaw.toString(),
  curve.feeBps,
  curve.readBlock,
  curve.readAtMs,
]
