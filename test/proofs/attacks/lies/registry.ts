/**
 * Starts a schema registry that gives false answers to a program in another process. A whole service would
 * get few of them, because it asks the registry only at its start and for records of other versions.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { registryUrlAt, startRegistry } from '../../../../infra/development/kafka/cluster.ts'
import { fetchJars } from '../../../../infra/development/kafka/jars.ts'
import { freePorts } from '../../../../infra/ports.ts'
import { runTypeScript } from '../../../support/run-typescript.ts'
import { type Answer, type Liar, type Question, startLiar } from './liar.ts'
import type { Asked } from './registry-user.ts'
import { type Lying, lieAbout } from './tell.ts'

/** A client must accept a refusal of the registry, so a refusal is a good outcome. */
const goodOutcomes: ReadonlySet<string> = new Set(['right', 'registry_unreachable', 'registry_refused'])

export type RegistryLies = Readonly<{
  told: ReadonlyMap<string, number>
  lives: boolean
  memoryMb: Readonly<{ before: number; most: number; after: number }>
  /** The results during the lies, and after them. */
  asked: Asked
  askedAfter: Asked
}>

export async function sufferRegistry({
  seed,
  lyingMs,
}: Readonly<{ seed: number; lyingMs: number }>): Promise<RegistryLies> {
  const folder = mkdtempSync(join(tmpdir(), 'launch-data-registry-'))
  const [port = 0] = await freePorts(1)
  const server = await startRegistry({
    jarsDir: await fetchJars('registry', () => {}),
    dir: folder,
    port,
    outlivesUs: false,
  })
  const liar = await startLiar({ seed, honest: ask(new URL(registryUrlAt(port)).origin), lie: lieInAnswer })
  const user = fork(
    runTypeScript,
    [fileURLToPath(new URL('./registry-user.ts', import.meta.url)), `${liar.url}/apis/ccompat/v7`],
    {
      execArgv: [],
    },
  )
  const killWithUs = () => void user.kill('SIGKILL')
  process.once('exit', killWithUs)
  try {
    await once(user, 'message')
    await sleep(5_000)
    await taken(user)
    const before = megabytesOf(user, 'VmRSS')
    await lieFor(liar, user, lyingMs)
    const asked = await taken(user)
    const most = megabytesOf(user, 'VmHWM')
    await sleep(10_000)
    const askedAfter = await taken(user)
    const memoryMb = { before, most, after: megabytesOf(user, 'VmRSS') }
    return { told: liar.told, lives: user.exitCode === null, memoryMb, asked, askedAfter }
  } finally {
    killWithUs()
    process.off('exit', killWithUs)
    await liar.stop()
    await server.stop('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

async function lieFor(liar: Liar, user: ChildProcess, lyingMs: number): Promise<void> {
  liar.lies(true)
  await Promise.race([sleep(lyingMs), once(user, 'exit')])
  liar.lies(false)
}

/** Empty: the process has ended. */
async function taken(user: ChildProcess): Promise<Asked> {
  if (user.exitCode !== null || !user.connected) return {}
  user.send('take')
  const [asked] = (await Promise.race([once(user, 'message'), once(user, 'exit').then(() => [{}])])) as [Asked]
  return asked
}

function megabytesOf({ pid }: ChildProcess, field: 'VmRSS' | 'VmHWM'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Math.round(Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024)
  } catch {
    // The process has ended.
    return 0
  }
}

const ask =
  (origin: string) =>
  async ({ method, path, body }: Question): Promise<Answer> => {
    const response = await fetch(`${origin}${path}`, {
      method,
      ...(method === 'GET' ? {} : { body, headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' } }),
    })
    return { status: response.status, text: await response.text() }
  }

function lieInAnswer(_: Question, answer: Answer, lying: Lying): Answer {
  return { ...answer, text: JSON.stringify(lieAbout(JSON.parse(answer.text), lying)) }
}

const grownMbMax = 200

export const isHurtByRegistry = ({ lives, memoryMb, asked, askedAfter }: RegistryLies): boolean =>
  !lives ||
  memoryMb.most - memoryMb.before > grownMbMax ||
  Object.keys(asked).some((outcome) => !goodOutcomes.has(outcome)) ||
  Object.keys(askedAfter).some((outcome) => !goodOutcomes.has(outcome)) ||
  (askedAfter.right ?? 0) === 0
