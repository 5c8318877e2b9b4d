import { expect } from 'chai'
import { type LaunchDataClient, openLaunchDataClient } from '../../../api/client/client.ts'
import type { BuyerOptions } from '../../../api/client/open-buyer.ts'
import { createSpendingMemory } from '../../../api/client/spending-store.ts'
import { isOperationError, type OperationError } from '../../../infra/errors.ts'
import { sellerAddress } from '../../support/payments/paid-service.ts'
import {
  answer,
  badGateway,
  createWorld,
  cut,
  cutInBody,
  endEarly,
  offered,
  optionsFor,
  refuse,
  type ShopDouble,
  startShopDouble,
} from './shop-double.ts'

const path = '/v1/rh/bursts/live'

describe('a client of the service', () => {
  let shop: ShopDouble
  let clients: LaunchDataClient[] = []
  const open = async (changes: Partial<BuyerOptions> = {}) => {
    const client = await openLaunchDataClient(optionsFor(shop.url, changes))
    clients.push(client)
    return client
  }
  const failureOf = async (work: Promise<unknown>): Promise<OperationError> => {
    const error = await work.then(
      () => null,
      (cause: unknown) => cause,
    )
    if (isOperationError(error)) return error
    throw new TypeError(`no OperationError but ${String(error)}`)
  }
  beforeEach(async () => {
    shop = await startShopDouble()
  })
  afterEach(async () => {
    await Promise.all(clients.map((client) => client.close()))
    clients = []
    shop.close()
  })

  describe('that buys', () => {
    it('gets the answer, its text, its price and its receipt, and asks with the parameters', async () => {
      const client = await open()
      const bought = await client.get(path, { tier: 'all', minutes: 5, lp: undefined })
      expect(bought.answer).to.deep.equal({ generatedAt: 1 })
      expect(bought.text).to.equal('{"generatedAt":1}')
      expect(bought.priceUsdc).to.equal(0.01)
      expect(bought.receipt?.transaction).to.equal('0xpaid')
      expect(shop.sent.map((one) => one.path)).to.deep.equal([`${path}?tier=all&minutes=5`])
      expect(client.spent()).to.deep.equal({ day: '2026-11-28', settledUsdc: 0.01, atRiskUsdc: 0 })
    })

    it('names each purchase with a name of its own', async () => {
      const client = await open()
      const bought = [await client.get(path), await client.get(path)]
      expect(shop.sent.map(({ name }) => name)).to.deep.equal(bought.map(({ purchase }) => purchase))
      expect(new Set(shop.sent.map(({ name }) => name)).size).to.equal(2)
      expect(String(shop.sent[0]?.name)).to.match(/^launch-data-[0-9a-f-]{36}$/)
    })

    it('puts the identifier into the path and the instant into the query', async () => {
      const client = await open()
      await client.asOf(1_790_000_000_000).get('/v1/rh/pools/:id/flow', { id: '0xab' })
      expect(shop.sent[0]?.path).to.equal('/v1/rh/pools/0xab/flow?asOf=1790000000000')
      const missing = { id: '' } as const
      expect((await failureOf(client.get('/v1/rh/pools/:id/flow', missing))).message).to.contain('the parameter id')
    })

    it('pays nothing for an answer without a price, and needs no wallet for it', async () => {
      shop.unpaid.act = (response) => response.end('{"generatedAt":2}')
      const { wallet: _, ...free } = optionsFor(shop.url)
      const client = await openLaunchDataClient(free)
      clients.push(client)
      const bought = await client.get(path)
      expect(bought).to.include({ purchase: null, priceUsdc: 0, receipt: null })
      shop.unpaid.act = null
      expect((await failureOf(client.get(path))).message).to.contain('Pass a wallet')
    })

    it('pays also a service that does not take names', async () => {
      shop.offer.hasNames = false
      await (await open()).get(path)
      expect(shop.sent.map(({ name }) => name)).to.deep.equal([undefined])
    })
  })

  describe('whose response is lost', () => {
    for (const [name, act] of [
      ['before its headers', cut],
      ['in its body', cutInBody],
      ['in its body, behind a proxy that ends it', endEarly],
      ['behind a proxy that answers 502', badGateway],
    ] as const)
      it(`sends the same payment again and is charged one time: lost ${name}`, async () => {
        shop.acts.push(act, act)
        const client = await open()
        expect((await client.get(path)).answer).to.deep.equal({ generatedAt: 1 })
        expect(shop.sent).to.have.length(3)
        expect(new Set(shop.sent.map(({ header }) => header)).size).to.equal(1)
        expect(shop.charged.size).to.equal(1)
        expect(client.spent()).to.include({ settledUsdc: 0.01, atRiskUsdc: 0 })
      })

    it('gives up after its attempts, counts the amount as at risk, and gets the answer when it resumes', async () => {
      shop.acts.push(cut, cut, cut)
      const client = await open({ attemptsMax: 3 })
      const error = await failureOf(client.get(path))
      expect(error.code).to.equal('purchase_open')
      const name = String(error.context.purchase)
      expect(error.message).to.contain(name)
      expect(client.spent()).to.include({ settledUsdc: 0, atRiskUsdc: 0.01 })
      expect(client.open().map((one) => [one.name, one.path, one.priceUsdc])).to.deep.equal([[name, path, 0.01]])
      expect((await client.resume(name)).answer).to.deep.equal({ generatedAt: 1 })
      expect(shop.charged.size).to.equal(1)
      expect(client.spent()).to.include({ settledUsdc: 0.01, atRiskUsdc: 0 })
      expect((await failureOf(client.resume(name))).message).to.contain('no open purchase')
    })

    it('waits longer from time to time, and at least as long as the service asks', async () => {
      const { world, ...is } = createWorld()
      const later: typeof cut = (response) => {
        response.setHeader('retry-after', '2')
        refuse(503, 'payments_not_live', 'It is not known yet whether the payment arrived')(response, () => {})
      }
      shop.acts.push(cut, cut, later, answer)
      await (await open({ world: is })).get(path)
      expect(world.slept).to.deep.equal([250, 500, 2_000])
    })

    it('resumes after a restart without another payment, and remembers the spending of the day', async () => {
      const spending = createSpendingMemory()
      shop.acts.push(cut)
      const before = await open({ spending, attemptsMax: 1 })
      const { context } = await failureOf(before.get(path))
      await before.close()
      const after = await open({ spending })
      expect(after.spent().atRiskUsdc).to.equal(0.01)
      await after.resume(String(context.purchase))
      expect(shop.charged.size).to.equal(1)
      expect(after.spent()).to.include({ settledUsdc: 0.01, atRiskUsdc: 0 })
    })
  })

  describe('that is refused', () => {
    it('has the code of the service and signs nothing, if the request is refused', async () => {
      shop.unpaid.act = (response) => {
        response.setHeader('retry-after', '7')
        refuse(503, 'data_stale', 'chain A is behind')(response, () => {})
      }
      const client = await open()
      const error = await failureOf(client.get(path))
      expect(error.code).to.equal('request_refused')
      expect(error.message).to.equal('chain A is behind')
      expect(error.context).to.deep.equal({ status: 503, code: 'data_stale', retryAfterMs: 7_000 })
      expect(shop.sent).to.have.length(0)
    })

    const refusals = [
      ['nothing was charged', 'payment_invalid', 'The payment was refused: x. Nothing was charged. Sign again', 0],
      ['this request was not charged', 'payment_invalid', 'This request was not charged. An earlier one may be', 0],
      ['it does not know', 'payment_already_used', 'This payment was used before: outside this service', 0.01],
    ] as const
    for (const [name, code, text, settledUsdc] of refusals)
      it(`counts ${settledUsdc} USDC if the service says that ${name}`, async () => {
        shop.acts.push(refuse(402, code, text))
        const client = await open()
        const error = await failureOf(client.get(path))
        expect(error.code).to.equal('payment_failed')
        expect(error.message).to.contain(text)
        expect(client.spent()).to.include({ settledUsdc, atRiskUsdc: 0 })
        expect(client.open()).to.deep.equal([])
        expect(shop.sent).to.have.length(1)
      })

    it('counts the amount if an earlier response was lost and only the last request was not charged', async () => {
      shop.acts.push(cut, refuse(402, 'payment_invalid', 'This request was not charged. An earlier one may be'))
      const client = await open()
      expect((await failureOf(client.get(path))).message).to.contain('counts as spent')
      expect(client.spent()).to.include({ settledUsdc: 0.01, atRiskUsdc: 0 })
    })

    it('is not charged for what is not tracked after the payment was signed', async () => {
      shop.acts.push(refuse(404, 'not_tracked', 'the token is not tracked'))
      const client = await open()
      expect((await failureOf(client.get(path))).code).to.equal('request_refused')
      expect(client.spent()).to.include({ settledUsdc: 0, atRiskUsdc: 0 })
    })

    it('repeats the payment if the service says that its transfer may still arrive', async () => {
      shop.acts.push(refuse(402, 'payment_invalid', 'No transfer is known. First repeat the request with the same one'))
      expect((await (await open()).get(path)).priceUsdc).to.equal(0.01)
      expect(shop.sent).to.have.length(2)
    })

    it('gives the amount back if each response says that nothing was charged', async () => {
      const busy = refuse(503, 'payments_not_live', 'Too many at once. This request was not charged. Wait')
      shop.acts.push(busy, busy)
      const client = await open({ attemptsMax: 2 })
      expect((await failureOf(client.get(path))).context).to.include({ status: 503, code: 'payments_not_live' })
      expect(client.spent()).to.include({ settledUsdc: 0, atRiskUsdc: 0 })
    })

    it('follows no redirect', async () => {
      shop.unpaid.act = (response) => {
        response.writeHead(302, { location: 'http://127.0.0.1:1/' })
        response.end()
      }
      expect((await failureOf((await open()).get(path))).code).to.equal('service_unreachable')
    })

    it('says that no service answers', async () => {
      const client = await open({ baseUrl: 'http://127.0.0.1:1' })
      expect((await failureOf(client.get(path))).message).to.contain('http://127.0.0.1:1 did not answer')
    })

    it('takes no answer above 32 MiB', async () => {
      shop.unpaid.act = (response) => response.end(Buffer.alloc(32 * 1_048_576 + 1, ' '))
      expect((await failureOf((await open()).get(path))).message).to.contain('longer than 33554432 bytes')
    })

    it('gives up a response that takes too long', async () => {
      shop.unpaid.act = () => {}
      expect((await failureOf((await open({ timeoutMs: 50 })).get(path))).code).to.equal('service_unreachable')
    })
  })

  describe('that checks the offer before it signs', () => {
    const other = '0x0000000000000000000000000000000000000001'
    const offers = [
      ['of another network', { network: 'solana:other' }, 'Use a wallet of another network'],
      ['of another scheme', { scheme: 'upto' }, 'Use a wallet of another network'],
      ['in another token', { asset: other }, 'not USDC'],
      ['without an amount', { amount: '0' }, 'no price'],
      ['with an amount that is no number', { amount: '1e9' }, 'no price'],
      ['that stays valid for too long', { maxTimeoutSeconds: 601 }, 'at most 600 s'],
      ['that never is valid', { maxTimeoutSeconds: 0 }, 'at most 600 s'],
      [
        'of a permission',
        { extra: { name: 'USD Coin', version: '2', assetTransferMethod: 'permit2' } },
        'transfers only',
      ],
    ] as const
    for (const [name, changes, text] of offers)
      it(`refuses an offer ${name}`, async () => {
        shop.offer.accepts = [offered(changes as Parameters<typeof offered>[0])]
        const error = await failureOf((await open()).get(path))
        expect(error.code).to.equal('offer_refused')
        expect(error.message).to.contain(text).and.contain('Nothing was signed')
        expect(shop.sent).to.deep.equal([])
      })

    it('refuses a 402 without an offer, and one that cannot be read', async () => {
      const client = await open()
      for (const header of [null, 'not base64 {}', Buffer.from('{"x402Version":1}').toString('base64')]) {
        shop.unpaid.act = (response) => {
          if (header !== null) response.setHeader('PAYMENT-REQUIRED', header)
          response.writeHead(402).end()
        }
        expect((await failureOf(client.get(path))).code).to.equal('offer_refused')
      }
    })

    it('takes another token if the caller names it, and the longest allowed validity', async () => {
      shop.offer.accepts = [offered({ asset: other, maxTimeoutSeconds: 600 })]
      const { wallet } = optionsFor(shop.url)
      if (wallet?.network !== 'evm') throw new TypeError('no wallet')
      await (await open({ wallet: { ...wallet, asset: other } })).get(path)
      expect(shop.sent).to.have.length(1)
    })

    it('pays only the receiver of its first purchase, also after a restart, or the one that the caller names', async () => {
      const spending = createSpendingMemory()
      const client = await open({ spending })
      await client.get(path)
      shop.offer.accepts = [offered({ payTo: other })]
      expect((await failureOf(client.get(path))).message)
        .to.contain(other)
        .and.contain(sellerAddress)
      await client.close()
      expect((await failureOf((await open({ spending })).get(path))).code).to.equal('offer_refused')
      await (await open({ spending, payTo: other })).get(path)
      expect((await failureOf((await open({ payTo: sellerAddress })).get(path))).code).to.equal('offer_refused')
    })
  })

  describe('with limits', () => {
    it('refuses a price above the limit of one call, with price and limit, and pays the limit itself', async () => {
      const client = await open({ limits: { perCallUsdc: 0.01, perDayUsdc: 1 } })
      shop.offer.accepts = [offered({ amount: '10001' })]
      const error = await failureOf(client.get(path))
      expect(error.code).to.equal('spend_limit')
      expect(error.message).to.contain('0.010001 USDC').and.contain('0.01 USDC').and.contain('Nothing was signed')
      expect(shop.sent).to.have.length(0)
      shop.offer.accepts = [offered({ amount: '10000' })]
      await client.get(path)
    })

    it('does not let concurrent calls pass the limit of the day together', async () => {
      const client = await open({ limits: { perCallUsdc: 0.02, perDayUsdc: 0.03 } })
      const calls = await Promise.allSettled(Array.from({ length: 10 }, () => client.get(path)))
      expect(calls.filter(({ status }) => status === 'fulfilled')).to.have.length(3)
      expect(shop.charged.size).to.equal(3)
      expect((await failureOf(client.get(path))).message).to.contain('0 USDC are left')
    })

    it('counts an amount at risk, and begins again with the next UTC day', async () => {
      const { world, ...is } = createWorld()
      const client = await open({ limits: { perCallUsdc: 0.01, perDayUsdc: 0.01 }, attemptsMax: 1, world: is })
      shop.acts.push(cut)
      await failureOf(client.get(path))
      expect((await failureOf(client.get(path))).code).to.equal('spend_limit')
      world.atMs = Date.UTC(2026, 10, 28, 23, 59, 59, 999)
      expect((await failureOf(client.get(path))).code).to.equal('spend_limit')
      world.atMs += 1
      await client.get(path)
      expect(client.spent()).to.deep.equal({ day: '2026-11-29', settledUsdc: 0.01, atRiskUsdc: 0 })
      const [lost] = client.open()
      await client.resume(lost?.name ?? '')
      expect(client.spent().settledUsdc, 'a purchase counts to the day of its signature').to.equal(0.01)
    })

    it('gives the reserved amount back if the wallet refuses to sign, or takes too long', async () => {
      const { wallet } = optionsFor(shop.url)
      if (wallet?.network !== 'evm') throw new TypeError('no wallet')
      for (const signTypedData of [() => Promise.reject(new TypeError('no')), () => new Promise<never>(() => {})]) {
        const signer = { ...wallet.signer, signTypedData }
        const client = await open({ wallet: { ...wallet, signer }, timeoutMs: 200 })
        const error = await failureOf(client.get(path))
        expect(error.code).to.equal('payment_failed')
        expect(error.message).to.contain('nothing was charged')
        expect(client.spent()).to.include({ settledUsdc: 0, atRiskUsdc: 0 })
      }
    })

    it('keeps at most 1,000 open purchases, and forgets them after two days', async () => {
      const { world, ...is } = createWorld()
      const lost = (index: number) => ({
        ...{ name: `launch-data-${index}`, path, usdMicros: 1, payment: 'x', signedAtMs: world.atMs },
      })
      const spending = createSpendingMemory()
      const kept = { day: '2026-11-28', spentUsdMicros: 0, payTo: null, passToken: null }
      await spending.save({ ...kept, open: Array.from({ length: 1_000 }, (_, index) => lost(index)) })
      const client = await open({ spending, world: is })
      expect((await failureOf(client.get(path))).message).to.contain('1000 purchases have no answer yet')
      world.atMs += 2 * 86_400_000
      expect((await failureOf(client.get(path))).code).to.equal('spend_limit')
      world.atMs += 1
      await client.get(path)
      expect(client.open()).to.deep.equal([])
    })

    it('sends nothing if the store cannot keep the purchase', async () => {
      const spending = { ...createSpendingMemory(), save: () => Promise.reject(new TypeError('the disk is full')) }
      const client = await open({ spending })
      await client.get(path).then(
        () => expect.fail('it paid'),
        () => {},
      )
      expect(shop.sent).to.deep.equal([])
      expect(client.spent()).to.include({ settledUsdc: 0, atRiskUsdc: 0 })
    })

    const wrong = [
      [{ limits: { perCallUsdc: 0, perDayUsdc: 1 } }, 'limits.perCallUsdc'],
      [{ limits: { perCallUsdc: Number.NaN, perDayUsdc: 1 } }, 'limits.perCallUsdc'],
      [{ limits: { perCallUsdc: 1, perDayUsdc: Number.POSITIVE_INFINITY } }, 'limits.perDayUsdc'],
      [{ limits: { perCallUsdc: 2, perDayUsdc: 1 } }, 'above limits.perDayUsdc'],
      [{ baseUrl: 'ftp://data.example' }, 'baseUrl'],
      [{ baseUrl: 'data.example' }, 'baseUrl'],
      [{ baseUrl: 'https://data.example/launch' }, 'baseUrl has a path'],
      [{ baseUrl: 'https://data.example/?v=1' }, 'baseUrl has a path'],
      [{ timeoutMs: 0 }, 'timeoutMs'],
      [{ attemptsMax: 1.5 }, 'attemptsMax'],
    ] as const
    for (const [changes, text] of wrong)
      it(`refuses the options ${JSON.stringify(changes)}`, async () => {
        const error = await failureOf(openLaunchDataClient(optionsFor(shop.url, changes)))
        expect(error.code).to.equal('config_invalid')
        expect(error.message).to.contain(text)
      })
  })
})
