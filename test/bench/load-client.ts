/** A thread that sends the requests it is given over a few kept connections and says how long they took. */
import { Agent, get } from 'node:http'
import { parentPort } from 'node:worker_threads'

export type Load = Readonly<{
  url: string
  /** One request each: the PAYMENT-SIGNATURE header, or null for none. */
  payments: readonly (string | null)[]
  connections: number
}>

/** `bytes`: of all bodies. A status other than 200 counts as failed. */
export type LoadResult = Readonly<{ wallMs: number; bytes: number; failed: number }>

export function runLoadClient(): void {
  parentPort?.on('message', (load: Load) => {
    void send(load).then((result) => parentPort?.postMessage(result))
  })
}

async function send({ url, payments, connections }: Load): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const total = { bytes: 0, failed: 0 }
  let next = 0
  const sendOn = async () => {
    for (let payment = payments[next++]; payment !== undefined; payment = payments[next++]) {
      const { status, bytes } = await sendOne(url, agent, payment)
      total.bytes += bytes
      if (status !== 200) total.failed += 1
    }
  }
  const startedAtMs = performance.now()
  await Promise.all(Array.from({ length: connections }, sendOn))
  const wallMs = performance.now() - startedAtMs
  agent.destroy()
  return { wallMs, ...total }
}

const sendOne = (url: string, agent: Agent, payment: string | null): Promise<{ status: number; bytes: number }> =>
  new Promise((resolve, reject) => {
    const headers = payment === null ? {} : { 'payment-signature': payment }
    get(url, { agent, headers }, (response) => {
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, bytes }))
      response.on('error', reject)
    }).on('error', reject)
  })
