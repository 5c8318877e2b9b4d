/**
 * Pays the real service, kills it at one moment of the payment, and starts it again on the same data. The
 * same payment signature must then get one answer, and this answer must equal any answer from before the
 * kill. The money must have moved only one time. The chain runs outside of the service.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createHttpFacilitator } from '../../../../api/payments/facilitator/http-facilitator.ts'
import { type ServedFacilitator, serveFacilitator } from '../../../../infra/development/payments/serve-facilitator.ts'
import { freePorts } from '../../../../infra/ports.ts'
import { type RunningProgram, startScript } from '../../../support/programs.ts'
import type { Moment } from './moments.ts'

/** The chain, the facilitator and the buyer. */
export type Money = Readonly<{
  environment: Readonly<Record<string, string>>
  facilitatorUrl: string
  /** Signs the payment of a PAYMENT-REQUIRED header, and returns the PAYMENT-SIGNATURE. */
  sign: (required: string) => Promise<string>
  /** The seller's balance, in millionths of a dollar. */
  earned: () => Promise<bigint>
}>

export type KilledService = Readonly<{
  /** Kills the service at the moment. Returns one sentence for each thing that went wrong. */
  killAt: (moment: Moment) => Promise<readonly string[]>
  stop: () => Promise<void>
}>

const bursts = { path: '/v1/rh/bursts/live', priceUsdMicros: 10_000n }
const pass = { path: '/v1/stream/pass', priceUsdMicros: 500_000n }
/** The longest time until the service has data, in milliseconds. A busy machine needs long. */
const patienceMs = 900_000
const scriptOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))
/**
 * `service` is the whole service over simulated chains, which needs minutes for data. `shop` is only the part that sells, which starts in a
 * second.
 */
const scripts = { service: scriptOf('armed-service.ts'), shop: scriptOf('armed-shop.ts') }

export async function startKilledService(money: Money, victim: keyof typeof scripts = 'shop'): Promise<KilledService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'killed-service-'))
  const pointFile = join(dataDir, 'point')
  const [port = 0] = await freePorts(1)
  const urlOf = ({ path }: typeof bursts) => `http://127.0.0.1:${port}${path}`
  const between = await serveBetween(money.facilitatorUrl)
  const environment = {
    ...{ ...money.environment, DATA_DIR: join(dataDir, 'data'), PORT: String(port), LOG_LEVEL: 'warn' },
    X402_FACILITATOR_URL: between.url,
  }
  const start = async (): Promise<RunningProgram> => {
    const program = startScript(scripts[victim], pointFile, environment)
    await program.until(/Launch Data Service on /)
    await untilSold(urlOf(bursts))
    return program
  }
  let program = await start()

  const arm = async (moment: Moment): Promise<void> => {
    const kill = () => program.kill('SIGKILL')
    if (moment.at === 'settleAsked' || moment.at === 'settleAnswered') between.on(moment.at, kill)
    if (moment.at !== 'point') return
    await writeFile(pointFile, moment.point)
    program.kill('SIGUSR2')
    await program.until(/^armed$/m)
  }
  const payUntilKilled = async (url: string, signature: string, moment: Moment): Promise<string | null> => {
    const bytes = await pay(url, signature, () => {
      if (moment.at === 'bytesBegun') program.kill('SIGKILL')
    })
    if (moment.at === 'bytesReceived') program.kill('SIGKILL')
    return bytes
  }

  return {
    async killAt(moment) {
      const bought = moment.isOfPass ? pass : bursts
      const url = urlOf(bought)
      const earnedBefore = await money.earned()
      const first = await money.sign(await requiredAt(url))
      const second = await money.sign(await requiredAt(url))
      await arm(moment)
      const given = await payUntilKilled(url, first, moment)
      // A delivery is recorded together with the next payment, so the kill comes during the next payment.
      const givenNext = isRecordedWithNext(moment) ? await pay(url, second) : null
      await program.done
      program = await start()
      const answers = [await repeatUntilPaid(url, first), await repeatUntilPaid(url, first)]
      const answersNext = isRecordedWithNext(moment) ? [await repeatUntilPaid(url, second)] : []
      const transfers = Number((await money.earned()) - earnedBefore) / Number(bought.priceUsdMicros)
      return [
        ...wrongWith(given, answers),
        ...(answersNext.length > 0 ? wrongWith(givenNext, answersNext) : []),
        ...(transfers === (answersNext.length > 0 ? 2 : 1) ? [] : [`${transfers} transfers`]),
      ]
    },
    async stop() {
      await program.stop()
      await between.stop()
      await rm(dataDir, { recursive: true })
    },
  }
}

const isRecordedWithNext = (moment: Moment): boolean =>
  moment.at === 'point' && moment.point === 'payment-delivered-recorded'

/** `given` is the answer before the kill, `answers` are those after it. */
function wrongWith(given: string | null, answers: readonly (string | null)[]): readonly string[] {
  const bodies = [...new Set([given, ...answers].filter((bytes) => bytes !== null))].map((text) => text.slice(0, 200))
  return [
    ...(answers.includes(null) ? ['its signature gets no answer'] : []),
    ...(bodies.length > 1 ? [`${bodies.length} different answers: ${bodies.join(' | ')}`] : []),
  ]
}

/** The whole body. Null: the connection broke, or the status was not 200. */
async function pay(url: string, signature: string, onHead: () => void = () => {}): Promise<string | null> {
  try {
    const response = await fetch(url, { headers: { 'PAYMENT-SIGNATURE': signature } })
    onHead()
    const text = await response.text()
    return response.status === 200 ? text : null
  } catch {
    return null
  }
}

async function repeatUntilPaid(url: string, signature: string): Promise<string | null> {
  for (let turn = 0; turn < 20; turn++) {
    const bytes = await pay(url, signature)
    if (bytes !== null) return bytes
    await sleep(500)
  }
  return null
}

async function requiredAt(url: string): Promise<string> {
  const response = await fetch(url)
  await response.arrayBuffer()
  return response.headers.get('payment-required') ?? ''
}

async function untilSold(url: string): Promise<void> {
  const startedAtMs = Date.now()
  for (;;) {
    const response = await fetch(url)
    const said = await response.text()
    if (response.status === 402) return
    if (Date.now() - startedAtMs > patienceMs) throw new TypeError(`the service sells nothing: ${said}`)
    await sleep(200)
  }
}

type Between = ServedFacilitator & Readonly<{ on: (moment: 'settleAsked' | 'settleAnswered', act: () => void) => void }>

/**
 * Starts a proxy between service and facilitator. At the moments of a settlement, the proxy runs the given
 * actions.
 */
async function serveBetween(facilitatorUrl: string): Promise<Between> {
  const real = createHttpFacilitator({ url: facilitatorUrl })
  const acts = new Map<string, () => void>()
  /** Runs the action for a moment, and then forgets the action. */
  const see = (moment: string): boolean => {
    const act = acts.get(moment)
    acts.delete(moment)
    act?.()
    return act !== undefined
  }
  const served = await serveFacilitator({
    ...real,
    settle: async (payload, requirements) => {
      if (see('settleAsked')) throw new TypeError('who asked is dead, and nothing was passed on')
      const answer = await real.settle(payload, requirements)
      see('settleAnswered')
      return answer
    },
  })
  return { ...served, on: (moment, act) => void acts.set(moment, act) }
}
