/**
 * Runs the programs of other stream processors, which are in a folder outside this repository. The folder's
 * `run.sh` sets up the programs and a broker, and writes the topic. Then it measures one engine after the
 * other, and writes the results into a CSV table. The folder is read at run time.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PeerOutput } from './job.ts'
import type { Latency, Throughput } from './measure.ts'
import { peerSwapSchema } from './swap-record.ts'

export type Peers = Readonly<{
  brokers: string
  topic: string
  expected: readonly PeerOutput[]
  /** The results of one round, by row name. */
  throughput(rows: readonly string[]): Promise<ReadonlyMap<string, Throughput>>
  latency(rows: readonly string[]): Promise<readonly Latency[]>
}>

const topic = 'peer-swaps'

/** Sets up what is missing. An existing topic is used as it is. */
export async function openPeers(dir: string, swaps: number): Promise<Peers> {
  const script = await readFile(join(dir, 'run.sh'), 'utf8')
  const workDir = wordIn(script, /^.*W=\$\{W:-([^}]+)\}/m)
  const brokers = wordIn(script, /\bB=(\S+)/)
  assert.deepEqual(await schemaIn(dir), peerSwapSchema, 'the peers read other records than our job does')
  const run = (words: readonly string[], env: Readonly<Record<string, string>> = {}) => runScript(dir, words, env)
  if (!existsSync(join(workDir, 'target', 'classes'))) await run(['setup'])
  await run(['broker'])
  const expectedPath = join(workDir, `${topic}.exp`)
  if (!existsSync(expectedPath)) await run(['gen', String(swaps)])
  const expected = linesOf(await readFile(expectedPath, 'utf8')).map((line): PeerOutput => JSON.parse(line))

  const newRows = async (file: string, rows: readonly string[], work: () => Promise<void>): Promise<string[][]> => {
    const path = join(workDir, file)
    const before = existsSync(path) ? linesOf(await readFile(path, 'utf8')).length : 0
    await work()
    const after = existsSync(path) ? linesOf(await readFile(path, 'utf8')) : []
    const found = after.slice(before).map((line) => line.split(','))
    assert.deepEqual(
      new Set(found.map(([name]) => name)),
      new Set(rows),
      `${file} has not the rows that were asked for`,
    )
    return found
  }
  return {
    brokers,
    topic,
    expected,
    async throughput(rows) {
      const found = await newRows('results.csv', rows, () => run(['bench', '1'], { ROWS: rows.join(' ') }))
      return new Map(found.map((row) => [row[0] ?? '', throughputOf(row)]))
    },
    async latency(rows) {
      const found = await newRows('latency.csv', rows, () => run(['latency'], { LAT: rows.join(' ') }))
      return found.map(latencyOf)
    },
  }
}

/**
 * The columns: name, verdict, records, seconds, records per second, CPU seconds per million records, the same
 * for the broker, memory, repeated outputs, latency.
 */
function throughputOf([, verdict = '', , , perSecond, cpu, , , repeated]: readonly string[]): Throughput {
  const difference = verdict === 'EQUAL' && repeated === '0' ? null : `${verdict}, ${repeated} repeated`
  return { perSecond: Number(perSecond), cpuSecondsPerMillion: Number(cpu), difference, snapshots: null }
}

function latencyOf(row: readonly string[]): Latency {
  const [p50Ms = Number.NaN, p99Ms = Number.NaN, , count = 0] = [...(row[9] ?? '').matchAll(/ (\d+)/g)].map(numberOf)
  return { name: `${row[0]}, from the swap`, p50Ms, p99Ms, count, difference: throughputOf(row).difference }
}

const numberOf = ([, digits]: RegExpMatchArray): number => Number(digits)

async function runScript(dir: string, words: readonly string[], env: Readonly<Record<string, string>>): Promise<void> {
  const child = spawn('bash', [join(dir, 'run.sh'), ...words], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
  })
  await once(child, 'exit')
}

/** Reads the Avro schema from a Java constant that is composed of several string literals. */
async function schemaIn(dir: string): Promise<unknown> {
  const source = await readFile(join(dir, 'src', 'peers', 'Swap.java'), 'utf8')
  const constant = wordIn(source, /String SCHEMA = ((?:\s*\+?\s*"(?:[^"\\]|\\.)*")+);/)
  const literals = constant.match(/"(?:[^"\\]|\\.)*"/g) ?? []
  return JSON.parse(literals.map((literal): string => JSON.parse(literal)).join(''))
}

function wordIn(text: string, pattern: RegExp): string {
  const word = pattern.exec(text)?.[1]
  assert(word, `nothing there is like ${pattern}`)
  return word
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '')
