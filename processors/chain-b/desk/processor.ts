import { chainBDesk } from '../../../schemas/chain-b/desk.ts'
import type { ChainBTypes } from '../../../schemas/chain-b/stage.ts'
import { createDesk } from '../../desk/processor.ts'
import type { ChainBPrices } from '../prices.ts'
import { chainBDeskMarkets } from './markets.ts'

/** The paper desk: positions on bursts and calls, their twins, and the shadows of all signals. */
export const desk = createDesk<ChainBPrices, ChainBTypes>(chainBDesk, chainBDeskMarkets)
