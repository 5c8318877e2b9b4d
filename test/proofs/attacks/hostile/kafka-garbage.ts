/** A peer that answers our Kafka client with garbage, case by case: it must fail as a broker, within bounds, and be asked again. */
import { type BrokerDouble, soundAnswer, startBrokerDouble } from '../../../support/log/broker-double.ts'
import { startScript } from '../../../support/programs.ts'
import { garbage } from './garbage.ts'

export type Case = Readonly<{ name: string; end: string; tookMs: number; grownMb: number; isGood: boolean }>
type Ended = Omit<Case, 'name' | 'isGood'> & Readonly<{ index: number }>
type Peer = BrokerDouble & Readonly<{ name: string }>
/** `ask`: one after the other, each sound after a while. `open`: the log, at all of them at once. */
type Doing = 'ask' | 'open'

const script = new URL('./read-kafka.ts', import.meta.url).pathname
const names: readonly string[] = Object.keys(garbage)
/** At these the client waits for its time-outs, and to open a log it asks four times. */
const slow = /nothing|now and then|30 MB|nobody/
export const quick: readonly string[] = names.filter((name) => !slow.test(name))
/** So many connections get garbage before the broker is sound. */
const garbageTimes = 2
/** A frame of 32 MB at most: its pieces, the whole, and copies that are not collected yet. */
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

/** Until all have ended, or until the program ends at one, which is the last then. */
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

/** False: a case ended the program, took its memory, or was not told of as a broker's failure. */
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
