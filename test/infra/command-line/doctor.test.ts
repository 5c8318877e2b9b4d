import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Check, ok, textOfChecks, wrong } from '../../../infra/check.ts'
import { examineAll } from '../../../infra/command-line/doctor/doctor.ts'
import { readConfig } from '../../../infra/config.ts'
import { lockDataDir } from '../../../infra/data-dir/data-dir-lock.ts'
import { createEmbeddedLog } from '../../../infra/log/embedded/embedded-log.ts'
import { fact } from '../../contracts/log-contract.ts'
import { type RpcDouble, startRpcDouble } from '../../ingest/chain-a/rpc-double.ts'
import { type FacilitatorDouble, startFacilitatorDouble } from '../../support/payments/facilitator-double.ts'
import { changeMain, flipBit } from '../log/embedded/changed-values.ts'
import { makeOfBefore } from '../log/embedded/log-of-before.ts'

/** The answer of the price feed. */
let round = '0x'

/** Starts a simulated node whose newest block is `headAgeMs` old. */
const startNode = (chainId: number, headAgeMs: number): Promise<RpcDouble> =>
  startRpcDouble((method) => {
    if (method === 'eth_chainId') return { result: `0x${chainId.toString(16)}` }
    if (method === 'eth_call') return { result: round }
    const timestamp = Math.floor((Date.now() - headAgeMs) / 1000)
    return { result: { number: '0x10', timestamp: `0x${timestamp.toString(16)}` } }
  })

const nobody = 'http://127.0.0.1:9'
const seller = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

