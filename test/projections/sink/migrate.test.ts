import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { createDatabase, type Database } from '../../../infra/clickhouse/database.ts'
import { createCuts } from '../../../projections/cuts.ts'
import { projections } from '../../../projections/projections.ts'
import { migrate, readMigrations } from '../../../projections/sink/migrate.ts'
import { readProgress } from '../../../projections/sink/write-batch.ts'
import { watermarkColumns, watermarkTable } from '../../../projections/watermarks.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { toyProjection } from '../toy/projection.ts'

/** Migrations that existing databases have applied, with the hashes of their files. */
const released = [
  ['0001-watermarks.sql', '63df24de336ae6cf2ba63e4a8f39b801ebe9962e0b738eff8482ec3e7e082cab'],
  ['0002-ticks.sql', '77a6dd60295df0b97213b7a8253af9d6119a04d1e1230bc9063960feaccacb6a'],
  ['0003-pools.sql', '97edab5dc16406874c350c425072e9b976e7588209ca87944952437efbf5499a'],
  ['0004-pool-minutes.sql', '67bc300e73decd7345cb2739194af5546b040815d944e107a84aea17929c95e9'],
  ['0005-bursts.sql', '8b9b923bdd57a5c01dea949dbf14843fed5ebc66204286a86e0a3cd173a72c2a'],
  ['0006-burst-buyers.sql', '69a5db5a1eec3be1c3b13f28c8278058f83d51f8a18dbce74fd0a35357b29c67'],
  ['0007-burst-outcomes.sql', '72cc079a92ea84a1ceb5df35d81c446e0a5aaac0ddd8b0ef7c5ed19bbd0b3150'],
  ['0008-bursts-supersedes.sql', 'fb7df14be078f630fa21ca6cc489e6dda35c14bc5939dec59c7d0f7f6c9ee9ae'],
  ['0009-burst-lp.sql', 'fa3fdfd0f5492fcf3755992bbf43b28663b1343d185868de06e2d2750d8e6edc'],
  ['0010-pool-profiles.sql', 'e3dd807940ec42b368ea352afe8b058809751a3b7de6da176139e14cb6e0ba42'],
  ['0011-launch-curves.sql', '5673e6ea5dc27491ef7256d8e855f338c131673859300dc2471f932979ae3ca1'],
  ['0012-pool-minutes-codecs.sql', '79bfe75a958feb81026d6cf83cfe8741ffff3ffc9320c6446737314b7d0d99dd'],
  ['0013-pool-profiles-codecs.sql', 'e1835054a036360f721d7133eee40dfdd25fe8ce8175710196972ca1ba692570'],
  ['0014-pool-minutes-cleanup.sql', 'b5e92cce652ef8ff75682059bafd57479c26b1c982ba9e107d4721afb7c43844'],
  ['0015-chain-b-bursts.sql', '969ff3b6904c2bc2cf14f5d7aca618581530481df765c233b57d11063d7330ac'],
  ['0016-chain-b-anatomies.sql', '4f10ee5eaffd91c551da7a7e67e738b84a160f958ea271ce69cb27b094998375'],
  ['0017-chain-b-outcomes.sql', '10a770693fb705008664547e931e9a4bf1b683a4bb189fa05dee29f5add2ed1c'],
  ['0018-chain-b-graduations.sql', '7433025ac4174fb8a8652da8ffc574332debed4db0a58f760ded76c04137e7e0'],
  ['0019-chain-b-graduation-posts.sql', '273b4e15cf37a3164c6ded8b5c5f28a5f7b5e25892eec9fb54783655758f17ce'],
  ['0020-chain-b-copies.sql', '2e41c072d693aa016f478ce46186d0ab41bd3861eb0921aca4e7a4780713c2cd'],
  ['0021-chain-b-copy-results.sql', '3d56500bac25e004b40052876aeea25ed1632d199e0816174dc63635e94246b7'],
  ['0022-chain-b-leader-lists.sql', '37528aee56d8d069c5c4ba7d74e372b720242f97652a8c82830d3a23d0e37613'],
  ['0024-chain-a-calls.sql', '1a31b70581f9958b09f3286389d67e118462ed1f419670556c98a6f56bb2e468'],
  ['0025-chain-a-call-scores.sql', '563be6ecda1e7600c8c8fce1e278a62861c432f5e8e5aa5e12a449c7df199c98'],
  ['0026-chain-a-scanner-grades.sql', 'fcd7c2117037272f457ad93bef4af2269a35cae0d6bda3db30a9a19848b8ff41'],
  ['0027-chain-a-precalls.sql', '57ee8e8ed8eba84eb9ca20ec195b9cdaf743edb075ab44fe49539161f1ae3f28'],
  ['0028-chain-a-precall-buyers.sql', 'a919531b267494089fb384c8abb81c49eb0192b110e27b58dcafc8ff79985b65'],
  ['0029-chain-b-calls.sql', 'a9c61eb162b0225fd76fe66a399388c469be6db17e14fad47287eec189600722'],
  ['0030-chain-b-call-scores.sql', '1564c61ca2d6bab616cef2fd26ea26e3f06ea51cd2633bdbff8cfbabd4b1bde7'],
  ['0031-chain-b-scanner-grades.sql', '69a87095eb4c3f53c17efe224c617e1947a3a0fe291be2706ef71968d635605d'],
  ['0040-chain-a-desk-opens.sql', 'ff221ea3e54695c03ba2b3fdc17b7f9290e86ed7d3597b2c52b1e2a7d8e628c7'],
  ['0041-chain-a-desk-trades.sql', '4551e07e88a1a891dc60f2949295e6a21f6d34fdecb55e8c1dab4a562b381a6c'],
  ['0042-chain-a-desk-twins.sql', '03c62847c89c939b95940751d5a1953a8e33b5d8629a2c32415f695d7ccadead'],
  ['0043-chain-a-desk-shadows.sql', '49dd0a721b7fc002da1c6c17553f17ea0687d6915466a0476476b66eca6eb677'],
  ['0044-chain-b-desk-opens.sql', '76f004ff019d9c2d772095ddbcfd1ea2effd92ab6d6b20b98529ed9cdde93ba4'],
  ['0045-chain-b-desk-trades.sql', '429f28b7460fcd3deab6c2311557a797e2ce0b8d2e97b8de2b5d329a04cacc92'],
  ['0046-chain-b-desk-twins.sql', '151f82bc008518fe3c44a2498ded7f01a6f66a7aff5fc02cb39c9a66e6a873a6'],
  ['0047-chain-b-desk-shadows.sql', '310d6bfa9db72cd973bb2bfde30853d1c315151866911614b3084e76f316daff'],
  ['0050-chain-b-safety.sql', '851b97cea0ce17f33415382dbf558b7b53a439fbded3a8a8b5f3ac7dce760e38'],
  ['0051-chain-a-calls-rugs.sql', 'b36a2e2dc1ac5e2d3e106e16dbcdb223f494c7de2a899daa4f9011c81cf75916'],
  ['0052-chain-a-call-scores-rugs.sql', 'ff2dfc08f00b87e567608eb86fc9c5abda5f95de09ef76d7600d775279e1327f'],
  ['0053-chain-b-calls-rugs.sql', '4cd759c25969463d10e9e386e2391b6821aa87d3cd7e1f20004b709332c0a8c8'],
  ['0054-chain-b-call-scores-rugs.sql', '78fd455d0598449f2a8dd963ff9dda92f002df3d93d2199565d8577db33c6d65'],
  ['0055-chain-b-safety-reasons.sql', 'b34d0c9a77d61573b5e4cb9eeea927c34f580d0b32760213b77e710608c8ca3c'],
  ['0060-chat-gaps.sql', '9d58b3e0ece5d6b3bfcec20b97cf9da5efe5bdf3f8340d60359ff586d3047190'],
  ['0061-chat-cards.sql', '407d4c3250a6787451eb94607b71bb41e62e5bc670b08a9a57ba2a68baa8e3e2'],
  ['0070-chain-a-trade-gaps.sql', '31ff52115052fb8087c59f3600406ba98eee886e0f5925ae7dc5faff04bae949'],
  ['0071-chain-b-trade-gaps.sql', '8ac5ae98a56985f17e35656153068619394f6b43fbc97eb0e2f21f858893e0ae'],
  ['0072-chain-a-call-scores-anchors.sql', '71ad6efb88d14aed58f363e457e8383891dd638855fced74147b98eee5a143f3'],
  ['0073-chain-b-call-scores-anchors.sql', '66aa309889b679607b489cee5836351b5859e5e3068bf020ea664718eabd94ce'],
  ['0080-restatements.sql', 'e04c94d4a951fcaf8c1b1c717a51953b8b8864a58394ea50096f96fc2949e512'],
  ['0081-restatements-since.sql', 'b0ef5278915576a7af240cf5e376b3aaaad4c9cdfc97f5a57a4ba57983cd6096'],
  ['0090-calls.sql', '45035fe9a2276c6237923962375c2f24851677896bea2ef487d03ef4dd703b3b'],
  ['0091-call-scores.sql', '4635ace963e8fbf0419af34e71da184688c3dcc307bfeab986c88c3ce083632d'],
  ['0092-scanner-grades.sql', '5b8c4dfcf511eba86d2a15a9fac713885a0933be4320e390e7b3995dc51acb0e'],
  ['0093-precalls.sql', '44373571772adc6d09253a55fff3683ec23ff2eb0cb0c9e1c0a4bd1ac4383871'],
  ['0094-precall-buyers.sql', 'ce65518afb5f8fd4db9e9711c6e33800ee20724127ffbc43cea79ada86451685'],
  ['0095-desk-opens.sql', '21ad0cc55f8bdb5783ad5f4a56f2a745354299118e09183bd6ee9c2cdf067864'],
  ['0096-desk-trades.sql', 'db28767fa8e6944f24f0d01b8bc0dcb0e0345658e10a009caba1c48582d51501'],
  ['0097-desk-twins.sql', 'b33ffbadd99a8a76994a1d3a96a1e23fc2980787e2c8da5872929fad284bfdbf'],
  ['0098-desk-shadows.sql', 'e24980b31b5d3d0c8c1d96c1b62af23ea4fbd5b999d6c32fc5739c94e45b2139'],
  ['0099-trade-gaps.sql', '579f876762ffb495c383c1462161f89816c8f9dbce38b8d57d23e9e3c084d97f'],
  ['0100-restatements-of-shared-tables.sql', '64c402585ff74a9bd8756be99bee66dd017e4351d07d99ff60ee3d9de7b17158'],
  ['0101-tables-of-each-chain.sql', '776e99cb20c9c51d6bace79a70d548b56b6c60d611756f142c46b98b412f261d'],
  ['0102-pool-minutes-by-pool.sql', 'f241fceebf3b500210e1c1624b83ae3c4fc22f583c28c91f0073fc7bb2a6b075'],
  ['0103-chain-b-copies-by-wallet.sql', 'd16971e4d58e465326569be0a6f57bb30201ee40e37e74bc3909e0f8ef1134ac'],
  ['0104-chain-b-copy-results-by-wallet.sql', '4b3d3f5deb062aada8c546418dbe97099a25e111581c14d96d636538027d2fb5'],
  ['0105-subject-rows.sql', '9245219a28b3a858f7c1798f8f0d2c91ee1db9b9997906a37412f769860e5ba1'],
  ['0106-chain-a-subject-rows.sql', 'e22f0f06d4aef527219c86ab65b0e2edc848314f3587b88991b3248adec92b21'],
  ['0107-chain-b-subject-rows.sql', '852f73d1f6e8d1cff0f0183e21d8c0288f77f4edeb75f234807e0f0a9597ea81'],
  ['0108-calls-subject-rows.sql', 'fd976502d51367f9ef8bb5ef892eedb131a6906c83798c726a150830aeb3d86d'],
  ['0109-desk-subject-rows.sql', '5d9be3696d82435a7ddf38abdb412a89c6d10f4f2c6e9383b0e91513d86c6b83'],
  ['0110-chain-b-mints.sql', '402f750a69b48063c8a1423cce8bc1286a2fcededdfde583daae469343326abe'],
  ['0111-chain-b-minutes.sql', 'f787dce032d7527ea0fbeb54a54209d4697e2b244a3f3ad05efea7fc8977c985'],
  ['0112-watermarks-last-known.sql', '15523abf35b8a929c4f1252ff00109ce42dac1dc44de87a33215d638790c5b21'],
  ['0113-pool-minutes-compact.sql', '3d83ba12e7dd5fc97bd648514038543b8e1825f055eae8a6cf44e80c31e28637'],
  ['0114-chain-b-copies-compact.sql', 'fcf070e5f9a80be4d0bc3610ab943aa840a165856b770d56a38d1bdf0e622d28'],
  ['0115-chain-b-copy-results-compact.sql', 'aeee72f9518b091f80a13d8967517fe800c7d5b2728b08219af36dd4b5562acd'],
  ['0116-watermarks-last-tick.sql', 'dc55a306637f9865659a2a8c92008813fefb00ce59c0bb75b2a7770133471750'],
] as const

