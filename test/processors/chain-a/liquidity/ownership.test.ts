import { expect } from 'chai'
import { countOf } from '../../../../processors/chain-a/liquidity/held-positions.ts'
import {
  noLiquidity,
  type Ownership,
  sumLiquidity,
  takeChange,
  takeTransfer,
} from '../../../../processors/chain-a/liquidity/ownership.ts'
import { liquidity } from '../../../../processors/chain-a/liquidity/processor.ts'
import { createTestDriver } from '../../../../processors/runtime/test-driver.ts'
import type { PoolProfile } from '../../../../schemas/chain-a/derived.ts'
import type { ChainAFact } from '../../../../schemas/chain-a/facts.ts'
import { chainAStage } from '../../../../schemas/chain-a/stage.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { buildAddress, buildPoolCreated, second, testToken } from '../../../support/builders/build-facts.ts'
import {
  addToNft,
  burnNft,
  changeByContract,
  deadAddress,
  mintNft,
  removeFromNft,
  transferNft,
  zeroAddress,
} from '../../../support/builders/build-positions.ts'

const creator = buildAddress(0xc0)
const adder = buildAddress(0xc1)
const stranger = buildAddress(0xc2)

function profileAfter(facts: readonly ChainAFact[]): PoolProfile {
  const driver = createTestDriver({ stage: chainAStage, processors: [liquidity] })
  driver.fact(testToken, buildPoolCreated({ blockAtMs: second(0), txSender: creator }))
  for (const fact of facts) driver.fact(testToken, fact)
  const record = driver.tick(second(60)).at(-1)?.record
  return record?.type === 'PoolProfile' ? record.data : expect.fail('no profile')
}

/** Returns the class and the shares above 0 as a text, such as `held i0.50 b0.50`. */
function told(...facts: readonly ChainAFact[]): string {
  const profile = profileAfter(facts)
  const shares = (['insider', 'burned', 'contract', 'other', 'unknown'] as const).flatMap((bucket) => {
    const share = profile[`${bucket}Share`]
    return share === 0 ? [] : [`${bucket[0]}${share.toFixed(2)}`]
  })
  return [profile.class, ...shares].join(' ')
}

function apply(ownership: Ownership, fact: ChainAFact): void {
  if (fact.type === 'LiquidityChanged') takeChange(ownership, fact.data)
  else if (fact.type === 'PositionTransferred') takeTransfer(ownership, fact.data)
}

function ownershipAfter(facts: readonly ChainAFact[]): Ownership {
  const ownership = noLiquidity(creator)
  for (const fact of facts) apply(ownership, fact)
  return ownership
}

type Minter = Readonly<{ to: Hex; txSender?: Hex }>
const minted = (id: number, minter: Minter, size: bigint) => mintNft({ id, ...minter, liquidity: size })

