/**
 * Generates random changes of liquidity positions, as the contracts would execute them. Also gives them as
 * the facts and ticks of a log with reorgs.
 */
import fc from 'fast-check'
import type { ChainAFact } from '../../../../schemas/chain-a/facts.ts'
import type { ChainATypes } from '../../../../schemas/chain-a/stage.ts'
import type { Hex } from '../../../../schemas/units.ts'
import type { KeyedRecord } from '../../../replay/keyed-record.ts'
import { buildAddress, buildPoolCreated, buildTick, second, testToken } from '../../../support/builders/build-facts.ts'
import {
  addToNft,
  burnNft,
  changeByContract,
  deadAddress,
  mintNft,
  removeFromNft,
  transferNft,
} from '../../../support/builders/build-positions.ts'

export const creator = buildAddress(0xc0)
const wallets = [creator, buildAddress(0xc1), buildAddress(0xc2), deadAddress, buildAddress(0xc3)]
const walletAt = (index: number) => wallets[index % wallets.length] as Hex

type Step = Readonly<{ what: number; id: number; wallet: number; size: bigint; part: number; newBlock: boolean }>

const step: fc.Arbitrary<Step> = fc.record({
  what: fc.nat(6),
  id: fc.integer({ min: 1, max: 4 }),
  wallet: fc.nat(wallets.length - 1),
  size: fc.bigInt({ min: 1n, max: 10n ** 30n }),
  part: fc.integer({ min: 0, max: 100 }),
  newBlock: fc.boolean(),
})

/**
 * The liquidity of each position. The random steps use it so that they never move or remove more liquidity
 * than there is.
 */
type Book = Readonly<{ held: Map<string, bigint>; burned: Set<number> }>
type Place = Readonly<{ blockAtMs: number }>

export const chain = fc.array(step, { maxLength: 60 }).map(chainOf)

function chainOf(steps: readonly Step[]): ChainAFact[] {
  const book: Book = { held: new Map(), burned: new Set() }
  const atSeconds = secondsOf(steps)
  return steps.flatMap((wish, index) => {
    const place = { blockAtMs: second(atSeconds[index] ?? 0) }
    return wish.what >= 5 ? [contractStep(book, wish, place)] : nftStep(book, wish, place)
  })
}

/** The pool is created at second 0. */
function secondsOf(steps: readonly Step[]): readonly number[] {
  let atSecond = 1
  return steps.map(({ newBlock }) => {
    if (newBlock) atSecond += 1
    return atSecond
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

/**
 * There are so many positions that the stage keeps sums of them instead of adding them up each time. Every
 * wallet owns some.
 */
export const crowd: readonly ChainAFact[] = Array.from({ length: 80 }, (_, index) =>
  mintNft({
    id: 1000 + index,
    to: walletAt(index),
    txSender: creator,
    liquidity: 10n ** 28n + BigInt(index),
    blockAtMs: second(0),
  }),
).flat()

type ReorgedLog = Readonly<{
  /** Facts and ticks in the order in which ingest appends them. The creation of the pool comes first. */
  records: readonly KeyedRecord<ChainATypes>[]
  reorgCount: number
  /** The facts that no reorg removed, without the creation of the pool. */
  living: readonly ChainAFact[]
}>

/**
 * A new branch: `steps` replace the last `cut` steps of the branch before. If `isWhole`, one tick closes the
 * whole new branch.
 */
const branch = fc.record({ steps: fc.array(step, { maxLength: 25 }), cut: fc.nat(30), isWhole: fc.boolean() })

export const reorgedLog: fc.Arbitrary<ReorgedLog> = fc
  .tuple(fc.array(branch, { minLength: 2, maxLength: 5 }), fc.constantFrom([], crowd))
  .map(([branches, before]) => {
    const teller = new Teller()
    teller.tell([buildPoolCreated({ blockAtMs: second(0), txSender: creator }), ...before], 0)
    let kept: readonly Step[] = []
    for (const { steps, cut, isWhole } of branches) {
      const common = kept.slice(0, Math.max(0, kept.length - cut))
      const next = [...common, ...steps]
      // Some unchanged steps are in the first changed block, so they are published again with this block.
      const changed = [kept, next].flatMap((its) => secondsOf(its)[common.length] ?? [])
      if (changed.length > 0) teller.tellFrom(Math.min(...changed), chainOf(next), isWhole)
      kept = next
    }
    return { records: teller.records, reorgCount: teller.reorgCount, living: [...before, ...chainOf(kept)] }
  })

class Teller {
  readonly records: KeyedRecord<ChainATypes>[] = []
  reorgCount = 0
  #headSecond = -1
  #seq = 0

  tell(facts: readonly ChainAFact[], headSecond: number, revertedFrom: number | null = null): void {
    for (const record of facts) this.records.push({ key: testToken, record })
    this.#seq += 1
    const known = { seq: this.#seq, knownAtMs: second(99_999), revertedFrom }
    this.records.push({
      key: 'tick',
      record: { type: 'Tick', data: buildTick({ ...known, blockAtMs: second(headSecond) }) },
    })
    this.#headSecond = headSecond
  }

  tellFrom(fromSecond: number, facts: readonly ChainAFact[], isWhole: boolean): void {
    const isReorg = fromSecond <= this.#headSecond
    const told = facts.filter(({ data }) => data.blockAtMs >= second(fromSecond))
    const times = [...new Set(told.map(({ data }) => data.blockAtMs))]
    const ends = isWhole ? times.slice(-1) : times
    let revertedFrom = isReorg ? 1000 + fromSecond : null
    this.reorgCount += isReorg ? 1 : 0
    if (isReorg && ends.length === 0) this.tell([], fromSecond - 1, revertedFrom)
    for (const [index, endMs] of ends.entries()) {
      const isOf = ({ data }: ChainAFact) => data.blockAtMs <= endMs && data.blockAtMs > (ends[index - 1] ?? 0)
      this.tell(told.filter(isOf), (endMs - second(0)) / 1000, revertedFrom)
      revertedFrom = null
    }
  }
}
