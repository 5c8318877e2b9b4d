/**
 * Gives hostile chat pages and hostile answers of providers to the service's readers, one by one. Each must
 * be refused or read, with limited time and memory.
 */
import { readFileSync } from 'node:fs'
import type { IncomingMessage, RequestListener } from 'node:http'
import { pageOf } from '../../../ingest/chats/preview/page.ts'
import { startScript } from '../../../support/programs.ts'
import { startPlainServer } from '../../../support/sockets/plain-server.ts'
import { hostileHtml } from './hostile-html.ts'
import { hostileJson } from './hostile-json.ts'

export type Whom = 'chats' | 'aggregator' | 'rug check' | 'Helius'
type Ended = Readonly<{ index: number; end: string; tookMs: number; heldMs: number }>
export type Read = Readonly<{
  cases: readonly (Ended & Readonly<{ name: string; isGood: boolean }>)[]
  /** The largest growth of memory compared with the memory before the first case, in megabytes. */
  grownMb: number
}>

const script = new URL('./read-hostile.ts', import.meta.url).pathname
/** The longest time in which a case may block the event loop. */
const heldMsMax = 10_000
/**
 * The largest allowed growth of memory, in megabytes. The largest answer of a chain node has 32 MB. Its text,
 * the parsed value and the checked value can be in memory at once.
 */
const grownMbMax = 400
/** The number of hostile pages of a chat before an honest one. */
const hostileTimes = 2

const indexIn = ({ url = '' }: IncomingMessage): number => Number(url.split('/')[1] ?? 0)

function serveChats(): RequestListener {
  const bodies = Object.values(hostileHtml)
  const served = new Map<number, number>()
  const atSec = Math.floor(Date.now() / 1000)
  return (request, response) => {
    const index = indexIn(request)
    const times = (served.get(index) ?? 0) + 1
    served.set(index, times)
    const body = times <= hostileTimes ? bodies[index]?.() : undefined
    response.end(body ?? pageOf('channel', [{ id: 9_000_000, body: 'an honest post', atSec }]))
  }
}

const serveJson = (): RequestListener => (request, response) =>
  void request.resume().once('end', () => Object.values(hostileJson)[indexIn(request)]?.(response))

export async function readHostile(whom: Whom): Promise<Read> {
  const names = Object.keys(whom === 'chats' ? hostileHtml : hostileJson)
  const server = await startPlainServer(whom === 'chats' ? serveChats() : serveJson())
  const argument = JSON.stringify({ whom, url: server.url, count: names.length })
  const program = startScript(script, argument, { NODE_OPTIONS: '' })
  const ended = () => [...program.stdout().matchAll(/^ENDED (.*)$/gm)].map(([, line = '']) => JSON.parse(line) as Ended)
  let before = 0
  let most = 0
  const measuring = setInterval(() => {
    most = Math.max(most, peakMbOf(program.pid))
    if (ended().length === 0) before = most
  }, 50)
  try {
    await program.until(/^ALL READ$/m).catch(() => {})
    const cases = ended().map((each) => ({ ...each, name: names[each.index] ?? '', isGood: isGood(each) }))
    const missing = names.slice(cases.length).map((name, index) => ({
      ...{ name, index: cases.length + index, tookMs: 0, heldMs: 0, isGood: false },
      end: `the program ended: ${program.stderr().slice(-300)}`,
    }))
    return { cases: [...cases, ...missing.slice(0, 1)], grownMb: most - before }
  } finally {
    clearInterval(measuring)
    program.kill('SIGKILL')
    await program.done
    await server.stop()
  }
}

const isGood = ({ end, heldMs }: Ended): boolean => !/^(FAULT|never)/.test(end) && heldMs < heldMsMax

function peakMbOf(pid: number): number {
  try {
    return Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024)
  } catch {
    return 0
  }
}

export const isUnhurtByPages = ({ cases, grownMb }: Read): boolean =>
  cases.length > 0 && grownMb < grownMbMax && cases.every((each) => each.isGood)

/** Returns false if a case ended the program, blocked its event loop too long, or took too much memory. */
export async function attackByHostilePages(only: readonly string[]): Promise<boolean> {
  let isUnhurt = true
  for (const whom of ['chats', 'aggregator', 'rug check', 'Helius'] as const) {
    if (only.length > 0 && !only.includes(whom)) continue
    const read = await readHostile(whom)
    isUnhurt &&= isUnhurtByPages(read)
    console.log(`${whom}: ${read.cases.length} cases, memory +${read.grownMb} MB`)
    for (const { name, end, tookMs, heldMs, isGood: isGoodCase } of read.cases)
      console.log(`  ${isGoodCase ? '' : 'HURT '}${name}: ${end}; ${tookMs} ms, nothing else for ${heldMs} ms`)
  }
  return isUnhurt
}
