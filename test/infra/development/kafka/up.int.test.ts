import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { processStart } from '../../../../infra/data-dir/process-start.ts'
import { cacheDir, fetchJars } from '../../../../infra/development/kafka/jars.ts'
import type { KeptCluster } from '../../../../infra/development/kafka/kept-cluster.ts'
import { runTypeScript } from '../../../support/run-typescript.ts'

/**
 * Uses another home folder, so that a running cluster of the user is left alone. Links the downloaded jars
 * into this folder.
 */
describe('kafka:up and kafka:down', () => {
  let home = ''
  const cache = () => join(home, relative(homedir(), cacheDir()))
  const run = (command: 'up' | 'down') =>
    promisify(execFile)(process.execPath, [runTypeScript, `infra/development/kafka/${command}.ts`], {
      env: { ...process.env, HOME: home },
    })
  const state = async () => JSON.parse(await readFile(join(cache(), 'cluster.json'), 'utf8')) as KeptCluster

  before(async () => {
    await fetchJars('broker', () => {})
    await fetchJars('registry', () => {})
    home = await mkdtemp(join(tmpdir(), 'home-'))
    await mkdir(cache(), { recursive: true })
    for (const entry of await readdir(cacheDir()))
      if (!entry.endsWith('.json')) await symlink(join(cacheDir(), entry), join(cache(), entry))
  })
  after(async () => {
    // Without `home`, this would stop the user's own cluster.
    if (home === '') return
    await run('down')
    await rm(home, { recursive: true, force: true })
  })

  it('start one cluster that keeps running, and stop exactly that one', async () => {
    const { stdout } = await run('up')
    const [, brokers, registryUrl] =
      /^export KAFKA_BROKERS=(\S+)\nexport SCHEMA_REGISTRY_URL=(\S+)\n$/.exec(stdout) ?? []
    const { processes, dataDir } = await state()
    expect(processes.map(({ pid }) => processStart(pid))).to.deep.equal(processes.map(({ startedAt }) => startedAt))
    expect(brokers).to.match(/^127\.0\.0\.1:\d+$/)
    expect((await fetch(`${registryUrl}/subjects`)).status).to.equal(200)
    expect((await run('up')).stdout).to.equal(stdout)

    expect((await run('down')).stderr).to.match(/stopped/)
    expect(processes.map(({ pid }) => processStart(pid))).to.deep.equal([null, null])
    expect(existsSync(dataDir)).to.equal(false)
    expect((await run('down')).stderr).to.match(/no local cluster/)
  })

  it('name what to install if Java or Maven is missing', async () => {
    const failure = await promisify(execFile)(process.execPath, [runTypeScript, 'infra/development/kafka/up.ts'], {
      env: { HOME: home, PATH: '/nowhere' },
    }).catch((error: { code: number; stderr: string }) => error)
    expect(failure).to.have.property('code', 1)
    expect(failure.stderr).to.match(/dependency_missing: the local cluster needs a Java runtime 17 or newer/)
  })
})
