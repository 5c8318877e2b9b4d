/** The fields that every answer of chain B has. */
import { z } from 'zod'
import type { StageCut } from '../../../projections/cuts.ts'
import { chainBRule } from '../../../schemas/chain-b/rules.ts'
import { timeFields } from '../../envelope.ts'
import { fieldsOf } from '../../resource.ts'
import { coinUsdOf } from '../../route.ts'
import type { Presentation } from '../dependencies.ts'

const { now, resource } = fieldsOf<StageCut, Presentation>()

/** The fields for answers that show neither the SOL price nor the rule of a burst. */
export const bareEnvelope = resource('chainBBareEnvelope', {
  chain: now(z.string(), 'Name of the chain.', (_, { chainName }) => chainName),
  ...timeFields,
})

export const envelope = resource('chainBEnvelope', {
  ...bareEnvelope.fields,
  solUsd: now(z.number().positive(), 'SOL price in USD.', coinUsdOf),
  rule: now(z.string(), 'The rule of a burst, and how outcomes are scored, in words.', () => chainBRule),
})
