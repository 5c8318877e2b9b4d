import { expect } from 'chai'
import { liquidity } from '../../../../processors/chain-a/liquidity/processor.ts'
import { pools } from '../../../../processors/chain-a/pools/processor.ts'
import type { ChainADerived } from '../../../../schemas/chain-a/derived.ts'
import type { PoolCreated } from '../../../../schemas/chain-a/facts.ts'
import type { Hex } from '../../../../schemas/units.ts'
import {
  buildAddress,
  buildHash,
  buildPoolCreated,
  buildSwap,
  second,
  testPool,
  testStartAtMs,
} from '../../../support/builders/build-facts.ts'
import { changeByContract, mintNft, removeFromNft, transferNft } from '../../../support/builders/build-positions.ts'
import { given } from '../../../support/given-chain-a.ts'

const creator = buildAddress(0xc0)
const stranger = buildAddress(0xc2)
const hour = 3600

const created = (fields: Partial<PoolCreated> = {}) =>
  buildPoolCreated({ blockAtMs: second(0), txSender: creator, ...fields })

/** Shows profiles as texts. `held@600 #1600` is the class, the time of the check in seconds, and the block. */
const profiles = (records: readonly ChainADerived[]): string[] =>
  records.flatMap(({ type, data }) =>
    type === 'PoolProfile' ? [`${data.class}@${(data.checkedAtMs - testStartAtMs) / 1000} #${data.blockNumber}`] : [],
  )

describe('pool profiles', () => {
  it('come at the end of the block of creation, and of each that changes liquidity or owner', () => {
    const mint = mintNft({ id: 1, to: creator, liquidity: 10n, blockAtMs: second(10) })
    const then = given(liquidity, [created()]).when(
      ...mint,
      buildSwap({ blockAtMs: second(20) }),
      removeFromNft({ id: 1, liquidity: 0n, blockAtMs: second(30) }),
      transferNft({ id: 1, to: stranger, blockAtMs: second(40) }),
      removeFromNft({ id: 1, liquidity: 10n, blockAtMs: second(50) }),
    )
    expect(profiles(then.driver.outputs().map(({ record }) => record))).to.deep.equal([
      'empty@0 #1000',
      'held@10 #1010',
      'safe@40 #1040',
      'empty@50 #1050',
    ])
  })

  it('are not made of what a burn leaves between its transfer and its removal', () => {
    const blockAtMs = second(10)
    const burn = [
      transferNft({ id: 1, to: buildAddress(0), blockAtMs }),
      removeFromNft({ id: 1, liquidity: 10n, blockAtMs }),
    ]
    const then = given(liquidity, [created(), ...mintNft({ id: 1, to: creator, liquidity: 10n })]).when(...burn)
    expect(profiles(then.records)).to.deep.equal(['empty@10 #1010'])
  })

  it('come again every 10 min under 6 h of age, with the newest block of the token', () => {
    const checked = given(liquidity, [created()]).when(buildSwap({ blockAtMs: second(300) }))
    expect(profiles(checked.wokenAt(second(600) - 1).records)).to.deep.equal([])
    expect(profiles(checked.wokenAt(second(600)).records)).to.deep.equal(['empty@600 #1300'])
    const later = profiles(checked.wokenAt(second(7 * hour)).records)
    expect(later).to.have.length(34)
    expect(later.at(-1)).to.equal(`empty@${6 * hour - 600} #1300`)
  })

  it('come every 10 min of each pool’s own age, of several pools of one token too', () => {
    const early = buildHash(0xe)
    const late = buildHash(0x1a)
    const both = [created({ pool: early }), created({ pool: late, blockAtMs: second(630) })]
    const then = given(liquidity, both).wokenAt(second(1300))
    const told = then.records.flatMap(({ type, data }) => (type === 'PoolProfile' ? [data] : []))
    const ages = (pool: Hex) =>
      told.flatMap((its) => (its.pool === pool ? [(its.checkedAtMs - its.createdAtMs) / 60_000] : []))
    expect(ages(early)).to.deep.equal([20])
    expect(ages(late)).to.deep.equal([10])
  })

  it('are no checks at the instant of creation, nor at 6 h, although another pool of the token is checked then', () => {
    const late = created({ pool: buildHash(0x1a), blockAtMs: second(600) })
    const then = given(liquidity, [created()]).when(late)
    const known = [...then.records, ...then.wokenAt(second(6.2 * hour)).records]
    const checks = known.flatMap(({ type, data }) =>
      type === 'PoolProfile'
        ? [`${data.pool === testPool ? 'first' : 'late'}@${(data.checkedAtMs - testStartAtMs) / 60_000}`]
        : [],
    )
    const expected = (name: string, fromMin: number) =>
      Array.from({ length: 35 }, (_, index) => `${name}@${fromMin + 10 * index}`)
    expect(checks.filter((check) => check.startsWith('first'))).to.deep.equal(expected('first', 10))
    expect(checks.filter((check) => check.startsWith('late'))).to.deep.equal(['late@10', ...expected('late', 20)])
  })

  it('are of v4 pools only', () => {
    given(liquidity, [created({ dex: 'v3' })])
      .when(changeByContract({ blockAtMs: second(10) }, 5n))
      .emits([])
  })

  it('name the creator, the adds and when they began', () => {
    const blockAtMs = second(10)
    const then = given(liquidity, [created()]).when(
      ...mintNft({ id: 1, to: creator, liquidity: 3n, blockAtMs }),
      changeByContract({ blockAtMs }, 1n),
    )
    expect(then.records).to.deep.equal([
      {
        type: 'PoolProfile',
        data: {
          pool: testPool,
          createdAtMs: second(0),
          checkedAtMs: blockAtMs,
          blockNumber: 1010,
          creator,
          class: 'held',
          insiderShare: 0.75,
          burnedShare: 0,
          contractShare: 0.25,
          otherShare: 0,
          unknownShare: 0,
          firstAddAtMs: blockAtMs,
          lpAdds: 2,
        },
      },
    ])
  })

  it('end with the pool', () => {
    const then = given([pools, liquidity], [created()]).wokenAt(second(25.5 * hour))
    expect(then.driver.counts()).to.deep.equal({ tokens: 0, timers: 0 })
  })
})
