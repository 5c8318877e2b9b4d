/** Stage chain A: the processors in flow order. Each sees a token's facts and what those before it derived. Read first. */
import { bursts } from './bursts/processor.ts'
import { buyers } from './buyers/processor.ts'
import { curves } from './curves/processor.ts'
import { liquidity } from './liquidity/processor.ts'
import { minutes } from './minutes/processor.ts'
import { outcomes } from './outcomes/processor.ts'
import { pools } from './pools/processor.ts'
import type { Processor } from './processor.ts'

export const chainATopology: readonly Processor[] = [pools, minutes, bursts, buyers, liquidity, outcomes, curves]
