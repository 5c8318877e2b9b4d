/**
 * Random histories of bursts and of the wallets that bought in them, over many weeks. Rows are published,
 * replaced by versions with other wallets, withdrawn and published again.
 */
import fc from 'fast-check'
import type { DerivedLog, TokenRecord } from './derived-log.ts'
import {
  address,
  buildBurst,
  buildBuyers,
  buildRestated,
  buildWithdrawn,
  createDerivedLog,
  noonMs,
  poolId,
} from './derived-log.ts'
import type { BuyersVersion } from './recount-buyers.ts'

const dayMs = 86_400_000

type Step = Readonly<{
  gapMs: number
  /** The time since the burst. */
  agoMs: number
  fate: 'new' | 'restated' | 'withdrawn'
  number: number
  tier: 'main' | 'refire' | 'old'
  wallets: readonly number[]
}>

const step: fc.Arbitrary<Step> = fc.record({
  gapMs: fc.oneof(fc.nat(9000), fc.constantFrom(0, 1, 60_000, 60_001, 15 * dayMs, 30 * dayMs)),
  agoMs: fc.oneof(fc.nat(9000), fc.constantFrom(0, 5000, 120_000, 120_001, dayMs, 15 * dayMs)),
  fate: fc.constantFrom('new', 'new', 'new', 'restated', 'withdrawn'),
  number: fc.nat(3),
  tier: fc.constantFrom('main', 'main', 'refire', 'old'),
  wallets: fc.uniqueArray(fc.nat(5), { minLength: 1, maxLength: 4 }),
})

export const buyersStory: fc.Arbitrary<readonly Step[]> = fc.array(step, { minLength: 8, maxLength: 25 })

/** Returns two times: when the service knew the middle version, and when it knew the last version. */
export const instantsOf = (versions: readonly BuyersVersion[]): readonly number[] =>
  [versions[versions.length >> 1], versions.at(-1)].flatMap((version) => (version ? [version.knownAtMs] : []))

/** Writes and projects the story. Resolves with all versions in the order of the log. */
export async function tellBuyers(
  story: readonly Step[],
  project: (derived: DerivedLog) => Promise<void>,
): Promise<readonly BuyersVersion[]> {
  const derived = await createDerivedLog()
  const versions: BuyersVersion[] = []
  let nowMs = noonMs
  for (const { gapMs, number, ...its } of story) {
    nowMs += gapMs
    const stood = its.fate === 'new' ? undefined : versions[number * 3]
    const row = stood ?? { pool: poolId(1 + number), tier: its.tier, atMs: nowMs - its.agoMs }
    const { pool, tier, atMs } = row
    const wallets = stood && its.fate === 'withdrawn' ? null : its.wallets.map((wallet) => address(100 + wallet))
    const version = { pool, tier, atMs, knownAtMs: nowMs, isNew: stood === undefined, wallets }
    versions.push(version)
    await derived.tick(nowMs, recordsOf(version))
  }
  await derived.tick(nowMs + 1)
  await project(derived)
  return versions
}

function recordsOf({ pool, tier, atMs, isNew, wallets }: BuyersVersion): readonly TokenRecord[] {
  const [token, key] = [address(Number(pool)), { pool, tier, atMs }]
  if (wallets === null) return [[token, buildWithdrawn({ recordType: 'BurstBuyers', ...key })]]
  const buyers = [token, buildBuyers({ ...key, wallets: [...wallets] })] as const
  return isNew
    ? [[token, buildBurst({ ...key, poolCreatedAtMs: atMs })], buyers]
    : [[token, buildRestated({ recordType: 'BurstBuyers', ...key })], buyers]
}
