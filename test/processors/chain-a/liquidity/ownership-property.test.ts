/**
 * Compares the stage's liquidity of a pool with that of independent code, the oracle, which computes it from
 * all facts. The log has reorgs or has none.
 */
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
import { type OracleRules, oracleRules } from '../../../support/oracle/oracle-rules.ts'
import { type OracleLp, ownershipByFacts } from '../../../support/oracle/ownership.ts'
import { chain, creator, crowd, reorgedLog } from './random-positions.ts'

function profileAfter(facts: readonly ChainAFact[], processor = liquidity): PoolProfile | null {
  const driver = createTestDriver({ stage: chainAStage, processors: [processor] })
  driver.fact(testToken, buildPoolCreated({ blockAtMs: second(0), txSender: creator }))
  for (const fact of facts) driver.fact(testToken, fact)
  const record = driver.tick(second(60)).at(-1)?.record
  return record?.type === 'PoolProfile' ? record.data : null
}

function counted(facts: readonly ChainAFact[], rules: OracleRules = oracleRules): OracleLp {
  const changes = facts.flatMap((fact) => (fact.type === 'LiquidityChanged' ? [fact.data] : []))
  const transfers = facts.flatMap((fact) => (fact.type === 'PositionTransferred' ? [fact.data] : []))
  return ownershipByFacts(creator, { changes, transfers }, rules)
}

const shares = ['insiderShare', 'burnedShare', 'contractShare', 'otherShare', 'unknownShare'] as const

function expectCounted(profile: PoolProfile | null, facts: readonly ChainAFact[]): void {
  if (profile === null) expect.fail('no profile')
  const expected = counted(facts)
  const sum = shares.reduce((total, share) => total + profile[share], 0)
  expect(sum).to.be.closeTo(profile.class === 'empty' ? 0 : 1, 1e-9)
  for (const share of shares) expect(profile[share], share).to.be.closeTo(expected[share], 1e-9)
  const { class: lpClass, firstAddAtMs, lpAdds } = expected
  expect(profile).to.include({ class: lpClass, firstAddAtMs, lpAdds })
}

describe('any interleaving of adds, transfers and removals', () => {
  it('gives shares that sum to 1 or are all 0, and equal a recomputation', () =>
    fc.assert(
      fc.property(chain, (facts) => expectCounted(profileAfter(facts), facts)),
      { numRuns: 300 },
    ))

  for (const [name, halves] of [
    ['heldBpsMin', { heldBpsMin: 2000n, safeBpsMin: 5000n }],
    ['safeBpsMin', { heldBpsMin: 5000n, safeBpsMin: 9000n }],
  ] as const)
    it(`gives the class that a recomputation by another ${name} gives`, () => {
      const { chainA: own } = defaultRules
      const bps = { heldBpsMin: Number(halves.heldBpsMin), safeBpsMin: Number(halves.safeBpsMin) }
      const processor = createLiquidity({ ...own.liquidity, ...bps })
      let shown = 0
      fc.assert(
        fc.property(chain, (facts) => {
          const expected = counted(facts, { ...oracleRules, ...halves }).class
          expect(profileAfter(facts, processor)?.class).to.equal(expected)
          if (expected !== counted(facts).class) shown++
        }),
        // The seed is fixed, because the changed number must have an effect on at least one of these random
        // chains.
        { numRuns: 100, seed: 1 },
      )
      expect(shown).to.be.above(0)
    })

  it('gives the same among many positions', () =>
    fc.assert(
      fc.property(chain, (facts) => expectCounted(profileAfter([...crowd, ...facts]), [...crowd, ...facts])),
      { numRuns: 60 },
    ))

  it('leaves what a burst makes of its own sums out of the pool’s', () => {
    const ownership = noLiquidity(creator)
    for (const fact of crowd)
      if (fact.type === 'LiquidityChanged') takeChange(ownership, fact.data)
      else if (fact.type === 'PositionTransferred') takeTransfer(ownership, fact.data)
    // The first result is also changed, because it could be the same object that is kept in the state.
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

  /**
   * Returns the published profile after each tick. It is null if no profile was published or the profile was
   * withdrawn.
   */
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

  /** Returns a tick at 700 s, after the check of the pool at an age of ten minutes. */
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
        expectCounted(left, its.living)
        expectCounted(checked, its.living)
        expect(checked?.checkedAtMs).to.equal(second(600))
        reorgs += its.reorgCount
      }),
      { numRuns: 60 },
    )
    expect(reorgs).to.be.above(60)
  })
})
