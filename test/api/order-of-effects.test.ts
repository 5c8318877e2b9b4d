/**
 * Tests the order in which the API performs effects, such as reads, writes and calls.
 * `infra/docs/order-of-effects.md` lists the pairs of effects whose order matters.
 */
import { type CallToolResult, InMemoryTransport } from '@modelcontextprotocol/server'
import { expect } from 'chai'
import { createMcpServer } from '../../api/mcp/server.ts'
import type { Tool } from '../../api/mcp/tool.ts'
import { openPaymentLedger, type PaymentLedger, type PaymentRecord } from '../../api/payments/ledger/ledger.ts'
import { reconcilePayments } from '../../api/payments/ledger/reconcile.ts'
import type { PaymentNetwork } from '../../api/payments/payment-network.ts'
import { isRefusal } from '../../api/sale/refusals.ts'
import { prepareSale, type SaleDependencies } from '../../api/sale/sale.ts'
import { createMemoryRegistry } from '../../infra/codec/registry/schema-table.ts'
import { createSchemaCodec, type SchemaCodec } from '../../infra/codec/schema-codec.ts'
import { OperationError } from '../../infra/errors.ts'
import type { Log, LogWriter, NewRecord } from '../../infra/log/log.ts'
import type { PaymentChanged } from '../../schemas/payments.ts'
import { topics } from '../../schemas/topics.ts'
import { type Effects, expectOrder } from '../support/effects/effects.ts'
import { createHoledLog } from '../support/log/holed-log.ts'
import { recordedLog } from '../support/log/recorded-log.ts'
import { routeAt } from '../support/payments/paid-routes.ts'

const nowMs = () => Date.UTC(2026, 10, 20)
const network = 'eip155:8453' as const
const [paymentId, transaction] = ['the payment', `0x${'7e'.repeat(32)}`]

const change = (state: PaymentChanged['state']): PaymentChanged => ({
  ...{ paymentId, state, atMs: nowMs(), payer: '0xPayer', network, route: 'GET /v1/rh/crews', requestId: 'crews' },
  ...{ cutAtMs: 1, usdMicros: 20_000, validBeforeMs: nowMs() + 120_000, transaction: null, reason: null },
  ...{ signedHash: 'first', signatureHash: null, clientPaymentId: null },
})

describe('the order of effects of the payment ledger', () => {
  let codec: SchemaCodec<PaymentRecord>
  before(async () => {
    codec = await createSchemaCodec<PaymentRecord>(topics.payments, createMemoryRegistry())
  })
  const open = (log: Log) => openPaymentLedger({ log, codec, nowMs })
  const recordOf = (state: PaymentChanged['state']): NewRecord => {
    return { topic: 'payments', partition: 0, key: paymentId, value: codec.encode('PaymentChanged', change(state)) }
  }
  const stateOn = async (log: Log) => (await open(log)).find(paymentId)?.state
  /** A log with one other payment. */
  const logWithOther = async () => {
    const log = createHoledLog({ nowMs })
    const ledger = await open(log)
    await ledger.record({ ...change('settled'), paymentId: 'another payment' })
    return log
  }
  const named = {
    openWriter: () => 'fence',
    reopen: () => 'fence again',
    read: ({ offset }: { offset: number }) => (offset === 0 ? 'read the payments' : null),
  }

  it('is fence, then read: the ledger has each payment that the earlier owner recorded', () =>
    expectOrder<{ log: Log; earlier: PaymentLedger; ledger?: PaymentLedger }>({
      pairs: [['fence', 'read the payments']],
      begin: async () => {
        const log = await logWithOther()
        return { log, earlier: await open(log) }
      },
      interrupt: ({ earlier }) => earlier.record(change('settled')).catch(() => {}),
      run: async (world, effects) => {
        world.ledger = await open(recordedLog(world.log, effects, named))
      },
      leaves: async ({ log, ledger }) => expect(ledger?.find(paymentId)?.state).to.equal(await stateOn(log)),
    }))

  it('is fence, then read, after an append without an answer: a record that arrives late is in the ledger or refused', () => {
    type World = { readonly log: Log; writer: LogWriter | null; ledger: PaymentLedger | null }
    /** Returns a log whose first append gets no answer. The test appends the record of this append later. */
    const unsure = (world: World, log: Log): Log => ({
      ...log,
      openWriter: async (id, options) => {
        const writer = await log.openWriter(id, options)
        world.writer = writer
        return { ...writer, append: () => Promise.reject(new OperationError('log_unavailable', 'no answer')) }
      },
    })
    return expectOrder<World>({
      pairs: [['fence again', 'read the payments again']],
      begin: async () => ({ log: await logWithOther(), writer: null, ledger: null }),
      interrupt: async ({ writer }) => {
        await writer?.append([recordOf('settling')]).catch(() => {})
      },
      run: async (world, effects) => {
        let isUnsure = false
        const recorded = recordedLog(unsure(world, world.log), effects, {
          reopen: () => 'fence again',
          read: ({ offset }) => (isUnsure && offset === 0 ? 'read the payments again' : null),
        })
        const ledger = await open(recorded)
        world.ledger = ledger
        await ledger.record(change('settling')).catch(() => {})
        isUnsure = true
        await ledger.confirm()
      },
      leaves: async ({ log, ledger }) => expect(ledger?.find(paymentId)?.state).to.equal(await stateOn(log)),
    })
  })

  describe('is search, then check again, then record', () => {
    type World = { known: PaymentChanged; isInFlight: boolean; isOver: boolean; noted: string[]; before: number | null }
    const meanwhile: Readonly<Record<string, (world: World) => void>> = {
      'the buyer repeats the payment, which is in flight': (world) => {
        world.isInFlight = true
      },
      'a purchase resolves the payment': (world) => {
        world.known = change('settled')
      },
      'another process takes the ledger': (world) => {
        world.isOver = true
      },
    }
    const reconcile = (world: World, effects: Effects) => {
      const { probe, note } = effects.around(
        {
          probe: async () => ({ kind: 'paid', transaction }) as const,
          note: async ({ state }: PaymentChanged) => void world.noted.push(state),
        },
        { probe: () => 'search', note: () => 'record' },
      )
      return reconcilePayments({
        ledger: { unresolved: () => [change('unknown')].map(() => world.known), find: () => world.known } as never,
        networks: [{ network, probe } as unknown as PaymentNetwork],
        ledgerWriter: { note } as never,
        ...{ isInFlight: () => world.isInFlight, isOver: () => world.isOver, nowMs },
        logger: { info: () => {}, warn: () => {} },
      })
    }
    const begin = (): World => ({ known: change('unknown'), isInFlight: false, isOver: false, noted: [], before: null })
    for (const [what, happen] of Object.entries(meanwhile))
      it(`where ${what}, nothing more is recorded`, () =>
        expectOrder<World>({
          pairs: [['search', 'record']],
          begin,
          interrupt: (world) => {
            world.before = world.noted.length
            happen(world)
          },
          run: reconcile,
          leaves: ({ noted, before }) => expect(noted).to.deep.equal(before === 0 ? [] : ['settled']),
        }))

    it('and searches for no payment in flight', () =>
      expectOrder<World>({
        ...{ pairs: [], interrupt: 'abort', run: reconcile },
        begin: () => ({ ...begin(), isInFlight: true }),
        leaves: (_, done) => expect(done).to.deep.equal([]),
      }))
  })
})

