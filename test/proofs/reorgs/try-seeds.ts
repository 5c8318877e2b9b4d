/** Tries seeds in another process. A mistake in the code may make that process hang or die. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Machinery } from './sabotages.ts'

type Tried = Readonly<{
  machinery: Machinery
  seeds: readonly number[]
  /** The folder of the code. */
  folder: string
  /** The trial ends as soon as this number of seeds show a difference. */
  differingMax: number
  onSeed?: (tried: number) => void
}>

export type Found = Readonly<{ tried: number; differing: readonly number[]; sentences: readonly string[] }>

/** A seed without a result within this time counts as a difference, because its process hangs. */
const patienceMs = 60_000

export async function trySeeds(options: Tried): Promise<Found> {
  const { seeds, differingMax, onSeed } = options
  const differing: number[] = []
  const sentences: string[] = []
  let tried = 0
  const count = (seed: number, sentence: string | null) => {
    tried++
    if (sentence !== null) differing.push(seed)
    if (sentence !== null) sentences.push(`seed ${seed} ${sentence}`)
    onSeed?.(tried)
    return differing.length < differingMax
  }
  while (tried < seeds.length && differing.length < differingMax) {
    const isDone = await runChild({ ...options, seeds: seeds.slice(tried) }, count)
    const [next] = seeds.slice(tried)
    if (!isDone && next !== undefined && differing.length < differingMax) count(next, 'hangs or dies')
  }
  return { tried, differing, sentences }
}

type Count = (seed: number, sentence: string | null) => boolean

/** Resolves with true when the child has tried all seeds. Kills it when `count` returns false. */
async function runChild({ machinery, seeds, folder }: Tried, count: Count): Promise<boolean> {
  const argv = ['--import', 'tsx', 'test/proofs/reorgs/child.ts', machinery, ...seeds.map(String)]
  const child = spawn(process.execPath, argv, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  const kill = () => void child.kill('SIGKILL')
  let patience = setTimeout(kill, patienceMs)
  let isDone = false
  for await (const line of createInterface({ input: child.stdout })) {
    clearTimeout(patience)
    patience = setTimeout(kill, patienceMs)
    isDone = line === 'done'
    const [seedText, verdict = ''] = line.split(/ (.*)/)
    if (!isDone && !count(Number(seedText), verdict === 'holds' ? null : verdict)) kill()
  }
  clearTimeout(patience)
  return isDone
}
