import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PaymentPayload, SettleError, VerifyError } from '@x402/core/types'
import { expect } from 'chai'
import {
  createHttpFacilitator,
  facilitatorsOf,
  openFacilitator,
} from '../../../../api/payments/facilitator/http-facilitator.ts'
import type { Config } from '../../../../infra/config.ts'
import { type GuardedFacilitator, startGuardedFacilitator } from '../../../support/payments/guarded-facilitator.ts'
import { type PlainServer, sendText, startPlainServer } from '../../../support/sockets/plain-server.ts'

const accepted: PaymentPayload['accepted'] = {
  ...{ scheme: 'exact', network: 'eip155:8453', asset: '0x', amount: '1', payTo: '0x' },
  ...{ maxTimeoutSeconds: 60, extra: {} },
}
const payload: PaymentPayload = { x402Version: 2, accepted, payload: {} }

describe('a facilitator over HTTP', () => {
  const paths = ['/supported', '/verify', '/settle']
  let door: GuardedFacilitator

  const askAll = async (auth: Readonly<{ name: string; value: string }> | null) => {
    const facilitator = createHttpFacilitator({ url: door.url, auth })
    const calls = [facilitator.getSupported, () => facilitator.verify(payload, accepted)]
    const failures: Error[] = []
    for (const call of [...calls, () => facilitator.settle(payload, accepted)])
      await call().catch((error) => failures.push(error))
    return failures
  }

  for (const [name, auth] of [
    ['Authorization', { name: 'Authorization', value: 'Bearer a-token-of-ours' }],
    ['X-API-Key', { name: 'X-API-Key', value: 'a key of ours' }],
  ] as const) {
    it(`is shown ${name} with every question`, async () => {
      door = await startGuardedFacilitator(name)
      Object.assign(door.wants, { paths, value: auth.value })
      expect(await askAll(auth)).to.deep.equal([])
      expect(door.asked).to.deep.equal(paths.map((path) => `${path} ${auth.value}`))
      await door.stop()
    })

    it(`that refuses ${name} and repeats it makes no error that shows it, nor the rest of the answer`, async () => {
      door = await startGuardedFacilitator(name)
      Object.assign(door.wants, { paths, value: 'another' })
      const failures = await askAll(auth)
      expect(failures.map(({ message }) => message)).to.deep.equal(
        ['supported', 'verify', 'settle'].map((operation) => `Facilitator ${operation} failed (401)`),
      )
      for (const { message, stack, cause } of failures)
        expect(`${message} ${stack} ${cause}`).to.not.match(/a-token-of-ours|a key of ours/)
      await door.stop()
    })
  }

  it("of one's own is shown nothing", async () => {
    door = await startGuardedFacilitator('Authorization')
    expect(await askAll(null)).to.deep.equal([])
    expect(door.asked).to.deep.equal(paths.map((path) => `${path} none`))
    await door.stop()
  })
})

