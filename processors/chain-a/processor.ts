import type { ChainATypes } from '../../schemas/chain-a/stage.ts'
import type { Processor, ProcessorContext } from '../processor.ts'

export type ChainAProcessor<State> = Processor<State, ChainATypes>
export type ChainAContext = ProcessorContext<ChainATypes>
