import { expect } from 'chai'
import { bursts } from '../../../../processors/chain-b/bursts/processor.ts'
import { addToHistory, historyOf } from '../../../../processors/chain-b/graduations/path.ts'
import { graduations } from '../../../../processors/chain-b/graduations/processor.ts'
import { mints } from '../../../../processors/chain-b/mints/processor.ts'
import type { ChainBDerived, Graduation } from '../../../../schemas/chain-b/derived.ts'
import type { ChainBFact } from '../../../../schemas/chain-b/facts.ts'
import { chainBNumbers } from '../../../../schemas/chain-b/numbers.ts'
import { second } from '../../../support/builders/build-facts.ts'
import {
  buildCurveCompleted,
  buildCurveFound,
  buildCurveLaunched,
  buildCurveMigrated,
  buildCurveTraded,
  buildPoolTraded,
  given,
  lamports,
  late,
  leftAt,
} from '../../../support/chain-b/build-facts.ts'

const launched = buildCurveLaunched({ blockAtMs: second(0) })
const trade = (atSec: number, fill: number, sol = 0.1) => buildCurveTraded({ blockAtMs: second(atSec), fill, sol })
const completed = (atSec: number) => buildCurveCompleted({ blockAtMs: second(atSec) })

const graduationsIn = (records: readonly ChainBDerived[]): Graduation[] =>
  records.flatMap((record) => (record.type === 'Graduation' ? [record.data] : []))
const graduationOf = (...facts: readonly ChainBFact[]) =>
  graduationsIn(given([bursts, graduations], facts.slice(0, 1)).when(...facts.slice(1)).records)

/** Shows the path as texts. `60:0.3` is a fill of the curve of 0.3, 60 s before the graduation. */
const pathOf = (...facts: readonly ChainBFact[]) =>
  graduationOf(...facts)[0]?.path.map(({ beforeSec, fill }) => `${beforeSec}:${Number(fill.toFixed(3))}`)

describe('the path of a graduation', () => {
  it('begins with nothing sold at a launch, whatever the terms of the curve', () => {
    const odd = buildCurveLaunched({ blockAtMs: second(0), realTokenRaw: leftAt(0.2) })
    expect(pathOf(odd, trade(70, 0.3), completed(120))).to.deep.equal(['120:0', '60:0', '0:1'])
  })

  it('begins with the first launch, though it is told again', () => {
    const facts = [launched, trade(70, 0.3), buildCurveLaunched({ blockAtMs: second(80) }), completed(180)]
    expect(pathOf(...facts)).to.deep.equal(['180:0', '120:0', '60:0.3', '0:1'])
  })

  it('keeps no more than its hour needs', () => {
    const history = historyOf(launched)
    for (let sec = 1; sec < 20_000; sec++)
      addToHistory(history, { atMs: second(sec), leftRaw: 1 }, chainBNumbers.graduations)
    expect(history.atMs.length).to.be.lessThan(2 * 3600 + 70)
    expect(history.leftRaw).to.have.lengthOf(history.atMs.length)
  })
})

describe('a graduation', () => {
  const burst = trade(600, 0.4, 12)

  it('comes once, at the end of the slot that completes the curve', () => {
    const slot = { blockNumber: 1700, blockAtMs: second(700) }
    const soldOut = buildCurveTraded({ ...slot, realTokenRaw: 0n })
    const all = graduationOf(
      launched,
      soldOut,
      buildCurveCompleted(slot),
      trade(710, 0.9),
      buildCurveMigrated({ blockAtMs: second(800) }),
    )
    expect(all.map(({ gradAtMs, slot, launchAtMs }) => ({ gradAtMs, slot, launchAtMs }))).to.deep.equal([
      { gradAtMs: second(700), slot: 1700, launchAtMs: second(0) },
    ])
    expect(graduationOf(launched, late(completed(700)))).to.deep.equal([])
  })

  it('names the newest burst before it', () => {
    const named = (...facts: readonly ChainBFact[]) => graduationOf(launched, ...facts)[0]?.burst?.atMs
    expect(named(burst, completed(700))).to.equal(second(600))
    expect(named(burst, trade(1801, 0.4, 12), completed(1900))).to.equal(second(1801))
    const sameSecond = buildCurveCompleted({ blockAtMs: second(1801), blockNumber: 9000 })
    expect(named(burst, trade(1801, 0.4, 12), sameSecond), 'not that of its own instant').to.equal(second(600))
    expect(named(completed(700))).to.equal(undefined)
    expect(graduationOf(launched, burst, completed(700))[0]?.burst).to.deep.include({ inflowLamports: lamports(12) })
  })

  it('is of no curve that was never opened', () => {
    const facts = [
      trade(600, 0.4),
      completed(700),
      buildCurveMigrated({ blockAtMs: second(710) }),
      buildPoolTraded({ blockAtMs: second(720) }),
    ]
    given(graduations)
      .when(...facts)
      .emits([])
  })
})

