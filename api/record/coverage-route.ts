/** `/v1/coverage`: for each hour, what the service observed and what is missing. */

import { z } from 'zod'
import type { ChatGapSpan, Covered, CoveredHour, Span } from '../../projections/coverage.ts'
import type { Cuts } from '../../projections/cuts.ts'
import type { StateCounts } from '../../projections/trade-gaps/trade-gaps.ts'
import type { Stage } from '../../schemas/stage.ts'
import { type EpochMs, hourMs, minuteMs } from '../../schemas/units.ts'
import { exampleAtMs } from '../example.ts'
import type { FreeRoute } from '../free-route.ts'
import { described, fieldsOf } from '../resource.ts'
import type { Answers } from '../sale/answers.ts'
import { count, epochMs } from '../values.ts'
import { delayedCut, delayedMin, onceDelayed } from './delayed.ts'
import type { AnnouncedRules, TrackRecord } from './track-record.ts'

type CoveredChain = Readonly<{ wireName: string; stage: Stage; record: TrackRecord }>

const gridMs = minuteMs

/** All values of this answer are known now, none only later. */
const knownNow = <Schema extends z.ZodType>(schema: Schema, description: string): Schema =>
  described('now', schema, description)

const span = z.strictObject({
  from: knownNow(epochMs, 'First instant.'),
  to: knownNow(epochMs, 'Its end, exclusive.'),
})

const chatSpan = span.extend({
  chats: knownNow(count, 'How many chats.'),
  reason: knownNow(
    z.string(),
    '`offline`: nothing was read. `too_long`: more was posted than can be read. `refused`: the chat denied access.',
  ),
})

type Hour = CoveredHour &
  Readonly<{
    watched: Readonly<Record<string, number>>
    tradeGaps: StateCounts | null
    chatGaps: readonly ChatGapSpan[] | null
  }>
const { now, resource } = fieldsOf<Hour>()

const spanList = (spans: readonly Span[]) => spans.map(({ fromMs, toMs }) => ({ from: fromMs, to: toMs }))

const hour = resource('coveredHour', {
  hour: now(epochMs, 'Start of the hour.', ({ hourAtMs }) => hourAtMs),
  ticks: now(count, 'Number of ticks from the source: one per second while it is followed.', ({ ticks }) => ticks),
  blocks: now(
    z.strictObject({ first: knownNow(count, 'Number.'), last: knownNow(count, 'Number.') }).nullable(),
    'Blocks, slots or posts of the hour; null if none is known.',
    ({ blocks }) => blocks && { ...blocks },
  ),
  silent: now(
    z.array(span),
    'By the clock of the service: times of more than 60 s without a new block from the source. The missing blocks are read later: see `late`.',
    ({ silent }) => spanList(silent),
  ),
  late: now(
    z.array(span),
    'Times whose events became known more than 120 s late. The stream and the desk do not have them.',
    ({ late }) => spanList(late),
  ),
  unpriced: now(
    z.array(span),
    'Times when the price of the coin was unknown, or older than ten minutes.',
    ({ unpriced }) => spanList(unpriced),
  ),
  tradeGaps: now(
    z.strictObject({ open: count, givenUp: count, late: count }).nullable(),
    'Gaps in the trades of single tokens, by their state; null if the source has no trades.',
    ({ tradeGaps }) => tradeGaps && { ...tradeGaps },
  ),
  chatGaps: now(
    z.array(chatSpan).nullable(),
    'Times in which posts were missed or read late, without the names of the chats; null if the source has no posts.',
    ({ chatGaps }) =>
      chatGaps?.map(({ fromMs, toMs, chats, reason }) => ({ from: fromMs, to: toMs, chats, reason })) ?? null,
  ),
  watched: now(z.record(z.string(), count), 'Other counts of the hour, by name.', ({ watched }) => ({ ...watched })),
})

type ChainCoverage = Readonly<{ covered: Covered; knownUntilMs: EpochMs | null; announced: readonly AnnouncedRules[] }>
const chainFields = fieldsOf<ChainCoverage>()

const chain = chainFields.resource('coveredChain', {
  knownSince: chainFields.now(
    epochMs.nullable(),
    'When the source was first known, as far back as data is kept; null if it is not known yet.',
    ({ covered }) => covered.knownSinceMs,
  ),
  knownUntil: chainFields.now(
    epochMs.nullable(),
    'The instant of the data: generatedAt, or earlier if the source is further behind.',
    ({ knownUntilMs }) => knownUntilMs,
  ),
  rules: chainFields.now(
    z.array(z.strictObject({ version: z.string(), since: epochMs })),
    'Rules versions that were in force since the first block of the listed hours.',
    ({ covered }) => covered.rules.map(({ version, sinceMs }) => ({ version, since: sinceMs })),
  ),
  announced: chainFields.now(
    z.array(z.strictObject({ version: z.string(), from: epochMs })),
    'Rules versions that will come into force, and when.',
    ({ announced }) => announced.map(({ version, fromMs }) => ({ version, from: fromMs })),
  ),
  hours: chainFields.now(z.array(hour.schema), 'The hours of the last seven days, oldest first.', ({ covered }) =>
    hoursOf(covered).map((one) => hour.present(one)),
  ),
})

