import type { ChainAViews } from '../../../projections/chain-a/queries/chain-a-views.ts'
import type { NumberParam, PathParam } from '../../edge/params.ts'
import { refuse } from '../../edge/refusals.ts'
import { type Route, route } from '../../route.ts'
import { bareEnvelopeOf, envelopeOf, type Presentation } from '../present.ts'
import { noteOf, presentCrew, presentCurve, presentProfile, tokenClassOf } from '../present-rug-check.ts'

const tokenParam: PathParam = {
  in: 'path',
  type: 'string',
  pattern: /^0x[0-9a-fA-F]{40}$/,
  example: '0x and 40 hex digits',
  description: 'a token address',
}

const minBurstsParam: NumberParam = {
  in: 'query',
  type: 'number',
  min: 3,
  max: 50,
  default: 3,
  isCount: true,
  description: 'least burst windows of a wallet',
}

const limitParam: NumberParam = {
  ...minBurstsParam,
  min: 1,
  max: 25,
  default: 25,
  description: 'most wallets to list',
}

export const tokenRoutes = (views: ChainAViews, { chainName, launchpadKey }: Presentation): readonly Route[] => [
  route({
    pattern: '/v1/rh/token/:addr/rugcheck',
    description: 'Who can pull the liquidity of a token: its v4 pools of the last 24 h, or its launchpad curve.',
    params: { addr: tokenParam },
    async answer({ addr }, cut) {
      const check = await views.rugCheck(cut, addr)
      if (check === null)
        return refuse(
          'not_tracked',
          `token ${addr} is on no launchpad curve launched or traded in the last 7 days, and no ETH-quoted pool of it was created in the last 24 h; /v1/rh/pools/new lists those that were`,
        )
      const note = noteOf(check)
      return {
        ...bareEnvelopeOf(cut, chainName),
        token: addr,
        class: tokenClassOf(check),
        pools: check.curve === null ? check.profiles.map((row) => presentProfile(row, addr)) : [],
        ...(check.curve === null ? {} : { [launchpadKey]: presentCurve(check.curve, cut) }),
        ...(note === undefined ? {} : { note }),
      }
    },
  }),
  route({
    pattern: '/v1/rh/crews',
    description: 'Wallets that bought in several burst windows of the last 30 days.',
    params: { minBursts: minBurstsParam, limit: limitParam },
    async answer(options, cut) {
      const { walletsTracked, crews } = await views.crews(cut, options)
      return { ...envelopeOf(cut, chainName), walletsTracked, crews: crews.map((row) => presentCrew(row, cut)) }
    },
  }),
]
