import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { pino } from 'pino'
import { readConfig } from '../../../infra/config.ts'
import { checkChats } from '../../../ingest/chats/check-chats.ts'
import { writeSession } from '../../../ingest/chats/mtproto/session.ts'
import { chosenReader } from '../../../ingest/chats/readers.ts'
import { createChannelDouble } from '../../support/mtproto-double/channel.ts'
import { startMtprotoServer } from '../../support/mtproto-double/server.ts'

const account = { CHAT_API_ID: '1', CHAT_API_HASH: '0123456789abcdef0123456789abcdef' }

describe('the chats of the configuration', () => {
  let dataDir: string
  let lines: string[]
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'chats-'))
    lines = []
  })
  afterEach(() => rm(dataDir, { recursive: true }))

  const configOf = (environment: Record<string, string>) =>
    readConfig({ CHAIN_B_RPC_URL: 'https://node.example', DATA_DIR: dataDir, ...environment })
  const open = async (environment: Record<string, string>) => {
    const config = configOf(environment)
    const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
    const reader = await chosenReader(config, config.CHAT_CHANNELS ?? [])
    return reader.open({ nowMs: Date.now, logger })
  }

  it('are read by their public pages while nobody has signed in, which is said', async () => {
    for (const environment of [{}, account]) {
      lines = []
      await open({ CHAT_CHANNELS: '@calls,@gems', ...environment })
      expect(lines.join()).to.match(/no account is signed in, so the service reads public pages/)
    }
  })

  it('are refused without a session where one is named by its number', async () => {
    const failure = await open({ CHAT_CHANNELS: '@calls,-1001234567890', ...account }).catch((error: unknown) => error)
    expect(failure).to.have.property('code', 'config_invalid')
    expect(failure)
      .to.have.property('message')
      .that.matches(/1 of its chats by number.*--login/)
    expect(String(failure)).not.to.contain('1234567890')
  })

  it('are followed with the account once somebody has signed in', async () => {
    const server = await startMtprotoServer(() => undefined)
    await writeSession(dataDir, server.session())
    await open({ CHAT_CHANNELS: '-1001234567890', ...account })
    expect(lines).to.deep.equal([])
    await server.stop()
  })

  it('say where the session is none', async () => {
    await writeSession(dataDir, 'no session')
    const failure = await open({ CHAT_CHANNELS: '@calls', ...account }).catch((error: unknown) => error)
    expect(failure).to.have.property('code', 'node_refused')
  })

  it('are examined by the doctor: the session, then each chat', async () => {
    const channel = createChannelDouble({ id: 4242, name: 'calls' })
    const server = await startMtprotoServer((call) => {
      if (call._ === 'updates.getState') return { _: 'updates.state', pts: 1, qts: 1, date: 1, seq: 1 }
      return channel.answer(call) ?? { fails: 400, text: 'USERNAME_NOT_OCCUPIED' }
    })
    await writeSession(dataDir, server.session())
    const checks = await checkChats(configOf({ CHAT_CHANNELS: '@calls,@nobody', ...account }))
    expect(checks.map(({ state, says }) => [state, says])).to.deep.equal([
      ['ok', 'the session is signed in'],
      ['ok', '@calls: readable, public'],
      ['wrong', '@nobody: USERNAME_NOT_OCCUPIED'],
    ])
    await server.stop()
  })

  it('are examined by the doctor without a session: numbers cannot be followed', async () => {
    const checks = await checkChats(configOf({ CHAT_CHANNELS: '-1001234567890' }))
    expect(checks.map(({ state }) => state)).to.deep.equal(['off', 'wrong'])
  })

  it('are simulated, or none, without a list', async () => {
    expect(await checkChats(readConfig({})))
      .to.have.nested.property('[0].says')
      .that.matches(/simulated/)
    expect(await checkChats(configOf({})))
      .to.have.nested.property('[0].says')
      .that.matches(/no calls are sold/)
  })
})
