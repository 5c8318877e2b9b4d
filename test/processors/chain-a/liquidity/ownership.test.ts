import { expect } from 'chai'
import fc from 'fast-check'
import {
  noLiquidity,
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
import { buildAddress, buildPoolCreated, second, testToken } from '../../../support/build-facts.ts'
import {
  addToNft,
  burnNft,
  changeByContract,
  deadAddress,
  mintNft,
  removeFromNft,
  transferNft,
  zeroAddress,
} from '../../../support/build-positions.ts'

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

/** `held i0.50 b0.50`: the class and the shares that are not 0. */
function told(...facts: readonly ChainAFact[]): string {
  const profile = profileAfter(facts)
  const shares = (['insider', 'burned', 'contract', 'other', 'unknown'] as const).flatMap((bucket) => {
    const share = profile[`${bucket}Share`]
    return share === 0 ? [] : [`${bucket[0]}${share.toFixed(2)}`]
  })
  return [profile.class, ...shares].join(' ')
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

type Step = Readonly<{ what: number; id: number; wallet: number; size: bigint; part: number; newBlock: boolean }>

const wallets = [creator, adder, stranger, deadAddress, buildAddress(0xc3)]
const walletAt = (index: number) => wallets[index % wallets.length] as Hex
const step: fc.Arbitrary<Step> = fc.record({
  what: fc.nat(6),
  id: fc.integer({ min: 1, max: 4 }),
  wallet: fc.nat(wallets.length - 1),
  size: fc.bigInt({ min: 1n, max: 10n ** 30n }),
  part: fc.integer({ min: 0, max: 100 }),
  newBlock: fc.boolean(),
})

/** What the contracts hold, so that nothing is moved or taken out that is not there. */
type Book = Readonly<{ held: Map<string, bigint>; burned: Set<number> }>
type Place = Readonly<{ blockAtMs: number }>

/** A chain that the contracts would make of the wishes. */
function chainOf(steps: readonly Step[]): ChainAFact[] {
  const book: Book = { held: new Map(), burned: new Set() }
  let atSecond = 1
  return steps.flatMap((wish): ChainAFact[] => {
    if (wish.newBlock) atSecond += 1
    const place = { blockAtMs: second(atSecond) }
    return wish.what >= 5 ? [contractStep(book, wish, place)] : nftStep(book, wish, place)
  })
}

function contractStep({ held }: Book, { what, id, size, part }: Step, place: Place): ChainAFact {
  const before = held.get(`contract ${id}`) ?? 0n
  const change = what === 5 ? size : -(before * BigInt(part)) / 100n
  held.set(`contract ${id}`, before + change)
  const range = { owner: buildAddress(0xd0), tickLower: -60 * id, tickUpper: 60, txSender: walletAt(part) }
  return changeByContract({ ...place, ...range }, change)
}

function nftStep(book: Book, { what, id, wallet, size, part }: Step, place: Place): ChainAFact[] {
  const { held, burned } = book
  const nft = { ...place, id }
  const before = held.get(`nft ${id}`)
  const hold = (liquidity: bigint) => held.set(`nft ${id}`, liquidity)
  if (before === undefined) {
    hold(size)
    return mintNft({ ...nft, to: walletAt(wallet), liquidity: size, txSender: walletAt(part) })
  }
  if (burned.has(id)) return []
  if (what === 0) return [transferNft({ ...nft, to: walletAt(wallet) })]
  if (what === 1) {
    hold(before + size)
    return [addToNft({ ...nft, liquidity: size, txSender: walletAt(part) })]
  }
  if (what === 2 && part < 30) {
    burned.add(id)
    return burnNft({ ...nft, liquidity: before })
  }
  const taken = (before * BigInt(part)) / 100n
  hold(before - taken)
  return [removeFromNft({ ...nft, liquidity: taken })]
}

/** The chain after reorgs: each takes the last blocks away, and other steps follow. */
const reorgedChain = fc
  .array(fc.tuple(fc.array(step, { maxLength: 25 }), fc.nat(30)), { minLength: 1, maxLength: 4 })
  .map((branches) =>
    branches.reduce<Step[]>((kept, [steps, cut]) => [...kept.slice(0, Math.max(0, kept.length - cut)), ...steps], []),
  )
  .map(chainOf)

/** So many positions that what they add up to is remembered and moved, with as many owners as there are wallets. */
const crowd: readonly ChainAFact[] = Array.from({ length: 80 }, (_, index) =>
  mintNft({
    id: 1000 + index,
    to: walletAt(index),
    txSender: creator,
    liquidity: 10n ** 28n + BigInt(index),
    blockAtMs: second(1),
  }),
).flat()

/** From scratch, position by position over all facts, in fractions of a million million. */
function recomputed(facts: readonly ChainAFact[]) {
  const changes = facts.flatMap((fact) => (fact.type === 'LiquidityChanged' ? [fact.data] : []))
  const transfers = facts.flatMap((fact) => (fact.type === 'PositionTransferred' ? [fact.data] : []))
  const senders = changes.filter(({ liquidityDelta }) => liquidityDelta > 0n).map(({ txSender }) => txSender)
  const isInsider = (owner: string) => owner === creator || senders.some((sender) => sender === owner)
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
  const isHalf = (size: bigint) => size + size >= total
  const known = isHalf(sizeOf('insider')) ? 'held' : isHalf(sizeOf('burned', 'contract', 'other')) ? 'safe' : 'unknown'
  return {
    class: total === 0n ? 'empty' : known,
    shares: [share('insider'), share('burned'), share('contract'), share('other')],
    lpAdds: changes.filter(({ liquidityDelta }) => liquidityDelta > 0n).length,
  }
}

describe('any interleaving of adds, transfers, removals and reorgs', () => {
  const holds = (facts: readonly ChainAFact[]) => {
    const profile = profileAfter(facts)
    const expected = recomputed(facts)
    const { insiderShare, burnedShare, contractShare, otherShare, unknownShare } = profile
    const shares = [insiderShare, burnedShare, contractShare, otherShare]
    const sum = [...shares, unknownShare].reduce((total, share) => total + share, 0)
    expect(sum).to.be.closeTo(profile.class === 'empty' ? 0 : 1, 1e-9)
    for (const [index, share] of shares.entries()) expect(share).to.be.closeTo(expected.shares[index] ?? -1, 1e-9)
    expect(profile.class).to.equal(expected.class)
    expect(profile.lpAdds).to.equal(expected.lpAdds)
  }

  it('gives shares that sum to 1 or are all 0, and equal a recomputation', () =>
    fc.assert(fc.property(reorgedChain, holds), { numRuns: 300 }))

  it('gives the same among many positions', () =>
    fc.assert(
      fc.property(reorgedChain, (facts) => holds([...crowd, ...facts])),
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
