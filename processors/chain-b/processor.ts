import type { ChainBTypes } from '../../schemas/chain-b/stage.ts'
import type { Processor, ProcessorContext } from '../processor.ts'

export type ChainBProcessor<State> = Processor<State, ChainBTypes>
export type ChainBContext = ProcessorContext<ChainBTypes>
