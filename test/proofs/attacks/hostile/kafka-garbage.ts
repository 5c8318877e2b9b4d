/**
 * A false Kafka broker that answers our client with garbage, case by case. The client must report a failure
 * of the broker, stay within its limits, and try again.
 */
import { type BrokerDouble, soundAnswer, startBrokerDouble } from '../../../support/log/broker-double.ts'
import { startScript } from '../../../support/programs.ts'
import { garbage } from './garbage.ts'

export type Case = Readonly<{ name: string; end: string; tookMs: number; grownMb: number; isGood: boolean }>
type Ended = Omit<Case, 'name' | 'isGood'> & Readonly<{ index: number }>
type Peer = BrokerDouble & Readonly<{ name: string }>
/**
 * `ask` sends requests to one peer after the other. In the end, each peer answers correctly. `open` opens a
 * log at all peers at once.
 */
type Doing = 'ask' | 'open'

const script = new URL('./read-kafka.ts', import.meta.url).pathname
const names: readonly string[] = Object.keys(garbage)
/**
 * The slow cases, in which the client waits for its timeouts. They take too long when a log is opened,
 * because the client then tries four times.
 */
const slow = /nothing|now and then|30 MB|nobody/
export const quick: readonly string[] = names.filter((name) => !slow.test(name))
/** The number of connections that get garbage before a correct answer. */
const garbageTimes = 2
/**
 * The largest allowed growth of memory, in megabytes. A frame has at most 32 MB. The pieces of a frame, the
 * whole frame and old copies can be in memory at once.
 */
const grownMbMax = 200

export async function sendGarbage(doing: Doing, which = names): Promise<readonly Case[]> {
  const peers = await Promise.all(which.map((name) => startPeer(name, doing)))
  const cases: Case[] = []
  try {
    while (cases.length < peers.length) cases.push(...(await run(peers.slice(cases.length), doing)))
    return cases
  } finally {
    for (const peer of peers) await peer.stop()
  }
}

async function startPeer(name: string, doing: Doing): Promise<Peer> {
  const seen = new WeakMap<object, number>()
  let connections = 0
  const broker = await startBrokerDouble((socket, apiKey, reply) => {
    const number = seen.get(socket) ?? ++connections
    seen.set(socket, number)
    if (doing === 'ask' && number > garbageTimes) soundAnswer(socket, apiKey, reply)
    else garbage[name]?.(socket, reply)
  })
  return { ...broker, name }
}

/** Runs until all cases have ended. If the program crashes in a case, that case is the last one. */
async function run(peers: readonly Peer[], doing: Doing): Promise<readonly Case[]> {
  const program = startScript(script, JSON.stringify({ ports: peers.map(({ port }) => port), doing }), {
    NODE_OPTIONS: '',
  })
  await program.until(/^ALL ENDED$/m).catch(() => {})
  program.kill('SIGKILL')
  await program.done
  const lines = [...program.stdout().matchAll(/^ENDED (.*)$/gm)].map(([, line = '']) => JSON.parse(line) as Ended)
  const crash = `the program ended: ${/^\w*Error.*/m.exec(program.stderr())?.[0] ?? program.stderr().slice(-300)}`
  const caseOf = ({ name }: Peer, index: number): Case => {
    const ended = lines.find((line) => line.index === index) ?? { end: crash, tookMs: 0, grownMb: 0 }
    const { end, tookMs, grownMb } = ended
    return { name, end, tookMs, grownMb, isGood: !/^(FAULT|the program ended)/.test(end) && grownMb < grownMbMax }
  }
  return (doing === 'ask' ? peers.slice(0, lines.length + 1) : peers).map(caseOf)
}

/**
 * Returns false if a case ended the program, took too much memory, or did not report a failure of the broker.
 */
export async function attackByKafkaGarbage(): Promise<boolean> {
  let isUnhurt = true
  for (const doing of ['ask', 'open'] as const) {
    const cases = await sendGarbage(doing)
    isUnhurt &&= cases.every((each) => each.isGood)
    console.log(doing === 'ask' ? 'asking, one after the other:' : 'opening the log, everywhere at once:')
    for (const { name, end, tookMs, grownMb, isGood } of cases)
      console.log(`  ${isGood ? '' : 'HURT '}${name}: ${tookMs} ms, +${grownMb} MB; ${end.slice(0, 150)}`)
  }
  return isUnhurt
}