describe('the order of effects of a sale', () => {
  type World = { isOwed: boolean }
  type Reading = Readonly<{ name: string; cut: () => null }>
  const readings: readonly Reading[] = [
    { name: 'is refused', cut: () => null },
    {
      name: 'fails',
      cut: () => {
        throw new OperationError('database_failed', 'away')
      },
    },
  ]
  for (const { name, cut } of readings)
    it(`is the last look at the payment before the refusal: one that becomes owed while its answer ${name} is sold`, () =>
      expectOrder<World & { outcome: 'sold' | 'refused' | null; isUndisturbed: boolean }>({
        pairs: [['look at the payment', 'read the cut']],
        begin: () => ({ isOwed: false, outcome: null, isUndisturbed: true }),
        interrupt: (world) => {
          world.isUndisturbed = false
          world.isOwed = true
        },
        run: async (world, effects) => {
          const looks: Promise<void>[] = []
          const isOwed = () => {
            if (looks.length === 0) looks.push(effects.perform('look at the payment', () => {}))
            return world.isOwed
          }
          const dependencies = {
            ...{ gate: { isOwed }, nowMs, cuts: {}, questions: {} },
            answers: { newestCut: () => effects.perform('read the cut', cut).catch((error) => failed(effects, error)) },
          } as unknown as SaleDependencies
          const call = { raw: { query: {}, path: {} }, payment: null, resourcePath: '/', address: 'a' }
          const sale = await prepareSale({ ...call, route: routeAt('/v1/rh/crews') } as never, dependencies).catch(
            () => null,
          )
          await Promise.all(looks)
          world.outcome = sale === null || isRefusal(sale) ? 'refused' : 'sold'
        },
        leaves: ({ outcome, isUndisturbed }) => expect(outcome).to.equal(isUndisturbed ? 'refused' : 'sold'),
      }))
  /**
   * Counts a failed read of the data time as an effect too, because a payment can become owed during this
   * read.
   */
  const failed = async (effects: Effects, error: unknown): Promise<never> => {
    await effects.perform('read the cut', () => {})
    throw error
  }
})

describe('the order of effects of a call over MCP', () => {
  const call = { method: 'tools/call', jsonrpc: '2.0', id: 1, params: { name: 'buy', arguments: {} } } as const

  it('is verify, then check that the client still waits, then settle: a cancelled call is not charged', () =>
    expectOrder<{ client: InMemoryTransport; settled: number; before: number | null }>({
      pairs: [['verify', 'settle']],
      begin: () => ({ client: new InMemoryTransport(), settled: 0, before: null }),
      interrupt: async (world) => {
        world.before = world.settled
        const params = { requestId: call.id, reason: 'no longer wanted' }
        await world.client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
        await new Promise((resolve) => setImmediate(resolve))
      },
      run: async (world, effects) => {
        const [client, served] = InMemoryTransport.createLinkedPair()
        world.client = client
        const done = new Promise<void>((resolve) => {
          const tool: Tool = {
            described: { name: 'buy', inputSchema: { type: 'object' } },
            async call({ isClientGone }): Promise<CallToolResult> {
              await effects.perform('verify', () => {})
              if (!isClientGone()) await effects.perform('settle', () => void world.settled++)
              resolve()
              return { content: [] }
            },
          }
          const exchange = { address: 'a', isClientGone: () => false, onceSent: () => {}, fail: () => expect.fail() }
          const tools = new Map([['buy', tool]])
          const server = createMcpServer({ tools, publicBaseUrl: 'https://data.example' }, exchange)
          void server.connect(served).then(() => client.send(call))
        })
        await client.start()
        await done
        await client.close()
      },
      leaves: ({ settled, before }) => expect(settled).to.equal(before === 0 ? 0 : 1),
    }))
})
