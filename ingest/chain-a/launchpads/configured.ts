import type { ChainAContracts } from '../presets.ts'
import type { Launchpad } from './launchpad.ts'
import { createPonsV2 } from './pons-v2.ts'

/** The launchpads whose contracts are configured. */
export const launchpadsOf = ({ ponsFactory }: Pick<ChainAContracts, 'ponsFactory'>): readonly Launchpad[] =>
  ponsFactory ? [createPonsV2(ponsFactory)] : []
