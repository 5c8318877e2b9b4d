/** Nodes keep the state of a number of recent blocks only. The gate says whether to ask for the state of a block. */
export type StateGate = Readonly<{
  isOpen(blockNumber: number): boolean
  answered(blockNumber: number, hadState: boolean): void
}>

const stepMax = 1024

/**
 * Each refusal closes the gate for twice as many following blocks, so that a backfill does not make a failing request
 * for each block.
 */
export function createStateGate(): StateGate {
  let openFrom = 0
  let step = 1
  return {
    isOpen: (blockNumber) => blockNumber >= openFrom,
    answered(blockNumber, hadState) {
      if (!hadState) openFrom = Math.max(openFrom, blockNumber + step)
      step = hadState ? 1 : Math.min(stepMax, step * 2)
    },
  }
}
