/**
 * Reads the recent blocks and facts of a chain from the end of its Kafka topic. Leaves out facts and ticks
 * that a reorg removed. A tick is the record that closes a time step and names the newest block.
 */
import type { Log } from '../infra/log/log.ts'
import { dataOf, scan, type TypedPartition } from '../infra/log/scan.ts'
import type { Block, Stage, StageTypes } from '../schemas/stage.ts'
import type { Tick } from '../schemas/tick.ts'
import type { BlockNumber } from '../schemas/units.ts'
import type { ChainDefinition } from './chain.ts'
import type { IngestCodecs } from './codecs.ts'
import type { ChainTypes, KeyedFact, KnownChain } from './source.ts'

type KnownChainOptions<Types extends ChainTypes> = Readonly<{
  chain: Pick<ChainDefinition<Types>, 'stage' | 'factIdOf'>
  log: Log
  codecs: Pick<IngestCodecs, 'facts'>
  book: Types['known']
}>

export function createKnownChain<Types extends ChainTypes>(
  options: KnownChainOptions<Types>,
): KnownChain<Types['known'], Types['stage']['fact']> {
  const { chain, log, codecs, book } = options
  const { stage } = chain
  const { name: topic, partitionCount } = stage.factTopic
  const canonicalFrom = (partition: number, blockNumber: BlockNumber, isWanted: IsWanted = () => true) =>
    readCanonical({ log, topic, partition, codec: codecs.facts }, stage, { blockNumber, isWanted })
  return {
    book,
    async blocksFrom(blockNumber) {
      const { ticks } = await canonicalFrom(0, blockNumber)
      const firstIndex = ticks.findIndex(({ number }) => number >= blockNumber)
      return firstIndex < 0 ? ticks.slice(-1) : ticks.slice(Math.max(0, firstIndex - 1))
    },
    async factIdsFrom(blockNumber) {
      const ids = new Map<number, Set<string>>()
      for (let partition = 0; partition < partitionCount; partition++) {
        const { facts } = await canonicalFrom(partition, blockNumber)
        for (const { fact } of facts) {
          const number = stage.blockNumberOf(fact)
          if (number < blockNumber) continue
          const known = ids.get(number)
          if (known) known.add(chain.factIdOf(fact))
          else ids.set(number, new Set([chain.factIdOf(fact)]))
        }
      }
      return ids
    },
    async factsFrom(blockNumber, isWanted) {
      const found: KeyedFact<Types['stage']['fact']>[] = []
      for (let partition = 0; partition < partitionCount; partition++) {
        const { facts } = await canonicalFrom(partition, blockNumber, isWanted)
        for (const keyed of facts) if (stage.blockNumberOf(keyed.fact) >= blockNumber) found.push(keyed)
      }
      return found
    },
  }
}

type IsWanted = (type: string, key: string) => boolean
type CanonicalFacts<Fact extends StageTypes['fact']> = Readonly<{
  facts: readonly KeyedFact<Fact>[]
  ticks: readonly Block[]
}>

/**
 * Reads the wanted facts and all ticks of one partition from block `blockNumber` on. The result also contains
 * some from before that block. Facts and ticks that a reorg removed are left out.
 */
async function readCanonical<Types extends StageTypes>(
  reader: TypedPartition,
  stage: Stage<Types>,
  { blockNumber, isWanted }: Readonly<{ blockNumber: BlockNumber; isWanted: IsWanted }>,
): Promise<CanonicalFacts<Types['fact']>> {
  const fold = createFold(stage)
  await scan(reader, await offsetBefore(reader, blockNumber), ({ key, value }) => {
    if (!value) return undefined
    const type = reader.codec.typeOf(value)
    if (type === 'Tick') fold.close(reader.codec.decode(value).data as Tick)
    else if (!stage.isAnswer({ type }) && isWanted(type, key)) fold.add({ key, fact: reader.codec.decode(value) })
    return undefined
  })
  return fold.canonical()
}

function createFold<Types extends StageTypes>(stage: Stage<Types>) {
  type Fact = Types['fact']
  let facts: KeyedFact<Fact>[] = []
  let ticks: Block[] = []
  let open: KeyedFact<Fact>[] = []
  return {
    add: (keyed: KeyedFact<Fact>) => {
      open.push(keyed)
    },
    close: ({ revertedFrom, blockNumber, blockHash, blockAtMs }: Tick) => {
      if (revertedFrom !== null) {
        // The facts of the new branch were written after the previous tick. They are in `open`, so this
        // filter does not remove them.
        facts = facts.filter(({ fact }) => stage.blockNumberOf(fact) < revertedFrom)
        // If the newest block is still the same, the reorg only adds missing facts. The earlier blocks are
        // also the same, because each block names its parent. So the ticks stay valid.
        const last = ticks.at(-1)
        // If the time of the newest block was corrected, earlier ticks may have wrong times. So these ticks
        // are removed too.
        const isSameBranch = last?.number === blockNumber && last.hash === blockHash && last.atMs === blockAtMs
        if (!isSameBranch) ticks = ticks.filter((tick) => tick.number < revertedFrom)
      }
      facts.push(...open)
      open = []
      if (ticks.at(-1)?.number !== blockNumber) ticks.push({ number: blockNumber, hash: blockHash, atMs: blockAtMs })
    },
    canonical: (): CanonicalFacts<Fact> => ({ facts, ticks }),
  }
}

/**
 * The number of records that the first search reads from the end of the partition. Each further search reads
 * four times as many.
 */
const lookBackCount = 1024

/**
 * Returns an offset before all valid facts of the blocks from `blockNumber` on. The function searches
 * backwards for a tick of an older block. All valid facts before that tick belong to older blocks.
 */
async function offsetBefore(reader: TypedPartition, blockNumber: BlockNumber): Promise<number> {
  const { startOffset, endOffset } = await reader.log.bounds(reader.topic, reader.partition)
  for (let count = lookBackCount; ; count *= 4) {
    const fromOffset = Math.max(startOffset, endOffset - count)
    if (fromOffset === startOffset || (await holdsTickBefore(reader, fromOffset, blockNumber))) return fromOffset
  }
}

async function holdsTickBefore(reader: TypedPartition, fromOffset: number, blockNumber: BlockNumber): Promise<boolean> {
  let isFound = false
  await scan(reader, fromOffset, ({ value }) => {
    const tick = dataOf<Tick>(reader, 'Tick', value)
    isFound = tick !== null && tick.blockNumber < blockNumber
    return isFound ? 'stop' : undefined
  })
  return isFound
}
