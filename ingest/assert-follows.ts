import assert from 'node:assert/strict'
import type { Block } from '../schemas/stage.ts'
import type { ChainDefinition } from './chain.ts'
import type { ChainTypes, FactRange } from './source.ts'

/** Stops at a source that skips, repeats or reorders blocks or facts: the log would keep the mistake for good. */
export function assertFollows<Types extends ChainTypes>(
  { stage, orderInBlock }: Pick<ChainDefinition<Types>, 'stage' | 'orderInBlock'>,
  { fromBlock, head, facts, revertedFrom }: FactRange<Types>,
  cursor: Block | null,
): void {
  if (revertedFrom !== undefined) {
    assert.ok(cursor && revertedFrom <= cursor.number, 'a reorg must begin at a published block')
    assert.equal(fromBlock, revertedFrom, 'a range must replace all blocks that it takes back')
  } else {
    if (cursor) assert.equal(fromBlock, cursor.number + 1, 'a range must follow the last tick')
    assert.ok(head.atMs >= (cursor?.atMs ?? 0), 'block times must not fall')
  }
  assert.ok(head.number >= fromBlock, 'a range must hold at least one block')
  let block = fromBlock
  let order = Number.NEGATIVE_INFINITY
  for (const { fact } of facts) {
    const number = stage.blockNumberOf(fact)
    if (number > block) order = Number.NEGATIVE_INFINITY
    const next = orderInBlock(fact)
    assert.ok(number >= block && next > order, 'facts must be in chain order')
    block = number
    order = next
  }
  assert.ok(block <= head.number, 'facts must not lie behind the head of their range')
}
