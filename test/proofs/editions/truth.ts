/**
 * Reads what really happened (calls, scores, buys and copies) from all facts and derived records at the end
 * of the run.
 */
import type { Database } from '../../../infra/clickhouse/database.ts'
import { createSchemaCodec } from '../../../infra/codec/schema-codec.ts'
import { scan } from '../../../infra/log/scan.ts'
import type { Mentioned } from '../../../schemas/calls/facts.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import type { CurveTraded } from '../../../schemas/chain-b/facts.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import type { Stage, StageRecord } from '../../../schemas/stage.ts'
import { base58Of } from '../../support/oracle/chain-b/base58.ts'
import type { Logged } from '../calls/derive/project.ts'
import type { SourceName } from './run-start.ts'

export const marks = { ret1h: 1, ret4h: 4, ret12h: 12, ret24h: 24, ret48h: 48 } as const
type Mark = keyof typeof marks

export type Truth = Readonly<{
  /** The time of each token's first post of kind `call`. */
  posts: ReadonlyMap<string, number>
  /** The time of each wallet's first followed buy. */
  buys: ReadonlyMap<string, number>
  calls: readonly (Readonly<{ token: string; calledAtMs: number; knownAtMs: number }> &
    Readonly<Record<Mark, boolean>>)[]
  /** The first scored post of each caller and token. */
  scores: readonly Readonly<{ postedAtMs: number; name: string }>[]
  /** All followed buys. `isReplayed`: the service has simulated a copy of the buy. */
  copies: readonly Readonly<{ wallet: string; atMs: number; isClosed: boolean; isReplayed: boolean }>[]
}>

/**
 * The least amount of a followed buy, in lamports. The amount of a sale is negative, so sales are not
 * followed.
 */
const followedLamports = 200_000_000n

type Firsts = Readonly<{ posts: Map<string, number>; buys: Map<string, number> }>

function note(record: StageRecord, token: string, { posts, buys }: Firsts): void {
  const keep = (firsts: Map<string, number>, name: string, atMs: number) =>
    void firsts.set(name, Math.min(atMs, firsts.get(name) ?? atMs))
  if (record.type === 'Mentioned') {
    const { kind, hasCode, postedAtMs } = record.data as Mentioned
    if (kind === 'call' && hasCode !== false) keep(posts, token, postedAtMs)
    return
  }
  const { quoteRaw, quoteMint, isMayhem, trader, blockAtMs } = record.data as CurveTraded
  if (quoteRaw >= followedLamports && quoteMint === null && !isMayhem) keep(buys, base58Of(trader), blockAtMs)
}

export async function readTruth(
  { log, registry }: Logged,
  database: Database,
  sources: readonly SourceName[],
): Promise<Truth> {
  const stages = [chainAStage, chainBStage].filter(({ name }) => (sources as readonly string[]).includes(name))
  const firsts = { posts: new Map<string, number>(), buys: new Map<string, number>() }
  for (const { factTopic } of stages as unknown as readonly Stage[]) {
    const codec = await createSchemaCodec<StageRecord>(factTopic, registry)
    for (let partition = 0; partition < factTopic.partitionCount; partition++)
      await scan({ log, topic: factTopic.name, partition, codec }, 0, ({ key, value }) => {
        const type = value && codec.typeOf(value)
        if (value !== null && (type === 'Mentioned' || type === 'CurveTraded')) note(codec.decode(value), key, firsts)
        return undefined
      })
  }
  const ofSources = `chain IN (${stages.map(({ name }) => `'${name}'`).join(', ')})`
  const returns = Object.values(marks).map((hours) => `max(ret_${hours}h IS NOT NULL) AS ret${hours}h`)
  const calls = await database.query<Readonly<Record<string, string | number>>>(
    `SELECT token, called_at_ms AS calledAtMs, min(known_at_ms) AS knownAtMs, ${returns.join(', ')}
      FROM calls WHERE ${ofSources} GROUP BY chain, token, called_at_ms`,
  )
  const scores = await database.query<Readonly<{ name: string; postedAtMs: string }>>(
    `SELECT concat(chat, ' ', poster, ' ', token) AS name, min(posted_at_ms) AS postedAtMs
      FROM call_scores WHERE ${ofSources} AND unscored IS NULL GROUP BY chain, name`,
  )
  const copies = await database.query<
    Readonly<{ wallet: string; atMs: string; isClosed: number; isReplayed: number }>
  >(`SELECT any(wallet) AS wallet, at_ms AS atMs, max(closed) AS isClosed, max(replayed) AS isReplayed FROM (
      SELECT mint, at_ms, tx_hash, log_index, wallet, 0 AS closed, 0 AS replayed FROM chain_b_copies
      UNION ALL SELECT mint, at_ms, tx_hash, log_index, wallet, 1, toUInt8(ret IS NOT NULL) FROM chain_b_copy_results
    ) GROUP BY mint, at_ms, tx_hash, log_index`)
  return {
    ...firsts,
    calls: calls.map((row) => ({
      ...{ token: String(row.token), calledAtMs: Number(row.calledAtMs), knownAtMs: Number(row.knownAtMs) },
      ...(Object.fromEntries(Object.keys(marks).map((mark) => [mark, Number(row[mark]) === 1])) as Record<
        Mark,
        boolean
      >),
    })),
    scores: scores.map(({ name, postedAtMs }) => ({ name, postedAtMs: Number(postedAtMs) })),
    copies: copies.map(({ wallet, atMs, isClosed, isReplayed }) => ({
      ...{ wallet, atMs: Number(atMs), isClosed: isClosed === 1, isReplayed: isReplayed === 1 },
    })),
  }
}
