/** Stage chain A: the processors in flow order. Each sees a token's facts and what those before it derived. Read first. */
import { bursts } from './chain-a/bursts/processor.ts'
import { buyers } from './chain-a/buyers/processor.ts'
import { curves } from './chain-a/curves/processor.ts'
import { liquidity } from './chain-a/liquidity/processor.ts'
import { minutes } from './chain-a/minutes/processor.ts'
import { outcomes } from './chain-a/outcomes/processor.ts'
import { pools } from './chain-a/pools/processor.ts'
import type { Processor } from './processor.ts'

export const chainATopology: readonly Processor[] = [pools, minutes, bursts, buyers, liquidity, outcomes, curves]
