import { OperationError } from '../infra/errors.ts'
import type { Block } from '../schemas/stage.ts'
import type { ChainDefinition } from './chain.ts'
import type { ChainTypes, FactRange } from './source.ts'

/**
 * Refuses a range that skips, repeats or reorders blocks or facts, because the log would keep the error.
 * Fails with `node_inconsistent`, which is retryable. Ingest then starts again after the last tick and reads
 * the range again.
 */
export function assertFollows<Types extends ChainTypes>(
  { stage, orderInBlock }: Pick<ChainDefinition<Types>, 'stage' | 'orderInBlock'>,
  { fromBlock, head, facts, revertedFrom }: FactRange<Types>,
  cursor: Block | null,
): void {
  if (revertedFrom !== undefined) {
    refuseUnless(cursor && revertedFrom <= cursor.number, 'a reorg must begin at a published block')
    refuseUnless(fromBlock === revertedFrom, 'a range that takes blocks back must begin at the first of these blocks')
  } else {
    refuseUnless(
      cursor === null || fromBlock === cursor.number + 1,
      'a range must begin at the block after the last tick',
    )
    refuseUnless(head.atMs >= (cursor?.atMs ?? 0), 'block times must not fall')
  }
  refuseUnless(head.number >= fromBlock, 'a range must hold at least one block')
  let block = fromBlock
  let order = Number.NEGATIVE_INFINITY
  for (const { fact } of facts) {
    const number = stage.blockNumberOf(fact)
    if (number > block) order = Number.NEGATIVE_INFINITY
    const next = orderInBlock(fact)
    refuseUnless(number >= block && next > order, 'facts must be in chain order')
    block = number
    order = next
  }
  refuseUnless(block <= head.number, 'facts must not lie after the head of their range')
}

function refuseUnless(holds: unknown, rule: string): void {
  if (holds) return
  throw new OperationError('node_inconsistent', `the source sent an impossible range: ${rule}`, {
    context: { isRetryable: true },
  })
}
