/**
 * Sends storms (floods of quote requests and payments) while honest buyers buy. A storm comes from one
 * address or from sixteen, and some buyers share one of these addresses. Prints the number of successful
 * purchases, the waits compared with a run without a storm, and the CPU costs. For comparison, a bare server
 * with answers of the same size gets the same storm.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type BareServer, startBareServer } from '../../../bench/payments/bare-server.ts'
import { cpuSecondsOf } from '../../../bench/process-cpu.ts'
import { count } from '../../../bench/rounds.ts'
import { type Attacker, type Program, startAttacker, startListening } from '../programs.ts'
import { type Buyer, buy, closeBuyers, createBuyer, quoteAt } from './buyers.ts'
import { boughtPath, type StormKind, stormKinds, type World } from './storm-kinds.ts'

const patienceMs = 30_000
const pauseMs = 500
const knownCount = 6
/**
 * The highest number of payment checks that one address can cause at the facilitator in a run. The service
 * checks about 30 first payments of one address per minute, and a run can touch three minutes.
 */
const askedForOneMax = 90

type Scene = Readonly<{
  shop: Program
  /** The shop, or the proxy before it. */
  door: Program
  isProxied: boolean
  facilitator: Program
  bare: BareServer
  attacker: Attacker
  world: World
  knownOnSolana: Buyer
  tell: (told: object) => Promise<Asked>
}>

type Asked = Readonly<{ count: number; atOnceMax: number }>

type Outcome = Readonly<{
  /** The number of purchases, by kind. */
  bought: Readonly<Record<string, number>>
  failed: readonly string[]
  p99Ms: number
  /** The number of requests that the service sent to the facilitator. */
  asked: Asked
}>

type Say = (line: string) => void

export type StormOptions = Readonly<{
  kinds: readonly StormKind[]
  /** The numbers of source addresses. Each kind of storm runs one time with each number. */
  crowds: readonly number[]
  /** The number of purchases of each of the six kinds. */
  each: number
  say: Say
  /**
   * If true, all requests come through one proxy, and the attackers send forged `X-Forwarded-For` headers.
   * Default: false.
   */
  isProxied?: boolean
}>

const all: StormOptions = { kinds: stormKinds, crowds: [1, 16], each: 10, say: console.log }

export const attackByProxiedStorms = (): Promise<boolean> =>
  attackByStorms({ ...all, crowds: [1], each: 5, isProxied: true })

/** Returns true if all purchases succeeded. */
export async function attackByStorms(options: StormOptions = all): Promise<boolean> {
  const { kinds, crowds, each, say, isProxied = false } = options
  const scene = await openScene(isProxied)
  try {
    const calm = await buyBeside(scene, { here: '127.0.8.1', elsewhere: '127.0.8.200', each })
    print('calm', calm, { say, told: '', calm })
    let isGood = calm.failed.length === 0
    for (const [run, { kind, crowd }] of kinds.flatMap((kind) => crowds.map((crowd) => ({ kind, crowd }))).entries()) {
      const addresses = Array.from({ length: crowd }, (_, index) => `127.0.${20 + run}.${index + 1}`)
      const { outcome, told } = await rage(scene, { kind, addresses, elsewhere: `127.0.${20 + run}.200`, each })
      const from = crowd === 1 ? 'from one address' : `from ${crowd} addresses`
      print(`${kind.name}, ${from}`, outcome, { say, told, calm })
      isGood &&= outcome.failed.length === 0
      // A client that claims many forwarded addresses gets no more checks than one address.
      if (isProxied) isGood &&= outcome.asked.count <= 6 * each + askedForOneMax
    }
    return isGood
  } finally {
    closeBuyers()
    for (const { stop } of [scene.door, scene.shop, scene.facilitator, scene.bare, scene.attacker]) stop()
  }
}

async function openScene(isProxied: boolean): Promise<Scene> {
  const facilitator = await startListening('serve-facilitator.ts')
  const url = `http://127.0.0.1:${facilitator.port}`
  const shop = await startListening('serve-shop.ts', url, isProxied ? '1' : '0')
  const door = isProxied ? await startListening('serve-proxy.ts', String(shop.port)) : shop
  const tell = async (told: object) =>
    (await (await fetch(`${url}/tell`, { method: 'POST', body: JSON.stringify(told) })).json()) as Asked
  const place = { port: door.port, address: '127.0.9.1', path: boughtPath }
  const known = await Promise.all(Array.from({ length: knownCount }, () => createBuyer('EVM')))
  const knownOnSolana = await createBuyer('Solana')
  for (const buyer of [...known, knownOnSolana]) {
    const { isBought, status } = await buy(buyer, place, 0)
    if (!isBought) throw new TypeError(`a first purchase in calm got ${status}`)
  }
  const tellPenniless = async (payers: readonly string[]) => void (await tell({ penniless: payers }))
  const world = { required: await quoteAt(place), known, tellPenniless }
  return {
    ...{ shop, door, isProxied, facilitator, tell, world, knownOnSolana, attacker: startAttacker() },
    bare: await startBareServer(3_000),
  }
}

type Rage = Readonly<{ kind: StormKind; addresses: readonly string[]; elsewhere: string; each: number }>

