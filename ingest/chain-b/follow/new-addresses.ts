/** The address book entries that facts create. */
import type { ChainBAddress } from '../../../schemas/chain-b/addresses.ts'
import type { CurveLaunched, CurveMigrated, CurveTraded } from '../../../schemas/chain-b/facts.ts'
import { mintOfKey } from './decode-slot.ts'
import type { CurveOrigin } from './find-curves.ts'

export function launchedMint(key: string, { curve, blockNumber, blockAtMs }: CurveLaunched): ChainBAddress {
  const launch = { launchSlot: blockNumber, launchAtMs: blockAtMs }
  const since = { sinceSlot: blockNumber, seenAtMs: blockAtMs }
  return { type: 'MintAddress', data: { mint: mintOfKey(key), curve, ...since, ...launch } }
}

export function foundMint(key: string, origin: CurveOrigin, { blockNumber, blockAtMs }: CurveTraded): ChainBAddress {
  const { curve, launchSlot, launchAtMs } = origin
  const since = { sinceSlot: blockNumber, seenAtMs: blockAtMs }
  return { type: 'MintAddress', data: { mint: mintOfKey(key), curve, ...since, launchSlot, launchAtMs } }
}

export function openedPool(key: string, { pool, quoteMint, blockNumber, blockAtMs }: CurveMigrated): ChainBAddress {
  const migrated = { migratedSlot: blockNumber, migratedAtMs: blockAtMs }
  return { type: 'GraduatedPoolAddress', data: { pool, mint: mintOfKey(key), quoteMint, ...migrated } }
}
