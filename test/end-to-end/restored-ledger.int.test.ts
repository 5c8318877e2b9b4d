/**
 * Sells from a ledger that was restored from an older backup. The local chains know more payments than the ledger. They
 * must keep the service from charging a payment again.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FacilitatorClient } from '@x402/core/server'
import { expect } from 'chai'
import { createHttpFacilitator } from '../../api/payments/facilitator/http-facilitator.ts'
import { backUp } from '../../infra/backup/back-up.ts'
import { restoreBackup } from '../../infra/backup/restore.ts'
import { type ServedFacilitator, serveFacilitator } from '../../infra/development/payments/serve-facilitator.ts'
import { type LocalPayments, startLocalPayments } from '../../infra/development/payments/start-local-payments.ts'
import { copyEmbeddedLog } from '../../infra/log/embedded/copy-embedded-log.ts'
import { createEmbeddedLog, type EmbeddedLog } from '../../infra/log/embedded/embedded-log.ts'
import { localMoney } from '../proofs/payments/kills/local-money.ts'
import { closeAll } from '../support/close-all.ts'
import { type LocalShop, openLocalShop } from '../support/payments/local-shop.ts'

const path = '/v1/rh/bursts/live'
const priceUsdMicros = 10_000n

describe('a ledger from a backup', () => {
  let money: LocalPayments
  /** A facilitator in front of the local one. It does `beforeSettling` before it passes a settlement on. */
  let between: ServedFacilitator
  let beforeSettling: () => Promise<void>
  let root: string
  let log: EmbeddedLog
  let shop: LocalShop

  before(async () => {
    money = await startLocalPayments()
    const real = createHttpFacilitator({ url: money.facilitatorUrl })
    const settle: FacilitatorClient['settle'] = async (...payment) => {
      await beforeSettling()
      return real.settle(...payment)
    }
    between = await serveFacilitator({ ...real, settle })
  })
  after(() => closeAll(between?.stop, money?.stop))
  beforeEach(async () => {
    beforeSettling = async () => {}
    root = await mkdtemp(join(tmpdir(), 'launch-data-restored-ledger-'))
    await open('first')
  })
  afterEach(() => closeAll(close, () => rm(root, { recursive: true })))

  const open = async (name: string): Promise<void> => {
    log = await createEmbeddedLog({ dataDir: join(root, name), nowMs: Date.now })
    shop = await openLocalShop({ money: { ...money, facilitatorUrl: between.url }, log })
  }
  const close = () => closeAll(shop?.close, log?.close)
  const makeBackup = async (): Promise<void> => {
    const dataDir = join(root, 'first')
    const copyLog = (target: string, signal: AbortSignal) => copyEmbeddedLog(dataDir, target, signal)
    const { signal } = new AbortController()
    await backUp({ dataDir, folder: join(root, 'backup'), copyLog, nowMs: Date.now, signal })
  }
  const restore = async (): Promise<void> => {
    await close()
    const { signal } = new AbortController()
    await restoreBackup({ folder: join(root, 'backup'), dataDir: join(root, 'second'), signal })
    await open('second')
  }

  for (const chain of ['EVM', 'Solana'] as const)
    describe(`on ${chain}`, () => {
      const signed = async () => {
        const buyer = (await localMoney(money))[chain]
        if (buyer === undefined) return expect.fail(`the local chain ${chain} did not start`)
        const response = await fetch(`${shop.url}${path}`)
        await response.arrayBuffer()
        return { signature: await buyer.sign(response.headers.get('payment-required') ?? ''), earned: buyer.earned }
      }
      const send = async (signature: string) => {
        const response = await fetch(`${shop.url}${path}`, { headers: { 'payment-signature': signature } })
        return { status: response.status, text: await response.text() }
      }

      it('gives a payment from before the backup its answer again, and moves nothing', async () => {
        const { signature, earned } = await signed()
        const first = await send(signature)
        expect(first.status, first.text).to.equal(200)
        await makeBackup()
        await restore()
        const before = await earned()
        expect(await send(signature)).to.deep.equal(first)
        expect((await earned()) - before).to.equal(0n)
      })

      it('finds the transfer of a payment that was running at the backup, and gives its answer', async () => {
        const { signature, earned } = await signed()
        const before = await earned()
        beforeSettling = makeBackup
        const first = await send(signature)
        expect(first.status, first.text).to.equal(200)
        let settledAgain = 0
        beforeSettling = async () => {
          settledAgain++
        }
        await restore()
        expect(await send(signature)).to.deep.equal(first)
        expect(settledAgain).to.equal(0)
        expect((await earned()) - before).to.equal(priceUsdMicros)
      })

      it('does not charge a payment from after the backup again, nor say that nothing was charged', async () => {
        await makeBackup()
        const { signature, earned } = await signed()
        const before = await earned()
        expect((await send(signature)).status).to.equal(200)
        await restore()
        const again = await send(signature)
        expect(again.status, again.text).to.equal(402)
        expect(again.text)
          .to.match(/payment_already_used|may have been charged/)
          .and.not.match(/nothing was charged/i)
        expect((await earned()) - before).to.equal(priceUsdMicros)
      })
    })
})
