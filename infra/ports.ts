import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Returns free ports below the ephemeral range. Outgoing connections never take these ports, so a restarted server
 * finds its port free. Also, a client that retries while the server is down cannot connect to itself.
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
