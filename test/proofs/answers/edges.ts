/**
 * Mints with values exactly at the bounds of the rules. Random trades hardly ever reach these bounds. The
 * mints are traded beside the simulated trades of a day.
 */
import { base58OfHex } from '../../../infra/base58.ts'
import { slotAt, slotAtMs, slotOf } from '../../../ingest/chain-b/simulated/slots.ts'
import type { ChainBAnswer, ChainBFact } from '../../../schemas/chain-b/facts.ts'
import type { Hex } from '../../../schemas/units.ts'
import { buildKey } from '../../support/chain-b/build-facts.ts'
import { type Scene, scenes } from './scenes.ts'

type KeyedFact = Readonly<{ key: string; fact: ChainBFact }>
type Holders = NonNullable<Extract<ChainBAnswer, { type: 'HoldersAnswered' }>['data']['holders']>

export type Edges = Readonly<{
  /** The facts of these slots in chain order. They come after the market's facts of the same slot. */
  factsOf(fromSlot: number, toSlot: number): readonly KeyedFact[]
  /** Null: the mint is not in a scene. */
  holdersOf(mint: Hex): Holders | null
}>

const seed = 0
/** The first transaction index of these facts. It is higher than every index of the simulated trades. */
const firstTxIndex = 100_000
/**
 * The time between the starts of two pairs of scenes, in milliseconds. A scene is the trade history of one
 * mint. The scenes of a pair start together, so that their bursts have the same second.
 */
const everyMs = 3_000

/** `startAtMs` is second 0 of the first scene. */
export function createEdges(startAtMs: number): Edges {
  const facts = scenes.flatMap((scene, index) => factsOf(scene, index, startAtMs + Math.floor(index / 2) * everyMs))
  const ordered = facts.map(inOrder).sort(bySlot)
  const holders = new Map(scenes.map((scene, index) => [mintOf(index), scene.holders ?? []]))
  return {
    factsOf: (fromSlot, toSlot) =>
      ordered.filter(({ fact }) => fact.data.blockNumber >= fromSlot && fact.data.blockNumber <= toSlot),
    holdersOf: (mint) => holders.get(mint)?.map(([owner, tokenRaw]) => ({ owner, tokenRaw })) ?? null,
  }
}

const mintOf = (index: number): Hex => buildKey(0x1000 + index)

/** The names of the scenes, by mint in base58. A name makes a reported difference easier to read. */
export const sceneNames: ReadonlyMap<string, string> = new Map(
  scenes.map(({ name }, index) => [base58OfHex(mintOf(index)), name]),
)

function factsOf({ steps }: Scene, index: number, startAtMs: number): readonly KeyedFact[] {
  const key = base58OfHex(mintOf(index))
  return steps.map(({ sec, nth, build }) => {
    const slot = slotOf(seed, slotInSecond(startAtMs + sec * 1000, nth))
    return { key, fact: build({ blockNumber: slot.number, blockAtMs: slot.atMs, blockHash: slot.hash }) }
  })
}

/** A second has two or three slots. */
function slotInSecond(secondMs: number, nth: number): number {
  let slot = slotAt(secondMs)
  while (slotAtMs(slot) < secondMs) slot++
  return slot + nth
}

// Changes only the place of the fact in its slot. The cast is needed because the compiler does not follow the
// spread of a union type.
const inOrder = ({ key, fact }: KeyedFact, index: number): KeyedFact => ({
  key,
  fact: { ...fact, data: { ...fact.data, txIndex: firstTxIndex + index, logIndex: 0 } } as ChainBFact,
})

const bySlot = (one: KeyedFact, other: KeyedFact): number =>
  one.fact.data.blockNumber - other.fact.data.blockNumber || one.fact.data.txIndex - other.fact.data.txIndex