describe('doctor', () => {
  let dataDir: string
  let facilitator: FacilitatorDouble
  const nodes: RpcDouble[] = []

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-doctor-'))
    facilitator = await startFacilitatorDouble()
  })
  after(async () => {
    await facilitator?.stop()
    for (const node of nodes) await node.stop()
    await rm(dataDir, { recursive: true, force: true })
  })

  const urlOf = async (chainId: number, headAgeMs = 0) => {
    const node = await startNode(chainId, headAgeMs)
    nodes.push(node)
    return node.url
  }
  const examined = async (environment: Record<string, string>): Promise<ReadonlyMap<string, Check>> => {
    const checks = await examineAll(readConfig({ DATA_DIR: dataDir, ...environment }))
    return new Map(checks.map((check) => [check.name, check]))
  }

  it('prints what it found below each other, however long a name is', () => {
    const checks = [ok('log', 'on the cluster'), wrong('a very long subscription', 'no answer', 'see that it runs')]
    expect(textOfChecks(checks).split('\n')).to.deep.equal([
      'ok     log                       on the cluster',
      'WRONG  a very long subscription  no answer. TO DO: see that it runs',
      '1 of 2 checks need attention.',
      '',
    ])
  })

  it('finds nothing wrong where nothing is configured, and says what is used instead', async () => {
    const checks = await examined({})
    expect([...checks.values()].map(({ name, state }) => [name, state])).to.deep.equal([
      ['chain A node', 'off'],
      ['chain B node', 'off'],
      ['chats', 'off'],
      ['price aggregator', 'off'],
      ['log', 'ok'],
      ['tables', 'ok'],
      ['data folder', 'ok'],
      ['facilitator', 'off'],
    ])
    expect(checks.get('chain A node')?.says).to.contain('simulated')
  })

  it('tells of records from before checksums, and of a damaged index', async () => {
    const folder = await mkdtemp(join(dataDir, 'log-'))
    const logOf = async () => (await examined({ DATA_DIR: folder })).get('log')
    const write = async (text: string) => {
      const log = await createEmbeddedLog({ dataDir: folder, nowMs: () => 0 })
      await (await log.openWriter('w')).append([fact(0, text), fact(0, text)])
      await log.close()
    }
    await write('old')
    expect((await logOf())?.says).to.not.contain('checksum')
    await makeOfBefore(folder)
    expect((await logOf())?.says).to.contain('the blocks of the log have no checksums yet')
    await write('new')
    const lock = await lockDataDir(folder)
    expect((await logOf())?.says).to.contain(`process ${process.pid} has the log open`)
    await lock.release()
    expect((await logOf())?.says).to.contain('2 records of the log have no checksums')
    await changeMain(folder, (values) => {
      const row = '["end","chain-a-facts",0]'
      return { [row]: flipBit(Buffer.from(values.get(row) as Buffer), 100) }
    })
    const damaged = await logOf()
    expect(damaged?.state).to.equal('wrong')
    expect(damaged?.says).to.contain('end/chain-a-facts/0').and.contain(join(folder, 'log/main/data.mdb'))
  })

  it('finds nothing wrong with a node of the right chain and a facilitator that settles on Base', async () => {
    const checks = await examined({
      CHAIN_A_RPC_URL: await urlOf(4663),
      X402_FACILITATOR_URL: facilitator.url,
      X402_PAY_TO_EVM: seller,
      X402_EVM_RPC_URL: await urlOf(8453),
    })
    for (const name of ['chain A node', 'facilitator', 'payment node'])
      expect(checks.get(name)?.state, name).to.equal('ok')
    expect(checks.get('chain A node')?.says).to.contain('head 16')
  })

  it('names what does not answer, and the variable that says where it is', async () => {
    const checks = await examined({
      CHAIN_A_RPC_URL: nobody,
      CLICKHOUSE_URL: nobody,
      X402_FACILITATOR_URL: nobody,
      X402_PAY_TO_EVM: seller,
      X402_EVM_RPC_URL: nobody,
    })
    const wrong: readonly (readonly [string, string])[] = [
      ['chain A node', 'CHAIN_A_RPC_URL'],
      ['tables', 'CLICKHOUSE_URL'],
      ['facilitator', 'X402_FACILITATOR_URL'],
      ['payment node', 'X402_EVM_RPC_URL'],
    ]
    for (const [name, variable] of wrong) {
      expect(checks.get(name)?.says, name).to.contain('127.0.0.1:9')
      expect(checks.get(name)?.toDo, name).to.contain(variable)
    }
  })

  it('tells a registry that wants a password from an address without one, and shows none', async () => {
    let status = 401
    const server = createServer((_request, response) => response.writeHead(status).end('{}')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const at = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const registryAt = async () => {
      const checks = await examined({ KAFKA_BROKERS: '127.0.0.1:9', SCHEMA_REGISTRY_URL: `http://me:pa55word@${at}` })
      expect(JSON.stringify([...checks.values()])).to.not.contain('pa55word')
      return checks.get('registry')?.says
    }
    expect(await registryAt()).to.equal(
      `${at}: answers 401 Unauthorized: put a user and a password that the registry accepts into SCHEMA_REGISTRY_URL`,
    )
    status = 404
    expect(await registryAt()).to.contain('there is no registry at this path')
    server.close()
  })

  it('says that a password goes to the brokers in the clear, and only where it does', async () => {
    const login = { KAFKA_SASL_USERNAME: 'launch', KAFKA_SASL_PASSWORD: 'pa55word' }
    const kafka = { KAFKA_BROKERS: '127.0.0.1:9', SCHEMA_REGISTRY_URL: nobody, ...login }
    const plain = { ...kafka, KAFKA_SASL_MECHANISM: 'plain' }
    const found = (await examined(plain)).get('broker login')
    expect(found).to.include({ state: 'wrong' })
    expect(found?.says).to.contain('without encryption').and.not.contain('pa55word')
    expect(found?.toDo).to.contain('KAFKA_SSL=true')
    for (const other of [
      { ...plain, KAFKA_SSL: 'true' },
      { ...kafka, KAFKA_SASL_MECHANISM: 'scram-sha-512' },
    ])
      expect((await examined(other)).has('broker login')).to.equal(false)
  })

  it('sees a node of another chain, and one that is behind its chain', async () => {
    const other = (await examined({ CHAIN_A_RPC_URL: await urlOf(1) })).get('chain A node')
    expect(other).to.include({ state: 'wrong' })
    expect(other?.says).to.contain('chain 1,').and.to.contain('4663')
    const behind = (await examined({ CHAIN_A_RPC_URL: await urlOf(4663, 600_000) })).get('chain A node')
    expect(behind).to.include({ state: 'wrong' })
    expect(behind?.says).to.match(/6\d\d s old/)
  })

  it('looks at each node over its own socket, and whether the socket announces blocks', async () => {
    const http = await urlOf(4663)
    const socketOf = (url: string) => url.replace('http:', 'ws:')
    const good = await examined({ CHAIN_A_RPC_URL: `${http},${socketOf(http)}` })
    expect(good.get('chain A socket')).to.deep.include({ state: 'ok' })
    const alone = await examined({ CHAIN_A_RPC_URL: socketOf(http) })
    expect(alone.get('chain A node')?.says).to.contain('head 16')
    expect(nodes.at(-1)?.sockets.calls).to.include.members(['eth_chainId', 'eth_subscribe'])
    const away = await examined({ CHAIN_A_RPC_URL: `${http},ws://127.0.0.1:9/a-secret-key` })
    expect(away.get('chain A socket')).to.deep.include({ state: 'wrong' })
    expect(away.get('chain A socket')?.says).to.match(/^127\.0\.0\.1:9: .*ECONNREFUSED/)
    expect(JSON.stringify([...away.values()])).to.not.contain('a-secret-key')
    const other = await examined({ CHAIN_A_RPC_URL: socketOf(await urlOf(1)) })
    expect(other.get('chain A node')?.says).to.contain('chain 1,')
  })

  it('says what is refused where a chain has no price feed, and which variable names one', async () => {
    const url = await urlOf(8453)
    const base = { CHAIN_A_RPC_URL: url, CHAIN_A_PRESET: 'base' }
    const without = (await examined(base)).get('price feed')
    expect(without).to.include({ state: 'wrong' })
    expect(without?.says).to.contain('every paid route of chain A answers 503 warming_up')
    expect(without?.toDo).to.contain('ethUsdFeed in CHAIN_A_CONTRACTS')
    const feed = `0x${'d'.repeat(40)}`
    const given = { ...base, CHAIN_A_CONTRACTS: JSON.stringify({ ethUsdFeed: feed }) }
    round = '0x'
    const silent = (await examined(given)).get('price feed')
    expect(silent).to.include({ state: 'wrong' })
    expect(silent?.says).to.contain(feed)
    const word = (value: number) => value.toString(16).padStart(64, '0')
    const toldSec = Math.floor(Date.now() / 1000) - 7200
    round = `0x${[7, 312_345_000_000, toldSec, toldSec, 7].map(word).join('')}`
    const found = (await examined(given)).get('price feed')
    expect(found).to.include({ state: 'ok', says: 'ETH is 3123.45 USD, updated 120 min ago' })
  })

  it('says whose the data folder is, and does not open what that process has open', async () => {
    const lock = await lockDataDir(dataDir)
    const checks = await examined({})
    await lock.release()
    expect(checks.get('data folder')?.says).to.contain(`in use by process ${process.pid}`)
    expect(checks.get('tables')?.says).to.contain(`open in process ${process.pid}`)
    expect((await examined({})).get('data folder')?.says).to.contain('not in use')
  })

  it('says where it cannot write', async () => {
    const checks = await examined({ DATA_DIR: '/proc/launch-data' })
    expect(checks.get('data folder')).to.include({ state: 'wrong' })
    expect(checks.get('data folder')?.toDo).to.contain('DATA_DIR')
  })
})
