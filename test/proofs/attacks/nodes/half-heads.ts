/**
 * Addresses that open all allowed connections and send half a request head on each. They open each connection
 * again when it is closed. Newcomers from other addresses send their heads at once or in two parts.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { startListening } from '../programs.ts'
import { boughtPath } from '../storms/storm-kinds.ts'

export type HalfHeads = Readonly<{
  addresses: number
  /** The number of connections per address. */
  connections: number
  newcomers: number
}>

export type Served = Readonly<{
  /** The number of connections with half a head, just before the first newcomer. */
  held: number
  /** How often the attackers opened a connection again. */
  reopened: number
  atOnce: number
  inParts: number
  slowestMs: number
}>

const head = `GET ${boughtPath} HTTP/1.1\r\nHost: a\r\n\r\n`
const half = head.slice(0, 20)
/** The time between the two parts of a head. */
const partMs = 400
const patienceMs = 10_000
const pauseMs = 100
/**
 * The number of connections that are opened together. A server queues a few hundred connections before it
 * accepts them.
 */
const openedAtOnce = 100

export async function sendHalfHeads({ addresses, connections, newcomers }: HalfHeads): Promise<Served> {
  const facilitator = await startListening('serve-facilitator.ts')
  const shop = await startListening('serve-shop.ts', `http://127.0.0.1:${facilitator.port}`)
  const attack = holdHalfHeads(shop.port)
  try {
    for (let round = 0; round < connections; round++) {
      for (let host = 1; host <= addresses; host++) attack.open(`127.0.14.${host}`)
      if ((round * addresses) % openedAtOnce < addresses) await sleep(50)
    }
    await sleep(1_000)
    const held = attack.held()
    const waits: Promise<Readonly<{ isInParts: boolean; servedMs: number | null }>>[] = []
    for (let index = 0; index < newcomers; index++) {
      const isInParts = index % 2 === 1
      const asking = ask({ port: shop.port, address: `127.0.15.${(index % 250) + 1}`, isInParts })
      waits.push(asking.then((servedMs) => ({ isInParts, servedMs })))
      await sleep(pauseMs)
    }
    const served = (await Promise.all(waits)).filter(({ servedMs }) => servedMs !== null)
    return {
      ...{ held, reopened: attack.reopened() },
      atOnce: served.filter(({ isInParts }) => !isInParts).length,
      inParts: served.filter(({ isInParts }) => isInParts).length,
      slowestMs: Math.round(Math.max(...served.map(({ servedMs }) => servedMs ?? 0))),
    }
  } finally {
    attack.end()
    for (const program of [shop, facilitator]) program.stop()
  }
}

function holdHalfHeads(port: number) {
  const sockets = new Set<Socket>()
  let reopened = 0
  let isOver = false
  const open = (address: string) => {
    if (isOver) return
    const socket = connect({ host: '127.0.0.1', port, localAddress: address })
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      reopened += 1
      setTimeout(() => open(address), pauseMs)
    })
    socket.write(half)
  }
  return {
    open,
    held: () => sockets.size,
    reopened: () => reopened,
    end: () => {
      isOver = true
      for (const socket of sockets) socket.destroy()
    },
  }
}

type Newcomer = Readonly<{ port: number; address: string; isInParts: boolean }>

/** The time until the newcomer got its quote. Null if the newcomer got no quote. */
async function ask({ port, address, isInParts }: Newcomer): Promise<number | null> {
  const startedAtMs = performance.now()
  const socket = connect({ host: '127.0.0.1', port, localAddress: address })
  try {
    const signal = AbortSignal.timeout(patienceMs)
    await once(socket, 'connect', { signal })
    if (isInParts) {
      socket.write(half)
      await sleep(partMs)
      socket.write(head.slice(half.length))
    } else socket.write(head)
    const [answer] = await Promise.race([once(socket, 'data', { signal }), once(socket, 'close', { signal })])
    return String(answer).startsWith('HTTP/1.1 402') ? performance.now() - startedAtMs : null
  } catch {
    return null
  } finally {
    socket.on('error', () => {}).destroy()
  }
}

/** False: a newcomer got no quote. */
export async function attackByHalfHeads(): Promise<boolean> {
  let isUnhurt = true
  for (const addresses of [9, 16]) {
    const { held, reopened, atOnce, inParts, slowestMs } = await sendHalfHeads({
      ...{ addresses, connections: 256, newcomers: 110 },
    })
    isUnhurt &&= atOnce + inParts === 110
    console.log(`${addresses} addresses x 256 half heads, ${held} held, opened again ${reopened} times:`)
    console.log(
      `  of 110 newcomers ${atOnce + inParts} were served (${atOnce} of 55 that sent their head at once, ${inParts} of 55 in two parts), the slowest in ${slowestMs} ms`,
    )
  }
  return isUnhurt
}
