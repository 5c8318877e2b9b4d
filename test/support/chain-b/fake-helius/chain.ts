/**
 * Simulates a chain that grows and has reorgs. Each block links to the block before it, and some slots have
 * no block. Transactions wait in a queue for a block.
 */
import { createHash } from 'node:crypto'
import { base58 } from '@scure/base'
import { createRandom } from '../../../../ingest/simulated/random.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { signatureOf } from '../encode-events.ts'
import { lostLaunch, type ScriptedTransaction, scriptOf } from './script.ts'

export type FakeTransaction = Readonly<{ signature: string; scripted: ScriptedTransaction }>

export type FakeBlock = Readonly<{
  slot: number
  hash: Hex
  parentSlot: number
  parentHash: Hex
  atSec: number
  transactions: readonly FakeTransaction[]
}>

const firstSlot = 1000
const startSecDefault = 1_700_000_000

export const hashText = (hash: Hex): string => base58.encode(Buffer.from(hash.slice(2), 'hex'))

export type FakeChain = Readonly<{
  blocks(): readonly FakeBlock[]
  head(): FakeBlock
  blockAt(slot: number): FakeBlock | undefined
  /** Adds `count` blocks. With `isBusy`, each block has a transaction even if the queue is empty. */
  grow(count: number, isBusy?: boolean): readonly FakeBlock[]
  /** Replaces the newest blocks. Their transactions return to the queue. */
  replace(count: number): readonly FakeBlock[]
  queued(): number
}>

/** Creates the chain. `startSec` is the time of the first block, in seconds. */
export async function createFakeChain(seed: number, startSec = startSecDefault): Promise<FakeChain> {
  const random = createRandom(seed, 60)
  let lostCount = 0
  let number = seed * 100_000
  const queue: FakeTransaction[] = (await scriptOf(seed)).map((scripted) => ({
    signature: signatureOf(++number),
    scripted,
  }))
  const blocks: FakeBlock[] = []
  let made = 0

  const hashOf = (slot: number): Hex => `0x${createHash('sha256').update(`${seed}:${slot}:${++made}`).digest('hex')}`

  const take = (isBusy: boolean): readonly FakeTransaction[] => {
    const taken = queue.splice(0, random.whole(0, 4))
    if (random.chance(0.1) || (isBusy && taken.length === 0))
      taken.push({ signature: signatureOf(++number), scripted: lostLaunch(seed, lostCount++) })
    return taken
  }

  const add = (isBusy: boolean): FakeBlock => {
    const parent = blocks.at(-1)
    const slot = (parent?.slot ?? firstSlot - 1) + (random.chance(0.12) ? random.whole(2, 4) : 1)
    const block: FakeBlock = {
      slot,
      hash: hashOf(slot),
      parentSlot: parent?.slot ?? slot - 1,
      parentHash: parent?.hash ?? `0x${'00'.repeat(32)}`,
      atSec: startSec + Math.floor((slot - firstSlot) * 0.4),
      transactions: take(isBusy),
    }
    blocks.push(block)
    return block
  }
  const grow = (count: number, isBusy = false) => Array.from({ length: count }, () => add(isBusy))

  return {
    blocks: () => blocks,
    head: () => blocks.at(-1) as FakeBlock,
    blockAt: (slot) => blocks.find((block) => block.slot === slot),
    grow,
    replace(count) {
      const gone = blocks.splice(-count)
      queue.unshift(...gone.flatMap(({ transactions }) => transactions.filter(({ scripted }) => !scripted.isLost)))
      return grow(count + random.whole(0, 1))
    },
    queued: () => queue.length,
  }
}
