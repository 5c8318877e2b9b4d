/** The fields that every answer of chain A has. */
import { z } from 'zod'
import type { StageCut } from '../../../projections/cuts.ts'
import { tiers } from '../../../schemas/chain-a/derived.ts'
import { chainARules } from '../../../schemas/chain-a/rules.ts'
import { timeFields } from '../../envelope.ts'
import { fieldsOf } from '../../resource.ts'
import { coinUsdOf } from '../../route.ts'
import type { Presentation } from '../dependencies.ts'

const { now, resource } = fieldsOf<StageCut, Presentation>()

const wordsShape = Object.fromEntries([...tiers, 'outcome'].map((name) => [name, z.string()])) as Readonly<
  Record<keyof typeof chainARules, z.ZodString>
>

/** The fields for answers that show neither the ETH price nor the rules. */
export const bareEnvelope = resource('chainABareEnvelope', {
  chain: now(z.string(), 'Name of the chain.', (_, { chainName }) => chainName),
  ...timeFields,
})

export const envelope = resource('chainAEnvelope', {
  ...bareEnvelope.fields,
  ethUsd: now(z.number().positive(), 'ETH price in USD.', coinUsdOf),
  rules: now(
    z.strictObject(wordsShape),
    'The rule of each tier, and how outcomes are scored, in words.',
    () => chainARules,
  ),
})