function hoursOf({ hours, watched, tradeGaps, chatGaps }: Covered): readonly Hour[] {
  return hours.map((one) => ({
    ...one,
    watched: watched.get(one.hourAtMs) ?? {},
    tradeGaps: tradeGaps && (tradeGaps.get(one.hourAtMs) ?? { open: 0, givenUp: 0, late: 0 }),
    chatGaps: chatGaps?.flatMap((gap) => within(gap, one.hourAtMs)) ?? null,
  }))
}

/**
 * Returns the part of the gap (a time in which posts of chats were missed or read late) within the hour, or
 * an empty list if there is none.
 */
function within(gap: ChatGapSpan, hourAtMs: EpochMs): readonly ChatGapSpan[] {
  const [fromMs, toMs] = [Math.max(gap.fromMs, hourAtMs), Math.min(gap.toMs, hourAtMs + hourMs)]
  return fromMs < toMs ? [{ ...gap, fromMs, toMs }] : []
}

type Row = Readonly<{ atMs: EpochMs; chains: Readonly<Record<string, ChainCoverage>> }>
const head = fieldsOf<Row>()

const answer = head.resource('coverage', {
  schemaVersion: head.now(z.literal(1), 'Version of the shape of answers.', () => 1 as const),
  generatedAt: head.now(epochMs, 'The instant of the answer, epoch ms.', ({ atMs }) => atMs),
  delayedMin: head.now(z.literal(delayedMin), 'Minutes from generatedAt to the request.', () => delayedMin),
  chains: head.now(z.record(z.string(), chain.schema), 'By name: the chains, and the chats.', ({ chains }) =>
    Object.fromEntries(Object.entries(chains).map(([name, coverage]) => [name, chain.present(coverage)])),
  ),
})

type Sources = Readonly<{
  chains: readonly CoveredChain[]
  announced: readonly AnnouncedRules[]
  answers: Pick<Answers, 'newestCut'>
  cuts: Pick<Cuts, 'at'>
  nowMs: () => EpochMs
}>

const unknown: Covered = {
  ...{ knownSinceMs: null, hours: [], rules: [], watched: new Map(), tradeGaps: null, chatGaps: null },
}

export function createCoverageRoute(sources: Sources): FreeRoute {
  const { chains, announced, nowMs } = sources
  const coveredAt = async ({ stage, record }: CoveredChain, atMs: EpochMs): Promise<ChainCoverage> => {
    const cut = await delayedCut(stage, atMs, sources)
    const covered = cut === null ? unknown : await record.covered(cut)
    const inForce = new Set(covered.rules.map(({ version }) => version))
    const coming = announced.filter((one) => one.stage === stage.name && !inForce.has(one.version))
    return { covered, knownUntilMs: cut?.atMs ?? null, announced: coming }
  }
  const bodyAt = async (atMs: EpochMs): Promise<object> => {
    const coverages: Record<string, ChainCoverage> = {}
    for (const one of chains) coverages[one.wireName] = await coveredAt(one, atMs)
    return answer.present({ atMs, chains: coverages })
  }
  return {
    patterns: ['/v1/coverage'],
    description: `What was watched of each chain and of the chats, hour by hour: gaps, what was known late, versions of the rules; as known ${delayedMin} minutes ago.`,
    tool: 'coverage',
    perMinute: 30,
    schema: answer.schema,
    answer: onceDelayed(gridMs, bodyAt, { nowMs }),
    example: async () => answer.present({ atMs: exampleAtMs, chains: { chainA: exampleCoverage } }),
  }
}

const exampleHourMs = Math.floor(exampleAtMs / hourMs) * hourMs

const exampleCoverage: ChainCoverage = {
  knownUntilMs: exampleAtMs,
  announced: [{ stage: 'chain-a', version: 'a14', fromMs: exampleAtMs + 86_400_000 }],
  covered: {
    knownSinceMs: exampleHourMs - 30 * hourMs,
    rules: [{ version: 'a14', sinceMs: exampleHourMs - 30 * hourMs }],
    hours: [
      {
        ...{ hourAtMs: exampleHourMs, ticks: 1420, blocks: { first: 26_112_000, last: 26_113_402 } },
        silent: [{ fromMs: exampleHourMs + 60_000, toMs: exampleHourMs + 250_000 }],
        ...{ late: [{ fromMs: exampleHourMs + 58_000, toMs: exampleHourMs + 130_000 }], unpriced: [] },
      },
    ],
    watched: new Map([[exampleHourMs, { poolsOpened: 41, bursts: 6, calls: 12 }]]),
    tradeGaps: new Map([[exampleHourMs, { open: 0, givenUp: 1, late: 0 }]]),
    chatGaps: null,
  },
}
