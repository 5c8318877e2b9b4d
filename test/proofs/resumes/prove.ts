/** Kills clients of the stream and continues them, while two workers write the log. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createPasses } from '../../../api/stream/passes.ts'
import { createRandom } from '../../support/chain-a-node/random.ts'
import { runTypeScript } from '../../support/run-typescript.ts'
import { againOf, createPartitions, differenceOf, isRow, offsetsOf, type PartitionOf, rowOf } from './compare.ts'
import { type Consumer, connect, type Frame } from './consumer.ts'

export type ResumeProof = Readonly<{
  /** What was wrong. Empty if the promise held. */
  faults: readonly string[]
  /** The number of events of the client that never stopped. */
  events: number
  /** How often each case occurred. */
  cases: Readonly<Record<Case, number>>
}>

type Case =
  | 'kills'
  | 'starts'
  | 'pauses of a worker'
  | 'killed while it caught up'
  | 'cursor inside a tick'
  | 'correction sent again'
  | 'event published after the request sent again'
  | 'nothing to send again'
  | 'refused cursors'

type Options = Readonly<{ kills: number; starts: number; seed: number; onProgress?: (text: string) => void }>

const secret = 'a secret of the proof'
const waitMsMax = 30_000
/** The longest life of a connection before it is killed. Most lives are much shorter. */
const lifeMsMax = 400
/** The time in which the last events of the workers reach the clients. */
const lastEventsMs = 500

