import { z } from 'zod'
import { exampleTracked } from '../../../api/example.ts'
import { described, fieldsOf } from '../../../api/resource.ts'
import { route } from '../../../api/route.ts'
import { refuse } from '../../../api/sale/refusals.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'

const { now, resource } = fieldsOf<number>()
const toy = resource('toyThing', { size: now(z.int().min(0), 'How large, in <b> & "quotes".', (size) => size) })

/** A route that exists only in tests. */
export const toyRoute = route({
  pattern: '/v1/toy/:id/things',
  tool: 'toy_things',
  description: 'Things <script>alert(1)</script> of a toy.',
  priceUsdMicros: 123_000,
  dependsOn: [{ stage: chainAStage, newest: 'the newest toy', maxAgeMs: 7_000 }],
  needs: [],
  history: { windowMs: 3_600_000, lookBackMs: 0 },
  params: {
    id: {
      ...{ in: 'path', type: 'string', letterCase: 'lower', pattern: /^t\d$/, example: 't and a digit', sample: 't1' },
      description: 'a toy',
    },
  },
  subject: {
    ...{ param: 'id', stage: chainAStage, tracked: exampleTracked },
    refusal: (id) => refuse('not_tracked', `no ${id}`),
  },
  schema: z.strictObject({ things: described('now', z.array(toy.schema), 'All of them.') }),
  refusals: ['stream_disabled'],
  answer: async () => ({ things: [toy.present(1)] }),
  example: async () => ({ values: { id: 't1' }, body: { things: [toy.present(2)] } }),
})
