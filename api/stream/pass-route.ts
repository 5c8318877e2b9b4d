/** The paid route that sells a pass: a token that lets its holder read the stream for up to an hour. */

import { z } from 'zod'
import { type EpochMs, minuteMs } from '../../schemas/units.ts'
import { exampleAtMs } from '../example.ts'
import { fieldsOf } from '../resource.ts'
import { personalRoute } from '../route.ts'
import type { NumberParam } from '../sale/params.ts'
import type { Refusal } from '../sale/refusals.ts'
import { count, epochMs } from '../values.ts'
import { connectionsOfPassMax } from './clients.ts'
import { createPasses, type Passes, tokenPattern } from './passes.ts'

const minutesParam: NumberParam = {
  in: 'query',
  type: 'number',
  min: 1,
  max: 60,
  default: 60,
  description: 'how long the pass is valid; the price is the same',
}

type Row = Readonly<{ token: string; types: readonly string[]; stream: string; minutes: number; issuedAtMs: EpochMs }>

const { now, resource } = fieldsOf<Row>()

const expiresAtMsOf = ({ issuedAtMs, minutes }: Pick<Row, 'issuedAtMs' | 'minutes'>) => issuedAtMs + minutes * minuteMs

const streamPass = resource('streamPass', {
  schemaVersion: now(z.literal(1), 'Version of the shape of answers.', () => 1 as const),
  token: now(
    z.string().regex(tokenPattern),
    'The pass: the query parameter `token` of the stream.',
    (row) => row.token,
  ),
  types: now(z.array(z.string()), 'The events with rows that the pass gives access to.', (row) => [...row.types]),
  stream: now(z.url(), 'Address of the stream, without the token.', (row) => row.stream),
  minutes: now(count, 'How long the pass is valid.', (row) => row.minutes),
  issuedAt: now(epochMs, 'When the pass was first sent, epoch ms.', (row) => row.issuedAtMs),
  expiresAt: now(epochMs, 'When the stream ends for this pass, epoch ms.', expiresAtMsOf),
  maxConcurrentPerPass: now(
    z.literal(connectionsOfPassMax),
    'Connections that the pass may have at a time.',
    (): 2 => connectionsOfPassMax,
  ),
})

type PassRouteOptions = Readonly<{
  passes: Passes
  types: readonly string[]
  streamUrl: string
  refusal(): Refusal | null
}>

export const createPassRoute = ({ passes, types, streamUrl, refusal }: PassRouteOptions) =>
  personalRoute({
    pattern: '/v1/stream/pass',
    tool: 'stream_pass',
    description: `A pass for the stream: bursts, graduations and new calls of followed chats, pushed as they happen, for up to an hour and over ${connectionsOfPassMax} connections at a time.`,
    priceUsdMicros: 500_000,
    isPersonal: true,
    dependsOn: [],
    needs: [],
    params: { minutes: minutesParam },
    schema: streamPass.schema,
    refusal,
    refusals: ['stream_disabled'],
    async example() {
      const minutes = minutesParam.default
      const sale = { paymentId: 'an example', issuedAtMs: exampleAtMs, expiresAtMs: exampleAtMs + minutes * minuteMs }
      // The token of the example is useless, because no service uses its secret.
      const token = createPasses('an example').tokenFor(sale)
      const row = { token, types, stream: streamUrl, minutes, issuedAtMs: exampleAtMs }
      return { values: { minutes }, body: streamPass.present(row) }
    },
    issue({ minutes }, { soldAtMs: issuedAtMs, paymentId }) {
      const expiresAtMs = expiresAtMsOf({ issuedAtMs, minutes })
      const token = passes.tokenFor({ paymentId, issuedAtMs, expiresAtMs })
      return streamPass.present({ token, types, stream: streamUrl, minutes, issuedAtMs })
    },
  })
