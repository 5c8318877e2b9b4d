/** Plays a plan on a payment gate, and returns all requests, answers and transfers. */
import type { PaymentPayload } from '@x402/core/types'
import type { PaidRequest, PaymentOutcome } from '../../../api/payments/payment.ts'
import type { Log } from '../../../infra/log/log.ts'
import type { Random } from '../../../ingest/simulated/random.ts'
import { toHeader } from '../../support/payments/paid-service.ts'
import { type ChainDouble, priceUsdMicros } from './chain-double.ts'
import type { FaultyFacilitator } from './faulty-facilitator.ts'
import type { CashedIn, History, Told } from './history.ts'
import { type Service, type Surroundings, startService } from './mortal-service.ts'
import type { Plan, Step } from './plan.ts'
import { createTables, type Tables } from './tables-double.ts'
import type { Time } from './virtual-time.ts'

export type World = Readonly<{
  time: Time
  random: Random
  log: Log
  chains: readonly ChainDouble[]
  facilitator: FaultyFacilitator
  /** Wraps what each process of the service uses, to break a rule on purpose. */
  sabotage?: (surroundings: Surroundings) => Surroundings
  /** The bytes of an answer. By default, a request gets the same bytes whenever the cut time is the same. */
  bytesAt?: (requestId: string, cutAtMs: number) => Buffer
}>

type Payment = Readonly<{ chain: ChainDouble; payload: PaymentPayload; id: string }>

type Sent = Readonly<{
  payment: Payment
  to: Service
  requestId: string
  sent: PaidRequest['payment']
  leavesAfterMs?: number | null
  isDelivered?: boolean
  isForged?: boolean
}>

const bought = 'GET /bought?'
const boughtElsewhere = 'GET /elsewhere?'
const isDated = (requestId: string): boolean => requestId === boughtElsewhere

/** A transfer comes at most this long after the last step, in milliseconds, or never. */
const calmMs = 115_000
const cashedInMs = 600_000

export async function play(plan: Plan, world: World): Promise<History> {
  const { time, random, facilitator, chains } = world
  const shop = createShop(plan, world)
  await shop.start()
  const payments = await Promise.all(plan.validSecs.map((validSec, index) => shop.sign(index, validSec)))
  facilitator.weather.faultRatio = plan.faultRatio
  shop.logWeather.faultRatio = plan.logFaultRatio
  for (const step of plan.steps) {
    await time.sleep(step.afterMs)
    await shop.act(step, payments)
  }
  facilitator.weather.faultRatio = 0
  facilitator.weather.isDown = plan.isFacilitatorDownAfterwards
  shop.calm()
  const transfers = () => chains.flatMap((chain) => chain.transfers)
  const cashedIn: CashedIn[] = []
  const cashIn = async (payment: Payment) => {
    const transfer = transfers().find((each) => each.payment === payment.id)
    if (!transfer) return
    const afterMs = time.nowMs() - transfer.atMs
    if (afterMs > cashedInMs) return
    cashedIn.push({ payment: payment.id, afterMs, outcomes: await shop.askUntilPaid(payment) })
  }
  const look = () => Promise.all(chains.map((chain) => chain.look?.()))
  await look()
  for (const payment of payments) if (random.chance(0.5)) await cashIn(payment)
  await time.sleep(calmMs)
  await look()
  for (const { payment, atMs } of laterTimes(payments, transfers(), random)) {
    await time.pass(Math.max(0, atMs - time.nowMs()))
    if (random.chance(0.4)) await shop.restart()
    await cashIn(payment)
  }
  shop.stop()
  return {
    payments: payments.map(({ id }) => id),
    ...{ told: shop.told, settled: shop.settled, settles: facilitator.settles },
    ...{ transfers: transfers(), cashedIn },
  }
}

/**
 * Returns times for further requests with each payment whose money moved: a random time within ten minutes
 * after the transfer, and a time near the end of these ten minutes.
 */
