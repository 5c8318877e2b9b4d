/** The liquidity of a pool against a recomputation from all its facts, with and without reorgs. */
import { expect } from 'chai'
import fc from 'fast-check'
import { createMemoryLog } from '../../../../infra/log/memory/memory-log.ts'
import {
  noLiquidity,
  sumLiquidity,
  takeChange,
  takeTransfer,
} from '../../../../processors/chain-a/liquidity/ownership.ts'
import { createLiquidity, liquidity } from '../../../../processors/chain-a/liquidity/processor.ts'
import { createTestDriver } from '../../../../processors/runtime/test-driver.ts'
import { chainA } from '../../../../processors/stages.ts'
import type { PoolProfile } from '../../../../schemas/chain-a/derived.ts'
import type { ChainAFact } from '../../../../schemas/chain-a/facts.ts'
import { type ChainATypes, chainAStage } from '../../../../schemas/chain-a/stage.ts'
import { defaultRules } from '../../../../schemas/rules.ts'
import { type KeyedRecord, lastSeqOf } from '../../../replay/keyed-record.ts'
import { appendFacts, type OpenStage, openStage, readAll, runUntil } from '../../../replay/stage-log.ts'
import { buildPoolCreated, buildTick, second, testToken } from '../../../support/builders/build-facts.ts'
import { deadAddress, zeroAddress } from '../../../support/builders/build-positions.ts'
import { chain, creator, crowd, reorgedLog } from './random-positions.ts'

function profileAfter(facts: readonly ChainAFact[], processor = liquidity): PoolProfile | null {
  const driver = createTestDriver({ stage: chainAStage, processors: [processor] })
  driver.fact(testToken, buildPoolCreated({ blockAtMs: second(0), txSender: creator }))
  for (const fact of facts) driver.fact(testToken, fact)
  const record = driver.tick(second(60)).at(-1)?.record
  return record?.type === 'PoolProfile' ? record.data : null
}

/** Of how many ten-thousandths on a pool is held, and else safe. */
type Halves = Readonly<{ heldBps: bigint; safeBps: bigint }>
const half: Halves = { heldBps: 5000n, safeBps: 5000n }

/** From scratch, position by position over all facts, in fractions of a million million. */
function recomputed(facts: readonly ChainAFact[], { heldBps, safeBps }: Halves = half) {
  const changes = facts.flatMap((fact) => (fact.type === 'LiquidityChanged' ? [fact.data] : []))
  const transfers = facts.flatMap((fact) => (fact.type === 'PositionTransferred' ? [fact.data] : []))
  const adds = changes.filter(({ liquidityDelta }) => liquidityDelta > 0n)
  const isInsider = (owner: string) => owner === creator || adds.some(({ txSender }) => txSender === owner)
  const names = [...new Set(changes.map(({ positionId, tickLower }) => positionId ?? `range ${tickLower}`))]
  const holdings = names.map((name) => {
    const its = changes.filter(({ positionId, tickLower }) => (positionId ?? `range ${tickLower}`) === name)
    const size = its.reduce((sum, { liquidityDelta }) => sum + liquidityDelta, 0n)
    const owner = transfers.filter(({ positionId }) => positionId === name).at(-1)?.to
    if (its[0]?.positionId === null) return { size, by: 'contract' }
    if (owner === zeroAddress || owner === deadAddress) return { size, by: 'burned' }
    return { size, by: owner !== undefined && isInsider(owner) ? 'insider' : 'other' }
  })
  const sizeOf = (...by: readonly string[]) =>
    holdings.reduce((sum, holding) => (by.includes(holding.by) ? sum + holding.size : sum), 0n)
  const total = sizeOf('insider', 'burned', 'contract', 'other')
  const share = (by: string) => (total === 0n ? 0 : Number((sizeOf(by) * 10n ** 12n) / total) / 1e12)
  const isFrom = (size: bigint, bps: bigint) => size * 10_000n >= total * bps
  const isSafe = isFrom(sizeOf('burned', 'contract', 'other'), safeBps)
  const known = isFrom(sizeOf('insider'), heldBps) ? 'held' : isSafe ? 'safe' : 'unknown'
  return {
    class: total === 0n ? 'empty' : known,
    shares: [share('insider'), share('burned'), share('contract'), share('other')],
    firstAddAtMs: adds[0]?.blockAtMs ?? null,
    lpAdds: adds.length,
  }
}

function expectRecomputed(profile: PoolProfile | null, facts: readonly ChainAFact[]): void {
  if (profile === null) expect.fail('no profile')
  const expected = recomputed(facts)
  const { insiderShare, burnedShare, contractShare, otherShare, unknownShare } = profile
  const shares = [insiderShare, burnedShare, contractShare, otherShare]
  const sum = [...shares, unknownShare].reduce((total, share) => total + share, 0)
  expect(sum).to.be.closeTo(profile.class === 'empty' ? 0 : 1, 1e-9)
  for (const [index, share] of shares.entries()) expect(share).to.be.closeTo(expected.shares[index] ?? -1, 1e-9)
  const { class: lpClass, firstAddAtMs, lpAdds } = expected
  expect(profile).to.include({ class: lpClass, firstAddAtMs, lpAdds })
}

