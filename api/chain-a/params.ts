/** Parameters that several routes of chain A share. A parameter of a single route is defined beside the route. */
import { tiers } from '../../schemas/chain-a/derived.ts'
import type { ChoiceParam, PathParam } from '../sale/params.ts'
import { examplePool, exampleToken } from './example-rows.ts'

export const poolParam: PathParam = {
  in: 'path',
  type: 'string',
  letterCase: 'lower',
  pattern: /^0x([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/,
  example: '0x and 40 hex digits (v3) or 64 (v4)',
  sample: examplePool,
  description: 'a v3 pool address or v4 pool id',
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

const tierValues = [...tiers, 'all'] as const

export const tierParam = (byDefault: (typeof tierValues)[number]): ChoiceParam<(typeof tierValues)[number]> => ({
  in: 'query',
  type: 'string',
  values: tierValues,
  default: byDefault,
  description: 'which rule fired; `rules` in the answer says each in words',
})

const lpValues = ['all', 'safe', 'held'] as const

export const lpParam: ChoiceParam<(typeof lpValues)[number]> = {
  in: 'query',
  type: 'string',
  values: lpValues,
  default: 'all',
  description: 'who held the liquidity at the signal; rows where it is not known match neither safe nor held',
}