function laterTimes(payments: readonly Payment[], transfers: History['transfers'], random: Random) {
  return payments
    .flatMap((payment) => {
      const transfer = transfers.find((each) => each.payment === payment.id)
      if (!transfer) return []
      const afterMs = [random.whole(0, cashedInMs), cashedInMs - 5_000]
      return afterMs.map((ms) => ({ payment, atMs: transfer.atMs + ms }))
    })
    .sort((left, right) => left.atMs - right.atMs)
}

function createShop(plan: Plan, world: World) {
  const { time, random, log, chains, facilitator, sabotage = (unchanged) => unchanged } = world
  const told: Told[] = []
  const settled = new Map<string, { atMs: number; requestId: string }>()
  const idOf = new Map<string, string>()
  const logWeather = { faultRatio: 0 }
  const tables = createTables({ ...world, isDated })
  /** `owner` is null while another process opens the ledger. */
  const running: { service: Service | null; old: Service | null; owner: Service | null } = {
    ...{ service: null, old: null, owner: null },
  }

  const start = async () => {
    running.owner = null
    running.service = await startService(
      sabotage({
        ...{ time, random, log, logWeather, facilitator, answerBytesMax: plan.answerBytesMax },
        networks: chains.map(({ network }) => network),
        onRecorded: ({ state, paymentId, requestId }) => {
          const id = idOf.get(paymentId)
          if (state === 'settled' && id !== undefined && !settled.has(id))
            settled.set(id, { atMs: time.nowMs(), requestId })
        },
      }),
    )
    running.owner = running.service
  }
  const current = (): Service => running.service as Service
  const restart = async () => {
    current().kill()
    await start()
  }

  const send = async (sent: Sent): Promise<PaymentOutcome> => {
    const { payment, to, requestId, leavesAfterMs = null, isDelivered = true, isForged = false } = sent
    const askedAtMs = time.nowMs()
    const goneAtMs = leavesAfterMs === null ? Number.POSITIVE_INFINITY : askedAtMs + leavesAfterMs
    const isGone = () => time.nowMs() >= goneAtMs
    const isOwner = () => running.owner === to
    const wasOwner = isOwner()
    const outcome = await to.gate
      .run({
        ...{ requestId, routeId: requestId, resourcePath: '/bought', description: 'what is bought', priceUsdMicros },
        clientAddress: `198.51.100.${random.whole(1, 3)}`,
        payment: sent.sent,
        isClientGone: isGone,
        ...tables.readersOf(requestId),
      })
      .catch((error: unknown): PaymentOutcome => ({ kind: 'handlerFailed', error }))
    told.push({
      ...{ payment: payment.id, requestId, askedAtMs, outcome, isForged, toldAtMs: time.nowMs() },
      ...{ isUnheard: isGone(), isByOwner: wasOwner && isOwner() },
      isAnswerLate: tables.wereDownLately() || (isDated(requestId) && logWeather.faultRatio > 0),
    })
    if (outcome.kind === 'paid' && isDelivered && !isGone()) to.gate.markDelivered(outcome.paymentId)
    return outcome
  }
  const buy = (payment: Payment, requestId: string) =>
    send({ payment, requestId, to: current(), sent: toHeader(payment.payload) })

  return {
    ...{ told, settled, logWeather, start, restart },
    sign: async (index: number, validSec: number): Promise<Payment> => {
      const chain = chains[index % chains.length] as ChainDouble
      const payload = await signFor(current(), chain, validSec)
      const identity = chain.network.identify(payload)
      if ('refusal' in identity) throw new TypeError(identity.refusal)
      const id = chain.identityOf(payload)
      idOf.set(identity.paymentId, id)
      return { chain, payload, id }
    },
    act: (step: Step, payments: readonly Payment[]): Promise<void> =>
      actOn(step, payments, { world, running, start, restart, send, tables }),
    calm: () => {
      logWeather.faultRatio = 0
      tables.repair()
      running.old?.kill()
      for (const { node } of chains) Object.assign(node, { isDown: false, behindMs: 0 })
    },
    stop: () => current().kill(),
    /** Repeats the request as often as the answers say, like a client. */
    askUntilPaid: async (payment: Payment): Promise<readonly PaymentOutcome[]> => {
      const outcomes: PaymentOutcome[] = []
      for (let turn = 0; turn < 4 && outcomes.at(-1)?.kind !== 'paid'; turn++) {
        let outcome = await buy(payment, bought)
        // A payment buys the request that arrived first. This may be the request for `boughtElsewhere`.
        if (outcome.kind !== 'paid') outcome = firstPaid(await buy(payment, boughtElsewhere), outcome)
        outcomes.push(outcome)
        if (outcome.kind !== 'paid') await time.sleep('retryAfterSec' in outcome ? outcome.retryAfterSec * 1000 : 2_000)
      }
      return outcomes
    },
  }
}

