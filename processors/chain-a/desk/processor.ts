import assert from 'node:assert/strict'
import { callRules } from '../../../schemas/calls/rules.ts'
import { chainADesk } from '../../../schemas/chain-a/desk.ts'
import type { ChainATypes } from '../../../schemas/chain-a/stage.ts'
import { type DeskRules, deskRules } from '../../../schemas/desk/rules.ts'
import { createDesk } from '../../desk/processor.ts'

/**
 * The paper desk of chain A, which simulates positions on bursts and calls. It also opens comparison
 * positions without a signal (twins). The shadow of a signal records the prices in the hour after the signal.
 */
export const createChainADesk = (rules: DeskRules) =>
  createDesk<ChainATypes>(rules, (record) => {
    assert(record.type === 'Burst')
    const { pool: market, atMs, tier, shape } = record.data
    return { market, atMs, tier, shape, fill: null }
  })

export const desk = createChainADesk({ ...deskRules, ...chainADesk, watchMs: callRules.watchMs })
