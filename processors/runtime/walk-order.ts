/** Checks that the facts and ticks of a task come in the order of their blocks. */
import assert from 'node:assert/strict'
import type { Block } from '../../schemas/stage.ts'
import type { Tick } from '../../schemas/tick.ts'

/**
 * Returns the reason why facts of the block cannot come after the last tick. Such facts belong to a new
 * branch of the chain. Returns null if the facts can come after the tick.
 */
export function misfitOf({ number, atMs }: Block, lastTick: Tick | null): string | null {
  if (lastTick === null) return null
  if (number <= lastTick.blockNumber) return `block ${number} was closed by tick ${lastTick.seq}`
  return atMs < lastTick.blockAtMs ? `block ${number} is earlier than tick ${lastTick.seq}` : null
}

/** Checks that blocks ascend. This runs for every block, so a message is built only when a check fails. */
export function checkBlock({ number, atMs }: Block, previous: Block | null): void {
  if (previous === null) return
  if (!(number > previous.number))
    assert.fail(`block ${number} must have a higher number than block ${previous.number} before it`)
  if (!(atMs >= previous.atMs)) assert.fail(`block ${number} is earlier than block ${previous.number} before it`)
}

export function checkDense({ seq }: Tick, last: Tick | null): void {
  if (!(last === null || seq === last.seq + 1)) assert.fail(`tick ${seq} must not follow tick ${last?.seq}`)
}

export function checkTick(tick: Tick, last: Tick | null, block: Block | null): void {
  const where = `tick ${tick.seq}`
  if (last !== null) {
    if (!(tick.seq > last.seq)) assert.fail(`${where} must not follow tick ${last.seq}`)
    if (!(tick.knownAtMs >= last.knownAtMs)) assert.fail(`${where}: its knownAtMs is lower than in tick ${last.seq}`)
    if (!(tick.blockAtMs >= last.blockAtMs)) assert.fail(`${where}: its blockAtMs is lower than in tick ${last.seq}`)
    if (!(tick.blockNumber >= last.blockNumber))
      assert.fail(`${where}: its blockNumber is lower than in tick ${last.seq}`)
  }
  if (block !== null) {
    if (!(tick.blockNumber >= block.number))
      assert.fail(`${where} closes block ${tick.blockNumber}, which is before block ${block.number}`)
    if (!(tick.blockAtMs >= block.atMs)) assert.fail(`${where} is earlier than its last block`)
  }
}
