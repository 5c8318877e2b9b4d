/** What the log holds of the chain, read back from its end; facts and ticks that a revert took back are left out. */
import type { Log } from '../infra/log/log.ts'
import { dataOf, scan, type TypedPartition } from '../infra/log/scan.ts'
import { type ChainAFact, isAnswer } from '../schemas/chain-a/facts.ts'
import type { Tick } from '../schemas/tick.ts'
import type { IngestCodecs } from './codecs.ts'
import { type BlockHeader, factIdOf, type KnownAddresses, type KnownChain } from './source.ts'

export type KnownChainOptions = Readonly<{
  log: Log
  codecs: Pick<IngestCodecs, 'facts'>
  partitionCount: number
  book: KnownAddresses
}>

export function createKnownChain({ log, codecs, partitionCount, book }: KnownChainOptions): KnownChain {
  const readerOf = (partition: number) => ({ log, topic: 'chain-a-facts', partition, codec: codecs.facts }) as const
  return {
    book,
    async blocksFrom(blockNumber) {
      const { ticks } = await readLiving(readerOf(0), blockNumber)
      const firstIndex = ticks.findIndex(({ number }) => number >= blockNumber)
      return firstIndex < 0 ? ticks.slice(-1) : ticks.slice(Math.max(0, firstIndex - 1))
    },
    async factIdsFrom(blockNumber) {
      const ids = new Map<number, Set<string>>()
      for (let partition = 0; partition < partitionCount; partition++) {
        const { facts } = await readLiving(readerOf(partition), blockNumber)
        for (const fact of facts) {
          if (fact.blockNumber < blockNumber) continue
          const known = ids.get(fact.blockNumber)
          if (known) known.add(factIdOf(fact))
          else ids.set(fact.blockNumber, new Set([factIdOf(fact)]))
        }
      }
      return ids
    },
  }
}

type FactPlace = Pick<ChainAFact['data'], 'blockNumber' | 'blockHash' | 'logIndex'>
type Living = Readonly<{ facts: readonly FactPlace[]; ticks: readonly BlockHeader[] }>

/** All that lives of the blocks from a number on in one partition, and some of what is older. */
async function readLiving(reader: TypedPartition, blockNumber: number): Promise<Living> {
  const fold = createFold()
  await scan(reader, await offsetBefore(reader, blockNumber), ({ value }) => {
    const type = value && reader.codec.typeOf(value)
    if (type === 'Tick') fold.close(dataOf<Tick>(reader, type, value) as Tick)
    else if (type && !isAnswer({ type })) fold.add(dataOf<FactPlace>(reader, type, value) as FactPlace)
    return undefined
  })
  return fold.living()
}

function createFold() {
  let facts: FactPlace[] = []
  let ticks: BlockHeader[] = []
  let open: FactPlace[] = []
  return {
    add: (fact: FactPlace) => {
      open.push(fact)
    },
    close: ({ revertedFrom, blockNumber, blockHash, blockAtMs }: Tick) => {
      if (revertedFrom !== null) {
        // The new branch stands between the tick before and this one.
        facts = facts.filter((fact) => fact.blockNumber < revertedFrom)
        ticks = ticks.filter((tick) => tick.number < revertedFrom)
      }
      facts.push(...open)
      open = []
      if (ticks.at(-1)?.number !== blockNumber) ticks.push({ number: blockNumber, hash: blockHash, atMs: blockAtMs })
    },
    living: (): Living => ({ facts, ticks }),
  }
}

/** Looked back over at first; four times as many each further time. */
const lookBackCount = 1024

/**
 * Nothing that lives of blocks from this number on stands before it: where a tick closed an older block, what stood before
 * that tick was older too, or a revert between took it back.
 */
async function offsetBefore(reader: TypedPartition, blockNumber: number): Promise<number> {
  const { startOffset, endOffset } = await reader.log.bounds(reader.topic, reader.partition)
  for (let count = lookBackCount; ; count *= 4) {
    const fromOffset = Math.max(startOffset, endOffset - count)
    if (fromOffset === startOffset || (await holdsTickBefore(reader, fromOffset, blockNumber))) return fromOffset
  }
}

async function holdsTickBefore(reader: TypedPartition, fromOffset: number, blockNumber: number): Promise<boolean> {
  let isFound = false
  await scan(reader, fromOffset, ({ value }) => {
    const tick = dataOf<Tick>(reader, 'Tick', value)
    isFound = tick !== null && tick.blockNumber < blockNumber
    return isFound ? 'stop' : undefined
  })
  return isFound
}
