/**
 * Adds the second chain to the API. In the service, this code would be in `api/<chain>/`, with a line in
 * `api/routes.ts`.
 */
import { z } from 'zod'
import { timeFields } from '../../../api/envelope.ts'
import { described, fieldsOf } from '../../../api/resource.ts'
import { type RequiredSource, type Route, route, stageCutOf } from '../../../api/route.ts'
import type { PathParam } from '../../../api/sale/params.ts'
import { refuse } from '../../../api/sale/refusals.ts'
import type { SnapshotPart } from '../../../api/snapshot.ts'
import type { ApiSource } from '../../../api/source.ts'
import { count, epochMs } from '../../../api/values.ts'
import type { StageCut } from '../../../projections/cuts.ts'
import type { StageRecord } from '../../../schemas/stage.ts'
import type { RushRow, SecondQueries } from './projection.ts'
import { type Rush, secondStage } from './schemas.ts'

const source: Omit<RequiredSource, 'maxAgeMs'> = { stage: secondStage, newest: 'the newest slot of the second chain' }

const base58 = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/
const address = z.string().regex(base58)
const notTracked = (mint: string) => refuse('not_tracked', `mint ${mint} has had no rush`)
const solOf = (lamports: string | bigint): number => Number(lamports) / 1e9

const { resource, signal } = fieldsOf<RushRow>()
const rush = resource('secondRush', {
  mint: signal(address, 'The token.', ({ mint }) => mint),
  at: signal(epochMs, 'Time of the slot in which the third buyer bought.', ({ atMs }) => atMs),
  slot: signal(count, 'Its number.', ({ slot }) => slot),
  creator: signal(address, 'Who made the token.', ({ creator }) => creator),
  sol: signal(z.number(), 'SOL that all buyers have paid by then.', ({ lamports }) => solOf(lamports)),
  supersedes: signal(epochMs.nullable(), 'Where it stood before a reorg.', ({ supersedesAtMs }) => supersedesAtMs),
})
const head = fieldsOf<StageCut>().resource('secondHead', timeFields)

const mintParam: PathParam = {
  in: 'path',
  type: 'string',
  letterCase: 'asGiven',
  pattern: base58,
  example: '32 to 44 base58 characters',
  sample: 'So11111111111111111111111111111111111111112',
  description: 'a mint address',
}

const createRushRoute = (queries: SecondQueries): Route =>
  route({
    pattern: '/v1/second/rushes/:mint',
    tool: 'second_rushes_mint',
    description: 'The rush of one mint.',
    priceUsdMicros: 7_000,
    dependsOn: [{ ...source, maxAgeMs: 60_000 }],
    needs: [],
    history: { windowMs: 3_600_000, lookBackMs: 0 },
    params: { mint: mintParam },
    subject: { param: 'mint', stage: secondStage, tracked: queries.mints, refusal: notTracked },
    schema: head.schema.extend({ rush: described('signal', rush.schema, 'The newest one.') }),
    async answer({ mint }, cut) {
      const at = stageCutOf(cut, secondStage)
      const row = await queries.rushOf(at, mint)
      if (row === null) return notTracked(mint)
      return { ...head.present(at), rush: rush.present(row) }
    },
  })

const createSnapshotPart = (queries: SecondQueries): SnapshotPart => ({
  wireName: 'second',
  source,
  needs: [],
  schema: z.strictObject({ rushes: described('signal', z.array(rush.schema), 'Newest first.') }),
  async answer({ minutes }, cut) {
    const rows = await queries.rushesOfLast(cut, minutes * 60_000)
    return { rushes: rows.map((row) => rush.present(row)) }
  },
})

export const createSecondChain = (queries: SecondQueries): ApiSource => ({
  stage: secondStage,
  routes: [createRushRoute(queries)],
  snapshot: createSnapshotPart(queries),
  counts: async (cut) => ({ bursts24h: (await queries.rushesOfLast(cut, 86_400_000)).length, poolsTracked: 0 }),
  stream: {
    wireName: 'second',
    rows: [
      {
        recordType: 'Rush',
        event: 'rush',
        description: 'A rush, as it happens.',
        schema: z.strictObject({ mint: address, at: epochMs }),
        idOf: (mint, { atMs }) => `${mint}:${atMs}`,
        rowOf: ({ key, record }) => ({ mint: key, at: (record.data as Rush).atMs }),
      },
    ],
  },
  headlineOf(mint, { type, data }: StageRecord) {
    if (type !== 'Rush') return null
    const { atMs, lamports } = data as Rush
    return { atMs, text: `rush of ${mint}: ${solOf(lamports)} SOL` }
  },
})
