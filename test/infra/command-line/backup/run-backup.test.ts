import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { markRestore } from '../../../../infra/data-dir/unfinished-restore.ts'
import { fillDataDir } from '../../backup/data-dir.ts'

const cluster = { KAFKA_BROKERS: '127.0.0.1:9', SCHEMA_REGISTRY_URL: 'http://127.0.0.1:9' }

describe('launch-data backup and restore', () => {
  let root: string
  let dataDir: string
  let folder: string
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'launch-data-run-backup-'))
    dataDir = join(root, 'data')
    folder = join(root, 'backup')
    await fillDataDir(dataDir)
  })
  afterEach(() => rm(root, { recursive: true, force: true }))

  const launchData = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
    spawnSync(process.execPath, ['infra/command-line/launch-data.js', ...args], {
      encoding: 'utf8',
      env: { ...process.env, DATA_DIR: dataDir, ...environment },
      timeout: 60_000,
    })
  const into = (name: string) => ({ DATA_DIR: join(root, name) })

  it('say what they copied, and what to do before the service starts', () => {
    const backup = launchData(['backup', folder])
    expect(backup.stderr).to.equal('')
    expect(backup.stdout).to.match(/^backed up 6 files with \d+\.\d MB to .*backup\nEnvironment variables are not in/)
    expect(backup.stdout).to.not.contain('Kafka')
    const check = launchData(['restore', '--check', folder], into('never'))
    expect(check.stdout).to.match(/is whole: 6 files with .* MB, made at 20/)
    const restore = launchData(['restore', folder], into('restored'))
    expect(restore.stdout).to.match(/^restored 6 files with .*, as of 20[\s\S]*start only one service from the backup/)
    expect([backup, check, restore].map(({ status }) => status)).to.deep.equal([0, 0, 0])
    expect(restore.stdout).to.not.contain('--rebuild')
    const beside = launchData(['restore', folder], { ...into('other'), CLICKHOUSE_URL: 'http://127.0.0.1:9' })
    expect(beside.stdout).to.match(/Run "launch-data project --rebuild"/)
    const doctor = launchData(['doctor'], into('restored'))
    expect(doctor.stdout).to.match(/^ok +log/m)
  })

  it('end with 1 and change nothing if the check fails', async () => {
    launchData(['backup', folder])
    await writeFile(join(folder, 'secrets/stream-passes'), 'another')
    const check = launchData(['restore', '--check', folder])
    expect(check.status).to.equal(1)
    expect(check.stderr).to.match(/secrets\/stream-passes of the backup is damaged.*\(backup_invalid\)/)
  })

  it('copy no log if it is on Kafka, and say what to copy with other tools', async () => {
    const { stdout, status } = launchData(['backup', folder], cluster)
    expect(status).to.equal(0)
    expect(stdout).to.match(/no log and no payments\. Copy the topics with the tools of Kafka/)
    expect(await readdir(folder)).to.not.include('log')
  })

  it('end with 2 if the configuration names another log than that of the backup', () => {
    launchData(['backup', folder])
    launchData(['backup', `${folder}-kafka`], cluster)
    const embedded = launchData(['restore', folder], { ...into('restored'), ...cluster })
    expect([embedded.status, embedded.stderr]).to.match(/2,.*Unset KAFKA_BROKERS/)
    const shared = launchData(['restore', `${folder}-kafka`], into('restored'))
    expect([shared.status, shared.stderr]).to.match(/2,.*Set KAFKA_BROKERS and SCHEMA_REGISTRY_URL/)
    expect(launchData(['restore', `${folder}-kafka`], { ...into('restored'), ...cluster }).status).to.equal(0)
  })

  it('keep every program from a directory into which a restore did not finish', () => {
    markRestore(dataDir)
    for (const [args, environment] of [
      [['up'], {}],
      [['serve'], { ...cluster, CLICKHOUSE_URL: 'http://127.0.0.1:9' }],
      [['project', '--rebuild'], {}],
      [['replay', '--from', '-1h', '--to', 'now', '--dry'], {}],
    ] as const) {
      const { status, stderr } = launchData(args, environment)
      expect(status, args.join(' ')).to.equal(1)
      expect(stderr, args.join(' ')).to.match(/has not finished.* empty the folder .*\(restore_unfinished\)/)
    }
  })
})
