import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Free ports below the ephemeral range. No outgoing connection takes such a port. So a restarted server finds its port
 * free, and a client that retries in between cannot connect to itself.
 */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>()
  while (ports.size < count) {
    const port = firstPort + Math.floor(Math.random() * portCount)
    if (await isFree(port)) ports.add(port)
  }
  return [...ports]
}

const firstPort = 20_000
const portCount = 12_000

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
