/** States whose memory the tests of the packer measure. */
import { StatePacker } from '../../../processors/runtime/state-packer.ts'

const numbers = Array.from({ length: 10 }, (_, index) => index)
const packer = StatePacker.learn([[]])

/** The states of ten pools, with equal or with different ids. Each id is in its state twice. */
export const statesOf = (hasEqualIds: boolean) =>
  numbers.map((number) => {
    const pool = poolOf(hasEqualIds ? 1 : number)
    return { pool, of: new Map([['a market', { pool }]]) }
  })

export const makers = {
  'equal ids': unpacked(true),
  'different ids': unpacked(false),
}

function unpacked(hasEqualIds: boolean): () => unknown {
  const packed = packer.pack(statesOf(hasEqualIds))
  return () => packer.unpack(packed)
}

function poolOf(index: number): string {
  return `0x${index.toString(16).padStart(64, '0')}`
}
