import { z } from 'zod'
import type { VerdictRow } from '../../../projections/chain-b/queries/chain-b-queries.ts'
import { safetyReasons } from '../../../schemas/chain-b/safety.ts'
import { gateOf, type Scouts, type Trader, verdictMethod } from '../../../schemas/chain-b/verdict.ts'
import { described, fieldsOf } from '../../resource.ts'
import { epochMs, share } from '../../values.ts'
import { addressSchema } from './identifiers.ts'

const checked = fieldsOf<Pick<VerdictRow, 'safety'>>()

export const solSafety = checked.resource('solSafety', {
  pass: checked.now(
    z.boolean().nullable(),
    'Whether the gate passes, which means that no check fails. Null if nothing is known, because no provider is configured, was asked, or has answered.',
    ({ safety }) => gateOf(safety).pass,
  ),
  fails: checked.now(
    z.array(z.string()),
    'What fails the gate: names of the rules in `method`, and `provider: …` for the provider’s own findings of its worst level.',
    ({ safety }) => [...gateOf(safety).fails],
  ),
  asked: checked.now(
    z.enum(safetyReasons).nullable(),
    'What the provider was asked at: `burst`, `call` (the first post of a watch) or `graduation` (its pool opened). Null if nothing is known.',
    ({ safety }) => safety?.reason ?? null,
  ),
  provider: checked.now(
    z.string().nullable(),
    'Host name of the provider, which the numbers come from. Null if nothing is known.',
    ({ safety }) => safety?.provider ?? null,
  ),
  checkedAt: checked.now(
    epochMs.nullable(),
    'When the provider answered, epoch ms. The newest answer counts. Null if nothing is known.',
    ({ safety }) => safety?.checkedAtMs ?? null,
  ),
  score: checked.now(
    z.number().nullable(),
    'The provider’s score, on its own scale; null if it gave none.',
    ({ safety }) => safety?.score ?? null,
  ),
  lpLockedShare: checked.now(
    share.nullable(),
    'Share of the liquidity of its deepest market that is locked, the curve left out; null if the provider did not say.',
    ({ safety }) => safety?.lpLockedShare ?? null,
  ),
  mintAuthority: checked.now(
    addressSchema.nullable(),
    'Address that can mint more; null if there is none, or if `pass` is null.',
    ({ safety }) => safety?.mintAuthority ?? null,
  ),
  freezeAuthority: checked.now(
    addressSchema.nullable(),
    'Address that can stop transfers; null if there is none, or if `pass` is null.',
    ({ safety }) => safety?.freezeAuthority ?? null,
  ),
  topHolderShare: checked.now(
    share.nullable(),
    'Share of the supply of the largest holder; curve, pool, markets and lockers are left out. Null if the provider did not say.',
    ({ safety }) => safety?.topHolderShare ?? null,
  ),
})

const scored = fieldsOf<Scouts>()
const score = (description: string, read: (row: Scouts) => number | null) =>
  scored.now(share.nullable(), `${description}; null if it is not known.`, read)

export const solScouts = scored.resource('solScouts', {
  flow: score('Strength of the newest burst', (row) => row.flow),
  curve: score('How fast its curve filled', (row) => row.curve),
  holders: score('How widely the supply is spread', (row) => row.holders),
  callers: score('How often its callers win', (row) => row.callers),
  composite: score('Mean of the four that are known', (row) => row.composite),
})

const decided = fieldsOf<Trader>()

export const solTrader = decided.resource('solTrader', {
  action: decided.now(z.enum(['enter', 'pass']), 'Decision by the rules of `method`.', (row) => row.action),
  conviction: decided.now(share.nullable(), 'scouts.composite.', (row) => row.conviction),
})

const words = Object.keys(verdictMethod) as readonly (keyof typeof verdictMethod)[]

export const verdictMethodSchema = described(
  'now',
  z.strictObject(
    Object.fromEntries(words.map((name) => [name, z.string()])) as Record<keyof typeof verdictMethod, z.ZodString>,
  ),
  'Every formula and limit, in words.',
)