async function rage(scene: Scene, { kind, addresses, elsewhere, each }: Rage) {
  const { shop, door, isProxied, bare, attacker, tell, world } = scene
  const { path, perSecond, together = 1, answerMs = 20 } = kind
  const storm = { path, perSecond, together, addresses, isForwarded: isProxied, payments: await kind.paymentsOf(world) }
  await tell({ answerMs })
  const end = await attacker.begin({ ...storm, port: door.port })
  await sleep(500)
  const cpuBefore = cpuSecondsOf(shop.pid)
  const startedAtMs = performance.now()
  const bought = await buyBeside(scene, { here: addresses[0] ?? elsewhere, elsewhere, each })
  const shopCpu = (cpuSecondsOf(shop.pid) - cpuBefore) / ((performance.now() - startedAtMs) / 1000)
  const { statuses, sent, cpuMs } = await end()
  const asked = await tell({})
  const bareUs = await costOfBare(attacker, { bare, storm })
  const got = Object.entries(statuses).map(([status, times]) => `${status}: ${count(times)}`)
  const told = `storm got ${got.join(', ')}; facilitator asked ${asked.count} times, ${asked.atOnceMax} at once; CPU: shop ${percent(shopCpu)} with the purchases, attackers ${count((cpuMs / sent) * 1000)} us a request, bare server ${count(bareUs)} us`
  return { outcome: { ...bought, asked }, told }
}

const percent = (share: number): string => `${Math.round(share * 100)} %`

const bareMs = 1_500

/** The CPU time of a bare server per request of the storm, in microseconds. */
async function costOfBare(
  attacker: Attacker,
  { bare, storm }: Readonly<{ bare: BareServer; storm: Omit<Parameters<Attacker['begin']>[0], 'port'> }>,
): Promise<number> {
  const before = cpuSecondsOf(bare.pid)
  const end = await attacker.begin({ ...storm, port: bare.port })
  await sleep(bareMs)
  const { sent } = await end()
  return ((cpuSecondsOf(bare.pid) - before) * 1e6) / sent
}

type Places = Readonly<{ here: string; elsewhere: string; each: number }>

/** Makes six series of purchases in parallel, one for each kind of buyer. */
async function buyBeside(scene: Scene, { here, elsewhere, each }: Places): Promise<Omit<Outcome, 'asked'>> {
  const { port } = scene.door
  const [known] = scene.world.known
  if (!known) throw new TypeError('nobody has bought')
  const { knownOnSolana } = scene
  const either = (index: number) => (index % 2 === 0 ? 'EVM' : 'Solana')
  const lines: readonly Line[] = [
    { name: 'later, EVM, here', buyerOf: async () => known, address: here },
    { name: 'later, Solana, here', buyerOf: async () => knownOnSolana, address: here },
    { name: 'later, elsewhere', buyerOf: async (index) => (index % 2 ? known : knownOnSolana), address: elsewhere },
    { name: 'first, EVM, elsewhere', buyerOf: () => createBuyer('EVM'), address: elsewhere },
    { name: 'first, Solana, elsewhere', buyerOf: () => createBuyer('Solana'), address: elsewhere },
    { name: 'first, here', buyerOf: (index) => createBuyer(either(index)), address: here },
  ]
  const waited: number[] = []
  const results = await Promise.all(
    lines.map(async ({ name, buyerOf, address }) => {
      const outcomes: Awaited<ReturnType<typeof buy>>[] = []
      for (let index = 0; index < each; index++) {
        // Only a first purchase from the storm's address may have to wait.
        const patience = name === 'first, here' ? patienceMs : 0
        const outcome = await buy(await buyerOf(index), { port, address, path: boughtPath }, patience)
        outcomes.push(outcome)
        if (name !== 'first, here') waited.push(outcome.waitedMs)
        await sleep(pauseMs)
      }
      return { name, outcomes }
    }),
  )
  waited.sort((left, right) => left - right)
  const ofFirstHere = results.at(-1)?.outcomes.map(({ waitedMs }) => waitedMs) ?? []
  const bought = results.map(
    ({ name, outcomes }) => [name, outcomes.filter(({ isBought }) => isBought).length] as const,
  )
  return {
    bought: { ...Object.fromEntries(bought), 'its slowest in ms': Math.round(Math.max(...ofFirstHere)) },
    failed: results.flatMap(({ name, outcomes }) =>
      outcomes.flatMap(({ isBought, status }) => (isBought ? [] : [`${name}: ${status}`])),
    ),
    p99Ms: waited[Math.floor(waited.length * 0.99)] ?? Number.NaN,
  }
}

type Line = Readonly<{ name: string; buyerOf: (index: number) => Promise<Buyer>; address: string }>

type Beside = Readonly<{ say: Say; told: string; calm: Pick<Outcome, 'p99Ms'> }>

function print(name: string, { bought, failed, p99Ms }: Omit<Outcome, 'asked'>, { say, told, calm }: Beside): void {
  const counts = Object.entries(bought).map(([kind, times]) => `${kind}: ${times}`)
  const ratio = (p99Ms / calm.p99Ms).toFixed(1)
  say(`${name}: ${failed.length} failed, p99 ${p99Ms.toFixed(0)} ms (${ratio} x calm)`)
  say(`  ${counts.join(', ')}`)
  if (failed.length > 0) say(`  failed: ${failed.join(', ')}`)
  if (told !== '') say(`  ${told}`)
}
