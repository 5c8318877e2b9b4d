/** `/v1/restatements`: the rows that were corrected after they were first published, field by field. */
import { z } from 'zod'
import { correctionReasons } from '../../projections/corrections.ts'
import type { EpochMs } from '../../schemas/units.ts'
import { exampleAtMs } from '../example.ts'
import type { FreeRoute } from '../free-route.ts'
import { described, fieldsOf } from '../resource.ts'
import { epochMs } from '../values.ts'
import { delayedMin, onceDelayed } from './delayed.ts'
import { createRestatements, listedAfter, type Restatement, type Restatements } from './restatements.ts'

const keyValue = z.union([z.string(), z.number()])
const { now, resource } = fieldsOf<Restatement>()

const restatement = resource('restatement', {
  chain: now(z.string(), 'Name of the chain.', ({ chain }) => chain),
  type: now(z.string(), 'Type of the record, as a replay of the log names it.', ({ recordType }) => recordType),
  id: now(
    z.string().nullable(),
    'The `id` of the row in answers and in the stream; null where rows of this type have none.',
    ({ id }) => id,
  ),
  token: now(z.string().nullable(), 'Token or mint; null where `row` alone names it.', ({ token }) => token),
  row: now(z.record(z.string(), keyValue), 'The key of the row among the rows of its type.', ({ key }) => ({ ...key })),
  at: now(epochMs, 'Instant of the row, epoch ms.', ({ atMs }) => atMs),
  kind: now(
    z.enum(['restated', 'moved', 'withdrawn']),
    '`restated`: fields differ. `moved`: it happened at another instant than published. `withdrawn`: it never happened.',
    ({ isWithdrawn, movedFromAtMs }) => {
      if (isWithdrawn) return 'withdrawn' as const
      return movedFromAtMs === null ? ('restated' as const) : ('moved' as const)
    },
  ),
  movedFrom: now(
    epochMs.nullable(),
    'If it moved: the instant that was published before; else null.',
    (row) => row.movedFromAtMs,
  ),
  reason: now(
    z.enum(correctionReasons),
    '`reorg`: of the chain. `owner_check`: the node named another owner of the liquidity than the log.',
    ({ reason }) => reason,
  ),
  changes: now(
    z.array(
      z.strictObject({
        field: described('now', z.string(), 'Name of the field in the record; large whole numbers are text.'),
        from: described('now', z.unknown(), 'Value before; null if there was none.'),
        to: described('now', z.unknown(), 'Value now; null if there is none.'),
      }),
    ),
    'Every field that differs. The caller is left out, because chats may be private.',
    ({ changes }) => changes.map((change) => ({ ...change })),
  ),
  knownAt: now(epochMs, 'When the log knew the correction.', ({ knownAtMs }) => knownAtMs),
  publishedAt: now(epochMs, 'When the correction was written.', ({ publishedAtMs }) => publishedAtMs),
})

type Row = Readonly<{ restatements: Restatements | null; atMs: EpochMs; page: readonly Restatement[]; next: string }>
const head = fieldsOf<Row>()

const answer = head.resource('restatements', {
  schemaVersion: head.now(z.literal(1), 'Version of the shape of answers.', () => 1 as const),
  generatedAt: head.now(
    epochMs,
    'The list covers every correction of all chains that was known at this instant.',
    ({ restatements, atMs }) => restatements?.untilMs ?? atMs,
  ),
  delayedMin: head.now(
    z.literal(delayedMin),
    'Minutes: newer corrections are not listed. The stream sends corrections at once.',
    () => delayedMin,
  ),
  missingUntil: head.now(
    epochMs.nullable(),
    `Corrections that were known by this instant are not all listed; a replay of the log has them. Null if the list is complete.`,
    ({ restatements }) => restatements?.missingUntilMs ?? null,
  ),
  note: head.now(z.string().optional(), 'Only while a chain has no data yet.', ({ restatements }) =>
    restatements === null ? `Not every chain was known ${delayedMin} minutes ago; ask again later.` : undefined,
  ),
  next: head.now(z.string(), 'The `since` of the next request.', ({ next }) => next),
  restatements: head.now(z.array(restatement.schema), 'Oldest first.', ({ page }) =>
    page.map((one) => restatement.present(one)),
  ),
})

const gridMs = 20_000
const pageMax = 500

type Sources = Parameters<typeof createRestatements>[0] & Readonly<{ nowMs: () => EpochMs }>

const beginning = '0-0'

export function createRestatementsRoute(sources: Sources): FreeRoute {
  const delayedRestatements = onceDelayed(gridMs, createRestatements(sources), sources)
  return {
    patterns: ['/v1/restatements'],
    description: `The rows that were corrected after they were first published, with the earlier value of each field, as known ${delayedMin} minutes ago.`,
    tool: 'restatements',
    perMinute: 30,
    params: {
      since: {
        ...{ in: 'query', type: 'cursor', default: null },
        description: 'the `next` of an answer: lists what follows it; default: lists from the oldest correction',
      },
      limit: {
        ...{ in: 'query', type: 'number', min: 1, max: pageMax, default: 100 },
        description: 'how many are listed',
      },
    },
    schema: answer.schema,
    async answer({ since, limit }) {
      const found = await delayedRestatements()
      const page = found === null ? [] : listedAfter(found, String(since)).slice(0, Number(limit))
      const next = page.at(-1)?.cursor ?? (since === '' ? beginning : String(since))
      return present({ restatements: found, atMs: sources.nowMs(), page, next })
    },
    example: async () =>
      present({
        restatements: { untilMs: exampleAtMs, missingUntilMs: null, listed: [] },
        ...{ atMs: exampleAtMs, page: [exampleRestatement], next: exampleRestatement.cursor },
      }),
  }
}

const present = (row: Row): object => answer.present(row)

const exampleRestatement: Restatement = {
  ...{ chain: 'chainA', id: '94d01ec8bbb5b8cb', recordType: 'Burst' },
  token: '0x52908400098527886e0f7030069857d2e4169ee7',
  key: { atMs: exampleAtMs - 1_200_000, pool: `0x${'5b'.repeat(32)}`, tier: 'main' },
  ...{ atMs: exampleAtMs - 1_200_000, movedFromAtMs: null, isWithdrawn: false, reason: 'reorg' },
  changes: [{ field: 'buys', from: 14, to: 13 }],
  ...{
    knownAtMs: exampleAtMs - 1_190_000,
    publishedAtMs: exampleAtMs - 1_189_900,
    cursor: `${exampleAtMs - 1_190_000}-1`,
  },
}
