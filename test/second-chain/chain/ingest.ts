/** Adds the second chain to ingest. In the service, this code would be in `ingest/<chain>/`. */
import { OperationError } from '../../../infra/errors.ts'
import type { AddressBookDefinition, Chain } from '../../../ingest/chain.ts'
import { delay } from '../../../ingest/delay.ts'
import type { FactRange, KeyedFact, KnownChain } from '../../../ingest/source.ts'
import { type Block, reorgBlocksMaxDefault } from '../../../schemas/stage.ts'
import type { Hex } from '../../../schemas/units.ts'
import { type MintAddress, mintLifeMs, type SecondTypes, secondStage } from './schemas.ts'

/** An event of a mint in a slot. */
export type SlotEvent =
  | Readonly<{ type: 'Minted'; mint: string; creator: string }>
  | Readonly<{ type: 'Bought'; mint: string; buyer: string; lamports: bigint }>

type Slot = Block & Readonly<{ events: readonly SlotEvent[] }>

/** A node of the chain. It returns the slots of its current branch. */
export type SlotNode = Readonly<{
  /**
   * Returns the slots after `number` up to the newest slot, the oldest first. A slot without a block is left
   * out.
   */
  slotsAfter(number: number): Promise<readonly Slot[]>
  /** Returns null if the branch has no such slot. */
  hashOf(number: number): Promise<Hex | null>
}>

/** The slot in which each mint was created, by the mint's address. */
type KnownMints = ReadonlyMap<string, number>
export type SecondIngestTypes = Readonly<{ stage: SecondTypes; address: MintAddress; known: KnownMints }>

const addressBook: AddressBookDefinition<SecondIngestTypes> = {
  keyPrefix: 'second/',
  forgetAfterMs: 3_600_000,
  keyOf: ({ data }) => data.mint,
  createMaps() {
    const slots = new Map<string, number>()
    const mintedAtMs = new Map<string, number>()
    return {
      known: slots,
      put({ data }) {
        slots.set(data.mint, data.slot)
        mintedAtMs.set(data.mint, data.mintedAtMs)
      },
      drop(mint) {
        slots.delete(mint)
        mintedAtMs.delete(mint)
      },
      expired: (atMs) => [...mintedAtMs].flatMap(([mint, sinceMs]) => (atMs - sinceMs > mintLifeMs ? [mint] : [])),
    }
  },
}

type SecondOptions = Readonly<{ node: SlotNode; startSlot: number; pollMs: number }>

export const openSecondChain = (options: SecondOptions): Chain<SecondIngestTypes> => ({
  stage: secondStage,
  addressBook,
  factIdOf: ({ data }) => `${data.slotHash}:${data.index}`,
  orderInBlock: ({ data }) => data.index,
  source: {
    kind: 'recorded',
    async *ranges(cursor, known, signal) {
      let last = cursor
      while (!signal.aborted) {
        const range = await nextRange(options, known, last)
        if (range === null) await delay(options.pollMs, signal)
        else yield range
        last = range?.head ?? last
      }
    },
  },
  readPrice: null,
  lookups: [],
})

/**
 * Returns the next range of slots, or null if the node has nothing new. After a reorg, the range begins after
 * the newest known slot that is still on the node's branch.
 */
async function nextRange(
  { node, startSlot }: SecondOptions,
  known: KnownChain<KnownMints>,
  last: Block | null,
): Promise<FactRange<SecondIngestTypes> | null> {
  const base = last && (await forkOf(node, known, last))
  const fromBlock = base === null ? startSlot : base.number + 1
  const slots = await node.slotsAfter(fromBlock - 1)
  const head = slots.at(-1)
  if (head === undefined) return null
  const newAddresses = slots.flatMap((slot) => slot.events.flatMap((event) => addressOf(event, slot)))
  const staleAddresses = [...known.book].flatMap(([mint, slot]) => (slot < fromBlock ? [] : [mint]))
  const followed = new Set(known.book.keys())
  for (const mint of staleAddresses) followed.delete(mint)
  for (const { data } of newAddresses) followed.add(data.mint)
  const facts = slots.flatMap(factsOf).filter(({ key }) => followed.has(key))
  const { number, hash, atMs } = head
  const range = { fromBlock, head: { number, hash, atMs }, facts, newAddresses, staleAddresses }
  return base === last ? range : { ...range, revertedFrom: fromBlock }
}

const addressOf = ({ type, mint }: SlotEvent, { number: slot, atMs: mintedAtMs }: Block): readonly MintAddress[] =>
  type === 'Minted' ? [{ type: 'MintAddress', data: { mint, slot, mintedAtMs } }] : []

const factsOf = ({ number: slot, hash: slotHash, atMs: slotAtMs, events }: Slot): KeyedFact<SecondTypes['fact']>[] =>
  events.map(({ type, mint, ...its }, index) => {
    const data = { slot, slotHash, slotAtMs, index, ...its }
    return { key: mint, fact: { type, data } as SecondTypes['fact'] }
  })

/** Returns the newest known block that is still on the node's branch. */
async function forkOf(node: SlotNode, known: KnownChain<KnownMints>, last: Block): Promise<Block> {
  if ((await node.hashOf(last.number)) === last.hash) return last
  const closed = await known.blocksFrom(last.number - reorgBlocksMaxDefault)
  for (const block of [...closed].reverse()) if ((await node.hashOf(block.number)) === block.hash) return block
  throw new OperationError('reorg_too_deep', `no slot since ${closed[0]?.number} is on the branch of the node`)
}
