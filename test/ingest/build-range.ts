import type { ChainARange, TokenFact } from '../../ingest/chain-a/types.ts'
import type { ChainAAddress } from '../../schemas/chain-a/addresses.ts'
import type { Swap } from '../../schemas/chain-a/facts.ts'
import type { Hex } from '../../schemas/units.ts'

export const blockHash = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`
export const tokenOf = (name: number): Hex => `0x${name.toString(16).padStart(40, '0')}`
export const poolOf = (name: number): Hex => `0x${name.toString(16).padStart(64, '0')}`

export const positionOf = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`

/** The simulated chain has one block per second, beginning at `startAtMs`. */
export const startAtMs = 1_700_000_000_000
export const blockAtMs = (number: number): number => startAtMs + number * 1000

export function buildSwap(token: number, at: Partial<Swap> & Pick<Swap, 'blockNumber'>): TokenFact {
  return {
    key: tokenOf(token),
    fact: {
      type: 'Swap',
      data: {
        pool: poolOf(token),
        ethWei: 10n ** 17n,
        tokenRaw: 10n ** 24n,
        sqrtPriceX96: 2n ** 96n,
        liquidity: 1n,
        tick: 0,
        sender: tokenOf(255),
        blockAtMs: blockAtMs(at.blockNumber),
        txIndex: 0,
        logIndex: 0,
        blockHash: blockHash(at.blockNumber),
        txHash: blockHash(at.blockNumber + 1_000_000),
        ...at,
      },
    },
  }
}

export const buildPoolAddress = (token: number, createdBlock: number): ChainAAddress => ({
  type: 'PoolAddress',
  data: {
    pool: poolOf(token),
    token: tokenOf(token),
    dex: 'v4',
    ethIsCurrency0: true,
    hooks: null,
    createdBlock,
    createdAtMs: blockAtMs(createdBlock),
  },
})

export const buildPositionAddress = (number: number, token: number): ChainAAddress => ({
  type: 'PositionAddress',
  data: { positionId: positionOf(number), pool: poolOf(token) },
})

/** The curve has the address of its token. Real curves have their own addresses. */
export const buildCurveAddress = (token: number, sinceBlock: number, seenBlock = sinceBlock): ChainAAddress => ({
  type: 'CurveAddress',
  data: {
    curve: tokenOf(token),
    token: tokenOf(token),
    launchpad: 'toy',
    sinceBlock,
    seenAtMs: blockAtMs(seenBlock),
    launchBlock: null,
    launchAtMs: null,
  },
})

export function buildRange(
  fromBlock: number,
  toBlock: number,
  rest: Readonly<{
    facts?: readonly TokenFact[]
    newAddresses?: readonly ChainAAddress[]
    staleAddresses?: readonly string[]
  }> = {},
): ChainARange {
  const head = { number: toBlock, hash: blockHash(toBlock), atMs: blockAtMs(toBlock) }
  return { fromBlock, head, facts: [], newAddresses: [], ...rest }
}
