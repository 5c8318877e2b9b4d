/** A process that sends requests at a fixed rate from some local addresses, until it is stopped. */
import { once } from 'node:events'
import { Agent, request } from 'node:http'

export type Storm = Readonly<{
  port: number
  path: string
  /** The payment headers, used in turns. Null: no payment. */
  payments: readonly string[] | null
  /** The source addresses, used in turns. */
  addresses: readonly string[]
  perSecond: number
  /** If true, each request has an `X-Forwarded-For` header with a random address. */
  isForwarded?: boolean
  /** The number of requests sent together. Default: one. */
  together?: number
}>

export type StormResult = Readonly<{
  sent: number
  cpuMs: number
  statuses: Readonly<Record<string, number>>
}>

const agents = new Map<string, Agent>()
const agentOf = (localAddress: string): Agent => {
  const agent = agents.get(localAddress) ?? new Agent({ keepAlive: true, maxSockets: 200, localAddress })
  agents.set(localAddress, agent)
  return agent
}

const madeUp = (index: number): string => `203.0.${Math.floor(index / 250) % 250}.${(index % 250) + 1}`

async function run(storm: Storm): Promise<StormResult> {
  const { port, path, payments, addresses, perSecond, together = 1, isForwarded = false } = storm
  const statuses: Record<string, number> = {}
  const note = (status: string) => {
    statuses[status] = (statuses[status] ?? 0) + 1
  }
  let sent = 0
  const send = () => {
    const payment = payments?.[sent % payments.length]
    const agent = agentOf(addresses[sent % addresses.length] ?? '127.0.0.1')
    sent += 1
    const headers = {
      ...(payment === undefined ? {} : { 'payment-signature': payment }),
      ...(isForwarded ? { 'x-forwarded-for': madeUp(sent) } : {}),
    }
    const asked = request({ host: '127.0.0.1', port, path, agent, headers }, (response) => {
      note(String(response.statusCode))
      response.resume()
    })
    asked.on('error', () => note('broken')).end()
  }
  const startedAtMs = performance.now()
  const cpuBefore = process.cpuUsage()
  const pacing = setInterval(() => {
    const due = ((performance.now() - startedAtMs) / 1000) * perSecond
    while (sent <= due) for (let index = 0; index < together; index++) send()
  }, 10)
  process.send?.('begun')
  await once(process, 'message')
  clearInterval(pacing)
  const { user, system } = process.cpuUsage(cpuBefore)
  for (const agent of agents.values()) agent.destroy()
  agents.clear()
  return { sent, statuses, cpuMs: (user + system) / 1000 }
}

for (;;) {
  const [storm] = (await once(process, 'message')) as [Storm]
  process.send?.(await run(storm))
}
