/** Requests to a provider of rug checks about a mint, and the provider's answers. */
import { type AvroValue, arrayOf, enumOf, nullable, recordOf } from '../avro.ts'
import { address, epochMs } from '../flavors.ts'

/**
 * The reasons for requesting a rug check: a burst, a call that begins the 48 h observation of a token, and
 * the opening of the pool.
 */
export const safetyReasons = ['burst', 'call', 'graduation'] as const
export type SafetyReason = (typeof safetyReasons)[number]
const safetyReason = enumOf('SafetyReason', safetyReasons)

/** Requests a lookup: what does the provider of rug checks report about the mint now? */
const safetyAsked = recordOf('SafetyAsked', [
  { name: 'questionId', type: 'string', doc: 'mint:atMs:reason' },
  { name: 'revision', type: 'int' },
  { name: 'atMs', type: epochMs, doc: 'the signal, the post, or the opening of the pool' },
  { name: 'reason', type: safetyReason },
])

/**
 * The answer of an external provider of rug checks to one request about the mint. `checkedAtMs` is the time
 * of the answer. A field is null if the provider did not give its value. If an authority is null, the mint
 * has no such authority.
 */
const safety = recordOf('Safety', [
  { name: 'checkedAtMs', type: epochMs },
  { name: 'provider', type: 'string' },
  { name: 'score', type: nullable('double'), doc: 'on the provider’s own scale' },
  { name: 'isRugged', type: nullable('boolean') },
  { name: 'mintAuthority', type: nullable(address) },
  { name: 'freezeAuthority', type: nullable(address) },
  { name: 'lpLockedShare', type: nullable('double') },
  { name: 'topHolderShare', type: nullable('double') },
  { name: 'fails', type: arrayOf('string'), doc: 'the names of its risks of the highest level' },
  { name: 'reason', type: safetyReason, default: 'burst', doc: 'that of its question' },
  {
    name: 'hasPool',
    type: nullable('boolean'),
    default: null,
    doc: 'it lists a market beside the curve; null: unknown',
  },
])

/** The schemas of this file. They are part of chain B's derived schemas. */
export const safetySchemas = { SafetyAsked: safetyAsked, Safety: safety } as const

export type SafetyAsked = AvroValue<typeof safetyAsked>
export type Safety = AvroValue<typeof safety>
