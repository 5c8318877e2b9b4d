import type { ChainAAnswer, ChainAFact } from '../../schemas/chain-a/facts.ts'
import { chainAStage } from '../../schemas/chain-a/stage.ts'
import { testStartAtMs, testToken } from './builders/build-facts.ts'
import { createGiven } from './given.ts'

export type Event = ChainAFact | ChainAAnswer

/** The `given` function for chain A. All events of a test are about `testToken`. */
export const given = createGiven({ stage: chainAStage, token: testToken, startAtMs: testStartAtMs })
