import assert from 'node:assert/strict'
import { callRules } from '../../../schemas/calls/rules.ts'
import { chainBDesk } from '../../../schemas/chain-b/desk.ts'
import type { ChainBTypes } from '../../../schemas/chain-b/stage.ts'
import { type DeskRules, deskRules } from '../../../schemas/desk/rules.ts'
import { createDesk } from '../../desk/processor.ts'

/**
 * The paper desk of chain B, which simulates trading positions. It opens a position at a signal: a burst, or
 * a call (a chat post that recommends a token). It also opens positions without a signal for comparison
 * (twins). A burst is always on the curve.
 */
export const createChainBDesk = (rules: DeskRules) =>
  createDesk<ChainBTypes>(rules, (record, { markets }) => {
    assert(record.type === 'Burst')
    const curve = markets.lines.findLast(({ source }) => source === 'curve')
    // A curve with an empty virtual reserve has no price.
    if (curve === undefined) return null
    return { market: curve.market, atMs: record.data.atMs, tier: null, shape: null, fill: record.data.fillAt }
  })

export const desk = createChainBDesk({ ...deskRules, ...chainBDesk, watchMs: callRules.watchMs })
