/** Nodes keep the state of so many newest blocks: whether it is worth asking for that of a block. */
export type StateGate = Readonly<{
  isOpen(blockNumber: number): boolean
  answered(blockNumber: number, hadState: boolean): void
}>

const stepMax = 1024

/** Closed for more and more blocks behind each refusal, so that a backfill does not ask for each block in vain. */
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
