/**
 * The contracts that ingest reads, for each preset. All of them are official deployments. The configuration
 * can override each contract.
 */
import { z } from 'zod'
import { OperationError } from '../../infra/errors.ts'
import type { Address, DurationMs } from '../../schemas/units.ts'

/**
 * The addresses of the contracts whose logs or state ingest reads, in lower case. `ethUsdFeed` is a Chainlink
 * price contract with 8 decimals, or null if none is known for the chain.
 */
export type ChainAContracts = Readonly<{
  chainId: number
  poolManager: Address
  positionManager: Address
  v3Factory: Address
  weth: Address
  ethUsdFeed: Address | null
  /** The factory of the Pons V2 launchpad. */
  ponsFactory: Address | null
}>

export type ChainAPreset = keyof typeof presets | 'local'

const presets = {
  robinhood: {
    chainId: 4663,
    poolManager: '0x8366a39cc670b4001a1121b8f6a443a643e40951',
    positionManager: '0x58daec3116aae6d93017baaea7749052e8a04fa7',
    v3Factory: '0x1f7d7550b1b028f7571e69a784071f0205fd2efa',
    weth: '0x0bd7d308f8e1639fab988df18a8011f41eacad73',
    ethUsdFeed: '0x78f3556b67e17df817d51ef5a990cdaf09e8d3a9',
    ponsFactory: '0x7ed598bcef8bd9edd8c97a195c6d13f40801ec7e',
  },
  base: {
    chainId: 8453,
    poolManager: '0x498581ff718922c3f8e6a244956af099b2652b2b',
    positionManager: '0x7c5f5a4bbd8fd63184577525326123b519429bdc',
    v3Factory: '0x33128a8fc17869897dce68ed026d694621f6fdfd',
    weth: '0x4200000000000000000000000000000000000006',
    ethUsdFeed: null,
    ponsFactory: null,
  },
  unichain: {
    chainId: 130,
    poolManager: '0x1f98400000000000000000000000000000000004',
    positionManager: '0x4529a01c7a0410167c5740c487a8de60232617bf',
    v3Factory: '0x1f98400000000000000000000000000000000003',
    weth: '0x4200000000000000000000000000000000000006',
    ethUsdFeed: null,
    ponsFactory: null,
  },
  arbitrum: {
    chainId: 42161,
    poolManager: '0x360e68faccca8ca495c1b759fd9eee466db9fb32',
    positionManager: '0xd88f38f930b7952f2db2432cb002e7abbf3dd869',
    v3Factory: '0x1f98431c8ad98523631ae4a59f267346ea31f984',
    weth: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1',
    ethUsdFeed: null,
    ponsFactory: null,
  },
  ethereum: {
    chainId: 1,
    poolManager: '0x000000000004444c5dc75cb358380d2e3de08a90',
    positionManager: '0xbd216513d74c8cf14cf4747e6aaa6420ff64ee9e',
    v3Factory: '0x1f98431c8ad98523631ae4a59f267346ea31f984',
    weth: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
    ethUsdFeed: '0x5f4ec3df9cbd43714fe2740f5e3616155c5b8419',
    ponsFactory: null,
  },
} as const satisfies Record<string, ChainAContracts>

type PresetBlocks = Readonly<{ blockMs: DurationMs; lagBlocks: number }>

/**
 * The time between blocks, and the number of blocks that ingest stays behind the newest block. A larger
 * number means that reorgs replace fewer blocks that ingest has read. However, the answers of the service
 * must be at most 30 s behind the chain. Three blocks of Ethereum take 36 s, so Ethereum has a smaller
 * number.
 */
export const presetBlocks = {
  robinhood: { blockMs: 100, lagBlocks: 3 },
  base: { blockMs: 2000, lagBlocks: 3 },
  unichain: { blockMs: 1000, lagBlocks: 3 },
  arbitrum: { blockMs: 250, lagBlocks: 3 },
  ethereum: { blockMs: 12_000, lagBlocks: 1 },
} as const satisfies Record<keyof typeof presets, PresetBlocks>

/**
 * The chain's name at the services that report token prices. Null for a local chain, because no such service
 * lists it.
 */
export const aggregatorChainOf = (preset: ChainAPreset): string | null => (preset === 'local' ? null : preset)

const localLagBlocks = 3

export const lagBlocksOf = (preset: ChainAPreset, configured?: number): number =>
  configured ?? (preset === 'local' ? localLagBlocks : presetBlocks[preset].lagBlocks)

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hex digits')
  .transform((text) => text.toLowerCase() as Address)

const contractsShape = z.strictObject({
  chainId: z.int().positive(),
  poolManager: address,
  // The contract that mints the position NFTs. Without this address, every position would count as owned by a
  // contract. No liquidity would then be classed as `held`.
  positionManager: address,
  v3Factory: address,
  weth: address,
  ethUsdFeed: address.nullable().default(null),
  ponsFactory: address.nullable().default(null),
})

/**
 * Returns the contracts of a preset, with the overrides from the JSON text of CHAIN_A_CONTRACTS. The preset
 * `local` has no contracts of its own, so its overrides must contain all required ones. Fails with
 * `config_invalid`.
 */
export function chainAContracts(preset: ChainAPreset, overridesJson?: string): ChainAContracts {
  const base = preset === 'local' ? {} : presets[preset]
  const overrides = overridesJson === undefined ? {} : parseObject(overridesJson)
  if (preset === 'local' && overridesJson === undefined)
    throw invalid(
      'must be set, because CHAIN_A_PRESET is local. It must be a JSON object with chainId, poolManager, positionManager, v3Factory and weth',
    )
  const parsed = contractsShape.safeParse({ ...base, ...overrides })
  if (parsed.success) return parsed.data
  throw invalid(parsed.error.issues.map((issue) => `${issue.path.join('.') || 'object'}: ${issue.message}`).join('; '))
}

function parseObject(json: string): object {
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // The error below reports invalid JSON. It does not repeat the JSON text.
  }
  throw invalid('must be a JSON object')
}

const invalid = (what: string): OperationError => new OperationError('config_invalid', `CHAIN_A_CONTRACTS: ${what}`)