const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error) => error,
  )

describe('migrate', () => {
  let dataDir: string
  let database: Database

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-'))
    database = await createDatabase({ dataDir, role: 'writer' })
  })
  after(async () => {
    await database.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  it('applies each migration once and refuses one that has changed', async () => {
    const migration = {
      name: '0001-a.sql',
      sql: 'CREATE TABLE IF NOT EXISTS a (x Int64) ENGINE = MergeTree ORDER BY x',
    }
    await migrate(database, [migration])
    await database.command('DROP TABLE a')
    await migrate(database, [migration])
    expect(await failureOf(database.query('SELECT x FROM a'))).to.include({ code: 'database_failed' })
    const changed = await failureOf(migrate(database, [{ ...migration, sql: `${migration.sql} -- more` }]))
    expect(changed).to.include({ code: 'migration_changed' })
    expect(changed.context).to.deep.equal({ name: '0001-a.sql' })
  })

  it('finds the released files as they were released', async () => {
    const checksums = new Map(
      (await readMigrations(projections)).map(({ name, sql }) => [
        name,
        createHash('sha256').update(sql).digest('hex'),
      ]),
    )
    for (const [name, checksum] of released) expect(checksums.get(name), name).to.equal(checksum)
  })

  it('refuses two files of one number', async () => {
    const migrations = [await folderWith('0003-a.sql'), await folderWith('0003-b.sql')]
    expect(await failureOf(readMigrations([{ ...toyProjection, migrations }]))).to.include({
      message: 'two migrations have the number 0003',
    })
  })

  it('keeps the rows of the tables that each chain had, also when it dies before it has noted that', async () => {
    const fresh = await createDatabase({ dataDir, role: 'writer', name: 'of_each_chain' })
    try {
      const all = await readMigrations(projections)
      await migrate(
        fresh,
        all.filter(({ name }) => name < '0090'),
      )
      const stamp = { published_at_ms: 1, log_partition: 0, log_offset: 7, tick_seq: 1, withdrawn: 0 }
      const insert = (table: string, row: Readonly<Record<string, unknown>>) =>
        fresh.insert({ table, columns: Object.keys(row), rows: [Object.values(row)] })
      for (const chain of ['a', 'b']) {
        const call = { token: `token ${chain}`, called_at_ms: 5, recalls: 3, ret_1h: 0.5, known_at_ms: 6 }
        await insert(`chain_${chain}_calls`, { ...call, ...stamp })
        const mark = { topic: `chain-${chain}-derived`, table_name: `chain_${chain}_calls`, row_key: '[5,""]' }
        await insert('restatements', { ...mark, known_at_ms: 6, ...stamp })
      }
      await insert('restatements', { topic: 'chain-a-derived', table_name: 'bursts', known_at_ms: 6, ...stamp })
      const [first] = all.filter(({ name }) => name === '0090-calls.sql')
      await fresh.command(first?.sql ?? expect.fail('it is there'))
      await migrate(fresh, all)
      expect(
        await fresh.query('SELECT chain, token, recalls, ret_1h, log_offset FROM calls ORDER BY chain'),
      ).to.deep.equal([
        { chain: 'chain-a', token: 'token a', recalls: 3, ret_1h: 0.5, log_offset: '7' },
        { chain: 'chain-b', token: 'token b', recalls: 3, ret_1h: 0.5, log_offset: '7' },
      ])
      expect(
        await fresh.query('SELECT topic, table_name AS name FROM restatements ORDER BY topic, name'),
      ).to.deep.equal([
        { topic: 'chain-a-derived', name: 'bursts' },
        { topic: 'chain-a-derived', name: 'calls' },
        { topic: 'chain-b-derived', name: 'calls' },
      ])
      const left = await fresh.query(
        "SELECT name FROM system.tables WHERE database = currentDatabase() AND match(name, '^chain_[ab]_(calls|desk)')",
      )
      expect(left).to.deep.equal([])
    } finally {
      await fresh.close()
    }
  })

  it('tells nothing of the newest rows that an earlier version wrote, and has its progress', async () => {
    const fresh = await createDatabase({ dataDir, role: 'writer', name: 'without_last_known' })
    try {
      const all = await readMigrations(projections)
      await migrate(
        fresh,
        all.filter(({ name }) => name < '0112'),
      )
      const columns = watermarkColumns.filter((column) => column !== 'last_known' && column !== 'last_tick')
      const rows = [['chain-a-derived', 0, 'done', 3, 9, 70]]
      await fresh.insert({ table: watermarkTable, columns, rows })
      expect(await createCuts({ database: fresh }).newest([chainAStage]), 'not migrated yet').to.equal(null)
      await migrate(fresh, all)
      const done = { seq: 3, knownAtMs: 9, nextOffset: 70, lastKnown: {} }
      expect([...(await readProgress(fresh, 'chain-a-derived'))]).to.deep.equal([[0, { done, plannedSeq: null }]])
    } finally {
      await fresh.close()
    }
  })

  async function folderWith(name: string): Promise<URL> {
    const folder = join(dataDir, name)
    await mkdir(folder)
    await writeFile(join(folder, name), 'SELECT 1')
    return pathToFileURL(`${folder}/`)
  }
})