describe('any interleaving of adds, transfers and removals', () => {
  it('gives shares that sum to 1 or are all 0, and equal a recomputation', () =>
    fc.assert(
      fc.property(chain, (facts) => expectRecomputed(profileAfter(facts), facts)),
      { numRuns: 300 },
    ))

  for (const [name, halves] of [
    ['heldBpsMin', { heldBps: 2000n, safeBps: 5000n }],
    ['safeBpsMin', { heldBps: 5000n, safeBps: 9000n }],
  ] as const)
    it(`gives the class that a recomputation by another ${name} gives`, () => {
      const { chainA: own } = defaultRules
      const bps = { heldBpsMin: Number(halves.heldBps), safeBpsMin: Number(halves.safeBps) }
      const processor = createLiquidity({ ...own.liquidity, ...bps })
      let shown = 0
      fc.assert(
        fc.property(chain, (facts) => {
          const expected = recomputed(facts, halves).class
          expect(profileAfter(facts, processor)?.class).to.equal(expected)
          if (expected !== recomputed(facts).class) shown++
        }),
        // Always the same: that they show the number is part of the test.
        { numRuns: 100, seed: 1 },
      )
      expect(shown).to.be.above(0)
    })

  it('gives the same among many positions', () =>
    fc.assert(
      fc.property(chain, (facts) => expectRecomputed(profileAfter([...crowd, ...facts]), [...crowd, ...facts])),
      { numRuns: 60 },
    ))

  it('leaves what a burst makes of its own sums out of the pool’s', () => {
    const ownership = noLiquidity(creator)
    for (const fact of crowd)
      if (fact.type === 'LiquidityChanged') takeChange(ownership, fact.data)
      else if (fact.type === 'PositionTransferred') takeTransfer(ownership, fact.data)
    // The call that computes the sums comes first: it could hand out the very ones that are kept.
    const first = sumLiquidity(ownership)
    const expected = { ...first }
    for (const sums of [first, sumLiquidity(ownership), sumLiquidity(ownership)]) {
      expect(sums).to.deep.equal(expected)
      Object.assign(sums, { insider: 0n, unknown: 1n })
    }
    expect(sumLiquidity(ownership)).to.deep.equal(expected)
  })
})

describe('any such chain with reorgs', () => {
  const partition = 0
  let open: OpenStage<ChainATypes>
  before(async () => {
    open = await openStage({ ...chainA, processors: [liquidity] })
  })

  /** What is published of the pool after each tick; null: nothing, or it was withdrawn. */
  const profilesOf = async (records: readonly KeyedRecord<ChainATypes>[], snapshotEveryMs: number) => {
    const log = createMemoryLog({ nowMs: () => 0 })
    await appendFacts({ ...open, log, partition }, records)
    let now = 0
    await runUntil({ ...open, partition }, lastSeqOf(records), { log, nowMs: () => now++, snapshotEveryMs })
    const profiles: (PoolProfile | null)[] = []
    let profile: PoolProfile | null = null
    for (const { value } of await readAll(log, 'chain-a-derived', partition)) {
      const record = value && open.derivedCodec.decode(value)
      if (record?.type === 'PoolProfile') profile = record.data
      if (record?.type === 'Withdrawn' && record.data.recordType === 'PoolProfile') profile = null
      if (record?.type === 'Tick') profiles.push(profile)
    }
    return profiles
  }

  /** Another check of the pool, at an age of ten minutes. */
  const checkedAfter = (records: readonly KeyedRecord<ChainATypes>[]): KeyedRecord<ChainATypes> => {
    const data = buildTick({ seq: lastSeqOf(records) + 1, knownAtMs: second(99_999), blockAtMs: second(700) })
    return { key: 'tick', record: { type: 'Tick', data } }
  }

  it('ends with a recomputation over the facts that are left, at the last reorg and at the next check', async () => {
    let reorgs = 0
    await fc.assert(
      fc.asyncProperty(reorgedLog, fc.constantFrom(0, 3, Number.POSITIVE_INFINITY), async (its, snapshotEveryMs) => {
        const profiles = await profilesOf([...its.records, checkedAfter(its.records)], snapshotEveryMs)
        const [left = null, checked = null] = profiles.slice(-2)
        expectRecomputed(left, its.living)
        expectRecomputed(checked, its.living)
        expect(checked?.checkedAtMs).to.equal(second(600))
        reorgs += its.reorgCount
      }),
      { numRuns: 60 },
    )
    expect(reorgs).to.be.above(60)
  })
})
