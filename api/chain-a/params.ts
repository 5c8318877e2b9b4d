/** Parameters that several routes take. What is particular to one, its default among it, stands with the route. */
import { tiers } from '../../schemas/chain-a/derived.ts'
import type { ChoiceParam } from '../edge/params.ts'

const tierValues = [...tiers, 'all'] as const

export const tierParam = (byDefault: (typeof tierValues)[number]): ChoiceParam<(typeof tierValues)[number]> => ({
  in: 'query',
  type: 'string',
  values: tierValues,
  default: byDefault,
  description: 'which rule fired',
})

const lpValues = ['all', 'safe', 'held'] as const

export const lpParam: ChoiceParam<(typeof lpValues)[number]> = {
  in: 'query',
  type: 'string',
  values: lpValues,
  default: 'all',
  description: 'who held the liquidity at the signal; rows where it is not known match neither safe nor held',
}
