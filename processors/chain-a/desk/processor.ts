import assert from 'node:assert/strict'
import { callRules } from '../../../schemas/calls/rules.ts'
import { chainADesk } from '../../../schemas/chain-a/desk.ts'
import type { ChainATypes } from '../../../schemas/chain-a/stage.ts'
import { type DeskRules, deskRules } from '../../../schemas/desk/rules.ts'
import { createDesk } from '../../desk/processor.ts'

/**
 * The paper desk of chain A, which simulates trading positions. It opens a position at a signal: a burst, or
 * a call (a chat post that recommends a token). It also opens positions without a signal for comparison
 * (twins).
 */
export const createChainADesk = (rules: DeskRules) =>
  createDesk<ChainATypes>(rules, (record) => {
    assert(record.type === 'Burst')
    const { pool: market, atMs, tier, shape } = record.data
    return { market, atMs, tier, shape, fill: null }
  })

export const desk = createChainADesk({ ...deskRules, ...chainADesk, watchMs: callRules.watchMs })
