import { expect } from 'chai'
import type { Database } from '../../infra/clickhouse/database.ts'
import { projections } from '../../projections/projections.ts'
import { migrate, readMigrations } from '../../projections/sink/migrate.ts'
import { databaseOfTests } from '../support/database-of-tests.ts'

/**
 * An hour of random trades in 1000 pools. Each pool writes a version of its minute every 10 s, so there are
 * 360,000 versions.
 */
const minutesSql = `
  INSERT INTO pool_minutes
  SELECT lower(concat('0x', hex(sipHash128(number % 1000)), hex(sipHash128(number % 1000, 1)))) AS pool,
    intDiv(number, 6000) * 60000 AS minute_at_ms,
    toInt256(rand(1) % 200) * 1000000000000000 AS buy_wei, toInt256(rand(2) % 200) * 1000000000000000 AS sell_wei,
    rand(3) % 5 AS buys, rand(4) % 5 AS sells, 1e-9 * (1 + (rand(5) % 2000) / 2000) AS last_px,
    intDiv(number, 1000) * 10000 + (rand(6) % 10) * 1000 AS last_swap_at_ms, 1 + (rand(7) % 2000) / 2000 AS liq_eth,
    intDiv(number, 1000) * 10000 + 12000 AS known_at_ms, known_at_ms + rand(8) % 300 AS published_at_ms,
    number % 4 AS log_partition, intDiv(number, 4) AS log_offset, intDiv(number, 1000) AS tick_seq, 0 AS withdrawn
  FROM numbers(360000)`

/** Profiles of 1000 pools, every ten minutes for six hours, with equal content: 36,000 versions of profiles. */
const profilesSql = `
  INSERT INTO pool_profiles
  SELECT lower(concat('0x', substring(hex(sipHash128(number % 1000)), 1, 32), '00000000')) AS token,
    lower(concat('0x', hex(sipHash128(number % 1000)), hex(sipHash128(number % 1000, 1)))) AS pool,
    (number % 1000) * 4320 AS created_at_ms, created_at_ms + intDiv(number, 1000) * 600000 AS checked_at_ms,
    intDiv(checked_at_ms, 1000) - rand(1) % 60 AS block_number, substring(token, 1, 42) AS creator, 'held' AS class,
    1 AS insider_share, 0 AS burned_share, 0 AS contract_share, 0 AS other_share, 0 AS unknown_share,
    created_at_ms AS first_add_at_ms, 1 AS lp_adds, checked_at_ms + 2000 AS known_at_ms,
    known_at_ms + rand(2) % 300 AS published_at_ms, number % 4 AS log_partition, intDiv(checked_at_ms, 100) AS log_offset,
    intDiv(checked_at_ms, 1000) AS tick_seq, 0 AS withdrawn
  FROM numbers(36000)`

describe('the disk that the tables take', () => {
  let database: Database
  databaseOfTests(async (opened) => {
    database = opened
    await migrate(database, await readMigrations(projections))
  })

  const bytesPerRow = async (table: string, insert: string): Promise<number> => {
    await database.command(insert)
    await database.command(`OPTIMIZE TABLE ${table} FINAL`)
    const [parts] = await database.query<{ bytes: string; rows: string }>(
      `SELECT sum(data_compressed_bytes) AS bytes, sum(rows) AS rows FROM system.parts
       WHERE database = currentDatabase() AND table = '${table}' AND active`,
    )
    return Number(parts?.bytes) / Number(parts?.rows)
  }

  it('is some twenty bytes for each version of a minute', async () => {
    expect(await bytesPerRow('pool_minutes', minutesSql)).to.be.below(25)
  })

  it('is some ten bytes for each version of a profile', async () => {
    expect(await bytesPerRow('pool_profiles', profilesSql)).to.be.below(16)
  })
})