describe('the pool after a graduation', () => {
  const migrated = buildCurveMigrated({ blockAtMs: second(1000), poolQuoteRaw: 100n, poolTokenRaw: 100n })
  const past = [launched, completed(950)]
  const pool = (atSec: number, poolQuoteRaw: bigint) =>
    buildPoolTraded({ blockAtMs: second(atSec), poolQuoteRaw, poolTokenRaw: 100n })
  const post = (returns: readonly (number | null)[]): ChainBDerived => {
    const [ret1 = null, ret5 = null, ret15 = null] = returns
    return { type: 'GraduationPost', data: { gradAtMs: second(950), anchorAtMs: second(1000), ret1, ret5, ret15 } }
  }
  it('is published when it opens, and once 1, 5 and 15 minutes have passed', () => {
    const opened = given([mints, graduations], past).when(migrated)
    opened.emits([post([])])
    opened.wokenAt(second(1060) - 1).emits([])
    opened.wokenAt(second(1060)).emits([post([0])])
    opened.when(pool(1300, 150n)).emits([])
    opened.wokenAt(second(1300)).emits([post([0, 0.5])])
    opened.wokenAt(second(1900)).emits([post([0, 0.5, 0.5])])
  })

  it('does not count a trade that stands before the migration in its slot', () => {
    const records = given([mints, graduations], past).when(pool(1000, 300n), migrated).wokenAt(second(1060)).records
    expect(records).to.deep.equal([post([0])])
  })

  it('is nothing without a migration, or with a late one', () => {
    const only = (...facts: readonly ChainBFact[]) =>
      given([mints, graduations], past)
        .when(...facts)
        .wokenAt(second(3000))
        .driver.outputs()
        .map(({ record }) => record.type)
    expect(only(pool(960, 100n))).not.to.include('GraduationPost')
    expect(only(late(migrated))).not.to.include('GraduationPost')
  })

  it('has no return at an instant of the pool of an older opening', () => {
    const found = buildCurveFound({ blockAtMs: second(1010) })
    const anew = buildCurveMigrated({ blockAtMs: second(1030) })
    const then = given([mints, graduations], past).when(migrated, found, anew)
    const posts = (atSec: number) => then.wokenAt(second(atSec)).records.filter(({ type }) => type === 'GraduationPost')
    expect(posts(1060)).to.deep.equal([])
    expect(posts(1090)).to.have.lengthOf(1)
  })

  it('comes after the graduation where the migration completes the curve, and ends with the mint', () => {
    const types = (atSec: number) =>
      given([mints, graduations], [launched])
        .when(buildCurveMigrated({ blockAtMs: second(atSec) }))
        .records.map(({ type }) => type)
    expect(types(800)).to.deep.equal(['Graduation', 'GraduationPost'])
    const lateOpening = buildCurveMigrated({ blockAtMs: second(950 + 3900 - 60) })
    const records = given([mints, graduations], past).when(lateOpening).wokenAt(second(6000)).records
    expect(
      records.map(({ type }) => type),
      'due at its close',
    ).to.deep.equal(['MintClosed'])
  })
})
