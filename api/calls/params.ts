/** Parameters that the routes about calls share. */
import { hexOfBase58 } from '../../infra/base58.ts'
import type { FilterParam, NumberParam, PathParam } from '../sale/params.ts'
import type { CallsDependencies } from './dependencies.ts'
import { exampleMint, exampleToken } from './example-rows.ts'

export const chainParam = ({ chains }: Pick<CallsDependencies, 'chains'>): FilterParam => ({
  in: 'query',
  type: 'string',
  values: chains.map(({ wireName }) => wireName),
  default: null,
  description: 'tokens of which chain; without it, of all',
})

/**
 * Returns the internal name (`stage.name`) of the chain with this public name, or null if the request names
 * no chain.
 */
export const chainOf = ({ chains }: Pick<CallsDependencies, 'chains'>, wireName: string): string | null =>
  chains.find((chain) => chain.wireName === wireName)?.stage.name ?? null

/** Returns the chain name that the answer shows: the requested chain, or `all` if the request names no chain. */
export const chainNameOf = (wireName: string): string => wireName || 'all'

export const limitParam = (max: number, byDefault: number, what: string): NumberParam => ({
  ...{ in: 'query', type: 'number', min: 1, max, default: byDefault },
  description: `most ${what} to list`,
})

export const mintParam: PathParam = {
  in: 'path',
  type: 'string',
  letterCase: 'hexLower',
  pattern: /^(0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$/,
  isValid: (text) => text.startsWith('0x') || hexOfBase58(text, 32) !== null,
  example: '0x and 40 hex digits (chain A), or 32 bytes in base58 (chain B)',
  sample: exampleMint,
  description: 'a token address',
}

export const tokenParam: PathParam = {
  in: 'path',
  type: 'string',
  letterCase: 'lower',
  pattern: /^0x[0-9a-fA-F]{40}$/,
  example: '0x and 40 hex digits',
  sample: exampleToken,
  description: 'a token address',
}
