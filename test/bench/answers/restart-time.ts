import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePorts } from '../../../infra/ports.ts'
import { startPlainScript, startScript } from '../../support/programs.ts'
import { type AgreeableFacilitator, startAgreeableFacilitator } from '../payments/agreeable-facilitator.ts'
import { startBareServer } from '../payments/bare-server.ts'
import { cpuSecondsOf } from '../process-cpu.ts'
import { count, median } from '../rounds.ts'
import type { Past } from './restart-past.ts'

const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const pastScript = fileOf('./restart-past.ts')
const serviceScript = fileOf('./restarted-service.js')
const preparedPattern = /PREPARED (\d+)/
/** A URL of a node for chain A makes chain A the only chain. Nothing connects to this node. */
const chainAOnly = { CHAIN_A_RPC_URL: 'http://127.0.0.1:1' }
const market = { pools: 20_000, swapsPerSecond: 200, before: 600, behind: 120 } as const
const rounds = 3
/**
 * How long the writing of the log may take, in milliseconds. If writing takes longer, this time is doubled.
 * The last block of the log has a time in the future, and the bench waits for that time.
 */
let preparedInMs = 20_000
const lateMsMax = 1000
const patienceMs = 120_000
const lookEveryMs = 20
/** A service stores its compiled code after ten seconds. So this time is long enough. */
const codeKeptAfterMs = 15_000
/** The interval between requests, in milliseconds. Free routes answer only 120 requests per minute. */
const askEveryMs = 200

/**
 * Times in milliseconds, counted from before the start of the process. At `sells`, the service answers again
 * with a request for payment. At `knows`, its answers have the new facts. `cpu` is the CPU time of all its
 * threads up to `knows`.
 */
type Back = Readonly<{ sells: number; knows: number; cpu: number }>

/** The pasts of a service: the number of snapshots of each task in the log. */
const pasts = {
  none: { snapshots: 0, says: 'without a snapshot' },
  snapshot: { snapshots: 1, says: `a snapshot of each task, ${market.behind} s old` },
  many: { snapshots: 8, says: 'eight snapshots of each task' },
} as const

type PastName = keyof typeof pasts

/**
 * Measures the restart of the whole service in a fresh process with 20,000 live pools. Prints when the
 * service requests payments again, and when its answers have the facts from after the start. Runs with the
 * oldest possible snapshots, with many snapshots in the log, and without snapshots.
 * For comparison, starts a process with only one Koa route. First, the service runs one time until it has
 * stored its compiled code, as after an earlier run. The requests of ingest to a node are left out, and so is
 * the local chain of `npm start`.
 */
export async function measureRestart(dataDir: string): Promise<void> {
  const facilitator = await startAgreeableFacilitator()
  try {
    await restart({ dataDir, past: 'snapshot', facilitator, runsForMs: codeKeptAfterMs })
    const bare = await timesOf(rounds + 1, () => startBare())
    const facts: number[] = []
    const runs = { none: [] as Back[], snapshot: [] as Back[], many: [] as Back[] }
    for (let round = 0; round < rounds; round++)
      for (const past of Object.keys(pasts) as PastName[]) {
        const run = await restart({ dataDir, past, facilitator })
        facts.push(run.facts)
        runs[past].push(run)
      }
    const { pools, before, behind } = market
    console.log(
      `restart of the whole service with ${count(pools)} live pools (${count(median(facts))} facts of ${before + behind} s), a fresh process, medians of ${rounds}:`,
    )
    console.log(`  a bare Koa route             answers after ${seconds(median(bare))}`)
    const none = print('none', runs.none)
    const back = print('snapshot', runs.snapshot)
    const many = print('many', runs.many)
    console.log(
      `  with snapshots: ${(back.knows / none.knows).toFixed(2)} x without, ${(back.knows / median(bare)).toFixed(1)} x bare (aim <= 2.5 s)`,
    )
    console.log(`  with eight snapshots: ${(many.cpu / back.cpu).toFixed(2)} x the CPU time with one (aim <= 1.1)`)
  } finally {
    await facilitator.close()
  }
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`

function print(past: PastName, runs: readonly Back[]): Back {
  const of = (key: keyof Back) => median(runs.map((run) => run[key]))
  const [sells, knows, cpu] = [of('sells'), of('knows'), of('cpu')]
  console.log(
    `  ${pasts[past].says.padEnd(36)} asks for money after ${seconds(sells)}, knows what is new after ${seconds(knows)} (${runs.map((run) => seconds(run.knows)).join(', ')}), ${seconds(cpu)} of CPU`,
  )
  return { sells, knows, cpu }
}

type Restart = Readonly<{
  dataDir: string
  past: PastName
  facilitator: AgreeableFacilitator
  /** How long the service runs after it knows the new facts, in milliseconds. The default is 0. */
  runsForMs?: number
}>

async function restart({
  dataDir,
  past,
  facilitator,
  runsForMs = 0,
}: Restart): Promise<Back & Readonly<{ facts: number }>> {
  const facts = await prepare(dataDir, pasts[past].snapshots)
  const [port = 0] = await freePorts(1)
  const startedAtMs = Date.now()
  const environment = { ...facilitator.environment, PORT: String(port), VIEW_REFRESH_MS: '100', ...chainAOnly }
  const service = startPlainScript(serviceScript, dataDir, environment)
  try {
    const url = `http://127.0.0.1:${port}`
    const sells = await until(startedAtMs, lookEveryMs, async () => {
      const { status } = await fetch(`${url}/v1/rh/bursts/live`)
      return status === 402
    })
    const knows = await until(startedAtMs, askEveryMs, async () => {
      const { generatedAt } = (await (await fetch(`${url}/v1/health`)).json()) as Readonly<{ generatedAt?: number }>
      return generatedAt !== undefined && generatedAt > startedAtMs
    })
    const cpu = cpuSecondsOf(service.pid) * 1000
    await sleep(runsForMs)
    return { sells, knows, cpu, facts }
  } finally {
    service.kill('SIGKILL')
    await service.done
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Writes a log whose last block has the current time. Returns the number of facts. */
async function prepare(dataDir: string, snapshots: number): Promise<number> {
  for (; ; preparedInMs *= 2) {
    const endAtMs = Math.ceil((Date.now() + preparedInMs) / 1000) * 1000
    const past: Past = { dataDir, endAtMs, snapshots, ...market }
    const program = startScript(pastScript, JSON.stringify(past), {})
    await program.until(preparedPattern)
    const facts = Number(preparedPattern.exec(program.stdout())?.[1])
    await program.done
    await sleep(Math.max(0, endAtMs - Date.now()))
    if (Date.now() - endAtMs < lateMsMax) return facts
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Waits until `isSo` returns true. A failure counts as false, because at first no server listens. */
async function until(startedAtMs: number, everyMs: number, isSo: () => Promise<boolean>): Promise<number> {
  while (!(await isSo().catch(() => false))) {
    assert(Date.now() - startedAtMs < patienceMs, 'the service is not back in time')
    await sleep(everyMs)
  }
  return Date.now() - startedAtMs
}

async function startBare(): Promise<number> {
  const startedAtMs = performance.now()
  const { port, stop } = await startBareServer(1000)
  await (await fetch(`http://127.0.0.1:${port}/`)).arrayBuffer()
  stop()
  return performance.now() - startedAtMs
}

async function timesOf(times: number, run: () => Promise<number>): Promise<number[]> {
  const taken: number[] = []
  for (let turn = 0; turn < times; turn++) taken.push(await run())
  return taken
}
