/**
 * Backs up a service while it sells, destroys it, and restores the backup into another folder. The service that starts
 * there must give the sold answers again byte for byte, and must not charge for them. The local chain of the payments
 * runs outside of the service.
 */
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { appendPaymentIdentifierToExtensions } from '@x402/extensions/payment-identifier'
import { x402Client } from '@x402/fetch'
import { expect } from 'chai'
import { privateKeyToAccount } from 'viem/accounts'
import { backedUpFolders } from '../../../../infra/backup/manifest.ts'
import { type LocalPayments, startLocalPayments } from '../../../../infra/development/payments/start-local-payments.ts'
import { closeAll } from '../../../support/close-all.ts'
import { startProgram } from '../../../support/programs.ts'
import { type Service, startService } from '../../../support/service.ts'

const paths = [
  '/v1/rh/bursts/history?hours=1',
  '/v1/rh/pools/new?hours=24&limit=1000',
  '/v1/rh/crews',
  '/v1/sol/bursts/history?hours=1',
  '/v1/sol/grads/history?hours=24',
  '/v1/sol/calls/live',
  '/v1/desk/trades',
  '/v1/snapshot?minutes=60',
]
const [history = ''] = paths
const name = 'the-purchase-of-monday-1'
const patienceMs = 400_000

/** Everything in a data directory that a backup leaves out: tables, locks, and entries of readers. */
const leftOut = ['clickhouse', 'open-lock', 'owner', 'readers']

const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex')

type Sold = Readonly<{ path: string; signature: string; sha256: string; cutAtMs: number }>

describe('a service from a backup', function () {
  this.timeout(900_000)
  let root: string
  let money: LocalPayments
  let service: Service | undefined
  let environment: Readonly<Record<string, string>>
  let backedUp: Readonly<Record<'first' | 'second' | 'backup', string>>

  const run = async (command: string, dataDir: string) => {
    const program = startProgram(command, { ...environment, DATA_DIR: dataDir })
    return { ...(await program.done), said: `${program.stdout()}${program.stderr()}` }
  }
  const start = (dataDir: string) => startService({ ...environment, DATA_DIR: dataDir })

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'launch-data-backed-up-'))
    backedUp = { first: join(root, 'first'), second: join(root, 'second'), backup: join(root, 'backup') }
    money = await startLocalPayments({ isEvmAlone: true })
    environment = {
      ...{ SIMULATOR_LOOK_BACK_HOURS: '1', LOG_LEVEL: 'warn', X402_FACILITATOR_URL: money.facilitatorUrl },
      ...{ X402_PAY_TO_EVM: money.payTo, X402_EVM_RPC_URL: money.rpcUrl },
    }
  })
  after(() => closeAll(service?.kill, money?.stop, () => rm(root, { recursive: true, force: true })))

  const urlOf = (path: string) => `${service?.baseUrl}${path}`
  const earned = () => money.usdcBalanceOf(money.payTo)

  /** Signs the price of a path. The price is offered as soon as the service has data. */
  const sign = async (path: string, named?: string): Promise<string> => {
    const endAtMs = Date.now() + patienceMs
    for (;;) {
      const response = await fetch(urlOf(path))
      const said = await response.text()
      const required = response.headers.get('payment-required')
      if (required !== null) {
        const offer = decodePaymentRequiredHeader(required)
        const extensions = { ...offer.extensions }
        if (named !== undefined) appendPaymentIdentifierToExtensions(extensions, named)
        const buyer = new ExactEvmScheme(privateKeyToAccount(money.buyerPrivateKey))
        const client = new x402Client().register('eip155:8453', buyer)
        return encodePaymentSignatureHeader(await client.createPaymentPayload({ ...offer, extensions }))
      }
      if (Date.now() > endAtMs) throw new TypeError(`${path} is not sold: ${response.status} ${said}`)
      await sleep(500)
    }
  }
  const send = async (path: string, signature: string) => {
    const response = await fetch(urlOf(path), { headers: { 'payment-signature': signature } })
    return { status: response.status, text: await response.text() }
  }
  const buy = async (path: string, signature: string): Promise<Sold> => {
    const { status, text } = await send(path, signature)
    expect(status, `${path}: ${text.slice(0, 300)}`).to.equal(200)
    const { generatedAt: cutAtMs } = JSON.parse(text) as Readonly<{ generatedAt: number }>
    return { path, signature, sha256: sha256Of(text), cutAtMs }
  }

  const buyAll = async (): Promise<readonly Sold[]> => {
    const sold: Sold[] = []
    for (const path of paths) sold.push(await buy(path, await sign(path)))
    return sold
  }

  /** Backs up the running service, while it sells. Returns the purchase that was made meanwhile. */
  const backUpWhileSelling = async ({ first, backup }: typeof backedUp): Promise<Sold> => {
    const making = run(`backup ${backup}`, first)
    const during = await buy(history, await sign(history))
    const made = await making
    expect(made.code, made.said).to.equal(0)
    expect(made.said).to.match(/^backed up \d+ files with [\d.]+ MB to /m)
    expect((await run(`restore --check ${backup}`, first)).said).to.match(/is whole: \d+ files/)
    return during
  }

  /** Sends a payment again that the restored ledger may not know. */
  const expectNoSecondSale = async ({ path, signature, sha256 }: Sold, isMaybeKnown: boolean): Promise<void> => {
    const { status, text } = await send(path, signature)
    if (isMaybeKnown && status === 200) return void expect(sha256Of(text)).to.equal(sha256)
    expect(status, text).to.equal(402)
    expect(text)
      .to.match(/payment_already_used|may have been charged/)
      .and.not.match(/nothing was charged/i)
  }

  it('gives the answers that were sold before the backup, and charges nobody twice', async () => {
    const { first, second, backup } = backedUp
    service = await start(first)
    const sold = await buyAll()
    const named = await buy(history, await sign(history, name))
    const during = await backUpWhileSelling(backedUp)
    const late = await buy(history, await sign(history))
    const inFirst = await readdir(first)
    expect(inFirst.filter((entry) => ![...backedUpFolders, ...leftOut].includes(entry))).to.deep.equal([])
    await service.kill()

    const refused = await run(`restore ${backup}`, first)
    expect(refused.code, refused.said).to.equal(1)
    const restored = await run(`restore ${backup}`, second)
    expect(restored.code, restored.said).to.equal(0)
    service = await start(second)
    for (const path of paths) await sign(path)
    const before = await earned()

    for (const { path, signature, sha256 } of sold)
      expect((await buy(path, signature)).sha256, `${path}, paid before`).to.equal(sha256)
    const again = await buy(history, await sign(history, name))
    expect(again.sha256, 'the named purchase, signed again').to.equal(named.sha256)
    await expectNoSecondSale(during, true)
    await expectNoSecondSale(late, false)
    expect((await earned()) - before).to.equal(0n)

    for (const { path, cutAtMs, sha256 } of sold) {
      const asOf = `${path}${path.includes('?') ? '&' : '?'}asOf=${cutAtMs}`
      expect((await buy(asOf, await sign(asOf))).sha256, asOf).to.equal(sha256)
    }
    await service.stop()
    service = undefined
  })
})
