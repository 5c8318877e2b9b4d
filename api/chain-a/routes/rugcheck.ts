import { z } from 'zod'
import type { RugCheckRow } from '../../../projections/chain-a/queries/chain-a-queries.ts'
import { curveLifeMs } from '../../../schemas/chain-a/curve-life.ts'
import { type LpClass, lpClasses } from '../../../schemas/chain-a/derived.ts'
import { riskiestOf, rugCheckPoolsMax } from '../../../schemas/chain-a/rug-check.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { dayMs } from '../../../schemas/units.ts'
import { described } from '../../resource.ts'
import { route } from '../../route.ts'
import { refuse } from '../../sale/refusals.ts'
import { count } from '../../values.ts'
import type { ChainADependencies } from '../dependencies.ts'
import { tokenParam } from '../params.ts'
import { bareEnvelope } from '../resources/envelope.ts'
import { addressSchema } from '../resources/identifiers.ts'
import { launchCurve } from '../resources/launch-curve.ts'
import { rugProfile } from '../resources/rug-profile.ts'
import { chainACut, chainASource, ethPriceNeed } from '../source.ts'

const withoutCurve = bareEnvelope.schema.extend({
  token: described('now', addressSchema, 'Token contract.'),
  class: described(
    'now',
    z.enum([...lpClasses, 'launchpad-curve']),
    'The riskiest of all v4 pools of the last 24 h, in the order held, unknown, empty, safe; `unknown` if the token has only v3 pools.',
  ),
  pools: described(
    'now',
    z.array(rugProfile.schema).max(rugCheckPoolsMax),
    `The v4 pools created in the last 24 h, oldest first; of more than ${rugCheckPoolsMax} those with the most ETH at their last swap; none on the curve.`,
  ),
  poolsLeftOut: described('now', count, 'Pools created in the last 24 h that `pools` leaves out; `note` says which.'),
  note: described(
    'now',
    z.string().optional(),
    'The pools that `pools` leaves out, and why. Also why `class` is `unknown` if the token has only v3 pools.',
  ),
})

/**
 * The key of the curve's field is the configured name of the launchpad. TypeScript cannot know this key, so
 * the return type omits the field.
 */
export const rugCheckAnswer = (launchpadKey: string): typeof withoutCurve =>
  withoutCurve.extend({
    [launchpadKey]: described('now', launchCurve.schema.optional(), 'The bonding curve, while the token is on it.'),
  }) as unknown as typeof withoutCurve

const notTracked = (token: string) =>
  refuse(
    'not_tracked',
    `token ${token} is not tracked. It is on no launchpad curve that was launched or traded in the last 7 days. None of its pools against ETH was created in the last 24 h. /v1/rh/pools/new lists new pools with their tokens`,
  )

export const createRugCheck = ({ queries, presentation }: ChainADependencies) =>
  route({
    pattern: '/v1/rh/token/:addr/rugcheck',
    tool: 'rh_token_rugcheck',
    description:
      'Who can pull the liquidity of a token: its v4 pools of the last 24 h, or its launchpad curve. Liquidity of v3 pools is not profiled.',
    priceUsdMicros: 20_000,
    dependsOn: [{ ...chainASource, maxAgeMs: 120_000 }],
    needs: [ethPriceNeed],
    history: { windowMs: dayMs, lookBackMs: curveLifeMs },
    params: { addr: tokenParam },
    subject: { param: 'addr', stage: chainAStage, tracked: queries.tracked.tokens, refusal: notTracked },
    schema: rugCheckAnswer(presentation.launchpadKey),
    async answer({ addr: token }, cut) {
      const at = chainACut(cut)
      const check = await queries.rugCheck(at, token)
      if (check === null) return notTracked(token)
      const { curve } = check
      const profiles = curve === null ? check.profiles : []
      const note = noteOf(check)
      return {
        ...bareEnvelope.present(at, presentation),
        token,
        class: tokenClassOf(check),
        pools: profiles.map((row) => rugProfile.present({ ...row, token }, at)),
        poolsLeftOut: check.v4PoolCount + check.v3PoolCount - profiles.length,
        ...(curve === null ? {} : { [presentation.launchpadKey]: launchCurve.present(curve, at) }),
        ...(note === undefined ? {} : { note }),
      }
    },
  })

/**
 * Returns `launchpad-curve` while the token is on its curve. Otherwise returns the liquidity class of the
 * token's riskiest v4 pool. If the token has only v3 pools, the class is `unknown`, because liquidity of v3
 * pools is not analyzed.
 */
const tokenClassOf = ({ classes, curve }: RugCheckRow): LpClass | 'launchpad-curve' =>
  curve === null ? riskiestOf(classes) : 'launchpad-curve'

/** Returns the text of `note`, or undefined if there is nothing to note. The text describes the pools that `pools` does not list. */
function noteOf({ profiles, v4PoolCount, v3PoolCount, curve }: RugCheckRow): string | undefined {
  if (curve !== null) {
    const elsewhere = v4PoolCount + v3PoolCount
    return elsewhere === 0
      ? undefined
      : `The token is still on its curve. Not shown: ${counted(elsewhere, 'pool')} made for it elsewhere in the last 24 h.`
  }
  if (v4PoolCount === 0)
    return `The token has ${counted(v3PoolCount, 'v3 pool')} and no v4 pool of the last 24 h. Liquidity of v3 pools is not profiled: \`class\` is unknown and \`pools\` is empty.`
  const notes: string[] = []
  if (v4PoolCount > profiles.length)
    notes.push(
      `The token has ${counted(v4PoolCount, 'v4 pool')} of the last 24 h: \`class\` is that of the riskiest of all, \`pools\` are the ${profiles.length} with the most ETH at their last swap.`,
    )
  if (v3PoolCount > 0) notes.push(`Not shown: ${counted(v3PoolCount, 'v3 pool')}, whose liquidity is not profiled.`)
  return notes.length > 0 ? notes.join(' ') : undefined
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