const firstPaid = (one: PaymentOutcome, other: PaymentOutcome) => (one.kind === 'paid' ? one : other)

async function signFor({ gate }: Service, chain: ChainDouble, validSec: number): Promise<PaymentPayload> {
  const answer = await gate.requirePayment({
    ...{ requestId: bought, routeId: bought, resourcePath: '/bought', description: 'what is bought', priceUsdMicros },
  })
  if (answer.kind !== 'paymentRequired') throw new TypeError(`no 402 but ${answer.kind}`)
  const accepted = answer.body.accepts.find(({ network }) => network === chain.kind.network)
  if (!accepted) throw new TypeError(`${chain.kind.network} is not offered`)
  return chain.sign(accepted, validSec)
}

type Doing = Readonly<{
  world: World
  running: { service: Service | null; old: Service | null; owner: Service | null }
  start: () => Promise<void>
  restart: () => Promise<void>
  send: (sent: Sent) => Promise<PaymentOutcome>
  tables: Tables
}>

async function actOn(step: Step, payments: readonly Payment[], doing: Doing): Promise<void> {
  const { world, running, start, restart, send, tables } = doing
  const { time, facilitator, chains } = world
  const to = running.service as Service
  const paymentOf = (index: number) => payments[index] as Payment
  switch (step.do) {
    case 'send': {
      const payment = paymentOf(step.payment)
      const { payload, chain } = payment
      const sent = step.spelling === 'same' ? toHeader(payload) : { payload: chain.respell(payload) }
      const old = step.isToOld && running.old?.isAlive() ? running.old : to
      return void send({ ...step, payment, sent, to: old, requestId: bought })
    }
    case 'sendElsewhere': {
      const payment = paymentOf(step.payment)
      return void send({ payment, to, requestId: boughtElsewhere, sent: toHeader(payment.payload) })
    }
    case 'sendForged': {
      const payment = paymentOf(step.payment)
      const forgeries = payment.chain.forge(payment.payload)
      const forged = forgeries[step.forgery % forgeries.length] as PaymentPayload
      return void send({ payment, to, requestId: bought, sent: toHeader(forged), isForged: true })
    }
    case 'kill':
      return restart()
    case 'closeAndStart':
      running.owner = null
      await Promise.race([to.gate.close(), time.sleep(25_000)])
      return restart()
    case 'takeOver':
      running.old = to
      return start()
    case 'reconcile':
      return void to.gate.reconcile()
    case 'facilitatorDown':
      facilitator.weather.isDown = true
      return void time.sleep(step.forMs).then(() => {
        facilitator.weather.isDown = false
      })
    case 'nodeDown':
    case 'nodeBehind': {
      const change = step.do === 'nodeDown' ? { isDown: true } : { behindMs: step.byMs }
      for (const { node } of chains) Object.assign(node, change)
      return void time.sleep(step.forMs).then(() => {
        for (const { node } of chains) Object.assign(node, { isDown: false, behindMs: 0 })
      })
    }
    case 'tablesDown':
      return tables.failFor(step.forMs)
    default:
      step satisfies never
  }
}