export async function proveResumes(options: Options): Promise<ResumeProof> {
  const dataDir = await mkdtemp(join(tmpdir(), 'launch-data-resumes-'))
  const children: ChildProcess[] = []
  const start = async (file: string, args: readonly string[], word: RegExp) => {
    const child = spawn(process.execPath, [runTypeScript, pathOf(file), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    children.push(child)
    for await (const line of createInterface(child.stdout)) if (word.test(line)) return { child, line }
    throw new RangeError(`${file} ended`)
  }
  try {
    const workers: ChildProcess[] = []
    for (const index of [0, 1]) {
      const args = [dataDir, String(index), String(options.seed)]
      workers.push((await start('worker.ts', args, /^READY$/)).child)
    }
    const { line } = await start('serve.ts', [dataDir, secret], /^LISTENING /)
    return await prove({ ...options, workers, port: Number(line.split(' ')[1]) })
  } finally {
    for (const child of children) child.kill('SIGKILL')
    await rm(dataDir, { recursive: true, force: true })
  }
}

const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

type World = Options & Readonly<{ workers: readonly ChildProcess[]; port: number }>

async function prove({ kills, starts, seed, onProgress = () => {}, workers, port }: World): Promise<ResumeProof> {
  const random = createRandom(seed)
  const faults: string[] = []
  const cases: Record<Case, number> = {
    ...{ kills: 0, starts: 0, 'pauses of a worker': 0, 'killed while it caught up': 0, 'cursor inside a tick': 0 },
    ...{ 'correction sent again': 0, 'event published after the request sent again': 0, 'nothing to send again': 0 },
    'refused cursors': 0,
  }
  const passes = createPasses(secret)
  let passCount = 0
  const open: Open = (cursor) => {
    const paymentId = `pass ${Math.floor(passCount++ / 2)}`
    const token = passes.tokenFor({ paymentId, issuedAtMs: 1, expiresAtMs: Date.now() + 3_600_000 })
    return connect({ port, token }, cursor)
  }
  const run: Run = { random, faults, cases, open, partitionOf: createPartitions(), onProgress }
  const oldest = await refuseCursors(run)
  const whole = await open(oldest)
  const pausing = pauseAtRandom(workers, run)
  const { taken, consumer } = await killAtRandom(run, { kills, oldest })
  await pausing.stop()
  for (const worker of workers) worker.kill('SIGTERM')
  await Promise.all(workers.map((worker) => worker.exitCode ?? once(worker, 'exit')))
  await until(() => consumer.hasCaughtUp() && whole.hasCaughtUp(), 'the clients have not caught up')
  await sleep(lastEventsMs)
  const full = whole.frames.filter(isRow)
  for (const frame of full) run.partitionOf(frame)
  const difference = differenceOf([...taken, ...consumer.frames.filter(isRow)], full, run.partitionOf)
  if (difference !== null) faults.push(`the client that was killed has ${difference}`)
  if (!againOf(whole).isTrue) faults.push('the count or the hash of the client that never stopped is wrong')
  whole.kill()
  consumer.kill()
  await startAtRandom(run, { starts, frames: whole.frames })
  return { faults, events: full.length, cases }
}

type Open = (cursor: string) => Promise<Consumer>
type Run = Readonly<{
  random: () => number
  faults: string[]
  cases: Record<Case, number>
  open: Open
  partitionOf: PartitionOf
  onProgress: (text: string) => void
}>

type Killing = Readonly<{ kills: number; oldest: string }>

/** Returns the events that the client took before its last kill, and its last connection. */
async function killAtRandom(run: Run, { kills, oldest }: Killing) {
  const { random, faults, cases, open, onProgress } = run
  const rows: Frame[] = []
  let cursor = oldest
  let consumer = await open(cursor)
  for (let count = 1; count <= kills; count++) {
    await sleep(random() ** 3 * lifeMsMax)
    consumer.kill()
    const taken = consumer.frames.slice(0, Math.ceil(random() * consumer.frames.length))
    rows.push(...taken.filter(isRow))
    noteCases(consumer, taken, run)
    cursor = taken.at(-1)?.id || cursor
    cases.kills += 1
    if (random() < 0.3) await sleep(random() * lifeMsMax)
    consumer = await open(cursor)
    if (consumer.status !== 200) faults.push(`kill ${count}: refused with ${JSON.stringify(consumer.refusal)}`)
    if (count % 50 === 0) onProgress(`${count} kills`)
  }
  return { taken: rows, consumer }
}

type Starting = Readonly<{ starts: number; frames: readonly Frame[] }>

/** `frames`: the frames of the client that never stopped. */
async function startAtRandom(run: Run, { starts, frames }: Starting): Promise<void> {
  const { random, faults, cases, open, partitionOf, onProgress } = run
  const full = frames.filter(isRow)
  for (let count = 1; count <= starts; count++) {
    const from = mixedCursor(frames, random)
    const consumer = await open(from)
    await until(() => consumer.hasCaughtUp() || consumer.hasEnded(), `start ${count} does not catch up`)
    consumer.kill()
    const offsets = offsetsOf(from)
    const isAfter = (frame: Frame) => {
      const partition = partitionOf(frame)
      return (offsetsOf(frame.id)[partition] ?? 0) > (offsets[partition] ?? 0)
    }
    const { again, isTrue } = againOf(consumer)
    const wrong = differenceOf(again, full.filter(isAfter), partitionOf)
    if (wrong !== null) faults.push(`start ${count} from ${from}: ${wrong}`)
    if (!isTrue) faults.push(`start ${count} from ${from}: the count or the hash is wrong`)
    cases.starts += 1
    if (count % 100 === 0) onProgress(`${count} starts`)
  }
}

/** A cursor whose offsets come from random events, so a partition can be far behind another. */
function mixedCursor(frames: readonly Frame[], random: () => number): string {
  const pick = () => frames[Math.floor(random() * frames.length)]?.id || (frames[0]?.id ?? '')
  if (random() < 0.5) return pick()
  const [one, other] = [pick(), pick()].map((id) => id.split(/([.-])/))
  return (one ?? []).map((part, index) => (random() < 0.5 ? part : (other?.[index] ?? part))).join('')
}

/** Checks the refusals, and returns the oldest cursor that they name. */
async function refuseCursors({ faults, cases, open }: Run): Promise<string> {
  const wanted = [
    ['x', 400, 'cursor_unknown'],
    ['zzzzzz.0.0.0-0.0.0.0', 400, 'cursor_unknown'],
    ['0.0.0.0-0.0.0.0', 410, 'cursor_too_old'],
  ] as const
  let oldest = ''
  for (const [cursor, status, code] of wanted) {
    const { status: got, refusal } = await open(cursor)
    if (got !== status || refusal?.code !== code) faults.push(`${cursor} got ${got} ${JSON.stringify(refusal)}`)
    oldest = refusal?.oldest ?? oldest
    cases['refused cursors'] += 1
  }
  return oldest
}

/** Counts the cases of one connection of the client that is killed. `taken`: the frames before the kill. */
function noteCases(consumer: Consumer, taken: readonly Frame[], { cases, partitionOf }: Run): void {
  for (const frame of consumer.frames.filter(isRow)) partitionOf(frame)
  const [last, next] = consumer.frames.slice(Math.max(0, taken.length - 1))
  const tickOf = (frame: Frame) => `${partitionOf(frame)} ${rowOf(frame).knownAt}`
  if (last && next && isRow(last) && isRow(next) && tickOf(last) === tickOf(next)) cases['cursor inside a tick'] += 1
  if (!consumer.hasCaughtUp()) {
    cases['killed while it caught up'] += 1
    return
  }
  const { again } = againOf(consumer)
  if (again.length === 0) cases['nothing to send again'] += 1
  if (again.some(({ name }) => name !== 'burst')) cases['correction sent again'] += 1
  if (again.some((frame) => (rowOf(frame).row?.publishedAt ?? 0) >= consumer.beganAtMs))
    cases['event published after the request sent again'] += 1
}

/** Stops one of the workers for up to two seconds, again and again. */
function pauseAtRandom(workers: readonly ChildProcess[], { random, cases }: Run) {
  let isOver = false
  const pause = async () => {
    while (!isOver) {
      const worker = workers[Math.floor(random() * workers.length)]
      worker?.kill('SIGSTOP')
      await sleep(200 + random() * 1_800)
      worker?.kill('SIGCONT')
      cases['pauses of a worker'] += 1
      await sleep(random() * 1_000)
    }
  }
  const pausing = pause()
  return {
    async stop() {
      isOver = true
      await pausing
    },
  }
}

async function until(isSo: () => boolean, text: string): Promise<void> {
  const endMs = Date.now() + waitMsMax
  while (!isSo()) {
    if (Date.now() > endMs) throw new RangeError(text)
    await sleep(5)
  }
}
