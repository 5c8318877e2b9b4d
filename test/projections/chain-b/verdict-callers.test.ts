import { expect } from 'chai'
import type { Database } from '../../../infra/clickhouse/database.ts'
import { callTablesOf } from '../../../projections/calls/tables.ts'
import { createMintCallers } from '../../../projections/chain-b/queries/verdict-callers.ts'
import type { StageCut } from '../../../projections/cuts.ts'
import { projections } from '../../../projections/projections.ts'
import { selectRowsAt } from '../../../projections/rows-at-cut.ts'
import type { SubjectRows } from '../../../projections/rows-of-subject.ts'
import { migrate, readMigrations } from '../../../projections/sink/migrate.ts'
import { type AnyTable, columnsOf } from '../../../projections/table.ts'
import { chainBStage } from '../../../schemas/chain-b/stage.ts'
import { chainBVerdictRules } from '../../../schemas/chain-b/verdict.ts'
import { dayMs, hourMs } from '../../../schemas/units.ts'
import { databaseOfTests } from '../../support/database-of-tests.ts'

const { Call, CallScored } = callTablesOf(chainBStage.name)
const noonMs = Date.UTC(2026, 8, 1, 12)
const mint = 'MoonCatPumpk7wBXg3vYqR5tZ2nHs8eDfJbpump'
const { windowMs } = chainBVerdictRules.callers

const noConditions = {} as Parameters<typeof selectRowsAt>[2]['conditions']

const cutAt = (atMs: number) => ({ atMs, blockAtMs: atMs }) as StageCut

describe('the win rate of the callers of a mint', () => {
  let database: Database
  let offset = 0
  databaseOfTests(async (opened) => {
    database = opened
    await migrate(database, await readMigrations(projections))
    await insert(Call, {
      ...{ chain: 'chain-b', token: mint, called_at_ms: noonMs, known_at_ms: noonMs },
      chats: [{ chat: 'c', chatName: null, firstAtMs: noonMs, posts: 1, posters: ['b', 'a', 'a'] }],
    })
  })

  /** Inserts one row. Columns that `row` lacks have their defaults. */
  const insert = (table: AnyTable, row: Readonly<Record<string, unknown>>) => {
    offset++
    const values: Readonly<Record<string, unknown>> = { log_offset: offset, tick_seq: offset, ...row }
    const columns = columnsOf(table).filter((name) => name in values)
    return database.insert({ table: table.name, columns, rows: [columns.map((name) => values[name])] })
  }
  const score = (post: number, row: Readonly<{ poster: string; isWin: boolean; knownAtMs: number; more?: object }>) =>
    insert(CallScored, {
      ...{ chain: 'chain-b', token: mint, posted_at_ms: noonMs - dayMs + post, chat: 'c', post, poster: row.poster },
      ...{ token_count: 1, is_win_35: row.isWin ? 1 : 0, known_at_ms: row.knownAtMs, ...row.more },
    })
  /** The calls of the mint. The rows are inserted without the sink, so they are not in the table of subjects. */
  const known = ({ atMs }: StageCut): SubjectRows => ({
    of: (table) => selectRowsAt(database, table, { atMs, conditions: noConditions }),
  })
  const fresh = (cut: StageCut) => createMintCallers(database)(cut, known(cut))

  it('is the same with the scores in memory as when all are read, at each later and earlier cut', async () => {
    const callersAt = createMintCallers(database)
    const compare = async (atMs: number) => {
      const found = await callersAt(cutAt(atMs), known(cutAt(atMs)))
      expect(found).to.deep.equal(await fresh(cutAt(atMs)))
      return found
    }
    expect(await compare(noonMs)).to.deep.equal({ count: 2, win35: null })
    await score(1, { poster: 'a', isWin: true, knownAtMs: noonMs + 1 })
    await score(2, { poster: 'x', isWin: false, knownAtMs: noonMs + 1, more: { token_count: 30 } })
    const first = await compare(noonMs + 1)
    expect(first.win35).to.be.greaterThan(0.5)
    // A reorg changes one score and withdraws another one. The third score has no result.
    await score(1, { poster: 'a', isWin: false, knownAtMs: noonMs + 2 })
    await score(2, { poster: '', isWin: false, knownAtMs: noonMs + 2, more: { withdrawn: 1 } })
    await score(3, { poster: 'b', isWin: true, knownAtMs: noonMs + 2, more: { unscored: 'late' } })
    expect((await compare(noonMs + 2)).win35).to.equal(0)
    expect(await compare(noonMs + 1)).to.deep.equal(first)
    expect((await compare(noonMs + 2)).win35).to.equal(0)
  })

  it('counts only the calls of the window', async () => {
    const callersAt = createMintCallers(database)
    const lastMs = noonMs + 47 * hourMs
    await insert(CallScored, {
      ...{ chain: 'chain-b', token: mint, posted_at_ms: lastMs - windowMs, chat: 'c', post: 9, poster: 'a' },
      ...{ token_count: 1, is_win_35: 1, known_at_ms: noonMs + 3 },
    })
    const before = await callersAt(cutAt(lastMs - 1), known(cutAt(lastMs - 1)))
    expect(before).to.deep.equal(await fresh(cutAt(lastMs - 1)))
    const after = await callersAt(cutAt(lastMs), known(cutAt(lastMs)))
    expect(after).to.deep.equal(await fresh(cutAt(lastMs)))
    expect(before.win35).to.be.greaterThan(after.win35 ?? 1)
  })
})
