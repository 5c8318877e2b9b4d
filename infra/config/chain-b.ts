/** The variables of chain B. */
import { z } from 'zod'
import { sourceConfig } from './source-config.ts'
import { solanaAddress, url, whole } from './values.ts'

export const chainBConfig = sourceConfig({
  variables: {
    HELIUS_API_KEY: z
      .string()
      .regex(/^[a-zA-Z0-9_-]{8,}$/, 'must be at least 8 letters, digits, - or _')
      .optional(),
    CHAIN_B_RPC_URL: url(/^https?$/).optional(),
    CHAIN_B_WS_URL: url(/^wss?$/).optional(),
    CHAIN_B_LOOK_BACK_MIN: whole(0, 1440).default(10),
    CHAIN_B_SOL_USD_FEED: solanaAddress.default('7UVimffxr9ow1uXYxsr4LHAcV58mLzhmwaeKvJ1pjLiE'),
    CHAIN_B_RUGCHECK_URL: url(/^https?$/).optional(),
    CHAIN_B_NAME: z.string().min(1).default('chainB'),
  },
  together: [{ given: 'CHAIN_B_WS_URL', needed: ['HELIUS_API_KEY', 'CHAIN_B_RPC_URL'] }],
  isMarket: true,
  isConfigured: ({ HELIUS_API_KEY, CHAIN_B_RPC_URL }) => HELIUS_API_KEY !== undefined || CHAIN_B_RPC_URL !== undefined,
  // If a key and the URL of a node are both set, the URL belongs to another endpoint of Helius. Then the
  // WebSocket URL must be set too, because both URLs must belong to the same network.
  faultIn: ({ HELIUS_API_KEY, CHAIN_B_RPC_URL, CHAIN_B_WS_URL }) =>
    HELIUS_API_KEY !== undefined && CHAIN_B_RPC_URL !== undefined && !CHAIN_B_WS_URL
      ? { variable: 'CHAIN_B_WS_URL', message: 'must be set, because HELIUS_API_KEY and CHAIN_B_RPC_URL are set' }
      : null,
})
