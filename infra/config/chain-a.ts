/** The variables of chain A. */
import { z } from 'zod'
import { rugCheckFields } from '../../schemas/chain-a/rug-check.ts'
import { reorgBlocksMaxDefault } from '../../schemas/stage.ts'
import { sourceConfig } from './source-config.ts'
import { listOf, nodeUrl, oneOf, whole } from './values.ts'

const ownFields: ReadonlySet<string> = new Set(rugCheckFields)

export const chainAConfig = sourceConfig({
  variables: {
    CHAIN_A_RPC_URL: listOf(nodeUrl).optional(),
    CHAIN_A_PRESET: oneOf(['robinhood', 'base', 'unichain', 'arbitrum', 'ethereum', 'local']).default('robinhood'),
    CHAIN_A_CONTRACTS: z.string().optional(),
    CHAIN_A_LAG_BLOCKS: whole(0, 10_000).optional(),
    CHAIN_A_REORG_BLOCKS_MAX: whole(1, 100_000).default(reorgBlocksMaxDefault),
    CHAIN_A_LOG_RANGE_MAX: whole(1, 100_000).default(10_000),
    CHAIN_A_NAME: z.string().min(1).default('chainA'),
    CHAIN_A_LAUNCHPAD_KEY: z
      .string()
      .regex(/^[a-zA-Z][a-zA-Z0-9]*$/, 'must be letters and digits, and begin with a letter')
      .refine((key) => !ownFields.has(key), 'must differ from the other fields of the rug check')
      .default('launchCurve'),
  },
  together: [],
  isMarket: true,
  isConfigured: ({ CHAIN_A_RPC_URL }) => CHAIN_A_RPC_URL !== undefined,
})
