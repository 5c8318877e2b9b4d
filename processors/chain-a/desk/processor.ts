import { chainADesk } from '../../../schemas/chain-a/desk.ts'
import type { ChainATypes } from '../../../schemas/chain-a/stage.ts'
import { createDesk } from '../../desk/processor.ts'

/** The paper desk: positions on bursts and calls, their twins, and the shadows of all signals. */
export const desk = createDesk<ChainATypes>(chainADesk, (record) => {
  if (record.type !== 'Burst') return null
  const { pool: market, atMs, tier, shape } = record.data
  return { market, atMs, tier, shape, fill: null }
})
