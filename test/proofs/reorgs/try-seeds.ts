/** Seeds tried by a process of its own: a mistake may make it hang or die. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Machinery } from './sabotages.ts'

type Tried = Readonly<{
  machinery: Machinery
  seeds: readonly number[]
  /** Where the code stands. */
  folder: string
  /** It is over when so many differ. */
  differingMax: number
  onSeed?: (tried: number) => void
}>

export type Found = Readonly<{ tried: number; differing: readonly number[]; sentences: readonly string[] }>

/** A seed that gives no word in this time hangs, and so differs. */
const patienceMs = 60_000

export async function trySeeds({ machinery, seeds, folder, differingMax, onSeed }: Tried): Promise<Found> {
  const differing: number[] = []
  const sentences: string[] = []
  let tried = 0
  while (tried < seeds.length && differing.length < differingMax) {
    const left = seeds.slice(tried)
    const argv = ['--import', 'tsx', 'test/proofs/reorgs/child.ts', machinery, ...left.map(String)]
    const child = spawn(process.execPath, argv, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stderr.on('data', (bytes: Buffer) => void sentences.push(bytes.toString().slice(0, 300)))
    let patience = setTimeout(() => child.kill('SIGKILL'), patienceMs)
    let isDone = false
    for await (const line of createInterface({ input: child.stdout })) {
      clearTimeout(patience)
      patience = setTimeout(() => child.kill('SIGKILL'), patienceMs)
      isDone = line === 'done'
      if (isDone) continue
      const [seedText, verdict = ''] = line.split(/ (.*)/)
      tried++
      onSeed?.(tried)
      if (verdict === 'holds') continue
      differing.push(Number(seedText))
      sentences.push(`seed ${line}`)
      if (differing.length >= differingMax) child.kill('SIGKILL')
    }
    clearTimeout(patience)
    const [next] = seeds.slice(tried)
    if (isDone || next === undefined || differing.length >= differingMax) continue
    differing.push(next)
    tried++
  }
  return { tried, differing, sentences }
}
