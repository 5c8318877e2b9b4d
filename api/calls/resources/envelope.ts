/** What answers about calls say of themselves. */
import { z } from 'zod'
import { timeFields } from '../../envelope.ts'
import { fieldsOf } from '../../resource.ts'
import { count, epochMs } from '../../values.ts'

type Told = Readonly<{ chain: string; atMs: number; blockAtMs: number }>

const told = fieldsOf<Told>()

export const callsEnvelope = told.resource('callsEnvelope', {
  chain: told.now(z.string(), 'Name of the chain; `all`: tokens of every chain.', ({ chain }) => chain),
  ...timeFields,
})

type Rebuilt = Told & Readonly<{ rebuiltAtMs: number }>

const rebuilt = fieldsOf<Rebuilt>()

export const hourlyCallsEnvelope = rebuilt.resource('hourlyCallsEnvelope', {
  ...callsEnvelope.fields,
  ageSec: rebuilt.now(count, 'Seconds from the rebuild to the cut.', ({ atMs, rebuiltAtMs }) =>
    Math.floor((atMs - rebuiltAtMs) / 1000),
  ),
  rebuiltAt: rebuilt.now(
    epochMs,
    'The whole hour of the rebuild (until the first one, the whole minute): the answer tells what was known by then.',
    ({ rebuiltAtMs }) => rebuiltAtMs,
  ),
})