describe('what a facilitator over HTTP may answer', () => {
  const servers: PlainServer[] = []
  const serve = async (answer: RequestListener) => {
    const server = await startPlainServer(answer)
    servers.push(server)
    return server.url
  }
  afterEach(async () => {
    for (const { stop } of servers.splice(0)) await stop()
  })

  /** Returns the results of the three requests to the facilitator. */
  const outcomesOf = async (url: string, limits: Omit<Parameters<typeof createHttpFacilitator>[0], 'url'> = {}) => {
    const facilitator = createHttpFacilitator({ url, ...limits })
    const asked = [
      facilitator.getSupported(),
      facilitator.verify(payload, accepted),
      facilitator.settle(payload, accepted),
    ]
    return (await Promise.allSettled(asked)).map((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value : endOf(outcome.reason),
    )
  }
  const endOf = (error: Error) => (error.cause instanceof Error ? error.cause.message : error.message)
  const says = (answer: unknown, status = 200) =>
    serve((_, response) => response.writeHead(status).end(JSON.stringify(answer)))

  it('is read up to a bound, on every path', async () => {
    const url = await serve((_, response) => void sendText(response))
    expect(await outcomesOf(url)).to.deep.equal([
      'the answer is larger than 1048576 bytes',
      'the answer is larger than 65536 bytes',
      'the answer is larger than 65536 bytes',
    ])
  })

  it('is given up when it does not end in time', async () => {
    const url = await serve((_, response) => void response.write('{'))
    expect(await outcomesOf(url, { supportedTimeoutMs: 10, verifyTimeoutMs: 20, settleTimeoutMs: 30 })).to.deep.equal([
      'Facilitator supported request timed out after 10ms',
      'Facilitator verify request timed out after 20ms',
      'Facilitator settle request timed out after 30ms',
    ])
  })

  it('is no redirect: a payment goes to the facilitator alone', async () => {
    const heard: string[] = []
    const other = await serve((request, response) => {
      heard.push(String(request.url))
      response.end('{"isValid":true}')
    })
    const url = await serve((request, response) => response.writeHead(307, { location: other + request.url }).end())
    expect(await outcomesOf(url)).to.deep.equal(Array(3).fill('unexpected redirect'))
    expect(heard).to.deep.equal([])
  })

  it('has the fields of x402 and no others, where null says as much as nothing', async () => {
    const kinds = [{ x402Version: 1, scheme: 'exact', network: 'base', extra: null, more: 1 }]
    const answer = {
      isValid: true,
      success: true,
      invalidReason: null,
      errorReason: 'none',
      transaction: '0x7',
      kinds,
      x: 1,
    }
    expect(await outcomesOf(await says(answer))).to.deep.equal([
      { kinds: [{ x402Version: 1, scheme: 'exact', network: 'base' }], extensions: [], signers: {} },
      { isValid: true },
      { success: true, errorReason: 'none', transaction: '0x7', network: 'eip155:8453' },
    ])
  })

  it('has no transaction, if it names none', async () => {
    const outcomes = await outcomesOf(await says({ isValid: true, success: true, kinds: [], signers: { a: ['b'] } }))
    expect(outcomes).to.deep.equal([
      { kinds: [], extensions: [], signers: { a: ['b'] } },
      { isValid: true },
      { success: true, transaction: '', network: 'eip155:8453' },
    ])
  })

  for (const [name, answer] of [
    ['no fields', {}],
    ['fields of other types', { isValid: 'true', success: 1, kinds: {} }],
    ['a text', 'yes'],
    ['nothing', null],
    [
      'a transaction that is an object, and kinds without a network',
      { success: true, isValid: 1, transaction: {}, kinds: [{}] },
    ],
  ] as const)
    it(`makes no sense with ${name}`, async () => {
      expect(await outcomesOf(await says(answer))).to.deep.equal(
        ['supported', 'verify', 'settle'].map((operation) => `Facilitator ${operation} returned invalid data`),
      )
    })

  it('may be a refusal with a status of failure', async () => {
    const url = await says(
      { isValid: false, success: false, invalidReason: 'a', errorReason: 'b', transaction: '0x7' },
      400,
    )
    const facilitator = createHttpFacilitator({ url })
    const refusals = [facilitator.verify(payload, accepted), facilitator.settle(payload, accepted)]
    const [verify, settle] = await Promise.all(refusals.map((asked) => asked.catch((error) => error)))
    expect(verify).to.be.instanceOf(VerifyError).and.include({ statusCode: 400, invalidReason: 'a' })
    expect(settle).to.be.instanceOf(SettleError).and.include({ statusCode: 400, errorReason: 'b', transaction: '0x7' })
  })
})

describe('a facilitator as it is configured', () => {
  let dataDir: string
  let server: PlainServer
  let warned: string[]
  const supported = {
    kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:8453' }],
    extensions: [],
    signers: {},
  }

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'launch-data-facilitator-'))
    server = await startPlainServer((_, response) => response.end(JSON.stringify(supported)))
    warned = []
  })
  afterEach(async () => {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  })

  const clock = { atMs: 1_000_000 }
  const open = (isLocal: boolean) => {
    const logger = { warn: (...[, text]: [unknown, string?]) => void warned.push(text ?? '') }
    const address = { url: `${server.url}/a-key`, auth: null, isLocal }
    return openFacilitator(address, { dataDir, nowMs: () => clock.atMs, logger })
  }

  it('keeps its last answer for the next start, with its time, in a file that does not show the URL', async () => {
    expect(await open(false).getSupported()).to.deep.equal(supported)
    const files = await readdir(join(dataDir, 'facilitators'))
    expect(files).to.have.lengthOf(1)
    expect(files[0]).to.match(/^[0-9a-f]{64}\.json$/)
    const kept = JSON.parse(await readFile(join(dataDir, 'facilitators', `${files[0]}`), 'utf8'))
    expect(kept).to.deep.equal({ atMs: 1_000_000, supported })
    await server.stop()
    expect(await open(false).getSupported()).to.deep.equal(supported)
    expect(warned).to.have.lengthOf(1)
  })

  it('keeps nothing if it runs in the same process', async () => {
    expect(await open(true).getSupported()).to.deep.equal(supported)
    expect(await readdir(dataDir)).to.deep.equal([])
  })

  it('has the credentials at its place in the list', () => {
    const X402_FACILITATOR_AUTH = [{ name: 'X-API-Key', value: 'a' }, null]
    const config = { X402_FACILITATOR_URL: ['http://a', 'http://b', 'http://c'], X402_FACILITATOR_AUTH }
    expect(facilitatorsOf(config as unknown as Config)).to.deep.equal([
      { url: 'http://a', auth: X402_FACILITATOR_AUTH[0], isLocal: false },
      { url: 'http://b', auth: null, isLocal: false },
      { url: 'http://c', auth: null, isLocal: false },
    ])
    expect(facilitatorsOf({} as Config)).to.deep.equal([])
  })
})
