import { expect } from 'chai'
import fc from 'fast-check'
import type { Database } from '../../../infra/clickhouse/database.ts'
import { createCallsQueries } from '../../../projections/calls/queries/calls.ts'
import { callTablesOf } from '../../../projections/calls/tables.ts'
import { calledChainA } from '../../../projections/chain-a/called-chain.ts'
import { calledChainB } from '../../../projections/chain-b/called-chain.ts'
import type { Cut } from '../../../projections/cuts.ts'
import { projections } from '../../../projections/projections.ts'
import { migrate, readMigrations } from '../../../projections/sink/migrate.ts'
import { subjectRows } from '../../../projections/subject-rows.ts'
import { minuteMs } from '../../../schemas/units.ts'
import { chatsCut } from '../../support/calls/fixed-queries.ts'
import { databaseOfTests } from '../../support/database-of-tests.ts'
import { mint } from '../chain-b/derived-log.ts'
import { address, noonMs } from '../derived-log.ts'
import { insertVersions } from '../insert-versions.ts'
import { buildCall, stagesOfCalls } from './derived-log.ts'

const chains = ['chain-a', 'chain-b'] as const
type Chain = (typeof chains)[number]

/** Times are minutes after noon. `hasCode` is null if the chain’s node was not asked. */
type Version = Readonly<{
  chain: Chain
  token: number
  calledAt: number
  knownAfter: number
  recalls: number
  hasCode: boolean | null
  isWithdrawn: boolean
}>

const version: fc.Arbitrary<Version> = fc.record({
  chain: fc.constantFrom(...chains),
  token: fc.integer({ min: 1, max: 2 }),
  calledAt: fc.constantFrom(0, 1, 29, 30, 31, 119, 120),
  knownAfter: fc.constantFrom(0, 0, 1, 30),
  recalls: fc.integer({ min: 0, max: 9 }),
  hasCode: fc.constantFrom(true, false, null),
  isWithdrawn: fc.boolean(),
})

/** The clock of the chats is `chatsBehind` minutes behind the chains. */
const question = fc.record({
  at: fc.constantFrom(29, 30, 31, 60, 119, 120, 121, 150, 400),
  chatsBehind: fc.constantFrom(0, 0, 0, 1, 90),
  minutes: fc.constantFrom(1, 30, 120, 120, 120),
  chain: fc.constantFrom(...chains, null),
})
type Question = typeof question extends fc.Arbitrary<infer Value> ? Value : never

const tokenOf = ({ chain, token }: Pick<Version, 'chain' | 'token'>): string =>
  chain === 'chain-a' ? address(token) : mint(token)
const knownAtOf = ({ calledAt, knownAfter }: Version): number => calledAt + knownAfter

/** Counts the live calls anew from the versions, which are in the order of the log. */
function recounted(versions: readonly Version[], { at, chatsBehind, minutes, chain }: Question): readonly string[] {
  const clock = at - chatsBehind
  const last = new Map<string, Version>()
  for (const one of versions) if (knownAtOf(one) <= at) last.set(`${one.chain} ${one.token} ${one.calledAt}`, one)
  const shown = [...last.values()].filter(
    (one) =>
      !one.isWithdrawn &&
      one.calledAt > clock - minutes &&
      one.calledAt <= clock &&
      (chain === null || (chain === one.chain && one.hasCode !== false)),
  )
  const withContract = new Set(shown.filter(({ hasCode }) => hasCode !== false).map(tokenOf))
  return shown
    .filter((one) => one.hasCode !== false || !withContract.has(tokenOf(one)))
    .sort((left, right) => right.calledAt - left.calledAt || (textOf(left) < textOf(right) ? -1 : 1))
    .map(textOf)
}

const textOf = (one: Version): string => `${one.chain} ${tokenOf(one)} ${one.calledAt} ${one.recalls}`

describe('live calls', () => {
  let database: Database
  databaseOfTests(async (opened) => {
    database = opened
    await migrate(database, await readMigrations(projections))
  })

  const insert = async (versions: readonly Version[]) => {
    for (const chain of chains) {
      const { Call: table } = callTablesOf(chain)
      const rows = versions
        .filter((one) => one.chain === chain)
        .map((one) => {
          const { recalls, hasCode, isWithdrawn } = one
          const call = buildCall({ calledAtMs: noonMs + one.calledAt * minuteMs, recalls, hasCode })
          const context = { topic: `${chain}-derived`, logKey: tokenOf(one), supersedesAtMs: null }
          const values = table.valuesOf(call.data, context as never)
          return { values, knownAtMs: noonMs + knownAtOf(one) * minuteMs, isWithdrawn }
        })
      if (rows.length > 0) await insertVersions(database, { table, topic: `${chain}-derived`, rows })
    }
  }

  const taken = { queries: 0, fromMemory: 0 }
  const countedQuery: Database['query'] = (sql, parameters) => {
    taken.queries++
    return database.query(sql, parameters)
  }

  it('are the same from memory as counted anew, at cuts that go forward and back', async () => {
    await fc.assert(
      fc
        .asyncProperty(
          fc.array(version, { minLength: 3, maxLength: 16 }),
          fc.array(question, { minLength: 4, maxLength: 10 }),
          async (drawn, questions) => {
            const versions = [...drawn].sort((left, right) => knownAtOf(left) - knownAtOf(right))
            await insert(versions)
            const counting = { ...database, query: countedQuery }
            const queries = createCallsQueries({ database: counting, chains: [calledChainA, calledChainB] })
            for (const asked of questions) {
              const { at, chatsBehind, minutes, chain } = asked
              const atMs = noonMs + at * minuteMs
              const stages = stagesOfCalls.map(({ name }) => {
                const behindMs = name === 'chats' ? chatsBehind * minuteMs : 0
                return [name, { ...chatsCut, atMs, blockAtMs: atMs - behindMs }] as const
              })
              const cut: Cut = { atMs, stages: Object.fromEntries(stages) }
              const rows = await queries.live(cut, { minutes, chain })
              taken.queries = 0
              expect(await queries.live(cut, { minutes, chain }), 'asked again').to.deep.equal(rows)
              if (taken.queries === 0) taken.fromMemory++
              const found = rows.map(
                (row) => `${row.chain} ${row.token} ${(row.calledAtMs - noonMs) / minuteMs} ${row.recalls}`,
              )
              expect(found).to.deep.equal(recounted(versions, asked))
            }
          },
        )
        .afterEach(async () => {
          for (const name of ['calls', subjectRows.name]) await database.command(`TRUNCATE TABLE ${name}`)
        }),
      { numRuns: 25, endOnFailure: true },
    )
    expect(taken.fromMemory, 'answers without a query').to.be.above(25)
  })
})
