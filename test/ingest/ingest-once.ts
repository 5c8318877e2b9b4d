import { isOperationError } from '../../infra/errors.ts'
import type { ChainPublisher } from '../../ingest/publish.ts'
import type { Random } from '../../ingest/simulated/random.ts'
import type { ChainSource, ChainTypes } from '../../ingest/source.ts'

export type Session<Types extends ChainTypes> = Readonly<{
  source: ChainSource<Types>
  open(): Promise<ChainPublisher<Types>>
  random: Random
  isEnd(block: number): boolean
}>

/**
 * Runs ingest until the end of the chain, and then returns true. Returns false at a failure, such as a crash
 * before or after an append. The caller then starts it again.
 */
export async function ingestOnce<Types extends ChainTypes>({
  source,
  open,
  random,
  isEnd,
}: Session<Types>): Promise<boolean> {
  const publisher = await open()
  try {
    for await (const range of source.ranges(publisher.cursor(), publisher.known, new AbortController().signal)) {
      if (random.chance(0.02)) return false
      await publisher.publish(range, null)
      if (random.chance(0.05)) await publisher.repeat(null)
      if (isEnd(range.head.number)) return true
      if (random.chance(0.02)) return false
    }
  } catch (error) {
    if (!isOperationError(error)) throw error
  }
  return false
}
