import { expect } from 'chai'
import fc from 'fast-check'
import type { Database } from '../../infra/clickhouse/database.ts'
import { atCut, fromFewAtCut } from '../../projections/at-cut.ts'
import { chainBCopies } from '../../projections/chain-b/tables/chain-b-copies.ts'
import { projections } from '../../projections/projections.ts'
import { migrate, readMigrations } from '../../projections/sink/migrate.ts'
import { columnsOf } from '../../projections/table.ts'
import { databaseOfTests } from '../support/database-of-tests.ts'

const weekMs = 7 * 86_400_000
const wallets = ['v', 'w', 'x']

/**
 * The versions of buys in the order of the log. Each buy belongs to one wallet. A version that withdraws a
 * buy names no wallet.
 */
const versions = fc
  .array(fc.record({ buy: fc.nat(8), isWithdrawn: fc.boolean() }), { minLength: 1, maxLength: 40 })
  .map((drawn) =>
    drawn.map(({ buy, isWithdrawn }, offset) => ({
      ...{ buy, isWithdrawn, offset, atMs: buy * weekMs },
      wallet: isWithdrawn ? '' : (wallets[buy % 3] ?? ''),
    })),
  )

describe('a query at a cut about one value of the leading column', () => {
  let database: Database
  databaseOfTests(async (opened) => {
    database = opened
    await migrate(database, await readMigrations(projections))
  })

  const selectFrom = async (from: string) =>
    (
      await database.query<{ row: string }>(
        `SELECT concat(wallet, ' ', mint, ' ', toString(slot)) AS row FROM ${from} ORDER BY at_ms`,
      )
    ).map(({ row }) => row)

  const select = async (atMs: number, conditions: NonNullable<Parameters<typeof atCut<typeof chainBCopies>>[2]>) => {
    const rows = await selectFrom(atCut(chainBCopies, atMs, conditions))
    expect(await selectFrom(fromFewAtCut(chainBCopies, atMs, conditions))).to.deep.equal(rows)
    return rows
  }

  it('finds the last version of its rows, and no row that was withdrawn', async () => {
    await fc.assert(
      fc.asyncProperty(versions, fc.nat(40), async (all, atMs) => {
        await database.command(`TRUNCATE TABLE ${chainBCopies.name}`)
        await database.insert({
          table: chainBCopies.name,
          columns: columnsOf(chainBCopies),
          rows: all.map(({ buy, isWithdrawn, offset, atMs, wallet }) => [
            ...[`m${buy}`, atMs, `t${buy}`, 0, offset, wallet, '1', 1, null, 1, null],
            ...[offset, offset, 0, offset, offset, isWithdrawn ? 1 : 0],
          ]),
        })
        const last = new Map(all.filter(({ offset }) => offset <= atMs).map((version) => [version.buy, version]))
        const rows = [...last.values()].filter((version) => !version.isWithdrawn).sort((a, b) => a.buy - b.buy)
        const texts = (some: typeof rows) => some.map(({ wallet, buy, offset }) => `${wallet} m${buy} ${offset}`)
        expect(await select(atMs, {})).to.deep.equal(texts(rows))
        for (const wallet of wallets) {
          const ofWallet = rows.filter((row) => row.wallet === wallet)
          expect(await select(atMs, { wallet: { sql: `= '${wallet}'` } })).to.deep.equal(texts(ofWallet))
          const until = { wallet: { sql: `= '${wallet}'` }, at_ms: { from: 0, to: 3 * weekMs } }
          expect(await select(atMs, until)).to.deep.equal(texts(ofWallet.filter(({ buy }) => buy <= 3)))
        }
      }),
      { numRuns: 20 },
    )
  })
})