describe('the liquidity of a v4 pool', () => {
  const cases: readonly [string, readonly ChainAFact[], string][] = [
    ['is empty before any add', [], 'empty'],
    ['is held by the creator who added', minted(1, { to: creator }, 10n), 'held i1.00'],
    ['is held by whoever sent an add', minted(1, { to: adder }, 10n), 'held i1.00'],
    ['is safe in other hands', minted(1, { to: stranger, txSender: adder }, 10n), 'safe o1.00'],
    [
      'is safe when sent to the dead address',
      [...minted(1, { to: adder }, 10n), transferNft({ id: 1, to: deadAddress })],
      'safe b1.00',
    ],
    [
      'is safe at the zero address',
      [...minted(1, { to: adder }, 10n), ...burnNft({ id: 1, liquidity: 0n })],
      'safe b1.00',
    ],
    ['is safe when a contract added', [changeByContract({ txSender: adder }, 10n)], 'safe c1.00'],
    ['is unknown of adds told before NFTs were', [changeByContract({ txSender: null }, 10n)], 'unknown u1.00'],
    [
      'is held at exactly half',
      [...minted(1, { to: creator }, 5n), ...minted(2, { to: stranger, txSender: creator }, 5n)],
      'held i0.50 o0.50',
    ],
    [
      'is safe just below, the wallets of adds being insiders wherever they got it',
      [...minted(1, { to: creator }, 49n), ...minted(2, { to: stranger, txSender: creator }, 51n)],
      'safe i0.49 o0.51',
    ],
    [
      'makes a wallet an insider by a later add of its own',
      [...minted(1, { to: stranger, txSender: creator }, 10n), addToNft({ id: 1, liquidity: 1n, txSender: stranger })],
      'held i1.00',
    ],
    [
      'split 40/35/25 between creator, contract and dead address is safe',
      [
        ...minted(1, { to: creator }, 40n),
        changeByContract({ txSender: adder }, 35n),
        ...minted(2, { to: adder }, 25n),
        transferNft({ id: 2, to: deadAddress }),
      ],
      'safe i0.40 b0.25 c0.35',
    ],
    [
      'is empty when the NFT was burned with it, the transfer standing first',
      [...minted(1, { to: adder }, 10n), ...burnNft({ id: 1, liquidity: 10n })],
      'empty',
    ],
    [
      'is empty when all was taken out, and held again when it was put back',
      [
        ...minted(1, { to: adder }, 10n),
        removeFromNft({ id: 1, liquidity: 10n }),
        addToNft({ id: 1, liquidity: 3n, txSender: null }),
      ],
      'held i1.00',
    ],
    ['is unknown when the owner never was seen', [addToNft({ id: 9, liquidity: 4n })], 'unknown u1.00'],
    [
      'follows an empty NFT to its next owner',
      [
        ...minted(1, { to: adder }, 0n),
        transferNft({ id: 1, to: stranger }),
        addToNft({ id: 1, liquidity: 8n, txSender: null }),
      ],
      'safe o1.00',
    ],
    [
      'is safe at exactly half, the rest being unknown',
      [...minted(1, { to: stranger, txSender: adder }, 5n), addToNft({ id: 9, liquidity: 5n })],
      'safe o0.50 u0.50',
    ],
    [
      'is unknown just below',
      [...minted(1, { to: stranger, txSender: adder }, 49n), addToNft({ id: 9, liquidity: 51n })],
      'unknown o0.49 u0.51',
    ],
    [
      'leaves out a position of which more was removed than was told to be added',
      [...minted(1, { to: creator }, 10n), removeFromNft({ id: 9, liquidity: 5n })],
      'held i1.00',
    ],
    [
      'of contracts stands apart by contract',
      [
        changeByContract({ owner: buildAddress(0xd0), txSender: null }, 4n),
        changeByContract({ owner: buildAddress(0xd1), txSender: adder }, 6n),
      ],
      'safe c0.60 u0.40',
    ],
    [
      'of one contract stands apart by range and salt',
      [
        changeByContract({ tickLower: -60, tickUpper: 60 }, 4n),
        changeByContract({ tickLower: -120, tickUpper: 60 }, 6n),
        changeByContract({ tickLower: -60, tickUpper: 60 }, -4n),
        ...minted(1, { to: creator }, 4n),
      ],
      'safe i0.40 c0.60',
    ],
  ]
  for (const [name, facts, expected] of cases) it(name, () => expect(told(...facts)).to.equal(expected))

  const held: readonly [string, readonly ChainAFact[], number][] = [
    ['an NFT that was emptied, because its owner may add again', minted(1, { to: adder }, 0n), 1],
    [
      'a burned NFT whose liquidity is left',
      [transferNft({ id: 1, to: zeroAddress }), addToNft({ id: 1, liquidity: 1n })],
      1,
    ],
    ['no burned NFT without liquidity', [...minted(1, { to: adder }, 5n), ...burnNft({ id: 1, liquidity: 5n })], 0],
    [
      'no emptied NFT whose owner never was seen',
      [addToNft({ id: 9, liquidity: 4n }), removeFromNft({ id: 9, liquidity: 4n })],
      0,
    ],
    [
      'no emptied position of a contract',
      [changeByContract({ txSender: adder }, 5n), changeByContract({ txSender: adder }, -5n)],
      0,
    ],
  ]
  for (const [name, facts, count] of held)
    it(`keeps ${name}`, () => expect(countOf(ownershipAfter(facts).positions)).to.equal(count))

  it('of one unit is counted among many positions', () => {
    const many = Array.from({ length: 80 }, (_, id) => minted(id, { to: creator }, 1n)).flat()
    const ownership = ownershipAfter(many)
    expect(sumLiquidity(ownership).insider).to.equal(80n)
    for (const [id, to] of [stranger, deadAddress, zeroAddress].entries()) apply(ownership, transferNft({ id, to }))
    apply(ownership, removeFromNft({ id: 99, liquidity: 5n }))
    const sums = { insider: 77n, burned: 2n, contract: 0n, other: 1n, unknown: 0n }
    expect(sumLiquidity(ownership)).to.deep.equal(sums)
  })

  it('counts adds and remembers the first, pokes being neither', () => {
    const { lpAdds, firstAddAtMs } = profileAfter([
      removeFromNft({ id: 1, liquidity: 0n, blockAtMs: second(5) }),
      ...mintNft({ id: 1, to: adder, liquidity: 5n, blockAtMs: second(10) }),
      addToNft({ id: 1, liquidity: 5n, blockAtMs: second(20) }),
      removeFromNft({ id: 1, liquidity: 5n, blockAtMs: second(30) }),
    ])
    expect({ lpAdds, firstAddAtMs }).to.deep.equal({ lpAdds: 2, firstAddAtMs: second(10) })
  })
})
