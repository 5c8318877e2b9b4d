/** The fields that every answer about calls has: the chain and the times. */
import { z } from 'zod'
import type { EpochMs } from '../../../schemas/units.ts'
import { timeFields } from '../../envelope.ts'
import { fieldsOf } from '../../resource.ts'
import { count, epochMs } from '../../values.ts'

type Envelope = Readonly<{ chain: string; atMs: EpochMs; blockAtMs: EpochMs }>

const envelope = fieldsOf<Envelope>()

export const callsEnvelope = envelope.resource('callsEnvelope', {
  chain: envelope.now(z.string(), 'Name of the chain; `all`: tokens of every chain.', ({ chain }) => chain),
  ...timeFields,
})

type Rebuilt = Envelope & Readonly<{ rebuiltAtMs: EpochMs }>

const rebuilt = fieldsOf<Rebuilt>()

export const hourlyCallsEnvelope = rebuilt.resource('hourlyCallsEnvelope', {
  ...callsEnvelope.fields,
  ageSec: rebuilt.now(
    count,
    'Seconds from the instant up to which everything is told to the cut.',
    ({ atMs, rebuiltAtMs }) => Math.floor((atMs - rebuiltAtMs) / 1000),
  ),
  rebuiltAt: rebuilt.now(
    epochMs,
    'The whole hour up to which everything is told (until the first one, the whole minute). The answer is made once all that happened by then is known, and again if more of it becomes known.',
    ({ rebuiltAtMs }) => rebuiltAtMs,
  ),
})
