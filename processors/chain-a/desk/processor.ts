import { chainADesk } from '../../../schemas/chain-a/desk.ts'
import type { ChainATypes } from '../../../schemas/chain-a/stage.ts'
import { createDesk } from '../../desk/processor.ts'
import { type ChainADeskMarkets, chainADeskMarkets } from './markets.ts'

/** The paper desk: positions on bursts and calls, their twins, and the shadows of all signals. */
export const desk = createDesk<ChainADeskMarkets, ChainATypes>(chainADesk, chainADeskMarkets)
